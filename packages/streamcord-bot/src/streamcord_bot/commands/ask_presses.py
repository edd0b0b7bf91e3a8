"""Handle presses of buttons, menus and forms of questions, and record decisions in the audit log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import discord

from streamcord import AskOutcome, Decision
from streamcord.discord import Asks
from streamcord.store import AskRow, Change
from streamcord.utils import SecretFilter, one_line

from ..answering.ask_store import BotAskStore
from ..answering.tool_approvals import allowed_by
from ..i18n import translate
from ..recovery.resume_asks import AskResumer

MAX_DETAIL_CHARS = 200
"""Characters of a decision that the audit log keeps."""


class AskPresses:
    """Makes the decisions of people, and lets the answers continue that waited for them."""

    def __init__(
        self,
        rows: BotAskStore,
        resumer: AskResumer,
        clock: Callable[[], float],
        secrets: Iterable[str],
    ) -> None:
        self._resumer = resumer
        self._hide = SecretFilter(secrets).hide
        self._asks = Asks(
            rows,
            self._on_decision,
            translate=translate,
            allows=allowed_by,
            change=self._change_of,
            clock=clock,
        )

    @staticmethod
    def is_ask(interaction: discord.Interaction[Any]) -> bool:
        """Return whether an interaction answers a question."""
        data: Any = interaction.data or {}
        return str(data.get("custom_id", "")).startswith("sc:ask:")

    async def press(self, interaction: discord.Interaction[Any]) -> AskOutcome | None:
        """Handle a press; the person is told what became of it."""
        return await self._asks.on_interaction(interaction)

    async def _on_decision(self, row: AskRow, interaction: discord.Interaction[Any]) -> None:
        await self._resumer.dispatch(row, interaction)

    def _change_of(self, row: AskRow, decision: Decision) -> Change | None:
        """Return the entry of the audit log for a decision about a tool; choices of people are no changes."""
        call = row.about.get("call")
        if not row.ask.notice or not isinstance(call, dict):
            return None
        arguments = json.dumps(call.get("arguments"), ensure_ascii=False, default=str)
        said = f"{decision.text}: {arguments}"
        if row.about.get("private"):
            # Everybody who manages the server reads the audit log.
            said = ", ".join(decision.labels)
        detail = self._hide(one_line(said))[:MAX_DETAIL_CHARS]
        # A question of a server of tools has a state; an approval has none.
        what = "answer" if row.ask.state else "allow"
        return Change(row.place, decision.user, f"{what} {call.get('name')}", detail)

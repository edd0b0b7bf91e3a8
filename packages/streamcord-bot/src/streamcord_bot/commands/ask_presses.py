"""Handle presses of buttons, menus and forms of questions, and record decisions in the audit log."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from typing import Any

import discord

from streamcord import AskOutcome, StoreError
from streamcord.discord import Asks
from streamcord.store import AskRow, Change, Store
from streamcord.utils import SecretFilter, one_line

from ..answering.approvals import allowed_by
from ..answering.ask_rows import AskRows
from ..i18n import translate
from ..recovery.resume_asks import AskResumer

__all__ = ["AskPresses"]

MAX_DETAIL_CHARS = 200
"""Characters of a decision that the audit log keeps."""

_log = logging.getLogger(__name__)


class AskPresses:
    """Makes the decisions of people, and lets the answers go on that waited for them."""

    def __init__(
        self,
        store: Store,
        rows: AskRows,
        resumer: AskResumer,
        clock: Callable[[], float],
        secrets: Iterable[str],
    ) -> None:
        self._store = store
        self._resumer = resumer
        self._hide = SecretFilter(secrets).hide
        self._asks = Asks(rows, self._on_decision, translate=translate, allows=allowed_by, clock=clock)

    @staticmethod
    def is_ask(interaction: discord.Interaction[Any]) -> bool:
        """Return whether an interaction answers a question."""
        data: Any = interaction.data or {}
        return str(data.get("custom_id", "")).startswith("sc:ask:")

    async def press(self, interaction: discord.Interaction[Any]) -> AskOutcome | None:
        """Handle a press; the person is told what became of it."""
        return await self._asks.on_interaction(interaction)

    async def _on_decision(self, row: AskRow, interaction: discord.Interaction[Any]) -> None:
        await self._record(row)
        await self._resumer.dispatch(row, interaction)

    async def _record(self, row: AskRow) -> None:
        """Record the decision about a tool; choices of people are no changes."""
        decision, call = row.decision, row.about.get("call")
        if decision is None or not row.ask.notice or not isinstance(call, dict):
            return
        arguments = json.dumps(call.get("arguments"), ensure_ascii=False, default=str)
        said = f"{decision.text}: {arguments}"
        if row.about.get("private"):
            # Everybody who manages the server reads the audit log.
            said = ", ".join(decision.labels)
        detail = self._hide(one_line(said))[:MAX_DETAIL_CHARS]
        change = Change(row.place, decision.user, f"allow {call.get('name')}", detail)
        try:
            await self._store.record_change(change)
        except StoreError as error:
            _log.warning("audit log: could not record the decision of user %d: %s", decision.user, error)

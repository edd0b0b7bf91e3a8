"""Ask people and hear what they decide, by buttons, menus and forms that survive a restart.

    asks = Asks(await open_store("bot.db"))

    @client.event
    async def on_interaction(interaction):
        await asks.on_interaction(interaction)

A question is one row of the store. A press carries the row's id, and one conditional UPDATE makes the decision:
exactly one of any number of presses does, in any number of processes.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import aiohttp
import discord

from .._events import Ask, AskOutcome, Attachment, Decision, Message, ToolCall
from .._exceptions import StoreError
from .._providers.tools import Post
from .._settings import DISCORD_LIMIT
from .._store.ask_repository import AskRow, AskState
from .._store.models import Change, Place
from .ask_components import AskPress, ask_modal, read_press
from .components_v2 import with_buttons

POLL_INTERVAL_S = 2.0
"""Another process may make the decision, so a waiting caller looks at the row this often."""
ACKNOWLEDGE_TIMEOUT_S = 3.0
"""How long Discord accepts the response to a press."""
SHOW_TIMEOUT_S = 10.0
"""A decision that was made longer ago should be shown below its question."""
MAX_SHOWN_CHARS = 150
"""Characters of a decision that are shown below its question; a message has 2000 in all."""
_REQUEST_ERRORS = (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, TimeoutError, OSError)

NO_PINGS = discord.AllowedMentions.none()

_TEXTS: Mapping[str, str] = {
    "ask_decided": "✓ <@{user}>: {text}",
    "ask_already": "<@{user}> has decided this: {text}",
    "ask_expired": "This question has expired.",
    "ask_not_yours": "This question is for others.",
    "ask_unknown": "This question is no longer known. Ask again.",
    "ask_store": "The answer could not be saved. Try again in a moment.",
}

_log = logging.getLogger(__name__)


OnDecision: TypeAlias = Callable[[AskRow, discord.Interaction[Any]], Awaitable[None] | None]


class AskStore(Protocol):
    """Protocol: the methods of a store that keep questions; every store of `open_store` has them.

    Example:
        store: AskStore = await open_store("bot.db")

    """

    async def open_ask(self, row: AskRow) -> None:
        """See `Store.open_ask`."""

    async def find_ask(self, id_: str) -> AskRow | None:
        """See `Store.find_ask`."""

    async def decide_ask(
        self,
        id_: str,
        decision: Decision,
        *,
        allows: str = "",
        change: Change | None = None,
        message: int = 0,
    ) -> bool:
        """See `Store.decide_ask`."""

    async def close_ask(self, id_: str, *, about: Mapping[str, Any] | None = None) -> None:
        """See `Store.close_ask`."""


def _translate(_locale: str, key: str, **values: object) -> str:
    return _TEXTS[key].format(**values)


class Asks:
    """The questions that this bot asks.

    Args:
        store: Where the rows are kept.
        on_decision: Called once with the row of each decision and the press, by the process that received it.
        translate: Returns a text in a language, by its key; English without it.
        allows: Returns what a decision allows from then on, for `Store.is_allowed`.
        change: Returns the entry of the audit log that is written with a decision, or `None`.
        clock: Returns seconds since 1970.

    Example:
        asks = Asks(store, on_decision=lambda row, press: print(row.decision.text))

    """

    def __init__(
        self,
        store: AskStore,
        on_decision: OnDecision | None = None,
        *,
        translate: Callable[..., str] = _translate,
        allows: Callable[[AskRow, Decision], str] = lambda _row, _decision: "",
        change: Callable[[AskRow, Decision], Change | None] = lambda _row, _decision: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._change = change
        self._on_decision = on_decision
        self._translate = translate
        self._allows = allows
        self._clock = clock
        # Set when the decision of a question is made here, by the question's id.
        self._decided: dict[str, asyncio.Event] = {}

    async def open(
        self,
        ask: Ask,
        *,
        owner: int = 0,
        place: Place | None = None,
        bot: int = 0,
        about: Mapping[str, Any] | None = None,
    ) -> Ask:
        """Save a question and return it with its id, ready to be sent.

        Args:
            ask: The question.
            owner: Whose question it is, for the deletion of their data.
            place: Where it is asked.
            bot: The bot that asks, if several share the store.
            about: What you need to act on the decision after a restart, as JSON values.

        Raises:
            StoreError: It could not be saved.

        Example:
            ask = await asks.open(Ask("Deploy?", ("yes", "no")), about={"version": "1.2"})
            yield ask

        """
        kept = ask.with_id(secrets.token_hex(8))
        await self._store.open_ask(AskRow(kept, place or Place(), owner, bot, about or {}))
        return kept

    async def ask(self, ask: Ask, call: ToolCall, post: Post, *files: Attachment) -> Decision | None:
        """Ask for a tool and wait for the decision; `None` if the question expires first.

        Example:
            await say(channel, with_tools(provider, prompt, [deploy], ask=asks.ask))

        """
        kept = await self.open(ask, about={"tool": call.name, "arguments": dict(call.arguments)})
        post.put(Message(kept.text, files=files, ask=kept, notice=kept.notice))
        return await self.wait(kept)

    async def wait(self, ask: Ask) -> Decision | None:
        """Wait for the decision; return `None` if the question expires first."""
        event = self._decided.setdefault(ask.id, asyncio.Event())
        try:
            while True:
                row = await self._store.find_ask(ask.id)
                if row is None or row.decision is not None or row.state is AskState.CLOSED:
                    return row.decision if row else None
                left = row.expires_at - self._clock()
                if left <= 0:
                    await self._store.close_ask(ask.id)
                    return None
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(left, POLL_INTERVAL_S)):
                        await event.wait()
        finally:
            self._decided.pop(ask.id, None)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> AskOutcome | None:
        """Handle a press and tell the person what became of it; return `None` if it belongs to no question."""
        press = read_press(interaction)
        if press is None:
            return None
        try:
            outcome, row = await self._decide(interaction, press)
        except StoreError as error:
            _log.warning("saving a decision failed: %s", error)
            await self._reply(interaction, "ask_store")
            return AskOutcome.UNKNOWN
        if outcome is AskOutcome.DECIDED and row is not None:
            _log.info("ask %s was decided by %s", press.id, interaction.user.id)
            await self._after_decision(interaction, row)
        return outcome

    async def _decide(
        self, interaction: discord.Interaction[Any], press: AskPress
    ) -> tuple[AskOutcome | None, AskRow | None]:
        row = await self._store.find_ask(press.id)
        if row is None:
            await self._reply(interaction, "ask_unknown")
            return AskOutcome.UNKNOWN, None
        if (refusal := await self._refuse(interaction, row)) is not None:
            return refusal, row
        try:
            decision = row.ask.choose(press.indexes, press.inputs, user=interaction.user.id, at=self._clock())
        except ValueError:
            await self._reply(interaction, "ask_unknown")
            return AskOutcome.UNKNOWN, row
        if not press.is_form and row.ask.options[press.indexes[0]].fields:
            with suppress(*_REQUEST_ERRORS):
                await interaction.response.send_modal(ask_modal(row.ask, press.indexes[0]))
            return None, row
        allows, change = self._allows(row, decision), self._change(row, decision)
        # A kill may have lost which message shows the question.
        message = interaction.message.id if interaction.message is not None else row.message
        if await self._store.decide_ask(row.id, decision, allows=allows, change=change, message=message):
            return AskOutcome.DECIDED, replace(row, decision=decision, state=AskState.DECIDED)
        # Another press was first, or it expired just now.
        now = await self._store.find_ask(row.id) or row
        return await self._refuse(interaction, now) or AskOutcome.EXPIRED, now

    async def _refuse(self, interaction: discord.Interaction[Any], row: AskRow) -> AskOutcome | None:
        """Tell why a person cannot decide; return `None` if they can."""
        person = interaction.user
        roles = [role.id for role in person.roles] if isinstance(person, discord.Member) else []
        if not row.ask.is_for(person.id, roles):
            await self._reply(interaction, "ask_not_yours")
            return AskOutcome.NOT_YOURS
        if row.decision is not None:
            values = {"user": row.decision.user, "text": shown_decision(row.decision)}
            if self._clock() - row.decision.at > SHOW_TIMEOUT_S and interaction.message is not None:
                # The process that received the decision did not come to show it.
                await self._show(
                    interaction, row, self._translate(str(interaction.locale), "ask_decided", **values)
                )
            await self._reply(interaction, "ask_already", **values)
            return AskOutcome.ALREADY
        if row.state is not AskState.OPEN or self._clock() >= row.expires_at:
            await self._store.close_ask(row.id)
            await self._show(interaction, row, self._translate(str(interaction.locale), "ask_expired"))
            return AskOutcome.EXPIRED
        return None

    async def _after_decision(self, interaction: discord.Interaction[Any], row: AskRow) -> None:
        assert row.decision is not None
        if event := self._decided.get(row.id):
            event.set()
        values = {"user": row.decision.user, "text": shown_decision(row.decision)}
        shown = asyncio.ensure_future(
            self._show(interaction, row, self._translate(str(interaction.locale), "ask_decided", **values))
        )
        # The press is acknowledged first, but what was decided waits for Discord no longer than that may take.
        await asyncio.wait({shown}, timeout=ACKNOWLEDGE_TIMEOUT_S)
        if self._on_decision is not None and isinstance(
            done := self._on_decision(row, interaction), Awaitable
        ):
            await done
        await shown

    async def _show(self, interaction: discord.Interaction[Any], row: AskRow, line: str) -> None:
        """Replace the buttons of the question by a line in words."""
        changes = decided_edit(interaction.message, row.ask, line)
        try:
            await interaction.response.edit_message(**changes, allowed_mentions=NO_PINGS)
        except (*_REQUEST_ERRORS, RuntimeError) as error:
            # The message was deleted, the press waited too long, or the program is ending, for which aiohttp raises
            # a RuntimeError: the decision counts all the same.
            _log.info("ask %s: showing the decision failed: %s", row.id, type(error).__name__)

    async def _reply(self, interaction: discord.Interaction[Any], key: str, **values: object) -> None:
        text = self._translate(str(interaction.locale), key, **values)
        with suppress(*_REQUEST_ERRORS, discord.InteractionResponded):
            if interaction.response.is_done():
                await interaction.followup.send(text, ephemeral=True, allowed_mentions=NO_PINGS)
            else:
                await interaction.response.send_message(text, ephemeral=True, allowed_mentions=NO_PINGS)


def shown_decision(decision: Decision) -> str:
    """Return a decision as it is shown to people: short, on one line, and without Markdown or mentions.

    Args:
        decision: What was decided.

    Example:
        await message.edit(content=f"{question}: {shown_decision(row.decision)}", view=None)

    """
    text = " ".join(decision.text.split())
    short = text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 1] + "…"
    return discord.utils.escape_mentions(discord.utils.escape_markdown(short))


def decided_edit(message: discord.Message | None, ask: Ask, line: str) -> dict[str, Any]:
    """Return the arguments of an edit that replaces the buttons of a question by a line in words.

    Args:
        message: The message as it is, if it is known.
        ask: The question.
        line: What became of it, in words.

    Example:
        await message.edit(**decided_edit(message, row.ask, "This question has expired."))

    """
    if message is not None and message.flags.components_v2:
        layout = with_buttons(message, None)
        texts = [one for one in layout.walk_children() if isinstance(one, discord.ui.TextDisplay)]
        if texts:
            texts[-1].content += f"\n-# {line}"
        else:
            layout.add_item(discord.ui.TextDisplay(f"-# {line}"))
        return {"view": layout}
    embeds = list(message.embeds) if message is not None else []
    text = message.content if message is not None else ask.text
    if not text and embeds:
        # A question of the program itself is an embed.
        changed = embeds[0].copy()
        changed.description = f"{changed.description or ask.text}\n\n{line}"
        return {"content": None, "embeds": [changed, *embeds[1:]], "view": None}
    return {"content": f"{text}\n-# {line}"[:DISCORD_LIMIT], "embeds": embeds, "view": None}

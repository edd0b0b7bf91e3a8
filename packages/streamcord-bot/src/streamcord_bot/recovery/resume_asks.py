"""Let answers continue when a person has decided what they asked; also decisions that an earlier process left.

A scan also ends questions that have expired, and says so below them.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import discord

from streamcord import Decision, StoreError
from streamcord.discord import (
    RequestPriority,
    decided_edit,
    find_ask_id,
    shown_decision,
    wait_for_request_slot,
)
from streamcord.store import AskRow, AskState
from streamcord.utils import BoundedCache

from ..answering.ask_store import BotAskStore
from ..coordination.base import Coordinator
from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate
from ..listening.dispatcher import Dispatcher
from ..messages.question import AnswerKind, Question
from ..ops.connectivity import DiscordClock
from ..policy.channel_config import ChannelConfigs, place_of
from ..ui.notices import NoticeStyle, try_notice
from .resume_answers import AnswerResumer
from .resume_policy import is_too_old

SCAN_INTERVAL_S = 20.0
MAX_DISPATCHED = 10_000
MAX_NONCE_CHARS = 25
"""https://docs.discord.com/developers/resources/message#create-message-jsonform-params"""

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class AskResumer:
    """Queues the questions whose answers continue with a decision."""

    client: discord.Client
    store: BotAskStore
    coordinator: Coordinator
    dispatcher: Dispatcher
    channel_configs: ChannelConfigs
    resumer: AnswerResumer
    clock: DiscordClock
    style: NoticeStyle

    # Decisions that this process has queued; each is queued once.
    _dispatched: BoundedCache[str, bool] = field(
        default_factory=lambda: BoundedCache(MAX_DISPATCHED), init=False
    )
    # Allows one scan at a time.
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def dispatch(self, row: AskRow, press: discord.Interaction[Any] | None = None) -> None:
        """Queue the question of a decided row, unless this process did before."""
        if self._dispatched.peek(row.id):
            return
        self._dispatched.keep(row.id, True)
        try:
            reason = await self._dispatch(row, press)
        except REQUEST_ERRORS as error:
            # Discord cannot be reached: the next scan tries again.
            self._dispatched.drop(row.id)
            _log.warning("ask %s: its question could not be read: %s", row.id, type(error).__name__)
            return
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            reason = f"its row is damaged ({type(error).__name__})"
        if reason:
            _log.warning("ask %s: nothing is done about its decision: %s", row.id, reason)
            await self._close(row.id)

    async def _dispatch(self, row: AskRow, press: discord.Interaction[Any] | None) -> str:
        about, command, private = row.about["question"], row.about.get("command"), row.about["private"]
        if private and press is None:
            return "its answer was private, and the press is over"
        channel: Any = (press.channel if press else None) or self.client.get_channel(about["channel"])
        if channel is None and about["dm"]:
            channel = self.client.get_partial_messageable(about["channel"])
        if channel is None:
            return f"channel {about['channel']} is gone"
        said, _ = await self.resumer.read_asked(channel, about, command)
        if isinstance(said, str):
            return said
        shown = press.message.id if press is not None and press.message is not None else row.message
        question = Question(
            about["owner"],
            said,
            AnswerKind.DECIDED,
            replaces=(shown,) if shown else (),
            reply=press if command else None,
            private=private,
            asked_by=about.get("asked_by", 0),
            persona=about.get("persona", ""),
            ask=row.id,
            ask_actor=secrets.token_hex(8),
        )
        config = await self.channel_configs.find_cached(*place_of(channel))
        if not self.dispatcher.requeue(question, config):
            # This process is shutting down; the next one acts on the decision.
            self._dispatched.drop(row.id)
        return ""

    # --- Scans -----------------------------------------------------------------------------------

    async def run_timer(self) -> None:
        """Scan periodically."""
        while True:
            await asyncio.sleep(SCAN_INTERVAL_S)
            if self.client.is_ready():
                await self.scan()

    async def scan(self) -> None:
        """Act on decisions that an earlier process left, and end questions that have expired."""
        bot = self.client.user
        if bot is None:
            return
        async with self._lock:
            try:
                rows = await self.store.asks(bot.id, *(one for one in AskState if one not in _OVER))
                busy = await self._asks_in_journal() if rows else set()
            except StoreError as error:
                _log.warning("reading questions failed, the next scan retries: %s", error)
                return
            for row in rows:
                guild = row.place.guild
                if not (self.coordinator.owns_guild(guild) and self.coordinator.is_assigned(guild)):
                    continue
                if row.state is AskState.OPEN:
                    if self.clock() >= row.expires_at:
                        await self._expire(row)
                elif row.id not in busy and not self._dispatched.peek(row.id):
                    await self._recover(row)

    async def show_decisions(self) -> None:
        """Show the decisions below their questions that an earlier process did not come to show."""
        bot = self.client.user
        try:
            rows = await self.store.asks(bot.id, *_DECIDED) if bot is not None else ()
        except StoreError as error:
            _log.warning("reading questions failed, decisions are not shown: %s", error)
            return
        for row in rows:
            if row.decision is not None and self.coordinator.owns_guild(row.place.guild):
                await self._show_decision(row, row.decision)

    async def _show_decision(self, row: AskRow, decision: Decision) -> None:
        await self._show(row, "ask_decided", user=decision.user, text=shown_decision(decision))

    async def _asks_in_journal(self) -> set[object]:
        """Return the rows whose answers the journal resumes."""
        turns = await self.coordinator.journal.unfinished(held=True)
        return {turn.about.get("ask") for turn in turns}

    async def _recover(self, row: AskRow) -> None:
        """Act on a decision that an earlier process left."""
        decision = row.decision
        if decision is not None:
            await self._show_decision(row, decision)
        if row.state is AskState.ACTING:
            # Its answer is over, but its result was not saved: it must not be done twice.
            if await self._notify_lost(row):
                await self._close(row.id)
        elif decision is None or is_too_old(self.clock() - decision.at):
            _log.warning("ask %s: its decision is too old, nothing is done", row.id)
            await self._close(row.id)
        else:
            await self.dispatch(row)

    async def _notify_lost(self, row: AskRow) -> bool:
        """Say that it is unknown whether a call was made; false if Discord could not be reached."""
        channel: Any = self.client.get_channel(row.place.channel)
        call = row.about.get("call")
        if channel is None or not isinstance(call, dict) or row.about.get("private"):
            return True
        locale = self.style.locale(getattr(channel, "guild", None))
        words = translate(locale, "ask_lost", what=f"`{call.get('name')}`")
        return await try_notice(channel, words, None, f"lost{row.id}"[:MAX_NONCE_CHARS], self.style.layout)

    async def _expire(self, row: AskRow) -> None:
        """End a question that no one answered in time."""
        if await self._close(row.id):
            await self._show(row, "ask_expired")

    async def _show(self, row: AskRow, key: str, **values: object) -> None:
        """Replace the buttons of a question by a line in words, if they are still there."""
        if not row.message:
            return
        channel: Any = self.client.get_channel(row.place.channel) or self.client.get_partial_messageable(
            row.place.channel
        )
        if not await wait_for_request_slot(channel, RequestPriority.COURTESY):
            return
        line = translate(self.style.locale(getattr(channel, "guild", None)), key, **values)
        with suppress(*REQUEST_ERRORS, AttributeError):
            message = await channel.fetch_message(row.message)
            if find_ask_id(message) != row.id:
                return
            changes = decided_edit(message, row.ask, line)
            if message.webhook_id is None:
                await message.edit(**changes, allowed_mentions=NO_PINGS)
            else:
                await self._edit_by_webhook(message, changes)

    async def _edit_by_webhook(self, message: discord.Message, changes: dict[str, Any]) -> None:
        """Edit a message of our webhook, which the bot itself cannot."""
        home: Any = message.channel.parent if isinstance(message.channel, discord.Thread) else message.channel
        thread: dict[str, Any] = (
            {"thread": message.channel} if isinstance(message.channel, discord.Thread) else {}
        )
        for webhook in _own(await home.webhooks(), message.webhook_id):
            await webhook.edit_message(message.id, **changes, **thread, allowed_mentions=NO_PINGS)

    async def _close(self, id_: str) -> bool:
        try:
            await self.store.close_ask(id_)
        except StoreError as error:
            _log.warning("ask %s could not be closed: %s", id_, error)
            return False
        return True


_DECIDED = (AskState.DECIDED, AskState.TAKEN, AskState.ACTING)
_OVER = frozenset({AskState.DONE, AskState.CLOSED})


def _own(webhooks: Iterable[discord.Webhook], id_: int | None) -> list[Any]:
    return [one for one in webhooks if one.id == id_ and one.token]

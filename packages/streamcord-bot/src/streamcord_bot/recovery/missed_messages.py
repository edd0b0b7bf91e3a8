"""Find questions that were asked while the bot was away or its connection was lost.

It reads the channels back, the newest first, with limits on channels, messages and answers, and passes the messages
through the usual receiver. Answered questions are known from the claims, or recognized by replies in the channel.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import discord

from streamcord import StoreError
from streamcord.discord import RequestPriority, wait_for_request_slot

from ..answering.answer_journal import RETRY_PAUSES
from ..coordination.base import Coordinator
from ..discord_requests import REQUEST_ERRORS
from ..i18n import translate
from ..listening.channel_queue import QueueResult
from ..messages.chat_message import MessageReader
from ..ops.connectivity import DiscordClock
from ..ops.metrics import Metrics
from ..policy.permissions import may_read
from ..state import BotState
from ..ui.notices import NoticeStyle, try_notice

MAX_CHANNELS = 200
"""Further channels are not read."""
MAX_DMS = 50
MAX_MESSAGES = 100
"""Messages that are read per channel."""
MAX_ANSWERS = 50
"""Missed questions that are answered, in all channels together."""
RETRY_PAUSES_S = (0.5, 2.0)
"""Pauses before a channel is read a second and a third time."""
SERVER_ERROR = 500
MARGIN_S = 30.0
"""Messages of this time before the outage are read, too: their events may have been lost on the way."""

_LINK = re.compile(r"/channels/[^/]{1,20}/[0-9]{1,20}/([0-9]{1,20})")
_log = logging.getLogger(__name__)

Receive = Callable[[discord.Message], Awaitable[QueueResult]]


@dataclass(eq=False, repr=False)
class MissedMessages:
    """Finds missed questions."""

    client: discord.Client
    reader: MessageReader
    coordinator: Coordinator
    state: BotState
    receive: Receive
    clock: DiscordClock
    metrics: Metrics
    style: NoticeStyle
    # Older questions are not answered any more; 0 turns the search off.
    max_age_s: float

    # Messages of the bot with a smaller id are from an earlier process.
    _first_id: int = field(default=0, init=False)

    def start(self) -> None:
        """Remember when this process began to answer."""
        self._first_id = _snowflake(self.clock())

    async def run(self, since: float, taken: Collection[int] = ()) -> int:
        """Answer questions since a moment and return how many; messages in `taken` belong to resumed answers."""
        limit = self.max_age_s
        if not limit:
            return 0
        now = self.clock()
        # If the clock was set back, `since` is in the future: search the whole allowed time.
        floor = max(since - MARGIN_S, now - limit) if since < now else now - limit
        count = 0
        rows = [await self._missed(channel, floor, taken) for channel in await self._channels(floor)]
        # One message of each channel in turn, so that a busy channel does not delay the others.
        for number in range(max(map(len, rows), default=0)):
            some = [row[number] for row in rows if number < len(row)]
            # Other processes may have answered while we were reading.
            answered = await self._answered([one.id for one in some]) if self.coordinator.has_peers else None
            for message in some:
                if message.id not in (answered or ()) and count < MAX_ANSWERS:
                    result = await self.receive(message)
                    count += result in {QueueResult.QUEUED, QueueResult.INTERRUPTED}
        if count:
            _log.info("answering %d questions that were missed", count)
        return count

    async def _channels(self, floor: float) -> list[Any]:
        """Return the channels with messages since then, the newest first."""
        after = _snowflake(floor)
        client, journal = self.client, self.coordinator.journal
        places: list[Any] = [
            *client.get_all_channels(),
            *(thread for guild in client.guilds for thread in guild.threads),
        ]
        known, left = [], []
        try:
            # Discord does not list direct messages; those with earlier messages are in the journal.
            known = [one.channel for one in await journal.claims.channels(0.0) if one.guild == 0]
            left = [one.channel for one in await journal.claims.open_questions(floor)]
            known = [*known, *left] if self.coordinator.is_assigned(0) else []
        except StoreError as error:
            _log.warning(
                "reading channels with open questions failed, searching only listed channels: %s", error
            )
        coordinator, asked = self.coordinator, set(left)
        places = [
            one
            for one in places
            if coordinator.is_assigned(one.guild.id)
            and may_read(one)
            and (one.id in asked or coordinator.may_have_missed(one.guild.id))
        ]
        busy = {one.id: one for one in places if (getattr(one, "last_message_id", None) or 0) > after}
        unlisted = [id_ for id_ in dict.fromkeys(known) if client.get_channel(id_) is None][:MAX_DMS]
        direct = [client.get_partial_messageable(id_) for id_ in unlisted]
        newest = sorted(busy.values(), key=lambda one: one.last_message_id or 0, reverse=True)
        return [*direct, *newest][:MAX_CHANNELS]

    async def _missed(self, channel: Any, floor: float, taken: Collection[int]) -> list[discord.Message]:  # noqa: ANN401
        """Return the unanswered messages of users since then, the oldest first."""
        found = await self._read(channel, discord.Object(_snowflake(floor)))
        replies = {id_: one for one in reversed(found) if (id_ := self._replied_to(one))}
        known = await self._answered({*replies, *(one.id for one in found)})
        if known is not None:
            await self._notify_interrupted(channel, found, replies, {*taken, *known})
        answered = {*taken, *replies, *(known or ())}
        return [one for one in reversed(found) if one.id not in answered and not self.reader.is_own(one)]

    async def _read(self, channel: Any, since: discord.Object) -> list[discord.Message]:  # noqa: ANN401
        """Return the messages since then, the newest first; failed requests are retried."""
        for pause in (*RETRY_PAUSES_S, None):
            try:
                await wait_for_request_slot(channel, RequestPriority.USUAL)
                return [
                    one async for one in channel.history(limit=MAX_MESSAGES, after=since, oldest_first=False)
                ]
            except REQUEST_ERRORS as error:
                lost = getattr(error, "status", SERVER_ERROR) >= SERVER_ERROR
                log = _log.warning if lost else _log.debug
                log("reading channel %s for missed messages failed: %s", channel.id, type(error).__name__)
                if not lost or pause is None:
                    break
                await asyncio.sleep(pause)
        return []

    def _replied_to(self, message: discord.Message) -> int:
        """Return the message or command that a message of ours answers; 0 if none."""
        if not self.reader.is_own(message):
            return 0
        if message.interaction_metadata is not None:
            return message.interaction_metadata.id
        if message.reference is not None:
            return message.reference.message_id or 0
        # Webhooks cannot reply, so their messages begin with a link to the question.
        first = _content_of(message).partition("\n")[0]
        links = [str(embed.author.url or embed.url or embed.description or "") for embed in message.embeds]
        found = (_LINK.search(text) for text in (*links, first if first.startswith("-# ↩") else ""))
        return next((int(one[1]) for one in found if one), 0)

    async def _notify_interrupted(
        self,
        channel: Any,  # noqa: ANN401
        found: Sequence[discord.Message],
        replies: Mapping[int, discord.Message],
        known: Collection[int],
    ) -> None:
        """Send a notice about interrupted answers that could not be recorded in the journal.

        These are the last answer in the channel, and every command that still waits for its first message.
        """
        # Messages of this process are not interrupted, and other processes may still be writing theirs.
        own = [one for one in found if self.reader.is_own(one) and one.id < self._first_id]
        if not own or self.coordinator.has_peers:
            return
        said = [id_ for id_, one in replies.items() if not _is_notice(one) and one.id < self._first_id]
        interrupted = {
            id_: one for id_, one in replies.items() if one.flags.loading and one.id < self._first_id
        }
        # A notice below the last answer means that its ending was reported already.
        interrupted |= {max(said): own[0]} if said and not _is_notice(own[0]) else {}
        locale = self.style.locale(getattr(channel, "guild", None))
        for asked, last in interrupted.items():
            if asked not in known:
                _log.info("channel %s: found an interrupted answer without journal", channel.id)
                notice = (channel, translate(locale, "interrupted"), last, f"broke-{asked}")
                if await try_notice(*notice):
                    await self._record_notified(channel.id, asked)
                else:
                    self.state.run_later(self._notify_later(notice, asked))

    async def _notify_later(self, notice: tuple[Any, str, discord.Message, str], asked: int) -> None:
        """Retry the notice until Discord accepts it; if this process ends before, the next one finds the same."""
        for pause in RETRY_PAUSES:
            await asyncio.sleep(pause)
            if await try_notice(*notice):
                await self._record_notified(notice[0].id, asked)
                break

    async def _record_notified(self, channel: int, asked: int) -> None:
        self.metrics.record_recovery("given_up")
        journal = self.coordinator.journal
        try:
            await journal.claims.claim([asked], channel, 0)
            await journal.claims.finish([asked])
        except StoreError as error:
            _log.warning(
                "channel %s: recording the notice of an interrupted answer failed: %s", channel, error
            )

    async def _answered(self, ids: Iterable[int]) -> set[int] | None:
        """Return which messages are answered or being answered; `None` if the journal cannot be read."""
        journal = self.coordinator.journal
        try:
            return await journal.claims.answered(ids)
        except StoreError as error:
            _log.warning("reading answered questions failed, judging by replies in the channel: %s", error)
            return None


def _is_notice(message: discord.Message) -> bool:
    """Return whether a message of ours is a notice: it contains no text of a model."""
    return not (_content_of(message) or message.attachments)


def _content_of(message: discord.Message) -> str:
    """Return the text of a model; text inside a Components V2 container is a notice."""
    texts = (one.content for one in message.components if isinstance(one, discord.TextDisplay))
    return message.content or "".join(texts)


def _snowflake(seconds: float) -> int:
    return discord.utils.time_snowflake(datetime.fromtimestamp(max(seconds, 1_420_070_400.0), UTC))

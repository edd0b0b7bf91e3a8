"""Questions that nobody heard: asked while the bot was away, or while its connection was lost.

What was written since then is read back, the newest channels first, bounded in channels, pages and answers,
and goes through the same door as everything else. What was answered is known from the claims, or seen in the
channel.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import discord

from streamcord import StoreError
from streamcord.discord import RequestPriority, wait_for_request_slot

from ..answering.answer_journal import NOTICE_PAUSES
from ..coordination.base import Coordinator
from ..discord_requests import REQUEST_ERRORS
from ..i18n import translate
from ..listening.channel_queue import QueueResult
from ..messages.chat_message import MessageReader
from ..ops.connectivity import DiscordClock
from ..ops.metrics import Metrics
from ..state import BotState
from ..ui.notices import NoticeStyle, try_notice

__all__ = ["MissedMessages"]

CHANNEL_CAP = 200
"""Channels that are read back."""
DM_CAP = 50
PAGE = 100
"""Messages of one channel that are read back."""
ANSWER_CAP = 50
"""Questions that are answered late, in all."""
PAUSES = (0.5, 2.0)
"""Seconds before a channel is read a second and a third time."""
SERVER_ERROR = 500
MARGIN = 30.0
"""Seconds before the loss that are read, too: what was on its way then may be lost."""

_LINK = re.compile(r"/channels/[^/]{1,20}/[0-9]{1,20}/([0-9]{1,20})")
_log = logging.getLogger(__name__)

Receive = Callable[[discord.Message], Awaitable[QueueResult]]


class MissedMessages:
    """Finds missed questions."""

    def __init__(  # noqa: PLR0913, PLR0917 - it reads the channel, the journal and the clock
        self,
        client: discord.Client,
        reader: MessageReader,
        coordinator: Coordinator,
        state: BotState,
        receive: Receive,
        clock: DiscordClock,
        metrics: Metrics,
        style: NoticeStyle,
        max_age_s: float,
    ) -> None:
        self._client = client
        self._reader = reader
        self._coordinator = coordinator
        self._state = state
        self._receive = receive
        self._clock = clock
        self._metrics = metrics
        self._style = style
        # Older questions are not answered any more; 0 turns the search off.
        self._max_age_s = max_age_s
        # Messages of the bot with a smaller id are from an earlier process.
        self._first_id = 0

    def start(self) -> None:
        """Remember when this process began to answer."""
        self._first_id = _snowflake(self._clock())

    async def run(self, since: float, taken: Collection[int] = ()) -> int:
        """Answer what was asked since then and not `taken` by an answer that goes on; how many questions."""
        limit = self._max_age_s
        if not limit:
            return 0
        now = self._clock()
        # A clock that was set back must not hide what was asked.
        floor = max(since - MARGIN, now - limit) if since < now else now - limit
        count = 0
        rows = [await self._missed(channel, floor, taken) for channel in await self._channels(floor)]
        # One of each channel in turn, so that a busy one does not keep the others waiting.
        for number in range(max(map(len, rows), default=0)):
            some = [row[number] for row in rows if number < len(row)]
            # Reading took its time, and others were busy.
            answered = await self._answered([one.id for one in some]) if self._coordinator.has_peers else None
            for message in some:
                if message.id not in (answered or ()) and count < ANSWER_CAP:
                    heard = await self._receive(message)
                    count += heard in {QueueResult.TAKEN, QueueResult.INTERRUPTED}
        if count:
            _log.info("questions that were asked meanwhile and are answered now: %d", count)
        return count

    async def _channels(self, floor: float) -> list[Any]:
        """The channels in which something was written since then, the newest first."""
        after = _snowflake(floor)
        client, journal = self._client, self._coordinator.journal
        places: list[Any] = [
            *client.get_all_channels(),
            *(thread for guild in client.guilds for thread in guild.threads),
        ]
        known, left = [], []
        try:
            # Discord does not list direct messages; those of whom we heard before are known.
            known = [one.channel for one in await journal.claims.channels(0.0) if one.guild == 0]
            left = [one.channel for one in await journal.claims.open_questions(floor)]
            known = [*known, *left] if self._coordinator.is_assigned(0) else []
        except StoreError as error:
            _log.warning("reading the channels with missed messages failed: %s", error)
        coordinator, asked = self._coordinator, set(left)
        places = [
            one
            for one in places
            if coordinator.is_assigned(one.guild.id)
            and (one.id in asked or coordinator.may_have_missed(one.guild.id))
        ]
        busy = {one.id: one for one in places if (getattr(one, "last_message_id", None) or 0) > after}
        unlisted = [id_ for id_ in dict.fromkeys(known) if client.get_channel(id_) is None][:DM_CAP]
        direct = [client.get_partial_messageable(id_) for id_ in unlisted]
        newest = sorted(busy.values(), key=lambda one: one.last_message_id or 0, reverse=True)
        return [*direct, *newest][:CHANNEL_CAP]

    async def _missed(self, channel: Any, floor: float, taken: Collection[int]) -> list[discord.Message]:  # noqa: ANN401
        """The messages of people since then that nobody has answered, in their order."""
        found = await self._read(channel, discord.Object(_snowflake(floor)))
        replies = {id_: one for one in reversed(found) if (id_ := self._replied_to(one))}
        known = await self._answered({*replies, *(one.id for one in found)})
        if known is not None:
            await self._tell_of_a_break(channel, found, replies, {*taken, *known})
        answered = {*taken, *replies, *(known or ())}
        return [one for one in reversed(found) if one.id not in answered and not self._reader.is_own(one)]

    async def _read(self, channel: Any, since: discord.Object) -> list[discord.Message]:  # noqa: ANN401
        """What was written since then, the newest first; a request that gets lost is made again."""
        for pause in (*PAUSES, None):
            try:
                await wait_for_request_slot(channel, RequestPriority.USUAL)
                return [one async for one in channel.history(limit=PAGE, after=since, oldest_first=False)]
            except REQUEST_ERRORS as error:
                lost = getattr(error, "status", SERVER_ERROR) >= SERVER_ERROR
                told = _log.warning if lost else _log.debug
                told("channel %s was not read back: %s", channel.id, type(error).__name__)
                if not lost or pause is None:
                    break
                await asyncio.sleep(pause)
        return []

    def _replied_to(self, message: discord.Message) -> int:
        """What a message of ours replies to, as the bot, as a webhook, or to a command; 0 if to nothing."""
        if not self._reader.is_own(message):
            return 0
        if message.interaction_metadata is not None:
            return message.interaction_metadata.id
        if message.reference is not None:
            return message.reference.message_id or 0
        # A webhook cannot reply: it links what it answers above its words.
        first = _words_of(message).partition("\n")[0]
        links = [str(embed.author.url or embed.url or embed.description or "") for embed in message.embeds]
        found = (_LINK.search(text) for text in (*links, first if first.startswith("-# ↩") else ""))
        return next((int(one[1]) for one in found if one), 0)

    async def _tell_of_a_break(
        self,
        channel: Any,  # noqa: ANN401
        found: Sequence[discord.Message],
        replies: Mapping[int, discord.Message],
        known: Collection[int],
    ) -> None:
        """What broke off while nothing could be written: no row tells of it, so people are told here.

        That is the last answer, and every command that still waits for its first word.
        """
        # What this process said is its own business; other processes may be answering.
        own = [one for one in found if self._reader.is_own(one) and one.id < self._first_id]
        if not own or self._coordinator.has_peers:
            return
        said = [id_ for id_, one in replies.items() if not _is_notice(one) and one.id < self._first_id]
        broken = {id_: one for id_, one in replies.items() if one.flags.loading and one.id < self._first_id}
        # Who was told something below the last answer need not be told again.
        broken |= {max(said): own[0]} if said and not _is_notice(own[0]) else {}
        locale = self._style.locale(getattr(channel, "guild", None))
        for asked, last in broken.items():
            if asked not in known:
                _log.info("channel %s: an answer broke off of which nothing was written", channel.id)
                told = (channel, translate(locale, "interrupted"), last, f"broke-{asked}")
                if await try_notice(*told):
                    await self._note_told(channel.id, asked)
                else:
                    self._state.run_later(self._tell_later(told, asked))

    async def _tell_later(self, told: tuple[Any, str, discord.Message, str], asked: int) -> None:
        """Tell people when Discord takes it; until then the next process finds the same."""
        for pause in NOTICE_PAUSES:
            await asyncio.sleep(pause)
            if await try_notice(*told):
                await self._note_told(told[0].id, asked)
                break

    async def _note_told(self, channel: int, asked: int) -> None:
        self._metrics.record_recovery("given_up")
        journal = self._coordinator.journal
        try:
            await journal.claims.claim([asked], channel, 0)
            await journal.claims.finish([asked])
        except StoreError as error:
            _log.warning("recording an interrupted answer failed: %s", error)

    async def _answered(self, ids: Iterable[int]) -> set[int] | None:
        """Those that were answered, or that this process answers; `None` if nobody can tell."""
        journal = self._coordinator.journal
        try:
            return await journal.claims.answered(ids)
        except StoreError as error:
            _log.warning("reading which questions are answered failed: %s", error)
            return None


def _is_notice(message: discord.Message) -> bool:
    """Whether we said it beside an answer: it has no words of a model."""
    return not (_words_of(message) or message.attachments)


def _words_of(message: discord.Message) -> str:
    """The words of a model; what stands in a frame of Components V2 is something else."""
    texts = (one.content for one in message.components if isinstance(one, discord.TextDisplay))
    return message.content or "".join(texts)


def _snowflake(seconds: float) -> int:
    return discord.utils.time_snowflake(datetime.fromtimestamp(max(seconds, 1_420_070_400.0), UTC))

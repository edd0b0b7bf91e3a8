"""Finds answers that broke off, tidies up what they left in the channel, and goes on with them.

It runs at the start, at every new connection, and by a timer while this process has left something itself.
After ten minutes an answer goes on with a word about the break, after a day only the operator is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import discord

from streamcord import StoreError
from streamcord.discord import RequestPriority, wait_for_request_slot
from streamcord.store import TurnJournal

from ..answering.answer_journal import BUTTON, LINE, NOTICE
from ..answering.interaction_state import read_asked, restore_interaction
from ..coordination.base import Coordinator
from ..discord_requests import REQUEST_ERRORS
from ..i18n import translate
from ..listening.dispatcher import Dispatcher
from ..messages.chat_message import MessageReader
from ..messages.question import AnswerKind, Question
from ..ops.connectivity import DiscordClock
from ..ops.metrics import Metrics
from ..policy.channel_config import ChannelConfigs, place_of
from ..state import BotState
from ..ui.message_editor import MessageEditor
from ..ui.notices import NoticeStyle, send_notice, try_notice

__all__ = ["AnswerResumer"]

LATE = 600.0
"""Seconds after which an answer goes on with a word about the break."""
TOO_LATE = 86_400.0
"""Seconds after which nobody waits for it any more."""
TIMER = 30.0
PAGE = 100
"""Messages behind a command that are looked at for its reply."""

_REFUSED = (discord.Forbidden, discord.NotFound)
_log = logging.getLogger(__name__)


class AnswerResumer:
    """Goes on with what other processes, or this one, could not finish."""

    def __init__(  # noqa: PLR0913, PLR0917 - recovery repeats every step of asking and answering
        self,
        client: discord.Client,
        reader: MessageReader,
        coordinator: Coordinator,
        state: BotState,
        dispatcher: Dispatcher,
        channel_configs: ChannelConfigs,
        editor: MessageEditor,
        clock: DiscordClock,
        metrics: Metrics,
        style: NoticeStyle,
    ) -> None:
        self._client = client
        self._reader = reader
        self._coordinator = coordinator
        self._state = state
        self._dispatcher = dispatcher
        self._channel_configs = channel_configs
        self._editor = editor
        self._clock = clock
        self._metrics = metrics
        self._style = style
        self._lock = asyncio.Lock()
        self._foreign: set[str] = set()

    async def scan(self) -> set[int]:
        """Go on with everything that broke off; the messages that are being answered by that."""
        journal = self._coordinator.journal
        async with self._lock:
            # What ends while the rows are read is over, whatever they say.
            await journal.flush()
            busy = frozenset(self._state.owned_turn_ids)
            try:
                turns = await journal.unfinished(held=True)
            except StoreError as error:
                _log.warning("recovery scan failed, retrying: %s", error)
                return set()
            self._state.has_pending_recovery = False
            found = [turn for turn in self._ours(turns) if turn.id not in busy and self._is_free(turn)]
            for turn in found:
                self._state.owned_turn_ids.add(turn.id)
                await self._take(turn)
        asked = (turn.about.get("asked") for turn in found)
        return {id_ for ids in asked if isinstance(ids, list) for id_ in ids if isinstance(id_, int)}

    def _ours(self, turns: Iterable[TurnJournal]) -> list[TurnJournal]:
        """The turns of this bot; another one, which may be running, goes on with its own."""
        bot, now = self._client.user, self._clock()
        ours = []
        for turn in turns:
            assert turn.saved is not None
            if bot is not None and turn.about.get("bot", bot.id) == bot.id:
                ours.append(turn)
            elif now - turn.saved.updated_at > TOO_LATE:
                turn.close()
            elif turn.id not in self._foreign:
                self._foreign.add(turn.id)
                _log.warning("an answer that broke off is left alone: it is of another bot")
        return ours

    def _is_free(self, turn: TurnJournal) -> bool:
        """Whether nobody goes on with it, and it is ours to go on with."""
        guild = turn.about.get("guild", 0)
        return turn.id not in self._state.owned_turn_ids and self._coordinator.is_assigned(
            guild if isinstance(guild, int) else 0
        )

    async def run_timer(self) -> None:
        """Scan periodically while this process has left an answer unfinished."""
        while True:
            await asyncio.sleep(TIMER)
            if self._state.has_pending_recovery and self._client.is_ready():
                await self.scan()

    async def _take(self, turn: TurnJournal) -> None:
        """Tidy up, then queue the question; what cannot go on is told and forgotten."""
        saved = turn.saved
        assert saved is not None
        try:
            reason = await self._go_on(turn)
        except _REFUSED as error:
            reason = f"channel {turn.about['channel']}: Discord does not let us see it ({error.text})"
        except REQUEST_ERRORS:
            # Discord may be back later.
            reason = ""
            self._state.owned_turn_ids.discard(turn.id)
            self._state.has_pending_recovery = True
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            reason = f"its row is damaged ({type(error).__name__})"
        if reason:
            _log.warning("an answer that broke off does not go on: %s", reason)
            self._metrics.record_recovery("given_up")
            self._state.owned_turn_ids.discard(turn.id)
            turn.close()

    async def _go_on(self, turn: TurnJournal) -> str:
        """Queue the question of a turn; why not, if it cannot go on."""
        about, saved, client = turn.about, turn.saved, self._client
        assert saved is not None
        channel: Any = client.get_channel(about["channel"])
        if about["dm"] and channel is None:
            channel = client.get_partial_messageable(about["channel"])
        if not isinstance(channel, discord.abc.Messageable):
            return f"channel {about['channel']} is gone"
        await self._tidy(channel, turn)
        if saved.ended or saved.stopped:
            await self._note_answered(about["asked"])
            self._state.owned_turn_ids.discard(turn.id)
            turn.close()
            return ""
        age = self._clock() - saved.updated_at
        if age > TOO_LATE:
            return f"channel {about['channel']}: it is {age / 3600:.0f} hours old"
        return await self._ask_again(channel, turn, late=age > LATE)

    async def _note_answered(self, asked: Iterable[int]) -> None:
        """Its process died between the last word and the note that this was it."""
        try:
            await self._coordinator.journal.claims.finish(asked)
        except StoreError as error:
            _log.warning("recording that a question is answered failed: %s", error)

    async def _ask_again(self, channel: Any, turn: TurnJournal, *, late: bool) -> str:  # noqa: ANN401
        """Queue what was asked, with the command that it was asked with; why not, if it is gone."""
        about, saved, command = turn.about, turn.saved, turn.about.get("command")
        assert saved is not None
        if command and about.get("waits") and (begun := await self._find_reply(channel, command["id"])):
            words = translate(self._style.locale(getattr(channel, "guild", None)), "interrupted")
            await send_notice(channel, words, begun, self._style.look)
            await self._note_answered(about["asked"])
            return f"channel {about['channel']}: its reply had begun, and no row tells how far it came"
        asked = read_asked(command, about["owner"], dm=about["dm"]) if command else None
        ids = about["asked"][:-1] if asked else about["asked"]
        messages = await self._read_question(channel, ids)
        if not messages and asked is None:
            return f"channel {about['channel']}: its question is gone"
        if late:
            words = translate(self._style.locale(getattr(channel, "guild", None)), "resumed")
            look = self._style.look
            await send_notice(channel, words, messages[-1] if not command else None, look)
        filled = bool(saved.delivered or saved.live)
        reply = restore_interaction(self._client, command, filled=filled) if command else None
        # Where a thread was begun for the answer, the question stands outside of it.
        read = [replace(self._reader.read(one), channel=about["channel"]) for one in messages]
        said = read + ([asked] if asked else [])
        question = Question(
            about["owner"],
            said,
            AnswerKind(about["kind"]),
            replaces=tuple(about["replaces"]),
            reply=reply,
            asked_by=about.get("asked_by", 0),
        )
        if about.get("waits"):
            question.waits = turn
        else:
            question.journal = turn
        await self._queue(channel, turn, question)
        return ""

    async def _find_reply(self, channel: Any, command: int) -> discord.Message | None:  # noqa: ANN401
        """The last message of a reply that began while nothing could be written."""
        try:
            await wait_for_request_slot(channel, RequestPriority.FIRST)
            found = [one async for one in channel.history(limit=PAGE, after=discord.Object(command))]
        except REQUEST_ERRORS:
            return None
        replies = [one for one in found if not one.flags.loading and _replies_to(one, command)]
        return replies[-1] if replies else None

    async def _queue(self, channel: Any, turn: TurnJournal, question: Question) -> None:  # noqa: ANN401
        for message in question.messages:
            self._dispatcher.claim(message)
        config = await self._channel_configs.find_cached(*place_of(channel))
        if self._dispatcher.put_back(question, config):
            _log.info("turn %s goes on: channel %s", turn.about["turn"] or turn.id, turn.about["channel"])
        else:
            # This process ends: the next one finds it where it is.
            self._state.owned_turn_ids.discard(turn.id)

    async def _read_question(
        self, channel: discord.abc.Messageable, ids: Iterable[int]
    ) -> list[discord.Message]:
        """The messages of a question that are still there; those that were heard here need not be fetched."""
        found = []
        state: Any = self._client._connection  # noqa: SLF001
        for id_ in ids:
            if (known := state._get_message(id_)) is not None:  # noqa: SLF001
                found.append(known)
                continue
            await wait_for_request_slot(channel, RequestPriority.FIRST)
            try:
                found.append(await _home_of(channel, id_).fetch_message(id_))
            except discord.NotFound:
                continue
        return found

    async def _tidy(self, channel: discord.abc.Messageable, turn: TurnJournal) -> None:
        """Remove stop buttons and lines about tools that nobody else will remove."""
        assert turn.saved is not None
        marks = turn.saved.marks
        buttons = {one.message: one.more.get("by_webhook", False) for one in marks if one.kind == BUTTON}
        for message, by_webhook in [*buttons.items()][-2:]:
            # It may be one of Components V2 by now, whose words would go with its buttons.
            await self._editor.set_buttons(channel, message, None, by_webhook=bool(by_webhook), card=True)
        lines = [one.message for one in marks if one.kind == LINE]
        await self._editor.delete_messages(channel, lines)
        for one in (mark for mark in marks if mark.kind == NOTICE):
            place: Any = channel
            asked = place.get_partial_message(one.message) if one.message else None
            look = self._style.look
            if not await try_notice(channel, str(one.more["text"]), asked, str(one.more["nonce"]), look):
                raise ConnectionError("a notice could not be sent")


def _replies_to(message: discord.Message, command: int) -> bool:
    return message.interaction_metadata is not None and message.interaction_metadata.id == command


def _home_of(channel: discord.abc.Messageable, message: int) -> discord.abc.Messageable:
    """Where a message stands: the one at which a thread was begun stands outside of it."""
    is_thread = isinstance(channel, discord.Thread) and channel.id == message
    parent = channel.parent if is_thread and isinstance(channel, discord.Thread) else None
    return parent if isinstance(parent, discord.TextChannel) else channel

"""Find interrupted answers, clean up what they left in the channel, and resume them.

It runs at the start, at every new connection, and by a timer while this process has left an answer unfinished. An
answer that was interrupted for ten minutes is resumed with a notice; after a day it is only logged. An answer that the
bot may not write waits until it may: for a quarter of an hour the rest is sent then, later people are asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import discord

from streamcord import StoreError
from streamcord.discord import RequestPriority, find_block, is_refusal, wait_for_request_slot
from streamcord.store import TurnJournal

from ..answering.answer_journal import BUTTON, LINE, NOTICE, retry_chores, steered_ids
from ..answering.interaction_state import restore_interaction, restore_question
from ..answering.reactions import REACTIONS, remove_reaction, shown_reactions
from ..config import AccessConfig
from ..coordination.base import Coordinator
from ..discord_requests import REQUEST_ERRORS
from ..i18n import translate
from ..listening.dispatcher import Dispatcher
from ..messages.chat_message import ChatMessage, MessageReader
from ..messages.question import AnswerKind, Question
from ..ops.connectivity import DiscordClock
from ..ops.metrics import Metrics
from ..policy.access import find_refusal, requester_of
from ..policy.channel_config import ChannelConfigs, place_of
from ..policy.permissions import PermissionChecker, may_ping_roles, may_read_back
from ..policy.write_access import WriteAccess
from ..state import BotState
from ..ui.buttons import AnswerButton, make_buttons
from ..ui.message_editor import EditOutcome, MessageEditor
from ..ui.notices import NOTICE_COLOUR, NoticeStyle, send_notice, try_notice
from .interrupted_turns import (
    answered_by,
    find_interrupted,
    has_begun,
    is_superseded,
    place_in_line,
)
from .leftovers import find_leftovers
from .resume_policy import Verdict, is_too_old, judge, waits_for_channel

SCAN_INTERVAL_S = 30.0
CHANGE_PAUSE_S = 0.5
"""Changes of permissions come in groups; one scan follows all of them."""
MAX_BUTTONS = 4
"""Stop buttons that are removed from one answer; a kill leaves one."""
MAX_REPLY_SEARCH = 100
"""Messages after a command that are searched for its reply."""

_log = logging.getLogger(__name__)


class _NotAllowedYet(Exception):
    """The bot may not write the rest of an answer now."""


class AnswerResumer:
    """Resumes answers that other processes, or this one, could not finish.

    It has more than 15 attributes because resuming an answer needs nearly everything that answering does.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - recovery repeats every step of asking and answering
        self,
        client: discord.Client,
        reader: MessageReader,
        coordinator: Coordinator,
        state: BotState,
        dispatcher: Dispatcher,
        access: AccessConfig,
        permissions: PermissionChecker,
        channel_configs: ChannelConfigs,
        editor: MessageEditor,
        clock: DiscordClock,
        metrics: Metrics,
        style: NoticeStyle,
        write_access: WriteAccess,
    ) -> None:
        self._write_access = write_access
        self._client = client
        self._reader = reader
        self._coordinator = coordinator
        self._state = state
        self._dispatcher = dispatcher
        self._access = access
        self._permissions = permissions
        self._channel_configs = channel_configs
        self._editor = editor
        self._clock = clock
        self._metrics = metrics
        self._style = style
        # Allows one scan at a time.
        self._lock = asyncio.Lock()
        # Set when permissions have changed, so that the timer need not wait.
        self._has_changes = asyncio.Event()
        # Turns that wait for a permission.
        self._refused: set[str] = set()
        # Turns that were stopped because their question changed.
        self._interrupted: set[str] = set()
        # Turns of other bots that were logged.
        self._foreign: set[str] = set()

    async def scan(self) -> set[int]:
        """Resume all interrupted answers and return the messages of their questions."""
        journal = self._coordinator.journal
        async with self._lock:
            # Turns that end while the rows are read are finished, even if their rows say otherwise.
            await journal.flush()
            busy = frozenset(self._state.owned_turn_ids)
            try:
                turns = await journal.unfinished(held=True)
            except StoreError as error:
                _log.warning(
                    "reading interrupted answers from the journal failed, the next scan retries: %s", error
                )
                return set()
            self._state.has_pending_recovery = False
            found = [turn for turn in self._ours(turns) if turn.id not in busy and self._is_free(turn)]
            self._interrupted |= {turn.id for turn in find_interrupted(found)}
            answers = [turn for turn in found if turn.id not in self._interrupted]
            for turn in sorted(found, key=place_in_line):
                if is_superseded(turn, answers):
                    turn.close()
                    continue
                self._state.owned_turn_ids.add(turn.id)
                await self._resume(turn)
        return {id_ for turn in answers for id_ in answered_by(turn)}

    def _ours(self, turns: Iterable[TurnJournal]) -> list[TurnJournal]:
        """Return the turns of this bot; another bot with the same store resumes its own."""
        bot, now = self._client.user, self._clock()
        ours = []
        for turn in turns:
            assert turn.saved is not None
            if bot is not None and turn.about.get("bot", bot.id) == bot.id:
                ours.append(turn)
            elif is_too_old(now - turn.saved.updated_at):
                turn.close()
            elif turn.id not in self._foreign:
                self._foreign.add(turn.id)
                _log.warning("ignoring interrupted answer %s, which belongs to another bot", turn.id)
        return ours

    def _is_free(self, turn: TurnJournal) -> bool:
        """Return whether no one resumes a turn yet and this process is responsible for it."""
        guild = turn.about.get("guild", 0)
        return turn.id not in self._state.owned_turn_ids and self._coordinator.is_assigned(
            guild if isinstance(guild, int) else 0
        )

    async def run_timer(self) -> None:
        """Scan periodically while this process has left an answer unfinished."""
        while True:
            block = find_block(self._client)
            # Scan as soon as Discord accepts requests again; before that, every request prolongs the ban.
            await self._wait_for_change(min(SCAN_INTERVAL_S, block.seconds) if block else SCAN_INTERVAL_S)
            blocked = find_block(self._client) is not None
            if self._state.has_pending_recovery and self._client.is_ready() and not blocked:
                await self.scan()

    def on_access_change(self, server: int) -> None:
        """Handle that the bot may now be allowed to see or write more on a server, or less."""
        self._write_access.record_change(server)
        if self._state.has_pending_recovery:
            self._has_changes.set()

    async def _wait_for_change(self, timeout_s: float) -> None:
        self._has_changes.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._has_changes.wait()
                await asyncio.sleep(CHANGE_PAUSE_S)

    async def _resume(self, turn: TurnJournal) -> None:
        """Clean up and queue the question of a turn; a turn that cannot be resumed is logged and closed."""
        saved = turn.saved
        assert saved is not None
        try:
            is_reaction = bool(turn.about.get(REACTIONS))
            reason = await (self._remove_reactions if is_reaction else self._queue_rest)(turn)
            self._refused.discard(turn.id)
        except _NotAllowedYet:
            self._refused.add(turn.id)
            reason = ""
            self._state.owned_turn_ids.discard(turn.id)
            self._state.has_pending_recovery = True
        except REQUEST_ERRORS as error:
            if isinstance(error, discord.Forbidden | discord.NotFound) and is_refusal(error):
                reason = f"channel {turn.about['channel']}: Discord does not let us see it ({error.text})"
                self._abandon(turn, reason)
                return
            # Discord cannot be reached: leave the turn to the next scan.
            reason = ""
            self._state.owned_turn_ids.discard(turn.id)
            self._state.has_pending_recovery = True
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            reason = f"its row is damaged ({type(error).__name__})"
        if reason:
            self._abandon(turn, reason)

    def _abandon(self, turn: TurnJournal, reason: str) -> None:
        """Close a turn that can never be resumed."""
        _log.warning("cannot resume an interrupted answer, closing turn %s: %s", turn.id, reason)
        self._metrics.record_recovery("given_up")
        self._refused.discard(turn.id)
        self._state.owned_turn_ids.discard(turn.id)
        if turn.about.get("command") and not has_begun(turn):
            self._state.run_later(self._replace_placeholder(turn.about["command"]))
        turn.close()

    async def _replace_placeholder(self, command: Mapping[str, Any]) -> None:
        """Say below a command that its answer will not come, instead of that it is being written."""
        # Its token may have expired; then Discord itself says that there was no answer. The row may be damaged.
        with suppress(*REQUEST_ERRORS, KeyError, ValueError, TypeError, AttributeError):
            embed = discord.Embed(
                description=translate(command["locale"], "interrupted"), colour=NOTICE_COLOUR
            )
            reply = restore_interaction(self._client, command, filled=True)
            await reply.edit_original_response(embed=embed)

    async def _queue_rest(self, turn: TurnJournal) -> str:
        """Queue the question of a turn and return an empty string, or the reason why it cannot be resumed."""
        about, saved, client = turn.about, turn.saved, self._client
        assert saved is not None
        channel: Any = client.get_channel(about["channel"])
        if about["dm"] and channel is None:
            channel = client.get_partial_messageable(about["channel"])
        age = self._clock() - saved.updated_at
        if not isinstance(channel, discord.abc.Messageable):
            if waits_for_channel(age) and await self._may_come_back(about["guild"], about["channel"]):
                raise _NotAllowedYet
            return f"channel {about['channel']} is gone"
        is_over = saved.ended or saved.stopped or turn.id in self._interrupted
        if not is_over and (obstacle := await self._find_obstacle(channel, about)):
            if not is_too_old(age):
                raise _NotAllowedYet
            return f"channel {about['channel']}: {obstacle}"
        await self._clean_up(channel, turn)
        if is_over:
            # The messages of an interrupted question belong to the next one, which is still to be answered.
            if turn.id not in self._interrupted:
                await self._mark_answered(answered_by(turn))
            self._interrupted.discard(turn.id)
            self._state.owned_turn_ids.discard(turn.id)
            turn.close()
            return ""
        verdict = judge(age, was_refused=turn.id in self._refused)
        if verdict is Verdict.ABANDON:
            return f"channel {about['channel']}: it is {age / 3600:.0f} hours old"
        if verdict is Verdict.OFFER:
            await self._offer_rest(channel, turn)
            return f"channel {about['channel']}: the bot could not write there for {age / 60:.0f} minutes"
        return await self._ask_again(channel, turn, late=verdict is Verdict.RESUME_WITH_NOTICE)

    async def _find_obstacle(self, channel: Any, about: Mapping[str, Any]) -> str:  # noqa: ANN401
        """Return why the rest of an answer may not be written; the reply to a command needs no permission."""
        if (command := about.get("command")) and not command.get("late"):
            return ""
        config = await self._channel_configs.find_cached(*place_of(channel))
        by_webhook = config.persona.alter or bool(about.get("persona"))
        return self._write_access.find_obstacle(channel, by_webhook=by_webhook)

    async def _may_come_back(self, server: int, channel: int) -> bool:
        """Return whether an unknown channel may be known again: an archived thread, or after a new invite."""
        if server and self._client.get_guild(server) is None:
            return True
        try:
            await self._client.fetch_channel(channel)
        except discord.Forbidden:
            return True
        except discord.NotFound as error:
            return not is_refusal(error)
        return True

    async def _offer_rest(self, channel: Any, turn: TurnJournal) -> None:  # noqa: ANN401
        """Ask people whether they still want the rest of an answer."""
        about, saved = turn.about, turn.saved
        assert saved is not None
        locale = self._style.locale(getattr(channel, "guild", None))
        sent = [receipt for _, receipt in saved.delivered if receipt.id]
        if sent:
            target = f"{about['asked'][-1]:x}"
            buttons = (AnswerButton(one, about["owner"], target, locale) for one in ("again", "more"))
            by_webhook = sent[-1].message.speaker is not None and "no_webhook" not in sent[-1].changes
            await self._editor.set_buttons(
                channel, sent[-1].id, make_buttons(*buttons), by_webhook=by_webhook, card=True
            )
        asked = channel.get_partial_message(about["asked"][-1])
        await send_notice(channel, translate(locale, "not_allowed"), asked, self._style.layout)
        await self._mark_answered(answered_by(turn))

    async def _mark_answered(self, asked: Iterable[int]) -> None:
        """Mark a question as answered whose process died after the last message, but before it did so itself."""
        try:
            await self._coordinator.journal.claims.finish(asked)
        except StoreError as error:
            _log.warning("recording an answered question failed, it may be answered again: %s", error)

    async def _ask_again(self, channel: Any, turn: TurnJournal, *, late: bool) -> str:  # noqa: ANN401
        """Queue the question, with its command if there was one; returns a reason if the question is gone."""
        about, saved, command = turn.about, turn.saved, turn.about.get("command")
        assert saved is not None
        if command and about.get("waits") and (begun := await self._find_reply(channel, command["id"])):
            words = translate(self._style.locale(getattr(channel, "guild", None)), "interrupted")
            await send_notice(channel, words, begun, self._style.layout)
            await self._mark_answered(about["asked"])
            return f"channel {about['channel']}: its reply had begun, and no row tells how far it came"
        said, asked = await self.read_asked(channel, about, command)
        if isinstance(said, str):
            await self._ask_steered(channel, turn)
            return said
        if late:
            words = translate(self._style.locale(getattr(channel, "guild", None)), "resumed")
            layout = self._style.layout
            await send_notice(channel, words, asked if not command else None, layout)
        filled = bool(saved.delivered or saved.live)
        reply = restore_interaction(self._client, command, filled=filled) if command else None
        question = Question(
            about["owner"],
            said,
            AnswerKind(about["kind"]),
            replaces=tuple(about["replaces"]),
            reply=reply,
            is_late=bool(command and command.get("late")),
            asked_by=about.get("asked_by", 0),
            persona=about.get("persona", ""),
            ask=about.get("ask", ""),
            ask_actor=about.get("ask_actor", ""),
            is_shared=bool(about.get("shared")),
            steered=await self._read_steered(channel, turn),
        )
        if about.get("waits"):
            question.waiting_turn = turn
        else:
            question.journal = turn
        await self._queue(channel, turn, question)
        return ""

    async def _read_steered(self, channel: Any, turn: TurnJournal) -> list[ChatMessage]:  # noqa: ANN401
        """Return the follow-ups that an answer has taken over, as far as they still exist."""
        found = []
        for message in await self._read_question(channel, steered_ids(turn)):
            said = replace(self._reader.read(message), channel=turn.about["channel"])
            if getattr(channel, "guild", None) and message.webhook_id is None:
                member = await self._permissions.find_member(channel.guild, said.author)
                # A person who has left the server gets no answer.
                if member is None:
                    continue
                said = _with_rights(said, member, channel)
            found.append(said)
        return found

    async def _ask_steered(self, channel: Any, turn: TurnJournal) -> None:  # noqa: ANN401
        """Ask the follow-ups of an answer whose own question cannot be asked again, one question for each author."""
        said = await self._read_steered(channel, turn)
        for author in dict.fromkeys(one.author for one in said):
            own = [one for one in said if one.author == author]
            if not find_refusal(self._access, requester_of(author, own[-1].roles, channel)):
                await self._queue(channel, turn, Question(author, own, persona=turn.about.get("persona", "")))

    async def _remove_reactions(self, turn: TurnJournal) -> str:
        """Remove a reaction that a dead process has set; returns the reason if that is not possible any more."""
        channel: Any = self._client.get_channel(turn.about["channel"])
        if channel is None and not turn.about["dm"]:
            return f"channel {turn.about['channel']} is gone"
        channel = channel or self._client.get_partial_messageable(turn.about["channel"])
        for message, emoji in shown_reactions(turn):
            if not await remove_reaction(self._client, channel, message, emoji):
                raise ConnectionError("a reaction could not be removed")
        self._state.owned_turn_ids.discard(turn.id)
        turn.close()
        return ""

    async def read_asked(
        self,
        channel: Any,  # noqa: ANN401
        about: Mapping[str, Any],
        command: Mapping[str, Any] | None,
    ) -> tuple[list[ChatMessage] | str, discord.Message | None]:
        """Return the messages of a recorded question, or why it cannot be asked again; and the last one of Discord."""
        asked = restore_question(command, about["owner"], dm=about["dm"]) if command else None
        ids = about["asked"][:-1] if asked else about["asked"]
        messages = await self._read_question(channel, ids)
        if not messages and asked is None:
            return f"channel {about['channel']}: its question is gone", None
        # If a thread was opened for the answer, the question is in the parent channel.
        read = [replace(self._reader.read(one), channel=about["channel"]) for one in messages]
        said = read + ([asked] if asked else [])
        # The command holds the roles of its user, and messages of webhooks have none.
        if asked is None and getattr(channel, "guild", None) and messages[-1].webhook_id is None:
            person = about.get("asked_by", 0) or about["owner"]
            member = await self._permissions.find_member(channel.guild, person)
            if member is None:
                return f"channel {about['channel']}: its author has left the server", None
            said = [_with_rights(one, member, channel) for one in said]
        # Access may have been revoked since the answer began.
        if find_refusal(self._access, requester_of(about["owner"], said[-1].roles, channel)):
            return f"channel {about['channel']}: its author is not answered any more", None
        return said, messages[-1] if messages else None

    async def _find_reply(self, channel: Any, command: int) -> discord.Message | None:  # noqa: ANN401
        """Return the last message of a reply that began while the journal could not be written."""
        try:
            await wait_for_request_slot(channel, RequestPriority.CONTEXT)
            found = [
                one async for one in channel.history(limit=MAX_REPLY_SEARCH, after=discord.Object(command))
            ]
        except REQUEST_ERRORS:
            return None
        replies = [one for one in found if not one.flags.loading and _replies_to(one, command)]
        return replies[-1] if replies else None

    async def _queue(self, channel: Any, turn: TurnJournal, question: Question) -> None:  # noqa: ANN401
        for message in question.messages:
            self._dispatcher.claim(message)
        config = await self._channel_configs.find_cached(*place_of(channel))
        if self._dispatcher.requeue(question, config):
            _log.info("resuming turn %s in channel %s", turn.about["turn"] or turn.id, turn.about["channel"])
        else:
            # This process is shutting down: leave the turn to the next one.
            self._state.owned_turn_ids.discard(turn.id)

    async def _read_question(
        self, channel: discord.abc.Messageable, ids: Iterable[int]
    ) -> list[discord.Message]:
        """Return the messages of a question that still exist; those in discord.py's cache are not fetched."""
        found = []
        state: Any = self._client._connection  # noqa: SLF001
        for id_ in ids:
            if (known := state._get_message(id_)) is not None:  # noqa: SLF001
                found.append(known)
                continue
            await wait_for_request_slot(channel, RequestPriority.CONTEXT)
            try:
                found.append(await _home_of(channel, id_).fetch_message(id_))
            except discord.NotFound as error:
                if not is_refusal(error):
                    # The page of a proxy does not say that the message was deleted.
                    raise
        return found

    async def _clean_up(self, channel: discord.abc.Messageable, turn: TurnJournal) -> None:
        """Remove stop buttons and progress lines, and send recorded notices, that the dead process left."""
        saved = turn.saved
        assert saved is not None
        marks = saved.marks
        await self._remove_leftovers(channel, turn)
        for one in (mark for mark in marks if mark.kind == NOTICE):
            place: Any = channel
            asked = place.get_partial_message(one.message) if one.message else None
            layout = self._style.layout
            if not await try_notice(channel, str(one.more["text"]), asked, str(one.more["nonce"]), layout):
                raise ConnectionError("a notice could not be sent")

    async def _remove_leftovers(self, channel: discord.abc.Messageable, turn: TurnJournal) -> None:
        """Remove stop buttons and progress lines, recorded or not."""
        saved, about = turn.saved, turn.about
        assert saved is not None
        marks = saved.marks
        buttons: dict[int, discord.Message | None] = {}
        by_webhook = {one.message: bool(one.more.get("by_webhook")) for one in marks if one.kind == BUTTON}
        lines = {one.message for one in marks if one.kind == LINE and one.message}
        if about.get("command") is None and about["asked"] and has_begun(turn):
            texts = {str(one.more.get("text")) for one in marks if one.kind == LINE}
            found = await find_leftovers(
                channel, max(about["asked"]), about["owner"], self._state.running_turns, texts
            )
            buttons = {one.id: one for one in found.buttons}
            by_webhook |= {one.id: one.webhook_id is not None for one in found.buttons}
            lines.update(found.lines)
        editor = self._editor
        # The message may use Components V2, where removing the buttons alone would delete its text: so it is
        # fetched first, unless it was read just now.
        chores = [
            partial(
                editor.set_buttons,
                channel,
                message,
                None,
                by_webhook=by_webhook[message],
                card=True,
                shown=buttons.get(message),
            )
            for message in [*by_webhook][-MAX_BUTTONS:]
        ]
        for chore in (*chores, partial(editor.delete_messages, channel, lines)):
            outcome = await chore()
            if outcome is EditOutcome.FAILED:
                raise ConnectionError("a stop button or a progress line could not be removed")
            if outcome is EditOutcome.BLOCKED:
                # The rest of the answer does not wait for a permission that only this needs.
                self._state.run_later(retry_chores([partial(_is_done, chore)]))


async def _is_done(chore: Callable[[], Awaitable[EditOutcome]]) -> bool:
    return (await chore()).is_final


def _with_rights(message: ChatMessage, member: discord.Member, channel: object) -> ChatMessage:
    """Return a fetched message with the roles and permissions of the member who asks."""
    return replace(
        message,
        roles=frozenset(role.id for role in member.roles),
        pings_roles=may_ping_roles(member, channel),
        reads_back=may_read_back(member, channel),
    )


def _replies_to(message: discord.Message, command: int) -> bool:
    return message.interaction_metadata is not None and message.interaction_metadata.id == command


def _home_of(channel: discord.abc.Messageable, message: int) -> discord.abc.Messageable:
    """Return the channel of a message; the message that started a thread is in the parent channel."""
    is_thread = isinstance(channel, discord.Thread) and channel.id == message
    parent = channel.parent if is_thread and isinstance(channel, discord.Thread) else None
    return parent if isinstance(parent, discord.TextChannel) else channel

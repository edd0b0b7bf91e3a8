"""Questions of tools: the answer ends with buttons, and continues when a person has decided.

Nothing waits in between: neither the channel nor a place among the running answers is taken, and a restart loses
nothing. The row of the question holds the call that asked, with all decisions so far. After a decision the call is
made again, and `ask` returns the known decisions at once. So a tool must not change anything before it asks.

The row says how far a decision is (`streamcord.store.AskState`): the press, the effect and the next words may each
be in another process.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from streamcord import (
    Ask,
    Attachment,
    Decision,
    KeepAlive,
    Message,
    ProviderEvent,
    Receipt,
    StoreError,
    ToolCall,
    ToolError,
)
from streamcord.providers import AnswerSuspended, Post, Text, Tool, ToolLimits, ToolResult, ToolRound
from streamcord.store import AskRow, AskState
from streamcord.utils import hide_secrets

from ..discord_requests import REQUEST_ERRORS
from ..i18n import translate
from ..messages.question import Question
from ..policy.access import Requester
from ..policy.permissions import PermissionChecker
from ..state import BotState
from .answer_journal import AnswerJournal
from .answer_plan import AnswerPlan
from .ask_store import BotAskStore
from .continuation import CallLog
from .interaction_state import describe_command

HIDDEN = "Nothing was asked or done: the people who decide this cannot see this conversation. Tell the user."
INTERRUPTED = "was interrupted, it is unknown whether it was done. Tell the user."
MAX_QUESTION_CHARS, MAX_LABEL_CHARS, MAX_DESCRIPTION_CHARS, MAX_FIELD_LABEL_CHARS = 1900, 80, 100, 45
"""What Discord shows of a question, a button, an entry of a menu and a field (see `Ask`)."""
MAX_DECISIONS = 25
"""How often one call may ask: a server that asks for ever must not."""

_log = logging.getLogger(__name__)


class CallAsker:
    """Asks for the tools of one answer; the call that continues gets the decisions that were made.

    A decision counts for the question that the person saw. A tool that asks something else the second time, such
    as one of a server that lies, gets a new question and not the old decision.

    Args:
        owner: who asked; they decide, unless the question names others.
        reader: the only person who sees the answer, such as the owner of a private one; `None` if others do.
        is_seen: returns whether someone who may decide can see the channel.
        locale: the language of notices.
        hide: removes secrets from what is shown and kept.
        call_id: the call that continues.
        answered: its questions, with the decisions.

    """

    def __init__(
        self,
        owner: int = 0,
        hide: Callable[[str], str] = hide_secrets,
        call_id: str = "",
        answered: Sequence[tuple[Ask, Decision]] = (),
        *,
        reader: Requester | None = None,
        is_seen: Callable[[Ask], Awaitable[bool]] | None = None,
        locale: str = "en",
    ) -> None:
        self._owner = owner
        self._reader = reader
        self._is_seen = is_seen
        self._locale = locale
        self._hide = hide
        self.suspended: ToolCall | None = None
        """The call that ended the answer with a question."""
        self._call_id = call_id
        self._answered = answered
        # How many of the questions were asked again.
        self._asked = 0
        # Whether the reader was told that others decide.
        self._has_refused = False

    def earlier(self, call: ToolCall) -> Sequence[tuple[Ask, Decision]]:
        """Return the questions of a call that were answered, with the decisions."""
        return self._answered if call.id == self._call_id else ()

    async def __call__(self, ask: Ask, call: ToolCall, post: Post, *files: Attachment) -> Decision | None:
        """Return the known decision, or end the answer with the question."""
        ask = _without_secrets(ask, self._hide)
        if self._owner and not (ask.who or ask.roles):
            # Neither a tool nor a server of tools knows on whose behalf it asks.
            ask = replace(ask, who=(self._owner,))
        if not await self._has_audience(ask):
            # The question would wait for people who cannot see it, and must not be shown to them.
            if not self._has_refused:
                post.put(Message(translate(self._locale, "ask_hidden", tool=f"`{call.name}`"), notice=True))
            self._has_refused = True
            raise ToolError(HIDDEN)
        known = self.earlier(call)
        if self._asked < len(known) and known[self._asked][0].is_same(ask):
            self._asked += 1
            return known[self._asked - 1][1]
        if len(known) >= MAX_DECISIONS:
            return None
        self.suspended = call
        raise AnswerSuspended(ask.with_id(secrets.token_hex(8)), files)

    async def _has_audience(self, ask: Ask) -> bool:
        if (reader := self._reader) is not None:
            return ask.is_for(reader.person, reader.roles)
        return self._owner in ask.who or self._is_seen is None or await self._is_seen(ask)


@dataclass(slots=True)
class PendingCall:
    """A call that continues after a decision."""

    row: AskRow
    call: ToolCall
    answered: tuple[tuple[Ask, Decision], ...]
    """Its questions so far, with the decisions."""
    is_over: bool = False
    """Whether nothing is left to be done but to tell the model."""


@dataclass(eq=False, repr=False)
class AnswerAsks:
    """Keeps the questions of answers, and makes the calls that continue after a decision."""

    store: BotAskStore
    journal: AnswerJournal
    state: BotState
    permissions: PermissionChecker

    async def is_seen(self, channel: Any, ask: Ask) -> bool:  # noqa: ANN401 - of many kinds
        """Return whether someone who may decide can see a channel, as far as that is known."""
        guild = getattr(channel, "guild", None)
        for id_ in {*ask.who, *ask.roles}:
            # Who has a role is known only with the privileged intent for members.
            if guild is None or guild.get_role(id_) is not None:
                return True
            try:
                member = await self.permissions.find_member(guild, id_)
            except REQUEST_ERRORS:
                return True
            if member is not None and channel.permissions_for(member).view_channel:
                return True
        return not (ask.who or ask.roles)

    # --- The question ----------------------------------------------------------------------------

    async def save_questions(
        self,
        events: AsyncIterator[ProviderEvent | Message],
        plan: AnswerPlan,
        asker: CallAsker,
        log: CallLog,
    ) -> AsyncGenerator[ProviderEvent | Message, None]:
        """Yield the events; the row of a question is written before its message is sent."""
        try:
            async for event in events:
                if isinstance(event, Message) and event.ask is not None:
                    yield await self._save(plan, event, event.ask, asker, log)
                else:
                    yield event
        finally:
            if close := getattr(events, "aclose", None):
                await close()

    async def _save(
        self, plan: AnswerPlan, message: Message, ask: Ask, asker: CallAsker, log: CallLog
    ) -> Message:
        call = asker.suspended
        assert call is not None
        about: dict[str, Any] = {
            "question": self.journal.describe(plan.question, plan.turn),
            "private": plan.question.private,
            "call": {"id": call.id, "name": call.name, "arguments": dict(call.arguments)},
            "answered": [[asked.to_dict(), asdict(decision)] for asked, decision in asker.earlier(call)],
            "calls": log.lines,
        }
        if plan.question.reply is not None:
            about["command"] = describe_command(plan.question)
        row = AskRow(ask, plan.channel_config.place, plan.question.owner, about["question"]["bot"], about)
        try:
            await self.store.open_ask(row)
        except StoreError as error:
            _log.warning("turn %s: saving a question failed: %s", plan.turn, error)
            return Message(translate(plan.locale, "ask_not_saved"), notice=True)
        return message

    def on_event(self, event: object) -> None:
        """Remember which message shows a question."""
        if isinstance(event, Receipt) and event.message.ask is not None:
            self.state.run_later(self._record_message(event.message.ask.id, event.id))

    async def _record_message(self, id_: str, message: int) -> None:
        try:
            await self.store.place_ask(id_, message)
        except StoreError as error:
            _log.warning("ask %s: its message could not be recorded: %s", id_, error)

    # --- After the decision ----------------------------------------------------------------------

    async def claim(self, question: Question) -> bool:
        """Return whether this answer may continue with its decision, and no other does.

        Raises:
            StoreError: the row cannot be read or changed; nothing was done.

        """
        row = await self.store.find_ask(question.ask)
        if row is None or row.decision is None:
            return False
        return row.turn == question.ask_actor or await self.store.take_ask(
            row.id, question.ask_actor, before=row.turn
        )

    async def begin(self, question: Question, log: CallLog) -> PendingCall | None:
        """Begin to act on a decision; `None` if another turn does.

        Args:
            question: the question whose answer continues.
            log: gets the calls that were made before.

        Raises:
            StoreError: the row cannot be read or changed; nothing was done.

        """
        row = await self.store.find_ask(question.ask)
        if row is None or row.decision is None or row.turn != question.ask_actor:
            return None
        pending = _parse(row)
        log.lines[:] = map(str, row.about.get("calls", ()))
        may_act = await self.store.act_on_ask(row.id, row.turn)
        if not may_act and row.state is not AskState.DONE:
            # An earlier attempt of this answer has begun the call, which must not be made twice.
            log.add(pending.call.name, json.dumps(pending.call.arguments, default=str), INTERRUPTED)
        pending.is_over = not may_act
        return pending

    async def make_call(
        self, pending: PendingCall, tools: Sequence[Tool], asker: CallAsker, limits: ToolLimits, log: CallLog
    ) -> AsyncGenerator[KeepAlive | Message, None]:
        """Make the call and log its result; yield what it posts. `pending.is_over` is false if it asks again."""
        before = len(log.lines)
        round_ = ToolRound({one.spec.name: one for one in tools}, limits, asker)
        async for event in round_.run([pending.call]):
            if isinstance(event, Message) and event.ask is not None:
                # The next question has a row of its own.
                await self._close(pending.row.id, log)
            yield event
        pending.is_over = round_.suspended is None
        if not pending.is_over:
            return
        if len(log.lines) == before:
            # It was not allowed, or has failed before it began.
            arguments = json.dumps(pending.call.arguments, default=str)
            log.add(pending.call.name, arguments, _text_of(round_.results[0]))
        await self._close(pending.row.id, log)

    async def _close(self, id_: str, log: CallLog) -> None:
        try:
            await self.store.close_ask(id_, about={"calls": log.lines})
        except StoreError as error:
            # The row stays `acting`, so the call is not made again.
            _log.warning("ask %s: its result could not be saved: %s", id_, error)


def _parse(row: AskRow) -> PendingCall:
    assert row.decision is not None
    call: Mapping[str, Any] = row.about.get("call") or {"id": "", "name": "", "arguments": {}}
    earlier = [
        (
            Ask.from_dict(ask),
            Decision(tuple(one["values"]), tuple(one["labels"]), one["inputs"], one["user"], one["at"]),
        )
        for ask, one in row.about.get("answered", ())
    ]
    made = ToolCall(str(call["id"]), str(call["name"]), dict(call["arguments"]))
    return PendingCall(row, made, (*earlier, (row.ask, row.decision)))


def _without_secrets(ask: Ask, hide: Callable[[str], str]) -> Ask:
    """Remove secrets from all that is shown of a question; a placeholder may be longer than what it replaces."""
    options = [
        replace(
            one,
            label=hide(one.label)[:MAX_LABEL_CHARS],
            value=one.key,
            description=hide(one.description)[:MAX_DESCRIPTION_CHARS],
            fields=tuple(
                replace(field, label=hide(field.title)[:MAX_FIELD_LABEL_CHARS]) for field in one.fields
            ),
        )
        for one in ask.options
    ]
    # The note below it counts as a part of the question.
    room = MAX_QUESTION_CHARS - len(ask.text) + len(ask.question)
    return replace(ask, question=hide(ask.question)[:room], options=tuple(options))


def _text_of(result: ToolResult) -> str:
    """Return the result of a call as text."""
    return "\n".join(part.text if isinstance(part, Text) else "(a picture)" for part in result.parts)

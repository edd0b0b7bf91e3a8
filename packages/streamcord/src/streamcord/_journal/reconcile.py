"""The pure part of recovery: decode the rows of a turn, and compare its plan with the channel.

A turn sends one message after the other, each acknowledged before the next. So the outcome of at most one
message, the last one tried, is unknown. Recovery reads the channel after the last known message and compares:
each message there is either the next one of the plan, or not ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, NamedTuple

from .._delivery.live.lagging_text import without_closers
from .._delivery.transport import FetchedMessage
from .._events import Message, Receipt, StreamPosition
from .._exceptions import SettingsError
from .._settings import AnswerContext, Settings
from .protocol import DAMAGED, VERSION, JournalRow
from .serialization import (
    RecordedEvent,
    decode_context,
    decode_events,
    decode_message,
    decode_position,
    decode_settings,
)


@dataclass(frozen=True, slots=True)
class SavedAttempt:
    """A message that was about to be sent."""

    part: int
    """Number of the message in its turn."""
    message: Message
    until: int
    """Planned messages that are done once it is delivered, except for the `rest`."""
    rest: tuple[Message, ...] = ()
    """Pieces of the last planned message that are still to be sent."""
    at: float = 0.0
    live: bool = False
    """Whether it is the start of a live message, which later edits complete."""


@dataclass(frozen=True, slots=True)
class ChannelMark:
    """Something besides the answer's text that was put into the channel: a stop button, a tool notice."""

    kind: str
    message: int
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SavedTurn:
    """A turn, decoded from its rows."""

    id: str
    about: Mapping[str, Any]
    """The caller's own data: the channel, the question."""
    settings: Settings
    context: AnswerContext
    seed: int
    last_known_id: int
    """The newest message of the channel when the turn started."""
    started_at: float
    updated_at: float
    """When its last row was written."""
    rows: int
    events: tuple[RecordedEvent, ...] = ()
    complete: bool = False
    """Whether the model's answer ended by itself."""
    delivered: tuple[tuple[SavedAttempt, Receipt], ...] = ()
    done: SavedAttempt | None = None
    """The last message whose outcome is known."""
    uncertain: SavedAttempt | None = None
    """The message whose outcome is unknown, if there is one."""
    parts: int = 0
    """Number of the next message."""
    marks: tuple[ChannelMark, ...] = ()
    stopped: str = ""
    """The stop mode, if it was stopped."""
    ended: bool = False
    live: tuple[SavedAttempt, Receipt] | None = None
    """The live message that is not finalized yet."""
    private: bool = False
    """Whether only one person may see the answer."""
    position: StreamPosition | None = None
    """The place from which the provider's stream can be taken up again."""

    @property
    def text(self) -> str:
        """The text that was received from the model."""
        return "".join(event for event in self.events if isinstance(event, str))

    @property
    def until(self) -> int:
        """Number of planned messages that are done."""
        return self.done.until if self.done else 0

    @property
    def rest(self) -> tuple[Message, ...]:
        """Pieces of the last planned message that are still to be sent."""
        return self.done.rest if self.done else ()

    @property
    def last_id(self) -> int:
        """The message after which the channel has to be read."""
        known = [receipt.id for _, receipt in self.delivered]
        # The live message itself is read again, because its text may have changed after the last row.
        return max([self.last_known_id, *known, *([self.live[1].id - 1] if self.live else [])])

    @property
    def shown_until(self) -> int:
        """Number of source characters up to the end of the delivered messages."""
        sent = [attempt.message for attempt, _ in self.delivered]
        return max((end for message in sent for _, end in message.spans), default=0)


@dataclass(frozen=True, slots=True)
class UnreadableTurn:
    """A turn whose rows this version cannot decode, and why.

    Example:
        for turn in journal.unreadable:
            print(turn.turn, turn.reason)

    """

    turn: str
    reason: str
    at: float


def read_turns(entries: Iterable[JournalRow]) -> tuple[list[SavedTurn], list[UnreadableTurn]]:
    """Return the turns of a journal, oldest first, and those that cannot be decoded."""
    turns: list[SavedTurn] = []
    unreadable: list[UnreadableTurn] = []
    groups: dict[str, list[JournalRow]] = {}
    for entry in entries:
        groups.setdefault(entry.turn, []).append(entry)
    for turn, rows in groups.items():
        try:
            turns.append(_read_turn(turn, sorted(rows, key=lambda row: row.number)))
        # A damaged or foreign row must not prevent the recovery of other turns.
        except (KeyError, TypeError, ValueError, AttributeError, SettingsError) as error:
            unreadable.append(UnreadableTurn(turn, f"{type(error).__name__}: {error}", rows[0].at))
    return sorted(turns, key=lambda saved: (saved.started_at, saved.id)), unreadable


def _read_turn(turn: str, rows: Sequence[JournalRow]) -> SavedTurn:
    first = rows[0]
    if first.kind != "turn" or first.number != 0:
        raise ValueError("the first row is missing")
    if first.body["version"] != VERSION:
        raise ValueError(f"the format version is {first.body['version']}, expected {VERSION}")
    if not isinstance(first.body["about"], dict):
        raise TypeError("the field 'about' is not an object")
    # Rows after a gap or a damaged row are ignored: the state before them is unknown.
    intact = takewhile(lambda at: at[1].number == at[0] and at[1].kind != DAMAGED, enumerate(rows))
    rows = [row for _, row in intact]
    received = [event for row in rows if row.kind == "received" for event in row.body["events"]]
    events, complete = decode_events(received)
    outcomes = _read_outcomes(rows)
    return SavedTurn(
        id=turn,
        about=first.body["about"],
        settings=decode_settings(first.body["settings"]),
        context=decode_context(first.body.get("context", {})),
        seed=int(first.body["seed"]),
        last_known_id=int(first.body["last_known_id"]),
        started_at=first.at,
        updated_at=rows[-1].at,
        position=decode_position(received),
        rows=len(rows),
        events=events,
        complete=complete,
        delivered=outcomes.delivered,
        done=outcomes.done,
        uncertain=outcomes.uncertain,
        parts=1 + max((int(row.body["part"]) for row in rows if row.kind == "sending"), default=-1),
        marks=tuple(_read_mark(row.body) for row in rows if row.kind == "mark"),
        stopped=next((str(row.body["mode"]) for row in rows if row.kind == "stopped"), ""),
        ended=any(row.kind == "ended" for row in rows),
        live=outcomes.live,
        private=any(row.kind == "private" for row in rows),
    )


class _Outcomes(NamedTuple):
    """The outcomes of all messages of a turn; the fields are those of `SavedTurn`."""

    delivered: tuple[tuple[SavedAttempt, Receipt], ...]
    done: SavedAttempt | None
    uncertain: SavedAttempt | None
    live: tuple[SavedAttempt, Receipt] | None


def _read_outcomes(rows: Sequence[JournalRow]) -> _Outcomes:
    delivered: list[tuple[SavedAttempt, Receipt]] = []
    done: SavedAttempt | None = None
    # The attempt that has no outcome yet.
    pending: SavedAttempt | None = None
    live: tuple[SavedAttempt, Receipt] | None = None
    for row in rows:
        match row.kind:
            case "sending":
                pending = _read_attempt(row)
            case "delivered" if pending is not None:
                changes = tuple(map(str, row.body.get("changes", ())))
                receipt = Receipt(pending.message, int(row.body["id"]), changes=changes)
                # A live message counts as delivered only once it is finalized, which is another attempt.
                live = (pending, receipt) if pending.live else None
                delivered += [] if pending.live else [(pending, receipt)]
                done, pending = pending, None
            case "failed" if pending is not None:
                done, pending = pending, None
            case "cancelled":
                pending = None
            case _:
                pass
    return _Outcomes(tuple(delivered), done, pending, live)


def _read_attempt(row: JournalRow) -> SavedAttempt:
    body = row.body
    rest = tuple(map(decode_message, body.get("rest", ())))
    message, live = decode_message(body["message"]), bool(body.get("live"))
    return SavedAttempt(int(body["part"]), message, int(body["until"]), rest, row.at, live)


def _read_mark(body: Mapping[str, Any]) -> ChannelMark:
    more = {name: value for name, value in body.items() if name not in {"what", "message"}}
    return ChannelMark(str(body["what"]), int(body["message"]), more)


# --- Position in the plan -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """What to send next: the pieces, then the planned messages from number `base` on."""

    pieces: tuple[Message, ...]
    base: int

    def queue(self, planned: Sequence[Message]) -> list[Message]:
        """Return the messages to send, in order."""
        return [*self.pieces, *planned[self.base :]]

    def without(self, count: int) -> ResumePoint:
        """Return the position after the first `count` of these messages."""
        return ResumePoint(self.pieces[count:], self.base + max(0, count - len(self.pieces)))


def align_with_plan(planned: Sequence[Message], saved: SavedTurn) -> ResumePoint | None:
    """Return the position of a turn in the plan; `None` if the sent messages belong to another plan."""
    if not _is_aligned(planned, saved):
        return None
    uncertain = saved.uncertain
    if uncertain is None or uncertain.live:
        return ResumePoint(tuple(map(_with_fallback_text, saved.rest)), saved.until)
    as_planned = not (saved.rest or uncertain.rest) and uncertain.until == saved.until + 1
    if as_planned and planned[saved.until].content == uncertain.message.content:
        # The plan knows more about the message than the row, such as its files.
        return ResumePoint((), saved.until)
    return ResumePoint(tuple(map(_with_fallback_text, (uncertain.message, *uncertain.rest))), uncertain.until)


def _with_fallback_text(message: Message) -> Message:
    """Replace the text by the fallback if the files of the message are not in its row."""
    fallback = message.fallback or ""
    if message.files or not fallback.startswith(message.content):
        return message
    return replace(message, content=fallback, fallback=None)


def _is_aligned(planned: Sequence[Message], saved: SavedTurn) -> bool:
    """Whether the sent messages end where the plan says; another version may plan other messages."""
    tried = [*(attempt for attempt, _ in saved.delivered), *([saved.uncertain] if saved.uncertain else [])]
    for attempt in (one for one in tried if not one.live):
        if attempt.until > len(planned):
            return False
        last = _end(planned[attempt.until - 1]) if attempt.until else 0
        end = _end((attempt.rest or (attempt.message,))[-1])
        if end and last and end != last:
            return False
    return True


def remaining_messages(saved: SavedTurn) -> tuple[tuple[Message, ...], str]:
    """Return what to send without the plan: the known pieces, and the text after everything that was tried."""
    pieces = (saved.uncertain.message, *saved.uncertain.rest) if saved.uncertain else saved.rest
    pieces = tuple(map(_with_fallback_text, pieces))
    return pieces, saved.text[max([saved.shown_until, *map(_end, pieces)]) :].lstrip()


def _end(message: Message) -> int:
    return max((end for _, end in message.spans), default=0)


# --- Messages in the channel ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The result of comparing the plan with the channel."""

    adopted: tuple[tuple[int, FetchedMessage], ...] = ()
    """Messages of the channel that show planned ones, each with the number of planned messages in it."""
    stray: bool = False
    """Whether there is also a message that is not in the plan."""

    @property
    def count(self) -> int:
        """Number of planned messages that need not be sent."""
        return sum(count for count, _ in self.adopted)


def find_live(saved: SavedTurn, found: Sequence[FetchedMessage]) -> FetchedMessage | None:
    """Return the live message as it is now; an unacknowledged one is recognized by how it starts."""
    if saved.live is not None:
        live_id = saved.live[1].id
        return next((fetched for fetched in found if fetched.id == live_id), None)
    if saved.uncertain is None or not saved.uncertain.live or not found:
        return None
    start = _without_whitespace(without_closers(saved.uncertain.message))
    text = _without_whitespace(without_name_prefix(found[0].content, saved.uncertain))
    return found[0] if text.startswith(start) else None


def without_name_prefix(content: str, attempt: SavedAttempt) -> str:
    """Return the text of a message without the persona's name.

    The name is in front if no webhook could be used and the bot sent the message itself.
    """
    head, mark, text = content.partition(":**")
    start = _without_whitespace(without_closers(attempt.message))
    # The attempt itself may start with a bold label, which is no prefix.
    named = mark and head.startswith("**") and not _without_whitespace(content).startswith(start)
    return text.lstrip() if named and _without_whitespace(text).startswith(start) else content


def is_final(queue: Sequence[Message], live: FetchedMessage) -> bool:
    """Whether a live message has its final text: its last edit attached the images, or brought a question."""
    count = _count_shown(queue, live)
    return count > 0 and (live.files > 0 or queue[count - 1].ask is not None)


def reconcile(
    queue: Sequence[Message], found: Sequence[FetchedMessage], first_tag: int = 0
) -> Reconciliation:
    """Compare the planned messages with the messages of the channel, both in order.

    Args:
        queue: planned messages that are not known to be delivered.
        found: messages of the channel after the last known one.
        first_tag: message tag of the first planned message. A message with this tag is that one, even if its
            text was changed.

    """
    adopted: list[tuple[int, FetchedMessage]] = []
    at = 0
    for fetched in found:
        is_tagged = bool(queue) and at == 0 and 0 < first_tag == fetched.message_tag
        count = _count_shown(queue[at:], fetched) or int(is_tagged)
        if count:
            adopted.append((count, fetched))
            at += count
        elif not fetched.notice:
            return Reconciliation(tuple(adopted), stray=True)
    return Reconciliation(tuple(adopted))


def _count_shown(queue: Sequence[Message], fetched: FetchedMessage) -> int:
    """Return how many planned messages one message shows; several if they were merged."""
    if count := _count_with_question(queue, fetched):
        return count
    text = _without_whitespace(fetched.content)
    # If no webhook could be used, the bot sent the message with the persona's name in front.
    head, mark, unnamed = text.partition(":**")
    count = _count_matching(queue, text, fetched.files)
    return count or (_count_matching(queue, unnamed, fetched.files) if mark and head.startswith("**") else 0)


def _count_with_question(queue: Sequence[Message], fetched: FetchedMessage) -> int:
    """Return how many planned messages a question's message shows: the question, perhaps with the text before it.

    It may be answered already: then a line was added to it, and its buttons are gone.
    """
    count = next((number for number, one in enumerate(queue[:2], 1) if one.ask is not None), 0)
    if not count:
        return 0
    question = queue[count - 1].ask
    asked = _without_whitespace("".join(one.content for one in queue[:count]))
    shown = _without_whitespace(fetched.content or fetched.embed)
    _, mark, unnamed = shown.partition(":**")
    is_shown = bool(asked) and (shown.startswith(asked) or (bool(mark) and unnamed.startswith(asked)))
    if is_shown:
        return count
    # What a filter has changed is still recognized by the buttons, unless the question came alone.
    first = _without_whitespace(queue[0].content)
    return count if question and fetched.ask == question.id and (count == 1 or shown.startswith(first)) else 0


def _count_matching(queue: Sequence[Message], wanted: str, wanted_files: int) -> int:
    """Return how many messages from the front of the queue have exactly this text and number of files."""
    text, files = "", 0
    for count, message in enumerate(queue, 1):
        text += _without_whitespace(message.content)
        files += len(message.files)
        if not wanted.startswith(text):
            return 0
        if wanted == text and wanted_files == files:
            return count
    return 0


def _without_whitespace(text: str) -> str:
    """Remove all whitespace: Discord trims it, and merging adds some."""
    return "".join(text.split())

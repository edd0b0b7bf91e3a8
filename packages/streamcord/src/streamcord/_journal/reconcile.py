"""The pure half of going on: what the rows of a journal say, and what follows from what a channel shows.

Messages of a turn are sent one after the other, each acknowledged before the next, so at most the last one
that was tried is in doubt. Whoever goes on reads the channel behind the last message that is known, and
compares: what stands there is what was to be said next, or it is not ours to explain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, TypeAlias

from .._delivery.live.visible_text import without_closers
from .._delivery.transport import FetchedMessage
from .._events import Message, Receipt
from .._exceptions import SettingsError
from .._settings import AnswerContext, Settings
from .protocol import DAMAGED, VERSION, JournalRow
from .serialization import SourceStats, decode_context, decode_events, decode_message, decode_settings

__all__ = [
    "ChannelMark",
    "Reconciliation",
    "ResumePoint",
    "SavedAttempt",
    "SavedTurn",
    "UnreadableTurn",
    "find_grown",
    "is_whole",
    "lay_out",
    "read_turns",
    "remaining_messages",
    "settle",
    "without_name",
]


@dataclass(frozen=True, slots=True)
class SavedAttempt:
    """A message that was about to be sent; with it `until` planned messages are done, but for the `rest`."""

    part: int
    message: Message
    until: int
    rest: tuple[Message, ...] = ()
    at: float = 0.0
    grows: bool = False
    """Whether it is the beginning of a message that is edited until it says all."""


@dataclass(frozen=True, slots=True)
class ChannelMark:
    """Something besides the words that was put into the channel: a stop button, a line about a tool."""

    kind: str
    message: int
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SavedTurn:
    """A turn as its rows tell of it."""

    id: str
    about: Mapping[str, Any]
    settings: Settings
    context: AnswerContext
    seed: int
    anchor: int
    """The newest message that stood in the channel when the turn began."""
    began: float
    touched: float
    """When its last row was written."""
    rows: int
    heard: tuple[SourceStats, ...] = ()
    complete: bool = False
    """Whether the model had said everything."""
    arrived: tuple[tuple[SavedAttempt, Receipt], ...] = ()
    done: SavedAttempt | None = None
    """The last message about which nothing is in doubt."""
    doubt: SavedAttempt | None = None
    parts: int = 0
    marks: tuple[ChannelMark, ...] = ()
    stopped: str = ""
    ended: bool = False
    growing: tuple[SavedAttempt, Receipt] | None = None
    """The message that people saw grow."""

    @property
    def text(self) -> str:
        """Everything that the model had said."""
        return "".join(event for event in self.heard if isinstance(event, str))

    @property
    def until(self) -> int:
        """So many planned messages are done."""
        return self.done.until if self.done else 0

    @property
    def rest(self) -> tuple[Message, ...]:
        """What is left of the last planned message that was split."""
        return self.done.rest if self.done else ()

    @property
    def last_id(self) -> int:
        """The newest message that is known."""
        known = [receipt.id for _, receipt in self.arrived]
        # What grows is read again, to see how far it came.
        return max([self.anchor, *known, *([self.growing[1].id - 1] if self.growing else [])])

    @property
    def shown_until(self) -> int:
        """The first character of the source behind everything that was shown."""
        sent = [attempt.message for attempt, _ in self.arrived]
        return max((end for message in sent for _, end in message.spans), default=0)


@dataclass(frozen=True, slots=True)
class UnreadableTurn:
    """A turn whose rows make no sense to this version, and why."""

    turn: str
    reason: str
    at: float


def read_turns(entries: Iterable[JournalRow]) -> tuple[list[SavedTurn], list[UnreadableTurn]]:
    """The turns of a journal, oldest first; what cannot be read is told of and hurts no other turn."""
    turns: list[SavedTurn] = []
    unreadable: list[UnreadableTurn] = []
    groups: dict[str, list[JournalRow]] = {}
    for entry in entries:
        groups.setdefault(entry.turn, []).append(entry)
    for turn, rows in groups.items():
        try:
            turns.append(_read_turn(turn, sorted(rows, key=lambda row: row.number)))
        except (KeyError, TypeError, ValueError, AttributeError, SettingsError) as error:
            unreadable.append(UnreadableTurn(turn, f"{type(error).__name__}: {error}", rows[0].at))
    return sorted(turns, key=lambda saved: (saved.began, saved.id)), unreadable


def _read_turn(turn: str, rows: Sequence[JournalRow]) -> SavedTurn:
    first = rows[0]
    if first.kind != "turn" or first.number != 0:
        raise ValueError("its beginning is missing")
    if first.body["version"] != VERSION:
        raise ValueError(f"it is of version {first.body['version']}, this one reads {VERSION}")
    if not isinstance(first.body["about"], dict):
        raise TypeError("it does not say what it is about")
    # Behind a gap nobody knows what was said.
    whole = takewhile(lambda at: at[1].number == at[0] and at[1].kind != DAMAGED, enumerate(rows))
    rows = [row for _, row in whole]
    heard, complete = decode_events(
        event for row in rows if row.kind == "heard" for event in row.body["events"]
    )
    arrived, done, doubt, growing = _follow(rows)
    return SavedTurn(
        turn,
        first.body["about"],
        decode_settings(first.body["settings"]),
        decode_context(first.body.get("context", {})),
        int(first.body["seed"]),
        int(first.body["anchor"]),
        first.at,
        rows[-1].at,
        len(rows),
        heard,
        complete,
        arrived,
        done,
        doubt,
        1 + max((int(row.body["part"]) for row in rows if row.kind == "attempt"), default=-1),
        tuple(_read_mark(row.body) for row in rows if row.kind == "mark"),
        next((str(row.body["mode"]) for row in rows if row.kind == "stopped"), ""),
        any(row.kind == "ended" for row in rows),
        growing,
    )


_Followed: TypeAlias = tuple[
    tuple[tuple[SavedAttempt, Receipt], ...],
    SavedAttempt | None,
    SavedAttempt | None,
    tuple[SavedAttempt, Receipt] | None,
]


def _follow(rows: Sequence[JournalRow]) -> _Followed:
    """What arrived, the last attempt that is settled, the one that is not, and what grows."""
    arrived: list[tuple[SavedAttempt, Receipt]] = []
    done: SavedAttempt | None = None
    open_: SavedAttempt | None = None
    growing: tuple[SavedAttempt, Receipt] | None = None
    for row in rows:
        match row.kind:
            case "attempt":
                open_ = _read_attempt(row)
            case "arrived" if open_ is not None:
                changes = tuple(map(str, row.body.get("changes", ())))
                receipt = Receipt(open_.message, int(row.body["id"]), changes=changes)
                growing = (open_, receipt) if open_.grows else None
                arrived += [] if open_.grows else [(open_, receipt)]
                done, open_ = open_, None
            case "lost" if open_ is not None:
                done, open_ = open_, None
            case "void":
                open_ = None
            case _:
                pass
    return tuple(arrived), done, open_, growing


def _read_attempt(row: JournalRow) -> SavedAttempt:
    body = row.body
    rest = tuple(map(decode_message, body.get("rest", ())))
    message, grows = decode_message(body["message"]), bool(body.get("grows"))
    return SavedAttempt(int(body["part"]), message, int(body["until"]), rest, row.at, grows)


def _read_mark(body: Mapping[str, Any]) -> ChannelMark:
    more = {name: value for name, value in body.items() if name not in {"what", "message"}}
    return ChannelMark(str(body["what"]), int(body["message"]), more)


# --- What is to be sent next ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """What is to be sent next: these pieces, then the plan from the message `base` on."""

    pieces: tuple[Message, ...]
    base: int

    def queue(self, planned: Sequence[Message]) -> list[Message]:
        """All of it, in order."""
        return [*self.pieces, *planned[self.base :]]

    def without(self, count: int) -> ResumePoint:
        """The same without the first messages."""
        return ResumePoint(self.pieces[count:], self.base + max(0, count - len(self.pieces)))


def lay_out(planned: Sequence[Message], saved: SavedTurn) -> ResumePoint | None:
    """Where in the plan the turn stands; `None` if it is not the plan that was sent by."""
    if not _is_aligned(planned, saved):
        return None
    doubt = saved.doubt
    if doubt is None or doubt.grows:
        return ResumePoint(tuple(map(_in_words, saved.rest)), saved.until)
    as_planned = not (saved.rest or doubt.rest) and doubt.until == saved.until + 1
    if as_planned and planned[saved.until].content == doubt.message.content:
        # The plan knows more of it than the row: its files, for one.
        return ResumePoint((), saved.until)
    return ResumePoint(tuple(map(_in_words, (doubt.message, *doubt.rest))), doubt.until)


def _in_words(message: Message) -> Message:
    """A message whose files no row holds says what stands for them, and for its words if it has some."""
    words = message.fallback or ""
    if message.files or not words.startswith(message.content):
        return message
    return replace(message, content=words, fallback=None)


def _is_aligned(planned: Sequence[Message], saved: SavedTurn) -> bool:
    """Whether this is the plan that was sent by; another version may plan other messages."""
    tried = [*(attempt for attempt, _ in saved.arrived), *([saved.doubt] if saved.doubt else [])]
    for attempt in (one for one in tried if not one.grows):
        if attempt.until > len(planned):
            return False
        last = _end(planned[attempt.until - 1]) if attempt.until else 0
        end = _end((attempt.rest or (attempt.message,))[-1])
        if end and last and end != last:
            return False
    return True


def remaining_messages(saved: SavedTurn) -> tuple[tuple[Message, ...], str]:
    """Without the plan: the messages that are known, and the words behind everything that was tried."""
    pieces = (saved.doubt.message, *saved.doubt.rest) if saved.doubt else saved.rest
    pieces = tuple(map(_in_words, pieces))
    return pieces, saved.text[max([saved.shown_until, *map(_end, pieces)]) :].lstrip()


def _end(message: Message) -> int:
    return max((end for _, end in message.spans), default=0)


# --- What stands in the channel -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What follows: these stand there already; `stray` if something else does, too."""

    adopted: tuple[tuple[int, FetchedMessage], ...] = ()
    """How many messages of the queue each of these shows."""
    stray: bool = False

    @property
    def count(self) -> int:
        """So many messages of the queue need not be sent."""
        return sum(count for count, _ in self.adopted)


def find_grown(saved: SavedTurn, found: Sequence[FetchedMessage]) -> FetchedMessage | None:
    """The message that grows, as it stands there; one in doubt is known by its beginning."""
    if saved.growing is not None:
        return next((seen for seen in found if saved.growing[1].id == seen.id), None)
    if saved.doubt is None or not saved.doubt.grows or not found:
        return None
    begun, said = _squeeze(without_closers(saved.doubt.message)), without_name(found[0].content, saved.doubt)
    return found[0] if _squeeze(said).startswith(begun) else None


def without_name(content: str, attempt: SavedAttempt) -> str:
    """What a message says that began with this attempt; where nobody else could speak, a name is in front."""
    head, mark, words = content.partition(":**")
    begun = _squeeze(without_closers(attempt.message))
    named = mark and head.startswith("**") and not _squeeze(content).startswith(begun)
    return words.lstrip() if named and _squeeze(words).startswith(begun) else content


def is_whole(queue: Sequence[Message], grown: FetchedMessage) -> bool:
    """Whether a message that grew has come to its end already: its last edit brought its pictures."""
    return grown.files > 0 and _count_shown(queue, grown) > 0


def settle(queue: Sequence[Message], found: Sequence[FetchedMessage], first: int = 0) -> Reconciliation:
    """Compare what was to be sent next with what stands behind the last known message, both in order.

    What carries the name of the `first` one is that, whatever became of its words.
    """
    adopted: list[tuple[int, FetchedMessage]] = []
    at = 0
    for seen in found:
        count = _count_shown(queue[at:], seen) or int(
            bool(queue) and not at and 0 < first == seen.message_tag
        )
        if count:
            adopted.append((count, seen))
            at += count
        elif not seen.notice:
            return Reconciliation(tuple(adopted), stray=True)
    return Reconciliation(tuple(adopted))


def _count_shown(queue: Sequence[Message], seen: FetchedMessage) -> int:
    """How many messages of the queue one message shows: several if they were joined, else one or none."""
    bare = _squeeze(seen.content)
    # Where nobody else could speak, the bot did, with the name in front.
    head, mark, unnamed = bare.partition(":**")
    count = _count_said(queue, bare, seen.files)
    return count or (_count_said(queue, unnamed, seen.files) if mark and head.startswith("**") else 0)


def _count_said(queue: Sequence[Message], wanted: str, files: int) -> int:
    told, shown = "", 0
    for count, message in enumerate(queue, 1):
        told += _squeeze(message.content)
        shown += len(message.files)
        if not wanted.startswith(told):
            return 0
        if wanted == told and files == shown:
            return count
    return 0


def _squeeze(text: str) -> str:
    """The text without what Discord trims or a join adds."""
    return "".join(text.split())

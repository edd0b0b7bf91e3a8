"""Record what the twin received and sent: every request byte for byte, the newest events, every ping and typing call.

Tests assert on this log instead of on the records of the bot under test.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .faults import FaultKind
    from .state.models import Json, Message

__all__ = ["Log", "Ping", "Push", "Record", "SentEvent", "TypingCall"]

_T = TypeVar("_T")

_INVALID = frozenset({401, 403, 429})
_MAX_EVENTS = 5_000
_MAX_EVENT_CHARS = 16 << 20


@dataclass(slots=True, eq=False)
class Record:
    """One request and how it was answered.

    It has more than 15 fields because each is one thing that a test may ask about a request.

    Example:
        last = twin.log.of("messages.create")[-1]
        assert last.json["allowed_mentions"] == {"parse": []}

    """

    at: float
    method: str
    path: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes = field(repr=False)
    connection: int = 0
    """The client's port: tells what was sent again on a fresh connection."""
    route: str = ""
    channel_id: int | None = None
    status: int = 0
    """0 while it runs, or when the connection was closed without an answer."""
    scope: str = ""
    """For a 429: user, global, shared or cloudflare."""
    code: int = 0
    """Discord's error code, if it was refused."""
    why: str = ""
    """What the developer did wrong, if it was refused."""
    faults: list[FaultKind] = field(default_factory=list)
    message: Message | None = None
    """The message that this request made, changed, or found by its nonce."""
    created: bool = False
    """Whether it made a new message."""
    number: int = 0
    """Counts the requests of a log from 1; the next one has a greater number."""

    @property
    def json(self) -> Json:
        """The JSON of the request, also that of a multipart form."""
        body = self.body
        # A URL-encoded form, as py-cord sends it.
        if body.startswith(b"payload_json="):
            body = unquote_to_bytes(body.partition(b"=")[2].partition(b"&")[0].replace(b"+", b" "))
        # A multipart form: the JSON is the part named payload_json.
        if body[:1] != b"{":
            start = body.index(b"{", body.index(b'name="payload_json"'))
            body = body[start : body.index(b"\r\n--", start)]
        parsed: Json = json.loads(body)
        return parsed

    def header(self, name: str) -> str | None:
        """Return a request header, by its name in any case."""
        wanted = name.lower().encode()
        return next((value.decode("latin-1") for key, value in self.headers if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Ping:
    """Users who would have been notified by a message.

    Example:
        assert [ping.kind for ping in twin.log.pings] == ["reply"]

    """

    message_id: int
    channel_id: int
    kind: str
    """user, reply, role, everyone or here."""
    target_id: int
    """The user, the role, or the guild."""
    user_ids: frozenset[int]
    by_edit: bool = False
    silent: bool = False
    """The message was sent without notifications, but is still marked as a mention."""


@dataclass(frozen=True, slots=True)
class Push:
    """A new message, as a phone would show it; edits make none.

    Example:
        assert [push.text for push in twin.log.pushes if not push.silent] == ["Hello!"]

    """

    message_id: int
    channel_id: int
    user_ids: frozenset[int]
    """Whose phones."""
    text: str
    """The text of the push; a Components V2 message has none."""
    silent: bool = False
    """Sent with SUPPRESS_NOTIFICATIONS: no sound, but the channel is unread."""


@dataclass(frozen=True, slots=True)
class SentEvent:
    """An event that a bot was sent over the gateway.

    Example:
        assert twin.log.events[-1].name == "MESSAGE_CREATE"

    """

    number: int
    """Counts the events of a log from 1."""
    at: float
    name: str
    bot_id: int
    payload: str = field(repr=False)
    """The JSON of the frame's `d`, as this bot got it."""
    message_id: int | None = None
    """The message that it is about, if it is about one."""


@dataclass(frozen=True, slots=True)
class TypingCall:
    """A user was shown as typing.

    Example:
        assert any(call.channel_id == twin.channel.id for call in twin.log.typing)

    """

    at: float
    channel_id: int
    user_id: int


class _Newest(list[_T]):
    """A list that forgets its older half when it grows beyond a cap."""

    def __init__(self, cap: int) -> None:
        super().__init__()
        self._cap = cap

    def append(self, one: _T) -> None:
        # Half at once, so that appending stays cheap.
        if len(self) >= self._cap:
            del self[: self._cap // 2]
        super().append(one)


class Requests(deque["Record"]):
    """The requests, oldest first, with slices like those of a list.

    Example:
        print(twin.log.requests[-4:])

    """

    @overload  # type: ignore[override]
    def __getitem__(self, at: int) -> Record: ...

    @overload
    def __getitem__(self, at: slice) -> list[Record]: ...

    def __getitem__(self, at: int | slice) -> Record | list[Record]:
        return list(self)[at] if isinstance(at, slice) else super().__getitem__(at)


class Log:
    """Everything that a twin received.

    Args:
        cap: How many requests, pings, pushes and typing calls are kept; older ones are forgotten.
        body_bytes: How many bytes of request bodies are kept.

    Example:
        assert twin.log.count("messages.create", status=200) == 1
        assert twin.log.invalid == []

    """

    def __init__(self, cap: int = 1_000_000, body_bytes: int = 256 << 20) -> None:
        self.requests = Requests()
        self.pings: list[Ping] = _Newest(cap)
        self.pushes: list[Push] = _Newest(cap)
        """What would have shown on phones."""
        self.typing: list[TypingCall] = _Newest(cap)
        self.unread: Counter[tuple[int, int]] = Counter()
        """Messages that a user has not read in a channel; the key is both ids."""
        self.unknown: Counter[str] = Counter()
        """Requests to routes that the twin does not have, by method and path."""
        self.events: deque[SentEvent] = deque()
        """The newest events that bots were sent."""
        self._cap, self._body_bytes, self._bytes = cap, body_bytes, 0
        # Requests and events so far, and the characters of the events that are kept.
        self._requests_seen = 0
        self._events_seen = 0
        self._event_chars = 0

    def add(self, record: Record) -> None:
        """Keep a request, and let the oldest go when there are too many."""
        self._requests_seen += 1
        record.number = self._requests_seen
        self.requests.append(record)
        self._bytes += len(record.body)
        # The newest request stays even if its body alone exceeds the limit.
        while len(self.requests) > self._cap or (self._bytes > self._body_bytes and len(self.requests) > 1):
            self._bytes -= len(self.requests.popleft().body)

    def add_event(self, at: float, name: str, bot_id: int, payload: str, message_id: int | None) -> None:
        """Keep an event that was sent, and let the oldest go when there are too many."""
        self._events_seen += 1
        self.events.append(SentEvent(self._events_seen, at, name, bot_id, payload, message_id))
        self._event_chars += len(payload)
        while len(self.events) > _MAX_EVENTS or (
            self._event_chars > _MAX_EVENT_CHARS and len(self.events) > 1
        ):
            self._event_chars -= len(self.events.popleft().payload)

    def mark_unread(self, channel_id: int, user_ids: set[int]) -> None:
        """Count a new message that these users have not read."""
        for user_id in user_ids:
            self.unread[user_id, channel_id] += 1

    def clear(self) -> None:
        """Forget everything."""
        kept: tuple[Any, ...] = (
            self.requests, self.events, self.pings, self.pushes, self.typing, self.unread, self.unknown,
        )  # fmt: skip
        for one in kept:
            one.clear()
        self._bytes = self._event_chars = 0

    def of(self, *routes: str, status: int | None = None) -> list[Record]:
        """Return the requests to these routes, or all; with this status, if one is given."""
        return [one for one in self._chosen(routes) if status is None or one.status == status]

    def _chosen(self, routes: tuple[str, ...]) -> Iterator[Record]:
        return (one for one in self.requests if not routes or one.route in routes)

    def count(self, *routes: str, status: int | None = None) -> int:
        """Return how many such requests."""
        return len(self.of(*routes, status=status))

    @property
    def invalid(self) -> list[Record]:
        """What counts against the budget of invalid requests: 401, 403 and 429, but not shared limits."""
        return [one for one in self.requests if one.status in _INVALID and one.scope != "shared"]

    @property
    def pinged(self) -> set[int]:
        """Every user who would have been notified of anything."""
        return {user_id for ping in self.pings for user_id in ping.user_ids}

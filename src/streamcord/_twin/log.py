"""What the twin saw: every request byte for byte, every ping, every typing call.

This log, not the product's own books, is what tests believe.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .faults import FaultKind
    from .state.model import Json, Message

__all__ = ["Log", "Ping", "Record", "TypingCall"]

_INVALID = frozenset({401, 403, 429})


@dataclass(slots=True, eq=False)
class Record:
    """One request and how it was answered."""

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
    faults: list[FaultKind] = field(default_factory=list)
    message: Message | None = None
    """The message that this request made, changed, or found by its nonce."""
    created: bool = False
    """Whether it made a new message."""

    @property
    def json(self) -> Json:
        """The JSON of the request, also that of a multipart form."""
        body = self.body
        if body[:1] != b"{":
            start = body.index(b"{", body.index(b'name="payload_json"'))
            body = body[start : body.index(b"\r\n--", start)]
        parsed: Json = json.loads(body)
        return parsed

    def header(self, name: str) -> str | None:
        """A request header, by its name in any case."""
        wanted = name.lower().encode()
        return next((value.decode("latin-1") for key, value in self.headers if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Ping:
    """People who would have been notified by a message."""

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
class TypingCall:
    """Somebody was shown as typing."""

    at: float
    channel_id: int
    user_id: int


class Log:
    """All that happened; `requests` keeps the newest `cap` only."""

    def __init__(self, cap: int = 1_000_000) -> None:
        self.requests: deque[Record] = deque(maxlen=cap)
        self.pings: list[Ping] = []
        self.typing: list[TypingCall] = []

    def clear(self) -> None:
        """Forget everything."""
        self.requests.clear()
        self.pings.clear()
        self.typing.clear()

    def of(self, *routes: str, status: int | None = None) -> list[Record]:
        """The requests to these routes, or all; with this status, if one is given."""
        return [one for one in self._chosen(routes) if status is None or one.status == status]

    def _chosen(self, routes: tuple[str, ...]) -> Iterator[Record]:
        return (one for one in self.requests if not routes or one.route in routes)

    def count(self, *routes: str, status: int | None = None) -> int:
        """How many such requests."""
        return len(self.of(*routes, status=status))

    @property
    def invalid(self) -> list[Record]:
        """What counts against the budget of invalid requests: 401, 403 and 429, but not shared limits."""
        return [one for one in self.requests if one.status in _INVALID and one.scope != "shared"]

    @property
    def pinged(self) -> set[int]:
        """Everybody who would have been notified of anything."""
        return {user_id for ping in self.pings for user_id in ping.user_ids}

"""Routes, the calls that reach them, and the table that finds one from the other.

The error for an unknown route says whether Discord documents it: `documented_routes.txt` lists the routes of
https://docs.discord.com/developers/reference , and `described_routes.txt` those of Discord's OpenAPI document
(https://github.com/discord/discord-api-spec , July 2026).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ApiError, invalid_form
from .request_body import Form, read_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..context import Context
    from ..options import TwinOptions
    from ..request_log import Record
    from ..state.models import Application, Channel, Json
    from ..state.state import State


@dataclass(frozen=True, slots=True)
class Reply:
    """What a route answers."""

    payload: Any = None
    status: int = 200


NO_CONTENT = Reply(status=204)


@dataclass(slots=True, eq=False)
class Call:
    """One request on its way through a route."""

    context: Context
    route: Route
    ids: Mapping[str, str]
    query: Mapping[str, str]
    content_type: str
    record: Record
    application: Application | None = None
    # The parsed body; most routes that read do not need it.
    _form: Form | None = None

    @property
    def state(self) -> State:
        """The state of the twin."""
        return self.context.state

    @property
    def options(self) -> TwinOptions:
        """The options as they are now."""
        return self.context.options

    @property
    def bot(self) -> Application:
        """The application that calls; only routes that ask for a token may use this."""
        if self.application is None:
            raise ApiError(0, status=401, message="401: Unauthorized")
        return self.application

    @property
    def form(self) -> Form:
        """The body, read when it is first asked for."""
        if self._form is None:
            self._form = read_form(self.content_type, self.record.body)
        return self._form

    @property
    def payload(self) -> Json:
        """The body as a JSON object."""
        payload = self.form.payload
        if not isinstance(payload, dict):
            raise ApiError(
                50035, errors={"_errors": [{"code": "DICT_TYPE_CONVERT", "message": "Expected an object."}]}
            )
        return payload

    def id(self, name: str, code: int) -> int:
        """Return an id from the path; one that is no number is unknown (`code`)."""
        raw = self.ids[name]
        # `isdecimal` alone accepts digits of other scripts.
        if not raw.isascii() or not raw.isdecimal():
            raise ApiError(code)
        return int(raw)

    def number(self, name: str, default: int, minimum: int, maximum: int) -> int:
        """Return a number from the query, between two others."""
        raw = self.query.get(name)
        try:
            number = default if raw is None else int(raw)
        except ValueError:
            raise invalid_form(name, "NUMBER_TYPE_COERCE", f'Value "{raw}" is not int.') from None
        if not minimum <= number <= maximum:
            message = f"int value should be between {minimum} and {maximum}."
            raise invalid_form(name, "NUMBER_TYPE_MAX" if number > maximum else "NUMBER_TYPE_MIN", message)
        return number

    def channel(self) -> Channel:
        """Return the channel of the path."""
        channel = self.state.channels.get(self.id("channel_id", 10003))
        if channel is None:
            raise ApiError(10003)
        return channel


@dataclass(frozen=True, slots=True)
class Route:
    """One method and path; `{names}` in it are ids."""

    name: str
    method: str
    path: str
    answer: Callable[[Call], Reply]
    open: bool = False
    """No bot token is needed: the path itself holds a secret."""
    counted: bool = True
    """Whether rate limits apply; interaction callbacks are exempt."""
    segments: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        # Computed once; the dataclass is frozen.
        object.__setattr__(self, "segments", tuple(self.path.strip("/").split("/")))

    def match(self, segments: tuple[str, ...]) -> dict[str, str] | None:
        """Return the ids in a path, if it is this route's."""
        ids = {}
        for mine, theirs in zip(self.segments, segments, strict=True):
            if mine.startswith("{"):
                ids[mine[1:-1]] = theirs
            elif mine != theirs:
                return None
        return ids

    def major(self, ids: Mapping[str, str]) -> str:
        """Return the part of the path that has a rate bucket of its own."""
        # https://docs.discord.com/developers/topics/rate-limits : the webhook id with its token is one major parameter.
        if "webhook_token" in ids:
            return f"{ids['webhook_id']}/{ids['webhook_token']}"
        return next((ids[name] for name in ("channel_id", "guild_id", "webhook_id") if name in ids), "")


class RouteTable:
    """Finds the route of a request by method and number of segments, then segment by segment."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes: dict[tuple[str, int], list[Route]] = {}
        for route in routes:
            # Few routes share a method and a length, so the linear search is short.
            self._routes.setdefault((route.method, len(route.segments)), []).append(route)

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """Return the route and the ids of a path below `/api/v10/`."""
        segments = tuple(path.split("/"))
        for route in self._routes.get((method, len(segments)), ()):
            ids = route.match(segments)
            if ids is not None:
                return route, ids
        return None


def is_true(value: str | None) -> bool:
    """Return a query flag; discord.py writes 1, others true."""
    return value is not None and value.lower() in {"1", "true"}


@cache
def documented_routes() -> tuple[tuple[str, str], ...]:
    """Method and path of every route that Discord documents."""
    return _read_routes("documented_routes.txt")


@cache
def described_routes() -> tuple[tuple[str, str], ...]:
    """Method and path of every route of Discord's OpenAPI document."""
    return _read_routes("described_routes.txt")


def _read_routes(name: str) -> tuple[tuple[str, str], ...]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return tuple((method, path) for method, _, path in (line.partition(" ") for line in text.splitlines()))


def template_of(path: str) -> str:
    """Return a path with `{id}` for every id, and without secrets, so that equal requests count as one."""
    return "/".join("{id}" if _is_id(one) else one for one in path.split("/"))[:200]


def _is_id(segment: str) -> bool:
    # Tokens of webhooks and interactions are longer than any word of a path.
    return segment.isdecimal() or len(segment) > 32


def is_documented(method: str, path: str) -> bool:
    """Return whether Discord has such a route."""
    segments = path.strip("/").split("/")
    return any(method == one and _fits(known, segments) for one, known in documented_routes())


def _fits(known: str, segments: list[str]) -> bool:
    parts = known.strip("/").split("/")
    return len(parts) == len(segments) and all(
        mine.startswith("{") or mine == theirs for mine, theirs in zip(parts, segments, strict=True)
    )


def describe_unknown(method: str, path: str) -> str:
    """Describe an unknown route, for the client and the log."""
    asked = f"{method} /{template_of(path)}"
    if is_documented(method, path):
        return f"the twin does not have {asked} yet, Discord does"
    return f"neither the twin nor Discord's documentation has {asked}"

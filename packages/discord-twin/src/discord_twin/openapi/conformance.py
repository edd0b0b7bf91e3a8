"""Compare what a twin accepts and sends with Discord's own description of its API.

Three things are checked: the JSON of every response, the JSON of every request that the twin accepted, and the parts
of gateway events that the description has a schema for. The gateway itself is not described. `differences.toml`
lists where the description says less than Discord does; each entry names its source.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..state.models import Json
    from .description import ApiDescription, Mismatch

EVENT_SCHEMAS: dict[str, tuple[tuple[str, str], ...]] = {
    # Name of an event -> (where in its data, name of the schema); `[]` is each element of a list.
    "MESSAGE_CREATE": (("", "MessageResponse"),),
    "MESSAGE_UPDATE": (("", "MessageResponse"),),
    "CHANNEL_CREATE": (("", "GuildChannelResponse"),),
    "CHANNEL_UPDATE": (("", "GuildChannelResponse"),),
    "CHANNEL_DELETE": (("", "GuildChannelResponse"),),
    "THREAD_CREATE": (("", "ThreadResponse"),),
    "THREAD_UPDATE": (("", "ThreadResponse"),),
    "THREAD_LIST_SYNC": (("threads[]", "ThreadResponse"),),
    "GUILD_CREATE": (
        ("channels[]", "GuildChannelResponse"),
        ("threads[]", "ThreadResponse"),
        ("roles[]", "GuildRoleResponse"),
        ("emojis[]", "EmojiResponse"),
        ("stickers[]", "GuildStickerResponse"),
        ("members[]", "GuildMemberResponse"),
    ),
    "GUILD_MEMBERS_CHUNK": (("members[]", "GuildMemberResponse"),),
    "GUILD_MEMBER_ADD": (("", "GuildMemberResponse"),),
    "GUILD_MEMBER_REMOVE": (("user", "UserResponse"),),
    "GUILD_BAN_ADD": (("user", "UserResponse"),),
    "GUILD_BAN_REMOVE": (("user", "UserResponse"),),
    "GUILD_ROLE_CREATE": (("role", "GuildRoleResponse"),),
    "GUILD_ROLE_UPDATE": (("role", "GuildRoleResponse"),),
    "GUILD_EMOJIS_UPDATE": (("emojis[]", "EmojiResponse"),),
    "GUILD_STICKERS_UPDATE": (("stickers[]", "GuildStickerResponse"),),
    "MESSAGE_REACTION_ADD": (("member", "GuildMemberResponse"),),
    "TYPING_START": (("member", "GuildMemberResponse"),),
    "INTERACTION_CREATE": (
        ("message", "MessageResponse"),
        ("member.user", "UserResponse"),
        ("user", "UserResponse"),
    ),
    "READY": (("user", "UserPIIResponse"),),
}

# A channel of direct messages has a schema of its own: (schema of `EVENT_SCHEMAS`, channel type) -> schema.
_PRIVATE_SCHEMAS: dict[tuple[str, object], str] = {
    ("GuildChannelResponse", 1): "PrivateChannelResponse",
    ("GuildChannelResponse", 3): "PrivateGroupChannelResponse",
}


class Violation(NamedTuple):
    """Something that the twin sent or accepted and Discord's description does not allow.

    Attributes:
        what: `response`, `request` or `event`.
        where: The operation with its status, or the name of the event.
        at: Where in the body, as a JSON pointer.
        message: What is wrong.

    Example:
        assert [str(one) for one in check.violations] == []

    """

    what: str
    where: str
    at: str
    message: str

    def __str__(self) -> str:
        return f"{self.what} {self.where}{self.at and f' at {self.at}'}: {self.message}"


class Difference(NamedTuple):
    """A violation that is right: the description says less than Discord does."""

    what: str
    # Regular expressions that must match completely.
    where: str
    at: str
    message: str
    source: str

    def explains(self, violation: Violation) -> bool:
        """Return whether a violation is this difference."""
        return all(
            re.fullmatch(pattern, text)
            for pattern, text in (
                (self.what, violation.what),
                (self.where, violation.where),
                (self.at, violation.at),
                (self.message, violation.message),
            )
        )


@cache
def known_differences() -> tuple[Difference, ...]:
    """Return the listed differences between the description and Discord."""
    table = tomllib.loads(Path(__file__).with_name("differences.toml").read_text(encoding="utf-8"))
    return tuple(Difference(**{"at": ".*", "message": ".*", **row}) for row in table.get("difference", ()))


class Conformance:
    """The violations of one twin, each once.

    Args:
        description: Discord's description.
        on_violation: Called with each new violation.

    Example:
        check = twin.check_against(ApiDescription.read("openapi.json"))
        ...
        assert check.violations == []

    """

    def __init__(
        self, description: ApiDescription, on_violation: Callable[[Violation], None] = lambda _: None
    ) -> None:
        self._description = description
        self._on_violation = on_violation
        self.violations: list[Violation] = []
        self.checked = 0
        """How many bodies were compared."""
        # Violations that were found already, those that are listed differences too.
        self._found: set[Violation] = set()

    def check_exchange(self, method: str, path: str, status: int, request: object, response: bytes) -> None:
        """Check a request that was handled, and its response.

        Args:
            method: Of HTTP.
            path: Below `/api/v10/`.
            status: Of the response.
            request: The request's JSON; `None` if it has none.
            response: The response's body.

        """
        operation = self._description.find(method, path)
        if operation is None:
            self._add("request", f"{method} {path}", [("", "the description has no such route")])
            return
        where = f"{method} {operation.path}"
        if request is not None and operation.request is not None and status < 300:
            self._compare("request", where, operation.request, request)
        schema = operation.response(status)
        if schema is not None and response:
            self._compare("response", f"{where} {status}", schema, json.loads(response))

    def check_event(self, name: str, data: Json) -> None:
        """Check the described parts of a gateway event."""
        for path, schema in EVENT_SCHEMAS.get(name, ()):
            for value in _select(data, path):
                found = _PRIVATE_SCHEMAS.get((schema, _type_of(value)), schema)
                self._compare("event", f"{name}{path and f' {path}'}", found, value)

    def _compare(self, what: str, where: str, schema: str, value: object) -> None:
        self.checked += 1
        self._add(what, where, self._description.mismatches(schema, value))

    def _add(self, what: str, where: str, mismatches: list[Mismatch] | list[tuple[str, str]]) -> None:
        for at, message in mismatches:
            violation = Violation(what, where, at, message)
            if violation in self._found:
                continue
            self._found.add(violation)
            if not any(one.explains(violation) for one in known_differences()):
                self.violations.append(violation)
                self._on_violation(violation)


def _type_of(value: object) -> object:
    return value.get("type") if isinstance(value, dict) else None


def _select(data: Json, path: str) -> Iterator[object]:
    """Yield the values at a path of `EVENT_SCHEMAS`; parts that are missing or null yield nothing."""
    values: list[object] = [data]
    for part in path.split(".") if path else ():
        name, is_list = part.removesuffix("[]"), part.endswith("[]")
        found = [value.get(name) for value in values if isinstance(value, dict)]
        values = [one for value in found if isinstance(value, list) for one in value] if is_list else found
    yield from (value for value in values if value is not None)

"""Whom the bot answers, and which models are open to whom: lists of people, roles, channels and servers.

A list that names somebody or something is closed for all others; an empty one is open. What is blocked stays
out, whoever allows it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from streamcord._shared.bounded_cache import BoundedCache
from streamcord._shared.fields import check_fields, setting

__all__ = [
    "AccessConfig",
    "AccessList",
    "ClosedTo",
    "Refusals",
    "Visitor",
    "find_refusal",
    "is_open",
    "is_server_open",
    "visitor_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessList:
    """Ids of people, roles, channels (with their threads; a category with its channels) and servers."""

    people: tuple[int, ...] = setting((), "Ids of people.", least=1, is_id=True)
    roles: tuple[int, ...] = setting((), "Ids of roles.", least=1, is_id=True)
    channels: tuple[int, ...] = setting((), "Ids of channels or categories.", least=1, is_id=True)
    servers: tuple[int, ...] = setting((), "Ids of servers.", least=1, is_id=True)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def is_empty(self) -> bool:
        """Whether it names nobody and nothing."""
        return not (self.people or self.roles or self.channels or self.servers)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessConfig:
    """`[access]`: whom the bot answers; direct messages of people only, once `allow` names anything else."""

    allow: AccessList = setting(doc="Nobody and nothing else, where a list is not empty.", factory=AccessList)
    block: AccessList = setting(doc="Nobody and nothing of these.", factory=AccessList)
    leave_servers: bool = setting(False, "Whether the bot leaves servers that are not allowed.")

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who wants something from the bot, and where; server 0 is a direct message."""

    person: int
    server: int = 0
    channels: tuple[int, ...] = ()
    """The channel, the one that a thread belongs to, and its category."""
    roles: frozenset[int] = field(default_factory=frozenset)


class ClosedTo(StrEnum):
    """Why somebody is not answered; the key of the text that says so."""

    PERSON = "closed_person"
    DM = "closed_dm"
    CHANNEL = "closed_channel"
    SERVER = "closed_server"
    MODEL = "closed_model"


def find_refusal(config: AccessConfig, visitor: Visitor) -> ClosedTo | None:
    """Why a visitor is not served, or `None`."""
    return _find_blocked(config.block, visitor) or _find_closed(config.allow, visitor)


def is_open(allowed: AccessList, visitor: Visitor) -> bool:
    """Whether a list lets a visitor in."""
    return _find_closed(allowed, visitor) is None


def is_server_open(config: AccessConfig, server: int) -> bool:
    """Whether anybody of a server could be served."""
    allowed = config.allow.servers
    return server not in config.block.servers and (not allowed or server in allowed)


def _find_blocked(blocked: AccessList, visitor: Visitor) -> ClosedTo | None:
    if visitor.person in blocked.people or visitor.roles.intersection(blocked.roles):
        return ClosedTo.PERSON
    if visitor.server in blocked.servers:
        return ClosedTo.SERVER
    return ClosedTo.CHANNEL if set(visitor.channels).intersection(blocked.channels) else None


def _find_closed(allowed: AccessList, visitor: Visitor) -> ClosedTo | None:
    if not visitor.server:
        return None if allowed.is_empty or visitor.person in allowed.people else ClosedTo.DM
    if allowed.servers and visitor.server not in allowed.servers:
        return ClosedTo.SERVER
    if allowed.channels and not set(visitor.channels).intersection(allowed.channels):
        return ClosedTo.CHANNEL
    if visitor.person in allowed.people or visitor.roles.intersection(allowed.roles):
        return None
    return ClosedTo.PERSON if allowed.people or allowed.roles else None


class Refusals:
    """Remembers who was told what, so that each is told once."""

    def __init__(self, cap: int = 10_000) -> None:
        self._told: BoundedCache[Hashable, None] = BoundedCache(cap)

    def is_first(self, refusal: str, visitor: Visitor) -> bool:
        """Whether nobody heard this yet; a closed server or channel is told of once for all of it."""
        whole: dict[str, Hashable] = {
            ClosedTo.SERVER: visitor.server,
            ClosedTo.CHANNEL: visitor.channels[:1],
        }
        key = (refusal, whole.get(refusal, visitor.person))
        if key in self._told:
            return False
        self._told.keep(key, None)
        return True


def visitor_of(person: int, roles: Iterable[int], channel: Any) -> Visitor:  # noqa: ANN401 - of any kind
    """Somebody of Discord in one of its channels, as the lists see them."""
    guild = getattr(channel, "guild", None)
    places = (channel.id, getattr(channel, "parent_id", 0), getattr(channel, "category_id", 0))
    return Visitor(person, guild.id if guild else 0, tuple(filter(None, places)), frozenset(roles))

"""Decide whom the bot answers, and who may use which model, by lists of people, roles, channels and servers.

A list with entries excludes all others; an empty list excludes no one. A blocked user, role, channel or server stays
blocked even if another list allows it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from streamcord.utils import BoundedCache

from ..config import AccessConfig, AccessList


@dataclass(frozen=True, slots=True)
class Requester:
    """A user who wants something from the bot, and where; server 0 is a direct message."""

    person: int
    server: int = 0
    channels: tuple[int, ...] = ()
    """The channel, the one that a thread belongs to, and its category."""
    roles: frozenset[int] = field(default_factory=frozenset)


class DenialReason(StrEnum):
    """Why a user is not answered; the value is the key of the notice."""

    PERSON = "closed_person"
    DM = "closed_dm"
    CHANNEL = "closed_channel"
    SERVER = "closed_server"
    MODEL = "closed_model"


def find_refusal(config: AccessConfig, requester: Requester) -> DenialReason | None:
    """Return why a user is not answered, or `None`."""
    return _find_blocked(config.block, requester) or _find_closed(config.allow, requester)


def is_open(allowed: AccessList, requester: Requester) -> bool:
    """Return whether a list allows a user."""
    return _find_closed(allowed, requester) is None


def is_server_open(config: AccessConfig, server: int) -> bool:
    """Return whether a server is allowed, so that at least some of its users can be answered."""
    allowed = config.allow.servers
    return server not in config.block.servers and (not allowed or server in allowed)


def _find_blocked(blocked: AccessList, requester: Requester) -> DenialReason | None:
    # The most specific reason first: it decides which notice is shown.
    if requester.person in blocked.people or requester.roles.intersection(blocked.roles):
        return DenialReason.PERSON
    if requester.server in blocked.servers:
        return DenialReason.SERVER
    return DenialReason.CHANNEL if set(requester.channels).intersection(blocked.channels) else None


def _find_closed(allowed: AccessList, requester: Requester) -> DenialReason | None:
    # Servers, channels and roles say nothing about direct messages; only people who are named may write them.
    if not requester.server:
        return None if allowed.is_empty or requester.person in allowed.people else DenialReason.DM
    if allowed.servers and requester.server not in allowed.servers:
        return DenialReason.SERVER
    if allowed.channels and not set(requester.channels).intersection(allowed.channels):
        return DenialReason.CHANNEL
    # People and roles are alternatives: one match is enough.
    if requester.person in allowed.people or requester.roles.intersection(allowed.roles):
        return None
    return DenialReason.PERSON if allowed.people or allowed.roles else None


class ShownRefusals:
    """Remembers which refusals were shown to whom, so that each is shown once."""

    def __init__(self, cap: int = 10_000) -> None:
        # Keys of refusal and user, server or channel.
        self._shown: BoundedCache[Hashable, None] = BoundedCache(cap)

    def is_first(self, refusal: str, requester: Requester) -> bool:
        """Return whether this refusal was not shown yet; that of a server or channel is shown once for all users."""
        whole: dict[str, Hashable] = {
            DenialReason.SERVER: requester.server,
            DenialReason.CHANNEL: requester.channels[:1],
        }
        key = (refusal, whole.get(refusal, requester.person))
        if key in self._shown:
            return False
        self._shown.keep(key, None)
        return True


def requester_of(person: int, roles: Iterable[int], channel: Any) -> Requester:  # noqa: ANN401 - of any kind
    """Return a Discord user in a channel as the access lists see them."""
    guild = getattr(channel, "guild", None)
    # A thread has a parent, a channel may have a category, a direct message has neither.
    places = (channel.id, getattr(channel, "parent_id", 0), getattr(channel, "category_id", 0))
    return Requester(person, guild.id if guild else 0, tuple(filter(None, places)), frozenset(roles))

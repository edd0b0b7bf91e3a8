"""Keeps a persona from passing for somebody who has power in the server.

Discord marks a webhook's message as an app's, which few read. Names are compared by what an eye takes them
for. Only a bot with the members intent knows the members; without it nobody is known and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import discord

from ..._cache import Recent
from ..._errors import NoVoice
from .webhook_names import is_confusable, mark, skeleton

__all__ = ["Namesakes", "Policy"]

Policy: TypeAlias = Literal["mark", "refuse", "allow"]

NOTE = "persona"
"""What stands behind a name that somebody else has."""
FRESH = 300.0
"""Seconds after which the members are looked through again."""
_POWERS = discord.Permissions(
    administrator=True,
    ban_members=True,
    kick_members=True,
    manage_channels=True,
    manage_guild=True,
    manage_messages=True,
    manage_roles=True,
    moderate_members=True,
).value


class Namesakes:
    """Knows the names of those with power, server by server."""

    def __init__(self, policy: Policy, clock: Callable[[], float]) -> None:
        self._policy = policy
        self._clock = clock
        self._known: Recent[int, tuple[float, frozenset[str]]] = Recent(1000)

    def settle(self, name: str, guild: discord.Guild) -> str:
        """The name as it may be shown; `NoVoice` where the policy is to refuse it."""
        if self._policy == "allow" or not is_confusable(name, self._skeletons(guild)):
            return name
        if self._policy == "refuse":
            raise NoVoice("the name could be taken for a moderator's")
        return mark(name, NOTE)

    def _skeletons(self, guild: discord.Guild) -> frozenset[str]:
        until, known = self._known.find(guild.id) or (0.0, frozenset())
        if self._clock() >= until:
            known = frozenset(filter(None, map(skeleton, _powerful_names(guild))))
            self._known.keep(guild.id, (self._clock() + FRESH, known))
        return known


def _powerful_names(guild: discord.Guild) -> Iterator[str]:
    powerful = [role.id for role in guild.roles if role.permissions.value & _POWERS and not role.is_default()]
    for member in guild.members:
        if member.id == guild.me.id:
            continue
        if member.id == guild.owner_id or any(member.get_role(role) for role in powerful):
            yield from {member.name, member.display_name, member.global_name or ""}

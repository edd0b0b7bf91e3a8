"""Names that could be taken for those of people who have power in a server.

A bot with the members intent knows everybody. One without it asks Discord for the members whose names begin
like the persona's, in all the ways in which they may be written; where the answer does not come or is not
complete, it is unsure, and what is unsure counts as a namesake.
https://docs.discord.com/developers/resources/guild#search-guild-members
"""

from __future__ import annotations

import asyncio
import logging
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Literal, TypeAlias

import aiohttp
import discord
from discord.http import Route

from ...._errors import NoVoice
from ...._shared.bounded_cache import BoundedCache
from ..appearance import is_confusable, mark, skeleton

__all__ = ["FRESH", "PATIENCE", "Namesakes", "Policy"]

Policy: TypeAlias = Literal["mark", "refuse", "allow"]

NOTE = "persona"
"""What stands behind a name that somebody else has."""
FRESH = 300.0
"""Seconds after which the members are looked through again."""
PATIENCE = 2.0
"""Seconds that a message waits for Discord to say who has such a name."""
SEARCH_LIMIT = 1000
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
_WRITTEN = {"l": "li1", "o": "o0"}
"""Letters of a skeleton, and how people write them."""
_LOGGER = logging.getLogger(__name__)


class Namesakes:
    """Knows the names of members who have power, for each server."""

    def __init__(self, policy: Policy, clock: Callable[[], float]) -> None:
        self._policy = policy
        self._clock = clock
        self._known: BoundedCache[int, tuple[float, frozenset[str]]] = BoundedCache(1000)
        self._found: BoundedCache[tuple[int, str], tuple[float, bool]] = BoundedCache(10_000)
        self._searches: dict[tuple[int, str], asyncio.Task[bool]] = {}

    async def settle(self, name: str, guild: discord.Guild) -> str:
        """The name as it may be shown; raises `NoVoice` if the policy is to refuse it."""
        if self._policy == "allow" or not await self._is_namesake(name, guild):
            return name
        if self._policy == "refuse":
            raise NoVoice("the name could be taken for a moderator's")
        return mark(name, NOTE)

    async def _is_namesake(self, name: str, guild: discord.Guild) -> bool:
        if not skeleton(name):
            return False
        if guild.chunked:
            return is_confusable(name, self._skeletons(guild))
        key = (guild.id, skeleton(name))
        until, known = self._found.find(key) or (0.0, True)
        return known if self._clock() < until else await self._ask(key, name, guild)

    async def _ask(self, key: tuple[int, str], name: str, guild: discord.Guild) -> bool:
        """Search once, however many messages wait for it; a search that takes long goes on without them."""
        search = self._searches.get(key)
        if search is None:
            search = self._searches[key] = asyncio.create_task(self._search(key, name, guild))
            search.add_done_callback(lambda _: self._searches.pop(key, None))
        await asyncio.wait({search}, timeout=PATIENCE)
        return not search.done() or search.result()

    async def _search(self, key: tuple[int, str], name: str, guild: discord.Guild) -> bool:
        try:
            answers = await asyncio.gather(*(_members_like(guild, start) for start in _beginnings(name)))
        except (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError) as error:
            _LOGGER.warning("members cannot be searched, so a persona is marked: %s", type(error).__name__)
            answers = [[{}] * SEARCH_LIMIT]
        names = (one for answer in answers for one in _names_with_power(guild, answer))
        unsure = any(len(answer) >= SEARCH_LIMIT for answer in answers)
        found = unsure or is_confusable(name, frozenset(filter(None, map(skeleton, names))))
        self._found.keep(key, (self._clock() + FRESH, found))
        return found

    def _skeletons(self, guild: discord.Guild) -> frozenset[str]:
        until, known = self._known.find(guild.id) or (0.0, frozenset())
        if self._clock() >= until:
            known = frozenset(filter(None, map(skeleton, _powerful_names(guild))))
            self._known.keep(guild.id, (self._clock() + FRESH, known))
        return known


def _powerful_names(guild: discord.Guild) -> Iterator[str]:
    powerful = _powerful_roles(guild)
    for member in guild.members:
        if member.id == guild.me.id:
            continue
        if member.id == guild.owner_id or any(member.get_role(role) for role in powerful):
            yield from {member.name, member.display_name, member.global_name or ""}


def _powerful_roles(guild: discord.Guild) -> frozenset[int]:
    return frozenset(
        role.id for role in guild.roles if role.permissions.value & _POWERS and not role.is_default()
    )


# --- Searching ------------------------------------------------------------------------------------------


def _beginnings(name: str) -> list[str]:
    """How names that look like this one may begin."""
    written = unicodedata.normalize("NFKC", name).casefold().lstrip()[:2]
    spelled = product(*(_WRITTEN.get(letter, letter) for letter in skeleton(name)[:2]))
    return list(dict.fromkeys([written, *map("".join, spelled)]))


async def _members_like(guild: discord.Guild, beginning: str) -> list[dict[str, Any]]:
    route = Route("GET", "/guilds/{guild_id}/members/search", guild_id=guild.id)
    found: list[dict[str, Any]] = await guild._state.http.request(  # noqa: SLF001
        route, params={"query": beginning, "limit": SEARCH_LIMIT}
    )
    return found


def _names_with_power(guild: discord.Guild, members: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    powerful = _powerful_roles(guild)
    for member in members:
        user = member.get("user") or {}
        id_ = int(user.get("id", 0))
        has_power = id_ == guild.owner_id or powerful.intersection(map(int, member.get("roles", ())))
        if has_power and id_ != guild.me.id:
            yield from filter(None, (user.get("username"), user.get("global_name"), member.get("nick")))

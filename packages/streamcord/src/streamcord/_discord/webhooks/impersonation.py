"""Prevent impersonation: detect persona names that look like those of a server's moderators.

A bot with the members intent knows all members. Without it, Discord is asked for members whose names begin
like the persona's, in all look-alike spellings. If the response is late or incomplete, the name counts as an
impersonation.
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

from ..._common.bounded_cache import BoundedCache
from ..._exceptions import WebhookUnavailable
from .appearance import append_suffix, is_confusable, skeleton

ImpersonationPolicy: TypeAlias = Literal["mark", "refuse", "allow"]

IMPERSONATION_SUFFIX = "persona"
"""Suffix of a persona name that could be mistaken for a moderator's."""
CACHE_S = 300.0
"""Seconds for which the names of moderators are cached."""
SEARCH_TIMEOUT_S = 2.0
"""Seconds that a message waits for the member search."""
SEARCH_LIMIT = 1000
_MODERATOR_PERMISSIONS = discord.Permissions(
    administrator=True,
    ban_members=True,
    kick_members=True,
    manage_channels=True,
    manage_guild=True,
    manage_messages=True,
    manage_roles=True,
    moderate_members=True,
).value
_LOOKALIKES = {"l": "li1", "o": "o0"}
"""Letters of a skeleton, and the characters that look like them."""
_log = logging.getLogger(__name__)


class ImpersonationGuard:
    """Compares persona names with the names of each server's moderators."""

    def __init__(self, policy: ImpersonationPolicy, clock: Callable[[], float]) -> None:
        self._policy = policy
        self._clock = clock
        # Skeletons of moderator names by server, with their expiry; used if all members are known.
        self._known: BoundedCache[int, tuple[float, frozenset[str]]] = BoundedCache(1000)
        # Results of member searches by server and skeleton, with their expiry.
        self._found: BoundedCache[tuple[int, str], tuple[float, bool]] = BoundedCache(10_000)
        # Running searches.
        self._searches: dict[tuple[int, str], asyncio.Task[bool]] = {}

    async def resolve_name(self, name: str, guild: discord.Guild) -> str:
        """Return the name as it may be shown.

        Raises:
            WebhookUnavailable: it is an impersonation, and the policy is to refuse it.

        """
        if self._policy == "allow" or not await self._is_impersonation(name, guild):
            return name
        if self._policy == "refuse":
            raise WebhookUnavailable("the persona's name could be mistaken for a moderator's")
        return append_suffix(name, IMPERSONATION_SUFFIX)

    async def _is_impersonation(self, name: str, guild: discord.Guild) -> bool:
        if not skeleton(name):
            return False
        if guild.chunked:
            return is_confusable(name, self._moderator_skeletons(guild))
        key = (guild.id, skeleton(name))
        until, known = self._found.find(key) or (0.0, True)
        return known if self._clock() < until else await self._ask(key, name, guild)

    async def _ask(self, key: tuple[int, str], name: str, guild: discord.Guild) -> bool:
        """Search once for all waiting messages; after `SEARCH_TIMEOUT_S` the name counts as an impersonation."""
        search = self._searches.get(key)
        if search is None:
            search = self._searches[key] = asyncio.create_task(self._search(key, name, guild))
            search.add_done_callback(lambda _: self._searches.pop(key, None))
        await asyncio.wait({search}, timeout=SEARCH_TIMEOUT_S)
        return not search.done() or search.result()

    async def _search(self, key: tuple[int, str], name: str, guild: discord.Guild) -> bool:
        try:
            answers = await asyncio.gather(
                *(_search_members(guild, start) for start in _search_prefixes(name))
            )
        except (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError) as error:
            _log.warning(
                "searching members failed, treating the persona name as an impersonation: %s",
                type(error).__name__,
            )
            # A full page counts as incomplete, and so as an impersonation.
            answers = [[{}] * SEARCH_LIMIT]
        names = (one for answer in answers for one in _moderator_names_in(guild, answer))
        is_incomplete = any(len(answer) >= SEARCH_LIMIT for answer in answers)
        found = is_incomplete or is_confusable(name, frozenset(filter(None, map(skeleton, names))))
        self._found.keep(key, (self._clock() + CACHE_S, found))
        return found

    def _moderator_skeletons(self, guild: discord.Guild) -> frozenset[str]:
        until, known = self._known.find(guild.id) or (0.0, frozenset())
        if self._clock() >= until:
            known = frozenset(filter(None, map(skeleton, _moderator_names(guild))))
            self._known.keep(guild.id, (self._clock() + CACHE_S, known))
        return known


def _moderator_names(guild: discord.Guild) -> Iterator[str]:
    powerful = _moderator_roles(guild)
    for member in guild.members:
        if member.id == guild.me.id:
            continue
        if member.id == guild.owner_id or any(member.get_role(role) for role in powerful):
            yield from {member.name, member.display_name, member.global_name or ""}


def _moderator_roles(guild: discord.Guild) -> frozenset[int]:
    return frozenset(
        role.id
        for role in guild.roles
        if role.permissions.value & _MODERATOR_PERMISSIONS and not role.is_default()
    )


# --- Searching ------------------------------------------------------------------------------------------


def _search_prefixes(name: str) -> list[str]:
    """Return the possible first letters of names that look like this one."""
    written = unicodedata.normalize("NFKC", name).casefold().lstrip()[:2]
    spelled = product(*(_LOOKALIKES.get(letter, letter) for letter in skeleton(name)[:2]))
    return list(dict.fromkeys([written, *map("".join, spelled)]))


async def _search_members(guild: discord.Guild, beginning: str) -> list[dict[str, Any]]:
    route = Route("GET", "/guilds/{guild_id}/members/search", guild_id=guild.id)
    found: list[dict[str, Any]] = await guild._state.http.request(  # noqa: SLF001
        route, params={"query": beginning, "limit": SEARCH_LIMIT}
    )
    return found


def _moderator_names_in(guild: discord.Guild, members: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    powerful = _moderator_roles(guild)
    for member in members:
        user = member.get("user") or {}
        id_ = int(user.get("id", 0))
        has_power = id_ == guild.owner_id or powerful.intersection(map(int, member.get("roles", ())))
        if has_power and id_ != guild.me.id:
            yield from filter(None, (user.get("username"), user.get("global_name"), member.get("nick")))

"""Give the bot the name and the picture of a server's persona, in this server only.

A persona without an identity of its own speaks as the bot, and so do private answers and notices of any persona: they
carry the bot's face. https://docs.discord.com/developers/resources/guild#modify-current-member
"""

from __future__ import annotations

import logging
from typing import Any

import discord

from streamcord import StoreError
from streamcord.store import Store, StoredPersona

from ..discord_requests import REQUEST_ERRORS

MAX_NICK_CHARS = 32
"""https://docs.discord.com/developers/resources/user#usernames-and-nicknames"""

_log = logging.getLogger(__name__)


class ServerProfile:
    """Changes the bot's profile in a server; with `enabled` false it does nothing."""

    def __init__(self, store: Store, *, enabled: bool) -> None:
        self._store = store
        self._enabled = enabled

    async def show(
        self, guild: discord.Guild, persona: StoredPersona | None, before: str | None = None
    ) -> bool:
        """Show a persona, or the bot's own profile again; return whether something was changed.

        Args:
            guild: the server.
            persona: the persona that speaks there now; None is the default one.
            before: the persona that spoke there before. A name that someone else gave the bot is left alone.

        """
        if not self._enabled or guild.me is None:
            return False
        me = guild.me
        changes: dict[str, Any] = {}
        if persona is not None:
            changes["nick"] = persona.name[:MAX_NICK_CHARS]
            changes["avatar"] = await self._picture(persona)
        elif before is not None and me.nick == before[:MAX_NICK_CHARS]:
            changes = {"nick": None, "avatar": None}
        if changes.get("nick", me.nick) == me.nick or not me.guild_permissions.change_nickname:
            changes.pop("nick", None)
        if not changes:
            return False
        try:
            await me.edit(**changes, reason="The persona of this server was changed")
        except (*REQUEST_ERRORS, ValueError) as error:
            # Discord limits how often an avatar changes. The persona speaks all the same.
            _log.warning("changing the bot's profile in server %d failed: %s", guild.id, error)
            return False
        return True

    async def _picture(self, persona: StoredPersona) -> bytes | None:
        """Return the content of a persona's picture; None if it has none, or only an address."""
        try:
            picture = await self._store.find_picture(persona.guild, persona.name)
        except StoreError as error:
            _log.warning("reading the picture of a persona failed, its profile goes without: %s", error)
            return None
        return picture.content if picture is not None and picture.content else None

"""What all commands have in common: who may use them, where they count, and a plain word if one fails."""

from __future__ import annotations

import logging
from typing import Any, Literal, TypeAlias

import discord
from discord import app_commands

from streamcord import SettingsError, StoreError
from streamcord.store import Place

from ..conversation.channel_config import place_of
from ..discord_requests import NOBODY, answer_quietly
from ..persona.cards import CardError
from ..persona.fetching import FetchError
from ..persona.pictures import PictureError
from ..persona.server_personas import escape
from ..services import Services
from ..texts import translate

__all__ = [
    "CHOICE_CAP",
    "TEXT_LENGTH",
    "TOLD",
    "AnyCommand",
    "Courteous",
    "Press",
    "Refused",
    "Scope",
    "choices",
    "complain",
    "find_scope",
    "is_own",
    "read_file",
    "reply",
    "require_server",
]

CHOICE_CAP = 25
"""What Discord shows of an autocompletion, at most."""
TEXT_LENGTH = 2000
TOLD = "told"
"""Marks an interaction whose user knows already what went wrong."""

Press: TypeAlias = discord.Interaction[Any]
AnyCommand: TypeAlias = app_commands.Command[Any, Any, Any] | app_commands.ContextMenu | app_commands.Group
Scope: TypeAlias = Literal["channel", "server"]

_log = logging.getLogger("streamcord.bot")
_PLAIN_ERRORS = (CardError, FetchError, PictureError)


class Refused(Exception):
    """A command cannot be carried out; `key` is the phrase that says why."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


class Courteous(app_commands.Group):
    """A group of commands that answers whatever happens."""

    def __init__(self, services: Services, name: str, description: str, *, guild_only: bool = False) -> None:
        super().__init__(name=name, description=description, guild_only=guild_only)
        self.services = services

    async def on_error(self, press: Press, error: app_commands.AppCommandError, /) -> None:
        """Say what went wrong, to whoever asked."""
        # discord.py asks the handlers of all groups around a command, and then the tree's.
        if press.extras.get(TOLD):
            return
        press.extras[TOLD] = True
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await answer_quietly(press, complain(str(press.locale), cause))


def complain(locale: str, error: BaseException) -> str:
    """What a person is told of an error; what is not their doing goes to the log."""
    if isinstance(error, Refused):
        return translate(locale, error.key, **error.values)
    if isinstance(error, SettingsError):
        return translate(locale, "refused", reason=_inline(str(error)))
    if isinstance(error, _PLAIN_ERRORS):
        return str(error)
    if isinstance(error, StoreError):
        _log.warning("the store failed: %s", error)
        return translate(locale, "store_failed")
    _log.error("a command failed", exc_info=error)
    return translate(locale, "command_failed")


def _inline(text: str) -> str:
    """A message that quotes what somebody typed, as text that is nothing but text."""
    return escape(text.rstrip(".")[:1000])


async def reply(
    press: Press, text: str, *files: discord.File, public: bool = False
) -> discord.Message | None:
    """Answer a command that was deferred: quietly, unless others shall see it."""
    if not public and not files:
        await answer_quietly(press, text[:TEXT_LENGTH])
        return None
    return await press.followup.send(
        text[:TEXT_LENGTH], files=list(files), ephemeral=not public, allowed_mentions=NOBODY, wait=True
    )


# --- Where, and who may ---------------------------------------------------------------------------


def find_scope(press: Press, where: Scope) -> Place:
    """The place that a change is for; whoever may not change it is told so."""
    if press.channel is None:
        raise Refused("command_failed")
    place, _ = place_of(press.channel)
    rights = press.permissions
    if not place.guild:
        if where == "server":
            raise Refused("only_server")
        return place
    if where == "server":
        if not rights.manage_guild:
            raise Refused("need_server")
        return place.server
    if not (rights.manage_channels or rights.manage_guild):
        raise Refused("need_channel")
    return place


def require_server(press: Press) -> int:
    """The server whose personas may be changed by this person."""
    return find_scope(press, "server").guild


def is_own(press: Press) -> bool:
    """Whether it is a direct message."""
    return press.guild_id is None


# --- Files and lists ------------------------------------------------------------------------------


async def read_file(file: discord.Attachment, cap: int) -> bytes:
    """A file that came with a command."""
    if file.size > cap:
        raise Refused("too_large", size=cap // 2**20)
    try:
        return await file.read()
    except discord.DiscordException:
        raise Refused("unread") from None


def choices(names: list[str], current: str) -> list[app_commands.Choice[str]]:
    """What is offered while somebody types: names that begin with it, then names that hold it."""
    typed = current.strip().casefold()
    found = [name for name in names if typed in name.casefold()]
    found.sort(key=lambda name: not name.casefold().startswith(typed))
    return [app_commands.Choice(name=name[:100], value=name[:100]) for name in found[:CHOICE_CAP]]

"""Helpers that all commands share: permissions, places, replies and error messages."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import discord
from discord import app_commands

from streamcord import SettingsError, StopMode, StoreError
from streamcord.store import Place

from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate, translate_error
from ..messages.chat_message import ChatMessage
from ..personas.character_cards import CardError
from ..personas.picture_fetcher import FetchError
from ..personas.pictures import PictureError
from ..personas.server_personas import escape
from ..policy.channel_config import ChannelConfigs, place_of
from ..policy.permissions import may_ping_roles, stop_requester_of
from ..ui.notices import reply_privately

TEXT_LENGTH = 2000
"""Characters that Discord accepts in a message."""
FORM_TIMEOUT_S = 900.0
"""A form that is not submitted by then is forgotten. Discord reports no cancelled form, so discord.py would keep it."""
ERROR_SHOWN = "error_shown"
"""Marks, in `Interaction.extras`, that the user has seen the error."""
_PUBLIC = "public"
"""Marks, in `Interaction.extras`, that the reply was deferred for all to see."""

Interaction: TypeAlias = discord.Interaction[Any]
AnyCommand: TypeAlias = app_commands.Command[Any, Any, Any] | app_commands.ContextMenu | app_commands.Group
Scope: TypeAlias = Literal["channel", "server"]

_log = logging.getLogger(__name__)
# Errors whose message is written for the user who sent the file.
_PLAIN_ERRORS = (CardError, FetchError, PictureError)


def allow_installs(commands: Sequence[AnyCommand], *, users: bool) -> None:
    """Offer commands where the bot is a member and, with `users`, to users who installed it for themselves."""
    for command in commands:
        command.allowed_installs = app_commands.AppInstallationType(guild=True, user=users)
        command.allowed_contexts = app_commands.AppCommandContext(
            guild=True, dm_channel=True, private_channel=users
        )


def with_permissions_of(interaction: Interaction, message: ChatMessage) -> ChatMessage:
    """Return a fetched message as if the user of the interaction had just written it.

    A fetched message has no roles of its author, so that lists of roles and denied permissions would not apply.
    """
    return replace(
        message,
        roles=stop_requester_of(interaction).roles,
        pings_roles=may_ping_roles(interaction.user, interaction.channel),
        reads_back=interaction.guild_id is None or interaction.permissions.read_message_history,
    )


class CommandRefused(Exception):
    """A command cannot be executed; `key` is the locale key of the reason."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


class CommandGroup(app_commands.Group):
    """A group of commands that shows errors to its user."""

    def __init__(self, name: str, description: str, *, guild_only: bool = False) -> None:
        super().__init__(name=name, description=description, guild_only=guild_only)

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Show the error to the user, once and privately."""
        # discord.py calls the handlers of all groups around a command, and then the tree's.
        if interaction.extras.get(ERROR_SHOWN):
            return
        interaction.extras[ERROR_SHOWN] = True
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        if interaction.extras.get(_PUBLIC):
            # The first follow-up is as public as its deferral, so delete that before a private error is sent.
            with suppress(*REQUEST_ERRORS):
                await interaction.delete_original_response()
        name = f"/{interaction.command.qualified_name}" if interaction.command else "a command"
        await reply_privately(interaction, describe_error(str(interaction.locale), cause, name))


def describe_error(locale: str, error: BaseException, name: str) -> str:
    """Return the text about an error for the user; log errors that only the operator can fix.

    Args:
        locale: the user's language.
        error: the error.
        name: the command or form that failed, for the log.

    """
    # Refusals and wrong values are the user's to fix, so they are not logged.
    if isinstance(error, CommandRefused):
        return translate(locale, error.key, **error.values)
    if isinstance(error, SettingsError):
        return translate(locale, "refused", reason=_inline(str(error)))
    if isinstance(error, _PLAIN_ERRORS):
        return translate_error(locale, str(error))
    if isinstance(error, StoreError):
        _log.warning("%s failed because of the store: %s", name, error)
        return translate(locale, "store_failed")
    _log.error("%s failed, replying with a general notice", name, exc_info=error)
    return translate(locale, "command_failed")


def _inline(text: str) -> str:
    """Escape Markdown in an error message: it may quote what the user typed."""
    return escape(text.rstrip(".")[:1000])


async def defer(interaction: Interaction, *, public: bool = False) -> None:
    """Defer the reply, so that Discord waits for it; errors are private even if the reply is `public`."""
    interaction.extras[_PUBLIC] = public
    await interaction.response.defer(ephemeral=not public)


async def reply(
    interaction: Interaction, text: str, *files: discord.File, public: bool = False
) -> discord.Message | None:
    """Reply to a deferred command, privately unless `public`; return the message if there is one."""
    # `reply_privately` survives an expired token; files need the message of a follow-up.
    if not public and not files:
        await reply_privately(interaction, text[:TEXT_LENGTH])
        return None
    return await interaction.followup.send(
        text[:TEXT_LENGTH], files=list(files), ephemeral=not public, allowed_mentions=NO_PINGS, wait=True
    )


# --- Where, and who may ---------------------------------------------------------------------------


def require_place(interaction: Interaction, where: Scope) -> Place:
    """Return the place that a change is for.

    Raises:
        CommandRefused: the user may not change settings there.

    """
    if interaction.channel is None:
        raise CommandRefused("command_failed")
    place, _ = place_of(interaction.channel)
    permissions = interaction.permissions
    # In direct messages there are no permissions: the settings are those of the user.
    if not place.guild:
        if where == "server":
            raise CommandRefused("only_server")
        return place
    if where == "server":
        if not permissions.manage_guild:
            raise CommandRefused("need_server")
        return place.server
    if not (permissions.manage_channels or permissions.manage_guild):
        raise CommandRefused("need_channel")
    return place


def require_server(interaction: Interaction) -> int:
    """Return the id of the server.

    Raises:
        CommandRefused: the user may not manage the server.

    """
    return require_place(interaction, "server").guild


# --- Files and lists ------------------------------------------------------------------------------


async def read_file(file: discord.Attachment, cap: int) -> bytes:
    """Download a file that was sent with a command.

    Raises:
        CommandRefused: the file is larger than `cap` bytes or cannot be downloaded.

    """
    # Discord states the size, so a file that is too large is not downloaded at all.
    if file.size > cap:
        raise CommandRefused("too_large", size=cap // 2**20)
    try:
        return await file.read()
    except discord.DiscordException:
        raise CommandRefused("unread") from None


def inline_code(text: str) -> str:
    """Return text that is safe between backticks: on one line, without backticks, shortened."""
    return " ".join(text.split()).replace("`", "ˋ")[:200]


async def stop_mode_in(channel_configs: ChannelConfigs, interaction: discord.Interaction[Any]) -> StopMode:
    """Return what a stop in this channel does with text that was already received."""
    if interaction.channel is None:
        return StopMode.AFTER_THIS
    return (await channel_configs.find_cached(*place_of(interaction.channel))).answer.stop_mode

"""`/stop`: end the answer that is being written in this channel."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from streamcord import StopOutcome

from ..i18n import translate
from ..listening.dispatcher import Dispatcher
from ..policy.channel_config import ChannelConfigs
from ..policy.permissions import stop_requester_of
from ..ui.notices import reply_privately
from .base import (
    AnyCommand,
    stop_mode_in,
)

# Locale keys of the replies of `/stop`.
_STOP_REPLIES = {
    StopOutcome.ACCEPTED: "stopped",
    StopOutcome.NOTHING: "nothing",
    StopOutcome.REFUSED: "not_yours",
}


def build_stop(dispatcher: Dispatcher, channel_configs: ChannelConfigs) -> AnyCommand:
    """Build `/stop`."""

    @app_commands.command(description="Stop the answer that is being written here")
    async def stop(interaction: discord.Interaction[Any]) -> None:
        mode = await stop_mode_in(channel_configs, interaction)
        answer = await dispatcher.stop_in(interaction.channel_id or 0, stop_requester_of(interaction), mode)
        locale = str(interaction.locale)
        # The dispatcher does not say who asked, so the text says "the person who asked".
        owner = translate(locale, "who_asked")
        await reply_privately(interaction, translate(locale, _STOP_REPLIES[answer], owner=owner))

    return stop

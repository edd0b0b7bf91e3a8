"""`/stop`: end what is being said here, or what one waits for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import discord
from discord import app_commands

from streamcord import StopAnswer

from ..answer.asker import asker_of
from ..answer.notices import word
from ..answer.send_notice import answer_quietly
from ..services import Services

__all__ = ["build"]

_WORDS = {StopAnswer.ACCEPTED: "stopped", StopAnswer.NOTHING: "nothing", StopAnswer.REFUSED: "not_yours"}


def build(services: Services) -> Iterable[app_commands.Command[Any, Any, Any]]:
    """The command for one bot."""

    @app_commands.command(description="Stop the answer that is being written here")
    async def stop(interaction: discord.Interaction[Any]) -> None:
        answer = await services.desk.stop_in(interaction.channel_id or 0, asker_of(interaction))
        locale = str(interaction.locale)
        owner = word(locale, "who_asked")
        await answer_quietly(interaction, word(locale, _WORDS[answer], owner=owner))

    return [stop]

"""Tells people what happened, apart from the model's words: an embed is nothing that a model can write."""

from __future__ import annotations

import logging
from typing import Any

import discord

from streamcord.discord import wait_for_request_slot

from .message_edits import NOBODY
from .request_failures import TROUBLE

__all__ = ["answer_quietly", "tell"]

AMBER = 0xE0A030

_log = logging.getLogger("streamcord._bot")


async def tell(
    channel: discord.abc.Messageable, text: str, reply_to: discord.Message | None = None
) -> discord.Message | None:
    """A notice in a channel, without a sound; none if the channel takes none."""
    where: Any = {"reference": reply_to.to_reference(fail_if_not_exists=False)} if reply_to else {}
    if not await wait_for_request_slot(channel):
        return None
    try:
        embed = discord.Embed(description=text, colour=AMBER)
        return await channel.send(embed=embed, silent=True, allowed_mentions=NOBODY, **where)
    except TROUBLE as error:
        _log.warning("a notice was refused: %s", type(error).__name__)
        return None


async def answer_quietly(interaction: discord.Interaction[Any], text: str) -> None:
    """Answer a command or a button so that only its user sees it."""
    try:
        if interaction.response.is_done():
            await interaction.followup.send(text, ephemeral=True, allowed_mentions=NOBODY)
        else:
            await interaction.response.send_message(text, ephemeral=True, allowed_mentions=NOBODY)
    except TROUBLE as error:
        # Too late, or answered elsewhere: nothing that a person could do about it.
        _log.info("an interaction was not answered: %s", type(error).__name__)

"""A thread for each conversation: begun where somebody calls the bot, named after what they asked."""

from __future__ import annotations

import asyncio
import logging

import discord

from ..discord_requests import REQUEST_ERRORS

__all__ = ["make_title", "open_thread"]

TITLE_LENGTH = 60
PATIENCE = 5.0
"""Seconds until the gateway must have told of a thread that was made."""

_log = logging.getLogger(__name__)


def make_title(text: str, otherwise: str) -> str:
    """The first words of a question as the name of a thread; names and markup of Discord are left out."""
    words = [word for word in text.split() if not word.startswith(("@", "<", "http"))]
    line = " ".join(words).strip("#*_~`>|- ")
    if len(line) <= TITLE_LENGTH:
        return line or otherwise
    cut = line[:TITLE_LENGTH].rpartition(" ")[0] or line[:TITLE_LENGTH]
    return cut.rstrip(",;:.-") + "…"


async def open_thread(client: discord.Client, message: discord.Message, title: str) -> discord.Thread | None:
    """Begin a thread at a message; `None` if that cannot be done there."""
    if not isinstance(message.channel, discord.TextChannel):
        return None
    # Whoever began it may have died before it said anything there.
    if (begun := message.channel.get_thread(message.id)) is not None:
        return begun
    told = asyncio.ensure_future(
        client.wait_for("thread_create", check=lambda thread: thread.id == message.id, timeout=PATIENCE)
    )
    try:
        thread = await message.create_thread(name=title[:100])
    except REQUEST_ERRORS as error:
        _log.info("no thread in channel %s: %s", message.channel.id, type(error).__name__)
        told.cancel()
        return None
    try:
        await told
    except TimeoutError:
        # Without the event nobody could find the thread again.
        return None
    return thread

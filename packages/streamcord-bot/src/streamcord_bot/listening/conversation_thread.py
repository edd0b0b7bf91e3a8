"""Open a thread for a conversation, named after its first question."""

from __future__ import annotations

import asyncio
import logging

import discord

from ..discord_requests import REQUEST_ERRORS

MAX_TITLE_CHARS = 60
THREAD_EVENT_TIMEOUT_S = 5.0
"""Time until the gateway must have reported a new thread."""

_log = logging.getLogger(__name__)


def make_title(text: str, otherwise: str) -> str:
    """Return the first words of a question as the name of a thread, without mentions and markup."""
    words = [word for word in text.split() if not word.startswith(("@", "<", "http"))]
    line = " ".join(words).strip("#*_~`>|- ")
    if len(line) <= MAX_TITLE_CHARS:
        return line or otherwise
    cut = line[:MAX_TITLE_CHARS].rpartition(" ")[0] or line[:MAX_TITLE_CHARS]
    return cut.rstrip(",;:.-") + "…"


async def open_thread(client: discord.Client, message: discord.Message, title: str) -> discord.Thread | None:
    """Open a thread at a message; `None` if that is not possible there."""
    if not isinstance(message.channel, discord.TextChannel):
        return None
    permissions = message.channel.permissions_for(message.channel.guild.me)
    if not (permissions.create_public_threads and permissions.send_messages_in_threads):
        _log.info("channel %s: the bot may open no threads, answering in the channel", message.channel.id)
        return None
    # A process that opened it may have died before it answered.
    if (begun := message.channel.get_thread(message.id)) is not None:
        return begun
    created = asyncio.ensure_future(
        client.wait_for(
            "thread_create", check=lambda thread: thread.id == message.id, timeout=THREAD_EVENT_TIMEOUT_S
        )
    )
    try:
        thread = await message.create_thread(name=title[:100])
    except REQUEST_ERRORS as error:
        _log.info(
            "channel %s: opening a thread failed, answering in the channel: %s",
            message.channel.id,
            type(error).__name__,
        )
        created.cancel()
        return None
    try:
        await created
    except TimeoutError:
        # Without the event discord.py does not know the thread, so that answers there would fail.
        return None
    return thread

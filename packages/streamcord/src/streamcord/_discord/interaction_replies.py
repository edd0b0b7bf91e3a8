"""What stands in the channel as the reply to a command, and how long the command can be replied to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import discord

from .._delivery.transport import FetchedMessage
from .._events import Receipt
from .._exceptions import Unavailable, Uncertain
from .edits import content_of

if TYPE_CHECKING:
    from .channel import DiscordChannel

__all__ = ["find_follow_up", "read_replies", "reply_time_left"]

INTERACTION_LIFETIME_S = 14 * 60.0
"""Seconds after which the channel is used: a minute before the token expires."""
LOOKS = (1.0, 1.0, 2.0, 4.0, 8.0, 15.0, 29.0)
"""Seconds before each look for what Discord did not answer, as long as the channel cannot be read."""
READ_CAP = 100
"""Messages behind the command that are looked through."""


def reply_time_left(interaction: discord.Interaction[Any]) -> float:
    """Seconds for which the command can be replied to; a clock that is wrong makes it no longer."""
    return INTERACTION_LIFETIME_S - max(0.0, time.time() - interaction.created_at.timestamp())


async def find_follow_up(find: Callable[[], Awaitable[Receipt | None]]) -> Receipt:
    """Look until it is known whether a follow-up arrived whose answer was lost, before it is repeated."""
    for pause in LOOKS:
        await asyncio.sleep(pause)
        with suppress(Unavailable):
            if found := await find():
                return found
            break
    else:
        raise Uncertain("it is unknown whether the follow-up arrived")
    raise Unavailable("the follow-up did not arrive")


async def read_replies(
    interaction: discord.Interaction[Any], channel: DiscordChannel, after: int
) -> tuple[list[FetchedMessage], bool]:
    """Our own messages after this one, oldest first, and whether the first reply says something."""
    place: Any = interaction.channel
    try:
        read = place.history(limit=READ_CAP, after=discord.Object(after), oldest_first=True)
        messages = [one async for one in read]
    except Exception as error:
        raise Uncertain("the channel cannot be read back") from error
    replies = [one for one in messages if _is_reply(one, interaction) and not one.flags.loading]
    for one in replies:
        channel.mark_confirmed(one.id)
    seen = [_as_reply(one) for one in replies]
    # Other speakers are sent by webhook.
    seen += await channel.read_back(after)
    filled = any(one.interaction_metadata.original_response_message_id is None for one in replies)
    return sorted(seen, key=lambda one: one.id), filled


def _as_reply(message: discord.Message) -> FetchedMessage:
    words, files = content_of(message), len(message.attachments)
    return FetchedMessage(message.id, words, files, url=message.jump_url, rich=message.flags.components_v2)


def _is_reply(message: Any, interaction: discord.Interaction[Any]) -> bool:  # noqa: ANN401 - discord.Message
    metadata = message.interaction_metadata
    return metadata is not None and metadata.id == interaction.id

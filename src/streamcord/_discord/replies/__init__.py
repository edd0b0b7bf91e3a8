"""What stands in the channel as the reply to a command, and how long the command can be replied to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import discord

from ..._delivery import Seen
from ..._errors import Unavailable, Uncertain
from ..._events import Receipt
from ..revisions import spoken_words

if TYPE_CHECKING:
    from ..channel import DiscordChannel

__all__ = ["look_until_known", "read_replies", "time_left"]

LIFE = 14 * 60.0
"""Seconds after which the channel is used: a minute before Discord closes the door."""
LOOKS = (1.0, 1.0, 2.0, 4.0, 8.0, 15.0, 29.0)
"""Seconds before each look for what Discord did not answer, as long as the channel cannot be read."""
READ_CAP = 100
"""Messages behind the command that are looked through."""


def time_left(interaction: discord.Interaction[Any]) -> float:
    """Seconds for which the command can be replied to; a clock that is wrong makes it no longer."""
    return LIFE - max(0.0, time.time() - interaction.created_at.timestamp())


async def look_until_known(find: Callable[[], Awaitable[Receipt | None]]) -> Receipt:
    """Look until it is known whether a follow-up arrived whose answer was lost, before it is repeated."""
    for pause in LOOKS:
        await asyncio.sleep(pause)
        with suppress(Unavailable):
            if found := await find():
                return found
            break
    else:
        raise Uncertain("nobody can tell whether the follow-up arrived")
    raise Unavailable("the follow-up did not arrive")


async def read_replies(
    interaction: discord.Interaction[Any], channel: DiscordChannel, after: int
) -> tuple[list[Seen], bool]:
    """Our own messages after this one, oldest first, and whether the first reply says something."""
    place: Any = interaction.channel
    try:
        read = place.history(limit=READ_CAP, after=discord.Object(after), oldest_first=True)
        messages = [one async for one in read]
    except Exception as error:
        raise Uncertain("the channel cannot be read back") from error
    replies = [one for one in messages if _is_reply(one, interaction) and not one.flags.loading]
    for one in replies:
        channel.know(one.id)
    seen = [_as_reply(one) for one in replies]
    # Other voices speak through webhooks.
    seen += await channel.read_back(after)
    filled = any(one.interaction_metadata.original_response_message_id is None for one in replies)
    return sorted(seen, key=lambda one: one.id), filled


def _as_reply(message: discord.Message) -> Seen:
    words, files = spoken_words(message), len(message.attachments)
    return Seen(message.id, words, files, url=message.jump_url, rich=message.flags.components_v2)


def _is_reply(message: Any, interaction: discord.Interaction[Any]) -> bool:  # noqa: ANN401 - discord.Message
    metadata = message.interaction_metadata
    return metadata is not None and metadata.id == interaction.id

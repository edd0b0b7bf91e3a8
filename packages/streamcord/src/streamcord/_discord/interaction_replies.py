"""Read the replies to a command back, and tell how long the command can be replied to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import discord

from .._delivery.transport import FetchedMessage
from .._events import Receipt
from .._exceptions import DeliveryUnavailable, DeliveryUncertain
from .edits import content_of

if TYPE_CHECKING:
    from .channel import DiscordChannel

INTERACTION_LIFETIME_S = 14 * 60.0
"""Seconds after which the channel is used: a minute before the token expires."""
SEARCH_DELAYS_S = (1.0, 1.0, 2.0, 4.0, 8.0, 15.0, 29.0)
"""Seconds before each search for an unacknowledged follow-up, while the channel cannot be read."""
MAX_MESSAGES = 100
"""Messages after the command that are searched."""


def reply_time_left(interaction: discord.Interaction[Any]) -> float:
    """Return the seconds for which the command can be replied to."""
    # The maximum ignores a clock that is set too early.
    return INTERACTION_LIFETIME_S - max(0.0, time.time() - interaction.created_at.timestamp())


async def find_follow_up(find: Callable[[], Awaitable[Receipt | None]]) -> Receipt:
    """Search until it is known whether a follow-up arrived whose response was lost.

    Raises:
        DeliveryUnavailable: it did not arrive and may be sent again.
        DeliveryUncertain: the channel could not be read.

    """
    for pause in SEARCH_DELAYS_S:
        await asyncio.sleep(pause)
        with suppress(DeliveryUnavailable):
            if found := await find():
                return found
            break
    else:
        raise DeliveryUncertain("it is unknown whether the follow-up arrived")
    raise DeliveryUnavailable("the follow-up did not arrive")


async def read_replies(
    interaction: discord.Interaction[Any], channel: DiscordChannel, after: int
) -> tuple[list[FetchedMessage], bool]:
    """Return our own messages after this one, oldest first, and whether the first reply has text."""
    place: Any = interaction.channel
    try:
        read = place.history(limit=MAX_MESSAGES, after=discord.Object(after), oldest_first=True)
        messages = [one async for one in read]
    except Exception as error:
        raise DeliveryUncertain("the channel of the command cannot be read") from error
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

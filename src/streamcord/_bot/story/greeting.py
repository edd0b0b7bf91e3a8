"""The first words of a persona: said where it was never met before, or when somebody asks for them."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

import discord

from streamcord import Finish, ProviderEvent, StoreError, StreamcordError, TextDelta, check_text, say
from streamcord.discord import DiscordChannel
from streamcord.store import Memory

if TYPE_CHECKING:
    from ..conversation.channel_config import ChannelConfig
    from ..services import Services

__all__ = ["greet", "is_first_meeting"]

_log = logging.getLogger("streamcord.bot")


async def is_first_meeting(services: Services, config: ChannelConfig) -> bool:
    """Whether the persona has a greeting and never said anything in this place."""
    if not config.speaker.greeting.strip() or not config.answer.greet:
        return False
    try:
        return not await services.store.recall(config.persona.name, config.place)
    except StoreError as error:
        _log.warning("nobody is greeted: %s", error)
        return False


async def greet(
    services: Services, channel: discord.abc.MessageableChannel, config: ChannelConfig, text: str
) -> bool:
    """Say a greeting as the persona of this place and remember it; false if it could not be said.

    It is a stranger's text, and nobody asked for it: it pings nobody, and is looked at as answers are.
    """
    if reason := await check_text(services.moderators, text, "answer"):
        _log.info("a greeting in channel %s is held back: %s", config.place.channel, reason)
        return False
    transport = DiscordChannel(channel, webhooks=services.webhooks)
    settings = replace(config.settings, prefill="", mentions="nobody", secrets=services.config.secrets)
    try:
        result = await say(transport, _spoken(text), settings=settings, moderators=services.moderators)
        ids = tuple(receipt.id for receipt in result.receipts)
        await services.store.remember(Memory(config.persona.name, config.place, result.text, ids, (), 0))
    except StreamcordError as error:
        _log.warning("a greeting in channel %s failed: %s", config.place.channel, type(error).__name__)
        return False
    return bool(ids)


async def _spoken(text: str) -> AsyncIterator[ProviderEvent]:
    yield TextDelta(text)
    yield Finish()

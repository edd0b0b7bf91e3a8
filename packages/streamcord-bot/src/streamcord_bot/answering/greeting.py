"""Send the greeting of a persona: in places where it never spoke before, or on command."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING

import discord

from streamcord import (
    Finish,
    Moderator,
    ProviderEvent,
    Receipt,
    StoreError,
    StreamcordError,
    TextDelta,
    check_text,
    say,
)
from streamcord.discord import DiscordChannel, WebhookSender
from streamcord.store import Memory, Store

from ..personas.macros import MacroValues, fill_macros
from ..prompt.prompt_builder import tidy_name

if TYPE_CHECKING:
    from ..policy.channel_config import ChannelConfig

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a persona said first; empty if it said nothing."""

    text: str = ""
    last: Receipt | None = None
    """Its last message."""


@dataclass(eq=False, repr=False)
class Greeter:
    """Sends the greeting of a persona."""

    store: Store
    webhooks: WebhookSender
    moderators: tuple[Moderator, ...]
    # Keys that must never be shown, whatever a card says.
    secrets: tuple[str, ...]

    async def is_first_meeting(self, config: ChannelConfig) -> bool:
        """Return whether the persona has a greeting and never said anything in this place."""
        if not config.speaker.greeting.strip() or not config.answer.greet:
            return False
        try:
            return not await self.store.recall(config.persona.name, config.place)
        except StoreError as error:
            _log.warning(
                "channel %s: skipping the greeting, reading memories failed: %s", config.place.channel, error
            )
            return False

    async def greet(
        self, channel: discord.abc.MessageableChannel, config: ChannelConfig, text: str, user: str
    ) -> Greeting:
        """Send a greeting as the persona of this place and remember it; what it returns is empty if nothing was said.

        The text comes from an untrusted card, so it may mention no one, and moderators check it like an answer.

        Args:
            channel: where to say it.
            config: the configuration of the channel.
            text: the greeting, with macros.
            user: the name of the person who is greeted.

        """
        values = macro_values(config, user)
        text = fill_macros(text, values, keep_unknown=False)
        if reason := await check_text(self.moderators, text, "answer"):
            _log.info("a moderator blocked the greeting in channel %s: %s", config.place.channel, reason)
            return Greeting()
        transport = DiscordChannel(channel, webhooks=self.webhooks)
        # The prefill belongs to model output; a greeting would lose it as an echo.
        context = replace(config.answer_context, prefill="")
        settings = replace(config.settings, mentions="nobody", secrets=self.secrets)
        try:
            result = await say(
                transport, _as_stream(text), settings=settings, context=context, moderators=self.moderators
            )
            # Remembered like an answer, so that the persona greets once per place.
            ids = tuple(receipt.id for receipt in result.receipts)
            await self.store.remember(Memory(config.persona.name, config.place, result.text, ids, (), 0))
        except StreamcordError as error:
            _log.warning(
                "channel %s: sending the greeting failed: %s", config.place.channel, type(error).__name__
            )
            return Greeting()
        return Greeting(text, result.receipts[-1]) if ids else Greeting()


def macro_values(config: ChannelConfig, user: str) -> MacroValues:
    """Return what the macros of a persona's texts are filled in with, now and for this person."""
    # The time of the machine: what a server's people call the time is unknown.
    now = datetime.now().astimezone()
    pick_key = f"{config.place.channel} {config.persona.name}"
    return MacroValues(config.persona.name, tidy_name(user), now, Random(), pick_key)


async def _as_stream(text: str) -> AsyncIterator[ProviderEvent]:
    yield TextDelta(text)
    yield Finish()

"""The way into Discord with discord.py: everything its users need, in one place."""

from __future__ import annotations

from ._delivery.outbox import Pings
from ._discord import Voices
from ._discord.channel import DiscordChannel
from ._discord.interaction import DiscordInteraction
from ._discord.overflow import is_guest
from ._discord.redirect import redirect_discord_py
from ._discord.request_limits import (
    RequestPriority,
    block_requests,
    has_request_slot,
    share_requests,
    wait_for_request_slot,
)
from ._discord.webhooks import Webhooks
from ._discord.webhooks.appearance import Appearance, CardLook, Look

__all__ = [
    "Appearance",
    "CardLook",
    "DiscordChannel",
    "DiscordInteraction",
    "Look",
    "Pings",
    "RequestPriority",
    "Voices",
    "Webhooks",
    "block_requests",
    "has_request_slot",
    "is_guest",
    "redirect_discord_py",
    "share_requests",
    "wait_for_request_slot",
]

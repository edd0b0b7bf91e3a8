"""The way into Discord with discord.py: everything its users need, in one place."""

from __future__ import annotations

from .channels import DiscordChannel
from .interactions import DiscordInteraction
from .parcel import Pings
from .webhooks import Webhooks

__all__ = ["DiscordChannel", "DiscordInteraction", "Pings", "Webhooks"]

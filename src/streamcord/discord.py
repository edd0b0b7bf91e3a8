"""The way into Discord with discord.py: everything its users need, in one place."""

from __future__ import annotations

from ._delivery.parcel import Pings
from ._discord.channel import DiscordChannel
from ._discord.interaction import DiscordInteraction
from ._discord.webhooks.webhooks import Webhooks

__all__ = ["DiscordChannel", "DiscordInteraction", "Pings", "Webhooks"]

"""The way out into Discord, with discord.py."""

from .._shared.setup import require

require("discord", "streamcord.discord needs discord.py", "discord")

"""Transports for discord.py."""

from __future__ import annotations

from .._common.optional_dependencies import require

# Before any module of this package imports discord.py, so that the error names the command that installs it.
require("discord", "streamcord.discord needs discord.py", "discord")

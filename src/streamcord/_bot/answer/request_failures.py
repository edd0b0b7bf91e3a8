"""What a request to Discord may raise: a refusal, or a network that is not there."""

from __future__ import annotations

import aiohttp
import discord

__all__ = ["TROUBLE"]

TROUBLE = (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError)
"""For `except`: whatever keeps a courtesy from being done."""

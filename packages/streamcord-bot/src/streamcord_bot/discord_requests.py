"""What every request to Discord beside an answer shares."""

from __future__ import annotations

import aiohttp
import discord

__all__ = ["NO_PINGS", "REQUEST_ERRORS"]

REQUEST_ERRORS = (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError)
"""For `except`: every way in which a request that no answer depends on can fail."""

NO_PINGS = discord.AllowedMentions.none()

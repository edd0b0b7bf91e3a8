"""Values that requests to Discord share, besides those of an answer's own text."""

from __future__ import annotations

import aiohttp
import discord

REQUEST_ERRORS = (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, OSError, TimeoutError)
"""Errors of a request to Discord, for `except` clauses around requests that no answer depends on."""

NO_PINGS = discord.AllowedMentions.none()
"""Notices and edits never ping anyone."""

"""Accept a success of Discord only if it carries what was asked for.

A proxy or a captive portal may answer any request with 200 and an empty body, a page or half a JSON. discord.py hands
such a body to its parsers, which raise whatever they stumble over, long after the request. Here it becomes an error of
the connection, as if there had been no answer.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import aiohttp
import discord

from .webhook_adapter import bound_webhook_requests

_MESSAGES = re.compile(r"/channels/([0-9]+)/messages(?:/([0-9]+))?$")
_CHECKED = "_streamcord_checks_responses"


def check_responses(client: discord.Client) -> None:
    """Let a client's requests fail with `aiohttp.ClientPayloadError` if a success is not Discord's.

    Requests of webhooks and interactions also end with `TimeoutError` after half a minute. They belong to no client:
    this holds for the task that calls this function, and for those that it starts.

    Args:
        client: The discord.py client; before it logs in.

    Example:
        client = discord.Client(intents=intents)
        check_responses(client)

    """
    bound_webhook_requests()
    http: Any = client.http
    if getattr(http, _CHECKED, False):
        return
    request = http.request

    @functools.wraps(request)
    async def checked(route: Any, **options: Any) -> Any:  # noqa: ANN401 - as discord.py has it
        try:
            data = await request(route, **options)
        except ValueError:
            # discord.py reads the body of every answer that calls itself JSON.
            raise aiohttp.ClientPayloadError("the answer is half a JSON") from None
        if not _is_plausible(route.method, route.url, data):
            raise aiohttp.ClientPayloadError("the answer to a success is not Discord's")
        return data

    http.request = checked
    setattr(http, _CHECKED, True)


def _is_plausible(method: str, url: str, data: object) -> bool:
    """Return whether a body can be Discord's answer to such a request."""
    # discord.py returns text for everything that is not JSON; only an empty one means "no content".
    if isinstance(data, str) and data:
        return False
    match = _MESSAGES.search(url)
    if match is None or method not in {"GET", "POST", "PATCH"}:
        return True
    channel, message = match.groups()
    if method == "GET" and message is None:
        return isinstance(data, list) and all(_is_message(one, channel) for one in data)
    return _is_message(data, channel, message)


def _is_message(data: object, channel: str, message: str | None = None) -> bool:
    """Return whether this is a message of the channel, and the one that was asked for."""
    if not isinstance(data, dict) or str(data.get("channel_id")) != channel:
        return False
    id_ = str(data.get("id", ""))
    return id_.isdecimal() if message is None else id_ == message

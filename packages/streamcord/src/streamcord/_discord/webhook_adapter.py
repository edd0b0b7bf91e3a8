"""Requests that discord.py sends for webhooks and interactions, with an end and a check of their answers.

For these, discord.py sleeps for as long as a 429 asks for, and be it a year (`AsyncWebhookAdapter.request` of 2.7.1):
no option of a client limits it. A request that is cancelled in such a sleep may keep the lock of its webhook, and then
all later ones wait for ever.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import aiohttp
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from .raw_http import REQUEST_TIMEOUT_S

_MESSAGE = re.compile(r"/messages/([0-9]+|@original)$")


class BoundedWebhookAdapter(AsyncWebhookAdapter):
    """Sends the requests of `discord.Webhook` and `discord.Interaction`, each for a limited time."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    async def request(self, route: Any, session: aiohttp.ClientSession, **options: Any) -> Any:  # noqa: ANN401 - as discord.py has it
        """Send a request; an answer that is not Discord's is an error of the connection.

        Raises:
            TimeoutError: there was no answer, or it asked for a pause that is too long.
            aiohttp.ClientPayloadError: the answer to a success is not Discord's.

        """
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT_S):
                data = await super().request(route, session, **options)
        except (TimeoutError, asyncio.CancelledError):
            # discord.py may have slept while it held this lock: the next request gets a new one.
            self._locks.pop((route.webhook_id, route.webhook_token), None)
            raise
        except ValueError:
            raise aiohttp.ClientPayloadError("the answer is half a JSON") from None
        if not _is_plausible(route.method, route.url, options.get("params"), data):
            raise aiohttp.ClientPayloadError("the answer to a success is not Discord's")
        return data


def bound_webhook_requests() -> None:
    """Send the requests of webhooks and interactions of this task, and of those that it starts, for a limited time."""
    if not isinstance(async_context.get(), BoundedWebhookAdapter):
        async_context.set(BoundedWebhookAdapter())


def _is_plausible(method: str, url: str, params: Mapping[str, Any] | None, data: object) -> bool:
    """Return whether a body can be Discord's answer to such a request."""
    # Text is a page; only an empty one is an answer without content.
    if isinstance(data, str) and data:
        return False
    match = _MESSAGE.search(url)
    if method in {"GET", "PATCH"} and match is not None:
        id_ = _id_of(data)
        return bool(id_) if match[1] == "@original" else id_ == match[1]
    if method == "POST" and (params or {}).get("wait"):
        return bool(_id_of(data))
    return True


def _id_of(data: object) -> str:
    """Return the id of a message; empty if this is none."""
    id_ = str(data.get("id", "")) if isinstance(data, dict) else ""
    return id_ if id_.isdecimal() else ""

"""Receive the messages that a dead process missed, by resuming its gateway session once.

Discord keeps the events of a session for a while after its connection is lost. We resume the old session beside our
own one, read its events to the end, and close it. This also finds messages in channels whose history we may not read.
https://docs.discord.com/developers/events/gateway#resuming
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import aiohttp
import discord

from . import LeasedShard

REPLAY_TIMEOUT_S = 5.0
"""Time for the whole replay; messages that do not arrive by then are searched in the channels."""
MAX_EVENTS = 10_000
_DISPATCH, _RESUME, _INVALID, _HELLO = 0, 6, 9, 10

_log = logging.getLogger(__name__)


async def missed_messages(client: discord.AutoShardedClient, lease: LeasedShard) -> list[discord.Message]:
    """Return the messages since the owner of a shard last listened; none if its session cannot be resumed."""
    if not lease.session or not lease.gateway:
        return []
    http: Any = client.http
    try:
        async with asyncio.timeout(REPLAY_TIMEOUT_S):
            events = await read_session(http._HTTPClient__session, str(http.token), lease)  # noqa: SLF001
    except (aiohttp.ClientError, OSError, ValueError, AttributeError) as error:
        _log.debug("resuming the old session of shard %d failed: %s", lease.shard, type(error).__name__)
        return []
    state: Any = client._connection  # noqa: SLF001
    found = []
    for data in events:
        channel, _ = state._get_guild_channel(data)  # noqa: SLF001
        found.append(discord.Message(state=state, channel=channel, data=data))
    return found


async def read_session(session: aiohttp.ClientSession, token: str, lease: LeasedShard) -> list[Any]:
    """Resume a session, return its new messages, and close it for good."""
    url = f"{lease.gateway.partition('?')[0]}?v=10&encoding=json"
    found: list[Any] = []
    async with session.ws_connect(url, max_msg_size=0) as socket:
        async for frame in socket:
            if frame.type is not aiohttp.WSMsgType.TEXT:
                break
            event = json.loads(frame.data)
            if event["op"] == _HELLO:
                body = {"token": token, "session_id": lease.session, "seq": lease.sequence}
                await socket.send_json({"op": _RESUME, "d": body})
            # RESUMED is the last event of a replay: https://docs.discord.com/developers/events/gateway-events#resumed
            elif event["op"] == _INVALID or event.get("t") == "RESUMED" or len(found) >= MAX_EVENTS:
                break
            elif event["op"] == _DISPATCH and event.get("t") == "MESSAGE_CREATE":
                found.append(event["d"])
        await socket.close(code=1000)
    return found

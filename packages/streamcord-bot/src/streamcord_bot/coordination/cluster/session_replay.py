"""What a dead process did not hear: its session is resumed once, read to its end, and closed.

Discord keeps the events of a session for a while after its connection is gone. Our own session has servers
and channels; the old one tells what people wrote meanwhile, also where the channel may not be read back.
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

__all__ = ["missed_messages", "read_session"]

PATIENCE = 5.0
"""Seconds for all of it: what is not told by then is read back from the channels."""
EVENT_CAP = 10_000
_DISPATCH, _RESUME, _INVALID, _HELLO = 0, 6, 9, 10

_log = logging.getLogger(__name__)


async def missed_messages(client: discord.AutoShardedClient, lease: LeasedShard) -> list[discord.Message]:
    """The messages that were written since the holder of a shard last listened; none if nobody can tell."""
    if not lease.session or not lease.gateway:
        return []
    http: Any = client.http
    try:
        async with asyncio.timeout(PATIENCE):
            events = await read_session(http._HTTPClient__session, str(http.token), lease)  # noqa: SLF001
    except (aiohttp.ClientError, OSError, ValueError, AttributeError) as error:
        _log.debug("the session of shard %d cannot be resumed: %s", lease.shard, type(error).__name__)
        return []
    state: Any = client._connection  # noqa: SLF001
    found = []
    for data in events:
        channel, _ = state._get_guild_channel(data)  # noqa: SLF001
        found.append(discord.Message(state=state, channel=channel, data=data))
    return found


async def read_session(session: aiohttp.ClientSession, token: str, lease: LeasedShard) -> list[Any]:
    """The new messages of a session that is resumed here, and closed for good."""
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
            elif event["op"] == _INVALID or event.get("t") == "RESUMED" or len(found) >= EVENT_CAP:
                break
            elif event["op"] == _DISPATCH and event.get("t") == "MESSAGE_CREATE":
                found.append(event["d"])
        await socket.close(code=1000)
    return found

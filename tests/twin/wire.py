"""A raw gateway client: it sends what it is told and shows every frame."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from discord_twin import Twin
from twin.api import Api

ALL_INTENTS = (1 << 16) - 1


class Closed(Exception):
    """The gateway closed; `args[0]` is its code, None if the connection broke."""


class Wire:
    """One gateway connection."""

    def __init__(self, twin: Twin, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.twin = twin
        self.socket = socket
        self.sequence = 0
        self._inflate = zlib.decompressobj()

    async def receive(self) -> dict[str, Any]:
        """The next frame."""
        message = await asyncio.wait_for(self.socket.receive(), 5)
        if message.type is aiohttp.WSMsgType.TEXT:
            frame: dict[str, Any] = json.loads(message.data)
        elif message.type is aiohttp.WSMsgType.BINARY:
            assert message.data.endswith(b"\x00\x00\xff\xff")
            frame = json.loads(self._inflate.decompress(message.data))
        else:
            raise Closed(message.data)
        self.sequence = frame["s"] or self.sequence
        return frame

    async def event(self, name: str) -> Any:
        """The payload of the next event of this name; others are passed over."""
        while True:
            frame = await self.receive()
            if frame["t"] == name:
                return frame["d"]

    async def op(self, number: int) -> Any:
        """The payload of the next frame with this op."""
        while True:
            frame = await self.receive()
            if frame["op"] == number:
                return frame["d"]

    async def send(self, op: int, payload: Any = None) -> None:
        await self.socket.send_json({"op": op, "d": payload})

    async def identify(self, intents: int = ALL_INTENTS, token: str | None = None) -> Any:
        """Identify and return READY."""
        await self.send(2, {"token": token or self.twin.token, "intents": intents, "properties": {}})
        return await self.event("READY")

    async def resume(self, session_id: str, sequence: int) -> None:
        await self.send(6, {"token": self.twin.token, "session_id": session_id, "seq": sequence})

    async def close_code(self) -> int | None:
        """Read on until the gateway closes."""
        try:
            while True:
                await self.receive()
        except Closed as closed:
            code: int | None = closed.args[0]
            return code


@asynccontextmanager
async def open_wire(api: Api, query: str = "?v=10&encoding=json") -> AsyncIterator[Wire]:
    """Connect and take HELLO."""
    async with api.session.ws_connect(api.twin.gateway_url + query) as socket:
        wire = Wire(api.twin, socket)
        await wire.op(10)
        yield wire

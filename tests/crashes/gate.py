"""A door between the bot and the local Discord: it can swallow everything, or hold back what comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Gate:
    """Passes bytes between clients and one port on loopback."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self._target = port
        # Cleared: nothing passes in that direction, and every connection stays open.
        self.up = asyncio.Event()
        self.down = asyncio.Event()
        self.open()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def open(self) -> None:
        """Let everything pass."""
        self.up.set()
        self.down.set()

    def swallow(self) -> None:
        """A black hole: connections are accepted, and nothing is ever answered."""
        self.up.clear()
        self.down.clear()

    def hold_back(self) -> None:
        """What the bot sends arrives; what Discord says waits until `open`."""
        self.down.clear()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        for pair in ((reader, there[1], self.up), (there[0], writer, self.down)):
            task = asyncio.create_task(_pump(*pair))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passes: asyncio.Event) -> None:
    try:
        with suppress(OSError):
            while data := await reader.read(65536):
                await passes.wait()
                writer.write(data)
                await writer.drain()
    finally:
        writer.close()


@asynccontextmanager
async def gate_before(port: int) -> AsyncIterator[Gate]:
    """A gate to this port."""
    gate = Gate(port)
    server = await asyncio.start_server(gate.connect, "127.0.0.1", 0)
    gate.port = server.sockets[0].getsockname()[1]
    try:
        yield gate
    finally:
        server.close()
        await gate.close()

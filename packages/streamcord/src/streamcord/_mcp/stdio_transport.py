"""A local MCP server as a process of its own: a clean environment, bounded lines, and never left running.

The SDK's own transport joins lines of any length and parses them on the event loop; here a line has a limit, and a
long one is parsed in a thread. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types
from mcp.shared.message import SessionMessage

from .._common.control_characters import strip_controls
from .._common.redaction import hide_secrets

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A server that writes a longer line is ended: one message may hold a picture, but not fill the memory."""
THREAD_BYTES = 64 * 1024
"""Longer lines are parsed in a thread, so that they do not block the event loop."""
CLOSE_TIMEOUT_S = 2.0
"""How long a server may take to end by itself once its input is closed."""
MAX_LOG_CHARS = 300
ENDED = "ended"
"""What became of a server that is not there any more, in words."""
MAX_LOG_LINES = 50
"""Lines of a server's error output that are logged; further ones are read and dropped."""
INHERITED = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SYSTEMROOT",
    "USERPROFILE",
    "APPDATA",
)
"""Variables that every server gets. Keys and tokens of this process are not among them."""

_log = logging.getLogger(__name__)


@asynccontextmanager
async def stdio_transport(
    command: Sequence[str], environment: Mapping[str, str], name: str, on_end: Callable[[str], None]
) -> AsyncIterator[Any]:
    """Start the server and yield the streams that the SDK's client reads and writes.

    Args:
        command: The program and its arguments; no shell reads them.
        environment: Variables besides the inherited ones.
        name: The name of the server, for the log.
        on_end: Called with the reason, in words, when the server has ended or can no longer be understood.

    Raises:
        OSError: The program cannot be started.

    """
    inherited = {key: os.environ[key] for key in INHERITED if key in os.environ}
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**inherited, **environment},
        limit=MAX_LINE_BYTES,
        # A group of its own, so that its children end with it.
        start_new_session=sys.platform != "win32",
    )
    to_session, received = anyio.create_memory_object_stream[SessionMessage | Exception](8)
    outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](8)
    reading = asyncio.create_task(_read(process, to_session, name))
    reading.add_done_callback(lambda done: on_end(_reason_of(done)))
    tasks: list[asyncio.Task[Any]] = [
        reading,
        asyncio.create_task(_write(process, from_session)),
        asyncio.create_task(_log_errors(process, name)),
    ]
    try:
        yield received, outgoing
    finally:
        for stream in (received, outgoing, to_session, from_session):
            stream.close()
        await _end(process)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(process: asyncio.subprocess.Process, to_session: Any, name: str) -> str:  # noqa: ANN401
    """Pass the server's messages on and return why that ended; the session sees a closed stream then."""
    assert process.stdout is not None
    async with to_session:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            while True:
                try:
                    line = await process.stdout.readline()
                except ValueError:
                    _log.warning(
                        "MCP server %s wrote a line of more than %d bytes, ending it", name, MAX_LINE_BYTES
                    )
                    return f"sent more than {MAX_LINE_BYTES // 1024 // 1024} MB at once and was ended"
                if not line:
                    return ENDED
                if message := await _parse(line):
                    await to_session.send(SessionMessage(message))
    return ENDED


def _reason_of(reading: asyncio.Task[str]) -> str:
    return ENDED if reading.cancelled() or reading.exception() else reading.result()


async def _parse(line: bytes) -> Any:  # noqa: ANN401 - of the SDK
    """Return a message; `None` for what is none, such as a line that a server prints by mistake."""
    parse = mcp_types.jsonrpc_message_adapter.validate_json
    try:
        if len(line) > THREAD_BYTES:
            return await asyncio.to_thread(parse, line, by_name=False)
        return parse(line, by_name=False)
    except (ValueError, RecursionError):
        return None


async def _write(process: asyncio.subprocess.Process, from_session: Any) -> None:  # noqa: ANN401
    assert process.stdin is not None
    with suppress(ConnectionError, RuntimeError):
        async for message in from_session:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()


async def _log_errors(process: asyncio.subprocess.Process, name: str) -> None:
    """Log the first lines of the server's error output; read all of it, or the server would stand still."""
    assert process.stderr is not None
    count = 0
    while chunk := await process.stderr.read(8192):
        for line in chunk.decode("utf-8", "replace").splitlines():
            count += 1
            if line.strip() and count <= MAX_LOG_LINES:
                _log.info("MCP server %s: %s", name, hide_secrets(strip_controls(line))[:MAX_LOG_CHARS])


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close the server's input, then end its whole process group."""
    if process.stdin is not None:
        process.stdin.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await process.wait()
    with suppress(ProcessLookupError, PermissionError):
        # Children may still run after the server itself has ended.
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    # Closes the pipes, too: asyncio waits for their ends, which do not come if no one reads them any more.
    transport: Any = process._transport  # type: ignore[attr-defined]  # noqa: SLF001
    transport.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await process.wait()

"""Parse untrusted cards, pictures and documents in a separate process.

Parsing JSON holds Python's global interpreter lock, so a thread would not help: a hostile card would still block the
answers of every server. A process has its own lock, and can be killed when a file costs too much.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import struct
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import streamcord
import streamcord_bot
from streamcord.store import Picture, StoredPersona

from ..messages.documents import DocumentError
from ..personas.card_export import Form
from ..personas.character_cards import CardError, CharacterCard
from ..personas.pictures import PictureError
from .worker import Job, join_frame, pack_persona, unpack_persona

SECONDS = 20.0
"""Seconds that one file may take on the clock; its processor time is limited by the process itself."""
IDLE_TIMEOUT_S = 60.0
"""Seconds after which a process that has nothing to do ends."""
WAITING_CAP = 16
"""Files that may wait for their turn."""
SERVER_CAP = 4
"""Files of one server among them, so that it leaves slots for the others."""
requesting_guild: ContextVar[int] = ContextVar("requesting_guild", default=0)
"""The server whose command is being carried out; 0 is none."""
END_TIMEOUT_S = 0.2
"""Seconds that it gets to end by itself."""
ANSWER_CAP = 64 * 1024 * 1024
"""Bytes that the process may answer."""

_log = logging.getLogger(__name__)

_COSTLY = "The file takes more time or memory to read than is allowed."
_BUSY = "Many files are being read at the moment: try again in a minute."
_MODULE = "streamcord_bot.sandbox.worker"
_SOURCES = [str(Path(module.__file__ or "").parent.parent) for module in (streamcord, streamcord_bot)]
_NEEDED = frozenset({"LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT"})


class SandboxClient:
    """Runs one job at a time in a worker process, which is started on demand and ends when idle."""

    def __init__(self, *, seconds: float = SECONDS, idle: float = IDLE_TIMEOUT_S) -> None:
        self._seconds = seconds
        self._idle = idle
        # One job at a time: answers come in the order of the jobs.
        self._lock = asyncio.Lock()
        # Jobs that wait or run, all together and by server.
        self._waiting = 0
        self._servers: Counter[int] = Counter()
        # The worker; `None` before the first job and after it ended.
        self._process: asyncio.subprocess.Process | None = None
        # Ends the worker after `idle` seconds.
        self._timer: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int:
        """The id of the process, or 0."""
        return self._process.pid if self._process else 0

    # --- What can be asked ----------------------------------------------------------------------

    async def read_card(self, content: bytes, guild: int = 0) -> CharacterCard:
        """The character card in a file; raises `CardError` in words for people."""
        said, files = await self._do(CardError, "read_card", (content,))
        return CharacterCard(*unpack_persona(said, files, guild), said["refused"], said["report"])

    async def write_card(
        self,
        stored: StoredPersona,
        avatar: Picture | None,
        sprites: Mapping[str, Picture],
        form: Form,
        cap: int,
    ) -> bytes:
        """A persona as a character card of at most about `cap` bytes."""
        values, files = pack_persona(stored, avatar, sprites, form=form, cap=cap)
        _, (written,) = await self._do(CardError, "write_card", files, values)
        return written

    async def list_lore(self, card: str) -> list[tuple[int, str]]:
        """The entries of a card's lorebook: their numbers, each with a short line."""
        said, _ = await self._do(CardError, "list_lore", (card.encode(),))
        return [(number, line) for number, line in said["lines"]]

    async def add_lore(self, card: str, name: str, keys: Sequence[str], content: str) -> str:
        """The card with one more entry of lore."""
        values = {"name": name, "keys": [*keys], "content": content}
        _, (changed,) = await self._do(CardError, "add_lore", (card.encode(),), values)
        return changed.decode()

    async def remove_lore(self, card: str, number: int) -> str:
        """The card without one entry of lore."""
        _, (changed,) = await self._do(CardError, "remove_lore", (card.encode(),), {"number": number})
        return changed.decode()

    async def import_lore(self, card: str, name: str, content: bytes) -> tuple[str, Mapping[str, int]]:
        """The card with the lore of a file, and the number of entries by what becomes of them."""
        said, (changed,) = await self._do(CardError, "import_lore", (card.encode(), content), {"name": name})
        return changed.decode(), said["report"]

    async def check_picture(self, content: bytes) -> Picture:
        """The picture in a file; raises `PictureError` in words for people."""
        said, _ = await self._do(PictureError, "check_picture", (content,))
        return Picture("", content, said["kind"])

    async def shrink(self, content: bytes) -> bytes:
        """The picture as a small PNG; raises `PictureError` if it cannot be drawn."""
        _, (small,) = await self._do(PictureError, "shrink", (content,))
        return small

    async def read_document(self, content: bytes, length: int) -> str:
        """Up to `length` characters of a PDF or DOCX file; empty if it cannot be read."""
        try:
            said, _ = await self._do(DocumentError, "read_document", (content,), {"length": length})
        except DocumentError as error:
            _log.info("a document could not be read: %s", error)
            return ""
        return str(said["text"])

    async def close(self) -> None:
        """End the process."""
        async with self._lock:
            await self._end()

    # --- How it is done -------------------------------------------------------------------------

    async def _do(
        self,
        refusal: type[CardError] | type[DocumentError] | type[PictureError],
        job: str,
        files: Sequence[bytes],
        values: Mapping[str, Any] | None = None,
    ) -> Job:
        server = requesting_guild.get()
        if self._waiting >= WAITING_CAP or (server and self._servers[server] >= SERVER_CAP):
            raise refusal(_BUSY)
        self._waiting += 1
        self._servers[server] += 1
        try:
            async with self._lock:
                said, made = await self._ask({**(values or {}), "do": job}, files)
        except (EOFError, OSError, TimeoutError):
            raise refusal(_COSTLY) from None
        finally:
            self._waiting -= 1
            self._servers -= Counter({server: 1})
        if "error" in said:
            raise refusal(said["words"])
        return said, made

    async def _ask(self, values: Mapping[str, Any], files: Sequence[bytes]) -> Job:
        if self._timer is not None:
            self._timer.cancel()
        try:
            async with asyncio.timeout(self._seconds):
                process = self._process = self._process or await _start()
                assert process.stdin is not None
                process.stdin.writelines(join_frame(values, files))
                await process.stdin.drain()
                answer = await _read_answer(process)
        except BaseException:
            # The worker may still answer this job, and the next caller would read that answer.
            await self._end()
            raise
        self._timer = asyncio.get_running_loop().call_later(self._idle, self._release)
        return answer

    def _release(self) -> None:
        """Let an idle process end: it does so when its input is closed."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if self._timer is not None:
            self._timer.cancel()
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), END_TIMEOUT_S)
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        finally:
            # Its pipes are let go of once they are read to the end.
            await process.stdout.read()
            await process.wait()


async def _start() -> asyncio.subprocess.Process:
    known = {name: value for name, value in os.environ.items() if name.upper() in _NEEDED}
    return await asyncio.create_subprocess_exec(
        # No bytecode is written, and nothing is imported from the folder where the bot happens to run.
        *(sys.executable, "-B", "-P", "-m", _MODULE),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        limit=1 << 20,
        env={**known, "PYTHONPATH": os.pathsep.join(_SOURCES)},
    )


async def _read_answer(process: asyncio.subprocess.Process) -> Job:
    assert process.stdout is not None
    (length,) = struct.unpack(">I", await process.stdout.readexactly(4))
    if length > ANSWER_CAP:
        raise EOFError
    said = json.loads(await process.stdout.readexactly(length))
    if sum(said["files"]) > ANSWER_CAP:
        raise EOFError
    return said, [await process.stdout.readexactly(size) for size in said["files"]]

"""What a cluster is made of, each part so that it can break: a database, lines, bots in processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from store.server import OPTIONS, empty_server, run

CHANGING = (b"POST ", b"PATCH ", b"PUT ", b"DELETE ")


# --- A database that can be restarted, and reached through a line that can be cut ----------------------


@dataclass
class Server:
    """PostgreSQL in a folder."""

    folder: Path
    programs: Path

    @property
    def socket(self) -> str:
        return str(self.folder / ".s.PGSQL.5432")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def start(self) -> None:
        begin = ("-w", "-D", self.folder / "store", "-l", self.folder / "log")
        # What is committed must survive the death of the server, though not that of the machine.
        options = OPTIONS.replace("synchronous_commit=off", "synchronous_commit=on")
        run(self.programs / "pg_ctl", "start", *begin, "-o", options.format(folder=self.folder))

    def stop(self, how: str = "immediate") -> None:
        run(self.programs / "pg_ctl", "stop", "-w", "-m", how, "-D", self.folder / "store")


@contextmanager
def server() -> Iterator[Server]:
    """A server of one's own."""
    with empty_server() as (folder, programs):
        made = Server(folder, programs)
        made.start()
        try:
            yield made
        finally:
            with suppress(RuntimeError):
                made.stop()


ENCRYPT = (80877103).to_bytes(4, "big")


TEXTS: Counter[str] = Counter()
"""What was sent, by its text."""


class StatementCounter:
    """Counts the statements that a client sends: messages `Q` and `E` of PostgreSQL's protocol."""

    def _note(self, kind: bytes, body: bytes) -> None:
        parts = body.split(b"\0", 2)
        if kind == b"P":
            self._names[parts[0]] = parts[1]
        elif kind in b"QB":
            sql = parts[0] if kind == b"Q" else self._names.get(parts[1], b"?")
            TEXTS[" ".join(sql.decode(errors="replace").split())] += 1

    def __init__(self) -> None:
        self._data = b""
        self._begun = False
        self._names: dict[bytes, bytes] = {}

    def feed(self, data: bytes) -> int:
        """Take what was sent; how many statements are in it."""
        self._data += data
        count = 0
        while len(self._data) >= 5:
            # The first message has no kind.
            head = 1 if self._begun else 0
            length = int.from_bytes(self._data[head : head + 4], "big") + head
            if len(self._data) < length:
                break
            count += self._begun and self._data[:1] in b"QE"
            if self._begun:
                self._note(self._data[:1], self._data[5:length])
            # A wish for encryption comes before everything else.
            self._begun = self._begun or self._data[4:8] != ENCRYPT
            self._data = self._data[length:]
        return count


@dataclass
class Line:
    """A line from one bot to the database or to Discord; what is cut is neither answered nor refused."""

    target: str | int
    port: int = 0
    is_cut: bool = False
    delay: float = 0.0
    statements: int = 0
    writes: list[tuple[float, bytes]] = field(default_factory=list)
    """When requests that change something came, by the time of day, and their first lines."""

    async def serve(self) -> asyncio.Server:
        listening = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = listening.sockets[0].getsockname()[1]
        return listening

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if isinstance(self.target, int):
                there, back = await asyncio.open_connection("127.0.0.1", self.target)
            else:
                there, back = await asyncio.open_unix_connection(self.target)
        except OSError:
            writer.transport.abort()
            return
        try:
            await asyncio.gather(self._pass(reader, back, note=True), self._pass(there, writer))
        finally:  # also if a test ends while a line is still open
            back.close()
            writer.close()

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, note: bool = False
    ) -> None:
        counter = StatementCounter()
        with suppress(OSError):
            while data := await reader.read(65536):
                if note and isinstance(self.target, str):
                    self.statements += counter.feed(data)
                elif note and data.startswith(CHANGING):
                    self.writes.append((time.time(), data.split(b"\r\n", 1)[0]))
                while self.is_cut:  # noqa: ASYNC110 - someone cuts it from outside
                    await asyncio.sleep(0.05)
                if self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(data)
                await writer.drain()
        with suppress(OSError):
            writer.close()


# --- Bots -----------------------------------------------------------------------------------------------


@dataclass(eq=False)
class BotProcess:
    """One bot that can be stopped, killed and started again."""

    name: str
    file: Path
    token: str
    line: Line
    wire: Line
    role: str = "all"
    process: asyncio.subprocess.Process | None = None
    log: list[str] = field(default_factory=list)
    _reader: asyncio.Task[None] | None = None

    async def start(self) -> None:
        arguments = ("run", "--config", str(self.file), "--role", self.role)
        self.process = await asyncio.create_subprocess_exec(
            # Who plays Discord must not wait for those who ask it.
            *("nice", "-n", "3", sys.executable, "-m", "streamcord_bot", *arguments),
            env={**os.environ, "DISCORD_TOKEN": self.token},
            cwd=self.file.parent,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        self._reader = asyncio.create_task(self._read(self.process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            self.log.append(line.decode(errors="replace").rstrip())

    async def until(self, words: str, seconds: float = 30.0, since: int = 0) -> None:
        async with asyncio.timeout(seconds):
            while not any(words in line for line in self.log[since:]):  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    @property
    def member(self) -> str:
        """The name under which the others know it now."""
        names = [
            line.split("member ", 1)[1].split(" ", 1)[0] for line in self.log if " of a cluster:" in line
        ]
        return names[-1] if names else ""

    def send(self, number: int) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(number)

    async def end(self, number: int = signal.SIGKILL) -> None:
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            self.send(number)
            self.send(signal.SIGCONT)
        async with asyncio.timeout(40):
            await self.process.wait()
        assert self._reader is not None
        await self._reader
        self.process = None

"""Several bots in processes of their own, one PostgreSQL, one local Discord, and all that may go wrong."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from crashes.scenes import chunk, said_before
from store.server import OPTIONS, as_root, find_programs, run
from streamcord.twin import Channel, Message, Switches, Twin

CHANGING = (b"POST ", b"PATCH ", b"PUT ", b"DELETE ")
ASKED = re.compile(r"tell (\w+)")
CONFIG = """
store = "{store}"
[discord]
server = "{server}"
shard_count = {shards}
[cluster]
url = "store"
lease = {lease}
identify_pause = 0.0
[durability]
grace = 2.0
[answer]
gather = 0.05
buttons = false
[settings]
seconds_per_character = 0.001
typing_floor = 0.05
typing_cap = 0.2
pause_chance = 0.0
degree = 1
[budget]
per_minute = 0
person_running = 0
server_running = 0
all_running = 0
person_waiting = 0
person_requests = 0
server_requests = 0
[models.main]
provider = "vllm"
model = "m"
base_url = "{model}"
[personas.Twin]
{persona}
"""


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
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        folder = Path(name)
        if as_root():
            shutil.chown(folder, "nobody")
        made = Server(folder, find_programs(folder))
        first = ("-U", "postgres", "-A", "trust", "-E", "utf8", "--no-sync", "--locale=C")
        run(made.programs / "initdb", "-D", folder / "store", *first)
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
    """When requests that change something came, and their first lines."""

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
        await asyncio.gather(self._pass(reader, back, note=True), self._pass(there, writer))

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, note: bool = False
    ) -> None:
        counter = StatementCounter()
        with suppress(OSError):
            while data := await reader.read(65536):
                if note and isinstance(self.target, str):
                    self.statements += counter.feed(data)
                elif note and data.startswith(CHANGING):
                    self.writes.append((asyncio.get_running_loop().time(), data.split(b"\r\n", 1)[0]))
                while self.is_cut:  # noqa: ASYNC110 - somebody cuts it from outside
                    await asyncio.sleep(0.05)
                if self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(data)
                await writer.drain()
        with suppress(OSError):
            writer.close()


# --- A model whose words follow from the question -------------------------------------------------------


def words_of(name: str, lines: int) -> str:
    """The answer to a question, every line of it known by the question's name."""
    return "\n".join(f"{name} line {number} is worth reading." for number in range(1, lines + 1))


@dataclass
class EchoModel:
    """An OpenAI-like server."""

    lines: int = 5
    pace: float = 0.02
    url: str = ""
    requests: int = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        body = await request.json()
        said = json.dumps([one["content"] for one in body["messages"] if one["role"] == "user"])
        name = ASKED.findall(said)[-1]
        rest = words_of(name, self.lines).removeprefix(said_before(body))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        with suppress(ConnectionError):
            for at in range(0, len(rest), 12):
                await asyncio.sleep(self.pace)
                await response.write(chunk(None, content=rest[at : at + 12]))
            await response.write(chunk("stop") + b"data: [DONE]\n\n")
        return response


@asynccontextmanager
async def echo_model(**more: float) -> AsyncIterator[EchoModel]:
    model = EchoModel(**more)  # type: ignore[arg-type]
    app = web.Application()
    app.router.add_post("/v1/chat/completions", model.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    model.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield model
    finally:
        await runner.cleanup()


# --- Bots -----------------------------------------------------------------------------------------------


@dataclass
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
        arguments = ("bot", "--config", str(self.file), "--role", self.role)
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "streamcord", *arguments),
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


@dataclass
class Chaos:
    """All of it together."""

    twin: Twin
    model: EchoModel
    database: Server
    folder: Path
    bots: list[BotProcess]
    channels: list[Channel]
    asked: dict[int, list[tuple[str, Message, float]]] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)

    # Asking

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """Ask in every channel, again and again, each time when the last answer is complete."""
        over = asyncio.Event()

        async def go_on(channel: Channel, number: int) -> None:
            count = 0
            while not over.is_set():
                count += 1
                await self.ask(channel, f"q{number}x{count}")

        tasks = [asyncio.create_task(go_on(channel, number)) for number, channel in enumerate(self.channels)]
        try:
            yield
        finally:
            over.set()
            await asyncio.gather(*tasks)

    async def ask(self, channel: Channel, name: str, patience: float = 45.0) -> None:
        """Ask once, and wait for the last words of the answer."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        asked = self.twin.say(channel, self.twin.user, f"<@{self.twin.bot.id}> tell {name}")
        self.asked.setdefault(channel.id, []).append((name, asked, begun))
        last = f"{name} line {self.model.lines} "
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while not any(last in text for text in said_in(channel, asked.id)):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        self.waits.append(loop.time() - begun)

    # Breaking

    async def start(self) -> None:
        """Start all bots, and wait until they are ready."""
        for bot in self.bots:
            await bot.start()
        for bot in self.bots:
            await bot.until("ready:", 60)

    async def strike(self, kind: str, bot: BotProcess, stopped: float) -> None:
        """Let one thing go wrong, until it is right again."""
        if kind == "SIGSTOP":
            bot.send(signal.SIGSTOP)
            await asyncio.sleep(stopped)
            bot.send(signal.SIGCONT)
        elif kind == "database":
            await asyncio.to_thread(self.database.stop)
            await asyncio.sleep(1.0)
            await asyncio.to_thread(self.database.start)
        elif kind == "network":
            bot.line.is_cut = True
            await asyncio.sleep(stopped)
            bot.line.is_cut = False
        else:
            await bot.end(getattr(signal, kind))
            await bot.start()
            await bot.until("ready:", 60, since=len(bot.log))

    # Judging

    def verdicts(self) -> Counter[str]:
        """What became of every question."""
        found: Counter[str] = Counter()
        for channel in self.channels:
            asked = self.asked.get(channel.id, [])
            lines = [line for text in said_in(channel, 0) for line in text.split("\n") if line]
            for name, _, _ in asked:
                mine = [line for line in lines if line.startswith(f"{name} ")]
                found[judge(mine, words_of(name, self.model.lines).split("\n"))] += 1
            names = [line.split(" ", 1)[0] for line in lines if re.match(r"q\d+x\d+ line", line)]
            order = list(dict.fromkeys(names))
            found["channels reordered"] += order != [one for one, _, _ in asked if one in order]
        return +found

    def busiest_second(self) -> int:
        """The most requests that the bots sent in any second."""
        times = sorted(record.at for record in self.twin.log.requests)
        most = first = 0
        for last, at in enumerate(times):
            while at - times[first] > 1.0:
                first += 1
            most = max(most, last - first + 1)
        return most

    def wait_p95(self) -> float:
        """Seconds within which 95 of 100 questions were answered to their end."""
        return statistics.quantiles(self.waits, n=20)[-1]

    def report(self) -> str:
        waits = sorted(self.waits) or [0.0]
        times = (
            f"p50 {statistics.median(waits):.1f} s, p95 {self.wait_p95():.1f} s, at most {waits[-1]:.1f} s"
        )
        return (
            f"{len(self.waits)} questions: {dict(self.verdicts())}; answered in {times}; "
            f"busiest second {self.busiest_second()} requests"
        )


def said_in(channel: Channel, after: int) -> list[str]:
    """What the bot said in a channel, without notices."""
    return [
        one.content
        for one in list(channel.messages.values())
        if one.by_machine and one.id > after and one.content
    ]


def judge(lines: list[str], wanted: list[str]) -> str:
    """Complete, or what is wrong."""
    if lines == wanted:
        return "complete"
    if any(count > 1 for count in Counter(lines).values()):
        return "doubled"
    if [line for line in wanted if line in lines] != lines:
        return "reordered" if set(lines) <= set(wanted) else "cut lines"
    return "lost" if not lines else "cut"


@asynccontextmanager
async def chaos(
    folder: Path,
    *,
    bots: int = 3,
    guilds: int = 6,
    channels: int = 12,
    shards: int = 3,
    lease: float = 3.0,
    roles: tuple[str, ...] = (),
    lines: int = 5,
    pace: float = 0.02,
    persona: str = "",
    switches: Switches | None = None,
) -> AsyncIterator[Chaos]:
    """Everything but the bots, which `start` starts; all is ended with the block."""
    with server() as database:
        async with (
            Twin(switches or Switches.without_limits()) as twin,
            echo_model(lines=lines, pace=pace) as model,
        ):
            homes = [twin.guild]
            while len(homes) < guilds:
                # A server's shard follows from the millisecond in its id.
                await asyncio.sleep(0.002)
                guild = twin.state.add_guild(f"g{len(homes)}", twin.user)
                twin.state.add_member(guild, twin.bot.user)
                homes.append(guild)
            places = [twin.state.add_channel(homes[n % guilds], f"c{n}") for n in range(channels)]
            made, listening = [], []
            for number in range(bots):
                line, wire = Line(database.socket), Line(twin.port)
                listening += [await line.serve(), await wire.serve()]
                url = f"postgresql://postgres@127.0.0.1:{line.port}/postgres"
                file = folder / f"bot{number}.toml"
                values = {
                    "store": url,
                    "server": f"http://127.0.0.1:{wire.port}",
                    "shards": shards,
                    "lease": lease,
                }
                file.write_text(CONFIG.format(**values, model=model.url, persona=persona), encoding="utf-8")
                role = roles[number] if roles else "all"
                made.append(BotProcess(f"bot{number}", file, twin.token, line, wire, role))
            stand = Chaos(twin, model, database, folder, made, places)
            try:
                yield stand
            finally:
                for bot in made:
                    await bot.end()
                for one in listening:
                    one.close()

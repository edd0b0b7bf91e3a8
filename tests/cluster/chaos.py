"""Several bots in processes of their own, one PostgreSQL, one local Discord, and all that may go wrong."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import statistics
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from aiohttp import web

from cluster.breakable import BotProcess, Line, Server, server
from cluster.takeovers import Takeovers
from crashes.scenes import StreamedModel, chunk, said_before, serve_model
from discord_twin import Channel, Message, Twin, TwinOptions

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
debounce = 0.05
buttons = false
[settings]
seconds_per_character = 0.001
typing_delay_min = 0.05
typing_delay_max = 0.2
pause_chance = 0.0
degree = 1
[budget]
per_minute = 0
person_running = 0
server_running = 0
all_running = 0
person_waiting = 0
person_requests = 0
person_tokens = 0
server_requests = 0
server_tokens = 0
[models.main]
provider = "vllm"
model = "m"
base_url = "{model}"
[personas.Twin]
{persona}
"""


# --- A model whose words follow from the question -------------------------------------------------------


def words_of(name: str, lines: int) -> str:
    """The answer to a question, every line of it known by the question's name."""
    return "\n".join(f"{name} line {number} is worth reading." for number in range(1, lines + 1))


@dataclass
class EchoModel(StreamedModel):
    """Says of every question as many lines."""

    lines: int = 5

    async def _speak(self, response: web.StreamResponse, body: Mapping[str, Any]) -> None:
        said = json.dumps([one["content"] for one in body["messages"] if one["role"] == "user"])
        name = ASKED.findall(said)[-1]
        await self._stream(response, words_of(name, self.lines).removeprefix(said_before(body)))
        await response.write(chunk("stop"))


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
    waiting: set[int] = field(default_factory=set)
    waits: list[float] = field(default_factory=list)
    patience: float = 90.0
    """Seconds that somebody waits before they ask again: an answer that is late is not lost."""

    def __post_init__(self) -> None:
        self.takeovers = Takeovers(self.database.url, self._last_message)

    def _last_message(self, channel: int) -> tuple[bool, int]:
        """Whether a channel waits for the rest of an answer, and the last message of the bot there."""
        place = next(one for one in self.channels if one.id == channel)
        said = [one for one in list(place.messages.values()) if one.by_machine]
        return channel in self.waiting, said[-1].id if said else 0

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

    async def ask(self, channel: Channel, name: str) -> None:
        """Ask once, and wait for the last words of the answer."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        asked = self.twin.say(channel, self.twin.user, f"<@{self.twin.bot.id}> tell {name}")
        self.asked.setdefault(channel.id, []).append((name, asked, begun))
        self.waiting.add(channel.id)
        last = f"{name} line {self.model.lines} "
        with suppress(TimeoutError):
            async with asyncio.timeout(self.patience):
                while not any(last in text for text in said_in(channel, asked.id)):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        self.waiting.discard(channel.id)
        self.waits.append(loop.time() - begun)

    # Breaking

    async def start(self) -> None:
        """Start all bots, and wait until they are ready."""
        for bot in self.bots:
            await bot.start()
        for bot in self.bots:
            await bot.until("ready:", 120)

    async def strike(self, kind: str, bot: BotProcess, stopped: float) -> None:
        """Let one thing go wrong, until it is right again."""
        if kind not in {"database", "deploy"}:
            await self.takeovers.watch(kind, bot.member)
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
        elif kind == "deploy":
            await self.deploy(bot)
        else:
            await bot.end(getattr(signal, kind))
            await bot.start()
            await bot.until("ready:", 60, since=len(bot.log))

    async def deploy(self, old: BotProcess) -> None:
        """Start a new process, wait until it is ready, and let the old one drain."""
        new = replace(old, process=None, log=[])
        await new.start()
        self.bots[self.bots.index(old)] = new
        await new.until("ready:", 60)
        await old.end(signal.SIGTERM)

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

    def faults(self) -> list[str]:
        """What is wrong, question by question, with times of day to find it in the logs."""
        found = []
        for channel in self.channels:
            said = [one for one in list(channel.messages.values()) if one.by_machine and one.content]
            for name, asked, _ in self.asked.get(channel.id, []):
                mine = [
                    one
                    for one in said
                    if any(line.startswith(f"{name} ") for line in one.content.split("\n"))
                ]
                lines = [line for one in mine for line in one.content.split("\n")]
                verdict = judge(lines, words_of(name, self.model.lines).split("\n"))
                if verdict != "complete":
                    times = ", ".join(f"{time_of(one.id)} {one.id} {one.content!r}" for one in mine)
                    found.append(
                        f"{verdict}: {channel.id} {name} {asked.id} asked {time_of(asked.id)}: {times}"
                    )
        return found

    def busiest_second(self) -> int:
        """The most requests that the bots sent in any second."""
        return self._busiest()[0]

    def _busiest(self) -> tuple[int, str]:
        records = sorted(self.twin.log.requests, key=lambda one: one.at)
        first, most = 0, (0, "")
        for last, record in enumerate(records):
            while record.at - records[first].at > 1.0:
                first += 1
            if last - first + 1 > most[0]:
                kinds = Counter(f"{one.method} {one.route}" for one in records[first : last + 1])
                most = last - first + 1, ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(5))
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
            f"busiest second {self._busiest()[0]} requests ({self._busiest()[1]}), this process stood still "
            f"for {self.takeovers.standstill:.2f} s at most\n{self.takeovers.report()}"
        )


def time_of(id_: int) -> str:
    """When a message was written, as logs say it."""
    return datetime.fromtimestamp(((id_ >> 22) + 1_420_070_400_000) / 1000).strftime("%H:%M:%S,%f")[:-3]


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
    switches: TwinOptions | None = None,
) -> AsyncIterator[Chaos]:
    """Everything but the bots, which `start` starts; all is ended with the block."""
    with server() as database:
        async with (
            Twin(switches or TwinOptions.without_limits()) as twin,
            serve_model(EchoModel(pace, lines=lines)) as model,
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
                for bot in {*made, *stand.bots}:
                    await bot.end()
                for one in listening:
                    one.close()

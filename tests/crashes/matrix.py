"""Kills: a question in every channel, a signal at a seeded moment, a restart, and what stands there then."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from crashes.scenes import SCENES, ScriptedModel, scripted_model
from streamcord.store import Place, open_store
from streamcord.twin import Channel, Message, Switches, Twin

PICTURE = "https://cdn.example.com/mad.png"
CONFIG = """
store = "{store}"
[discord]
server = "{server}"
[servers]
may_change = ["look", "limits", "delivery"]
[answer]
gather = 0.05
buttons = {buttons}
[settings]
seconds_per_character = 0.001
typing_floor = 0.05
typing_cap = 0.2
pause_chance = 0.0
merge = "off"
[models.main]
provider = "{provider}"
model = "m"
base_url = "{model}"
[personas.Twin]
[personas.Luna]
alter = true
[personas.Kai]
sprites = [
  {{ name = "mad", picture = "{picture}" }},
  {{ name = "happy", picture = "{picture}" }},
]
"""


@dataclass
class Trial:
    """One answer that was killed, and what came of it."""

    scene: str
    seconds: float
    verdict: str
    texts: list[str] = field(default_factory=list)


@dataclass
class Stand:
    """A twin, a model, and a bot that can be killed and started again."""

    twin: Twin
    model: ScriptedModel
    folder: Path
    provider: str = "vllm"
    buttons: bool = False
    process: asyncio.subprocess.Process | None = None
    errors: list[str] = field(default_factory=list)

    async def prepare(self, names: Sequence[str]) -> dict[str, Channel]:
        """A channel for every scene, with its settings and persona."""
        channels = {name: self.twin.add_channel(name) for name in names}
        store = await open_store(self.folder / "s.db")
        for name, channel in channels.items():
            place = Place(self.twin.guild.id, channel.id)
            await store.change_settings(place, dict(SCENES[name].settings))
            if SCENES[name].persona:
                await store.choose_persona(place, SCENES[name].persona)
        await store.close()
        values = {
            "store": self.folder / "s.db",
            "server": self.twin.base_url,
            "model": self.model.url,
            "provider": self.provider,
            "buttons": str(self.buttons).lower(),
            "picture": PICTURE,
        }
        (self.folder / "bot.toml").write_text(CONFIG.format(**values), encoding="utf-8")
        return channels

    async def start(self) -> None:
        """Start the bot and wait until it is ready."""
        environment = {**os.environ, "DISCORD_TOKEN": self.twin.token}
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "streamcord", "bot", "--config", str(self.folder / "bot.toml")),
            env=environment,
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        ready = asyncio.Event()
        self._reader = asyncio.create_task(self._read(ready))
        async with asyncio.timeout(30):
            await ready.wait()
        assert not self._reader.done(), "\n".join(self.errors[-5:])

    async def _read(self, ready: asyncio.Event) -> None:
        assert self.process is not None
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            text = line.decode(errors="replace").rstrip()
            self.errors.append(text)
            if "ready:" in text:
                ready.set()
        ready.set()

    async def kill(self, signal_: int = signal.SIGKILL) -> None:
        """End the bot with a signal, and wait for its end."""
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(signal_)
            async with asyncio.timeout(30):
                await self.process.wait()
            await self._reader
        self.process = None

    def ask(self, name: str, channel: Channel) -> Message:
        """Ask for a scene."""
        return self.twin.say(channel, self.twin.user, f"<@{self.twin.bot.id}> scene {name}")

    async def said(
        self, channel: Channel, after: Message, wanted: int, seconds: float, quiet: float = 0.4
    ) -> list[str]:
        """The bot's words since a question, once there are as many as wanted and nothing more comes."""
        clock = asyncio.get_running_loop().time
        deadline, changed = clock() + seconds, clock()
        before: list[str] = []
        while clock() < deadline and not (len("".join(before)) >= wanted and clock() - changed > quiet):
            texts = words_since(channel, after)
            changed = clock() if texts != before else changed
            before = texts
            await asyncio.sleep(0.1)
        return before


def words_since(channel: Channel, after: Message) -> list[str]:
    """What the bot said behind a message: its words, the names of its files, its notices."""
    return [
        one.content or "".join(f"[{file.filename}]" for file in one.attachments) or "[notice]"
        for one in channel.messages.values()
        if one.by_machine and one.id > after.id and not one.content.startswith("-# ")
    ]


def judge(texts: list[str], whole: list[str]) -> str:
    """Complete, marked, cut, doubled or reordered, compared with an answer that nobody disturbed."""
    words, wanted = squeeze(texts), squeeze(whole)
    if words == wanted:
        return "complete"
    marked = "[notice]" in "".join(texts)
    plain = squeeze([text for text in texts if text != "[notice]"])
    if wanted.startswith(plain):
        return "marked" if marked else "cut"
    counts, meant = Counter(texts), Counter(whole)
    if any(counts[text] > meant[text] for text in texts if text in meant):
        return "doubled"
    return "other"


def squeeze(texts: list[str]) -> str:
    return "".join("".join(texts).split())


@asynccontextmanager
async def stand(folder: Path, **more: object) -> AsyncIterator[Stand]:
    """Twin and model; the bot is ended with the block."""
    async with Twin(Switches.without_limits()) as twin, scripted_model() as model:
        made = Stand(twin, model, folder, **more)  # type: ignore[arg-type]
        try:
            yield made
        finally:
            await made.kill()


async def undisturbed(made: Stand, channels: dict[str, Channel]) -> dict[str, list[str]]:
    """Every scene once, without a kill."""
    asked = {name: made.ask(name, channel) for name, channel in channels.items()}
    whole = {name: await made.said(channels[name], asked[name], 1, 30, 2.5) for name in channels}
    assert all(whole.values()), (whole, made.errors[-5:])
    return whole


async def run_kills(
    folder: Path,
    names: Sequence[str],
    rounds: int,
    seed: int,
    *,
    signal_: int = signal.SIGKILL,
    twice: bool = False,
    longest: float = 2.5,
    **more: object,
) -> list[Trial]:
    """Kill so many times; each kill hits one answer in every channel."""
    random, trials = Random(seed), list[Trial]()
    async with stand(folder, **more) as made:
        channels = await made.prepare(names)
        await made.start()
        whole = await undisturbed(made, channels)
        for _ in range(rounds):
            asked = {name: made.ask(name, channel) for name, channel in channels.items()}
            seconds = random.uniform(0.05, longest)
            await asyncio.sleep(seconds)
            await made.kill(signal_)
            if twice:
                await made.start()
                await asyncio.sleep(random.uniform(0.0, 2.0))
                await made.kill(signal_)
            await made.start()
            for name, channel in channels.items():
                length = len("".join(whole[name]))
                texts = await made.said(channel, asked[name], length, 15)
                trials.append(Trial(name, seconds, judge(texts, whole[name]), texts))
    return trials

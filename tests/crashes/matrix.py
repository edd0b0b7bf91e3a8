"""Crashes: a question in every channel, something happens at a seeded moment, and what is there then."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TypeAlias

from crashes.scenes import SCENES, ScriptedModel, scripted_model
from discord_twin import Channel, Interaction, Message, MessageFlag, Twin, TwinOptions
from streamcord.store import Place, open_store

PICTURE = "https://cdn.example.com/mad.png"
CONFIG = """
store = "{store}"
[discord]
server = "{server}"
shard_count = {shards}
[servers]
may_change = ["look", "limits", "delivery"]
[budget]
person_waiting = 0
person_requests = 0
person_tokens = 0
[answer]
debounce = 0.05
buttons = {buttons}
[settings]
seconds_per_character = 0.001
typing_delay_min = 0.05
typing_delay_max = 0.2
pause_chance = 0.0
merge = "off"
webhook_identity = "{identity}"
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
PLAIN = """
import discord, runpy
discord.AutoShardedClient = discord.Client
runpy.run_module("streamcord_bot", run_name="__main__")
"""
TEXT_DISPLAY, CONTAINER = 10, 17
TABLE, TABLE_AS_TEXT = "[table]", "```\nname │"
"""A table, which is a picture or a card, or text where the bot may send neither."""
NOTICE = "[notice]"
TOLD = 5.0
"""Seconds after which nothing follows a notice."""
LEFTOVERS_S = 5.0
"""Seconds after an answer in which everything that belongs to a running answer must go."""
_STOP = re.compile("sc:stop:[0-9]+:[0-9a-f]+")
COMMAND = "ask"
"""The scene that is asked for by a command."""


@dataclass
class Trial:
    """One answer to which something happened, and what came of it."""

    scene: str
    seconds: float
    verdict: str
    texts: list[str] = field(default_factory=list)
    number: int = 0
    """The round that it belongs to."""
    left: list[str] = field(default_factory=list)
    """Stop buttons, progress lines and typing that are still there `LEFTOVERS_S` after the answer, with buttons."""


@dataclass
class Stand:
    """A twin, a model, and a bot that can be killed and started again."""

    twin: Twin
    model: ScriptedModel
    folder: Path
    provider: str = "vllm"
    buttons: bool = False
    shards: int = 1
    identity: str = "position"
    plain: bool = False
    """Whether the bot is made of discord.py's client for one connection."""
    process: asyncio.subprocess.Process | None = None
    errors: list[str] = field(default_factory=list)
    commands: dict[int, Interaction] = field(default_factory=dict)
    _since: int = 0

    @property
    def store(self) -> Path:
        """The database, in a folder of its own."""
        return self.folder / "disk" / "s.db"

    async def prepare(self, names: Sequence[str]) -> dict[str, Channel]:
        """A channel for every scene, with its settings and persona; `name#2` is a second one."""
        channels = {name: self.twin.add_channel(name) for name in names}
        self.store.parent.mkdir(exist_ok=True)
        store = await open_store(self.store)
        for name, channel in channels.items():
            place, scene = Place(self.twin.guild.id, channel.id), SCENES[scene_name(name)]
            await store.change_settings(place, dict(scene.settings))
            if scene.persona:
                await store.choose_persona(place, scene.persona)
        await store.close()
        values = {
            "store": self.store,
            "server": self.twin.base_url,
            "model": self.model.url,
            "provider": self.provider,
            "buttons": str(self.buttons).lower(),
            "shards": self.shards,
            "identity": self.identity,
            "picture": PICTURE,
        }
        (self.folder / "bot.toml").write_text(CONFIG.format(**values), encoding="utf-8")
        return channels

    async def start(self, *, waits: bool = True) -> None:
        """Start the bot and wait until it is ready."""
        environment = {**os.environ, "DISCORD_TOKEN": self.twin.token}
        self._since = len(self.errors)
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, *(("-c", PLAIN) if self.plain else ("-m", "streamcord_bot"))),
            *("run", "--config", str(self.folder / "bot.toml")),
            env=environment,
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        self.ready = asyncio.Event()
        self._reader = asyncio.create_task(self._read(self.ready))
        if waits:
            await self.wait_until_ready()

    async def wait_until_ready(self) -> None:
        """Wait until the bot says so."""
        async with asyncio.timeout(60):
            await self.ready.wait()
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
            self.signal(signal_)
            async with asyncio.timeout(30):
                await self.process.wait()
            await self._reader
        self.process = None

    def signal(self, signal_: int) -> None:
        """Send the bot a signal."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.send_signal(signal_)

    def ask(self, name: str, channel: Channel) -> int:
        """Ask for a scene; gives the id behind which the answer stands."""
        scene = scene_name(name)
        if scene == COMMAND:
            used = self.twin.fake_user(channel=channel).slash(COMMAND, question=f"scene {scene}")
            self.commands[used.id] = used
            return used.id
        return self.twin.say(channel, self.twin.user, f"<@{self.twin.bot.id}> scene {scene}").id

    def was_heard(self, asked: int) -> bool:
        """Whether the bot could know of it; to a command that no one takes, Discord says so itself."""
        return asked not in self.commands or self.commands[asked].responded

    def forget_log(self) -> list[str]:
        """Return the lines of the log since the last call, and drop them."""
        lines, self.errors, self._since = self.errors, [], 0
        return lines

    async def rest(self, answers: int, seconds: float) -> None:
        """Wait until so many answers have ended, and all that have begun."""
        async with asyncio.timeout(seconds):
            while True:
                lines = self.errors[self._since :]
                begun, ended = (sum(word in line for line in lines) for word in (" begins: ", " ended: "))
                if ended >= max(answers, begun):
                    return
                await asyncio.sleep(0.1)

    async def leftovers(self, answers: Mapping[str, tuple[Channel, int]]) -> dict[str, list[str]]:
        """What still looks as if an answer were being written, some seconds after all of them are complete."""
        begin = len(self.twin.log.requests)
        await asyncio.sleep(LEFTOVERS_S)
        typing = [one.path for one in self.twin.log.requests[begin:] if one.route == "channels.typing"]
        left: dict[str, list[str]] = {}
        for name, (channel, after) in answers.items():
            there = [one for one in channel.messages.values() if one.by_machine and one.id > after]
            buttons = ["stop" for one in there if _STOP.search(json.dumps(one.draft.components))]
            # What a tool does is told in a line that ends so.
            lines = [one.content for one in there if one.content.startswith("-# ") and "…" in one.content]
            left[name] = buttons + lines + ["typing" for path in typing if str(channel.id) in path]
        return left

    async def said(
        self, channel: Channel, after: int, wanted: int, seconds: float, quiet: float = 0.4
    ) -> list[str]:
        """The bot's words since a question, once as many characters as wanted are there and nothing more comes."""
        clock = asyncio.get_running_loop().time
        deadline, changed = clock() + seconds, clock()
        before: list[str] = []
        while clock() < deadline:
            # A notice ends an answer, unless the rest follows it.
            pause = quiet if len(squeeze(before)) >= wanted else TOLD if before[-1:] == [NOTICE] else seconds
            if clock() - changed > pause:
                break
            texts = words_since(channel, after)
            changed = clock() if texts != before else changed
            before = texts
            await asyncio.sleep(0.1)
        return before


def scene_name(name: str) -> str:
    """The scene of a channel: `bubbles#2` is one of several for it."""
    return name.partition("#")[0]


def shown(message: Message) -> str:
    """What a message says, without the line that links what it answers."""
    texts = (
        one["content"] if one["type"] == TEXT_DISPLAY else TABLE if one["type"] == CONTAINER else ""
        for one in message.draft.components
    )
    words = message.content or "".join(texts)
    if words.startswith(TABLE_AS_TEXT):
        words = TABLE
    if words.startswith("-# ↩ ["):
        words = words.partition("\n")[2]
    # What only one person sees is about the answer, and no part of it.
    files = (f"[{file.filename}]" for file in message.attachments)
    said = words or "".join(TABLE if file == "[table.png]" else file for file in files)
    return said if said and not message.is_ephemeral else NOTICE


def words_since(channel: Channel, after: int | Message) -> list[str]:
    """What the bot said behind a message: its words, the names of its files, its notices."""
    first = after if isinstance(after, int) else after.id
    return [
        shown(one)
        for one in channel.messages.values()
        if one.by_machine
        and one.id > first
        and not one.content.startswith("-# ")
        # The reply to a command that waits for its first words says nothing yet.
        and not one.draft.flags & MessageFlag.LOADING
    ]


def judge(texts: list[str], whole: list[str]) -> str:
    """Complete, marked, cut, doubled or reordered, compared with an answer that no one disturbed."""
    words, wanted = squeeze(texts), squeeze(whole)
    if words == wanted:
        return "complete"
    marked = "[notice]" in "".join(texts)
    plain = squeeze([text for text in texts if text != "[notice]"])
    if plain == wanted:
        # A word about the break, and nothing is missing.
        return "complete"
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
    async with Twin(TwinOptions.without_limits()) as twin, scripted_model() as model:
        made = Stand(twin, model, folder, **more)  # type: ignore[arg-type]
        try:
            yield made
        finally:
            if made.process is not None:
                made.signal(signal.SIGCONT)
            await made.kill()


async def undisturbed(made: Stand, channels: Mapping[str, Channel]) -> dict[str, list[str]]:
    """Every scene once, while nothing happens."""
    asked = {name: made.ask(name, channel) for name, channel in channels.items()}
    await made.rest(len(channels), 180)
    whole = {name: words_since(channels[name], asked[name]) for name in channels}
    assert all(whole.values()), (whole, made.errors[-5:])
    return whole


Meanwhile: TypeAlias = Callable[[], None]
Act: TypeAlias = Callable[[Stand, Random, Meanwhile], Awaitable[None]]
"""What happens to the bot; in the middle of it, it says when further questions are to be asked."""


async def run_trials(
    folder: Path,
    names: Sequence[str],
    rounds: Sequence[int],
    seed: int,
    act: Act,
    *,
    late: Sequence[str] = (),
    longest: float = 2.5,
    patience: float = 90.0,
    **more: object,
) -> AsyncGenerator[list[Trial], None]:
    """Let it happen so many times, each time to one answer in every channel; `late` is asked meanwhile."""
    async with stand(folder, **more) as made:
        channels = await made.prepare([*names, *late])
        await made.start()
        whole = await undisturbed(made, channels)
        for number in rounds:
            random = Random(f"{seed}/{number}")
            seconds = random.uniform(0.05, longest)
            # Each answer has gone on for a time of its own when it happens.
            ages = sorted(((seconds * random.random(), name) for name in names), reverse=True)
            asked: dict[str, int] = {}
            for (age, name), (later, _) in pairwise([*ages, (0.0, "")]):
                asked[name] = made.ask(name, channels[name])
                await asyncio.sleep(age - later)

            def meanwhile(asked: dict[str, int] = asked) -> None:
                asked |= {name: made.ask(name, channels[name]) for name in late}

            await act(made, random, meanwhile)
            waits = (
                made.said(channels[name], after, len(squeeze(whole[name])), patience)
                for name, after in asked.items()
            )
            found = zip(asked, await asyncio.gather(*waits), strict=True)
            old = {name: round(age, 3) for age, name in ages}
            words = dict(found)
            heard = [name for name in words if made.was_heard(asked[name])]
            trials = [
                Trial(
                    scene_name(name), old.get(name, 0.0), judge(words[name], whole[name]), words[name], number
                )
                for name in heard
            ]
            with suppress(TimeoutError):
                await made.rest(0, patience)
            if made.buttons:
                left = await made.leftovers({name: (channels[name], asked[name]) for name in asked})
                trials = [replace(one, left=left[name]) for one, name in zip(trials, heard, strict=True)]
            yield trials

"""Random schedules of messages, rounds of tools, edits, deletions, stops and kills, on a twin with the real bot.

Each schedule has a channel of its own; some twenty of them run at once on one bot, which is killed between two steps:
its database is copied in one step of the event loop, and it sends nothing any more. The model ends each answer with
the tags of the messages that it answers, and every tool call has a key. So the channel itself shows what was answered,
how often, and in which order.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from bot.recovery.again import life, recovered
from bot.stage import Stage
from discord_twin import Channel, Message, Twin, User
from streamcord import Finish, FinishReason, ProviderEvent, TextDelta, ToolCall
from streamcord._store.database import WRITE_AHEAD_SUFFIX
from streamcord.discord import block_requests, share_requests
from streamcord.providers import Options, Prompt, Text, Tool, ToolResult, UserMessage, tool
from streamcord.store import Place, open_journal
from streamcord_bot.messages.question import Question
from streamcord_bot.prompt.prompt_builder import CONTINUE
from twin.conftest import FREE

MODES = ("interrupt", "queue", "steer", "steer")
MAX_MESSAGES = 7
"""Messages of one schedule: fewer than fit into a queue."""
STEPS = 10
ROUNDS = 3
"""Rounds of tools of one answer, at most."""
SETTLE_TIMEOUT_S = 60.0

_TAG = re.compile(r"\bc(\d+)m\d+(?=!)")
_ENDED = re.compile(r"end\(([^)]*)\)")
_LINE = re.compile(r"line (\S+)")
_BUSY = {"👀", "⏳"}


@dataclass(slots=True)
class Sent:
    """A message of a person, and what may have become of it."""

    tag: str
    message: Message
    author: int
    is_deleted: bool = False
    # It was asked or heard by an answer that was stopped, or withdrawn with `/stop`.
    is_stopped: bool = False
    # Whether it mentions the bot. Another one is only found again after a kill if it was recorded.
    is_called: bool = True
    # Whether a reaction has shown that the bot accepted it.
    is_accepted: bool = False


@dataclass(slots=True)
class Room:
    """One schedule: a channel with its settings and messages."""

    number: int
    random: Random
    channel: Channel
    mode: str
    steered_by: str
    sent: list[Sent] = field(default_factory=list)
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    # What the schedule did, for the report of a failure.
    steps: list[str] = field(default_factory=list)
    # Faults that were seen while it ran.
    faults: list[str] = field(default_factory=list)
    # Questions that were restarted by an edit or a deletion: their tools run again.
    restarted: set[str] = field(default_factory=set)

    def change(self) -> None:
        """Note that a question is changed: an answer to it starts over, and so do its tools."""
        self.restarted |= {one.tag for one in self.sent}

    def tags_of(self, question: Question) -> list[str]:
        """The tags of the messages that a question contains."""
        ids = set(question.ids)
        return [one.tag for one in self.sent if one.message.id in ids]


class World:
    """The rooms of one batch, the model and the tool."""

    def __init__(self, twin: Twin, rooms: list[Room], alice: User, bob: User) -> None:
        self.twin = twin
        self.rooms = rooms
        self.people = (alice, alice, bob)
        self.calls: Counter[str] = Counter()
        self.kills = 0
        # The life that may act; an older one is dead.
        self.life = 0
        self.stage: Stage

    # --- What the bot has ------------------------------------------------------------------------

    def model(self) -> Model:
        return Model(self, self.life)

    def tool(self) -> Tool:
        mine = self.life

        @tool
        async def work(key: str) -> str:
            """Work until the schedule lets it end."""
            if mine != self.life:
                await asyncio.Event().wait()
            room = self.rooms[int(key[1 : key.index("m")])]
            self.calls[key] += 1
            # With `interrupt` an answer starts over with every message.
            starts_over = room.mode == "interrupt" or _tag_of(key) in room.restarted
            if self.calls[key] > 1 and not starts_over:
                room.faults.append(f"tool {key} ran twice")
            await room.gate.acquire()
            return "done"

        return work


class Model:
    """Calls the tool some times, then says which messages it has answered."""

    def __init__(self, world: World, life_: int) -> None:
        self._world = world
        self._life = life_

    async def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        world = self._world
        if self._life != world.life:
            await asyncio.Event().wait()
        words = _words_of(prompt)
        tags = _TAG.findall(words)
        room = world.rooms[int(tags[-1])]
        question = world.stage.app.dispatcher.running_in(room.channel.id)
        if question is None:
            # It was stopped or restarted at this moment: nothing of this is shown.
            yield Finish(FinishReason.STOP)
            return
        if CONTINUE in words and _ENDED.search(str(prompt.messages[-2])):
            # It is asked to continue what is complete.
            yield Finish(FinishReason.STOP)
            return
        asked = room.tags_of(question)
        room.faults += [f"prompt: {fault}" for fault in _check_prompt(words, asked)]
        first = asked[0]
        if question.restarts:
            room.restarted.add(first)
        done = sum(isinstance(one, ToolResult) for one in prompt.messages) + words.count("\nwork(")
        rounds = Random(f"{room.number} {first} {question.restarts}").randint(0, ROUNDS)
        if done < rounds:
            line = f"line {first}r{done}x{question.restarts}\n"
            # A model that continues its own answer sees what it has said.
            if line.strip() not in str(prompt.messages):
                yield TextDelta(line)
            yield ToolCall(f"t{done}", "work", {"key": f"{first}r{done}"})
            yield Finish(FinishReason.TOOL_CALLS)
            return
        yield TextDelta(f"end({' '.join(asked)})\n")
        yield Finish(FinishReason.STOP)


def _words_of(prompt: Prompt) -> str:
    """Everything that people say in a prompt, and the notes of the bot."""
    parts = (part for one in prompt.messages if isinstance(one, UserMessage) for part in one.parts)
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def _check_prompt(words: str, asked: list[str]) -> list[str]:
    """Each message that is answered must be in the prompt once, and in order."""
    counts = {tag: words.count(f"{tag}!") for tag in asked}
    faults = [f"{tag} is there {count} times" for tag, count in counts.items() if count != 1]
    places = [words.find(f"{tag}!") for tag in asked]
    return faults or ([] if places == sorted(places) else [f"{asked} are not in order"])


# --- Playing ---------------------------------------------------------------------------------------------


async def play(seeds: range, folder: Path, kills: int = 2) -> list[str]:
    """Play these schedules at once, and return what is wrong with them."""
    random = Random(seeds.start)
    async with Twin(FREE) as twin:
        bob = twin.add_user("bob")
        rooms = [_make_room(twin, number, seed) for number, seed in enumerate(seeds)]
        world = World(twin, rooms, twin.user, bob)
        await _play(world, random, folder, kills)
        return [
            f"seed {seed} ({room.mode}, {room.steered_by}): {fault}; {' '.join(room.steps)}"
            for seed, room in zip(seeds, rooms, strict=True)
            for fault in (*room.faults, *_judge(room))
        ]


def _make_room(twin: Twin, number: int, seed: int) -> Room:
    random = Random(seed)
    by = random.choice(["asker", "everyone"])
    return Room(number, random, twin.add_channel(f"room-{number}"), MODES[seed % len(MODES)], by)


async def _play(world: World, random: Random, folder: Path, kills: int) -> None:
    file = folder / "life0.db"
    deaths = sorted(random.sample(range(2, STEPS), kills))
    async with AsyncExitStack() as stack:
        await _begin(world, stack, file)
        await _set_up(world)
        for step in range(STEPS):
            if step in deaths:
                file = _kill(world, file)
                await stack.aclose()
                await _begin(world, stack, file)
                # What people write while the bot is still reading what it has missed may overtake that.
                await recovered(world.stage)
            for room in random.sample(world.rooms, len(world.rooms)):
                await _step(world, room)
            for one in (one for room in world.rooms for one in room.sent):
                one.is_accepted |= bool(one.message.reactions)
            if random.random() < 0.5:
                await asyncio.sleep(random.random() * 0.02)
        # From here on nothing holds an answer.
        for room in world.rooms:
            for _ in range(1000):
                room.gate.release()
        try:
            await _settle(world)
        except TimeoutError:
            world.rooms[0].faults.append("the bot did not come to rest")
    async with await open_journal(file) as journal:
        left = [row.body["about"] for row in await journal.entries() if row.kind == "turn"]
    for about in left:
        room = next(one for one in world.rooms if one.channel.id == about["channel"])
        room.faults.append(f"a turn is left in the journal: {about}")


async def _begin(world: World, stack: AsyncExitStack, file: Path) -> None:
    world.stage = await stack.enter_async_context(_living(world, file))
    # The twin has no rate limits, so the bot need not keep to them.
    share_requests(world.stage.bot, None, lambda *_: None)


def _living(world: World, file: Path) -> Any:
    limits = dict.fromkeys(("person_running", "server_running", "person_waiting", "per_minute"), 0)
    requests = dict.fromkeys(("person_requests", "server_requests", "all_requests"), 0)
    return life(
        world.twin,
        file,
        world.model(),
        registered=[world.tool()],
        # A process of this machine that has ended, as soon as another life begins.
        owner=f"{socket.gethostname()}/{os.getpid()}/life-{world.life}",
        patience=5.0,
        budget={**limits, **requests, "errors": 0},
        answer={"debounce": 0.0, "buttons": False, "acknowledge": True, "follow_up_time": 600.0},
    )


async def _set_up(world: World) -> None:
    store, guild = world.stage.store, world.twin.guild.id
    for room in world.rooms:
        values = {"answer.follow_up": room.mode, "answer.steered_by": room.steered_by}
        await store.change_settings(Place(guild, room.channel.id), values)


def _kill(world: World, file: Path) -> Path:
    """End a life as a kill does: in one step nothing is sent any more, and only what was written is left."""
    block_requests(world.stage.bot, float("inf"), "it was killed")
    world.kills += 1
    world.life += 1
    copy = file.with_name(f"life{world.life}.db")
    # A thread may be writing: what is read twice in the same state was so at one moment.
    while (written := _read(file)) != _read(file):
        pass
    for ending, content in written.items():
        Path(f"{copy}{ending}").write_bytes(content)
    for room in world.rooms:
        room.gate = asyncio.Semaphore(0)
        room.steps.append("KILL")
    return copy


def _read(file: Path) -> dict[str, bytes]:
    paths = {ending: Path(f"{file}{ending}") for ending in ("", "-wal", WRITE_AHEAD_SUFFIX)}
    return {ending: path.read_bytes() for ending, path in paths.items() if path.exists()}


async def _step(world: World, room: Room) -> None:
    random, twin = room.random, world.twin
    act = random.choices(["ask", "release", "edit", "delete", "stop", "wait"], weights=[8, 8, 2, 2, 1, 3])[0]
    alive = [one for one in room.sent if not one.is_deleted]
    if act == "ask" and len(room.sent) < MAX_MESSAGES:
        _ask(world, room)
    elif act == "release":
        room.steps.append("release")
        room.gate.release()
    elif act == "edit" and alive:
        one = random.choice(alive)
        room.steps.append(f"edit {one.tag}")
        room.change()
        call = f"<@{twin.bot.id}> " if one.is_called else ""
        twin.edit(one.message, f"{call}{one.tag}! edited {len(room.steps)}")
    elif act == "delete" and alive:
        one = random.choice(alive)
        room.steps.append(f"delete {one.tag}")
        room.change()
        one.is_deleted = True
        twin.delete(one.message)
    elif act == "stop" and alive:
        await _stop(world, room)
    else:
        await asyncio.sleep(random.random() * 0.01)


def _ask(world: World, room: Room) -> None:
    user = room.random.choice(world.people)
    tag = f"c{room.number}m{len(room.sent)}"
    running = world.stage.app.dispatcher.running_in(room.channel.id)
    is_called = running is None or running.owner != user.id or room.random.random() < 0.5
    room.steps.append(f"{user.name} {tag}" + ("" if is_called else " without a mention"))
    message = world.twin.say(room.channel, user, f"<@{world.twin.bot.id}> {tag}!" if is_called else f"{tag}!")
    room.sent.append(Sent(tag, message, user.id, is_called=is_called))


async def _stop(world: World, room: Room) -> None:
    """Stop the answer as a moderator; what it had asked or heard may stay without an answer."""
    await world.stage.settled()
    running = world.stage.app.dispatcher.running_in
    before = running(room.channel.id)
    stopped = set(before.ids) if before else set()
    interaction = world.twin.slash("stop", room.channel, world.twin.user)
    await world.twin.until(lambda: interaction.original or interaction.callback, SETTLE_TIMEOUT_S)
    stopped |= set(before.ids) if before else set()
    after = running(room.channel.id)
    # The answer may have ended just before: then the next one was stopped, or a question of the moderator withdrawn.
    stopped |= set(after.ids) if after is not before and after else set()
    if before is not None and (before.discarded or room.mode == "interrupt"):
        # It is being restarted, with what it had heard: a stop withdraws that.
        stopped |= {one.message.id for one in room.sent if one.author == before.owner}
    if before is None or after is not before:
        stopped |= {one.message.id for one in room.sent if one.author == world.twin.user.id}
    room.steps.append("stop")
    for one in room.sent:
        one.is_stopped |= one.message.id in stopped


async def _settle(world: World) -> None:
    async with asyncio.timeout(SETTLE_TIMEOUT_S):
        await world.stage.settled()
        dispatcher = world.stage.app.dispatcher
        await world.twin.until(lambda: dispatcher.is_idle and not _busy(world), SETTLE_TIMEOUT_S)
        await world.stage.quiet()


def _busy(world: World) -> bool:
    """Whether reactions are still being removed."""
    return any(_left(one) for room in world.rooms for one in room.sent if not one.is_deleted)


def _left(sent: Sent) -> set[str]:
    return _BUSY.intersection(sent.message.reactions)


# --- Judging ---------------------------------------------------------------------------------------------


def _judge(room: Room) -> list[str]:
    """Compare what a channel shows with what must be there."""
    texts = [one.content or _notice(one) for one in room.channel.messages.values() if one.by_machine]
    ends = [tags.split() for text in texts for tags in _ENDED.findall(text)]
    counts = Counter(tag for tags in ends for tag in tags)
    faults = []
    for one in room.sent:
        may_lack = one.is_deleted or one.is_stopped
        may_lack |= not (one.is_called or one.is_accepted)
        # An answer that is stopped for another one right before a kill may leave messages that recovery does not know.
        # Then people get a notice.
        starts_over = room.mode == "interrupt" or one.tag in room.restarted
        may_lack |= starts_over and any(text.startswith("[The connection") for text in texts)
        # With `interrupt` the answer that stopped may have been nearly complete.
        is_double = counts[one.tag] > 1 and room.mode != "interrupt"
        # The answer to the old words of a question is deleted; a kill right before that leaves it there.
        is_double &= one.tag not in room.restarted or counts[one.tag] > 2
        if is_double or (not counts[one.tag] and not may_lack):
            faults.append(f"{one.tag} was answered {counts[one.tag]} times")
        if not one.is_deleted and _left(one):
            faults.append(f"{one.tag} still shows {_left(one)}")
    lines = Counter(line for text in texts for line in _LINE.findall(text))
    if room.mode != "interrupt":
        lines = Counter({one: count for one, count in lines.items() if _tag_of(one) not in room.restarted})
        faults += [f"line {line} is there {count} times" for line, count in lines.items() if count > 1]
    places = {one.tag: number for number, one in enumerate(room.sent)}
    for author in {one.author for one in room.sent}:
        own = {one.tag for one in room.sent if one.author == author}
        order = [places[tag] for tags in ends for tag in tags if tag in own and counts[tag] == 1]
        if order != sorted(order) and room.mode != "interrupt":
            faults.append(f"answered in the order {ends}")
    return [*faults, f"the channel: {texts}"] if faults else []


def _tag_of(key: str) -> str:
    """Return the message of a line or a tool call, such as `c1m2` of `c1m2r0`."""
    return key.partition("r")[0]


def _notice(message: Message) -> str:
    return " ".join(f"[{embed.get('description')}]" for embed in message.draft.embeds)

"""The fault matrix: every kind of answer, every fault, and what is in the channels afterwards.

Bot, local Discord and model are as in the crash tests, with a gate between bot and Discord. In each round one question
of every kind is asked, and the fault strikes each of the answers at a seeded moment. Nothing may be missing unless
people were told, nothing may be said twice, and no stop button may be left.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from crashes.gate import Gate, gate_before
from crashes.matrix import COMMAND, CONFIG, PICTURE, Stand, judge, scene_name, squeeze, words_since
from crashes.scenes import SCENES, scripted_model
from discord_twin import Channel, Fault, FaultKind, Permission, Twin, TwinOptions, User
from discord_twin.state.message_serializers import serialize_message
from streamcord.store import Place, open_store

KINDS: dict[str, str] = {
    "bot": "messages",
    "persona": "persona",
    "live": "live",
    "live persona": "vera",
    "sprite": "sprites",
    "table": "table",
    "live table": "grown",
    "thread": "messages#thread",
    "thread persona": "persona#thread",
    "direct message": "messages#dm",
    "tool": "tool",
    "slash": "ask",
    "live slash": "ask#live",
}
"""The thirteen kinds of answers, and the scene and place of each."""
CREATES = ("messages.create", "webhooks.execute", "interactions.followup")
EDITS = ("messages.edit", "webhooks.message", "interactions.message")
WORDS = (*CREATES, *EDITS)
READS = ("messages.list", "messages.get")
_STOP = re.compile("sc:stop:[0-9]+:[0-9a-f]+")
LONGEST_AGE_S = 2.5
PATIENCE_S = 60.0
BUTTONS_S = 45.0
A_YEAR_S = 31_536_000.0


@dataclass
class Cell:
    """One answer and what became of it."""

    kind: str
    fault: str
    verdict: str
    buttons: int = 0
    """Stop buttons that are left."""
    texts: list[str] = field(default_factory=list)
    seed: int = 0

    @property
    def is_good(self) -> bool:
        """Whether it is complete, or people were told, and nothing is left behind."""
        return self.verdict in {"complete", "told"} and not self.buttons


class Matrix(Stand):
    """A stand with a place of its own for every kind of answer."""

    gate: Gate
    more: str = ""
    places: dict[str, Channel]
    people: dict[str, User]

    async def prepare(self, names: Sequence[str]) -> dict[str, Channel]:
        """A place for every kind, with its settings and persona."""
        self.places, self.people = {}, {}
        self.store.parent.mkdir(exist_ok=True)
        store = await open_store(self.store)
        for name in names:
            scene, tag = SCENES[scene_name(KINDS[name])], KINDS[name].partition("#")[2]
            # Everybody asks at the same time, and a person may have few answers at once.
            person = self.people[name] = self.twin.add_user(name.replace(" ", "-"))
            home = self.twin.add_channel(name.replace(" ", "-"))
            channel = home
            if tag == "thread":
                channel = self.twin.add_thread(name, home)
            elif tag == "dm":
                channel = self.twin.dm(person)
            self.places[name] = channel
            place = Place(channel.guild_id or 0, channel.id)
            live = {"delivery": "live"} if tag == "live" else {}
            await store.change_settings(place, {**scene.settings, **live})
            if scene.persona:
                await store.choose_persona(place, scene.persona)
        await store.close()
        values = {
            "store": self.store,
            "server": self.gate.url,
            "model": self.model.url,
            "provider": self.provider,
            "buttons": "true",
            "shards": 1,
            "identity": self.identity,
            "picture": PICTURE,
        }
        text = CONFIG.format(**values) + self.more
        (self.folder / "bot.toml").write_text(text, encoding="utf-8")
        return self.places

    def ask(self, name: str, channel: Channel) -> int:
        scene, person = scene_name(KINDS[name]), self.people[name]
        if scene == COMMAND:
            used = self.twin.slash(COMMAND, channel, person, question=f"scene {scene}")
            self.commands[used.id] = used
            return used.id
        return self.twin.say(channel, person, f"<@{self.twin.bot.id}> scene {scene}").id

    async def stop_buttons(self, channel: Channel, after: int, seconds: float) -> int:
        """How many stop buttons are still there after this many seconds; it does not wait longer than needed."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while (left := count_stop_buttons(channel, after)) and clock() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        return left

    def press_stop_buttons(self, channel: Channel, after: int) -> None:
        """Press every stop button behind a question."""
        for message in [one for one in channel.messages.values() if one.id > after]:
            if match := _STOP.search(json.dumps(message.draft.components)):
                self.twin.press(message, match[0], self.twin.user)

    async def undisturbed(self) -> dict[str, list[str]]:
        """Every kind once, while nothing happens."""
        asked = {name: self.ask(name, channel) for name, channel in self.places.items()}
        await self.rest(len(asked), 180)
        whole = {name: words_since(self.places[name], asked[name]) for name in asked}
        assert all(whole.values()), (whole, self.errors[-5:])
        return whole

    async def strike(self, fault: Strike, whole: Mapping[str, list[str]], name: str, seed: int) -> list[Cell]:
        """Ask for every kind, let the fault happen, and say what became of the answers."""
        random = Random(f"{name}/{seed}")
        names = [kind for kind in whole if fault.applies_to(kind)]
        ages = {kind: random.uniform(0.0, LONGEST_AGE_S) for kind in names}
        longest, asked = max(ages.values()), dict[str, int]()
        for kind in sorted(names, key=lambda one: -ages[one]):
            await asyncio.sleep(longest - ages[kind])
            longest = ages[kind]
            if fault.before:
                await fault.act(self, self.places[kind], random)
            asked[kind] = self.ask(kind, self.places[kind])
        await asyncio.sleep(longest)
        if not fault.before:
            await fault.act(self, self.places[names[0]], random)
        # Something that has not struck yet must not strike the next round.
        cells = await asyncio.gather(*(self._judge(kind, asked[kind], whole, fault, name) for kind in names))
        self.twin.faults.clear()
        for cell in cells:
            cell.seed = seed
        return [*cells]

    async def _judge(
        self, kind: str, asked: int, whole: Mapping[str, list[str]], fault: Strike, name: str
    ) -> Cell:
        channel = self.places[kind]
        texts = await self.said(channel, asked, len(squeeze(whole[kind])), fault.patience)
        verdict = judge(texts, whole[kind])
        if not self.was_heard(asked):
            # Discord itself tells the one who used a command that no one takes.
            verdict = "told"
        # While Discord takes no request, no button can be removed either.
        wait = 2.0 if fault.is_pressed else max(BUTTONS_S, fault.patience)
        buttons = await self.stop_buttons(channel, asked, wait)
        if buttons and fault.is_pressed:
            self.press_stop_buttons(channel, asked)
            buttons = await self.stop_buttons(channel, asked, BUTTONS_S)
        names = {"marked": "told", "cut": "silent", "other": "hole"}
        verdict = names.get(verdict, verdict)
        return Cell(kind, name, verdict, buttons, [] if verdict == "complete" else texts)


def count_stop_buttons(channel: Channel, after: int) -> int:
    """Count the messages behind a question that have a stop button."""
    shown = (one for one in channel.messages.values() if one.id > after)
    return sum(bool(_STOP.search(json.dumps(one.draft.components))) for one in shown)


Act: TypeAlias = Callable[[Matrix, Channel, Random], Awaitable[None]]


@dataclass(frozen=True)
class Strike:
    """One fault of the matrix."""

    act: Act
    before: bool = False
    """Whether it is armed for each answer, before its question; else it happens once, in the middle of all."""
    patience: float = PATIENCE_S
    kinds: tuple[str, ...] = tuple(KINDS)
    is_pressed: bool = False
    """Whether a stop button that is left is pressed: where the webhook of its message is gone, only that removes it."""

    def applies_to(self, kind: str) -> bool:
        return kind in self.kinds


def _armed(
    kind: FaultKind,
    *routes: str,
    times: int = 1,
    latest: int = 5,
    kinds: tuple[str, ...] = tuple(KINDS),
    patience: float = PATIENCE_S,
    **fields: Any,
) -> Strike:
    """A fault of the local Discord that strikes one of the first requests of an answer."""

    async def act(made: Matrix, channel: Channel, random: Random) -> None:
        made.twin.faults.add(
            Fault(
                kind,
                routes or WORDS,
                after=random.randrange(latest + 1),
                channel_id=channel.id,
                times=random.randint(1, times),
                **fields,
            )
        )

    return Strike(act, before=True, kinds=kinds, patience=patience)


def _webhook_gone(kind: FaultKind) -> Strike:
    return replace(_armed(kind, kinds=PERSONAS), is_pressed=True)


def _cached(kind: FaultKind, *, elsewhere: bool) -> Strike:
    """A success that names another message: of this channel, from a cache, or of another channel."""

    async def act(made: Matrix, channel: Channel, random: Random) -> None:
        others = [one for one in made.places.values() if one is not channel and one.guild_id]
        source = random.choice(others) if elsewhere else channel
        message = random.choice([one for one in source.messages.values() if one.by_machine])
        body = json.dumps(serialize_message(made.twin.state, message))
        made.twin.faults.add(
            Fault(kind, CREATES, after=random.randrange(4), channel_id=channel.id, body=body)
        )

    return Strike(act, before=True)


def _revoked(permission: Permission, seconds: float, kinds: tuple[str, ...] = tuple(KINDS)) -> Strike:
    """A permission that is taken everywhere, and given back after a while (0: never)."""

    async def act(made: Matrix, channel: Channel, random: Random) -> None:
        places = [one for one in made.places.values() if one.guild_id]
        for place in places:
            made.twin.state.overwrite(place, made.twin.bot.user, deny=permission)
        # What is never given back during an answer is given back for the next round.
        await asyncio.sleep(seconds)
        for place in places:
            made.twin.state.overwrite(place, made.twin.bot.user)

    return Strike(act, kinds=kinds)


async def _lock_threads(made: Matrix, channel: Channel, random: Random) -> None:
    threads = [one for one in made.places.values() if one.is_thread]
    for thread in threads:
        made.twin.state.set_thread(thread, archived=True, locked=True)
    await asyncio.sleep(3.0)
    for thread in threads:
        made.twin.state.set_thread(thread, archived=False)


def _gateway(act: Callable[[Twin], None], *, again: int = 1) -> Strike:
    async def strike(made: Matrix, channel: Channel, random: Random) -> None:
        for _ in range(again):
            act(made.twin)
            await asyncio.sleep(0.3)

    return Strike(strike)


def _outage(seconds: float) -> Strike:
    async def act(made: Matrix, channel: Channel, random: Random) -> None:
        await made.twin.go_offline()
        await asyncio.sleep(seconds)
        await made.twin.go_online()

    return Strike(act, patience=PATIENCE_S + 60.0)


def _gated(act: Callable[[Gate], None], seconds: float) -> Strike:
    async def strike(made: Matrix, channel: Channel, random: Random) -> None:
        act(made.gate)
        await asyncio.sleep(seconds)
        made.gate.open()

    return Strike(strike, patience=PATIENCE_S + 120.0)


def _zombie(seconds: float) -> Strike:
    """Heartbeats are not acknowledged, and no event arrives."""

    async def act(made: Matrix, channel: Channel, random: Random) -> None:
        made.twin.configure(gateway_dup_events_chance=1.0)
        made.twin.gateway.abort()
        await asyncio.sleep(seconds)
        made.twin.configure(gateway_dup_events_chance=0.0)

    return Strike(act)


def _killed(signal_: int) -> Strike:
    async def act(made: Matrix, channel: Channel, random: Random) -> None:
        await made.kill(signal_)
        await made.start()

    return Strike(act, patience=PATIENCE_S + 30.0)


def _banned(seconds: float) -> Strike:
    """Cloudflare bans the address for a while."""

    async def act(made: Matrix, channel: Channel, random: Random) -> None:
        made.twin.configure(cloudflare_429_html=True)
        await asyncio.sleep(seconds)
        made.twin.configure(cloudflare_429_html=False)

    # The bot sends nothing for five minutes after a ban.
    return Strike(act, patience=420.0)


PERSONAS = ("persona", "live persona", "sprite", "thread persona")
FAKES = {
    "nothing": "",
    "null": "null",
    "a list": "[]",
    "no id": "{}",
    "a page": "<html>ok</html>",
    "an error object": '{"message": "x", "code": 0}',
    "half a JSON": '{"id": "12345", "channel_id"',
}
FAULTS: dict[str, Strike] = {
    **{
        f"200 with {name}, not carried out": _armed(FaultKind.FAKE_SUCCESS, times=2, body=body)
        for name, body in FAKES.items()
    },
    **{
        f"200 with {name}, carried out": _armed(FaultKind.ACK_GARBLED, times=2, body=body)
        for name, body in FAKES.items()
        if body
    },
    "200 with a cached message, not carried out": _cached(FaultKind.FAKE_SUCCESS, elsewhere=False),
    "200 with another channel's message, not carried out": _cached(FaultKind.FAKE_SUCCESS, elsewhere=True),
    "200 with a cached message, carried out": _cached(FaultKind.ACK_GARBLED, elsewhere=False),
    "200 with another channel's message, carried out": _cached(FaultKind.ACK_GARBLED, elsewhere=True),
    **{
        f"{status} with a page": _armed(FaultKind.HTML_STATUS, times=2, status=status)
        for status in (400, 401, 403, 404, 408, 413, 500, 502, 520)
    },
    "one 401": _armed(FaultKind.STATUS, status=401),
    "500": _armed(FaultKind.STATUS, times=3, status=500),
    "503": _armed(FaultKind.STATUS, times=3, status=503),
    "carried out, then 500": _armed(FaultKind.COMMIT_THEN_STATUS, times=2, status=500),
    "carried out, then 502 with a page": _armed(FaultKind.COMMIT_THEN_STATUS, times=2, status=502),
    "carried out, the connection closes": _armed(FaultKind.COMMIT_THEN_DROP_ACK, times=2),
    "not carried out, the connection closes": _armed(FaultKind.CLOSE_BEFORE_COMMIT, times=3),
    "the answer ends in the middle": _armed(FaultKind.ACK_TRUNCATE, times=2),
    "the answer drips": _armed(FaultKind.ACK_SLOW, seconds=0.002),
    "the answer is late": _armed(FaultKind.ACK_DELAY, seconds=4.0),
    "429 of the bucket": _armed(FaultKind.RATE_USER, times=2, seconds=1.0),
    "429 of the bot": _armed(FaultKind.RATE_GLOBAL, seconds=1.0),
    "429 of a hidden limit": _armed(FaultKind.RATE_SHARED, times=2, seconds=1.0),
    "429 with a pause of minus one second": _armed(FaultKind.RATE_USER, times=2, seconds=-1.0),
    "429 with a pause of a year": _armed(FaultKind.RATE_USER, seconds=A_YEAR_S),
    "429 of the bot with a pause of a year": _armed(
        # Each of them stops the whole bot for half a minute.
        FaultKind.RATE_GLOBAL,
        seconds=A_YEAR_S,
        patience=420.0,
    ),
    "no limit headers": _armed(FaultKind.OMIT_HEADERS, times=3),
    "wrong limit headers": _armed(FaultKind.WRONG_HEADERS, times=3),
    "edits fail": _armed(FaultKind.STATUS, *EDITS, times=5, status=500),
    "edits meet a page": _armed(FaultKind.HTML_STATUS, *EDITS, times=5, status=404),
    "reads fail": _armed(FaultKind.STATUS, *READS, times=5, latest=0, status=500),
    "reads meet a page": _armed(FaultKind.HTML_STATUS, *READS, times=5, latest=0, status=403),
    "typing fails": _armed(FaultKind.STATUS, "channels.typing", times=5, latest=0, status=500),
    "somebody writes in between": _armed(
        # In a direct message, everything that is written is a question.
        FaultKind.FOREIGN_MESSAGE,
        *CREATES,
        times=3,
        kinds=tuple(one for one in KINDS if one != "direct message"),
    ),
    "the nonces are forgotten": _armed(FaultKind.NONCE_FORGET, *CREATES, times=3),
    "the webhook is deleted": _webhook_gone(FaultKind.WEBHOOK_DELETE),
    "the webhook is moved": _webhook_gone(FaultKind.WEBHOOK_MOVE),
    "the webhook has a new token": _webhook_gone(FaultKind.WEBHOOK_RETOKEN),
    "the right to write is taken for 4 s": _revoked(
        Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS, 4.0
    ),
    "the channels are hidden for 4 s": _revoked(Permission.VIEW_CHANNEL, 4.0),
    "the right to read history is taken for 4 s": _revoked(Permission.READ_MESSAGE_HISTORY, 4.0),
    "the right to embed links is taken for 4 s": _revoked(Permission.EMBED_LINKS, 4.0),
    "the right to manage webhooks is taken for 4 s": _revoked(Permission.MANAGE_WEBHOOKS, 4.0),
    "the threads are locked for 3 s": Strike(_lock_threads, kinds=("thread", "thread persona")),
    "the gateway closes": _gateway(lambda twin: twin.gateway.drop(4000)),
    "the gateway breaks": _gateway(lambda twin: twin.gateway.abort()),
    "op 7, five times": _gateway(lambda twin: twin.gateway.ask_reconnect(), again=5),
    "op 9, resumable": _gateway(lambda twin: twin.gateway.invalidate(resumable=True)),
    "op 9, not resumable": _gateway(lambda twin: twin.gateway.invalidate(resumable=False)),
    "the gateway repeats everything": _zombie(3.0),
    "nothing comes back for 8 s": _gated(Gate.hold_back, 8.0),
    "a black hole of 15 s": _gated(Gate.swallow, 15.0),
    "Discord is away for 3 s": _outage(3.0),
    "Discord is away for 20 s": _outage(20.0),
    "SIGKILL": _killed(signal.SIGKILL),
    "SIGTERM": _killed(signal.SIGTERM),
    "Cloudflare's 1015": _banned(2.0),
}
"""All faults by name."""


@asynccontextmanager
async def on_matrix(folder: Path, more: str = "") -> AsyncIterator[tuple[Matrix, dict[str, list[str]]]]:
    """A running bot with a place for every kind of answer, and what each of them says undisturbed."""
    async with (
        Twin(TwinOptions.without_limits()) as twin,
        scripted_model() as model,
        gate_before(twin.port) as gate,
    ):
        # The bot is told to connect through the gate, too.
        twin.gateway.url = gate.url.replace("http", "ws") + "/gateway"
        made = Matrix(twin, model, folder)
        made.gate, made.more = gate, more
        try:
            await made.prepare([*KINDS])
            await made.start()
            yield made, await made.undisturbed()
        finally:
            await made.kill()

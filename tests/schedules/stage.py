"""Where schedules are played: one twin and one discord.py client for many, on time that jumps."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

import discord
import looptime

from discord_twin import Channel, Event, FaultKind, Message, RealClock, Record, Twin, TwinOptions
from discord_twin.discord_py import Client, running
from streamcord import Attachment, DeliveryError, Stop, Table, TurnResult, say
from streamcord._discord.webhooks.sender import Webhooks
from streamcord.discord import DiscordChannel
from streamcord.testing import FakeChannel

from .schedule import SWITCHES, Schedule, as_live, draw

__all__ = ["Run", "Stage", "new_loop", "on_stage", "picture"]

_LONGEST = 4 * 3600.0
PAUSE = 0.4
"""Seconds between two pieces of an answer that grows, so that there is something to see."""


@dataclass(slots=True)
class Run:
    """What happened: the plan, the twin's own word of what people saw, and the product's books."""

    schedule: Schedule
    plan: list[str]
    tokens: dict[str, str] = field(default_factory=dict)
    """What stands for a table, written or in words, and the sign that the plan has for it."""
    made: list[Message] = field(default_factory=list)
    """Every message of the bot or a webhook that the twin ever made, also those deleted since."""
    elsewhere: list[Message] = field(default_factory=list)
    """Messages that our own voices left in any other channel."""
    records: list[Record] = field(default_factory=list)
    pinged: set[int] = field(default_factory=set)
    fired: Counter[str] = field(default_factory=Counter)
    result: TurnResult | None = None
    error: DeliveryError | None = None
    late_typing: int = 0
    seconds: float = 0.0

    @property
    def struck(self) -> set[FaultKind]:
        """The kinds of faults that struck."""
        return {kind for record in self.records for kind in record.faults}


class Stage:
    """Plays schedules one after the other; nothing of one is left for the next."""

    def __init__(self, twin: Twin, client: discord.Client, *, live: bool = False) -> None:
        self.live = live
        self.twin = twin
        self.client = client
        self.role = twin.state.add_role(twin.guild, "everybody", mentionable=True)
        self.webhooks = Webhooks(client)
        self._made: list[Message] = []
        twin.state.observe(self._note)

    def _note(self, event: Event) -> None:
        if event.name == "MESSAGE_CREATE" and event.message is not None and event.message.by_machine:
            self._made.append(event.message)

    async def play(self, seed: int) -> Run:
        """Play one schedule to its end; one without an end is an error of the stage or of the product."""
        async with asyncio.timeout(_LONGEST):
            return await self._play(seed)

    async def _play(self, seed: int) -> Run:
        schedule = draw(seed, person=self.twin.user.id, role=self.role.id)
        schedule = as_live(schedule) if self.live else schedule
        run = await _plan(schedule)
        place = self._open(schedule)
        await self._until_known(place)
        channel = await self._find(place)
        transport = DiscordChannel(
            channel,
            reply_to=await self._asked(schedule, place, channel),
            webhooks=self.webhooks if schedule.road == "webhook" else None,
        )
        self._set(schedule, place)
        began, stop = self._now(), Stop()
        if schedule.stop is not None:
            seconds, mode = schedule.stop
            asyncio.get_running_loop().call_later(seconds, stop.ask, mode)
        try:
            run.result = await say(
                transport,
                _stream(schedule),
                settings=schedule.settings,
                context=schedule.context,
                random=Random(seed),
                renderers=[_Painter()],
                stop=stop,
            )
        except DeliveryError as error:
            run.error, run.result = error, error.result
        run.seconds = self._now() - began
        if self.live and run.result is not None:
            # What no one read any more, because nothing could be sent, is not lost.
            heard = await _plan(schedule, run.result.counts.received)
            run.plan, run.tokens = heard.plan, run.tokens | heard.tokens
        await self._clear(run, place)
        return run

    def _is_there(self, message: Message) -> bool:
        return self.twin.state.find_message(message.channel_id, message.id) is not None

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _open(self, schedule: Schedule) -> Channel:
        name = f"s{schedule.seed}"
        if schedule.place == "dm":
            return self.twin.dm(self.twin.state.add_user(name))
        channel = self.twin.add_channel(name)
        return self.twin.add_thread(name, channel) if schedule.place == "thread" else channel

    async def _until_known(self, place: Channel) -> None:
        """The gateway may still be on its way back from the schedule before."""
        home = self.twin.state.home_of(place)
        while home.guild_id is not None and not (self.client.is_ready() and self.client.get_channel(home.id)):  # noqa: ASYNC110
            await asyncio.sleep(0.1)

    async def _find(self, place: Channel) -> discord.abc.Messageable:
        await self.client.wait_until_ready()
        found = await self.client.fetch_channel(place.id)
        assert isinstance(found, discord.abc.Messageable)
        return found

    async def _asked(
        self, schedule: Schedule, place: Channel, channel: discord.abc.Messageable
    ) -> discord.Message | None:
        if not schedule.reply:
            return None
        person = next((one for one in place.recipients if not one.bot), self.twin.user)
        asked = self.twin.say(place, person, "What is new?")
        return await channel.fetch_message(asked.id)

    def _set(self, schedule: Schedule, place: Channel) -> None:
        """From here on things go wrong."""
        self._made.clear()
        self.twin.log.clear()
        self.twin.faults.fired.clear()
        self.twin.context.rng.seed(schedule.seed)
        self.twin.context.options = _switches(schedule, self.twin)
        for fault in schedule.faults:
            self.twin.faults.add(fault)

    async def _clear(self, run: Run, place: Channel) -> None:
        """Let what is under way end, and look."""
        typed = len(self.twin.log.typing)
        self.twin.faults.clear()
        await asyncio.sleep(30)
        run.late_typing = len(self.twin.log.typing) - typed
        run.made = [one for one in self._made if one.channel_id == place.id]
        # A webhook that is moved at the very moment of a send cannot be stopped, but its message taken back.
        run.elsewhere = [one for one in self._made if one.channel_id != place.id and self._is_there(one)]
        run.records = list(self.twin.log.requests)
        run.pinged = set(self.twin.log.pinged)
        run.fired = Counter({kind.name: count for kind, count in self.twin.faults.fired.items()})
        self.twin.context.options = TwinOptions()
        if run.schedule.switch and _mattered(run):
            run.fired[run.schedule.switch] += 1


def _switches(schedule: Schedule, twin: Twin) -> TwinOptions:
    if schedule.switch is None:
        return TwinOptions()
    if schedule.switch == "bucket_hash_change_at":
        # The count is that of the whole twin, which has played others before.
        return TwinOptions(bucket_hash_change_at=twin.limits._requests + 3)
    return TwinOptions(**SWITCHES[schedule.switch])


def _mattered(run: Run) -> bool:
    """Whether the switch was felt: by the answer that it gives, or, without one, by any create."""
    creates = [record for record in run.records if record.route in {"messages.create", "webhooks.execute"}]
    match run.schedule.switch:
        case "content_limit" | "count":
            return any(record.code == 50035 for record in creates)
        case "file_limit":
            return any(record.code in {40005, 50045} for record in creates)
        case "automod":
            return any(record.code == 200000 for record in creates)
        case "harmful_link":
            return any(record.code == 240000 for record in creates)
        case "sub_limit" | "hidden_scope" | "hidden_webhook_channel_limit":
            return any(record.status == 429 and not record.faults for record in creates)
        case "commit_then_drop_ack_chance":
            return any(FaultKind.COMMIT_THEN_DROP_ACK in record.faults for record in creates)
        case "commit_then_status_chance":
            return any(FaultKind.COMMIT_THEN_STATUS in record.faults for record in creates)
        case _:
            return bool(creates)


async def _plan(schedule: Schedule, received: int | None = None) -> Run:
    """What would be sent if nothing went wrong; of so many characters, if given."""
    channel = FakeChannel()
    result = await say(
        channel,
        _stream(schedule, received),
        settings=schedule.settings,
        context=schedule.context,
        random=Random(schedule.seed),
        renderers=[_Painter()],
    )
    tokens = {
        one.fallback: picture(one.files[0].alt) for one in channel.messages if one.fallback and one.files
    }
    tables = [file for one in result.receipts for file in one.message.files if isinstance(file, Table)]
    tokens |= {one.source: picture(one.alt) for one in tables}
    plan = [one.content + "".join(picture(file.alt) for file in one.files) for one in channel.messages]
    return Run(schedule, plan, tokens)


def picture(alt: str) -> str:
    """The sign for a picture, by the words that describe it."""
    return f"<picture {alt}>"


class _Painter:
    """Pictures of a few bytes: what is on them is not judged here."""

    def draw(self, value: object) -> Attachment | None:
        return Attachment("table.png", b"a small picture", value.alt) if isinstance(value, Table) else None


async def _stream(schedule: Schedule, received: int | None = None) -> AsyncIterator[str]:
    text, at = schedule.text[:received], 0
    for length in (*schedule.slices, len(schedule.text)):
        if schedule.settings.delivery == "live":
            await asyncio.sleep(PAUSE)
        if at < len(text):
            yield text[at : at + length]
            at += length


class _Patient(Client):
    """Time jumps here, so silence of the gateway is no sign of its death."""


@asynccontextmanager
async def on_stage(*, live: bool = False) -> AsyncIterator[Stage]:
    """A stage on the running loop, whose time should be virtual; with `live`, answers grow."""
    loop = asyncio.get_running_loop()
    intents = discord.Intents.default()
    intents.message_content = True
    client = _Patient(intents=intents, guild_ready_timeout=0.0, heartbeat_timeout=1e9, max_messages=None)
    async with Twin(clock=RealClock(loop.time)) as twin, running(twin, client):
        yield Stage(twin, client, live=live)


def new_loop() -> asyncio.AbstractEventLoop:
    """A loop whose time passes only while everybody waits."""
    return looptime.new_event_loop(noop_cycles=4)

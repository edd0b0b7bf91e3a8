"""Several lives of one turn, in virtual time: each is killed at its moment, and the next one goes on.

Nothing of a dead process does anything any more, but a request that it had sent may still be carried out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from random import Random

from streamcord import (
    AnswerContext,
    Finish,
    Message,
    ProviderEvent,
    Receipt,
    Settings,
    TextDelta,
    TurnResult,
    say,
)
from streamcord._delivery.outgoing import OutgoingMessage
from streamcord._delivery.transport import FetchedMessage
from streamcord._journal.reconcile import read_turns
from streamcord.store import JournalRow, TurnJournal
from virtual_time import now


@dataclass
class Paper:
    """A journal on paper: what is written is kept after a moment, unless its writer dies before."""

    rows: dict[tuple[str, int], JournalRow] = field(default_factory=dict)

    def open(self) -> Pen:
        return Pen(self)

    def saved(self, pen: Pen) -> list[TurnJournal]:
        turns, unreadable = read_turns(self.rows.values())
        assert unreadable == []
        return [TurnJournal(pen, saved=turn, clock=now) for turn in turns]


class Pen:
    """What one process writes with; `broken` keeps nothing from then on, as a locked database does."""

    def __init__(self, paper: Paper, *, broken: bool = False) -> None:
        self.paper = paper
        self.dead = False
        self.broken = broken
        self._wet: list[JournalRow] = []

    def write(self, entry: JournalRow) -> None:
        self._wet.append(entry)
        asyncio.get_running_loop().call_later(0.05, self._dry)

    async def flush(self) -> bool:
        await asyncio.sleep(0.002)
        self._dry()
        return not self.broken

    def forget(self, turn: str) -> None:
        self._dry()
        if not self.dead and not self.broken:
            self.paper.rows = {key: row for key, row in self.paper.rows.items() if key[0] != turn}

    async def entries(self) -> list[JournalRow]:
        return list(self.paper.rows.values())

    async def close(self) -> None:
        pass

    def _dry(self) -> None:
        if not self.dead and not self.broken:
            self.paper.rows |= {(entry.turn, entry.number): entry for entry in self._wet}
            self._wet = []


@dataclass
class Place:
    """A channel that outlives its visitors; what the bot says itself has a key that is enforced."""

    messages: list[tuple[int, str, str]] = field(default_factory=list)
    late: float = 0.0
    """How long a request may still be carried out after the death of who asked."""

    @property
    def texts(self) -> list[str]:
        return [content for _, content, _ in self.messages]

    def commit(self, outgoing: OutgoingMessage) -> int:
        key = outgoing.key if outgoing.message.speaker is None else ""
        for id_, _, known in self.messages:
            if key and known == key:
                return id_
        id_ = 1000 + len(self.messages)
        self.messages.append((id_, outgoing.message.content, key))
        return id_


class Visitor:
    """The transport of one process."""

    takes_files = True

    def __init__(self, place: Place, random: Random) -> None:
        self.place = place
        self.dead = False
        self.last_known_id = 999
        self._random = random
        self._lock = asyncio.Lock()

    async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
        await self._rest()
        there, back = self._random.uniform(0, 0.2), self._random.uniform(0, 0.2)
        # Once it is under way, no one can call it back.
        arrival: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(there, self._arrive, outgoing, arrival)
        id_ = await asyncio.shield(arrival)
        await asyncio.sleep(back)
        await self._rest()
        return Receipt(outgoing.message, id_)

    def _arrive(self, outgoing: OutgoingMessage, arrival: asyncio.Future[int]) -> None:
        if not arrival.done():
            arrival.set_result(self.place.commit(outgoing))

    async def find(self, outgoing: OutgoingMessage) -> Receipt | None:
        await self._rest()
        return None

    async def read_back(self, after: int) -> list[FetchedMessage]:
        await asyncio.sleep(self._random.uniform(0, 0.1))
        await self._rest()
        return [FetchedMessage(id_, content) for id_, content, _ in self.place.messages if id_ > after]

    async def send(self, message: Message) -> Receipt:
        raise AssertionError("a reliable transport is asked to deliver")

    async def typing(self) -> None:
        await self._rest()

    def pause(self, message: Message) -> float:
        return 0.0

    def lock(self) -> AbstractAsyncContextManager[object]:
        return self._lock

    async def _rest(self) -> None:
        if self.dead:
            await asyncio.get_running_loop().create_future()


async def speak(text: str, heard: str, random: Random) -> AsyncIterator[ProviderEvent]:
    """A model that goes on exactly where it was, in pieces of its own."""
    rest = text[len(heard) :]
    while rest:
        size = random.randint(1, 12)
        await asyncio.sleep(random.uniform(0, 0.05))
        yield TextDelta(rest[:size])
        rest = rest[size:]
    yield Finish()


async def live(
    text: str,
    settings: Settings,
    kills: Sequence[float],
    seed: int,
    *,
    breaks: int = -1,
    context: AnswerContext | None = None,
) -> tuple[Place, TurnResult | None]:
    """Say a text, dying after this many seconds again and again; then once more to the end.

    In the life number `breaks` the journal keeps nothing.
    """
    random = Random(seed)
    place, paper = Place(), Paper()
    result: TurnResult | None = None
    for number, seconds in enumerate([*kills, None]):
        pen, visitor = Pen(paper, broken=number == breaks), Visitor(place, random)
        saved = paper.saved(pen)
        if not saved and place.messages:
            break
        journal = saved[0] if saved else TurnJournal(pen, clock=now)
        source = speak(text, journal.text, random)
        own = settings if not saved else None
        own_context = context if not saved else None
        turn = say(visitor, source, settings=own, context=own_context, journal=journal, random=Random(seed))
        task = asyncio.create_task(turn)
        await asyncio.wait({task}, timeout=seconds)
        if task.done():
            result = task.result()
            break
        pen.dead = visitor.dead = True
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    return place, result

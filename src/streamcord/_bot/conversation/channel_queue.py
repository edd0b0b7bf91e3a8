"""One channel, one answer at a time: gathers quick messages, lets people wait, interrupts for follow-ups.

A lane knows nothing of Discord or of models. It decides what is answered next and when, and calls `run`.

Gathering costs nobody time: the first message of a person in a quiet channel is answered at once, but nothing
of the answer is shown before `hold`. If they go on meanwhile, it is dropped unseen and begins again once they
pause; so a burst of messages costs one request in vain, however long it is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from streamcord import Stop, StopMode, Stops

from .incoming_message import Remark

__all__ = ["Ask", "Heard", "Kind", "Lane", "Patience", "Run", "Show"]

REMARK_CAP = 50
"""Messages that one question may consist of; the newest stay."""

_log = logging.getLogger("streamcord.bot")


class Kind(StrEnum):
    """What is wanted: an answer, another one, or more of it."""

    ANSWER = "answer"
    REGENERATE = "regenerate"
    CONTINUE = "continue"


class Heard(StrEnum):
    """What became of a message."""

    TAKEN = "taken"
    JOINED = "joined"
    INTERRUPTED = "interrupted"
    FULL = "full"
    IGNORED = "ignored"


@dataclass(slots=True, eq=False)
class Ask:
    """What one person wants to have answered, in one turn; the last remark is the one replied to."""

    owner: int
    remarks: list[Remark]
    kind: Kind = Kind.ANSWER
    since: float | None = None
    """When its first message came; a lane notes it."""
    ready: float = 0.0
    """When it may be answered."""
    hold: float = 0.0
    """Until when nothing of the answer is shown, since its author may go on."""
    seen_at: float = float("-inf")
    """When people were last shown that it is going to be answered."""
    discarded: bool = False
    """Its question was changed: what was said to it goes away."""
    replaces: tuple[int, ...] = ()
    """Messages of the answer that this one replaces or continues."""

    @property
    def channel(self) -> int:
        """Where it was asked."""
        return self.remarks[-1].channel

    def has(self, id_: int) -> bool:
        """Whether this message is a part of it."""
        return any(remark.id == id_ for remark in self.remarks)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a lane gathers, and how many wait in it."""

    gather_seconds: float = 1.0
    gather_cap: float = 5.0
    queue_cap: int = 8


Run: TypeAlias = Callable[[Ask, Stop], Awaitable[None]]
Show: TypeAlias = Callable[[Ask], Awaitable[None]]


@dataclass(slots=True, eq=False)
class Lane:
    """One channel's turns; `run` answers, `show` lets people see that somebody is going to."""

    channel: int
    run: Run
    show: Show
    stops: Stops
    patience: Patience = field(default_factory=Patience)
    waiting: list[Ask] = field(default_factory=list)
    running: Ask | None = None
    _stop: Stop | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _worker: asyncio.Task[None] | None = None
    _refused: set[int] = field(default_factory=set)

    @property
    def is_idle(self) -> bool:
        """Nobody speaks and nobody waits."""
        return self._worker is None or self._worker.done()

    # --- What happens in the channel -------------------------------------------------------------

    def hear(self, remark: Remark, *, called: bool) -> Heard:
        """A message; `called` if it is meant for us."""
        mine = self._find_waiting(remark.author)
        if mine is not None and (called or _now() < max(mine.ready, mine.hold)):
            self._join(mine, [remark])
            return Heard.JOINED
        running = self.running
        if running is not None and running.owner == remark.author and running.kind is Kind.ANSWER:
            held = _now() < running.hold
            if called or held:
                self._again([*running.remarks, remark], running)
                return Heard.JOINED if held else Heard.INTERRUPTED
        if not called:
            return Heard.IGNORED
        if len(self.waiting) >= self.patience.queue_cap:
            return self._refuse(remark.author)
        self.put(Ask(remark.author, [remark]))
        return Heard.TAKEN

    def put(self, ask: Ask, *, first: bool = False) -> None:
        """Let somebody wait for an answer."""
        now = _now()
        pause = self.patience.gather_seconds if ask.kind is Kind.ANSWER else 0.0
        ask.since = now if ask.since is None else ask.since
        if first or self.waiting or self.running:
            ask.ready = self._pause_after(ask)
        else:
            ask.ready, ask.hold = now, now + pause
        self.waiting.insert(0 if first else len(self.waiting), ask)
        self._wake()

    def edit(self, id_: int, text: str) -> bool:
        """A message was changed; an answer to it that is being written begins anew."""
        ask = next((ask for ask in [*self.waiting, self.running] if ask and ask.has(id_)), None)
        if ask is None or all(one.text == text for one in ask.remarks if one.id == id_):
            return False
        remarks = [one.with_text(text) if one.id == id_ else one for one in ask.remarks]
        if ask is self.running:
            ask.discarded = True
            self._again(remarks, ask)
        else:
            ask.remarks = remarks
        return True

    def delete(self, id_: int) -> bool:
        """A message is gone, and with it what it asked for."""
        ask = next((ask for ask in [*self.waiting, self.running] if ask and ask.has(id_)), None)
        if ask is None:
            return False
        left = [one for one in ask.remarks if one.id != id_]
        if ask is self.running:
            if left and ask.kind is Kind.ANSWER:
                ask.discarded = True
                self._again(left, ask)
            elif self._stop is not None:
                self._stop.ask(StopMode.NOW)
        elif left:
            ask.remarks = left
        else:
            self.waiting.remove(ask)
        return True

    def forget(self, owner: int) -> bool:
        """Somebody does not want to wait any more."""
        ask = self._find_waiting(owner)
        if ask is not None:
            self.waiting.remove(ask)
        return ask is not None

    async def finished(self) -> None:
        """Wait until everybody was answered."""
        if self._worker is not None:
            await asyncio.wait({self._worker})

    async def close(self) -> None:
        """End whatever still runs."""
        self.waiting.clear()
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker

    async def rest(self) -> None:
        """Wait until nobody speaks; who still waits is not answered."""
        self.waiting.clear()
        self._news.set()
        if self._worker is not None:
            await asyncio.wait({self._worker})

    # --- Who is next -----------------------------------------------------------------------------

    def _find_waiting(self, owner: int) -> Ask | None:
        return next((ask for ask in self.waiting if ask.owner == owner and ask.kind is Kind.ANSWER), None)

    def _join(self, ask: Ask, remarks: Sequence[Remark]) -> None:
        ask.remarks = sorted([*ask.remarks, *remarks], key=lambda one: one.id)[-REMARK_CAP:]
        ask.ready, ask.hold = self._pause_after(ask), 0.0
        self._news.set()

    def _pause_after(self, ask: Ask) -> float:
        """When its author has paused for long enough, or gone on for too long."""
        if ask.kind is not Kind.ANSWER or ask.since is None:
            return _now()
        return min(_now() + self.patience.gather_seconds, ask.since + self.patience.gather_cap)

    def _again(self, remarks: list[Remark], before: Ask) -> None:
        """Stop what is being said and answer anew, before everybody else."""
        if self._stop is not None:
            self._stop.ask(StopMode.NOW)
        waiting = self._find_waiting(before.owner)
        if waiting is not None:
            self.waiting.remove(waiting)
            known = {one.id for one in remarks}
            remarks = [*remarks, *(one for one in waiting.remarks if one.id not in known)]
        since = before.since if _now() < before.hold else None
        again = Ask(before.owner, remarks[-REMARK_CAP:], before.kind, since, replaces=before.replaces)
        self.put(again, first=True)

    def _refuse(self, owner: int) -> Heard:
        if owner in self._refused:
            return Heard.IGNORED
        self._refused.add(owner)
        return Heard.FULL

    def _wake(self) -> None:
        self._news.set()
        if self.is_idle:
            self._worker = asyncio.create_task(self._work(), name=f"lane {self.channel}")

    # --- One after the other ---------------------------------------------------------------------

    async def _work(self) -> None:
        while ask := await self._next():
            self.waiting.remove(ask)
            async with self.stops.turn(self.channel, ask.owner) as stop:
                self.running, self._stop = ask, stop
                try:
                    await self.run(ask, stop)
                except Exception:
                    # One answer that fails must not take the channel with it.
                    _log.exception("a turn in channel %s failed", self.channel)
                finally:
                    self.running = self._stop = None
        self._refused.clear()

    async def _next(self) -> Ask | None:
        """The first who is ready; until then, whoever waits longest sees that they were heard."""
        shown: Ask | None = None
        while self.waiting:
            ready = next((ask for ask in self.waiting if ask.ready <= _now()), None)
            if ready is not None:
                return ready
            if self.waiting[0] is not shown:
                shown = self.waiting[0]
                await self.show(shown)
                continue
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(min(ask.ready for ask in self.waiting)):
                    await self._news.wait()
        return None


def _now() -> float:
    return asyncio.get_running_loop().time()

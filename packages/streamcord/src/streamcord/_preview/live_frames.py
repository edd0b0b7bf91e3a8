"""Simulate live delivery of an answer on a virtual clock, and record every frame with its time."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

from .. import AnswerContext, Message, Receipt, Settings, Source, say

Sleep: TypeAlias = Callable[[float], Awaitable[None]]

TOKEN_CHARS = 4
"""Characters that the simulated model sends at once."""
YIELDS_PER_STEP = 40
"""How often the other tasks may run before the virtual clock advances."""
MAX_PLAIN_CHARS, MAX_V2_CHARS = 2000, 4000


@dataclass(frozen=True, slots=True)
class Frame:
    """The content of a message from a moment on; `at` is in seconds."""

    at: float
    message: int
    content: str
    is_new: bool
    files: tuple[str, ...] = ()

    @property
    def is_rich(self) -> bool:
        """Whether the message uses Components V2, because its content does not fit a plain message."""
        return len(self.content) > MAX_PLAIN_CHARS or len(self.files) > 1


class _Clock:
    """A virtual clock that jumps to the next time a task waits for."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        waits: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._timers, (self.now + seconds, next(self._numbers), waits))
        await waits

    async def run(self, turn: asyncio.Task[Any]) -> None:
        """Advance the clock until the turn is over."""
        while not turn.done():
            for _ in range(YIELDS_PER_STEP):
                await asyncio.sleep(0)
            # No task waits on this clock: one may wait for something real, such as a thread.
            if not self._timers:
                await asyncio.sleep(0.001)
                continue
            due, _, waits = heapq.heappop(self._timers)
            if not waits.done():
                self.now = due
                waits.set_result(None)


class _InlineExecutor(ThreadPoolExecutor):
    """Runs calls at once: while a thread rendered a table, the virtual clock would advance."""

    def submit(self, act: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:  # noqa: ANN401
        done: Future[Any] = Future()
        try:
            done.set_result(act(*given, **more))
        except Exception as error:
            done.set_exception(error)
        return done


class _FrameRecorder:
    """A transport that supports live messages and records every frame."""

    takes_files = True

    def __init__(self, clock: _Clock) -> None:
        self.frames: list[Frame] = []
        self._clock = clock
        self._sent = 0

    async def send(self, message: Message) -> Receipt:
        self._sent += 1
        self._record(self._sent, message, is_new=True)
        return Receipt(message, self._sent)

    async def typing(self) -> None:
        pass

    async def edit_message(self, receipt: Receipt, outgoing: Any) -> Receipt:  # noqa: ANN401 - an outgoing message
        self._record(receipt.id, outgoing.message, is_new=False)
        return receipt

    async def fetch_live(self, _: Receipt) -> None:
        return None

    def may_attach(self, _: Message) -> bool:
        return True

    def edit_pause(self, _: Receipt) -> float:
        return 0.0

    @contextmanager
    def track_live(self) -> Iterator[Callable[[], int]]:
        yield lambda: 1

    def live_length_limit(self, _: Message) -> int:
        return MAX_V2_CHARS

    def _record(self, number: int, message: Message, *, is_new: bool) -> None:
        names = tuple(file.name for file in message.files)
        self.frames.append(Frame(round(self._clock.now, 2), number, message.content, is_new, names))


def preview_frames(
    text: str,
    settings: Settings,
    seed: int = 0,
    speed: float = 600.0,
    *,
    context: AnswerContext | None = None,
) -> list[Frame]:
    """Return the frames of an answer that a model writes at `speed` characters per second."""

    async def model(sleep: Sleep) -> AsyncIterator[str]:
        for at in range(0, len(text), TOKEN_CHARS):
            await sleep(TOKEN_CHARS / speed)
            yield text[at : at + TOKEN_CHARS]

    return preview_source(model, settings, seed, context=context)


def preview_source(
    make: Callable[[Sleep], Source],
    settings: Settings,
    seed: int = 0,
    *,
    context: AnswerContext | None = None,
) -> list[Frame]:
    """Return the frames of a source; `make` gets the `sleep` of the virtual clock.

    If the source fails, the frames up to then are returned.
    """
    return asyncio.run(_watch(make, replace(settings, delivery="live", typing="off"), context, seed))


async def _watch(
    make: Callable[[Sleep], Source], settings: Settings, context: AnswerContext | None, seed: int
) -> list[Frame]:
    clock = _Clock()
    recorder = _FrameRecorder(clock)
    asyncio.get_running_loop().set_default_executor(_InlineExecutor())
    source = make(clock.sleep)
    turn = asyncio.create_task(
        say(
            recorder,
            source,
            settings=settings,
            context=context,
            random=Random(seed),
            sleep=clock.sleep,
            clock=clock.time,
        )
    )
    await clock.run(turn)
    await asyncio.gather(turn, return_exceptions=True)
    return recorder.frames

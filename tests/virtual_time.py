"""Time that jumps: a loop whose clock passes only while everybody waits, and parts that live on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

import looptime

from streamcord import Message, ProviderEvent, Receipt, TurnResult

P = ParamSpec("P")


def timeless(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Runs a test on such a loop."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
            runner.run(test(*args, **kwargs))
            left = runner.run(others())
            assert left == [], f"tasks outlived the test: {left}"

    return run


async def others() -> list[str]:
    """The tasks that still run, besides this one."""
    return [str(task) for task in asyncio.all_tasks() if task is not asyncio.current_task()]


def now() -> float:
    """The time of the running loop."""
    return asyncio.get_running_loop().time()


class Channel:
    """A channel on the loop's time: every send takes `latency` seconds, and everything is written down."""

    takes_files = True

    def __init__(self, latency: float = 0.0) -> None:
        self.latency = latency
        self.messages: list[Message] = []
        self.began: list[float] = []
        self.sent: list[float] = []
        self.typed: list[float] = []

    @property
    def texts(self) -> list[str]:
        return [message.content for message in self.messages]

    async def send(self, message: Message) -> Receipt:
        self.began.append(now())
        await asyncio.sleep(self.latency)
        self.messages.append(message)
        self.sent.append(now())
        return Receipt(message, len(self.messages), f"link/{len(self.messages)}")

    async def typing(self) -> None:
        self.typed.append(now())


class Model:
    """A source that says these things; a number is a pause in seconds, an exception is raised."""

    def __init__(self, *cues: float | str | ProviderEvent | Exception) -> None:
        self.cues = cues
        self.read: list[float] = []
        self.closed_at: float | None = None

    async def __aiter__(self) -> AsyncIterator[str | ProviderEvent]:
        try:
            for cue in self.cues:
                if isinstance(cue, int | float):
                    await asyncio.sleep(cue)
                elif isinstance(cue, Exception):
                    raise cue
                else:
                    self.read.append(now())
                    yield cue
        finally:
            self.closed_at = now()


def result_of(error: BaseException) -> TurnResult:
    """The result that an exception carries."""
    result: TurnResult = error.result  # type: ignore[attr-defined]
    return result


def accounted(result: TurnResult) -> list[tuple[int, int]]:
    """Every span that the result tells of, in order."""
    shown = [span for receipt in result.receipts for span in receipt.message.spans]
    replaced = [span for edit in result.replaced for span in edit.spans]
    return sorted({*shown, *replaced, *(span for piece in result.dropped for span in piece.spans)})


def covers(result: TurnResult, length: int) -> bool:
    """Whether the spans tile everything that was received, without a gap or an overlap."""
    at = 0
    for start, end in accounted(result):
        if start != at:
            return False
        at = end
    return at == length

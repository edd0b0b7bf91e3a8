"""What `say` takes: checked before anything is read or sent, waited for as long as is due, and closed.

The errors of the checks say what to write instead.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from .._delivery import Transport
from .._settings import Settings
from .._stop import Stop

if TYPE_CHECKING:
    from .._discord.interaction import Target

__all__ = [
    "SilenceTimer",
    "as_transport",
    "cancel_and_wait",
    "check_inputs",
    "check_source",
    "close_stream",
    "discard_source",
    "is_foreign",
    "wait_briefly",
]


_OTHER_LIBRARIES = {"disnake", "nextcord", "hikari", "interactions"}


def as_transport(target: Target) -> Transport:
    """The transport itself, or the one for a channel, message or interaction of discord.py."""
    if "discord" in sys.modules and _package(target) != "streamcord":
        from .._discord.interaction import find_transport  # noqa: PLC0415  (discord.py is loaded already)

        if found := find_transport(target):
            return found
    missing = [name for name in ("send", "typing") if not callable(getattr(target, name, None))]
    is_class = isinstance(target, type)
    if not (missing or is_class or _package(target) in _OTHER_LIBRARIES):
        return cast("Transport", target)
    raise TypeError(_target_advice(target, missing))


def _target_advice(target: object, missing: list[str]) -> str:
    name = _name(target)
    if isinstance(target, type):
        return f"say() needs an object to send to, not the class itself: write {target.__name__}(...)"
    if _package(target) in _OTHER_LIBRARIES:
        return (
            f"say() cannot send to {name}: it knows the objects of discord.py. For another library write a "
            "transport, a class with `async def send(message) -> Receipt` and `async def typing()`"
        )
    return (
        f"say() cannot send to {name}, which has no {' and no '.join(missing)}: give it a channel, message "
        "or interaction of discord.py, or an object with `async def send(message) -> Receipt` and "
        "`async def typing()`"
    )


def check_inputs(
    source: object, settings: object, stop: object, journal: object = None, **lists: object
) -> None:
    """Refuse what a turn could not use, before anything is read or sent."""
    check_source(source)
    if not isinstance(settings, Settings | None):
        advice = "write Settings(degree=0), or Settings.from_mapping({...})"
        raise TypeError(f"settings must be a Settings, not {_told(settings)}: {advice}")
    if not isinstance(stop, Stop | None):
        raise TypeError(f"stop must be a Stop, not {_told(stop)}: make one with Stop(), and call its ask()")
    if journal is not None and not hasattr(journal, "attempt"):
        advice = "write journal.begin(channel=...), or give one of `await journal.unfinished()`"
        raise TypeError(f"journal must be one turn of a journal, not {_told(journal)}: {advice}")
    for name, given in lists.items():
        fits, wanted = _LISTS[name]
        if given is not None and not (isinstance(given, Collection) and all(fits(one) for one in given)):
            raise TypeError(f"{name} must be a list of {wanted}: write {name}=[...]")


_LISTS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "rules": (callable, "functions"),
    "renderers": (lambda one: hasattr(one, "draw"), "objects with draw(value)"),
    "moderators": (lambda one: hasattr(one, "check"), "objects with async def check(text, stage)"),
}


def check_source(source: object) -> None:
    """Refuse what cannot be read piece by piece."""
    if hasattr(source, "__aiter__") and not inspect.isclass(source):
        return
    advice = next(text for fits, text in _SOURCE_ADVICE if fits(source))
    raise TypeError(f"say() cannot read {_name(source)} as a stream: {advice}")


async def discard_source(source: object) -> None:
    """Let go of a source that nobody will read: no connection stays open, and Python does not warn."""
    if inspect.iscoroutine(source):
        source.close()
    await close_stream(source, 1.0)


def is_foreign(source: object) -> bool:
    """Whether an SDK made the stream; a generator is of the package in whose code it runs."""
    frame = getattr(source, "ag_frame", None)
    module = str(frame.f_globals.get("__name__", "")) if frame else type(source).__module__
    return module.partition(".")[0] in _SDKS


_SDKS = {"openai", "anthropic", "google", "litellm", "pydantic_ai"}
_SOURCE_ADVICE: tuple[tuple[Callable[[object], bool], str], ...] = (
    (
        lambda it: callable(getattr(it, "send", None)) and callable(getattr(it, "typing", None)),
        "where to speak comes first, and then what: `say(channel, stream)`",
    ),
    (lambda it: isinstance(it, Awaitable), "await it first: `say(channel, await ...)`"),
    (
        lambda it: hasattr(it, "__aenter__") and not hasattr(it, "stream"),
        "enter it first: `async with ... as stream: await say(channel, stream)`",
    ),
    (inspect.isasyncgenfunction, "call it: `say(channel, my_model(...))`"),
    (inspect.iscoroutinefunction, "call it and await it: `say(channel, await ask(...))`"),
    (lambda it: callable(getattr(it, "stream_text", None)), "write `say(channel, result.stream_text())`"),
    (
        lambda it: callable(getattr(it, "stream", None)),
        "ask it something: `say(channel, provider.stream(user(text)))`",
    ),
    (
        lambda it: isinstance(it, str),
        "yield the text from an async generator: `async def answer(): yield text`",
    ),
    (
        lambda it: isinstance(it, Collection),
        "give it an async iterator of text: an `async def` with `for text in texts: yield text`, called",
    ),
    (
        lambda it: hasattr(it, "model_dump") and not hasattr(it, "__next__"),
        "it is a whole answer: ask for a stream (`stream=True`), or yield its text from an async generator",
    ),
    (
        lambda it: hasattr(it, "__next__") or hasattr(it, "__iter__"),
        "use the SDK's async client (AsyncOpenAI, AsyncAnthropic, client.aio), or an `async def` that yields",
    ),
    (lambda _: True, "give it an async iterator of text or events, or an SDK's stream"),
)


def _told(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else _name(value)


def _name(value: object) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]


# --- How long a turn waits for what it was given -------------------------------------------------------


_log = logging.getLogger("streamcord")


class SilenceTimer:
    """Calls `on_silence` once nothing came for `idle` seconds, or only signs of life for `silence` seconds.

    A timer per event would cost more than the event, so one timer looks whether anything came since. While
    `busy` says that nobody waits for the source, time does not count.
    """

    def __init__(
        self, busy: Callable[[], bool], idle: float, silence: float, on_silence: Callable[[], object]
    ) -> None:
        self.expired = 0.0
        """The limit that was reached, in seconds."""
        self._loop = asyncio.get_running_loop()
        self._time = self._loop.time
        self._busy = busy
        self._idle = idle
        self._silence = silence
        self._on_silence = on_silence
        self._heard = self._progress = self._loop.time()
        self._timer = self._loop.call_at(self._due(), self._look)

    def __enter__(self) -> SilenceTimer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def note(self, *, progress: bool) -> None:
        """Something came; `progress` if it was more than a sign of life."""
        self._heard = self._time()
        if progress:
            self._progress = self._heard

    def _due(self) -> float:
        return min(self._heard + self._idle, self._progress + self._silence)

    def _look(self) -> None:
        if self._busy():
            self.note(progress=True)
        now = self._loop.time()
        if now < self._due():
            self._timer = self._loop.call_at(self._due(), self._look)
            return
        self.expired = self._idle if now >= self._heard + self._idle else self._silence
        self._on_silence()


async def cancel_and_wait(task: asyncio.Task[Any], seconds: float) -> None:
    """Cancel a task and give it so many seconds to end; one that does not is left behind."""
    task.cancel()
    await wait_briefly(task, seconds)


async def wait_briefly(task: asyncio.Task[Any], seconds: float) -> None:
    """Wait for a task for so many seconds; what it raises is seen, so that asyncio does not warn about it."""
    if not task.done():
        await asyncio.wait({task}, timeout=seconds)
    if task.done() and not task.cancelled():
        task.exception()


async def close_stream(stream: object, seconds: float, *, still_read: bool = False) -> Exception | None:
    """Close a source if it can be; what it raises then, unless it is `still_read` by another task."""
    aclose = getattr(stream, "aclose", None)
    if aclose is None:
        return None
    try:
        async with asyncio.timeout(seconds):
            await aclose()
    except Exception as error:
        if not still_read and not isinstance(error, TimeoutError):
            return error
        _log.warning("a source did not close in time: %s", type(stream).__name__)
    return None

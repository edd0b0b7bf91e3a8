"""What `say` takes, checked before anything is read or sent; its errors say what to write instead."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from .._delivery.transport import Transport
from .waiting import close_stream

if TYPE_CHECKING:
    from .._discord.target import Target

__all__ = ["as_transport", "check_source", "discard_source", "is_foreign"]

_OTHER_LIBRARIES = {"disnake", "nextcord", "hikari", "interactions"}


def as_transport(target: Target) -> Transport:
    """The transport itself, or the one for a channel, message or interaction of discord.py."""
    if "discord" in sys.modules and _package(target) != "streamcord":
        from .._discord.target import find_transport  # noqa: PLC0415  (discord.py is loaded already)

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
        lambda it: hasattr(it, "__next__") or hasattr(it, "__iter__"),
        "use the SDK's async client (AsyncOpenAI, AsyncAnthropic, client.aio), or an `async def` that yields",
    ),
    (lambda _: True, "give it an async iterator of text or events, or an SDK's stream"),
)


def _name(value: object) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]

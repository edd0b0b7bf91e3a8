"""Check the arguments of `say` before anything is read or sent; the errors say what to write instead."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from random import Random
from typing import TYPE_CHECKING, Any, cast

from .._delivery.transport import Transport
from .._settings import AnswerContext, Settings
from .._stop import Stop

if TYPE_CHECKING:
    from .._discord.interaction import Target


_OTHER_LIBRARIES = {"disnake", "nextcord", "hikari", "interactions"}


async def open_target(target: Target) -> Target:
    """Open the direct messages of a user of discord.py; return anything else unchanged."""
    if _is_discord_py() and _package(target) != "streamcord":
        from .._discord.interaction import open_direct_message  # noqa: PLC0415  (discord.py is loaded already)

        return cast("Transport", await open_direct_message(target))
    return target


def _is_discord_py() -> bool:
    """Whether discord.py is loaded; py-cord installs a package of the same name, which is another library."""
    return hasattr(sys.modules.get("discord"), "app_commands")


def as_transport(target: Target) -> Transport:
    """Return the transport, or make one for a channel, message or interaction of discord.py."""
    if _is_discord_py() and _package(target) != "streamcord":
        from .._discord.interaction import find_transport  # noqa: PLC0415  (discord.py is loaded already)

        if found := find_transport(target):
            return found
    missing = [name for name in ("send", "typing") if not callable(getattr(target, name, None))]
    is_class = isinstance(target, type)
    if not (missing or is_class or _package(target) in _OTHER_LIBRARIES | {"discord"}):
        return cast("Transport", target)
    raise TypeError(_target_advice(target, missing))


def _target_advice(target: object, missing: list[str]) -> str:
    name = _name(target)
    if isinstance(target, type):
        return f"say() needs an object to send to, not the class itself: write {target.__name__}(...)"
    if _package(target) in _OTHER_LIBRARIES | {"discord"}:
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
    source: object,
    settings: object,
    context: object,
    stop: object,
    journal: object = None,
    **lists: object,
) -> None:
    """Raise `TypeError` for arguments that a turn cannot use."""
    check_source(source)
    if not isinstance(settings, Settings | None):
        advice = "write Settings(degree=0), or Settings.from_mapping({...})"
        raise TypeError(f"settings must be a Settings, not {_describe(settings)}: {advice}")
    if not isinstance(context, AnswerContext | None):
        raise TypeError(
            f"context must be an AnswerContext, not {_describe(context)}: write AnswerContext(persona=...)"
        )
    if not isinstance(stop, Stop | None):
        raise TypeError(
            f"stop must be a Stop, not {_describe(stop)}: make one with Stop(), and call its ask()"
        )
    if journal is not None and not hasattr(journal, "sending"):
        advice = "write journal.begin(channel=...), or give one of `await journal.unfinished()`"
        raise TypeError(f"journal must be one turn of a journal, not {_describe(journal)}: {advice}")
    for name, given in lists.items():
        _check_list(name, given)


def check_functions(random: object, observe: object, sleep: object, clock: object) -> None:
    """Raise `TypeError` for a random generator, an observer or a clock that a turn cannot use."""
    if not isinstance(random, Random | None):
        write = f"Random({random!r})" if isinstance(random, int | str) else "Random(1)"
        raise TypeError(f"random must be a random.Random, not {_describe(random)}: write random={write}")
    if not (observe is None or callable(observe)):
        raise TypeError(f"observe must be a function, not {_describe(observe)}: write observe=print")
    if not (sleep is None or _is_async(sleep)):
        advice = "write `async def sleep(seconds)`"
        raise TypeError(f"sleep must be an async function, not {_describe(sleep)}: {advice}")
    if not (clock is None or callable(clock)):
        advice = "write clock=time.monotonic"
        raise TypeError(f"clock must be a function that returns seconds, not {_describe(clock)}: {advice}")


def _is_async(function: object) -> bool:
    """Whether calling it gives something to await; an object of unknown kind may."""
    if inspect.isfunction(function):
        return inspect.iscoroutinefunction(function) or function.__name__ != "<lambda>"
    return callable(function)


def _check_list(name: str, given: object) -> None:
    fits, wanted = _LISTS[name]
    if given is None:
        return
    if isinstance(given, Collection) and name != "rules":
        for number, one in enumerate(given):
            if isinstance(one, type):
                call = f"{one.__name__}({'...' if inspect.signature(one).parameters else ''})"
                raise TypeError(f"{name}[{number}] is the class {one.__name__}: write {call}")
    if not (isinstance(given, Collection) and all(fits(one) for one in given)):
        raise TypeError(f"{name} must be a list of {wanted}: write {name}=[...]")


_LISTS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "rules": (callable, "functions"),
    "renderers": (lambda one: hasattr(one, "draw"), "objects with draw(value)"),
    "moderators": (lambda one: hasattr(one, "check"), "objects with async def check(text, stage)"),
}


def as_source(source: Any) -> Any:  # noqa: ANN401 - of many kinds
    """Return what can be read: a whole answer becomes a source of one text, and some objects have a stream."""
    if hasattr(source, "__aiter__") or isinstance(source, type | Awaitable | AbstractAsyncContextManager):
        return source
    from .._providers.sdk_streams import as_stream, whole_text  # noqa: PLC0415  (most sources are streams)

    stream = as_stream(source)
    if stream is not source:
        return stream
    text = whole_text(source)
    return source if text is None else _one_text(text)


async def _one_text(text: str) -> AsyncIterator[str]:
    yield text


def check_source(source: object) -> None:
    """Raise `TypeError` for a source that is not an async iterator."""
    if hasattr(source, "__aiter__") and not inspect.isclass(source):
        if inspect.isasyncgen(source) and source.ag_frame is None:
            advice = "it was read to its end or closed; a generator is read once: call its function again"
            raise TypeError(f"say() cannot read {source.__qualname__} again: {advice}")
        return
    advice = next(text for fits, text in _SOURCE_ADVICE if fits(source))
    raise TypeError(f"say() cannot read {_name(source)} as a stream: {advice}")


def check_words(text: str) -> None:
    """Raise `TypeError` for a text that is a line of an HTTP response and no words."""
    from .._providers.sdk_streams import WIRE_ADVICE, is_wire_text  # noqa: PLC0415  (few texts look like one)

    if is_wire_text(text):
        raise TypeError(f"the source yielded text that {WIRE_ADVICE}")


def is_sdk_stream(source: object) -> bool:
    """Whether the stream comes from an SDK; a generator belongs to the package that defines it."""
    frame = getattr(source, "ag_frame", None)
    module = str(frame.f_globals.get("__name__", "")) if frame else type(source).__module__
    return module.partition(".")[0] in _SDKS


_SDKS = {"openai", "anthropic", "google", "langgraph", "litellm", "pydantic_ai"}
_SOURCE_ADVICE: tuple[tuple[Callable[[object], bool], str], ...] = (
    (
        lambda it: callable(getattr(it, "send", None)) and callable(getattr(it, "typing", None)),
        "where to speak comes first, and then what: `say(channel, stream)`",
    ),
    (
        lambda it: callable(getattr(it, "parse", None)) and hasattr(it, "http_response"),
        "write `say(channel, response.parse())`, with `await` if it came from `with_streaming_response`",
    ),
    (
        lambda it: hasattr(it, "headers") and (hasattr(it, "status_code") or hasattr(it, "status")),
        "it is a response of HTTP: let the SDK of the API or `HttpProvider` make the request",
    ),
    (lambda it: isinstance(it, Awaitable), "await it first: `say(channel, await ...)`"),
    (
        lambda it: hasattr(it, "__aenter__") and not hasattr(it, "stream"),
        "enter it first: `async with ... as stream: await say(channel, stream)`",
    ),
    (inspect.isasyncgenfunction, "call it: `say(channel, my_model(...))`"),
    (inspect.iscoroutinefunction, "call it and await it: `say(channel, await ask(...))`"),
    (lambda it: callable(getattr(it, "stream_text", None)), "write `say(channel, result.stream_text())`"),
    (lambda it: callable(getattr(it, "astream", None)), "write `say(channel, model.astream(question))`"),
    (
        lambda it: _package(it) == "agents",
        "write `say(channel, Runner.run_streamed(agent, question))`",
    ),
    (
        lambda it: callable(getattr(it, "stream", None)),
        "ask it something: `say(channel, provider.stream(user(text)))`",
    ),
    (lambda it: isinstance(it, bytes | bytearray), "decode it: `say(channel, data.decode())`"),
    (lambda it: isinstance(it, Mapping), "give it the text in it, or the SDK's own object"),
    (
        lambda it: isinstance(it, Collection),
        "give it an async iterator of text: an `async def` with `for text in texts: yield text`, called",
    ),
    (lambda it: isinstance(getattr(it, "content", None), str), "write `say(channel, answer.content)`"),
    (lambda it: isinstance(getattr(it, "text", None), str), "write `say(channel, answer.text)`"),
    (lambda it: isinstance(getattr(it, "raw", None), str), "write `say(channel, answer.raw)`"),
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


def _describe(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else _name(value)


def _name(value: object) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]

"""Lets a model use tools: asks, runs what it calls for, tells it the results, asks again.

What the model said before a call goes back to it as its own words, with the signatures of its thoughts. The
calls of one answer run side by side. Whatever goes wrong with a tool is told to the model, which may know
better; only too many failures in a row, or too many rounds, end the answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .._errors import ProviderError, SettingsError, ToolError
from .._events import KeepAlive, Message, ProviderEvent, TextDelta, ThoughtDelta, ToolCall, Usage
from .closing import closing
from .prompt import AssistantMessage, Options, Prompt, Text, ToolResult
from .tool import Post, Tool, as_parts

if TYPE_CHECKING:
    from ..providers import Provider

__all__ = ["ToolLimits", "with_tools"]

SIGN_OF_LIFE = 15.0
"""While tools run, whoever waits hears from us this often."""
FAREWELL = 5.0
"""Seconds that a tool may take to end once it must."""
COMPLAINT = 500
"""Characters of an exception that the model is told."""

_log = logging.getLogger("streamcord")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLimits:
    """When a tool has had enough time, and a model enough tools."""

    timeout: float = 300.0
    """Seconds for one call."""
    rounds: int = 100
    """Times that the model may be asked in one turn."""
    errors: int = 5
    """Calls in a row that may fail."""

    def __post_init__(self) -> None:
        for name in ("timeout", "rounds", "errors"):
            if not getattr(self, name) > 0:
                raise SettingsError(name, "more than 0", getattr(self, name))


async def with_tools(
    provider: Provider,
    prompt: Prompt,
    tools: Iterable[Tool],
    *,
    options: Options | None = None,
    limits: ToolLimits | None = None,
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """The whole answer, over as many rounds as it takes; messages that tools post stand in their place."""
    limits = limits or ToolLimits()
    by_name = {tool.spec.name: tool for tool in tools}
    prompt += Prompt(tools=tuple(tool.spec for tool in by_name.values()))
    failures, before = 0, Usage()
    for _ in range(limits.rounds):
        answer = _Answer(before)
        async with closing(provider.stream(prompt, options)) as events:
            async for event in events:
                yield answer.note(event)
        if not answer.calls:
            return
        before = answer.usage
        errand = _Errand(by_name, limits.timeout)
        async with aclosing(errand.run(answer.calls)) as news:
            async for message in news:
                yield message
        for result in errand.results:
            failures = failures + 1 if result.failed else 0
            if failures >= limits.errors:
                raise _fed_up(f"The model's tools failed {failures} times in a row.")
        prompt += Prompt((AssistantMessage.from_events(answer.said), *errand.results))
    raise _fed_up(f"The model asked for tools {limits.rounds} times without coming to an end.")


@dataclass(slots=True)
class _Answer:
    """What the model said in one round."""

    before: Usage
    said: list[ProviderEvent] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage = field(init=False)

    def __post_init__(self) -> None:
        self.usage = self.before

    def note(self, event: ProviderEvent) -> ProviderEvent:
        """Write the event down; usage is counted over all rounds."""
        match event:
            case TextDelta():
                self.said.append(event)
            case ThoughtDelta(text, _, signature) if text or signature:
                self.said.append(event)
            case ToolCall():
                self.said.append(event)
                self.calls.append(event)
            case Usage():
                self.usage = _added(self.before, event)
                return self.usage
            case _:
                pass
        return event


class _Errand:
    """The calls of one answer, side by side."""

    def __init__(self, tools: Mapping[str, Tool], timeout: float) -> None:
        self.results: list[ToolResult] = []
        self._tools = tools
        self._timeout = timeout
        self._posts: list[Message] = []
        self._news = asyncio.Event()

    async def run(self, calls: list[ToolCall]) -> AsyncGenerator[Message | KeepAlive, None]:
        """What the tools post while they run, and signs of life."""
        tasks = [asyncio.create_task(self._answer(call)) for call in calls]
        for task in tasks:
            task.add_done_callback(lambda _: self._news.set())
        try:
            while not all(task.done() for task in tasks):
                try:
                    async with asyncio.timeout(SIGN_OF_LIFE):
                        await self._news.wait()
                except TimeoutError:
                    yield KeepAlive()
                self._news.clear()
                for message in self._take_posts():
                    yield message
            for message in self._take_posts():
                yield message
            self.results = [task.result() for task in tasks]
        finally:
            await _end(tasks)

    def _take_posts(self) -> list[Message]:
        posts, self._posts = self._posts, []
        return posts

    def _post(self, message: Message) -> None:
        self._posts.append(message)
        self._news.set()

    async def _answer(self, call: ToolCall) -> ToolResult:
        """The result of one call, whatever happens."""
        try:
            result = as_parts(await self._call(call))
        except ToolError as error:
            return ToolResult(call.id, call.name, (Text(f"Error: {error}"),), failed=True)
        return ToolResult(call.id, call.name, result)

    async def _call(self, call: ToolCall) -> object:
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolError(f"There is no tool {call.name!r}; there are: {', '.join(self._tools) or 'none'}.")
        arguments = tool.bind(call.arguments, Post(self._post))
        work = asyncio.ensure_future(_work(tool, arguments))
        try:
            await asyncio.wait({work}, timeout=self._timeout)
        finally:
            # Not waited for: a tool that does not let go must not hold the turn.
            work.cancel()
        if not work.done():
            work.add_done_callback(_look_away)
            raise ToolError(f"The tool took longer than {self._timeout:g} seconds and was given up.")
        return _outcome(call, work)


async def _work(tool: Tool, arguments: dict[str, Any]) -> object:
    if tool.is_async:
        return await tool.function(**arguments)
    return await asyncio.to_thread(tool.function, **arguments)


def _outcome(call: ToolCall, work: asyncio.Future[object]) -> object:
    """What a call came to; any exception becomes a `ToolError`."""
    if work.cancelled():
        raise ToolError("The tool was cancelled.")
    error = work.exception()
    if error is None:
        return work.result()
    if isinstance(error, ToolError):
        raise error
    if not isinstance(error, Exception):
        raise error
    _log.error("the tool %s failed", call.name, exc_info=error)
    raise ToolError(f"{type(error).__name__}: {error}"[:COMPLAINT]) from error


async def _end(tasks: Iterable[asyncio.Task[ToolResult]]) -> None:
    """End the calls that still run."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=FAREWELL)


def _look_away(work: asyncio.Future[object]) -> None:
    """Whatever a tool that was given up still says: nobody warns about it."""
    if not work.cancelled():
        work.exception()


def _added(one: Usage, other: Usage) -> Usage:
    return replace(
        other,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        reasoning_tokens=one.reasoning_tokens + other.reasoning_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
    )


def _fed_up(message: str) -> ProviderError:
    return ProviderError(message, user_message=f"{message} Ask again, in other words or for less.")

"""Tools: typed functions that a model may call, and the rounds of asking, running and telling it the results.

    @tool
    async def roll(sides: Annotated[int, "how many sides the die has"] = 6) -> str:
        "Roll a die."
        return str(randint(1, sides))

A function's name, docstring and annotations are what the model is told about it. A parameter of type `Post`
is not the model's: through it the tool posts into the channel, in its turn.

What the model said before a call goes back to it as its own words, with the signatures of its thoughts. The
calls of one answer run side by side. Whatever goes wrong with a tool is told to the model, which may know
better; only too many failures in a row, or too many rounds, end the answer.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from .._errors import ProviderError, SettingsError, ToolError
from .._events import Attachment, KeepAlive, Message, ProviderEvent, TextDelta, ThoughtDelta, ToolCall, Usage
from .prompt import AssistantMessage, Image, Options, Part, Prompt, Provider, Text, ToolResult, ToolSpec
from .reads.call_pieces import INVALID
from .source_wrappers import closing

__all__ = ["Post", "Tool", "ToolLimits", "as_parts", "tool", "with_tools"]

Schema: TypeAlias = dict[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (NoneType,),
}

_KINDS: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
    NoneType: "null",
}


@dataclass(frozen=True, slots=True)
class Post:
    """How a tool posts into the channel: in its place between the words, and never around the turn."""

    put: Callable[[Message], None] = field(repr=False)

    def __call__(self, content: str = "", *files: Attachment) -> None:
        """Queue a message behind everything that was said so far."""
        self.put(Message(content, files=files))


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call; `spec` is how it is described to the model."""

    function: Callable[..., Any]
    spec: ToolSpec
    post_name: str = ""
    """The parameter that gets the `Post`, if the function has one."""

    def __call__(self, *args: object, **kwargs: object) -> Any:  # noqa: ANN401
        """Call the function itself, as if it were no tool."""
        return self.function(*args, **kwargs)

    def bind(self, arguments: Mapping[str, Any], post: Post) -> dict[str, Any]:
        """The arguments of one call; raises a `ToolError` that tells the model what is wrong with them."""
        if INVALID in arguments:
            raise ToolError("The arguments are not a JSON object. Send one that fits the tool's parameters.")
        known = self.spec.parameters.get("properties", {})
        if unknown := sorted(arguments.keys() - known.keys()):
            raise ToolError(f"There is no parameter {unknown[0]!r}; there are: {', '.join(known) or 'none'}.")
        missing = [name for name in self.spec.parameters.get("required", ()) if name not in arguments]
        if missing:
            raise ToolError(f"The parameter {missing[0]!r} is missing.")
        for name, value in arguments.items():
            _check(name, known[name], value)
        return {**arguments, **({self.post_name: post} if self.post_name else {})}

    @property
    def is_async(self) -> bool:
        """Whether the function must be awaited; others run in a thread."""
        return inspect.iscoroutinefunction(self.function)


def tool(function: Callable[..., Awaitable[Any]] | Callable[..., Any]) -> Tool:
    """Make a tool of a function with annotated parameters."""
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        raise SettingsError("tool", "a function with a name, by which the model calls it", name)
    hints = get_type_hints(function, include_extras=True)
    properties: dict[str, Schema] = {}
    required: list[str] = []
    post_name = ""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
            raise SettingsError(f"{name}.{parameter.name}", "a parameter with a name", str(parameter))
        hint = hints.get(parameter.name, str)
        if hint is Post:
            post_name = parameter.name
            continue
        properties[parameter.name] = _schema(f"{name}.{parameter.name}", hint)
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    needed = {"required": required} if required else {}
    parameters: Schema = {"type": "object", "properties": properties, **needed}
    description = inspect.getdoc(function) or ""
    return Tool(function, ToolSpec(name, description, parameters), post_name)


def as_parts(result: object) -> tuple[Part, ...]:
    """What a tool returned, as the model gets it: words, pictures, a list of both, or anything as JSON."""
    if result is None:
        return (Text("Done."),)
    if isinstance(result, str):
        return (Text(result or "(nothing)"),)
    if isinstance(result, Text | Image):
        return (result,)
    if isinstance(result, list | tuple) and any(isinstance(item, Text | Image) for item in result):
        return tuple(part for item in result for part in as_parts(item))
    try:
        return (Text(json.dumps(result, ensure_ascii=False, default=str)),)
    except (TypeError, ValueError, RecursionError):
        return (Text(str(result)),)


# --- Annotations to JSON schema ------------------------------------------------------------------------


def _schema(where: str, hint: object) -> Schema:  # noqa: PLR0911
    """The schema of one annotation; raises a `SettingsError` where there is none."""
    if hint is Any:
        return {}
    if hint in _KINDS:
        return {"type": _KINDS[hint]}
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        described = next((extra for extra in args[1:] if isinstance(extra, str)), "")
        return {**_schema(where, args[0]), **({"description": described} if described else {})}
    if origin is Literal:
        return {"enum": list(args)}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if origin in {Union, UnionType}:
        return {"anyOf": [_schema(where, arg) for arg in args]}
    if origin in {list, tuple, Sequence}:
        return {"type": "array", **({"items": _schema(where, args[0])} if args else {})}
    if origin in {dict, Mapping}:
        return {"type": "object"}
    raise SettingsError(where, "of a type that JSON has", hint)


def _check(name: str, schema: Mapping[str, Any], value: object) -> None:
    """Refuse what is plainly of another type; a model often writes a number as a text."""
    if not _fits(schema, value):
        wanted = schema.get("type") or schema.get("enum") or "one of its types"
        raise ToolError(
            f"The parameter {name!r} must be {wanted}, not {json.dumps(value, default=str)[:80]}."
        )


def _fits(schema: Mapping[str, Any], value: object) -> bool:
    if "anyOf" in schema:
        return any(_fits(choice, value) for choice in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    kinds = _TYPES.get(schema.get("type", ""), (object,))
    # To Python a bool is a number, to JSON it is not.
    return isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds or object in kinds)


# --- Rounds --------------------------------------------------------------------------------------------

SIGN_OF_LIFE = 15.0
"""While tools run, whoever waits hears from us this often."""
CLOSING_TIME = 5.0
"""Seconds that a tool may take to end once it must."""
ERROR_LENGTH = 500
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
    calls: int = 16
    """Calls of one round that are made; the model is told that the others were not."""

    def __post_init__(self) -> None:
        for name in ("timeout", "rounds", "errors", "calls"):
            if not getattr(self, name) > 0:
                raise SettingsError(name, "more than 0", getattr(self, name))


async def with_tools(
    provider: Provider,
    prompt: Prompt,
    tools: Iterable[Tool | Callable[..., Any]],
    *,
    options: Options | None = None,
    limits: ToolLimits | None = None,
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """The whole answer, over as many rounds as it takes; messages that tools post stand in their place.

    provider: who is asked, again after every round of tools.
    prompt: the conversation so far; the tools are added to it.
    tools: functions, with `@tool` above them or without.
    options: as for `Provider.stream`.
    limits: how long a tool may take, and how often it may fail or be called.
    """
    limits = limits or ToolLimits()
    by_name = {one.spec.name: one for one in (one if isinstance(one, Tool) else tool(one) for one in tools)}
    prompt += Prompt(tools=tuple(one.spec for one in by_name.values()))
    failures, before = 0, Usage()
    for _ in range(limits.rounds):
        answer = _Answer(before)
        async with closing(provider.stream(prompt, options)) as events:
            async for event in events:
                yield answer.note(event)
        if not answer.calls:
            return
        before = answer.usage
        round_ = _ToolRound(by_name, limits)
        async with aclosing(round_.run(answer.calls)) as news:
            async for message in news:
                yield message
        for result in round_.results:
            failures = failures + 1 if result.failed else 0
            if failures >= limits.errors:
                raise _given_up(f"The model's tools failed {failures} times in a row.")
        prompt += Prompt((AssistantMessage.from_events(answer.said), *round_.results))
    raise _given_up(f"The model asked for tools {limits.rounds} times without coming to an end.")


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


class _ToolRound:
    """The calls of one answer, side by side."""

    def __init__(self, tools: Mapping[str, Tool], limits: ToolLimits) -> None:
        self.results: list[ToolResult] = []
        self._tools = tools
        self._timeout = limits.timeout
        self._cap = limits.calls
        self._posts: list[Message] = []
        self._news = asyncio.Event()

    async def run(self, calls: list[ToolCall]) -> AsyncGenerator[Message | KeepAlive, None]:
        """What the tools post while they run, and signs of life."""
        tasks = [asyncio.create_task(self._answer(call)) for call in calls[: self._cap]]
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
            # A call without a result would make the next request invalid.
            left = [_not_made(call, self._cap) for call in calls[self._cap :]]
            self.results = [*(task.result() for task in tasks), *left]
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
            work.add_done_callback(_ignore_result)
            raise ToolError(f"The tool took longer than {self._timeout:g} seconds and was given up.")
        return _outcome(call, work)


def _not_made(call: ToolCall, cap: int) -> ToolResult:
    words = (
        f"Error: not made, since at most {cap} calls are made at once. Make it again if you still need it."
    )
    return ToolResult(call.id, call.name, (Text(words),))


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
    raise ToolError(f"{type(error).__name__}: {error}"[:ERROR_LENGTH]) from error


async def _end(tasks: Iterable[asyncio.Task[ToolResult]]) -> None:
    """End the calls that still run."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=CLOSING_TIME)


def _ignore_result(work: asyncio.Future[object]) -> None:
    """Look at the outcome of a tool that was given up, so that asyncio does not warn about it."""
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


def _given_up(message: str) -> ProviderError:
    return ProviderError(message, user_message=f"{message} Ask again, in other words or for less.")

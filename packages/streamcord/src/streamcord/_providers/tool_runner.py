"""Answer with tools: ask the model, run the tools that it calls, send it the results, and repeat.

The text that the model wrote before a call is sent back as its own words, with the signatures of its
reasoning. The calls of one answer run concurrently. A failing tool does not end the answer: the error is sent
to the model, which may correct the call. Only too many failures in a row, or too many rounds, end it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from .._events import (
    Ask,
    Attachment,
    Decision,
    KeepAlive,
    Message,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .._exceptions import ProviderError, SettingsError, ToolError
from .closing import closing
from .prompt import AssistantMessage, Options, Prompt, Provider, Text, ToolResult
from .tools import AnswerSuspended, Asker, AskUser, Post, Tool, as_parts, tool
from .usage import add_usage

Steering: TypeAlias = Callable[[], Awaitable[Prompt]]
"""Returns what people have written since it was last called, or `Prompt()`; the next request ends with it."""

CANCEL_TIMEOUT_S = 5.0
"""How long to wait for cancelled tools."""

MAX_THOUGHT_CHARS = 1024 * 1024
"""Reasoning of one round, with its signatures; a longer one ends the answer."""

MAX_ERROR_CHARS = 500
"""How much of an exception is sent to the model."""

MAX_STEP_CHARS = 100
"""How much of what a tool says about its progress is kept."""

ANOTHER_QUESTION = (
    "Not done: another question waits for the decision of a person. Make this call again after that."
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLimits:
    """Limits for the tools of one turn.

    Example:
        with_tools(provider, prompt, tools, limits=ToolLimits(timeout=20, rounds=5))

    """

    timeout: float = 300.0
    """Seconds that one call may take."""
    rounds: int = 100
    """How often the model may be asked in one turn."""
    errors: int = 5
    """How many calls in a row may fail."""
    calls: int = 16
    """How many calls of one answer are run; the model gets an error for each of the others."""
    keep_alive: float = 15.0
    """Seconds between two `KeepAlive` events while tools run; must be less than the turn's `idle_timeout`."""

    def __post_init__(self) -> None:
        for name in ("timeout", "rounds", "errors", "calls", "keep_alive"):
            if not getattr(self, name) > 0:
                raise SettingsError(name, "more than 0", getattr(self, name))


async def with_tools(
    provider: Provider,
    prompt: Prompt,
    tools: Iterable[Tool | Callable[..., Any]],
    *,
    options: Options | None = None,
    limits: ToolLimits | None = None,
    ask: Asker | None = None,
    steering: Steering | None = None,
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """Yield the whole answer, over as many rounds of tool calls as it takes.

    Args:
        provider: The provider; it is asked again after every round of tools.
        prompt: The conversation so far; the tools are added to it.
        tools: Functions, with or without the `@tool` decorator.
        options: As for `Provider.stream`.
        limits: How long a tool may take, and how often tools may fail or be called.
        ask: Asks people for tools with a parameter of type `AskUser`.
        steering: Called after each round of tools, before the model is asked again; the model sees what it
            returns after the results. It is not called at the end of the answer: what people write after its
            last call is the next question.

    Yields:
        The model's events, and the messages that tools post, in their place.

    Raises:
        ProviderError: The provider failed, or a limit was exceeded.

    Example:
        await say(channel, with_tools(provider, user("Roll a d20!"), [roll]))

    """
    limits = limits or ToolLimits()
    by_name = {one.spec.name: one for one in (one if isinstance(one, Tool) else tool(one) for one in tools)}
    prompt += Prompt(tools=tuple(one.spec for one in by_name.values()))
    failures = 0  # in a row
    usage_before = Usage()  # of the rounds before this one
    for number in range(limits.rounds):
        # Only before a request that is made: a message that was fetched must reach the model.
        if steering is not None and number:
            prompt += await steering()
        answer = _Answer(usage_before)
        async with closing(provider.stream(prompt, options)) as events:
            async for event in events:
                yield answer.record(event)
        if not answer.calls:
            return
        usage_before = answer.usage
        round_ = ToolRound(by_name, limits, ask)
        async with aclosing(round_.run(answer.calls)) as messages:
            async for message in messages:
                yield message
        if round_.suspended is not None:
            return
        for result in round_.results:
            failures = failures + 1 if result.failed else 0
            if failures >= limits.errors:
                raise _limit_error(f"The model's tools failed {failures} times in a row.")
        prompt = _after_round(prompt, answer.events, round_.results)
        if options is not None and options.resume is not None:
            # Only the first request takes a stream up again.
            options = replace(options, resume=None)
    raise _limit_error(f"The model asked for tools {limits.rounds} times without coming to an end.")


def _after_round(prompt: Prompt, events: Sequence[ProviderEvent], results: Iterable[ToolResult]) -> Prompt:
    """Return the prompt of the next round; a prefill is the beginning of the answer that was given."""
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    begun = [] if text.startswith(prompt.prefill) else [TextDelta(prompt.prefill)]
    message = AssistantMessage.from_events([*begun, *events])
    return replace(prompt, messages=(*prompt.messages, message, *results), prefill="")


@dataclass(slots=True)
class _Answer:
    """The model's output of one round."""

    before: Usage
    events: list[ProviderEvent] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage = field(init=False)
    # Characters of reasoning and of its signatures so far.
    _thought_chars: int = 0

    def __post_init__(self) -> None:
        self.usage = self.before

    def record(self, event: ProviderEvent) -> ProviderEvent:
        """Record the event and return it; usage is summed over all rounds."""
        match event:
            case TextDelta():
                self.events.append(event)
            case ThoughtDelta(text, _, signature) if text or signature:
                # Thoughts are kept only to be sent back after a tool call, so an endless stream must not fill memory.
                self._thought_chars += len(text) + len(signature or "")
                if self._thought_chars > MAX_THOUGHT_CHARS:
                    raise _limit_error(
                        f"The model's reasoning is longer than {MAX_THOUGHT_CHARS:,} characters."
                    )
                self.events.append(event)
            case ToolCall():
                self.events.append(event)
                self.calls.append(event)
            case Usage():
                self.usage = add_usage(self.before, event)
                return self.usage
            case _:
                pass
        return event


class ToolRound:
    """Runs the calls of one answer concurrently.

    Example:
        round_ = ToolRound({"roll": roll}, ToolLimits())
        async for message in round_.run([ToolCall("1", "roll")]):
            await channel.send(message)
        print(round_.results)

    """

    def __init__(self, tools: Mapping[str, Tool], limits: ToolLimits, ask: Asker | None = None) -> None:
        self.results: list[ToolResult] = []
        """The results, in the order of the calls."""
        self.suspended: ToolCall | None = None
        """The call that waits for a decision, if one does; then the answer ends."""
        self._ask = ask
        self._tools = tools
        self._timeout = limits.timeout
        self._max_calls = limits.calls
        self._keep_alive = limits.keep_alive
        # Messages that tools have posted and that were not yielded yet.
        self._posts: list[Message] = []
        # The newest step of each tool that was not yielded yet: a tool may report without end.
        self._steps: dict[str, KeepAlive] = {}
        # Set when a tool posts or ends.
        self._changed = asyncio.Event()
        # Held while a call asks: two questions at once would have two decisions.
        self._asking = asyncio.Lock()
        # Whether a call has ended the answer with a question.
        self._asked = False
        # The message that asks people, if a call is suspended.
        self._question: Message | None = None

    async def run(self, calls: list[ToolCall]) -> AsyncGenerator[Message | KeepAlive, None]:
        """Run the calls; yield what the tools post meanwhile, and keep-alives."""
        tasks = [asyncio.create_task(self._run(call)) for call in calls[: self._max_calls]]
        for task in tasks:
            task.add_done_callback(lambda _: self._changed.set())
        try:
            while not all(task.done() for task in tasks):
                try:
                    async with asyncio.timeout(self._keep_alive):
                        await self._changed.wait()
                except TimeoutError:
                    yield KeepAlive()
                self._changed.clear()
                for message in self._take_posts():
                    yield message
            for message in self._take_posts():
                yield message
            if self._question is not None:
                # The question comes last: what other tools post belongs above it.
                yield self._question
            # A call without a result would make the next request invalid.
            skipped = [_skipped_result(call, self._max_calls) for call in calls[self._max_calls :]]
            self.results = [*(task.result() for task in tasks), *skipped]
        finally:
            await _cancel(tasks)

    def _take_posts(self) -> list[Message | KeepAlive]:
        posts, self._posts = self._posts, []
        steps, self._steps = self._steps, {}
        return [*posts, *steps.values()]

    def _post(self, message: Message) -> None:
        self._posts.append(message)
        self._changed.set()

    def _report(self, name: str, step: str) -> None:
        self._steps[name] = KeepAlive(tool=name, step=step[:MAX_STEP_CHARS])
        self._changed.set()

    async def _run(self, call: ToolCall) -> ToolResult:
        """Return the result of one call; failures are results too."""
        try:
            result = as_parts(await self._call(call))
        except AnswerSuspended as wait:
            return self._suspend(call, wait)
        except ToolError as error:
            return ToolResult(call.id, call.name, (Text(f"Error: {error}"),), failed=True)
        return ToolResult(call.id, call.name, result)

    async def _ask_once(
        self, asker: Asker, call: ToolCall, post: Post, ask: Ask, *files: Attachment
    ) -> Decision | None:
        """Ask for a call, unless another call of this round has ended the answer with a question."""
        async with self._asking:
            if self._asked:
                raise ToolError(ANOTHER_QUESTION)
            try:
                return await asker(ask, call, post, *files)
            except AnswerSuspended:
                self._asked = True
                raise

    def _suspend(self, call: ToolCall, wait: AnswerSuspended) -> ToolResult:
        """Keep the question of a call."""
        self.suspended = call
        self._question = Message(wait.ask.text, files=wait.files, ask=wait.ask, notice=wait.ask.notice)
        return ToolResult(call.id, call.name, (Text("This waits for the decision of a person."),))

    async def _call(self, call: ToolCall) -> object:
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolError(f"There is no tool {call.name!r}; there are: {', '.join(self._tools) or 'none'}.")
        post = Post(self._post, partial(self._report, call.name))
        # An asker that ends the answer with a question knows what the call has asked before.
        earlier: Callable[[ToolCall], Sequence[tuple[Ask, Decision]]] | None
        earlier = getattr(self._ask, "earlier", None)
        asking = AskUser(
            partial(self._ask_once, self._ask, call, post) if self._ask else None,
            earlier(call) if earlier else (),
        )
        arguments = tool.bind(call.arguments, post, asking)
        work = asyncio.ensure_future(_invoke(tool, arguments))
        try:
            await asyncio.wait({work}, timeout=self._timeout)
            # People may take longer than a tool; afterwards the tool has its whole time again.
            while asking.waits and not work.done():
                await asyncio.wait({work}, timeout=self._timeout)
        finally:
            # Not awaited: a tool that ignores its cancellation must not block the turn.
            work.cancel()
        if not work.done():
            work.add_done_callback(_ignore_result)
            # The tool ignores its cancellation; it continues in the background.
            raise ToolError(f"The tool took longer than {self._timeout:g} seconds and was given up.")
        return _result_of(call, work)


def _skipped_result(call: ToolCall, cap: int) -> ToolResult:
    text = f"Error: not made, since at most {cap} calls are made at once. Make it again if you still need it."
    return ToolResult(call.id, call.name, (Text(text),))


async def _invoke(tool: Tool, arguments: dict[str, Any]) -> object:
    if tool.is_async:
        return await tool.function(**arguments)
    return await asyncio.to_thread(tool.function, **arguments)


def _result_of(call: ToolCall, work: asyncio.Future[object]) -> object:
    """Return what a call returned; any exception becomes a `ToolError`."""
    if work.cancelled():
        raise ToolError("The tool was cancelled.")
    error = work.exception()
    if error is None:
        return work.result()
    if isinstance(error, ToolError | AnswerSuspended):
        raise error
    if not isinstance(error, Exception):
        raise error
    _log.error("tool %s failed", call.name, exc_info=error)
    raise ToolError(f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARS]) from error


async def _cancel(tasks: Iterable[asyncio.Task[ToolResult]]) -> None:
    """Cancel the calls that still run and wait briefly for them."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=CANCEL_TIMEOUT_S)


def _ignore_result(work: asyncio.Future[object]) -> None:
    """Retrieve the exception of an abandoned tool, so that asyncio does not warn about it."""
    if not work.cancelled():
        work.exception()


def _limit_error(message: str) -> ProviderError:
    return ProviderError(message, user_message=f"{message} Ask again, in other words or for less.")

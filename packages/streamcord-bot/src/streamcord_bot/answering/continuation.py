"""Let a model continue an interrupted answer: by a prefill if its provider supports one, else by an instruction.

Calls of tools and their results are in the journal. Each call is recorded before it is made, so none is made twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeAlias

from streamcord import KeepAlive, Message, ProviderError, ProviderEvent, RequestRejected, Truncated
from streamcord.providers import (
    AnswerSuspended,
    AskUser,
    Post,
    Prompt,
    Provider,
    Text,
    Tool,
    continue_prompt,
    read_continuation,
    user,
)
from streamcord.records import StreamPosition
from streamcord.store import TurnJournal

from ..prompt.prompt_builder import indent

CALL = "call"
"""Kind of the journal rows about a tool call: first its arguments, then its result."""
CALLS_HEADER = (
    "[For this answer you have called tools already. Do not make these calls again, use what they gave:"
)
MAX_RESULT_CHARS = 4000
"""Longer results are cut in the journal."""

Events: TypeAlias = AsyncIterator[ProviderEvent | Message]
Ask: TypeAlias = Callable[[Prompt, StreamPosition | None], Events]


async def continue_answer(
    ask: Ask,
    prompt: Prompt,
    provider: Provider,
    text: str,
    *,
    complete: bool,
    calls: str = "",
    position: StreamPosition | None = None,
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """Yield what follows the text that a model wrote before the interruption.

    Args:
        ask: sends a prompt to the model, or takes up its stream at a position.
        prompt: the prompt of the answer.
        provider: tells whether it supports a prefill, and whose streams it takes up.
        text: what the model wrote so far.
        complete: whether the model had finished; then nothing follows.
        calls: a description of the tool calls that were made, from `describe_calls`.
        position: the place from which the provider's stream can be taken up again.

    """
    if complete:
        return
    notes = [calls] if calls else []
    if position is not None and _owns(provider, position):
        # The prompt is for the rounds after this stream, which begin with the text.
        resumed = replace(prompt + user(calls) if calls else prompt, prefill=text)
        outcome = _Outcome()
        async with aclosing(_take_up(ask(resumed, position), outcome)) as events:
            async for event in events:
                yield event
        if outcome.is_over:
            return
    # A model that answers something else, or refuses a prefill, is asked once more in words.
    first = getattr(provider, "continues", False)
    for exact, is_last in ((first, False), (False, True)):
        said = False
        asked = continue_prompt(prompt, text, exact=exact, notes=notes)
        try:
            async with aclosing(read_continuation(ask(asked, None), prompt, text, exact=exact)) as events:
                async for event in events:
                    said = said or not isinstance(event, KeepAlive)
                    yield event
        except (RequestRejected, Truncated) as error:
            # A request that is refused without a prefill is refused again.
            if said or is_last or not text or (isinstance(error, RequestRejected) and not exact):
                raise
        else:
            return


@dataclass(slots=True)
class _Outcome:
    is_over: bool = False


async def _take_up(stream: Events, outcome: _Outcome) -> AsyncGenerator[ProviderEvent | Message, None]:
    """Yield the rest of a stream; if the provider has it no more, nothing, and `outcome` says so."""
    said = False
    try:
        async for event in stream:
            said = said or not isinstance(event, KeepAlive)
            yield event
        outcome.is_over = True
    except ProviderError:
        # The provider keeps its streams for minutes only.
        if said:
            raise
    finally:
        if close := getattr(stream, "aclose", None):
            await close()


def _owns(provider: Provider, position: StreamPosition) -> bool:
    owns: Callable[[StreamPosition], bool] | None = getattr(provider, "owns", None)
    return owns is not None and owns(position)


# --- Tools ----------------------------------------------------------------------------------------------


class CallLog:
    """The tool calls of one answer, and of the answers that it continues with, as lines for the model."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self.lines = [*lines]

    def add(self, name: str, arguments: str, result: str) -> None:
        """Add a call that ended."""
        self.lines.append(f"{name}({arguments}) gave: {result[:MAX_RESULT_CHARS]}")

    def describe(self) -> str:
        """Return a note for the model; empty if there were no calls."""
        return _describe(self.lines)


def record_calls(
    tools: Iterable[Tool], journal: TurnJournal | None, log: CallLog | None = None
) -> list[Tool]:
    """Return the same tools, with each call recorded before it is made and each result after it."""
    marks = journal.saved.marks if journal is not None and journal.saved else ()
    numbers = count(1 + max((one.message for one in marks if one.kind == CALL), default=0))
    log = log or CallLog()
    return [replace(one, function=_recorded(one, journal, numbers, log)) for one in tools]


def _recorded(
    tool: Tool, journal: TurnJournal | None, numbers: Iterator[int], log: CallLog
) -> Callable[..., Any]:
    async def call(**arguments: Any) -> Any:  # noqa: ANN401 - as the tool has it
        number = next(numbers)
        said = {name: one for name, one in arguments.items() if not isinstance(one, Post | AskUser)}
        given = json.dumps(said, default=str)
        if journal is not None:
            journal.mark(CALL, number, name=tool.spec.name, arguments=given)
            await journal.flush()
        try:
            result = await run_tool(tool, arguments)
        except AnswerSuspended:
            # It is called again when a person has decided.
            _mark(journal, number, waits=True)
            if journal is not None:
                # Before the question is sent: the call has done nothing yet, and may be made again after a kill.
                await journal.flush()
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            log.add(tool.spec.name, given, text)
            _mark(journal, number, gave=text[:MAX_RESULT_CHARS])
            raise
        log.add(tool.spec.name, given, _text_of(result))
        _mark(journal, number, gave=_text_of(result)[:MAX_RESULT_CHARS])
        return result

    return call


def _mark(journal: TurnJournal | None, number: int, **more: Any) -> None:  # noqa: ANN401 - JSON
    if journal is not None:
        journal.mark(CALL, number, **more)


async def run_tool(tool: Tool, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as the tool has it
    """Call a tool's function; one that is not async runs in a thread."""
    if tool.is_async:
        return await tool.function(**arguments)
    return await asyncio.to_thread(tool.function, **arguments)


def _text_of(result: object) -> str:
    """Return the result of a tool as text."""
    if isinstance(result, list | tuple):
        return "\n".join(map(_text_of, result))
    if isinstance(result, Text):
        return result.text
    return result if isinstance(result, str) else "Done." if result is None else str(result)


def describe_calls(journal: TurnJournal) -> str:
    """Return a note for the model about the calls of an interrupted answer; empty if there were none."""
    calls: dict[int, dict[str, Any]] = {}
    for mark in journal.saved.marks if journal.saved else ():
        if mark.kind == CALL:
            calls.setdefault(mark.message, {}).update(mark.more)
    lines = [
        f"{one.get('name')}({one.get('arguments')}) "
        + (f"gave: {one['gave']}" if "gave" in one else "was interrupted, it is unknown whether it was done.")
        for one in calls.values()
        if not one.get("waits")
    ]
    return _describe(lines)


def _describe(lines: Iterable[str]) -> str:
    # A result may be what a person typed, or text of a server: no line of it may look like one of the prompt.
    shown = [indent(line) for line in lines]
    return "\n".join([CALLS_HEADER, *shown]) + "]" if shown else ""

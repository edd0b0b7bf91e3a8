"""A model goes on where it was cut off: by a prefill where its provider takes one, else by asking.

What its tools gave stands in the journal, and so does each call before it is made: none is made twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from itertools import count
from typing import Any, TypeAlias

from streamcord import Message, ProviderEvent, Rejected, TextDelta
from streamcord.providers import Post, Prompt, Provider, Text, Tool, assistant, user
from streamcord.store import TurnJournal

from ..prompt.prompt_builder import CONTINUE

__all__ = ["continue_answer", "keep_calls", "strip_echo", "tell_calls"]

CALL = "call"
"""A row about a call of a tool: what it is called with, then what it gave."""
CALLED = "[For this answer you have called tools already. Do not make these calls again, use what they gave:"
RESULT_CAP = 4000
"""Characters of a result that are kept."""

Events: TypeAlias = AsyncIterator[ProviderEvent | Message]
Ask: TypeAlias = Callable[[Prompt], Events]


async def continue_answer(
    ask: Ask, prompt: Prompt, provider: Provider, text: str, *, complete: bool, calls: str = ""
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """What follows the text that a model had written and its `calls` of tools; nothing if it had ended."""
    if complete:
        return
    told = prompt + user(calls) if calls else prompt
    if not text:
        prompts = [told]
    else:
        asked = prompt + assistant(text) + user("\n".join([CONTINUE, calls]).strip())
        can = getattr(provider, "continues", False)
        prompts = [replace(told, prefill=text), asked] if can else [asked]
    for number, one in enumerate(prompts, 1):
        said = False
        try:
            async with aclosing(strip_echo(ask(one), text)) as events:
                async for event in events:
                    said = True
                    yield event
        except Rejected:
            # Some models of a provider take no prefill.
            if said or number == len(prompts):
                raise
        else:
            return


async def strip_echo(events: Events, text: str) -> AsyncGenerator[ProviderEvent | Message, None]:
    """The same events, without the text at their beginning if a model repeats all of it."""
    held = ""
    done = not text
    try:
        async for event in events:
            if not isinstance(event, TextDelta) or done:
                if held and not isinstance(event, TextDelta):
                    yield TextDelta(held)
                    held, done = "", True
                yield event
                continue
            held += event.text
            if len(held) < len(text) and text.startswith(held):
                continue
            rest = held.removeprefix(text)
            held, done = "", True
            if rest:
                yield TextDelta(rest)
        if held:
            yield TextDelta(held)
    finally:
        if close := getattr(events, "aclose", None):
            await close()


# --- Tools ----------------------------------------------------------------------------------------------


def keep_calls(tools: Iterable[Tool], journal: TurnJournal | None) -> list[Tool]:
    """The same tools; each call is written before it is made, and what it gave after it."""
    if journal is None:
        return list(tools)
    marks = journal.saved.marks if journal.saved else ()
    numbers = count(1 + max((one.message for one in marks if one.kind == CALL), default=0))
    return [replace(one, function=_kept(one, journal, numbers)) for one in tools]


def _kept(tool: Tool, journal: TurnJournal, numbers: Iterator[int]) -> Callable[..., Any]:
    async def call(**arguments: Any) -> Any:  # noqa: ANN401 - as the tool has it
        number = next(numbers)
        said = {name: one for name, one in arguments.items() if not isinstance(one, Post)}
        journal.mark(CALL, number, name=tool.spec.name, arguments=json.dumps(said, default=str))
        await journal.flush()
        try:
            result = await _make(tool, arguments)
        except Exception as error:
            journal.mark(CALL, number, gave=f"{type(error).__name__}: {error}"[:RESULT_CAP])
            raise
        journal.mark(CALL, number, gave=_words_of(result)[:RESULT_CAP])
        return result

    return call


async def _make(tool: Tool, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as the tool has it
    if tool.is_async:
        return await tool.function(**arguments)
    return await asyncio.to_thread(tool.function, **arguments)


def _words_of(result: object) -> str:
    """What a tool gave, as far as words can say it."""
    if isinstance(result, list | tuple):
        return "\n".join(map(_words_of, result))
    if isinstance(result, Text):
        return result.text
    return result if isinstance(result, str) else "Done." if result is None else str(result)


def tell_calls(journal: TurnJournal) -> str:
    """What a model is told of the calls that were made before its answer broke off; empty if none was."""
    calls: dict[int, dict[str, Any]] = {}
    for mark in journal.saved.marks if journal.saved else ():
        if mark.kind == CALL:
            calls.setdefault(mark.message, {}).update(mark.more)
    lines = [
        f"{one.get('name')}({one.get('arguments')}) "
        + (f"gave: {one['gave']}" if "gave" in one else "was interrupted, nobody knows whether it was done.")
        for one in calls.values()
    ]
    if not lines:
        return ""
    return "\n".join([CALLED, *lines]) + "]"

"""A model goes on where it was cut off: by a prefill where its provider takes one, else by asking."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TypeAlias

from streamcord import Message, ProviderEvent, Rejected, TextDelta
from streamcord.providers import Prompt, Provider, assistant, user

from ..conversation.build_prompt import CONTINUE

__all__ = ["continue_answer", "strip_echo"]

Events: TypeAlias = AsyncIterator[ProviderEvent | Message]
Ask: TypeAlias = Callable[[Prompt], Events]


async def continue_answer(
    ask: Ask, prompt: Prompt, provider: Provider, text: str, *, complete: bool
) -> AsyncGenerator[ProviderEvent | Message, None]:
    """What follows the text that a model had written; nothing if it had ended."""
    if complete:
        return
    if not text:
        prompts = [prompt]
    else:
        asked = prompt + assistant(text) + user(CONTINUE)
        can = getattr(provider, "continues", False)
        prompts = [replace(prompt, prefill=text), asked] if can else [asked]
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

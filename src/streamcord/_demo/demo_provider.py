"""Who answers in the demo: a scripted scene where one is asked for, the model, or a word about that."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace

from streamcord import Finish, FinishReason, ProviderError, ProviderEvent, TextDelta
from streamcord.providers import (
    Options,
    Prompt,
    PromptMessage,
    Provider,
    Text,
    ToolResult,
    UserMessage,
    system,
    user,
)

from .scripted_lines import NO_MODEL, Scene, find_scene

__all__ = ["DemoProvider"]

HISTORY = 700
"""Characters of a conversation that a small model reads, at most: while it reads, people wait."""
_PIECE = re.compile(r"\s*\S{1,12}|\s+")
_NAME = re.compile(r"You are (\w+)")


class DemoProvider:
    """A provider; `pace` is seconds per piece of a scripted answer.

    A model that is `small` is told of no tools, which would only confuse it, and of little else.
    """

    def __init__(
        self, model: Provider | None = None, *, small: bool = False, why: str = "", pace: float = 0.0
    ) -> None:
        self._model = model
        self._small = small
        self._first: PromptMessage | None = None
        self._why = why
        self._pace = pace

    async def warm_up(self, instructions: str) -> None:
        """Let a small model read its instructions before anybody waits for it; it remembers them."""
        if self._small and self._model is not None:
            with suppress(ProviderError):
                async for _ in self._model.stream(system(instructions) + user("Hi"), Options(max_tokens=1)):
                    pass

    async def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        """The answer to a prompt."""
        name = _find_name(prompt)
        scene = find_scene(_question(prompt), name)
        if scene is None and self._model is not None:
            asked = self._shortened(prompt) if self._small else prompt
            async with aclosing(self._model.stream(asked, options)) as events:  # type: ignore[type-var]
                async for event in events:
                    yield event
            return
        async for event in self._play(scene or NO_MODEL, prompt, name):
            yield event

    def _shortened(self, prompt: Prompt) -> Prompt:
        """Little to read, and mostly what it has read already.

        The server remembers how a prompt began, so the conversation begins at the same message for as long as
        it is short, and then with the last question anew.
        """
        said = prompt.messages
        if self._first in said:
            said = said[said.index(self._first) :]
        if self._first not in said or _length(said) > HISTORY:
            said = said[-3:]
            self._first = said[0] if said else None
        return replace(prompt, messages=said, tools=())

    async def _play(self, scene: Scene, prompt: Prompt, name: str) -> AsyncIterator[ProviderEvent]:
        result = _find_result(prompt)
        calls = bool(scene.call) and result is None and any(one.name == scene.call for one in prompt.tools)
        text = scene.then if scene.call and not calls else scene.text
        words = {"%name%": name, "%why%": self._why, "%result%": f"**{_outcome(result)}**"}
        for key, value in words.items():
            text = text.replace(key, value)
        for piece in _PIECE.findall(text):
            await asyncio.sleep(max(self._pace * 6, 0.01) if scene.slow else self._pace)
            yield TextDelta(piece)
        if calls:
            yield scene.tool_call()
        yield Finish(FinishReason.TOOL_CALLS if calls else FinishReason.STOP)


def _question(prompt: Prompt) -> str:
    """What people said last: the lines since the model spoke."""
    said = [one for one in prompt.messages if isinstance(one, UserMessage)]
    texts = [part.text for part in said[-1].parts if isinstance(part, Text)] if said else []
    # Several questions may stand together when nobody answered the first; the last one counts.
    return "\n".join(texts).rpartition("\n")[2]


def _length(messages: Sequence[PromptMessage]) -> int:
    return sum(len(part.text) for one in messages for part in one.parts if isinstance(part, Text))


def _find_name(prompt: Prompt) -> str:
    found = _NAME.search(prompt.system)
    return found[1] if found else "Luna"


def _find_result(prompt: Prompt) -> str | None:
    """What a tool said last, if it was asked since the question."""
    if not prompt.messages or not isinstance(last := prompt.messages[-1], ToolResult):
        return None
    return "".join(part.text for part in last.parts if isinstance(part, Text))


def _outcome(result: str | None) -> str:
    return (result or "nothing at all").rpartition("= ")[2]

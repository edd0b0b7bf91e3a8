"""Models whose words come when the test says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeAlias

from streamcord import Finish, FinishReason, ProviderEvent, TextDelta, ToolCall
from streamcord.providers import Options, Prompt, Text, UserMessage

Cue: TypeAlias = "str | float | ProviderEvent | Exception | asyncio.Event"
Round: TypeAlias = Sequence[Cue]


class Model:
    """A provider that plays one round per request; an event is waited for, a number is a pause in seconds.

    A function is asked for the round of each prompt.
    """

    def __init__(self, *rounds: Round | Callable[[Prompt], Round]) -> None:
        self._rounds = list(rounds)
        self.prompts: list[Prompt] = []
        self.options: list[Options | None] = []
        self.closed = 0
        self._news = asyncio.Event()

    async def called(self, times: int = 1) -> None:
        """Wait until it was asked so often."""
        async with asyncio.timeout(10):
            while len(self.prompts) < times:
                self._news.clear()
                await self._news.wait()

    async def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        number = len(self.prompts)
        self.prompts.append(prompt)
        self.options.append(options)
        self._news.set()
        chosen = self._rounds[min(number, len(self._rounds) - 1)]
        cues = chosen(prompt) if callable(chosen) else chosen
        try:
            for cue in cues:
                match cue:
                    case asyncio.Event():
                        await cue.wait()
                    case Exception():
                        raise cue
                    case str():
                        yield TextDelta(cue)
                    case int() | float():
                        await asyncio.sleep(cue)
                    case _:
                        yield cue
            if not any(isinstance(cue, Finish) for cue in cues):
                called = any(isinstance(cue, ToolCall) for cue in cues)
                yield Finish(FinishReason.TOOL_CALLS if called else FinishReason.STOP)
        finally:
            self.closed += 1


def asked(prompt: Prompt) -> str:
    """The last thing that people said in a prompt."""
    last = [message for message in prompt.messages if isinstance(message, UserMessage)][-1]
    return "\n".join(part.text for part in last.parts if isinstance(part, Text))

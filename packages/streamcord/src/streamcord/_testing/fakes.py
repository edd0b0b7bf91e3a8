"""A channel that keeps what it is sent, without real waits, and a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TypeAlias

from .. import Finish, FinishReason, Message, ProviderEvent, Receipt, TextDelta, ToolCall
from ..providers import Options, Prompt

__all__ = ["Cue", "FakeChannel", "ScriptedProvider"]


class FakeChannel:
    """A transport that keeps messages and typing calls, and notes waits without waiting."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.typing_calls = 0
        # Seconds that were asked for, in order; `now` is their sum.
        self.waits: list[float] = []
        self._unseen_wait = 0.0

    @property
    def texts(self) -> list[str]:
        """What people would read."""
        return [message.content for message in self.messages]

    @property
    def now(self) -> float:
        """The time on the channel's own clock: the sum of all waits."""
        return sum(self.waits)

    async def send(self, message: Message) -> Receipt:
        """Keep the message; ids count from 1."""
        self.messages.append(message)
        waited, self._unseen_wait = self._unseen_wait, 0.0
        number = len(self.messages)
        return Receipt(message, number, f"https://discord.com/channels/0/0/{number}", waited)

    async def typing(self) -> None:
        """Count the call."""
        self.typing_calls += 1

    async def sleep(self, seconds: float) -> None:
        """Note the wait and return at once."""
        self.waits.append(seconds)
        self._unseen_wait += seconds


Cue: TypeAlias = str | ProviderEvent | Exception


class ScriptedProvider:
    """A model that follows a script: every `async for` over it plays the next round.

    It is a provider too: `stream` plays the next round, whatever is asked.

    A text is a `TextDelta`, an exception is raised where it stands. Each round ends with a `Finish`
    unless it has one of its own, or `truncated` says that the connection breaks off.
    """

    def __init__(self, *rounds: Sequence[Cue], truncated: bool = False) -> None:
        self._script = [_with_finish(cues, truncated=truncated) for cues in rounds]
        self._played: list[_Round] = []
        self.prompts: list[Prompt] = []

    @property
    def opened(self) -> int:
        """How many rounds were begun."""
        return len(self._played)

    @property
    def closed(self) -> int:
        """How many rounds were closed or came to their end."""
        return sum(round_.closed for round_ in self._played)

    def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        """The next round, as an answer to this prompt, which is kept in `prompts`."""
        self.prompts.append(prompt)
        return aiter(self)

    def __aiter__(self) -> AsyncIterator[ProviderEvent]:
        if self.opened == len(self._script):
            raise AssertionError(f"the script has {self.opened} round(s) and was asked for one more")
        self._played.append(_Round(self._script[self.opened]))
        return self._played[-1]


class _Round:
    """An iterator with `aclose`, because a generator that was never started cannot notice its closing."""

    def __init__(self, cues: Sequence[Cue]) -> None:
        self.closed = False
        self._cues = iter(cues)

    def __aiter__(self) -> AsyncIterator[ProviderEvent]:
        return self

    async def __anext__(self) -> ProviderEvent:
        # A real stream lets others run between its events.
        await asyncio.sleep(0)
        cue = None if self.closed else next(self._cues, None)
        if isinstance(cue, str):
            return TextDelta(cue)
        if cue is not None and not isinstance(cue, Exception):
            return cue
        self.closed = True
        raise cue or StopAsyncIteration

    async def aclose(self) -> None:
        self.closed = True


def _with_finish(cues: Sequence[Cue], *, truncated: bool) -> list[Cue]:
    if truncated or any(isinstance(cue, Finish) for cue in cues):
        return [*cues]
    called = any(isinstance(cue, ToolCall) for cue in cues)
    return [*cues, Finish(FinishReason.TOOL_CALLS if called else FinishReason.STOP)]

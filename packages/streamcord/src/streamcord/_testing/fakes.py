"""Test doubles: a channel that records messages without waiting, and a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TypeAlias

from .. import Finish, FinishReason, Message, ProviderEvent, Receipt, TextDelta, ToolCall
from ..providers import Options, Prompt


class FakeChannel:
    """A transport that records messages, typing calls and waits; it does not really wait.

    Example:
        channel = FakeChannel()
        await say(channel, ScriptedProvider(["Hello ", "there."]))
        assert channel.texts == ["Hello there."]

    """

    # Like a channel of Discord.
    takes_files = True

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.typing_calls = 0
        # Requested waits in seconds, in order; `now` is their sum.
        self.waits: list[float] = []
        # Seconds waited since the last message, for its receipt.
        self._unseen_wait = 0.0

    @property
    def texts(self) -> list[str]:
        """The text of all messages."""
        return [message.content for message in self.messages]

    @property
    def now(self) -> float:
        """The simulated time in seconds: the sum of all waits."""
        return sum(self.waits)

    async def send(self, message: Message) -> Receipt:
        """Record the message; ids count from 1."""
        self.messages.append(message)
        waited, self._unseen_wait = self._unseen_wait, 0.0
        number = len(self.messages)
        return Receipt(message, number, f"https://discord.com/channels/0/0/{number}", waited)

    async def typing(self) -> None:
        """Count the call."""
        self.typing_calls += 1

    async def sleep(self, seconds: float) -> None:
        """Record the wait and return at once."""
        self.waits.append(seconds)
        self._unseen_wait += seconds


Cue: TypeAlias = str | ProviderEvent | Exception


class ScriptedProvider:
    """A source and provider that follows a script: each `async for` or `stream` call plays the next round.

    Args:
        rounds: The rounds, each a sequence of texts, events and exceptions. An exception is raised in its place. A
            `Finish` is added to rounds that have none.
        truncated: Whether no `Finish` is added, as if the connection broke.

    Example:
        model = ScriptedProvider(["Let me see.", ToolCall("1", "roll")], ["A six!"])

    """

    def __init__(self, *rounds: Sequence[Cue], truncated: bool = False) -> None:
        self._script = [_with_finish(cues, truncated=truncated) for cues in rounds]
        self._played: list[_Round] = []
        self.prompts: list[Prompt] = []

    @property
    def opened(self) -> int:
        """How many rounds were started."""
        return len(self._played)

    @property
    def closed(self) -> int:
        """How many rounds were closed or came to their end."""
        return sum(round_.closed for round_ in self._played)

    def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        """Play the next round; the prompt is recorded in `prompts`."""
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

"""One request of `with_fallbacks` to one candidate: a provider, or a key, with a model.

Reasoning is buffered until the first text, because the reasoning of a failed attempt must not be shown. An attempt that
continues an answer which was cut off shows nothing before it is sure that it continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .._events import (
    Citation,
    Finish,
    Flush,
    GeneratedImage,
    KeepAlive,
    ProviderEvent,
    Seam,
    StreamPosition,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .._exceptions import ProviderError, Truncated
from .closing import closing
from .continuation import PICTURES_SENT, PartialAnswer, continue_prompt, new_filter, read_continuation
from .echo_filter import EchoFilter
from .prompt import Options, Prompt, Provider, prefill_as_instruction
from .rejected_parameters import PARAMETER_NAMES, PREFILL, UNSET
from .stop_sequences import stop_at
from .whole_words import WholeWords

MAX_BUFFERED_BYTES = 1024 * 1024
"""Reasoning and sources beyond this are yielded even if no text has come."""


@dataclass(slots=True, eq=False)
class Candidate:
    """A provider (a key) with a model, and what is known about it."""

    provider: Provider
    model: str
    name: str
    """How it is called in logs and explanations."""
    used: int = 0
    """The number of the request that used it last."""
    free_at: float = 0.0
    """The time of the event loop's clock until which it must not be asked."""
    rejected: dict[str, float] = field(default_factory=dict)
    """Names of parameters that it does not accept, and until when they are left out."""

    def options(self, options: Options, also: Set[str] = frozenset()) -> Options:
        """Return the options with this candidate's model and without rejected parameters."""
        rejected = self._rejected_now() | also
        extra = {key: value for key, value in options.extra.items() if key not in rejected}
        unset: dict[str, Any] = {name: UNSET.get(name) for name, _ in PARAMETER_NAMES if name in rejected}
        return replace(options, model=self.model or options.model, extra=extra, **unset)

    def prompt(self, prompt: Prompt, also: Set[str] = frozenset()) -> Prompt:
        """Return the prompt, with an instruction in place of a prefill that this candidate rejects."""
        refused = prompt.prefill and PREFILL in self._rejected_now() | also
        return prefill_as_instruction(prompt) if refused else prompt

    def continues(self, also: Set[str] = frozenset()) -> bool:
        """Return whether its model continues a prefill exactly where it ends."""
        return getattr(self.provider, "continues", False) and PREFILL not in self._rejected_now() | also

    def owns(self, position: StreamPosition) -> bool:
        """Return whether its provider may take up a stream at this position."""
        owns: Callable[[StreamPosition], bool] | None = getattr(self.provider, "owns", None)
        return owns is not None and owns(position)

    async def cancel(self, position: StreamPosition) -> bool:
        """End the answer at a position; return whether its provider has."""
        cancel: Callable[[StreamPosition], Awaitable[bool]] | None = getattr(self.provider, "cancel", None)
        return cancel is not None and await cancel(position)

    def _rejected_now(self) -> set[str]:
        return {name for name, until in self.rejected.items() if until > asyncio.get_running_loop().time()}


@dataclass(frozen=True, slots=True)
class Break:
    """How an answer was cut off before this attempt, and what the attempt does about it."""

    answer: PartialAnswer
    error: ProviderError
    restarts: bool = False
    """Whether the answer is begun once more, instead of continued."""
    refusals: int = 0
    """How many attempts to continue it were refused, because they seemed to be other answers."""


class Attempt:
    """One request to one candidate.

    Args:
        candidate: Who is asked.
        prompt: The prompt of the answer.
        options: The options of the answer.
        left_out: Names of parameters that are not sent.
        before: How the answer was cut off, if this attempt continues with it.
        idle: Seconds of silence in the middle of the answer after which it has failed, 0 for no limit; None if
            no one can continue with it.

    """

    def __init__(
        self,
        candidate: Candidate,
        prompt: Prompt,
        options: Options,
        left_out: Set[str],
        before: Break | None = None,
        idle: float | None = None,
    ) -> None:
        self.error: ProviderError | None = None
        """Why the attempt failed."""
        self.was_started = False
        """Whether the server began to answer or let us wait until the timeout."""
        self.provider_failed = False
        """Whether the provider itself raised the error, and not a judgement about what it sent."""
        self.is_visible = False
        """Whether anything of it was shown."""
        self.options = candidate.options(options, left_out)
        self._stop = options.stop
        self._candidate = candidate
        self._before = before
        self._idle = idle
        self._asked = prompt
        self._is_finished = False
        # Holds back the last word of an answer that another attempt may continue.
        self._words = WholeWords()
        # Whether the model continues a prefill, instead of being asked to continue.
        self.is_exact = False
        if before is None or before.restarts:
            self.prompt = candidate.prompt(prompt, left_out)
        else:
            self.is_exact = candidate.continues(left_out)
            answer = before.answer
            notes = [PICTURES_SENT] if answer.has_images else []
            self.prompt = continue_prompt(prompt, answer.text, exact=self.is_exact, notes=notes)
        self._echo = self._new_echo()

    @property
    def cut_word(self) -> str:
        """The last word that was received and not shown, because the answer broke off before it was complete."""
        return self._words.held

    @property
    def was_refused(self) -> bool:
        """Whether it seemed to be another answer, and no continuation."""
        return self._echo is not None and self._echo.is_another_answer

    async def run(self) -> AsyncGenerator[ProviderEvent, None]:
        """Yield the answer, or the rest of it; `error` says why it ended early."""
        buffered: list[ProviderEvent] = []
        length = 0
        echo = self._echo
        try:
            async with closing(self._events(echo)) as events:
                while (event := await self._next(events)) is not None:
                    self.was_started = True
                    if not self.is_visible:
                        length += _size(event)
                        self.is_visible = is_visible(event) or length > MAX_BUFFERED_BYTES
                        if not self.is_visible:
                            yield _buffer(event, buffered)
                            if size := _size(event):
                                yield KeepAlive(buffered=size)
                            continue
                        for earlier in (*self._seam(echo), *buffered):
                            yield earlier
                    yield event
        except ProviderError as error:
            self.error = error
            self.was_started = self.was_started or isinstance(error.__cause__, TimeoutError)
            # A failed attempt is paid, too.
            for usage in (one for one in buffered if isinstance(one, Usage) and not self.is_visible):
                yield usage
            return
        if not self.is_visible:
            for earlier in (*self._seam(echo), *buffered):
                yield earlier

    async def _next(self, events: AsyncIterator[ProviderEvent]) -> ProviderEvent | None:
        """Return the next event, or None at the end of a complete answer."""
        # Only in mid-answer: before, a model may think as long as its provider lets it.
        limit = asyncio.timeout((self._idle or None) if self.is_visible else None)
        try:
            async with limit:
                event = await anext(events, None)
        except TimeoutError as error:
            if limit.expired():
                raise _silent(self._candidate.name) from error
            raise
        self._is_finished = self._is_finished or isinstance(event, Finish)
        said = self.is_visible or bool(self._words.held)
        if event is None and said and self._idle is not None and not self._is_finished:
            raise Truncated(
                "The answer ended without its terminal event.",
                user_message="The answer was cut off. Try again.",
            )
        return event

    def _events(self, echo: EchoFilter | None) -> AsyncIterator[ProviderEvent]:
        answer = self._watched(self._candidate.provider.stream(self.prompt, self.options))
        # If the server rejects stop sequences, they still end the answer here.
        if own_stops := self._stop if not self.options.stop else ():
            answer = stop_at(answer, own_stops)
        if self._idle is not None:
            answer = self._words.read(answer)
        if echo is None or self._before is None:
            return answer
        return read_continuation(
            answer, self._asked, self._before.answer.text, exact=self.is_exact, echo=echo
        )

    async def _watched(self, answer: AsyncIterator[ProviderEvent]) -> AsyncGenerator[ProviderEvent, None]:
        try:
            async with closing(answer) as events:
                async for event in events:
                    yield event
        except ProviderError:
            self.provider_failed = True
            raise

    def _new_echo(self) -> EchoFilter | None:
        before = self._before
        if before is None or before.restarts:
            return None
        return new_filter(self._asked, before.answer.text, exact=self.is_exact, lenient=before.refusals > 0)

    def _seam(self, echo: EchoFilter | None) -> tuple[ProviderEvent, ...]:
        """Return the events between the text before and this one."""
        if self._before is None:
            return ()
        how: Literal["continued", "restarted"] = "restarted" if self._before.restarts else "continued"
        removed = len(echo.removed) if echo else 0
        seam = Seam(how, type(self._before.error).__name__, self._candidate.name, removed)
        # An answer that is begun once more is a message of its own.
        return (Flush(), seam) if self._before.restarts else (seam,)


def _silent(name: str) -> Truncated:
    return Truncated(
        f"{name} fell silent in the middle of its answer.", user_message="The answer was cut off. Try again."
    )


def _buffer(event: ProviderEvent, buffered: list[ProviderEvent]) -> ProviderEvent:
    """Keep the event for later and return an empty one: buffered reasoning counts as progress."""
    if isinstance(event, KeepAlive):
        return event
    if isinstance(event, StreamPosition) and buffered and isinstance(buffered[-1], StreamPosition):
        # Only the last one counts.
        buffered.pop()
    buffered.append(event)
    return ThoughtDelta("") if isinstance(event, ThoughtDelta) else KeepAlive()


def _size(event: ProviderEvent) -> int:
    """Return the bytes of a buffered event, for a meter and for the limit of what is buffered."""
    match event:
        case TextDelta(text) | ThoughtDelta(text):
            return len(text.encode("utf-8", "replace"))
        case Citation():
            return len(event.url) + len(event.title) + len(event.quote)
        case _:
            return 0


def is_visible(event: ProviderEvent) -> bool:
    return isinstance(event, ToolCall | GeneratedImage) or (
        isinstance(event, TextDelta) and bool(event.text.strip())
    )

"""Wrap a provider so that every request of one answer is reserved before and charged after."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any

from streamcord import (
    Finish,
    GeneratedImage,
    KeepAlive,
    ProviderError,
    ProviderEvent,
    RateLimited,
    RequestRejected,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from streamcord.providers import Options, Prompt, Provider
from streamcord.records import StreamPosition
from streamcord.store import Spending

from ..config import PriceConfig
from .budget import Budget, OverBudget, Reservation
from .circuit_breaker import CircuitBreaker
from .limits import BudgetRefusal, Payer
from .pricing import BYTES_PER_TOKEN, IMAGE_TOKENS, estimate, price_of

RunLater = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
"""Start a coroutine as a task that outlives the answer."""
TOKEN_CAP = 100_000_000
"""Larger token counts of a provider are not believed."""
CONTINUATION_TOKENS = 120
"""Tokens of the instruction with which a model is asked to continue an answer, besides the text so far."""
OnRequest = Callable[[str, Usage, int], None]
"""Called after each request with the model, its tokens and their price in millionths."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _ResponseStats:
    """What one response contained, to charge for it."""

    # The reservation succeeded, so the provider was asked.
    requested: bool = False
    # The provider raised an error.
    has_error: bool = False
    # The usage that the provider reported, if it did.
    usage: Usage | None = None
    # Bytes of text, thoughts and tool calls that arrived; a picture counts as its tokens.
    size: int = 0
    # The provider ended the response itself, so that its usage is final.
    finished: bool = False
    # Bytes that a fallback holds back; if it yields them later, they count in `size`.
    buffered: int = 0
    # Bytes of text that were shown by all attempts, and by those before the one that runs, which continues them.
    shown: int = 0
    shown_before: int = 0
    # What the failed attempts that read the prompt used, as far as the provider has told, their bytes, and the tokens
    # by which their prompts were longer.
    failed: list[tuple[Usage, int, int]] = field(default_factory=list)
    # All failed attempts before the one that runs.
    failed_attempts: int = 0
    # The usage of the failed attempts, which the provider's reports include.
    usage_before: Usage = field(default_factory=Usage)

    def add(self, event: ProviderEvent) -> None:
        # An event that is shown comes after everything that was held back.
        if not isinstance(event, KeepAlive | Usage) and event != ThoughtDelta(""):
            self.buffered = 0
        match event:
            case KeepAlive(failed_attempt=True):
                self.failed_attempts += 1
                if event.was_started:
                    sent = self.size + self.buffered
                    self.failed.append((self._reported(), sent, self._continued_tokens))
                self.shown_before = self.shown
                self.usage_before = self.usage or self.usage_before
                self.usage = None
                self.buffered = self.size = 0
            case KeepAlive(buffered=size):
                self.buffered += size
            case Usage():
                self.usage = event
            case TextDelta(text) | ThoughtDelta(text):
                size = len(text.encode("utf-8", "replace"))
                self.size += size
                self.shown += size if isinstance(event, TextDelta) else 0
            case ToolCall():
                self.size += len(str(event.arguments))
            case GeneratedImage():
                self.size += IMAGE_TOKENS * BYTES_PER_TOKEN
            case Finish():
                self.finished = True
            case _:
                pass

    @property
    def requests(self) -> int:
        """How many requests were made; the last one is among the failed attempts if nothing followed them."""
        ended = self.has_error and self.failed_attempts and not (self.size or self.usage or self.buffered)
        return self.failed_attempts + (0 if ended else 1)

    def used(self, expected: Usage) -> Usage:
        """Return the tokens to charge for all attempts."""
        used = self._used_by_answer(expected)
        for reported, size, continued in self.failed:
            asked = reported.input_tokens or expected.input_tokens + continued
            used = replace(
                used,
                input_tokens=used.input_tokens + asked,
                output_tokens=used.output_tokens + max(reported.output_tokens, ceil(size / BYTES_PER_TOKEN)),
                cached_tokens=used.cached_tokens + reported.cached_tokens,
            )
        return used

    @property
    def _continued_tokens(self) -> int:
        """The tokens by which the prompt of a continuation is longer than the first one."""
        return CONTINUATION_TOKENS + ceil(self.shown_before / BYTES_PER_TOKEN) if self.shown_before else 0

    def _reported(self) -> Usage:
        """Return what the provider reported for the attempt that runs."""
        now, before = self.usage or self.usage_before, self.usage_before
        return _clamp(
            Usage(
                now.input_tokens - before.input_tokens,
                now.output_tokens - before.output_tokens,
                now.reasoning_tokens - before.reasoning_tokens,
                now.cached_tokens - before.cached_tokens,
            )
        )

    def _used_by_answer(self, expected: Usage) -> Usage:
        """Return the tokens of the last attempt: as reported, or estimated from the prompt and the received text."""
        reported = self._reported()
        if self.finished and reported.input_tokens and (reported.output_tokens or not self.size):
            return reported
        size = self.size + self.buffered
        output = max(reported.output_tokens, ceil(size / BYTES_PER_TOKEN))
        # A provider that failed before its first word has not read the prompt.
        if self.has_error and not (size or self.usage):
            return Usage()
        asked = reported.input_tokens or expected.input_tokens + self._continued_tokens
        return Usage(asked, output, cached_tokens=reported.cached_tokens)


def _clamp(reported: Usage) -> Usage:
    """Limit reported counts to a sane range; a negative count must not refund anything."""
    counts = (
        reported.input_tokens,
        reported.output_tokens,
        reported.reasoning_tokens,
        reported.cached_tokens,
    )
    return Usage(*(min(max(0, count), TOKEN_CAP) for count in counts))


@dataclass(slots=True, eq=False)
class MeteredProvider:
    """Streams from `provider` on the budget of `payer`; `spent` is the cost of this answer so far.

    Args:
        provider: the provider to ask.
        budget: reserves and charges.
        payer: whose budget pays.
        model: the name of the model in the configuration.
        prices: of the model and of its fallbacks.
        run_later: runs the charging as a task of its own, so that it is not lost when the answer is cancelled.
        on_request: called after each request.
        spent: requests, tokens and money of this answer so far.

    """

    provider: Provider
    budget: Budget
    payer: Payer
    model: str
    prices: tuple[PriceConfig, ...]
    run_later: RunLater
    on_request: OnRequest
    spent: Spending = field(default_factory=Spending)
    # The last place in a stream that the provider keeps, while it has not ended.
    _position: StreamPosition | None = None

    async def stream(
        self, prompt: Prompt, options: Options | None = None, /
    ) -> AsyncGenerator[ProviderEvent, None]:
        """Stream the answer to a prompt.

        Raises:
            OverBudget: a budget is used up or the model is paused.
            ProviderError: the provider failed, or this answer has made too many requests.

        """
        if self.spent.requests >= self.budget.config.answer_requests:
            raise ProviderError(f"The model was asked {self.spent.requests} times for one answer.")
        breaker = self.budget.breaker(self.model)
        if until := breaker.acquire(self.budget.now):
            raise OverBudget(BudgetRefusal("model", until))
        expected = estimate(prompt, options, self.budget.config)
        reserving = asyncio.ensure_future(self.budget.reserve(self.payer, self._cost(expected)))
        stats = _ResponseStats()
        try:
            # Shielded: a cancelled reservation could be in the store without being known here.
            await asyncio.shield(reserving)
            stats.requested = True
            async with aclosing(self._events(prompt, options)) as events:
                async for event in events:
                    stats.add(event)
                    if isinstance(event, StreamPosition | Finish):
                        self._position = event if isinstance(event, StreamPosition) else None
                    yield event
            breaker.record_success()
        except ProviderError as error:
            stats.has_error = True
            self._record_failure(breaker, error)
            raise
        finally:
            # A task of its own and shielded, so that cancelling the answer neither skips nor interrupts it.
            await asyncio.shield(self.run_later(self._charge(reserving, stats, expected)))

    @property
    def is_generating(self) -> bool:
        """Whether the provider continues an answer that is not read any more."""
        return self._position is not None

    async def cancel(self) -> None:
        """End an answer that its provider would generate to its end although it was stopped."""
        cancel = getattr(self.provider, "cancel", None)
        if cancel is not None and self._position is not None:
            await cancel(self._position)

    async def _events(self, prompt: Prompt, options: Options | None) -> AsyncGenerator[ProviderEvent, None]:
        source = self.provider.stream(prompt, options)
        try:
            async for event in source:
                yield event
        finally:
            if close := getattr(source, "aclose", None):
                await close()

    def _record_failure(self, breaker: CircuitBreaker, error: ProviderError) -> None:
        # Rate limits and rejected requests say nothing about the health of the model.
        if isinstance(error, RequestRejected):
            breaker.record_rejection()
        if not error.retryable or isinstance(error, RateLimited):
            return
        if breaker.record_failure(self.budget.now):
            _log.warning(
                "model %r failed %d times in a row: pausing it for %g s",
                self.model,
                breaker.errors,
                breaker.pause,
            )

    async def _charge(
        self, reserving: asyncio.Future[Reservation], stats: _ResponseStats, expected: Usage
    ) -> None:
        try:
            reservation = await reserving
        except OverBudget:
            return
        # Cancelled between reservation and request: the reservation is released at no cost.
        used = stats.used(expected)
        cost = self._cost(used, stats.requests) if stats.requested else Spending()
        if stats.requested:
            self.spent += cost
            self.on_request(self.model, used, cost.money)
        await self.budget.charge(reservation, cost)

    def _cost(self, usage: Usage, requests: int = 1) -> Spending:
        return Spending(requests, usage.input_tokens + usage.output_tokens, price_of(usage, self.prices))

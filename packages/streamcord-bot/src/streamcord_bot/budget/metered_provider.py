"""A provider for one answer: reserves before every request, and settles by what came back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from streamcord import (
    Finish,
    ProviderError,
    ProviderEvent,
    RateLimited,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from streamcord.providers import Options, Prompt, Provider
from streamcord.store import Spending

from ..config.budget import PriceConfig
from .budget import Budget, OverBudget, Reservation
from .circuit_breaker import Breaker
from .limits import BYTES_PER_TOKEN, BudgetRefusal, Payer, estimate, price_of

__all__ = ["MeteredProvider", "RunLater"]

RunLater = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
TOKEN_CAP = 100_000_000
"""More than any request takes."""
NoteRequest = Callable[[str, Usage, int], None]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Heard:
    """What came back of one request."""

    asked: bool = False
    failed: bool = False
    usage: Usage | None = None
    size: int = 0
    finished: bool = False

    def note(self, event: ProviderEvent) -> None:
        match event:
            case Usage():
                self.usage = event
            case TextDelta(text) | ThoughtDelta(text):
                self.size += len(text.encode("utf-8", "replace"))
            case ToolCall():
                self.size += len(str(event.arguments))
            case Finish():
                self.finished = True
            case _:
                pass

    def used(self, expected: Usage) -> Usage:
        """The tokens that were used; what a provider has not told is estimated by what was asked and heard.

        Only a provider that failed before its first word has not read the prompt.
        """
        told = _believable(self.usage or Usage())
        if self.finished and told.input_tokens and (told.output_tokens or not self.size):
            return told
        spoken = max(told.output_tokens, ceil(self.size / BYTES_PER_TOKEN))
        if self.failed and not (self.size or self.usage):
            return Usage()
        return Usage(told.input_tokens or expected.input_tokens, spoken, cached_tokens=told.cached_tokens)


def _believable(told: Usage) -> Usage:
    """What a provider says it took, as numbers that can be added up: none gives anything back."""
    counts = (told.input_tokens, told.output_tokens, told.reasoning_tokens, told.cached_tokens)
    return Usage(*(min(max(0, count), TOKEN_CAP) for count in counts))


@dataclass(slots=True, eq=False)
class MeteredProvider:
    """Asks `provider` on the budget of `payer`; `spent` is what this answer has taken so far.

    prices: of the model and of those that are asked when it fails.
    run_later: runs the settling, which must not be lost when the answer is cut off.
    note: hears of every request: the model, its tokens, and what they cost.
    """

    provider: Provider
    budget: Budget
    payer: Payer
    model: str
    prices: tuple[PriceConfig, ...]
    run_later: RunLater
    note: NoteRequest
    spent: Spending = field(default_factory=Spending)

    async def stream(
        self, prompt: Prompt, options: Options | None = None, /
    ) -> AsyncGenerator[ProviderEvent, None]:
        """The answer to a prompt; raises `OverBudget` if it may not be asked for."""
        if self.spent.requests >= self.budget.config.answer_requests:
            raise ProviderError(f"The model was asked {self.spent.requests} times for one answer.")
        breaker = self.budget.breaker(self.model)
        if until := breaker.ask(self.budget.now):
            raise OverBudget(BudgetRefusal("model", until))
        expected = estimate(prompt, options, self.budget.config)
        reserving = asyncio.ensure_future(self.budget.reserve(self.payer, self._cost(expected)))
        heard = _Heard()
        try:
            await asyncio.shield(reserving)
            heard.asked = True
            async with aclosing(self._listen(prompt, options)) as events:
                async for event in events:
                    heard.note(event)
                    yield event
            breaker.note_success()
        except ProviderError as error:
            heard.failed = True
            self._note_failure(breaker, error)
            raise
        finally:
            # Neither lost nor left half done if this answer is cut off meanwhile.
            await asyncio.shield(self.run_later(self._settle(reserving, heard, expected)))

    async def _listen(self, prompt: Prompt, options: Options | None) -> AsyncGenerator[ProviderEvent, None]:
        source = self.provider.stream(prompt, options)
        try:
            async for event in source:
                yield event
        finally:
            if close := getattr(source, "aclose", None):
                await close()

    def _note_failure(self, breaker: Breaker, error: ProviderError) -> None:
        # Who asks too much, or what a provider does not like, says nothing about the model.
        if not error.retryable or isinstance(error, RateLimited):
            return
        if breaker.note_failure(self.budget.now):
            _log.warning("the model %r failed several times in a row and is left alone a while", self.model)

    async def _settle(self, reserving: asyncio.Future[Reservation], heard: _Heard, expected: Usage) -> None:
        try:
            reservation = await reserving
        except OverBudget:
            return
        used = heard.used(expected)
        cost = self._cost(used) if heard.asked else Spending()
        if heard.asked:
            self.spent += cost
            self.note(self.model, used, cost.money)
        await self.budget.settle(reservation, cost)

    def _cost(self, usage: Usage) -> Spending:
        return Spending(1, usage.input_tokens + usage.output_tokens, price_of(usage, self.prices))

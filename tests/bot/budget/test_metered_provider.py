"""A metered answer is reserved before and charged after each request, however it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from bot.models import Model, Round
from streamcord import (
    ContentBlocked,
    Finish,
    GeneratedImage,
    KeepAlive,
    Overloaded,
    ProviderError,
    ProviderEvent,
    RateLimited,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Truncated,
    Usage,
)
from streamcord._store.sql_store import SqlStore
from streamcord.providers import File, Options, Provider, RetryPolicy, user, with_fallbacks
from streamcord.store import Account, Spending, open_store
from streamcord_bot.budget.budget import Budget, OverBudget
from streamcord_bot.budget.limits import BudgetRefusal, Payer
from streamcord_bot.budget.metered_provider import CONTINUATION_TOKENS, MeteredProvider
from streamcord_bot.budget.pricing import IMAGE_TOKENS, MAX_PAGES, MIN_PAGE_BYTES, PAGE_TOKENS, input_tokens
from streamcord_bot.config import BudgetConfig, PriceConfig

ALICE = Payer(1, 7)
PROMPT = user("hello")
PROMPT_TOKENS = input_tokens(PROMPT)
NOON = 20_000 * 86_400.0 + 43_200
PRICE = PriceConfig(input=1, output=2)


@pytest.fixture
async def store() -> AsyncIterator[SqlStore]:
    async with await open_store(":memory:") as opened:
        yield opened


class Desk:
    """A budget, and a provider on it."""

    def __init__(self, store: SqlStore, provider: Provider, **limits: Any) -> None:
        self.now = NOON
        self.budget = Budget(BudgetConfig(**{"answer_tokens": 100, **limits}), store, lambda: self.now)
        self.requests: list[tuple[str, Usage, int]] = []
        self.provider = provider
        self.metered = self.make()

    def make(self) -> MeteredProvider:
        return MeteredProvider(
            self.provider,
            self.budget,
            ALICE,
            "small",
            (PRICE,),
            asyncio.create_task,
            lambda *what: self.requests.append(what),
        )

    async def ask(self, options: Options | None = None) -> list[ProviderEvent]:
        return [event async for event in self.metered.stream(PROMPT, options)]

    async def spent(self) -> Spending:
        return (await self.budget.totals(ALICE))[Account("person", 1)]


def desk(store: SqlStore, *rounds: Round, **limits: Any) -> Desk:
    return Desk(store, Model(*rounds), **limits)


async def test_estimate_counts_while_running_then_actual_cost(store: SqlStore) -> None:
    gate = asyncio.Event()
    model = Model(["Hi.", gate, Usage(20, 5)])
    one = Desk(store, model)
    task = asyncio.create_task(one.ask(Options(max_tokens=40)))
    await model.called()
    assert await one.spent() == Spending(1, PROMPT_TOKENS + 40, PROMPT_TOKENS + 80)
    gate.set()
    await task

    assert await one.spent() == one.metered.spent == Spending(1, 25, 30)
    assert one.requests == [("small", Usage(20, 5), 30)]


async def test_request_over_budget_is_not_made(store: SqlStore) -> None:
    one = desk(store, ["Hi.", Usage(20, 5)], person_tokens=PROMPT_TOKENS + 100 + 24)
    await one.ask()
    with pytest.raises(OverBudget) as raised:
        await one.ask()

    assert raised.value.refusal == BudgetRefusal("person", 20_001 * 86_400.0)
    assert len(one.provider.prompts) == 1  # type: ignore[attr-defined]
    assert await one.spent() == Spending(1, 25, 30)


@pytest.mark.parametrize(
    ("cues", "tokens"),
    [
        (["123456789"], PROMPT_TOKENS + 3),
        ([ThoughtDelta("123456"), "123", KeepAlive()], PROMPT_TOKENS + 3),
        ([Usage(50, 1), "123456789", TimeoutError()], 50 + 3),
        ([Usage(50, 9), TimeoutError()], 50 + 9),
        ([TimeoutError()], PROMPT_TOKENS),
        ([ProviderError("no")], 0),
        (["123", ProviderError("no")], PROMPT_TOKENS + 1),
        ([ToolCall("1", "x", {"a": "b"})], PROMPT_TOKENS + 4),
    ],
)
async def test_missing_usage_is_estimated_from_received_text(
    store: SqlStore, cues: Round, tokens: int
) -> None:
    one = desk(store, cues)
    await asyncio.gather(one.ask(), return_exceptions=True)

    assert (await one.spent()).requests == 1
    assert (await one.spent()).tokens == tokens


@pytest.mark.parametrize(
    ("told", "tokens"),
    [
        (Usage(-(10**12), -5), PROMPT_TOKENS + 3),
        (Usage(0, 0), PROMPT_TOKENS + 3),
        (Usage(50, 0), 50 + 3),
        (Usage(0, 7), PROMPT_TOKENS + 7),
        (Usage(10**40, 10**40, 0, -(10**40)), 200_000_000),
    ],
)
async def test_absurd_usage_is_clamped(store: SqlStore, told: Usage, tokens: int) -> None:
    one = desk(store, ["123456789", told])
    await one.ask()

    assert (await one.spent()).tokens == tokens
    assert (await one.spent()).money > 0


async def test_cancelled_answer_is_charged_and_its_source_closed(store: SqlStore) -> None:
    model = Model(["123", asyncio.Event()])
    one = Desk(store, model)
    stream = one.metered.stream(PROMPT)
    assert await anext(stream) == TextDelta("123")
    await stream.aclose()

    assert model.closed == 1
    assert await one.spent() == Spending(1, PROMPT_TOKENS + 1, PROMPT_TOKENS + 2)


async def test_cancelled_before_the_request_costs_nothing(store: SqlStore) -> None:
    model = Model(["Hi."])
    one = Desk(store, model)
    async with one.budget._lock:
        task = asyncio.create_task(one.ask())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
    await asyncio.gather(task, return_exceptions=True)
    await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})

    assert model.prompts == []
    assert await one.spent() == Spending()
    assert one.requests == []


async def test_answer_requests_limit_stops_further_requests(store: SqlStore) -> None:
    one = desk(store, ["Hi."], answer_requests=2)
    await one.ask()
    await one.ask()
    with pytest.raises(ProviderError, match="asked 2 times"):
        await one.ask()
    one.metered = one.make()

    await one.ask()
    assert (await one.spent()).requests == 3


async def test_failing_model_is_paused_and_retried(store: SqlStore, caplog: pytest.LogCaptureFixture) -> None:
    down = [Overloaded("down")]
    one = desk(store, down, down, ["Hi."], errors=2, error_pause=60)
    for _ in range(2):
        with pytest.raises(Overloaded):
            await one.ask()
    with pytest.raises(OverBudget) as raised:
        await one.ask()
    assert raised.value.refusal == BudgetRefusal("model", NOON + 60)
    assert (await one.spent()).requests == 2
    one.now += 60

    assert TextDelta("Hi.") in await one.ask()
    assert await one.ask()
    assert sum("pausing it" in record.message for record in caplog.records) == 1


@pytest.mark.parametrize("error", [RateLimited("slow down"), ContentBlocked("no"), ProviderError("bad")])
async def test_user_caused_errors_do_not_pause_a_model(store: SqlStore, error: ProviderError) -> None:
    one = desk(store, [error], errors=1)
    for _ in range(3):
        with pytest.raises(type(error)):
            await one.ask()

    assert one.budget.paused_models == []


class Bare:
    """A provider whose stream cannot be closed."""

    def stream(self, *_: object) -> AsyncIterator[ProviderEvent]:
        events: Iterator[ProviderEvent] = iter([TextDelta("Hi."), Usage(3, 1), Finish()])

        class Stream:
            def __aiter__(self) -> Stream:
                return self

            async def __anext__(self) -> ProviderEvent:
                try:
                    return next(events)
                except StopIteration:
                    raise StopAsyncIteration from None

        return Stream()


async def test_stream_without_aclose_is_accepted(store: SqlStore) -> None:
    one = Desk(store, Bare())
    await one.ask()

    assert await one.spent() == Spending(1, 4, 5)


def failing(count: int) -> list[Round]:
    """Return attempts that think and then fail, and one that answers."""
    broken: Round = [ThoughtDelta("123456"), ThoughtDelta("123"), Overloaded("down")]
    answer: Round = ["Hi.", Usage(20, 5)]
    return [*[broken] * count, answer]


async def test_every_failed_attempt_is_charged_with_its_thoughts(store: SqlStore) -> None:
    quick = RetryPolicy(pause=0.001)
    one = Desk(store, with_fallbacks(Model(*failing(2)), retry=quick))
    await one.ask()
    assert await one.spent() == Spending(3, 2 * (PROMPT_TOKENS + 3) + 25, 2 * (PROMPT_TOKENS + 6) + 30)

    two = Desk(store, with_fallbacks(Model(*failing(9)), retry=quick))
    with pytest.raises(Overloaded):
        await two.ask()

    assert two.metered.spent == Spending(3, 3 * (PROMPT_TOKENS + 3), 3 * (PROMPT_TOKENS + 6))
    # An answer may make only so many requests, and retries are requests.
    assert two.metered.spent.requests == len(two.provider._candidates[0].provider.prompts)  # type: ignore[attr-defined]


async def test_every_attempt_of_a_broken_answer_is_charged_once(store: SqlStore) -> None:
    rounds: list[Round] = [
        ["12345 ", Truncated("cut")],
        ["12345 78 ", Truncated("cut")],
        ["12345 78 9", Usage(20, 5)],
    ]
    one = Desk(
        store, with_fallbacks(Model(*rounds), retry=RetryPolicy(pause=0.001), after_failure="continue")
    )
    await one.ask()
    # The second prompt is longer by the six bytes that were shown, and by the instruction to continue them.
    continued = CONTINUATION_TOKENS + 2
    assert await one.spent() == Spending(
        3, 2 * PROMPT_TOKENS + continued + 2 + 3 + 25, 2 * (PROMPT_TOKENS + 2 * 3) + continued - 2 + 30
    )

    # What the provider has reported of a failed attempt counts more than the estimate.
    told: list[Round] = [[Usage(40, 1), "12345.", Truncated("cut")], ["12345.", Usage(20, 5)]]
    two = Desk(store, with_fallbacks(Model(*told), retry=RetryPolicy(pause=0.001), after_failure="continue"))
    await two.ask()
    assert two.metered.spent.tokens == 40 + 2 + 25

    # A word that is shown only because no one writes it again belongs to the attempt that was cut off.
    cut: list[Round] = [["12345 78", Truncated("cut")], [Overloaded("down")], [Overloaded("down")]]
    three = Desk(store, with_fallbacks(Model(*cut), retry=RetryPolicy(pause=0.001), after_failure="continue"))
    with pytest.raises(Truncated):
        await three.ask()
    # The attempts that failed at once are requests, and no model has read them.
    assert three.metered.spent.requests == len(three.provider._candidates[0].provider.prompts)  # type: ignore[attr-defined]
    assert three.metered.spent.tokens == PROMPT_TOKENS + 3


async def test_attempts_that_are_refused_at_once_count_as_requests_without_tokens(store: SqlStore) -> None:
    model = Model([Overloaded("down")])
    one = Desk(store, with_fallbacks(model, retry=RetryPolicy(pause=0.001)))
    with pytest.raises(Overloaded):
        await one.ask()

    assert await one.spent() == Spending(3)
    assert len(model.prompts) == 3


async def test_attempt_that_times_out_costs_its_prompt(store: SqlStore) -> None:
    late = Overloaded("no answer")
    late.__cause__ = TimeoutError()
    one = Desk(store, with_fallbacks(Model([late], ["Hi.", Usage(20, 5)]), retry=RetryPolicy(pause=0.001)))
    await one.ask()

    assert (await one.spent()).tokens == PROMPT_TOKENS + 25


async def test_thoughts_that_a_stop_interrupts_are_charged_once(store: SqlStore) -> None:
    gate = asyncio.Event()
    one = Desk(store, with_fallbacks(Model([ThoughtDelta("123456"), ThoughtDelta("123"), gate])))
    stream = one.metered.stream(PROMPT)
    for _ in range(4):
        await anext(stream)
    await stream.aclose()
    assert await one.spent() == Spending(1, PROMPT_TOKENS + 3, PROMPT_TOKENS + 6)

    two = Desk(store, with_fallbacks(Model([ThoughtDelta("123456"), "123"])))
    await two.ask()
    assert two.metered.spent == Spending(1, PROMPT_TOKENS + 3, PROMPT_TOKENS + 6)


@pytest.mark.parametrize(
    ("content", "kind", "tokens"),
    [
        (b"%PDF /Type /Pages /Count 3 /Count 40", "application/pdf", 40 * PAGE_TOKENS),
        (b"%PDF" + b"x" * 10 * MIN_PAGE_BYTES, "application/pdf", 11 * PAGE_TOKENS),
        (b"%PDF /Count 999999", "application/pdf", MAX_PAGES * PAGE_TOKENS),
        (b"x" * 64_000, "audio/ogg", 640),
    ],
)
def test_files_that_the_model_reads_itself_are_estimated(content: bytes, kind: str, tokens: int) -> None:
    assert input_tokens(user("hello", File(content, kind))) - PROMPT_TOKENS == tokens


async def test_request_that_failed_after_a_picture_is_charged_for_it(store: SqlStore) -> None:
    one = desk(store, [GeneratedImage(b"png"), ProviderError("no")])
    await asyncio.gather(one.ask(), return_exceptions=True)

    assert (await one.spent()).tokens == PROMPT_TOKENS + IMAGE_TOKENS

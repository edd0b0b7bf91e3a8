"""Limits, prices and estimates from given totals and times."""

from __future__ import annotations

import pytest

from streamcord import ThoughtDelta, ToolCall, Usage
from streamcord.providers import Image, Options, Prompt, ToolSpec, assistant, system, user
from streamcord.store import Account, Spending
from streamcord_bot.budget.day import day_of, tomorrow
from streamcord_bot.budget.limits import BudgetRefusal, Payer, find_refusal, find_small_budgets, limits_of
from streamcord_bot.budget.pricing import (
    IMAGE_TOKENS,
    MESSAGE_TOKENS,
    estimate,
    input_tokens,
    price_of,
    show_money,
)
from streamcord_bot.config import BudgetConfig, PriceConfig, read_config

NOON = 20_000 * 86_400.0 + 43_200
MIDNIGHT = 20_001 * 86_400.0
ALICE, SERVER, ALL = Account("person", 1), Account("server", 2), Account("all")


def test_payer_has_accounts_of_user_server_and_all() -> None:
    assert Payer(1, 2).accounts == (ALICE, SERVER, ALL)
    assert Payer(1).accounts == (ALICE, ALL)


def test_a_day_ends_at_midnight_in_utc() -> None:
    assert (day_of(NOON), day_of(MIDNIGHT - 0.001), day_of(MIDNIGHT)) == (20_000, 20_000, 20_001)
    assert tomorrow(NOON) == MIDNIGHT
    assert tomorrow(MIDNIGHT) == MIDNIGHT + 86_400


LIMITS = BudgetConfig(person_requests=3, person_tokens=100, person_money=0.5, server_requests=5, all_money=1)


@pytest.mark.parametrize(
    ("account", "spent", "refused"),
    [
        (ALICE, Spending(3, 100, 500_000), False),
        (ALICE, Spending(4, 0, 0), True),
        (ALICE, Spending(1, 101, 0), True),
        (ALICE, Spending(1, 0, 500_001), True),
        (SERVER, Spending(5, 10_000_000, 10_000_000), False),
        (SERVER, Spending(6, 0, 0), True),
        (ALL, Spending(9, 0, 1_000_000), False),
        (ALL, Spending(9, 0, 1_000_001), True),
    ],
)
def test_limit_may_be_reached_but_not_exceeded(account: Account, spent: Spending, refused: bool) -> None:
    expected = BudgetRefusal(account.kind, MIDNIGHT) if refused else None

    assert find_refusal(LIMITS, {account: spent}, NOON) == expected


def test_refusal_names_the_narrowest_account() -> None:
    over = Spending(1000, 0, 0)

    assert find_refusal(LIMITS, {ALICE: Spending(), SERVER: over, ALL: over}, NOON) == BudgetRefusal(
        "server", MIDNIGHT
    )
    assert find_refusal(LIMITS, {ALICE: Spending(), ALL: Spending()}, NOON) is None


def test_zero_is_no_limit() -> None:
    free = BudgetConfig(person_requests=0, person_tokens=0)

    assert limits_of(free, "person") == Spending()
    assert find_refusal(free, {ALICE: Spending(10**9, 10**12, 10**12)}, NOON) is None


def test_a_price_is_for_a_million_tokens_and_cached_ones_may_be_cheaper() -> None:
    price = PriceConfig(input=3, output=15, cached=0.3)

    assert price_of(Usage(1_000_000, 0), [price]) == 3_000_000
    assert price_of(Usage(0, 1_000_000), [price]) == 15_000_000
    assert price_of(Usage(1_000_000, 0, cached_tokens=1_000_000), [price]) == 300_000
    assert price_of(Usage(1_000_000, 0, cached_tokens=900_000), [PriceConfig(input=3)]) == 3_000_000
    # More cached than sent is a provider's mistake, and no one gets money for it.
    assert price_of(Usage(10, 0, cached_tokens=20), [price]) == 3
    assert price_of(Usage(1, 0), [PriceConfig(input=0.001)]) == 1


def test_most_expensive_fallback_sets_the_price() -> None:
    assert price_of(Usage(10, 10), [PriceConfig(input=1, output=1), PriceConfig(input=5)]) == 50
    assert price_of(Usage(10, 10), []) == 0


def test_an_estimate_counts_every_part_of_a_prompt() -> None:
    call = ToolCall("1", "roll", {"dice": "2d6"})
    prompt = (
        system("abc")
        + user("abcdef", Image(b"x"))
        + assistant("abc", ThoughtDelta("abc"), call)
        + Prompt(tools=(ToolSpec("roll", "x" * 30),), prefill="abc")
    )

    assert input_tokens(Prompt()) == 0
    assert input_tokens(user("abcdef")) == MESSAGE_TOKENS + 2
    assert input_tokens(user("日本")) == MESSAGE_TOKENS + 2
    assert input_tokens(user("\ud800")) == MESSAGE_TOKENS + 1
    assert input_tokens(user(Image(b"x"))) == MESSAGE_TOKENS + IMAGE_TOKENS
    assert input_tokens(prompt) > 2 * MESSAGE_TOKENS + IMAGE_TOKENS + 15


def test_estimate_uses_max_tokens() -> None:
    config = BudgetConfig(answer_tokens=700)

    assert estimate(user("abc"), Options(max_tokens=50), config) == Usage(MESSAGE_TOKENS + 1, 50)
    assert estimate(user("abc"), Options(), config).output_tokens == 700
    assert estimate(user("abc"), None, config).output_tokens == 700


@pytest.mark.parametrize(
    ("millionths", "shown"), [(0, "$0.00"), (1_500, "$0.0015"), (1_234_567_890, "$1,234.57")]
)
def test_small_sums_have_more_digits(millionths: int, shown: str) -> None:
    assert show_money(millionths, "$") == shown


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({}, []),
        ({"all_money": 1.0, "person_tokens": 9000}, []),
        ({"all_money": 0.001}, ["all_money pays no answer of main"]),
        ({"person_money": 0.01, "server_tokens": 100}, ["person_money pays", "server_tokens pays"]),
    ],
)
def test_budgets_that_pay_no_answer_are_found(budget: dict[str, float], told: list[str]) -> None:
    price = {"input": 1.0, "output": 5.0}
    models = {"main": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1", "price": price}}
    found = find_small_budgets(read_config({"budget": budget, "models": models}, {}))

    assert [words.startswith(begin) for words, begin in zip(found, told, strict=True)] == [True] * len(told)

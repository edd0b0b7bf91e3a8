from __future__ import annotations

from typing import Any

import pytest

from streamcord import SettingsError
from streamcord_bot.config import BudgetConfig, PriceConfig, read_config


def test_the_file_names_limits_and_prices() -> None:
    table: dict[str, Any] = {
        "budget": {"person_requests": 3, "all_money": 2, "currency": "€"},
        "models": {
            "small": {"price": {"input": 0.25, "output": 2}, "fallback": ["large"]},
            "large": {"price": {"input": 5, "output": 25, "cached": 0.5}},
        },
    }

    config = read_config(table, {})

    assert (config.budget.person_requests, config.budget.all_money, config.budget.currency) == (3, 2.0, "€")
    small, large = PriceConfig(input=0.25, output=2), PriceConfig(input=5, output=25, cached=0.5)
    assert config.prices_of("small") == config.prices_of("") == (small, large)
    assert config.prices_of("large") == (large,)
    assert read_config({}, {}).prices_of("") == ()


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "much"])
def test_an_impossible_limit_or_price_is_refused(value: object) -> None:
    with pytest.raises(SettingsError, match=r"budget\.all_money must be a number"):
        read_config({"budget": {"all_money": value}}, {})
    with pytest.raises(SettingsError, match=r"price\.input must be a number"):
        read_config({"models": {"small": {"price": {"input": value}}}}, {})


def test_whoever_sets_nothing_has_limits_all_the_same() -> None:
    config = BudgetConfig()

    assert 0 < config.person_requests < config.server_requests < config.all_requests
    assert 0 < config.person_tokens < config.server_tokens < config.all_tokens
    assert 0 < config.person_running < config.server_running < config.all_running

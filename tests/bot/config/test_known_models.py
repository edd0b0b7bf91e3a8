"""Names, prices and dates of models, baked at a release."""

from __future__ import annotations

import json
import sys
import tomllib
from datetime import date
from pathlib import Path
from types import SimpleNamespace as Row

import pytest

from streamcord.providers import PRESETS
from streamcord_bot.config import PriceConfig, known_models, read_config
from streamcord_bot.config.known_models import find_price, find_retirement, suggested_models

ROOT = Path(__file__).parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from bake_models import bake, write  # noqa: E402

DATA = json.loads(Path(known_models.__file__).with_name("known_models.json").read_text(encoding="utf-8"))
BAKED = date.fromisoformat(DATA["date"])


@pytest.mark.parametrize("provider", sorted(suggested_models()))
def test_suggested_model_is_or_will_be_switched_off(provider: str) -> None:
    assert provider in PRESETS
    assert find_retirement(provider, suggested_models()[provider]) is None


@pytest.mark.parametrize("provider", sorted(DATA["retired"]))
def test_successor_is_gone_itself(provider: str) -> None:
    for name, (_, successor) in DATA["retired"][provider].items():
        assert find_retirement(provider, successor) is None, name
        assert find_price(provider, successor, BAKED), name


def test_models_that_were_switched_off_this_year_are_known() -> None:
    found = find_retirement("deepseek", "deepseek-chat")
    assert found is not None
    assert (found.day, found.successor) == (date(2026, 7, 24), "deepseek-flash")
    assert find_retirement("openai-responses", "GPT-5-mini-2025-08-07") == find_retirement(
        "openai", "gpt-5-mini"
    )
    assert find_retirement("openai", "gpt-6-luna") is None
    assert find_retirement("nobody", "gpt-5-mini") is None


def test_prices_change_on_their_day() -> None:
    before = find_price("google", "gemini-3.8-flash", date(2026, 12, 31))
    after = find_price("google", "gemini-3.8-flash", date(2027, 1, 1))

    assert (before, after) == (
        PriceConfig(input=0.75, output=3.75, cached=0.075),
        PriceConfig(input=1.5, output=7.5, cached=0.15),
    )
    assert find_price("google", "unheard-of", BAKED) is None


def test_facts_and_data_file_differ() -> None:
    facts = tomllib.loads((ROOT / "tools" / "model_facts.toml").read_text(encoding="utf-8"))
    assert DATA["suggested"] == facts["suggested"]
    named = {name for row in facts["retired"] for name in row["models"]}
    assert named == {name for models in DATA["retired"].values() for name in models}
    assert all(row["source"].startswith("https://") for row in facts["retired"])


def test_known_price_replaces_a_price_of_the_file() -> None:
    def price(budget: dict[str, object] | None = None, **model: object) -> float:
        table = {"provider": "anthropic", "model": "claude-haiku-4-5", **model}
        config = read_config({"models": {"main": table}, "budget": budget or {}}, {})
        return config.prices_of("main")[0].output

    assert price() == 5.0
    assert price(price={"output": 7.0}) == 7.0
    assert price(base_url="http://127.0.0.1:9/v1") == 0.0
    assert price({"currency": "€"}) == 0.0


def prices(**values: float | Row) -> Row:
    return Row(**{f"{name}_mtok": value for name, value in values.items()})


def test_baked_price_is_too_low_at_some_hour() -> None:
    hour = Row(constraint=Row(start_time=1), prices=prices(input=0.3, output=1.2))
    start = Row(
        constraint=Row(start_date=date(2026, 9, 10)), prices=prices(input=0.15, output=0.6, cache_read=0.1)
    )
    future = Row(constraint=Row(start_date=date(2027, 1, 1)), prices=prices(input=1, output=2))
    first = Row(constraint=None, prices=prices(input=9, output=9))
    tiered = prices(input=Row(base=2, tiers=[]), output=3)
    models = [
        Row(
            id="Flash",
            match=Row(or_=[Row(equals="flash-1"), Row(starts_with="x")]),
            prices=[first, start, hour, future],
        ),
        Row(id="tiers", match=Row(equals="tiers"), prices=tiered),
        Row(id="free", match=Row(equals="free"), prices=prices(input=0, output=0)),
    ]
    theirs = [*("anthropic", "openai", "google", "groq", "mistral", "zai", "x-ai", "openrouter")]
    providers = [Row(id="deepseek", models=models), *(Row(id=name, models=[]) for name in theirs)]
    facts = {
        "suggested": {"deepseek": "flash"},
        "retired": [
            {"provider": "deepseek", "models": ["old"], "date": date(2026, 1, 2), "successor": "flash"}
        ],
    }
    baked = bake(providers, facts, date(2026, 11, 18), "a test")

    rows = [["", 0.3, 1.2, 0.1], ["2027-01-01", 1.0, 2.0, 0.0]]
    assert baked["prices"]["deepseek"] == {"flash": rows, "flash-1": rows, "tiers": [["", 2.0, 3.0, 0.0]]}
    assert baked["retired"] == {"deepseek": {"old": ["2026-01-02", "flash"]}}
    assert json.loads(write(baked)) == baked

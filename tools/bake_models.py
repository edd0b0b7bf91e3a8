"""Write `known_models.json` of the bot: suggested models, prices, and when models are switched off.

Prices come from the package genai-prices, which stays out of the dependencies: only this tool imports it, at release.
What it does not know is in `tools/model_facts.toml`.

    python -m venv build/prices && build/prices/bin/pip install genai-prices
    build/prices/bin/python tools/bake_models.py
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["bake", "main"]

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "packages/streamcord-bot/src/streamcord_bot/config/known_models.json"
# Names of our presets that differ from those of genai-prices.
PROVIDERS = {
    **{name: name for name in ("anthropic", "openai", "google", "deepseek", "groq", "mistral", "zai")},
    "xai": "x-ai",
    "openrouter": "openrouter",
}
_FIELDS = ("input_mtok", "output_mtok", "cache_read_mtok")


def bake(providers: Iterable[Any], facts: Mapping[str, Any], today: date, source: str) -> dict[str, Any]:
    """Return the data file, with the prices of `today` and those that are announced."""
    found = {provider.id: provider for provider in providers}
    prices: dict[str, dict[str, list[list[Any]]]] = {}
    for name, their_name in PROVIDERS.items():
        prices[name] = {}
        for model in found[their_name].models:
            if rows := _price_rows(model.prices, today):
                prices[name] |= dict.fromkeys(sorted(_names(model)), rows)
    retired: dict[str, dict[str, list[str]]] = {}
    for row in facts["retired"]:
        ends = [row["date"].isoformat(), row["successor"]]
        retired.setdefault(row["provider"], {}).update(dict.fromkeys(row["models"], ends))
    return {
        "source": source,
        "date": today.isoformat(),
        "suggested": facts["suggested"],
        "retired": retired,
        "prices": prices,
    }


def _names(model: Any) -> set[str]:  # noqa: ANN401 - genai-prices is not a dependency
    """Return the names that a model has exactly; patterns for dates are left to the reader."""
    clauses = getattr(model.match, "or_", None) or [model.match]
    return {model.id.lower(), *(one.equals.lower() for one in clauses if hasattr(one, "equals"))}


def _price_rows(prices: Any, today: date) -> list[list[Any]]:  # noqa: ANN401
    """Return rows of first day, input, output and cached; prices by the hour count with their highest."""
    if not isinstance(prices, list):
        return _as_rows([("", prices)])
    dated = [("", prices[0].prices)]
    hourly = []
    for one in prices[1:]:
        if (start := getattr(one.constraint, "start_date", None)) is None:
            hourly.append(one.prices)
        elif start <= today:
            dated[0] = ("", one.prices)
        else:
            dated.append((start.isoformat(), one.prices))
    rows = _as_rows(dated)
    for high in _as_rows([("", one) for one in hourly]):
        rows = [[row[0], *map(max, row[1:], high[1:])] for row in rows]
    return rows


def _as_rows(dated: Iterable[tuple[str, Any]]) -> list[list[Any]]:
    rows = [[start, *(_base(getattr(prices, name, None)) for name in _FIELDS)] for start, prices in dated]
    return [row for row in rows if any(row[1:3])]


def _base(price: Any) -> float:  # noqa: ANN401
    """Return a price as a number; with tiers it is that of short prompts."""
    return float(getattr(price, "base", price) or 0)


def write(baked: Mapping[str, Any]) -> str:
    """Return the file with one model per line, so that changes can be read."""
    lines = ["{", f' "source": {json.dumps(baked["source"])},', f' "date": {json.dumps(baked["date"])},']
    lines.append(f' "suggested": {json.dumps(baked["suggested"], indent=2)},')
    for table in ("retired", "prices"):
        lines.append(f' "{table}": {{')
        for number, (provider, models) in enumerate(baked[table].items(), 1):
            rows = [f"   {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(models.items())]
            comma = "," if number < len(baked[table]) else ""
            lines += [f"  {json.dumps(provider)}: {{", ",\n".join(rows), f"  }}{comma}"]
        lines.append(" }" if table == "prices" else " },")
    return "\n".join([*lines, "}", ""])


def main() -> None:
    """Bake the file."""
    providers = import_module("genai_prices.data").providers
    facts = tomllib.loads((ROOT / "tools" / "model_facts.toml").read_text(encoding="utf-8"))
    source = f"genai-prices {version('genai-prices')} (MIT), tools/model_facts.toml"
    TARGET.write_text(write(bake(providers, facts, datetime.now(UTC).date(), source)), encoding="utf-8")
    print(f"wrote {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

"""Models that were known at the release: what `init` suggests, what they cost, and when they are switched off.

`tools/bake_models.py` writes `known_models.json`. A model that is not in it works as any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from .budget import PriceConfig

CURRENCY = "$"
"""The currency of all prices of the file."""
_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})\Z")


@dataclass(frozen=True, slots=True)
class Retirement:
    """When a model is switched off, and which model takes its place."""

    day: date
    successor: str


@cache
def _known() -> Mapping[str, Any]:
    text = files(__package__ or "").joinpath("known_models.json").read_text(encoding="utf-8")
    known: dict[str, Any] = json.loads(text)
    # Two presets of one provider have the same models.
    for table in ("prices", "retired"):
        known[table]["openai-responses"] = known[table]["openai"]
        known[table]["google-interactions"] = known[table]["google"]
    known["suggested"]["google-interactions"] = known["suggested"]["google"]
    return known


def suggested_models() -> Mapping[str, str]:
    """Return a cheap and fast model of each provider."""
    suggested: Mapping[str, str] = _known()["suggested"]
    return suggested


def find_retirement(provider: str, model: str) -> Retirement | None:
    """Return when a model is switched off, if that was known at the release."""
    row = _find(_known()["retired"].get(provider, {}), model)
    return Retirement(date.fromisoformat(row[0]), row[1]) if row else None


def find_price(provider: str, model: str, today: date) -> PriceConfig | None:
    """Return what a model costs on a day, in `CURRENCY`; `None` if it is not known."""
    rows = _find(_known()["prices"].get(provider, {}), model)
    if not rows:
        return None
    # Each row is valid from its day on; the first one has none.
    _, *prices = [row for row in rows if not row[0] or date.fromisoformat(row[0]) <= today][-1]
    return PriceConfig(**dict(zip(("input", "output", "cached"), prices, strict=True)))


def _find(table: Mapping[str, Any], model: str) -> Any:  # noqa: ANN401 - a row of JSON
    """Return the row of a model; a name with a date is the model without it."""
    name = model.lower()
    return table.get(name) or table.get(_DATED.sub("", name))

"""What may be asked now, and what it costs. Pure: counters and the time are handed in.

Before a request an estimate is reserved on three accounts: the person's, the server's and everybody's. The
totals that come back include it; if they pass a limit, the request is not made. Afterwards the reservation is
replaced by what was used. So a day costs at most its limits, and what the last answers took beyond their
estimates.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from streamcord import ThoughtDelta, ToolCall, Usage
from streamcord.providers import Image, Options, Prompt, Text
from streamcord.store import Account, Spending

from ..config.budget import BudgetConfig, PriceConfig

__all__ = [
    "DAY",
    "MILLION",
    "BudgetRefusal",
    "Payer",
    "day_of",
    "estimate",
    "find_refusal",
    "input_tokens",
    "limits_of",
    "price_of",
    "show_money",
    "tomorrow",
]

DAY = 86_400
MILLION = 1_000_000
BYTES_PER_TOKEN = 3
"""Most texts have more bytes in a token, in every script; an estimate is rather too high."""
IMAGE_TOKENS = 1600
MESSAGE_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Payer:
    """Whose budget a request is taken from; in direct messages there is no server."""

    person: int
    server: int = 0

    @property
    def accounts(self) -> tuple[Account, ...]:
        """The narrowest account first."""
        server = (Account("server", self.server),) if self.server else ()
        return (Account("person", self.person), *server, Account("all"))


@dataclass(frozen=True, slots=True)
class BudgetRefusal:
    """Why nothing is asked now: whose budget is used up, or which model rests; and until when."""

    reason: str
    """`person`, `server`, `all`, or `model` while a model rests after failures."""
    until: float
    """Seconds since 1970."""


def day_of(now: float) -> int:
    """The day of a time, counted from 1970 in UTC."""
    return int(now // DAY)


def tomorrow(now: float) -> float:
    """When the next day begins."""
    return float((day_of(now) + 1) * DAY)


def limits_of(config: BudgetConfig, kind: str) -> Spending:
    """What an account of this kind may spend in a day; 0 is no limit."""
    return Spending(
        getattr(config, f"{kind}_requests"),
        getattr(config, f"{kind}_tokens"),
        round(getattr(config, f"{kind}_money") * MILLION),
    )


def find_refusal(
    config: BudgetConfig, totals: Mapping[Account, Spending], now: float
) -> BudgetRefusal | None:
    """Which of these accounts is over its limit, with what is reserved; the narrowest is named."""
    for account, spent in totals.items():
        if _passes(spent, limits_of(config, account.kind)):
            return BudgetRefusal(account.kind, tomorrow(now))
    return None


def _passes(spent: Spending, limit: Spending) -> bool:
    pairs = (
        (spent.requests, limit.requests),
        (spent.tokens, limit.tokens),
        (spent.money, limit.money),
    )
    return any(0 < most < used for used, most in pairs)


# --- What a request costs -------------------------------------------------------------------------------


def price_of(usage: Usage, prices: Iterable[PriceConfig]) -> int:
    """What these tokens cost, in millionths; of several models that may have answered, by the dearest."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    fresh = usage.input_tokens - cached
    # A price is for a million tokens, so a token costs that many millionths.
    return max(
        (
            ceil(
                fresh * price.input
                + cached * (price.cached or price.input)
                + usage.output_tokens * price.output
            )
            for price in prices
        ),
        default=0,
    )


def show_money(millionths: int, currency: str) -> str:
    """A sum for people: cents where there are some, more digits below."""
    amount = millionths / MILLION
    return f"{currency}{amount:,.2f}" if amount >= 1 or not amount else f"{currency}{amount:.4f}"


def estimate(prompt: Prompt, options: Options | None, config: BudgetConfig) -> Usage:
    """The tokens that a request may take, rather too many than too few."""
    most = options.max_tokens if options and options.max_tokens else config.answer_tokens
    return Usage(input_tokens(prompt), most)


def input_tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has."""
    size = len(prompt.system.encode("utf-8", "replace")) + len(prompt.prefill.encode("utf-8", "replace"))
    for spec in prompt.tools:
        size += len(spec.description) + len(json.dumps(spec.parameters, default=str)) + len(spec.name)
    tokens = 0
    for message in prompt.messages:
        tokens += MESSAGE_TOKENS
        for part in message.parts:
            match part:
                case Image():
                    tokens += IMAGE_TOKENS
                case Text(text) | ThoughtDelta(text):
                    size += len(text.encode("utf-8", "replace"))
                case ToolCall():
                    size += len(json.dumps(part.arguments, default=str))
    return tokens + ceil(size / BYTES_PER_TOKEN)

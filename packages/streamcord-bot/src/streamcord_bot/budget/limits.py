"""Estimate what a request costs and compare totals with the daily limits.

Before a request an estimate is reserved on three accounts: the user's, the server's and the one of all users. The
totals that come back include it; if they pass a limit, the request is not made. Afterwards the reservation is replaced
by the actual cost. So a day costs at most its limits plus the excess of the last answers over their estimates.

Pure: the caller passes totals and the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from streamcord import ThoughtDelta, ToolCall, Usage
from streamcord.providers import File, Image, Options, Prompt, Text, user
from streamcord.store import Account, Spending

from ..config import BotConfig, BudgetConfig, PriceConfig
from .day import tomorrow

_PAGE_COUNT = re.compile(rb"/Count\s{0,5}(\d{1,6})")
MILLION = 1_000_000
BYTES_PER_TOKEN = 3
"""Bytes of UTF-8 in a token. Most texts have more, in every script, so an estimate is rather too high."""
IMAGE_TOKENS = 1600
"""Tokens that a large image costs at the usual providers (https://docs.claude.com/en/docs/build-with-claude/vision)."""
PAGE_TOKENS = 2000
"""Tokens of a page of PDF, which models also see as a picture
(https://docs.claude.com/en/docs/build-with-claude/pdf-support)."""
MIN_PAGE_BYTES = 20_000
"""Bytes of a page where a PDF does not say how many it has."""
MAX_PAGES = 250
"""More pages are not expected to fit into the context of a model."""
RECORDING_BYTES_PER_TOKEN = 100
"""Bytes of audio or video in a token: 25 kbit/s at 32 tokens a second (https://ai.google.dev/gemini-api/docs/audio)."""
MESSAGE_TOKENS = 8
"""Tokens of overhead for each message."""


@dataclass(frozen=True, slots=True)
class Payer:
    """The user and server whose budget pays a request; server 0 is a direct message."""

    person: int
    server: int = 0

    @property
    def accounts(self) -> tuple[Account, ...]:
        """The accounts that pay, the narrowest first."""
        server = (Account("server", self.server),) if self.server else ()
        return (Account("person", self.person), *server, Account("all"))


@dataclass(frozen=True, slots=True)
class BudgetRefusal:
    """Why a request is not made: a budget is used up, or the model is paused; and until when."""

    reason: str
    """`person`, `server`, `all`, or `model` while the circuit breaker of a model is open."""
    until: float
    """Seconds since 1970."""


def limits_of(config: BudgetConfig, kind: str) -> Spending:
    """Return what an account of this kind may spend in a day; 0 is no limit."""
    return Spending(
        getattr(config, f"{kind}_requests"),
        getattr(config, f"{kind}_tokens"),
        round(getattr(config, f"{kind}_money") * MILLION),
    )


def find_refusal(
    config: BudgetConfig, totals: Mapping[Account, Spending], now: float
) -> BudgetRefusal | None:
    """Return a refusal for the narrowest account whose total, reservations included, is over its limit."""
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
    return any(0 < cap < used for used, cap in pairs)


# --- What a request costs -------------------------------------------------------------------------------


def price_of(usage: Usage, prices: Iterable[PriceConfig]) -> int:
    """Return the price of these tokens in millionths of the currency.

    If several models may have answered (fallbacks), the most expensive one counts.
    """
    cached = min(usage.cached_tokens, usage.input_tokens)
    fresh = usage.input_tokens - cached
    # Prices are per million tokens, so the price of one token in millionths is the same number.
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
    """Format a sum with cents; sums below 1 get four digits, since answers cost fractions of a cent."""
    amount = millionths / MILLION
    return f"{currency}{amount:,.2f}" if amount >= 1 or not amount else f"{currency}{amount:.4f}"


def estimate(prompt: Prompt, options: Options | None, config: BudgetConfig) -> Usage:
    """Estimate the tokens of a request, rather too many than too few."""
    output = options.max_tokens if options and options.max_tokens else config.answer_tokens
    return Usage(input_tokens(prompt), output)


def find_small_budgets(config: BotConfig) -> list[str]:
    """Return which budgets of a day cannot pay one answer, so that every question would be refused."""
    found: list[str] = []
    for name, model in config.models.items():
        expected = estimate(user("?"), model.options, config.budget)
        tokens = expected.input_tokens + expected.output_tokens
        money = price_of(expected, config.prices_of(name))
        needed = f"at most {tokens:,} tokens"
        if money:
            needed = f"{needed} or {show_money(money, config.budget.currency)}"
        for kind in ("person", "server", "all"):
            limit = limits_of(config.budget, kind)
            units = {"tokens": (tokens, limit.tokens), "money": (money, limit.money)}
            found += [
                f"{kind}_{unit} pays no answer of {name}: {needed} are set aside for each"
                for unit, (used, cap) in units.items()
                if 0 < cap < used
            ]
    return found


def input_tokens(prompt: Prompt) -> int:
    """Estimate the tokens of a prompt from its bytes and images."""
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
                case File():
                    tokens += _file_tokens(part)
                case Text(text) | ThoughtDelta(text):
                    size += len(text.encode("utf-8", "replace"))
                case ToolCall():
                    size += len(json.dumps(part.arguments, default=str))
    return tokens + ceil(size / BYTES_PER_TOKEN)


def _file_tokens(file: File) -> int:
    """Estimate the tokens of a file that the model reads itself."""
    if file.media_type != "application/pdf":
        return ceil(len(file.content) / RECORDING_BYTES_PER_TOKEN)
    # The page tree says how many pages there are; compressed PDFs hide it.
    counts = [int(found[1]) for found in _PAGE_COUNT.finditer(file.content)]
    pages = max(counts, default=0) or ceil(len(file.content) / MIN_PAGE_BYTES)
    return PAGE_TOKENS * min(max(1, pages), MAX_PAGES)

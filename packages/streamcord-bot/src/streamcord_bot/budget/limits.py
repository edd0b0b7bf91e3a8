"""Compare what was spent with the daily limits.

Before a request an estimate is reserved on three accounts: the user's, the server's and the one of all users. The
totals that come back include it; if they pass a limit, the request is not made. Afterwards the reservation is replaced
by the actual cost. So a day costs at most its limits plus the excess of the last answers over their estimates.

Pure: the caller passes totals and the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from streamcord.providers import user
from streamcord.store import Account, Spending

from ..config import BotConfig, BudgetConfig
from .day import tomorrow
from .pricing import MILLION, estimate, price_of, show_money


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

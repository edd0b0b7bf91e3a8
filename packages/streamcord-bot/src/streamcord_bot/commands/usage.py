"""`/usage`: show what a user has used today and, to users who manage a server, what the server has used."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any, Literal

import discord
from discord import app_commands

from streamcord.store import Account, Spending

from ..budget.budget import Budget
from ..budget.day import tomorrow
from ..budget.limits import Payer, limits_of
from ..budget.pricing import show_money
from ..config import BudgetConfig
from ..i18n import translate
from ..ops.metrics import Metrics
from ..ui.notices import reply_privately
from .base import AnyCommand


def build_usage(config: BudgetConfig, budget: Budget, metrics: Metrics) -> AnyCommand:
    """Build `/usage`."""

    @app_commands.command(description="What you have used today; for managers also what the server has")
    @app_commands.describe(of="your own usage, or the server's")
    async def usage(interaction: discord.Interaction[Any], of: Literal["me", "server"] = "me") -> None:
        # The store may take longer than the three seconds that Discord waits.
        await interaction.response.defer(ephemeral=True)
        locale, guild = str(interaction.locale), interaction.guild_id or 0
        if of == "server" and not guild:
            await reply_privately(interaction, translate(locale, "only_server"))
            return
        if of == "server" and not interaction.permissions.manage_guild:
            await reply_privately(interaction, translate(locale, "need_server"))
            return
        totals = await budget.totals(Payer(interaction.user.id, guild))
        account = Account("server", guild) if of == "server" else Account("person", interaction.user.id)
        text = describe_usage(locale, account.kind, totals[account], config)
        share = metrics.cached_share
        if of == "server" and share is not None:
            text += f"\n{translate(locale, 'usage_cached', share=f'{share:.0%}')}"
        # Discord shows this timestamp as "in 5 hours", in the reader's language.
        when = f"<t:{ceil(tomorrow(budget.now))}:R>"
        await reply_privately(interaction, f"{text}\n-# {translate(locale, 'usage_reset', when=when)}")

    return usage


def describe_usage(locale: str, kind: str, spent: Spending, config: BudgetConfig) -> str:
    """Return the usage and limits of an account, one line each."""
    head = translate(locale, "usage_server" if kind == "server" else "usage_yours")
    return "\n".join([head, *_lines(locale, spent, limits_of(config, kind), config.currency)])


def _lines(locale: str, spent: Spending, limit: Spending, currency: str) -> Iterator[str]:
    rows = [
        ("usage_requests", f"{spent.requests:,}", f"{limit.requests:,}" if limit.requests else ""),
        ("usage_tokens", f"{spent.tokens:,}", f"{limit.tokens:,}" if limit.tokens else ""),
    ]
    # Without prices in the file there is no money to show.
    if spent.money or limit.money:
        money_cap = show_money(limit.money, currency) if limit.money else ""
        rows.append(("usage_money", show_money(spent.money, currency), money_cap))
    for key, used, cap in rows:
        shown = translate(locale, "usage_of", used=used, limit=cap) if cap else used
        yield translate(locale, key, used=shown)

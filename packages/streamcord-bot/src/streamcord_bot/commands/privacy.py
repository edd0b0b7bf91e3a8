"""`/privacy`: show, export and delete the data that is stored about the user of the command."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from typing import Any

import discord
from discord import app_commands

from streamcord.store import AskRow, Place, Store

from ..answering.recent_answers import RecentAnswers
from ..budget.budget import Budget
from ..budget.limits import Payer
from ..budget.pricing import show_money
from ..config import PrivacyConfig
from ..i18n import translate
from .base import CommandGroup, Interaction, reply


class PrivacyCommands(CommandGroup):
    """`/privacy`; all users may use it everywhere, and it only concerns their own data."""

    def __init__(
        self, config: PrivacyConfig, store: Store, budget: Budget, recent_answers: RecentAnswers
    ) -> None:
        super().__init__("privacy", "What I keep about you, and how I forget it")
        self._config = config
        self._store = store
        self._budget = budget
        self._recent_answers = recent_answers

    @app_commands.command(description="What I keep about you, for how long, and who reads it")
    async def show(self, interaction: Interaction) -> None:
        """Show how much is stored, for how long, and which data the model's provider gets."""
        await interaction.response.defer(ephemeral=True)
        user, locale, store = interaction.user.id, str(interaction.locale), self._store
        refuses = await store.refuses_memory(user)
        lines = [
            translate(locale, "privacy_kept", answers=len(await store.memories_of(user))),
            translate(locale, "privacy_changes", changes=len(await store.changes_by(user))),
            self._age(locale),
            translate(locale, "privacy_model"),
            translate(locale, "privacy_refused" if refuses else "privacy_how"),
        ]
        await reply(interaction, "\n".join(f"- {line}" for line in lines if line))

    def _age(self, locale: str) -> str:
        days = self._config.days
        return translate(locale, "privacy_days", days=days) if days else ""

    @app_commands.command(description="Everything that I keep about you, as a file")
    async def export(self, interaction: Interaction) -> None:
        """Send everything as JSON, privately."""
        await interaction.response.defer(ephemeral=True)
        kept = await collect(self._store, self._budget, interaction.user.id, _direct_channel(interaction))
        # Lone surrogates of old messages cannot be encoded and become question marks.
        content = json.dumps(kept, ensure_ascii=False, indent=2).encode("utf-8", "replace")
        file = discord.File(io.BytesIO(content), "about-me.json")
        await reply(interaction, translate(str(interaction.locale), "privacy_export"), file)

    @app_commands.command(description="Forget everything about you; if you like, also from now on")
    @app_commands.describe(from_now_on="remember no answer to you in future, either")
    async def forget(self, interaction: Interaction, from_now_on: bool = False) -> None:
        """Delete every answer to the user and, with `from_now_on`, store no further ones."""
        await interaction.response.defer(ephemeral=True)
        user, locale = interaction.user.id, str(interaction.locale)
        # First, so that an answer that ends meanwhile is not stored again.
        if from_now_on:
            await self._store.refuse_memory(user)
        count = await self._store.forget_person(user)
        self._recent_answers.forget_owner(user)
        text = translate(locale, "forgot_you", count=count)
        await reply(interaction, f"{text}\n{translate(locale, 'privacy_refused')}" if from_now_on else text)

    @app_commands.command(description="Answers to you may be remembered again")
    async def remember(self, interaction: Interaction) -> None:
        """Allow again that answers to the user are stored."""
        await interaction.response.defer(ephemeral=True)
        await self._store.refuse_memory(interaction.user.id, refused=False)
        await reply(interaction, translate(str(interaction.locale), "privacy_again"))


def _direct_channel(interaction: Interaction) -> int:
    """Return the channel of the user's direct messages, 0 if it is not known."""
    if interaction.guild_id is None and interaction.channel_id is not None:
        return interaction.channel_id
    return interaction.user.dm_channel.id if interaction.user.dm_channel is not None else 0


def _describe_ask(row: AskRow) -> dict[str, Any]:
    return {
        "channel": row.place.channel,
        "message": row.message,
        "question": row.ask.to_dict(),
        "decision": asdict(row.decision) if row.decision else None,
        # The token of a command lets anyone who has the file write in its name.
        "about": {key: value for key, value in row.about.items() if key != "command"},
        "at": row.created_at,
    }


async def collect(store: Store, budget: Budget, user: int, direct: int = 0) -> dict[str, Any]:
    """Return everything that the store has about a user, as plain values.

    Args:
        store: the store.
        budget: what was used today.
        user: the user.
        direct: the channel of the user's direct messages, if it is known.

    """
    payer = Payer(user)
    # The first account of a payer is the person; the others are shared with more people.
    mine = (await budget.totals(payer))[payer.accounts[0]]
    answers, traces = await store.memories_of(user), await store.traces_of(user, direct)
    tables = {message: await store.find_table(message) for one in answers for message in one.messages}
    # Direct messages have no server, so their settings are the user's own.
    channels = {direct, *(one.place.channel for one in answers if not one.place.guild)} - {0}
    direct_messages = [
        {
            "channel": channel,
            "settings": await store.settings(Place(0, channel)),
            "persona": await store.find_choice(Place(0, channel)),
        }
        for channel in sorted(channels)
    ]
    return {
        "person": user,
        "answers_are_remembered": not await store.refuses_memory(user),
        "answers": [asdict(one) for one in answers],
        "tables": {message: source for message, source in tables.items() if source is not None},
        "asked_lately": [asdict(one) for one in traces],
        "questions_with_buttons": [_describe_ask(one) for one in await store.asks_of(user)],
        "direct_messages": direct_messages,
        "changes": [asdict(one) for one in await store.changes_by(user)],
        # Sums are stored in millionths of the currency.
        "asked_for_today": {**asdict(mine), "money": show_money(mine.money, budget.config.currency)},
    }

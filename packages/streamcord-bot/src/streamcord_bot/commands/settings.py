"""`/settings`: show and change settings of a channel or server; the degree comes with a sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from random import Random
from typing import Any, get_origin

import discord
from discord import app_commands

from streamcord import AnswerContext, Degree, Message, Pipeline, Settings, SettingsError
from streamcord.settings import FieldSpec
from streamcord.store import Place, Store

from ..config import BotConfig
from ..config.server_limits import may_change
from ..config.settings_catalog import (
    all_settings,
    check_bound,
    check_value,
    parse_value,
    show_value,
    suggest_values,
)
from ..i18n import translate
from ..policy.channel_config import ChannelConfigs, place_of
from ..policy.permissions import PROTECTED, find_missing_right, setter_key
from .autocomplete import choices
from .base import CommandGroup, CommandRefused, Interaction, Scope, inline_code, reply, require_place

# Suggested first: what people look for in a list of a hundred names.
COMMON = (
    "degree", "delivery", "typing", "max_typing_lag", "tables", "headings", "mentions", "reply_ping",
    "previews", "links", "emoji_usage", "speaker_guard", "answer.channels", "answer.words", "answer.mentions",
    "answer.threads", "answer.personas", "answer.follow_up", "answer.follow_up_time", "answer.greet",
    "answer.buttons", "context.messages", "context.memory", "thought_log", "message_cap",
)  # fmt: skip
DEGREES = [app_commands.Choice(name=f"{one.value} {one.name}", value=one.value) for one in Degree]


class SettingsCommands(CommandGroup):
    """`/settings`."""

    def __init__(self, config: BotConfig, store: Store, channel_configs: ChannelConfigs) -> None:
        super().__init__("settings", "How I behave in this channel, or in this server")
        self._config = config
        self._store = store
        self._channel_configs = channel_configs

    async def complete_name(self, _: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest names of settings, with their meaning."""
        found = choices([*COMMON, *(name for name in all_settings() if name not in COMMON)], current)
        for choice in found:
            # Discord allows 100 characters for the name of a choice.
            choice.name = f"{choice.value}: {all_settings()[choice.value].doc}"[:100]
        return found

    async def complete_value(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest values of the setting that was named before."""
        setting = all_settings().get(str(interaction.namespace["name"] or ""))
        return choices(suggest_values(setting), current) if setting else []

    @app_commands.command(description="Show the settings of this place, or explain one setting")
    @app_commands.describe(name="one setting")
    @app_commands.autocomplete(name=complete_name)
    async def show(self, interaction: Interaction, name: str = "") -> None:
        """Show what was set for this place, or explain one setting."""
        await interaction.response.defer(ephemeral=True)
        if name:
            await self._show_one(interaction, _find(interaction, name))
            return
        locale = str(interaction.locale)
        place, _ = _place(interaction)
        parts = []
        places = (
            {place: "in_channel"}
            if place == place.server
            else {place.server: "in_server", place: "in_channel"}
        )
        for one, where in places.items():
            stored = await self._store.settings(one)
            # Stored values beyond today's limits are shown as they apply, not as they were set.
            values = self._channel_configs.allowed(stored, place)
            lines = [f"- `{key}`: `{inline_code(_show(value))}`" for key, value in sorted(values.items())]
            head = translate(locale, "settings_head", place=translate(locale, where))
            parts.append("\n".join([head, *(lines or [translate(locale, "settings_none")])]))
        await reply(interaction, "\n".join(parts))

    async def _show_one(self, interaction: Interaction, setting: FieldSpec) -> None:
        value = await self._effective(interaction, setting)
        text = f"`{setting.name}`: `{inline_code(show_value(value))}`\n{setting.doc}\n-# {inline_code(_takes(setting))}"
        await reply(interaction, text)

    @app_commands.command(name="set", description="Set something for this channel, or for the server")
    @app_commands.describe(
        name="what to set", value="to what", where="in this channel, or in the whole server"
    )
    @app_commands.autocomplete(name=complete_name, value=complete_value)
    async def set_(self, interaction: Interaction, name: str, value: str, where: Scope = "channel") -> None:
        """Set one value."""
        await interaction.response.defer(ephemeral=True)
        setting, place = _find(interaction, name), require_place(interaction, where)
        kept = await self._change(interaction, place, setting, parse_value(setting, value))
        await self._confirm(interaction, "set", setting, kept, where)

    @app_commands.command(description="Remove a setting, so that the server's or the file's value applies")
    @app_commands.describe(name="what to unset", where="in this channel, or in the whole server")
    @app_commands.autocomplete(name=complete_name)
    async def reset(self, interaction: Interaction, name: str, where: Scope = "channel") -> None:
        """Unset one value."""
        await interaction.response.defer(ephemeral=True)
        setting, place = _find(interaction, name), require_place(interaction, where)
        if setting.name not in await self._store.settings(place):
            await self._confirm(interaction, "not_set", setting, None, where)
            return
        await self._keep(place, setting, None, None)
        value = await self._effective(interaction, setting)
        await self._confirm(interaction, "reset", setting, value, where)

    @app_commands.command(description="How human the delivery is, with a sample of how it looks")
    @app_commands.describe(
        degree="0 one text … 3 sentence by sentence",
        where="in this channel, or in the whole server",
        try_only="look only",
    )
    @app_commands.choices(degree=DEGREES)
    async def degree(
        self,
        interaction: Interaction,
        degree: app_commands.Choice[int],
        where: Scope = "channel",
        try_only: bool = False,
    ) -> None:
        """Set the degree, and show what that means."""
        await interaction.response.defer(ephemeral=True)
        place, parent = _place(interaction)
        if not try_only:
            await self._change(
                interaction, require_place(interaction, where), all_settings()["degree"], degree.value
            )
        channel_config = await self._channel_configs.find(place, parent)
        settings = replace(channel_config.settings, degree=Degree(degree.value))
        planned = plan_sample(settings, channel_config.answer_context)
        locale = str(interaction.locale)
        lines = [_sample(locale, planned, Degree(degree.value))]
        if not try_only:
            # Without this line no one can tell whether it was set.
            place_name = translate(locale, f"in_{where}")
            lines.insert(0, translate(locale, "set", name="degree", value=degree.value, place=place_name))
        await reply(interaction, "\n".join(lines))

    async def _change(self, interaction: Interaction, place: Place, setting: FieldSpec, value: object) -> Any:  # noqa: ANN401
        config = self._config
        if not may_change(config.servers, setting.name, place.guild):
            raise CommandRefused("withheld", name=setting.name)
        here, parent = _place(interaction)
        kept = check_value(setting, value, await self._values(here, parent))
        # A model has settings of its own in the file, and these are the limits here.
        model = (await self._channel_configs.find(here, parent)).model
        check_bound(setting, kept, config.value_of(setting.name, model), config.servers, place.guild)
        if (
            setting.name == "thought_log"
            and kept
            and not (interaction.guild and interaction.guild.get_channel(kept))
        ):
            # Thoughts must not leave the server: the log channel belongs to the same one.
            raise SettingsError(setting.name, "a channel of this server, or 0 for none", kept)
        _check_right(interaction, place, setting.name, kept)
        await self._keep(place, setting, kept, interaction.user.id)
        return kept

    async def _keep(self, place: Place, setting: FieldSpec, value: object, setter: int | None) -> None:
        """Store a value; `None` removes it."""
        changes = {setting.name: value}
        # A protected setting needs the permission of its setter at each use, so store who it is.
        if setting.name in PROTECTED:
            changes[setter_key(setting.name)] = setter
        await self._store.change_settings(place, changes)
        self._channel_configs.forget()

    async def _confirm(
        self, interaction: Interaction, key: str, setting: FieldSpec, value: object, where: Scope
    ) -> None:
        locale = str(interaction.locale)
        shown, place = inline_code(show_value(value)), translate(locale, f"in_{where}")
        await reply(interaction, translate(locale, key, name=setting.name, value=shown, place=place))

    async def _values(self, place: Place, parent: int) -> Mapping[str, Any]:
        """Return all values of a place: of the file, overridden by the server, the channel and the thread."""
        values = self._config.setting_values()
        for one in dict.fromkeys((place.server, Place(place.guild, parent) if parent else place, place)):
            # The same order as in `ChannelConfigs`: server, then channel, then thread.
            values |= await self._store.settings(one)
        return values

    async def _effective(self, interaction: Interaction, setting: FieldSpec) -> object:
        return (await self._channel_configs.find(*_place(interaction))).value_of(setting.name)


def _check_right(interaction: Interaction, place: Place, name: str, value: object) -> None:
    """Raise `CommandRefused` for a setting that lets the bot do what its user may not do."""
    person, channel = interaction.user, interaction.channel
    # In direct messages the user decides alone.
    if not isinstance(person, discord.Member):
        return
    here = channel if isinstance(channel, discord.abc.GuildChannel | discord.Thread) else None
    if missing := find_missing_right(name, value, person, None if place == place.server else here):
        raise CommandRefused(missing)


def _find(interaction: Interaction, name: str) -> FieldSpec:
    setting = all_settings().get(name.strip().lower())
    if setting is None:
        near = get_close_matches(name, all_settings(), n=1)
        hint = translate(str(interaction.locale), "did_you_mean", name=near[0]) if near else ""
        raise CommandRefused("no_setting", name=inline_code(name[:50]), near=hint)
    return setting


def _place(interaction: Interaction) -> tuple[Place, int]:
    if interaction.channel is None:
        raise CommandRefused("command_failed")
    return place_of(interaction.channel)


def _takes(setting: FieldSpec) -> str:
    """Return the allowed values in words."""
    return setting.allowed + (", with commas between" if get_origin(setting.hint) is tuple else "")


def _show(value: object) -> str:
    return str(value.value) if isinstance(value, Degree) else show_value(value)


def _sample(locale: str, messages: list[Any], degree: Degree) -> str:
    lines = [translate(locale, "sample", degree=degree.value, title=degree.name)]
    for message in messages:
        wait = translate(locale, "sample_waits", seconds=f"{message.delay:.1f}")
        lines.append(f"-# {wait if message.delay else translate(locale, 'sample_first')}")
        lines += (f"> {line}" for line in message.content.split("\n"))
    return "\n".join(lines)


SAMPLE = (
    "Oh, good question! The short answer is yes. I tried it last week, and it worked.\n"
    "Two things help:\n"
    "- fresh basil\n"
    "- a little patience\n\n"
    "Should I write it down for you?"
)
"""A few sentences, a list and a blank line: where the degrees differ."""


def plan_sample(settings: Settings, context: AnswerContext | None = None) -> list[Message]:
    """Return the messages of the sample; a fixed seed makes them the same each time."""
    pipeline = Pipeline(settings, Random(7), context=context)
    return [event for event in (*pipeline.feed(SAMPLE), *pipeline.flush()) if isinstance(event, Message)]

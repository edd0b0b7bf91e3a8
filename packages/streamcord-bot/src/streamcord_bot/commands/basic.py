"""`/stop`, `/model`, `/why`, `/help` and `/memory`."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import discord
from discord import app_commands

from streamcord import StopOutcome
from streamcord.store import Memory, Place, Store

from ..answering.recent_answers import RecentAnswers, explain_message, explain_turn, table_source
from ..config import BotConfig, ModelConfig
from ..config.server_limits import may_change
from ..discord_requests import NO_PINGS
from ..i18n import translate, translate_command
from ..listening.dispatcher import Dispatcher
from ..personas.server_personas import ServerPersonas, escape, show_name
from ..policy.access import is_open, requester_of
from ..policy.channel_config import ChannelConfigs, place_of
from ..ui.buttons import stop_requester_of
from ..ui.notices import reply_privately
from .base import (
    CHOICE_CAP,
    TEXT_LENGTH,
    AnyCommand,
    CommandGroup,
    CommandRefused,
    Interaction,
    Scope,
    choices,
    reply,
    require_place,
    stop_mode_in,
)

# Locale keys of the replies of `/stop`.
_STOP_REPLIES = {
    StopOutcome.ACCEPTED: "stopped",
    StopOutcome.NOTHING: "nothing",
    StopOutcome.REFUSED: "not_yours",
}


def build_stop(dispatcher: Dispatcher, channel_configs: ChannelConfigs) -> AnyCommand:
    """Build `/stop`."""

    @app_commands.command(description="Stop the answer that is being written here")
    async def stop(interaction: discord.Interaction[Any]) -> None:
        mode = await stop_mode_in(channel_configs, interaction)
        answer = await dispatcher.stop_in(interaction.channel_id or 0, stop_requester_of(interaction), mode)
        locale = str(interaction.locale)
        # The dispatcher does not say who asked, so the text says "the person who asked".
        owner = translate(locale, "who_asked")
        await reply_privately(interaction, translate(locale, _STOP_REPLIES[answer], owner=owner))

    return stop


def build_model(config: BotConfig, store: Store, channel_configs: ChannelConfigs) -> AnyCommand:
    """Build `/model`."""

    async def complete(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
        models = _open_models(config, interaction)
        found = [name for name in models if current.casefold() in name.casefold()]
        return [app_commands.Choice(name=name, value=name) for name in found[:CHOICE_CAP]]

    @app_commands.command(description="Which model answers here; name another one to change it")
    @app_commands.describe(
        name="the model that should answer", everywhere="in the whole server, not only in this channel"
    )
    @app_commands.autocomplete(name=complete)
    async def model(interaction: discord.Interaction[Any], name: str = "", everywhere: bool = False) -> None:
        # The store may take longer than the three seconds that Discord waits.
        await interaction.response.defer(ephemeral=True)
        await reply_privately(
            interaction,
            await _choose_model(config, store, channel_configs, interaction, name, everywhere=everywhere),
        )

    return model


async def _choose_model(
    config: BotConfig,
    store: Store,
    channel_configs: ChannelConfigs,
    interaction: discord.Interaction[Any],
    name: str,
    *,
    everywhere: bool,
) -> str:
    locale, models = str(interaction.locale), config.models
    channel = interaction.channel
    if channel is None:
        return translate(locale, "too_old")
    place, parent = place_of(channel)
    if not name:
        channel_config, _ = await channel_configs.find_or_default(place, parent)
        return translate(locale, "model_is", model=_describe_model(models, channel_config.model))
    # Anyone may see the model; changing it needs a permission.
    if refusal := _find_model_refusal(config, interaction, place, name, everywhere=everywhere):
        return translate(locale, refusal.key, **refusal.values)
    await store.change_settings(place.server if everywhere else place, {"model": name})
    return translate(locale, "model_set", model=_describe_model(models, name))


def _find_model_refusal(
    config: BotConfig, interaction: discord.Interaction[Any], place: Place, name: str, *, everywhere: bool
) -> CommandRefused | None:
    """Return why a user may not choose this model, or `None`."""
    if not may_change(config.servers, "model", place.guild):
        return CommandRefused("model_withheld")
    if everywhere and not place.guild:
        return CommandRefused("only_server")
    if place.guild and not interaction.permissions.manage_guild:
        return CommandRefused("need_server")
    models = _open_models(config, interaction)
    if name not in models:
        # The reply quotes the name between backticks.
        shown = name[:50].replace("`", "ˋ")
        return CommandRefused("model_unknown", model=shown, models=", ".join(models) or "-")
    return None


def _open_models(config: BotConfig, interaction: discord.Interaction[Any]) -> list[str]:
    """Return the names of the models that a user may choose in this place."""
    requester = requester_of(interaction.user.id, stop_requester_of(interaction).roles, interaction.channel)
    return [name for name, model in config.models.items() if is_open(model.allow, requester)]


def _describe_model(models: Mapping[str, ModelConfig], name: str) -> str:
    """Return a model's name in the file (or the first model's), with its provider and the provider's name for it."""
    model = models.get(name) or next(iter(models.values()), None)
    return f"**{model.name}** ({f'{model.provider} {model.model}'.strip()})" if model else "**-**"


# The id of a message, alone or at the end of its link.
_ID = re.compile(r"(?:.{0,200}/)?(\d{15,22})\s*", re.DOTALL)


def build_why(recent_answers: RecentAnswers) -> list[AnyCommand]:
    """Build `/why`, and "Why?" in the menu of a message."""

    @app_commands.command(description="Why a message of mine looks as it does: cuts, rules, waits")
    @app_commands.describe(message="link or id of the message; left out, my last one here")
    async def why(interaction: discord.Interaction[Any], message: str = "") -> None:
        match = _ID.fullmatch(message.strip())
        channel = interaction.channel_id or 0
        failed = recent_answers.find_without_message(channel, interaction.user.id)
        if failed is not None and not message.strip():
            await reply_privately(interaction, explain_turn(failed))
            return
        id_ = int(match[1]) if match else recent_answers.last_in(channel, interaction.user.id)
        await _explain(interaction, recent_answers, id_)

    @app_commands.context_menu(name="Why?")
    async def why_this(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        await _explain(interaction, recent_answers, message.id)

    return [why, why_this]


async def _explain(interaction: discord.Interaction[Any], recent_answers: RecentAnswers, id_: int) -> None:
    answered = recent_answers.find(id_, interaction.user.id)
    # Without this check, a user who knows an id could read answers of a channel that they may not see.
    if answered is None or answered.channel != interaction.channel_id:
        await reply_privately(interaction, translate(str(interaction.locale), "too_old"))
        return
    text = explain_message(answered, id_)
    source = table_source(answered, id_)
    table = io.BytesIO(source.encode("utf-8", "replace"))
    files = [discord.File(table, "source.md", spoiler="||" in source)] if source else []
    await interaction.response.send_message(text, ephemeral=True, files=files, allowed_mentions=NO_PINGS)


def build_help(channel_configs: ChannelConfigs, commands: Sequence[AnyCommand]) -> AnyCommand:
    """Build `/help`."""

    @app_commands.command(name="help", description="How to talk to me, and what else I can do")
    async def help_(interaction: discord.Interaction[Any]) -> None:
        locale = str(interaction.locale)
        await interaction.response.defer(ephemeral=True)
        if interaction.channel is None:
            return
        channel_config, _ = await channel_configs.find_or_default(*place_of(interaction.channel))
        listed = "\n".join(
            f"- `/{one.name}` {translate_command(locale, one.description)}"
            for one in commands
            if hasattr(one, "description")
        )
        text = translate(locale, "help", name=show_name(channel_config.persona.name), commands=listed)
        if words := channel_config.listening.words:
            triggers = escape(", ".join(words))
            text += "\n" + translate(locale, "help_words", words=triggers)
        await reply_privately(interaction, text[:TEXT_LENGTH])

    return help_


LINE_LENGTH = 160
"""Characters of one remembered answer that `/memory show` shows."""


class MemoryCommands(CommandGroup):
    """`/memory`: shows and clears what personas remember."""

    def __init__(
        self,
        config: BotConfig,
        store: Store,
        channel_configs: ChannelConfigs,
        recent_answers: RecentAnswers,
    ) -> None:
        super().__init__("memory", "What I remember, and how I forget it")
        self._config = config
        self._store = store
        self._channel_configs = channel_configs
        self._recent_answers = recent_answers

    async def complete_persona(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        """Suggest names of personas."""
        personas = ServerPersonas(self._store, self._config, interaction.guild_id or 0)
        return choices(await personas.names(), current)

    @app_commands.command(description="Show what I remember from this channel")
    @app_commands.describe(persona="whose memory; the default is the persona that speaks here")
    @app_commands.autocomplete(persona=complete_persona)
    async def show(self, interaction: Interaction, persona: str = "") -> None:
        """Show the remembered answers of this channel only."""
        await interaction.response.defer(ephemeral=True)
        if interaction.channel is None:
            raise CommandRefused("command_failed")
        place, parent = place_of(interaction.channel)
        # Memories quote earlier messages, so they need the same permission.
        if place.guild and not interaction.permissions.read_message_history:
            raise CommandRefused("need_history")
        name = persona.strip() or (await self._channel_configs.find(place, parent)).persona.name
        memories = await self._store.recall(name, place)
        key = "memory_head" if memories else "memory_none"
        locale, shown = str(interaction.locale), show_name(name[:100])
        await reply(
            interaction, _fit(translate(locale, key, name=shown), [_lines(locale, one) for one in memories])
        )

    @app_commands.command(description="Forget what was said in this channel, or in the whole server")
    @app_commands.describe(
        persona="whose memory; the default is all personas", where="in this channel, or in the server"
    )
    @app_commands.autocomplete(persona=complete_persona)
    async def clear(self, interaction: Interaction, persona: str = "", where: Scope = "channel") -> None:
        """Forget the answers of a channel or of the server."""
        await interaction.response.defer(ephemeral=True)
        count = await self._store.forget(require_place(interaction, where), persona.strip() or None)
        await reply(interaction, translate(str(interaction.locale), f"cleared_{where}", count=count))

    @app_commands.command(
        name="forget-me", description="Forget every answer to you, in all channels and servers"
    )
    async def forget_me(self, interaction: Interaction) -> None:
        """Delete every answer to the user of the command."""
        await interaction.response.defer(ephemeral=True)
        count = await self._store.forget_person(interaction.user.id)
        self._recent_answers.forget_owner(interaction.user.id)
        await reply(interaction, translate(str(interaction.locale), "forgot_you", count=count))


def _lines(locale: str, memory: Memory) -> str:
    text = f"- <t:{memory.at:.0f}:R> {_short(memory.text)}"
    notes = " ".join(memory.details)
    return f"{text}\n  -# {translate(locale, 'memory_notes', notes=_short(notes))}" if notes.strip() else text


def _short(text: str) -> str:
    words = " ".join(text.split())
    # Escaped before it is wrapped, so that the text cannot close the spoiler around it.
    cut = escape(words if len(words) <= LINE_LENGTH else words[: LINE_LENGTH - 1] + "…")
    # An answer with a spoiler is hidden as a whole: the cut may separate the bars.
    return f"||{cut}||" if "||" in words else cut


def _fit(head: str, entries: list[str]) -> str:
    """Return as many of the newest entries as fit one message, the oldest first."""
    left, kept = TEXT_LENGTH - len(head), list[str]()
    for entry in reversed(entries):
        left -= len(entry) + 1
        if left < 0:
            break
        kept.append(entry)
    return "\n".join([head, *reversed(kept)])

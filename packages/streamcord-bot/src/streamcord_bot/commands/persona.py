"""`/persona`: create, edit and choose personas, their sprites, and import or export character cards."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace as replace_fields
from functools import cache

import discord
from discord import app_commands

from streamcord import Persona, Settings
from streamcord.settings import fields_of
from streamcord.store import PersonaEntry, Store, StoredPersona

from ..answering.answer_checks import is_adult, is_adult_place
from ..answering.greeting import Greeter
from ..config import BotConfig
from ..config.server_limits import may_change
from ..config.settings_catalog import all_settings, check_bound, check_value, parse_value, show_value
from ..config.trigger_words import words_by_persona
from ..i18n import translate
from ..personas.avatar_emoji import pictures_of
from ..personas.character_cards import CardError
from ..personas.server_personas import ServerPersonas, escape, show_name
from ..personas.server_profile import ServerProfile
from ..policy.channel_config import ChannelConfigs, place_of
from ..policy.permissions import PROTECTED
from ..prompt.lorebook import MAX_GREETINGS, LorebookCache
from .autocomplete import choices
from .base import (
    TEXT_LENGTH,
    CommandGroup,
    CommandRefused,
    Interaction,
    Scope,
    defer,
    inline_code,
    reply,
    require_place,
    require_server,
)
from .persona_editor import PERSONA_CAP, Changes, EditForm, Form, PersonaEditor, check_name
from .sprites import SpriteCommands

# --- /persona itself ------------------------------------------------------------------------------------


LIST_CAP = 40
"""Personas that `/persona list` shows."""
MAX_LISTED_WORDS = 8
_FOR_PLACES = frozenset({"rules", "impersonation"})
"""Settings that only the whole place can have, since they need a permission of their own."""


class PersonaCommands(CommandGroup):
    """`/persona`."""

    def __init__(
        self,
        config: BotConfig,
        store: Store,
        channel_configs: ChannelConfigs,
        editor: PersonaEditor,
        lorebooks: LorebookCache,
        greeter: Greeter,
        profile: ServerProfile,
    ) -> None:
        super().__init__("persona", "Who speaks here, and what they look like")
        self._config = config
        self._store = store
        self._channel_configs = channel_configs
        self._editor = editor
        self._lorebooks = lorebooks
        self._greeter = greeter
        self._profile = profile
        self.add_command(SpriteCommands(store, channel_configs, editor))

    def personas(self, interaction: Interaction) -> ServerPersonas:
        """The personas of the server where a command was used."""
        return self._editor.personas(interaction.guild_id or 0)

    async def complete_name(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest names of personas."""
        return choices(await self.personas(interaction).names(), current)

    async def find(self, interaction: Interaction, name: str) -> StoredPersona:
        """Return a persona by name.

        Raises:
            CommandRefused: there is none.

        """
        found = await self.personas(interaction).find(name)
        if found is None:
            raise CommandRefused("no_persona", name=show_name(name[:100]))
        return found

    @app_commands.command(name="list", description="Who can speak here, and who does")
    async def list_all(self, interaction: Interaction) -> None:
        """List all personas with their sprites."""
        await defer(interaction)
        everybody = await self.personas(interaction).all()
        locale = str(interaction.locale)
        if not everybody or interaction.channel is None:
            await reply(interaction, translate(locale, "no_personas"))
            return
        place, parent = place_of(interaction.channel)
        here, server = [await self._store.find_choice(one) for one in (place, place.server)]
        words = words_by_persona((await self._channel_configs.find(place, parent)).listeners)
        lines = [
            translate(locale, "list_head"),
            *await self._editor.describe_capacity(place.guild, locale),
            *(_line(locale, one, here, server, words) for one in everybody[:LIST_CAP]),
        ]
        if len(everybody) > LIST_CAP:
            lines.append(f"… +{len(everybody) - LIST_CAP}")
        await reply(interaction, _fit(lines))

    @app_commands.command(description="Make a persona")
    @app_commands.describe(
        name="what it is called",
        prompt="what the model is told about it",
        greeting="what it says first",
        aliases="other names that it listens to, with commas between",
        picture="its face",
        own_identity="whether it always has a name and a face of its own (else it speaks as the bot)",
    )
    async def create(
        self,
        interaction: Interaction,
        name: str,
        prompt: str = "",
        greeting: str = "",
        aliases: str = "",
        picture: discord.Attachment | None = None,
        own_identity: bool = True,
    ) -> None:
        """Create a persona."""
        await defer(interaction, public=picture is not None)
        guild = require_server(interaction)
        called = check_name(name)
        everybody = await self.personas(interaction).all()
        if any(one.name.casefold() == called.casefold() for one in everybody):
            raise CommandRefused("persona_exists", name=show_name(called))
        if sum(one.guild == guild for one in everybody) >= PERSONA_CAP:
            raise CommandRefused("persona_cap", cap=PERSONA_CAP)
        # Discord's figure is enough here; the content is checked after the download.
        await self._editor.check_capacity(guild, picture is not None, picture.size if picture else 0)
        # An empty persona that takes all values as changes, as `/persona edit` does.
        fresh = StoredPersona(Persona(called), guild)
        changes = Changes(
            None, prompt or None, None, greeting or None, aliases or None, picture, own_identity
        )
        await self._editor.apply_changes(interaction, fresh, changes, "persona_made")

    @app_commands.command(description="Change a persona; with nothing but its name a form opens")
    @app_commands.describe(
        name="whom to change",
        new_name="what it is called from now on",
        prompt="what the model is told about it",
        prompt_file="the same as a text file, if it is long",
        greeting="what it says first",
        aliases="other names that it listens to, with commas between",
        picture="its face",
        own_identity="whether it always has a name and a face of its own (else it speaks as the bot)",
    )
    @app_commands.autocomplete(name=complete_name)
    async def edit(  # noqa: PLR0913, PLR0917 - the options of the command
        self,
        interaction: Interaction,
        name: str,
        new_name: str | None = None,
        prompt: str | None = None,
        prompt_file: discord.Attachment | None = None,
        greeting: str | None = None,
        aliases: str | None = None,
        picture: discord.Attachment | None = None,
        own_identity: bool | None = None,
    ) -> None:
        """Change the given options, or open a form if there are none."""
        changes = Changes(new_name, prompt, prompt_file, greeting, aliases, picture, own_identity)
        if changes.is_empty:
            # A form must be the first answer; it cannot follow a deferral.
            require_server(interaction)
            await interaction.response.send_modal(EditForm(self._editor, await self.find(interaction, name)))
            return
        await defer(interaction, public=picture is not None)
        require_server(interaction)
        found = await self.personas(interaction).own(await self.find(interaction, name))
        await self._editor.apply_changes(interaction, found, changes, "persona_changed")

    async def complete_setting(self, _: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest settings that a persona can have for itself."""
        return choices(sorted(_own_settings()), current)

    @app_commands.command(name="set", description="Set something for one persona, such as its degree")
    @app_commands.describe(
        name="which persona", setting="what to set", value="to what; left out, the value of the place applies"
    )
    @app_commands.autocomplete(name=complete_name, setting=complete_setting)
    async def set_(self, interaction: Interaction, name: str, setting: str, value: str = "") -> None:
        """Set or unset one setting of a persona."""
        await defer(interaction)
        guild, locale = require_server(interaction), str(interaction.locale)
        spec = all_settings().get(setting.strip().lower())
        if spec is None or spec.name not in _own_settings():
            raise CommandRefused("no_setting", name=inline_code(setting[:50]), near="")
        if not may_change(self._config.servers, spec.name, guild):
            raise CommandRefused("withheld", name=spec.name)
        found = await self.personas(interaction).own(await self.find(interaction, name))
        settings = {key: one for key, one in found.settings.items() if key != spec.name}
        shown = show_name(found.name)
        place = translate(locale, "for_persona", name=shown)
        if not value:
            await self._keep_settings(found, settings)
            await reply(interaction, translate(locale, "persona_reset", name=spec.name, place=place))
            return
        kept = check_value(spec, parse_value(spec, value), {**self._config.setting_values(), **settings})
        check_bound(spec, kept, self._config.value_of(spec.name), self._config.servers, guild)
        await self._keep_settings(found, {**settings, spec.name: kept})
        await reply(
            interaction, translate(locale, "set", name=spec.name, value=show_value(kept), place=place)
        )

    async def _keep_settings(self, found: StoredPersona, settings: Mapping[str, object]) -> None:
        await self._store.save_persona(replace_fields(found, settings=settings), was=found.name)
        self._channel_configs.forget()

    @app_commands.command(description="Remove a persona, with its sprites and memories")
    @app_commands.autocomplete(name=complete_name)
    async def remove(self, interaction: Interaction, name: str) -> None:
        """Remove a persona."""
        await defer(interaction)
        guild = require_server(interaction)
        found = await self.find(interaction, name)
        # A persona that was removed by mistake can be imported again.
        kept: list[discord.File] = []
        with suppress(CardError):
            kept = [await self._editor.write_card_file(self.personas(interaction), found, "png")]
        # A persona of the file belongs to all servers; only the operator can remove it.
        if not await self._store.remove_persona(guild, found.name):
            raise CommandRefused("persona_shared", name=show_name(found.name))
        self._channel_configs.forget()
        await self._editor.remove_unused(pictures_of(found.persona))
        locale = str(interaction.locale)
        text = translate(locale, "persona_removed", name=show_name(found.name))
        await reply(interaction, f"{text} {translate(locale, 'persona_card_kept')}" if kept else text, *kept)

    @app_commands.command(description="Let another persona speak; without a name, the default one")
    @app_commands.describe(name="the persona", where="in this channel, or in the whole server")
    @app_commands.autocomplete(name=complete_name)
    async def switch(self, interaction: Interaction, name: str = "", where: Scope = "channel") -> None:
        """Choose the persona of a channel or of the server."""
        await defer(interaction, public=True)
        place = require_place(interaction, where)
        found = await self.find(interaction, name) if name.strip() else None
        if found and is_adult(self._config, found) and not is_adult_place(interaction.channel):
            raise CommandRefused("closed_persona", name=show_name(found.name))
        before = await self._store.find_choice(place)
        await self._store.choose_persona(place, found.name if found else None)
        self._channel_configs.forget()
        key = f"{'switched' if found else 'unswitched'}_{where}"
        shown = show_name(found.name) if found else ""
        await reply(interaction, translate(str(interaction.locale), key, name=shown), public=True)
        if where == "server" and interaction.guild is not None:
            await self._profile.show(interaction.guild, found, before)
        if found and where == "channel" and isinstance(interaction.channel, discord.abc.Messageable):
            config = await self._channel_configs.find(*place_of(interaction.channel))
            if await self._greeter.is_first_meeting(config):
                text = config.speaker.greeting
                await self._greeter.greet(interaction.channel, config, text, interaction.user.display_name)

    @app_commands.command(description="Let the persona of this channel say its greeting")
    @app_commands.describe(number="which of a card's greetings; 1 is the first")
    async def greet(
        self, interaction: Interaction, number: app_commands.Range[int, 1, MAX_GREETINGS] = 1
    ) -> None:
        """Say a greeting in this channel."""
        await interaction.response.defer(ephemeral=True)
        channel = interaction.channel
        require_place(interaction, "channel")
        if not isinstance(channel, discord.abc.Messageable):
            raise CommandRefused("command_failed")
        place, parent = place_of(channel)
        config = await self._channel_configs.find(place, parent)
        if is_adult(self._config, config.speaker) and not is_adult_place(channel):
            raise CommandRefused("closed_persona", name=show_name(config.persona.name))
        greetings = (await self._lorebooks.find(config.speaker)).greetings
        shown = show_name(config.persona.name)
        if not greetings:
            raise CommandRefused("no_greeting", name=shown)
        if number > len(greetings):
            raise CommandRefused("greeting_count", name=shown, count=len(greetings))
        text = greetings[number - 1]
        said = await self._greeter.greet(channel, config, text, interaction.user.display_name)
        key = "greeted" if said.text else "not_greeted"
        await reply(interaction, translate(str(interaction.locale), key, name=shown, count=len(greetings)))

    @app_commands.command(
        name="import", description="Import a character card: PNG, JSON or CHARX, of version 1, 2 or 3"
    )
    @app_commands.describe(
        file="the card", url="or its address", replace="whether it may take the place of one of the same name"
    )
    async def import_(
        self,
        interaction: Interaction,
        file: discord.Attachment | None = None,
        url: str | None = None,
        replace: bool = False,
    ) -> None:
        """Import a character card."""
        await defer(interaction, public=True)
        await self._editor.import_card(interaction, file, url, replace=replace)

    @app_commands.command(description="Export a persona as a character card")
    @app_commands.describe(name="whose card", form="a picture that holds it, or JSON of version 2 or 3")
    @app_commands.autocomplete(name=complete_name)
    async def export(self, interaction: Interaction, name: str, form: Form = "png") -> None:
        """Export a character card."""
        await defer(interaction)
        # The card contains the prompt, which is only for users who manage the server.
        require_server(interaction)
        await self._editor.export_card(
            self.personas(interaction), interaction, await self.find(interaction, name), form
        )


def _fit(lines: list[str]) -> str:
    """Return as many lines as fit one message."""
    length, shown = 0, list[str]()
    for line in lines:
        length += len(line) + 1
        if length > TEXT_LENGTH - len("\n…"):
            return "\n".join([*shown, "…"])
        shown.append(line)
    return "\n".join(shown)


def _line(
    locale: str, one: PersonaEntry, here: str | None, server: str | None, words: Mapping[str, list[str]]
) -> str:
    """Return the line of one persona in the list."""
    same = one.name.casefold()
    trigger_words = [escape(word) for word in words.get(one.name, ())]
    remarks = [
        translate(locale, "listens", words=", ".join(trigger_words[:MAX_LISTED_WORDS]))
        if trigger_words
        else "",
        translate(locale, "speaks_here") if here and here != server and here.casefold() == same else "",
        translate(locale, "speaks_server") if server and server.casefold() == same else "",
        translate(locale, "shared") if not one.guild else "",
        translate(
            locale, "sprites", sprites=", ".join(show_name(sprite.name) for sprite in one.persona.sprites)
        )
        if one.persona.sprites
        else "",
    ]
    return f"- {show_name(one.name)}" + "".join(f" · {remark}" for remark in remarks if remark)


@cache
def _own_settings() -> frozenset[str]:
    """Return the settings that one persona can have for itself: those of answers, without protected ones."""
    own = frozenset(all_settings()) & frozenset(fields_of(Settings)) - PROTECTED - _FOR_PLACES
    return own | {"answer.follow_up"}

"""Change personas: checks, pictures, the form of `/persona edit`, and import and export of character cards."""

from __future__ import annotations

import asyncio
import dataclasses
import io
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import discord

from streamcord import Sprite
from streamcord.store import Picture, Store, StoredPersona

from ..config import BotConfig
from ..config.trigger_words import find_silent_words
from ..i18n import translate, translate_error
from ..personas.avatar_emoji import AvatarEmoji, pictures_of
from ..personas.card_export import Form
from ..personas.character_cards import (
    CARD_CAP,
    CARD_SPRITE_BYTES,
    NAME_LENGTH,
    PROMPT_LENGTH,
    CharacterCard,
    clean_name,
)
from ..personas.picture_fetcher import Fetcher, FetchError
from ..personas.pictures import PICTURE_CAP
from ..personas.server_personas import ServerPersonas, escape, show_name
from ..policy.channel_config import ChannelConfigs
from ..sandbox.client import SandboxClient
from .base import (
    FORM_TIMEOUT_S,
    CommandRefused,
    Interaction,
    describe_error,
    read_file,
    reply,
    require_server,
)

__all__ = ["PERSONA_CAP", "Changes", "EditForm", "Form", "PersonaEditor", "check_name"]

PERSONA_CAP = 100
"""Personas of one server."""
PICTURE_COUNT = 200
"""Pictures of all personas of one server; an application has 2000 emoji for all servers."""
SERVER_BYTES = 64 * 1024 * 1024
"""Bytes of all personas of one server, with their pictures."""
GREETING_LENGTH = 2000
ALIAS_CAP = 20
MAX_SILENT_WORDS = 5
FORM_LENGTH = 4000
"""Characters that Discord accepts in one field of a form."""
FILE_CAP = 4 * PROMPT_LENGTH
MAX_SHOWN_SPRITES = 10
UPLOAD_CAP = 9 * 1024 * 1024
"""Bytes of a file that Discord accepts in every server (10 MB), with a margin for the request around it."""
FETCH_TIMEOUT_S = 60.0
"""Time to download all sprites of one card that are given by address."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The fields of a persona to change; `None` leaves a field as it is."""

    name: str | None = None
    prompt: str | None = None
    prompt_file: discord.Attachment | None = None
    greeting: str | None = None
    aliases: str | None = None
    picture: discord.Attachment | None = None
    own_identity: bool | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to change."""
        return self == Changes()


def check_name(name: str) -> str:
    """Return the cleaned name.

    Raises:
        CommandRefused: it has no visible character, or is too long.

    """
    cleaned = clean_name(name)
    if not cleaned:
        raise CommandRefused("no_name")
    if len(name.strip()) > NAME_LENGTH:
        raise CommandRefused("name_length", length=NAME_LENGTH)
    return cleaned


@dataclass(eq=False, repr=False)
class PersonaEditor:
    """Changes the personas of servers: their texts, pictures and character cards."""

    config: BotConfig
    store: Store
    channel_configs: ChannelConfigs
    avatar_emoji: AvatarEmoji
    files: SandboxClient

    def personas(self, guild: int) -> ServerPersonas:
        """Return the personas of a server."""
        return ServerPersonas(self.store, self.config, guild)

    async def take_picture(self, file: discord.Attachment | None, url: str | None) -> Picture:
        """Return the picture that was given as a file or an address, checked."""
        # Exactly one of both must be given.
        if (file is None) == (not url):
            raise CommandRefused("one_picture")
        if file is None:
            return await Fetcher().fetch_picture(str(url).strip(), self.files.check_picture)
        return await self.files.check_picture(await read_file(file, PICTURE_CAP))

    async def remove_unused(self, pictures: Iterable[str | None]) -> None:
        """Delete the uploads of pictures that no persona uses any more."""
        await self.avatar_emoji.remove_unused(pictures)

    async def _count_pictures(self, guild: int) -> int:
        own = (one.persona for one in await self.store.personas(guild) if one.guild == guild)
        return sum(len(one.sprites) + bool(one.avatar) for one in own)

    async def check_capacity(self, guild: int, pictures: int, size: int) -> None:
        """Raise `CommandRefused` if a server cannot store `pictures` more pictures or `size` more bytes."""
        if pictures and await self._count_pictures(guild) + pictures > PICTURE_COUNT:
            raise CommandRefused("picture_count", cap=PICTURE_COUNT)
        if size and await self.store.persona_bytes(guild) + size > SERVER_BYTES:
            raise CommandRefused("server_bytes", size=SERVER_BYTES // 2**20)

    async def describe_capacity(self, guild: int, locale: str) -> list[str]:
        """Return a line on how many pictures and bytes a server uses; empty if it has no pictures."""
        count = await self._count_pictures(guild)
        size = f"{await self.store.persona_bytes(guild) / 2**20:.1f}"
        limits = {"cap": PICTURE_COUNT, "limit": SERVER_BYTES // 2**20}
        return [translate(locale, "picture_usage", count=count, size=size, **limits)] if count else []

    async def apply_changes(
        self, interaction: Interaction, old: StoredPersona, changes: Changes, done: str
    ) -> None:
        """Store the changed persona and confirm it to the user; `old` must be the server's own copy."""
        new, picture = await self._changed(interaction, old, changes)
        await self.store.save_persona(new, was=old.name)
        self.channel_configs.forget()
        text = translate(str(interaction.locale), done, name=show_name(new.name))
        text = "\n".join([text, *await self._explain_words(interaction, new)])
        if picture is None:
            await reply(interaction, text)
            return
        await self.show_picture(
            interaction, text, picture, partial(self.store.save_avatar, new.guild, new.name)
        )
        await self.remove_unused([old.persona.avatar])

    async def _explain_words(self, interaction: Interaction, persona: StoredPersona) -> list[str]:
        """Return a line for each name of a persona that does not wake it, because it is common or another's."""
        locale, everybody = str(interaction.locale), await self.store.personas(persona.guild)
        silent = find_silent_words(persona.name, [one.persona for one in everybody])
        return [
            translate(
                locale, "word_taken" if owner else "word_common", word=escape(word), name=show_name(owner)
            )
            for word, owner in [*silent.items()][:MAX_SILENT_WORDS]
        ]

    async def show_picture(
        self,
        interaction: Interaction,
        text: str,
        picture: Picture,
        keep: Callable[[Picture], Awaitable[None]],
    ) -> None:
        """Store a picture and post it with a public reply.

        If the upload as an application emoji failed, the address of the attachment is used until it expires.
        """
        # Stored before the reply, so that the picture is kept even if the reply fails.
        published = await self.avatar_emoji.publish(require_server(interaction), picture, keep)
        name = f"picture.{picture.kind.partition('/')[2]}"
        message = await reply(interaction, text, discord.File(io.BytesIO(picture.content), name), public=True)
        if not published.url and message is not None and message.attachments:
            await keep(replace(published, url=message.attachments[0].url))

    async def _changed(
        self, interaction: Interaction, old: StoredPersona, changes: Changes
    ) -> tuple[StoredPersona, Picture | None]:
        persona, prompt = old.persona, changes.prompt
        if changes.name is not None:
            persona = replace(persona, name=check_name(changes.name))
            await self._check_free(interaction, old, persona.name)
        if changes.aliases is not None:
            given = (clean_name(alias) for alias in changes.aliases.split(","))
            persona = replace(persona, aliases=tuple(dict.fromkeys(filter(None, given)))[:ALIAS_CAP])
        if changes.own_identity is not None:
            persona = replace(persona, alter=changes.own_identity)
        if changes.prompt_file is not None:
            prompt = (await read_file(changes.prompt_file, FILE_CAP)).decode("utf-8-sig", "replace")
        new = replace(
            old,
            persona=persona,
            prompt=old.prompt if prompt is None else prompt.strip()[:PROMPT_LENGTH],
            greeting=old.greeting if changes.greeting is None else changes.greeting.strip()[:GREETING_LENGTH],
        )
        if changes.picture is None:
            return new, None
        await self.check_capacity(new.guild, old.persona.avatar is None, changes.picture.size)
        # Parsed in the sandbox: users send these files.
        content = await read_file(changes.picture, PICTURE_CAP)
        return new, await self.files.check_picture(content)

    async def _check_free(self, interaction: Interaction, old: StoredPersona, name: str) -> None:
        personas = self.personas(interaction.guild_id or 0)
        other = await personas.find(name)
        # A new spelling of the same name is no conflict.
        if other is not None and other.name.casefold() != old.name.casefold():
            raise CommandRefused("persona_exists", name=show_name(other.name))

    async def import_card(
        self,
        interaction: Interaction,
        file: discord.Attachment | None,
        url: str | None,
        *,
        replace: bool,
    ) -> None:
        """Store the persona of a character card with its pictures."""
        guild = require_server(interaction)
        if (file is None) == (not url):
            raise CommandRefused("one_card")
        fetcher = Fetcher()
        content = await read_file(file, CARD_CAP) if file else await fetcher.fetch(str(url).strip(), CARD_CAP)
        card = await self.files.read_card(content, guild)
        personas = self.personas(guild)
        old = await personas.find(card.stored.name)
        if old is not None and not replace:
            raise CommandRefused("persona_exists", name=show_name(old.name))
        own = [one.name for one in await self.store.personas(guild) if one.guild == guild]
        if old is None and len(own) >= PERSONA_CAP:
            raise CommandRefused("persona_cap", cap=PERSONA_CAP)
        card = await self._fetch_sprites(fetcher, card)
        # The persona that it replaces still counts: deleting that first would lose it if the new one does not fit.
        await self.check_capacity(guild, len(card.sprites) + bool(card.picture), _size(card))
        before = pictures_of(old.persona) if old is not None and old.guild == guild else []
        await self._keep_card(card, old if before else None)
        await self._report_import(interaction, card)
        await self.remove_unused(before)

    async def _keep_card(self, card: CharacterCard, old: StoredPersona | None) -> None:
        store, stored = self.store, card.stored
        await store.save_persona(stored)
        # Sprites of the replaced persona that the card does not have would stay otherwise.
        for sprite in old.persona.sprites if old is not None else ():
            await store.remove_sprite(stored.guild, stored.name, sprite.name)
        for name, picture in card.sprites.items():
            keep = partial(store.save_sprite, stored.guild, stored.name, Sprite(name))
            await self.avatar_emoji.publish(stored.guild, picture, keep)
        self.channel_configs.forget()

    async def _report_import(self, interaction: Interaction, card: CharacterCard) -> None:
        locale, name = str(interaction.locale), card.stored.name
        lines = [translate(locale, "imported", name=show_name(name), sprites=len(card.sprites))]
        lines += describe_report(locale, card.report)
        if card.refused:
            lines += [translate(locale, "sprites_skipped"), *_list_refused(locale, card.refused)]
        if card.picture is None:
            await reply(interaction, "\n".join(lines), public=True)
            return
        keep = partial(self.store.save_avatar, card.stored.guild, name)
        await self.show_picture(interaction, "\n".join(lines), card.picture, keep)

    async def _fetch_sprites(self, fetcher: Fetcher, card: CharacterCard) -> CharacterCard:
        """Download the sprites that are given by address; a sprite that cannot be fetched is refused."""
        sprites, refused = dict(card.sprites), dict(card.refused)
        # The limit covers sprites in the file and sprites to download together.
        left = CARD_SPRITE_BYTES - sum(len(sprite.content) for sprite in sprites.values())
        # One deadline for all downloads: a card may name fifty slow servers.
        until = asyncio.get_running_loop().time() + FETCH_TIMEOUT_S
        for name, sprite in card.sprites.items():
            if sprite.content:
                continue
            try:
                async with asyncio.timeout_at(until):
                    sprites[name] = await fetcher.fetch_picture(
                        sprite.url, self.files.check_picture, min(left, PICTURE_CAP)
                    )
                left -= len(sprites[name].content)
            except (FetchError, TimeoutError) as error:
                refused[name] = str(error) or "There was no time left to fetch it."
                del sprites[name]
        return dataclasses.replace(card, sprites=sprites, refused=refused)

    async def export_card(
        self,
        personas: ServerPersonas,
        interaction: Interaction,
        found: StoredPersona,
        form: Form,
    ) -> None:
        """Send a persona as a character card to the user."""
        file = await self.write_card_file(personas, found, form)
        text = translate(str(interaction.locale), "exported", name=show_name(found.name))
        await reply(interaction, text, file)

    async def write_card_file(
        self, personas: ServerPersonas, found: StoredPersona, form: Form
    ) -> discord.File:
        """Return a persona as a file with its character card.

        Raises:
            CardError: it is too large, or takes too long.

        """
        pictures = await personas.pictures(found)
        avatar = pictures.pop("", None)
        content = await self.files.write_card(found, avatar, pictures, form, UPLOAD_CAP)
        ending = "png" if form == "png" else "json"
        # Letters of all scripts are kept; path separators and control characters are not.
        name = "".join(letter for letter in found.name if letter.isalnum() or letter in " -_").strip()[:40]
        return discord.File(io.BytesIO(content), f"{name or 'card'}.{ending}")


def describe_report(locale: str, report: Mapping[str, int]) -> list[str]:
    """Return lines about what a card or a lore file brings, and what of it is not used."""
    lines = []
    if report.get("used"):
        lines.append(translate(locale, "lore_read", count=report["used"]))
    for key, shown in (("regex", "lore_regex"), ("off", "lore_off")):
        if report.get(key):
            lines.append(translate(locale, shown, count=report[key]))
    if report.get("cut"):
        lines.append(translate(locale, "prompt_cut", limit=PROMPT_LENGTH, length=report["cut"]))
    return lines


def _list_refused(locale: str, refused: Mapping[str, str]) -> list[str]:
    """Return a line for each reason why sprites were not taken, with the names of the first ones."""
    names: dict[str, list[str]] = {}
    for sprite, why in refused.items():
        names.setdefault(why, []).append(show_name(sprite))
    # Every reason may be of its own, with an address in it.
    reasons = [*names.items()][:MAX_SHOWN_SPRITES]
    lines = [
        f"- {', '.join(every[:MAX_SHOWN_SPRITES])}"
        + (f" … +{len(every) - MAX_SHOWN_SPRITES}" if len(every) > MAX_SHOWN_SPRITES else "")
        + f": {escape(translate_error(locale, why))}"
        for why, every in reasons
    ]
    return [*lines, *([f"… +{len(names) - len(reasons)}"] if len(names) > len(reasons) else [])]


def _size(card: CharacterCard) -> int:
    pictures = (*card.sprites.values(), *filter(None, [card.picture]))
    return len(card.stored.card) + sum(len(one.content) for one in pictures)


class EditForm(discord.ui.Modal):
    """The form of `/persona edit`."""

    def __init__(self, editor: PersonaEditor, found: StoredPersona) -> None:
        # Discord allows 45 characters for the title of a form.
        super().__init__(title=f"{found.name}"[:45] or "?", timeout=FORM_TIMEOUT_S)
        self._editor = editor
        self._found = found
        self._name = self._field("name", found.name, NAME_LENGTH)
        self._aliases = self._field("aliases", ", ".join(found.persona.aliases), 1000, required=False)
        # A text that is longer than a field of the form is left out, since submitting would cut it off.
        self._prompt = None
        if len(found.prompt) <= FORM_LENGTH:
            self._prompt = self._field("prompt", found.prompt, FORM_LENGTH, required=False, long=True)
        self._greeting = None
        if len(found.greeting) <= GREETING_LENGTH:
            self._greeting = self._field(
                "greeting", found.greeting, GREETING_LENGTH, required=False, long=True
            )

    def _field(
        self, label: str, value: str, length: int, *, required: bool = True, long: bool = False
    ) -> discord.ui.TextInput[EditForm]:
        style = discord.TextStyle.paragraph if long else discord.TextStyle.short
        field: discord.ui.TextInput[EditForm] = discord.ui.TextInput(
            label=label, custom_id=label, style=style, default=value, max_length=length, required=required
        )
        self.add_item(field)
        return field

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Store the texts of the form."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild = require_server(interaction)
        personas = self._editor.personas(guild)
        # Another user may have changed it since the form was opened.
        found = await personas.own(await personas.find(self._found.name) or self._found)
        changes = Changes(
            self._name.value,
            # `None` leaves a field alone that was too long for the form.
            self._prompt.value if self._prompt else None,
            greeting=self._greeting.value if self._greeting else None,
            aliases=self._aliases.value,
        )
        await self._editor.apply_changes(interaction, found, changes, "persona_changed")

    async def on_error(self, interaction: Interaction, error: Exception, /) -> None:  # type: ignore[override]
        """Show the error to the user."""
        with suppress(discord.HTTPException):
            await reply(
                interaction, describe_error(str(interaction.locale), error, "the form of /persona edit")
            )

"""`[personas.NAME]`: personas of the file, with their sprites and picture files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from streamcord import Persona, Sprite
from streamcord.settings import check_fields, setting
from streamcord.utils import as_data_uri

MAX_PICTURE_BYTES = 8 * 1024 * 1024
"""Larger picture files are not read; `personas.pictures` refuses them with the same limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpriteConfig:
    """`[[personas.NAME.sprites]]`: one sprite."""

    name: str
    picture: str = setting(
        "", "A file beside the configuration, or an address that Discord can open.", repr=False
    )
    identity: bool = setting(False, "Whether it is shown as `sprite (Persona)`.")
    instruction: str = setting("", 'When the model should use it, such as "when teased".')

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaConfig:
    """`[personas.NAME]`: a persona; added to the store at the start if it is not there yet."""

    name: str
    prompt: str = setting("", "The system prompt: who the model is.")
    words: tuple[str, ...] = setting((), "Other names to which it responds.")
    picture: str = setting(
        "", "A file beside the configuration, or an address that Discord can open.", repr=False
    )
    greeting: str = setting("", "What it says first.")
    model: str = setting("", "The model that speaks for it; empty is the first of the file.")
    alter: bool = setting(
        False, "Whether it always has a name and a picture of its own; else it speaks as the bot."
    )
    follow_up: Literal["", "interrupt", "queue", "steer"] = setting(
        "", "The same as answer.follow_up, for this persona; empty is the value of the place."
    )
    nsfw: bool = setting(False, "Whether it speaks only in age-restricted channels.")
    tools: tuple[str, ...] = setting(("*",), "Names or patterns of the tools that it may call.")
    settings: Mapping[str, Any] = setting(
        doc="Fields of `Settings` that are different for this persona, such as degree.", factory=dict
    )
    card: str = setting(
        "",
        "A character card beside the configuration; it brings lore, pictures and texts that are not given here.",
    )
    options: Mapping[str, Any] = setting(
        doc="How the model answers as this persona, such as temperature; instead of the model's own values.",
        factory=dict,
    )
    sprites: tuple[SpriteConfig, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        # Builds the persona once, so that a wrong name is reported when the file is read.
        self.persona()

    def persona(self) -> Persona:
        """Return the persona as the library's value."""
        sprites = (
            Sprite(
                *(one.name, one.picture or None, one.identity),
                usable=_can_be_shown(one.picture),
                instruction=one.instruction,
            )
            for one in self.sprites
        )
        return Persona(self.name, self.words, self.picture or None, tuple(sprites), self.alter)


def _can_be_shown(picture: str) -> bool:
    """Return whether a sprite can be shown: not if its picture is a file that could not be read."""
    return not picture or "://" in picture or picture.startswith("data:")


def is_address(picture: str) -> bool:
    """Return whether a picture is given as an address, and not as the name of a file."""
    return "://" in picture or picture.startswith("data:")


def with_local_pictures(persona: PersonaConfig, folder: Path) -> PersonaConfig:
    """Read picture files into `data:` addresses; a file that cannot be read stays a name."""
    sprites = tuple(replace(one, picture=_read(folder, one.picture)) for one in persona.sprites)
    return replace(persona, picture=_read(folder, persona.picture), sprites=sprites)


def _read(folder: Path, picture: str) -> str:
    if not picture or is_address(picture):
        return picture
    try:
        path = folder / picture
        # A larger file stays a name; `streamcord-bot check` reports it.
        return as_data_uri(path.read_bytes()) if path.stat().st_size <= MAX_PICTURE_BYTES else picture
    except (OSError, ValueError):
        return picture

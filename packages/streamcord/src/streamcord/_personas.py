"""Who takes part: the persona that speaks, its sprites, other personas, people, and the server's emoji.

They are values of the settings, so each can also be built from a TOML table or a JSON object; an error names
the field that is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ._common.fields import check_fields, setting
from ._exceptions import SettingsError

__all__ = ["Emoji", "Person", "Persona", "Sprite"]

_EMOJI_NAME = re.compile(r"\w{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sprite:
    """A look of a persona: `Luna (mad): …` wears the sprite `mad` until another label.

    An identity sprite is shown as `mad (Luna)`. `usable` says that its image can be had; the core loads none.
    """

    name: str
    avatar: str | None = None
    identity: bool = False
    usable: bool = True

    def __post_init__(self) -> None:
        check_fields(self, "sprite.")
        _check_name("sprite.name", self.name)


@dataclass(frozen=True, slots=True)
class Persona:
    """Whose voice it is: the name the model may write before its lines, other names for it, and its looks.

    An `alter` always has a name and a face of its own; else the base look is the bot itself.
    """

    name: str
    aliases: tuple[str, ...] = ()
    avatar: str | None = None
    sprites: tuple[Sprite, ...] = ()
    alter: bool = False

    def __post_init__(self) -> None:
        check_fields(self, "persona.")
        _check_name("persona.name", self.name)


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who may be mentioned, by a handle or by any of several names."""

    id: int = setting(minimum=1, is_id=True)
    handle: str = ""
    names: tuple[str, ...] = ()
    avatar: str | None = None

    def __post_init__(self) -> None:
        check_fields(self, "person.")


@dataclass(frozen=True, slots=True)
class Emoji:
    """A custom emoji of the server."""

    name: str
    id: int = setting(minimum=1, is_id=True)
    animated: bool = False

    def __post_init__(self) -> None:
        check_fields(self, "emoji.")
        if not _EMOJI_NAME.fullmatch(self.name):
            raise SettingsError("emoji.name", "letters, digits and underscores", self.name)


def _check_name(where: str, value: str) -> None:
    if not value.strip():
        raise SettingsError(where, "a name with at least one letter", value)

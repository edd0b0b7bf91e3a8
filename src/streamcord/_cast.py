"""Who takes part: the persona that speaks, its sprites, other personas, people, and the server's emoji.

They are values of the settings, so each can also be built from a TOML table or a JSON object, and says which
field is wrong if one is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, TypeVar

from ._errors import SettingsError

__all__ = ["Emoji", "Person", "Persona", "Sprite", "as_texts", "as_value", "as_values", "build"]

T = TypeVar("T")
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
        _check_name("sprite.name", self.name)
        _check_optional("sprite.avatar", self.avatar)
        _check_flags("sprite", self, "identity", "usable")


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
        _check_name("persona.name", self.name)
        _check_optional("persona.avatar", self.avatar)
        _check_flags("persona", self, "alter")
        object.__setattr__(self, "aliases", as_texts("persona.aliases", self.aliases))
        object.__setattr__(self, "sprites", as_values(Sprite, "persona.sprites", self.sprites))


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who may be mentioned, by a handle or by any of several names."""

    id: int
    handle: str = ""
    names: tuple[str, ...] = ()
    avatar: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", _as_id("person.id", self.id))
        if not isinstance(self.handle, str):
            raise SettingsError("person.handle", "a text", self.handle)
        _check_optional("person.avatar", self.avatar)
        object.__setattr__(self, "names", as_texts("person.names", self.names))


@dataclass(frozen=True, slots=True)
class Emoji:
    """A custom emoji of the server."""

    name: str
    id: int
    animated: bool = False

    def __post_init__(self) -> None:
        name: object = self.name
        if not isinstance(name, str) or not _EMOJI_NAME.fullmatch(name):
            raise SettingsError("emoji.name", "letters, digits and underscores", self.name)
        object.__setattr__(self, "id", _as_id("emoji.id", self.id))
        _check_flags("emoji", self, "animated")


# --- From plain values --------------------------------------------------------------------------


def build(cls: type[T], where: str, values: object) -> T:
    """An instance of a settings class from plain values, with a clear word about unknown keys."""
    if not isinstance(values, Mapping):
        raise SettingsError(where, "a table of settings", values)
    known = [spec.name for spec in fields(cls)]  # type: ignore[arg-type]
    for key in values:
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            hint = f"a known setting (did you mean {near[0]}?)" if near else f"one of {', '.join(known)}"
            raise SettingsError(where, hint, key)
    try:
        return cls(**values)
    except TypeError as error:
        raise SettingsError(where, "complete", dict(values)) from error


def as_value(cls: type[T], where: str, value: object) -> T | None:
    """One value of a class, or none."""
    if value is None or isinstance(value, cls):
        return value
    if not isinstance(value, Mapping):
        raise SettingsError(where, f"a {cls.__name__.lower()} with a name", value)
    return build(cls, where, value)


def as_values(cls: type[T], where: str, values: object) -> tuple[T, ...]:
    """Values of a class, each given as one or as a table."""
    if not isinstance(values, (list, tuple)):
        raise SettingsError(where, "a list of tables", values)
    return tuple(value if isinstance(value, cls) else build(cls, where, value) for value in values)


def as_texts(where: str, values: object) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
        raise SettingsError(where, "a list of texts", values)
    return tuple(values)


def _check_name(where: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise SettingsError(where, "a name with at least one letter", value)


def _check_optional(where: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise SettingsError(where, "a text or nothing", value)


def _check_flags(where: str, owner: object, *names: str) -> None:
    for name in names:
        value: Any = getattr(owner, name)
        if not isinstance(value, bool):
            raise SettingsError(f"{where}.{name}", "true or false", value)


def _as_id(where: str, value: object) -> int:
    """JSON and TOML may hold an id as a text, since it can pass what a float keeps."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value[:24])
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise SettingsError(where, "a positive whole number", value)
    return value

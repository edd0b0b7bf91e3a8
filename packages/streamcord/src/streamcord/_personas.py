"""Personas, their sprites, the people of a conversation, and the custom emoji of a server.

They are values of `AnswerContext`, so each can also be built from a TOML table or a JSON object; an error names
the wrong field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ._common.fields import check_fields, setting
from ._exceptions import SettingsError

__all__ = ["Emoji", "Person", "Persona", "Sprite"]

# Discord allows 2 to 32 of these; older emoji may be longer or shorter.
_EMOJI_NAME = re.compile(r"\w{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sprite:
    """An alternative avatar of a persona: `Luna (mad): …` uses the sprite `mad` until the next label.

    Example:
        Sprite("mad", "https://example.com/mad.png")

    """

    name: str
    avatar: str | None = None
    """The URL of the image."""
    identity: bool = False
    """Whether the name changes too: the message is sent as `mad (Luna)`."""
    usable: bool = True
    """Whether the image is available; the library loads no images itself."""
    instruction: str = ""
    """When the model should use it, such as "when teased", for the program that writes the prompt."""

    def __post_init__(self) -> None:
        check_fields(self, "sprite.")
        _check_name("sprite.name", self.name)


@dataclass(frozen=True, slots=True)
class Persona:
    """A persona that the bot speaks as.

    Example:
        luna = Persona("Luna", avatar="https://example.com/luna.png", sprites=(Sprite("mad"),))
        await say(channel, source, context=AnswerContext(persona=luna))

    """

    name: str
    """The name; as a label before a line (`Luna: …`) it is not shown."""
    aliases: tuple[str, ...] = ()
    """Other names that the model may use as labels."""
    avatar: str | None = None
    """The URL of the avatar."""
    sprites: tuple[Sprite, ...] = ()
    """Alternative avatars."""
    alter: bool = False
    """Whether all messages use the persona's name and avatar; otherwise those without a sprite use the bot's."""

    def __post_init__(self) -> None:
        check_fields(self, "persona.")
        _check_name("persona.name", self.name)


@dataclass(frozen=True, slots=True)
class Person:
    """A person who may be mentioned, by handle or by name.

    Example:
        Person(id=80351110224678912, handle="ann", names=("Ann",))

    """

    id: int = setting(minimum=1, is_id=True)
    """The user's id."""
    handle: str = ""
    """The unique name, without `@`."""
    names: tuple[str, ...] = ()
    """Display names and nicknames."""
    avatar: str | None = None
    """The URL of the avatar, for `Luna (Ann): ` labels."""

    def __post_init__(self) -> None:
        check_fields(self, "person.")


@dataclass(frozen=True, slots=True)
class Emoji:
    """A custom emoji of the server.

    Example:
        Emoji("wave", 1234567890, animated=True)

    """

    name: str
    """The name between the colons."""
    id: int = setting(minimum=1, is_id=True)
    """The id of the emoji."""
    animated: bool = False
    """Whether it is written as `<a:name:id>`."""

    def __post_init__(self) -> None:
        check_fields(self, "emoji.")
        if not _EMOJI_NAME.fullmatch(self.name):
            raise SettingsError("emoji.name", "letters, digits and underscores", self.name)


def _check_name(where: str, value: str) -> None:
    # A blank name could be written neither before a line nor above a message.
    if not value.strip():
        raise SettingsError(where, "a name with at least one letter", value)

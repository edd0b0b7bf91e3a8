"""The appearances of a persona: its sprites, and the identities of other personas and people that a line may copy.

A modifier is the name of a sprite of the persona, or else of exactly one other persona or person; any other
modifier selects the base appearance, and so does a sprite without a usable image.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..._events import Speaker
from ..._settings import NO_CONTEXT

if TYPE_CHECKING:
    from ..._settings import AnswerContext, Persona, Settings

_SHORTENED = "..."
MAX_NAME_CHARS = 80
"""Characters of a webhook's name: https://docs.discord.com/developers/resources/webhook#create-webhook ."""
_SEVERAL = re.compile(r"[,;/&+、，；]")


class PersonaAppearance(NamedTuple):
    """A webhook name and avatar, and whether it ends with its line (`copied`)."""

    speaker: Speaker | None = None
    copied: bool = False


class SpriteTable:
    """All appearances of one persona."""

    def __init__(self, persona: Persona, settings: Settings, context: AnswerContext = NO_CONTEXT) -> None:
        self._limit = MAX_NAME_CHARS
        self._persona = persona
        # A persona that is the bot itself speaks without a webhook.
        self.base = PersonaAppearance(
            self._speaker(persona.name, persona.avatar, "") if persona.alter else None
        )
        # Appearances by modifier. Sprites are added last, so that they win over copied identities.
        self._appearances: dict[str, PersonaAppearance] = {}
        self._add_copied(settings, context)
        for sprite in reversed(persona.sprites):
            name = compose_name(sprite.name, persona.name, self._limit) if sprite.identity else persona.name
            speaker = self._speaker(name, sprite.avatar or persona.avatar, sprite.name)
            self._appearances[_key(sprite.name)] = PersonaAppearance(speaker) if sprite.usable else self.base

    def has_sprite(self, modifier: str) -> bool:
        """Return whether a modifier is the name of one of the persona's sprites."""
        found = self._appearances.get(_key(modifier))
        return found is not None and not found.copied

    def find(self, modifier: str) -> PersonaAppearance:
        """Return the appearance of a modifier; of several (`happy, excited`) the first known one."""
        found = self._appearances.get(_key(modifier))
        for part in () if found else _SEVERAL.split(modifier):
            found = found or self._appearances.get(_key(part))
        return found or self.base

    def _add_copied(self, settings: Settings, context: AnswerContext) -> None:
        """Add the identities of other personas and people.

        A name that several of them share, or that is the persona's own, selects nothing.
        """
        own = {_key(name) for name in (self._persona.name, *self._persona.aliases)}
        targets: dict[str, set[tuple[str, str | None, int]]] = {}
        personas = context.personas if settings.impersonation != "off" else ()
        people = context.people if settings.impersonation == "all" else ()
        for number, other in enumerate(personas):
            for name in (other.name, *other.aliases):
                targets.setdefault(_key(name), set()).add((other.name, other.avatar, -number - 1))
        for person in people:
            shown = next((name for name in (*person.names, person.handle) if name.strip()), "")
            for name in (person.handle, *person.names):
                targets.setdefault(_key(name), set()).add((shown, person.avatar, person.id))
        for key, found in targets.items():
            if key and key not in own and len({who for _, _, who in found}) == 1:
                name, avatar, _ = next(iter(found))
                shown = compose_name(name, self._persona.name, self._limit)
                self._appearances[key] = PersonaAppearance(self._speaker(shown, avatar, name), copied=True)

    def _speaker(self, name: str, avatar: str | None, modifier: str) -> Speaker:
        label = f"{self._persona.name} ({modifier}): " if modifier else ""
        return Speaker(shorten(name, self._limit), avatar, label)


def compose_name(first: str, second: str, limit: int) -> str:
    """Return `first (second)`, shortened to `limit`: the first name before the second."""
    available = limit - len(second) - 3
    if len(first) > available:
        first = shorten(first, max(available, len(_SHORTENED) + 1))
    return f"{first} ({shorten(second, limit - len(first) - 3)})"


def shorten(name: str, limit: int) -> str:
    """Return a name with at most `limit` characters."""
    return name if len(name) <= limit else name[: limit - len(_SHORTENED)] + _SHORTENED


def _key(name: str) -> str:
    return " ".join(name.casefold().split())

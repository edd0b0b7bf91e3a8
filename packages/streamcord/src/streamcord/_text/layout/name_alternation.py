"""Give neighbouring messages with different appearances different webhook names.

Discord groups messages of one webhook under one heading if their names are equal, and would then show the avatar of
the first for all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..rules.sprites import MAX_NAME_CHARS, compose_name, shorten

if TYPE_CHECKING:
    from ..._events import Speaker
    from ..._settings import Persona

BASE = "base"
"""The modifier in the name of the base appearance, if it needs a name that differs from the last one."""


class NameAlternator:
    """Choose webhook names so that Discord does not group messages of different appearances."""

    def __init__(self, persona: Persona, last: Speaker | None = None, names: str = "decorated") -> None:
        self._persona = persona
        # Whether a sprite after a message of the bot itself has a decorated name, too.
        self._after_bot = names == "decorated"
        self._limit = MAX_NAME_CHARS
        # The persona's plain name.
        self._clean = shorten(persona.name, self._limit)
        # Name and label of the last message.
        self._last = (last.name, last.label) if last else ("", "")

    def assign(self, speaker: Speaker | None) -> Speaker | None:
        """Return the speaker of the next message under the name that it needs."""
        if speaker is None:
            # The bot itself, whose messages are never grouped with those of a webhook.
            if self._after_bot:
                self._last = (self._clean, "")
            return None
        name = self._distinct(speaker.label) if speaker.name == self._clean else speaker.name
        self._last = (name, speaker.label)
        return speaker if name == speaker.name else replace(speaker, name=name)

    def _distinct(self, label: str) -> str:
        """Return the plain name, or the name with the modifier if the last message used the plain one."""
        last_name, last_label = self._last
        modifier = label[len(self._persona.name) + 2 : -3] if label else BASE
        decorated = compose_name(self._persona.name, modifier, self._limit)
        if last_label == label and last_name in (self._clean, decorated):
            return last_name
        return decorated if last_name == self._clean else self._clean

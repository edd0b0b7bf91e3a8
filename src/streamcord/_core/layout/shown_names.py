"""Under which name each message is sent, so that Discord shows every change of looks.

Discord groups messages of one webhook by their name and shows only the first avatar of a group. So adjacent
messages in different looks take the clean name and `Persona (sprite)` in turn; the base look is a look, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..rules.labels import compose_name, shorten

if TYPE_CHECKING:
    from ..._events import Speaker
    from ..._settings import Normalizing, Persona

__all__ = ["BASE", "Looks"]

BASE = "base"
"""What stands in the brackets when the base look needs a name that differs from the one before."""


class Looks:
    """Remembers the look of the last message."""

    def __init__(self, persona: Persona, settings: Normalizing) -> None:
        self._persona = persona
        self._limit = settings.webhook_name_length
        self._clean = shorten(persona.name, self._limit)
        last = settings.last_look
        self._last = (last.name, last.label) if last else ("", "")

    def wear(self, speaker: Speaker | None) -> Speaker | None:
        """The speaker of the next message, under the name that it needs."""
        if speaker is None:
            # The bot itself, whose messages are never grouped with those of a webhook.
            self._last = (self._clean, "")
            return None
        name = self._distinct(speaker.label) if speaker.name == self._clean else speaker.name
        self._last = (name, speaker.label)
        return speaker if name == speaker.name else replace(speaker, name=name)

    def _distinct(self, label: str) -> str:
        last_name, last_label = self._last
        modifier = label[len(self._persona.name) + 2 : -3] if label else BASE
        decorated = compose_name(self._persona.name, modifier, self._limit)
        if last_label == label and last_name in (self._clean, decorated):
            return last_name
        return decorated if last_name == self._clean else self._clean

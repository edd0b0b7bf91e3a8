"""How long a message waits, as if someone typed it: a time for each character, and now and then a pause.

The delay is a number in the message; only the sender waits (`_delivery/sender.py`), and it waits less if it is late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from ..._settings import Settings


def typed_seconds(content: str, settings: Settings) -> float:
    """Return the time to type a message, within the limits of the settings."""
    typed = len(content) * settings.seconds_per_character
    return min(max(typed, settings.typing_delay_min), settings.typing_delay_max)


def draw_typing_delay(content: str, settings: Settings, random: Random) -> float:
    """Return the time to type a message, and sometimes a pause for thought."""
    delay = typed_seconds(content, settings)
    if random.random() < settings.pause_chance:
        delay += random.uniform(settings.pause_min, settings.pause_max)
    return round(delay, 3)

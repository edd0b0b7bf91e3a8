"""What may stand in a reaction: a character that is an emoji, or `name:id` of a custom one."""

from __future__ import annotations

import re

__all__ = ["CUSTOM_EMOJI", "is_unicode_emoji"]

CUSTOM_EMOJI = re.compile(r"(?:<?a?:)?(\w{1,32}):([0-9]{1,20})>?", re.ASCII)
"""`name:id`; clients also write `a:name:id`."""

_LONGEST = 16
# Ranges of https://www.unicode.org/Public/UCD/latest/ucd/emoji/emoji-data.txt , property Emoji, made wider
# where what lies between is used by nobody: a name or a sentence is none, and that is what matters here.
_RANGES = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139),
    (0x2194, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328), (0x23CF, 0x23FA), (0x24C2, 0x24C2),
    (0x25AA, 0x25FE), (0x2600, 0x27BF), (0x2934, 0x2935), (0x2B05, 0x2B07), (0x2B1B, 0x2B1C),
    (0x2B50, 0x2B55),    (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3299), (0x1F000, 0x1FAFF),
)  # fmt: skip
_KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
_JOINERS = frozenset({0xFE0F, 0x200D, *range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080)})


def is_unicode_emoji(text: str) -> bool:
    """Whether a text is one emoji of Unicode, as far as a table of ranges can tell."""
    if _KEYCAP.fullmatch(text):
        return True
    points = [ord(one) for one in text]
    drawn = [one for one in points if one not in _JOINERS]
    return 0 < len(drawn) <= len(points) <= _LONGEST and all(map(_is_drawn, drawn))


def _is_drawn(point: int) -> bool:
    return any(first <= point <= last for first, last in _RANGES)

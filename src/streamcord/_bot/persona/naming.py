"""Names that people give to personas and sprites, and their words, made fit to be kept and shown."""

from __future__ import annotations

import unicodedata

__all__ = ["NAME_LENGTH", "clean_name", "escape", "show_name"]

NAME_LENGTH = 80
"""Characters of a name, at most: what Discord shows over a message."""

_JOINERS = frozenset("\u200c\u200d")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS = frozenset("\\`*_~|<>@#[]")
_LINKS = frozenset("():./")
_MARKS_CAP = 3


def clean_name(name: str) -> str:
    """The name on one line, without what is not seen, at most 80 characters; it may be empty.

    A letter wears at most three marks, so that no name climbs over its neighbours.
    """
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", name[: NAME_LENGTH * 16]):
        category = unicodedata.category(letter)
        marks = marks + 1 if category == "Mn" else 0
        if letter.isspace():
            kept.append(" ")
        elif (category not in _UNSEEN or letter in _JOINERS) and marks <= _MARKS_CAP:
            kept.append(letter)
    cleaned = " ".join("".join(kept).split()).strip("\u200c\u200d")
    return cleaned[:NAME_LENGTH].rstrip() if any(map(str.isprintable, cleaned)) else ""


def show_name(name: str) -> str:
    """A name within a message, in bold: no character of it is Markdown, a mention or a link."""
    return f"**{''.join(_escaped(letter, letter in _MARKS or letter in _LINKS) for letter in name)}**"


def escape(text: str) -> str:
    """Words of somebody else within a message: no Markdown, no mention."""
    return "".join(_escaped(letter, letter in _MARKS) for letter in text)


def _escaped(letter: str, marked: bool) -> str:
    return f"\\{letter}" if marked else letter

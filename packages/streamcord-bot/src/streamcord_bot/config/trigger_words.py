"""Which words wake which persona: its names and trigger words, unless they are another's or too common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

from streamcord import Persona
from streamcord.utils import is_common_word

MIN_SHORT_NAME_CHARS = 3


def find_owners(listeners: Sequence[Persona]) -> dict[str, str]:
    """Return the names of personas by the words that wake them; the first persona with a word has it."""
    return _find_owners(tuple((one.name, one.aliases) for one in listeners))


@lru_cache(maxsize=256)
def _find_owners(listeners: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, str]:
    """Return the names of personas by the words that wake them; the first persona with a word has it."""
    words: dict[str, str] = {}
    # Names before trigger words: a trigger word never takes another persona's name away.
    for name, _ in listeners:
        words.setdefault(name.strip().casefold(), name)
    for name, aliases in listeners:
        for alias in aliases:
            if alias.strip():
                words.setdefault(alias.strip().casefold(), name)
    return {word: name for word, name in words.items() if not is_function_word(word)}


def find_short_names(listeners: Sequence[Persona]) -> dict[str, str]:
    """Return the names of personas by the parts of them that no one else has: `isolde` of Captain Isolde Marrow.

    People call someone by a part of a long name, but they also use such words for other things. So a part wakes a
    persona only where the persona is spoken to.
    """
    return dict(_find_short_names(tuple((one.name, one.aliases) for one in listeners)))


@lru_cache(maxsize=256)
def _find_short_names(listeners: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[tuple[str, str], ...]:
    owners = _find_owners(listeners)
    found: dict[str, set[str]] = {}
    for name, _ in listeners:
        for part in short_names_of(name):
            found.setdefault(part, set()).add(name)
    # Two Marrows are called by their first names.
    return tuple(
        (part, names.pop()) for part, names in found.items() if len(names) == 1 and part not in owners
    )


def short_names_of(name: str) -> list[str]:
    """Return the parts of a name of several words that may stand for all of it, in lower case."""
    parts = name.casefold().split()
    return [
        part
        for part in parts
        if len(parts) > 1
        and len(part) >= MIN_SHORT_NAME_CHARS
        and part.isalpha()
        and not is_function_word(part)
        and not is_common_word(part)
    ]


def words_by_persona(listeners: Sequence[Persona]) -> dict[str, list[str]]:
    """Return the words that wake each persona, as they are written; of a shared word only the first one has it."""
    owners = find_owners(listeners)
    return {
        one.name: [word for word in _written(one) if owners.get(word.strip().casefold()) == one.name]
        for one in listeners
    }


def find_silent_words(name: str, listeners: Sequence[Persona]) -> dict[str, str]:
    """Return the words of a persona that do not wake it, each with the persona that it wakes.

    A word without one is too common to be a trigger.
    """
    persona = next((one for one in listeners if one.name == name), None)
    owners = find_owners(listeners)
    found = {word: owners.get(word.strip().casefold(), "") for word in (_written(persona) if persona else ())}
    return {word: owner for word, owner in found.items() if owner != name}


def _written(persona: Persona) -> list[str]:
    return list(dict.fromkeys(word for word in (persona.name, *persona.aliases) if word.strip()))


def is_function_word(word: str) -> bool:
    """Return whether a word is in nearly every message, such as `the`: it cannot be a trigger."""
    folded = word.strip().casefold()
    return (len(folded) == 1 and folded.isascii()) or folded in _function_words()


@lru_cache(maxsize=1)
def _function_words() -> frozenset[str]:
    text = files("streamcord_bot.config").joinpath("function_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())

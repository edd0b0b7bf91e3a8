"""Find which personas a message names, and which persona wrote a message of ours.

All personas of a server may listen in one channel. A person wakes a persona with its name or one of its trigger words
anywhere in a message. A persona wakes another one only if it speaks to it (`Orbit, what do you think?`); otherwise
every story about another persona would be answered by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from streamcord import Persona

from ..config.trigger_words import find_owners, find_short_names

# Scripts without spaces have no word boundaries, so their letters do not count as word characters here.
_LETTER = r"[^\W_\u2e80-\U0010ffff]"
_NAME_PREFIX = re.compile(r"\*\*([^*\n]{1,200}):\*\*[ \n]?")
_ESCAPE = re.compile(r"\\(.)")
# Code, links, addresses, emoji and mentions: a name in one of these calls no persona.
_QUOTATION = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`"
    r"|<(?:[@#]|a?:|/|id:)[^>\n]{1,128}>|(?<![\w:]):\w{2,64}:(?![\w:])"
    r"|https?://[^\s<>]+|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}",
    re.DOTALL | re.IGNORECASE,
)


def find_named(text: str, listeners: Sequence[Persona]) -> list[str]:
    """Return the names of the personas that a text names, in the order in which it names them.

    A word that several personas share belongs to the first of `listeners`. Of overlapping names the longest counts.
    A part of a longer name counts where the persona is spoken to: `Isolde, …`.
    """
    folded = text.casefold()
    words = _contained(folded, find_owners(listeners))
    found = (
        [(match.span(), words[match[0]]) for match in _pattern(tuple(words)).finditer(folded)]
        if words
        else []
    )
    for span, name in _spoken_to(folded, _contained(folded, find_short_names(listeners))):
        if not any(start < span[1] and span[0] < end for (start, end), _ in found):
            found.append((span, name))
    return list(dict.fromkeys(name for _, name in sorted(found)))


def without_quotations(text: str) -> str:
    """Return a raw text of Discord without code, links, emoji and mentions, in which no name calls a persona."""
    return _QUOTATION.sub(" ", text)


def addressed_by_persona(text: str, listeners: Sequence[Persona]) -> list[str]:
    """Return the names of the personas to whom a line of this text is spoken: `Orbit, …`, `… , Orbit?`, `@Orbit`."""
    folded = text.casefold()
    words = _contained(folded, {**find_short_names(listeners), **find_owners(listeners)})
    return list(dict.fromkeys(name for _, name in _spoken_to(folded, words)))


def find_writer(shown_as: str, personas: Iterable[Persona]) -> str:
    """Return the name of the persona that a webhook name belongs to; empty if there is none.

    `Luna`, `Luna (mad)` and, for a sprite or a copied identity, `Ann (Luna)`.
    """
    if not shown_as:
        return ""
    names = {one.name.casefold(): one.name for one in personas}
    folded = shown_as.strip().casefold()
    if folded in names:
        return names[folded]
    before, _, modifier = folded.rpartition(" (")
    return names.get(modifier.removesuffix(")")) or names.get(before) or ""


def split_name_prefix(text: str) -> tuple[str, str]:
    """Return the name before a text that the bot sent itself for a persona (`**Luna:** Hi`), and the text after it."""
    match = _NAME_PREFIX.match(text)
    return (_ESCAPE.sub(r"\1", match[1]), text[match.end() :]) if match else ("", text)


def _contained(text: str, words: Mapping[str, str]) -> dict[str, str]:
    """Return the words that the text contains; a pattern of all words of fifty personas would be slow."""
    return {word: name for word, name in words.items() if word in text}


def _spoken_to(text: str, words: Mapping[str, str]) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield where someone is spoken to by one of these words, and who."""
    for match in _vocative_pattern(tuple(words)).finditer(text) if words else ():
        group = match.lastgroup or ""
        yield match.span(group), words[match[group]]


@lru_cache(maxsize=256)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_choice(words))


@lru_cache(maxsize=256)
def _vocative_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    name = _choice(words)
    start = r"(?:^|(?<=[.?!…]\s)|(?<=[。？！]))[ \t]*"
    greeting = r"(?:(?:hey|hi|hello|oh|so|and)[ ,]+)?"
    return re.compile(
        rf"@(?P<at>{name})"
        # `Orbit, …` begins a line or a sentence.
        rf"|{start}{greeting}(?P<first>{name})(?=[,!?:，！？])"
        # `…, Orbit?` ends a line.
        rf"|[,，][ \t]*(?P<last>{name})(?=[.?!…。？！]*[ \t]*$)",
        re.MULTILINE,
    )


def _choice(words: tuple[str, ...]) -> str:
    """Return a pattern for any of these words as a whole word, the longest first."""
    longest = sorted(words, key=len, reverse=True)
    return "(?:" + "|".join(map(_whole, longest)) + ")"


def _whole(word: str) -> str:
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, word[0]) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, word[-1]) else ""
    return f"{before}{re.escape(word)}{after}"

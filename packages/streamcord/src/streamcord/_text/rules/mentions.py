"""Rule 5: `@handle` becomes a mention if exactly one person has that handle or name.

The words after the sign are looked up in an index; the text is never searched for each person. `@everyone`
and `@here` are never mentions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..tokens import UNSPACED, UNSPACED_LETTER, is_word, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..._settings import Person
    from ..parsed_text import ParsedText
    from ..traced_text import Edit

MIN_ID = 10**14
"""Smallest number that is taken for an id. Snowflakes are longer than numbers that people write:
https://docs.discord.com/developers/reference#snowflakes
"""
MAX_NAME_CHARS = 100
"""Longer names are not resolved."""

_SIGN = re.compile(r"@(?<![<@A-Za-z0-9_]@)")  # an `@` inside a word is part of an email address
_BRACKETS = frozenset("{([")
_BRACKETED = re.compile(r"\{([^{}\n]{1,100})\}|\(([^()\n]{1,100})\)|\[([^\[\]\n]{1,100})\](?!\()")
_WITH_ID = re.compile(r"([^\s|@]{1,100})\|(\d{1,24})(?!\w)")
# A word of letters with spaces between its words, or one character of a script without.
_FIRST = lazy_pattern(rf"[A-Za-z0-9_]++(?![^\x00-\x7f])|[^\W{UNSPACED}]+|\S")
_NAME_CONTINUES = lazy_pattern(rf"[^\W{UNSPACED}]|[.-][^\W{UNSPACED}]")
_HONORIFIC = re.compile(
    r"-(?:chan|kun|san|sama|senpai|sempai|sensei|tan|dono|nii|nee|neesan|niisan|ssi|nim|ah|ya|gege|jie|ge|di|mei)"
    r"(?![\w])",
    re.IGNORECASE,
)
_RESERVED = frozenset({"everyone", "here"})


class MentionIndex:
    """Find people by their handles and names."""

    def __init__(self, people: Iterable[Person]) -> None:
        # Ids by name, without case. A name that several people share resolves to none of them.
        self._ids: dict[str, set[int]] = {}
        # All ids, for names that are written with an id: `@Anna|123`.
        self._known: set[int] = set()
        lengths: dict[str, set[int]] = {}
        for person in people:
            self._known.add(person.id)
            # A short number is just a number, not an id.
            numbers = [str(person.id)] if person.id >= MIN_ID else []
            for name in (person.handle, *person.names, *numbers):
                key, first = name.strip().removeprefix("@"), _FIRST.match(name.strip().removeprefix("@"))
                if first and len(key) <= MAX_NAME_CHARS and key.casefold() not in _RESERVED:
                    self._ids.setdefault(key.casefold(), set()).add(person.id)
                    lengths.setdefault(first[0].casefold(), set()).add(len(key))
        # The lengths of the names that begin with a word, longest first.
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, name: str) -> int | None:
        """Return the id of the one person with this name, or None."""
        found = self._ids.get(name.strip().casefold(), ())
        return next(iter(found)) if len(found) == 1 else None

    def find_at(self, text: str, at: int) -> tuple[int, int] | None:
        """Return the id of the one person whose name is here, longest name first, and where the name ends."""
        first = _FIRST.match(text, at, at + MAX_NAME_CHARS)
        for length in self._lengths.get(first[0].casefold(), ()) if first else ():
            end = at + length
            found = self._ids.get(text[at:end].casefold()) if end <= len(text) else None
            if found and (text[end : end + 1].isspace() or _ends_at(text, end)):
                return (next(iter(found)), end) if len(found) == 1 else None
        return None

    def find_written(self, text: str, at: int) -> tuple[int, int] | None:
        """Return the id of the person after an `@`, in any of the written forms, and where the form ends."""
        if text[at : at + 1] in _BRACKETS and (bracketed := _BRACKETED.match(text, at)):
            inner = bracketed[bracketed.lastindex or 0]
            with_id = _WITH_ID.fullmatch(inner.strip())
            person = self._find_numbered(with_id) if with_id else self.find(inner)
            return None if person is None else (person, bracketed.end())
        if text.find("|", at, at + MAX_NAME_CHARS + 1) >= 0 and (with_id := _WITH_ID.match(text, at)):
            person = self._find_numbered(with_id)
            return None if person is None else (person, with_id.end())
        return self.find_at(text, at)

    def _find_numbered(self, with_id: re.Match[str]) -> int | None:
        """Return a known id, or else the person with the name before it."""
        number = int(with_id[2])
        return number if number in self._known else self.find(with_id[1])


def _ends_at(text: str, end: int) -> bool:
    """Return whether a name ends here: kana, Han, Hangul or `-chan` after it are not part of it."""
    if UNSPACED_LETTER.match(text, end - 1) is None and _NAME_CONTINUES.match(text, end):
        return _HONORIFIC.match(text, end) is not None
    return True


def resolve_mentions(parsed: ParsedText, people: MentionIndex) -> list[Edit]:
    """Return edits that turn known handles into mentions; everything else stays as written."""
    edits: list[Edit] = []
    text = parsed.text
    for sign in _SIGN.finditer(text):
        at = sign.start()
        before = text[at - 1 : at]
        if not before.isascii() and is_word(before):
            continue
        found = people.find_written(text, at + 1)
        if found and parsed.free(at):
            person, end = found
            edits.append((at, end, f"<@{person}>"))
    return edits


def join_edits(emoji: list[Edit], mentions: list[Edit]) -> list[Edit]:
    """Merge the edits of both rules in order; where they overlap, the mention wins."""
    if not (emoji and mentions):
        return emoji or mentions
    found: list[Edit] = []
    for edit in sorted(emoji + mentions):
        if not found or edit[0] >= found[-1][1]:
            found.append(edit)
        elif edit[2].startswith("<@"):
            found[-1] = edit
    return found


def name_rules(edits: list[Edit]) -> list[str]:
    """Return the name of the rule of each edit."""
    return ["mention" if after.startswith("<@") else "emoji" for _, _, after in edits]

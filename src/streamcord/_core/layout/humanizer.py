"""Makes a message look typed by a person in a hurry: small letters, fewer commas, no last period.

It only says what to change (`Edit`) and where to break: the caller keeps track of what came from where.
Chance comes from the given `Random`, one draw for each comma or run of marks that may go, in the order of the
text and whatever was drawn before: the same text takes the same draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from ..markup.graphemes import is_boundary
from ..markup.sentence_marks import COMMAS, ELLIPSES, ENDS, LONE, SEMICOLONS, class_of
from ..markup.sentences import ends_plainly, judge_end

if TYPE_CHECKING:
    from random import Random

    from ..._settings import Persona, Splitting

__all__ = ["Edit", "humanize"]

Edit: TypeAlias = tuple[int, int, str]
"""Start, end, and what stands there instead."""
_Range: TypeAlias = tuple[int, int]

_INTERNET_WORDS = frozenset(
    "lol rofl lmao lmfao wtf btw omg iirc afaik tbh imo imho fyi idk brb afk ttyl rn smh tysm".split()  # noqa: SIM905
)
# Kana, Han and Hangul have no case; without them a word of Latin letters beside them is a word.
_LETTERS = r"(?:[^\W_\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[\u0300-\u036f])+"
_PART = re.compile(_LETTERS)
_WORD = re.compile(rf"{_LETTERS}(?:[-‑.'’]{_LETTERS})*")
_CRIES = frozenset("!?！？")
_MARKS = COMMAS | SEMICOLONS | _CRIES
# Capitals stand only in these ranges, and most of them begin a plain word or are one.
_CAPITALS = "A-Z\u00c0-\u1fff\u2100-\u2183\u24b6-\u2def\ua640-\uabff\uff21-\uff3a\U00010400-\U0001efff"
_SIGN = re.compile(f"[{_CAPITALS}{''.join(sorted(_MARKS))}]")
_PLAIN = re.compile(r"(?<![\w@#.'’‑-])(?:[A-Z][a-z]+|[A-Z]+)(?![\w\u0300-\u036f]|[-‑.'’]\w)")
_SPACE = re.compile(r"\s")
_LINE = re.compile(r"[^\n]+")
_COLON = re.compile(r"[:：]")
_LABEL_LENGTH = 64
_MARK_RUN = re.compile(rf";+|[；؛]|[{class_of(_CRIES)}]+")
_CONTENT = re.compile(rf"[^\s{class_of(LONE, COMMAS, SEMICOLONS, ELLIPSES)}]")
_CLOSING = frozenset(")]}\"'”’»›」』》】〉）］｝｣")


def humanize(
    text: str, random: Random, settings: Splitting, *, protected: Sequence[_Range] = ()
) -> tuple[list[Edit], list[int]]:
    """The edits of a message, in order, and the places in it where another message begins.

    Nothing changes inside of `protected`: code, links, spans.
    """
    held = _mask(text, protected) if protected else None
    kept = _keep_names(text, held, settings.persona)
    edits: list[Edit] = []
    marks: list[int] = []
    lowered = 0
    for sign in _SIGN.finditer(text):
        at = sign.start()
        if sign[0] in _MARKS:
            marks.append(at)
        elif at >= lowered:
            lowered = _lower(text, at, lowered, kept, edits)
    breaks = _thin_out(text, marks, random, settings, held, edits) if marks else []
    if _ends_in_period(text, held):
        at = len(text.rstrip()) - 1
        edits.append((at, at + 1, ""))
    return edits, breaks


def _mask(text: str, ranges: Iterable[_Range]) -> bytearray:
    """One byte for each character: whether it lies in a range."""
    mask = bytearray(len(text))
    for start, end in ranges:
        start, end = max(0, start), min(end, len(text))  # noqa: PLW2901
        mask[start:end] = b"\1" * (end - start)
    return mask


# Letters.


def _lower(text: str, at: int, done: int, kept: bytearray | None, edits: list[Edit]) -> int:
    """Note the edit of a word, or part of one, that has capitals it should not have; where it ends."""
    plain = _PLAIN.match(text, at)
    if plain is None:
        end, parts = _parts(text, done, at)
        for start, stop in parts:
            if kept is None or kept.find(1, start, stop) < 0:
                edits += _lower_part(text[start:stop], start)
        return end
    # Most capitals begin a plain word, and nothing but that letter changes.
    word, end = plain[0], plain.end()
    small = word.lower()
    if not (word.isupper() or small in _INTERNET_WORDS or (kept is not None and kept.find(1, at, end) >= 0)):
        edits.append((at, at + 1, small[0]))
    return end


def _keep_names(text: str, held: bytearray | None, persona: Persona | None) -> bytearray | None:
    """What is protected, and names and labels too."""
    if persona is None and ":" not in text and "：" not in text:
        return held
    named = [*_names(text, persona), *_labels(text)]
    if not named:
        return held
    kept = bytearray(len(text)) if held is None else held[:]
    for start, end in named:
        kept[start:end] = b"\1" * (end - start)
    return kept


def _parts(text: str, done: int, at: int) -> tuple[int, list[_Range]]:
    """The parts of words around a capital, but of none that is a name somebody chose (`@Bob`)."""
    start = max(done, text.rfind(" ", done, at) + 1, text.rfind("\n", done, at) + 1)
    space = _SPACE.search(text, at)
    end = space.start() if space else len(text)
    words = [word for word in _WORD.finditer(text, start, end) if not word[0].isupper()]
    return end, [
        part.span()
        for word in words
        if text[word.start() - 1 : word.start()] not in {"@", "#"}
        for part in _PART.finditer(text, *word.span())
    ]


def _keeps_form(part: str, small: str) -> bool:
    """Whether it is an acronym (`NASA-like`, but not the stutter in `D-don't`) or a word of the internet."""
    return small in _INTERNET_WORDS or (len(part) > 1 and part.isupper())


def _lower_part(part: str, start: int) -> Sequence[Edit]:
    small = part.lower()
    if small == part or _keeps_form(part, small):
        return ()
    if small[1:] == part[1:]:
        return ((start, start + 1, small[0]),)
    # A character whose small form is longer (`İ`) stays: a message must not grow.
    small = "".join(low if len(low := char.lower()) == 1 else char for char in part)
    changed = [at for at, (one, other) in enumerate(zip(part, small, strict=True)) if one != other]
    first, last = (changed[0], changed[-1] + 1) if changed else (0, 0)
    return ((start + first, start + last, small[first:last]),) if changed else ()


def _names(text: str, persona: Persona | None) -> Iterator[_Range]:
    """Where the persona is named, in any spelling."""
    pattern = persona and _name_pattern(persona)
    return (name.span() for name in pattern.finditer(text)) if pattern else iter(())


@lru_cache(maxsize=64)
def _name_pattern(persona: Persona) -> re.Pattern[str]:
    names = sorted({name for name in (persona.name, *persona.aliases) if name.strip()}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


def _labels(text: str) -> Iterator[_Range]:
    """What stands before a colon at the start of a line and looks like a name, or several."""
    for line in _LINE.finditer(text):
        end = line.start()
        while (colon := _COLON.search(text, end, min(line.end(), end + _LABEL_LENGTH + 1))) and _is_label(
            text[end : colon.start()], text[colon.start() : colon.end() + 1]
        ):
            end = colon.end()
        if end > line.start():
            yield line.start(), end


def _is_label(label: str, colon: str) -> bool:
    """Whether no word of it begins with a small letter, and the colon (and what follows) ends a word."""
    if colon[0] == ":" and len(colon) == 2 and not (colon[1].isspace() or colon[1] in "*_~|)"):
        return False
    named = False
    for word in label.split():
        first = next(filter(str.isalpha, word), "")
        if first.islower():
            return False
        named = named or bool(first)
    return named


# Marks.


def _thin_out(
    text: str,
    marks: list[int],
    random: Random,
    settings: Splitting,
    held: bytearray | None,
    edits: list[Edit],
) -> list[int]:
    """Note which commas and semicolons go; the places where the message breaks."""
    breaks: list[int] = []
    begins = 0  # the message that is being read
    end = 0 if _CONTENT.search(text) else len(text)
    for start in marks:
        if start < end:
            continue
        end = _mark_end(text, start)
        if held and held.find(1, start, end) >= 0:
            continue
        goes, breaks_here = _draw(text[start:end], text[end : end + 1], random, settings)
        if goes:
            edits.append((start, end, ""))
        if breaks_here:
            place = _next_word(text, end, held)
            if _says_something(text, begins, start, place):
                breaks.append(place)
                begins = place
    edits.sort()
    return breaks


def _mark_end(text: str, start: int) -> int:
    """Marks other than commas come in runs."""
    if text[start] in COMMAS:
        return start + 1
    return _MARK_RUN.match(text, start).end()  # type: ignore[union-attr]


def _says_something(text: str, begins: int, end: int, place: int) -> bool:
    """Whether both sides of a break have something to say, or one would be a message of marks."""
    return bool(
        _CONTENT.search(text, begins, end) and _CONTENT.search(text, place) and is_boundary(text, place)
    )


def _draw(mark: str, after: str, random: Random, settings: Splitting) -> tuple[bool, bool]:
    """Whether a mark goes, and whether the message breaks behind it."""
    ends_word = not after or after.isspace()
    if mark[0] in SEMICOLONS:
        return ends_word or mark == "；", False  # but not the eye of `;)`
    if mark in COMMAS:
        if not (ends_word if mark == "," else not after.isdigit()):
            return False, False
        roll = random.random()
        goes = roll < settings.comma_removed + settings.comma_break
        return goes, goes and roll >= settings.comma_removed
    may_break = (ends_word or mark[-1] in "！？") and after not in _CLOSING
    return (
        False,
        settings.sentence_ends == "period" and may_break and random.random() < settings.exclamation_break,
    )


def _next_word(text: str, at: int, held: bytearray | None) -> int:
    while at < len(text) and text[at].isspace() and not (held and held[at]):
        at += 1
    return at


def _ends_in_period(text: str, held: bytearray | None) -> bool:
    """Whether the last period may go: it belongs to no word, number or ellipsis, and is not all there is."""
    at = len(text.rstrip()) - 1
    if at < 1 or text[at] not in ".。" or (held and held[at]):
        return False
    if held is None and text[at] == "." and ends_plainly(text, at):
        return True
    if not _CONTENT.search(text) or _follows_end(text, at):
        return False
    # What is protected is no word that could be an abbreviation.
    return judge_end(text, at, start=at if held and held[at - 1] else 0, final=True) > 0


def _follows_end(text: str, at: int) -> bool:
    """Whether another end stands before a period, with nothing but white space and commas between."""
    at -= 1
    while at > 0 and (text[at].isspace() or text[at] in COMMAS | SEMICOLONS):
        at -= 1
    return text[at] in ENDS

"""A cell's words as atoms: what is drawn at once and never broken, unless it is wider than its column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from unicodedata import bidirectional, category

from .._events import Style
from .fonts import Family, is_complex

if TYPE_CHECKING:
    from .._events import Cell, Words
    from .fonts import Faces

__all__ = ["NEWLINE", "Atom", "find_unknown", "is_right_to_left", "order_as_seen", "read_atoms"]

NEWLINE = "\n"
_JOINER, _AS_PICTURE = "\u200d", "\ufe0f"
_BASE = "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001fbff]"
_ONE = f"{_BASE}\ufe0f?[\U0001f3fb-\U0001f3ff]?"
_EMOJI = re.compile(
    f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_ONE}[\U000e0020-\U000e007f]{{0,12}}(?:\u200d{_ONE}){{0,8}}"
)
_SHOWN_AS_EMOJI = frozenset(
    "⌚⌛⏩⏪⏫⏬⏰⏳◽◾☔☕♈♉♊♋♌♍♎♏♐♑♒♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛎⛔⛪⛲⛳⛵⛺⛽✅✊✋✨❌❎❓❔❕❗➕➖➗➰➿⬛⬜⭐⭕"
)
"""Old signs that are pictures unless told otherwise (Emoji_Presentation in Unicode's emoji-data.txt)."""
# Scripts without spaces may be broken between any two letters; a closing mark stays with the one before it.
_WIDE = (
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u30ff\u3100-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60"
    "\U00020000-\U0003ffff"
)
_CLOSING = "、。，．・：；？！ー〜」』）】〉》〕｝％々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
_PIECE = re.compile(f"\n|[^\\S\n]+|[{_WIDE}][{_CLOSING}]*|[^\\s{_WIDE}]{{1,400}}")
_IGNORED = frozenset("\u200b\u200e\u200f\u2060\ufe0e\ufe0f\ufeff")
_JOINERS = frozenset("\u200c\u200d")

_Thing = TypeVar("_Thing")


class Atom(NamedTuple):
    """A word, a space, a wide letter, a line break, or an emoji with the name of its picture."""

    text: str
    style: Style
    emoji: str = ""
    family: Family | None = None


def read_atoms(cell: Cell, faces: Faces) -> list[Atom]:
    """The atoms of a cell, in order; one without a family and without a picture cannot be drawn."""
    return [atom for words in cell for atom in _split(words, faces)]


def find_unknown(atoms: Sequence[Atom]) -> str:
    """The letters for which there is neither a font nor a picture."""
    return "".join(atom.text for atom in atoms if not (atom.emoji or atom.family or atom.text == NEWLINE))


def is_right_to_left(texts: Sequence[str]) -> bool:
    """Whether the first letter of a line is one of a script that runs to the left."""
    return next(filter(None, _sides(texts)), "L") == "R"


def order_as_seen(things: Sequence[_Thing], texts: Sequence[str]) -> list[_Thing]:
    """A line's things from left to right, when their texts are in the order in which they are read.

    Words keep together with those of their own direction: the main idea of https://unicode.org/reports/tr9/.
    """
    sides = _sides(texts)
    if "R" not in sides:
        return list(things)
    base = "R" if is_right_to_left(texts) else "L"
    ordered: list[list[_Thing]] = []
    for run, side in _runs(sides, base):
        there = [things[index] for index, _ in run]
        ordered.append(there[::-1] if side == "R" else there)
    return [thing for part in (ordered[::-1] if base == "R" else ordered) for thing in part]


def _runs(sides: list[str], base: str) -> list[tuple[list[tuple[int, str]], str]]:
    """Neighbours of one direction; what has none goes with both of its neighbours, or with the line."""
    full: list[str] = []
    for index, side in enumerate(sides):
        before = full[-1] if full else base
        after = next((later for later in sides[index:] if later), base)
        full.append(side or (before if before == after else base))
    return [(list(run), side) for side, run in groupby(enumerate(full), key=lambda pair: pair[1])]


def _sides(texts: Sequence[str]) -> list[str]:
    """For each text `L` or `R`, empty for spaces and marks; a number goes with the words before it."""
    sides: list[str] = []
    last = ""
    for text in texts:
        kinds = {bidirectional(letter) for letter in text}
        side = "R" if kinds & {"R", "AL"} else "L" if "L" in kinds else ""
        last = side or last
        sides.append("L" if not side and last == "L" and "EN" in kinds else side)
    return sides


def _split(words: Words, faces: Faces) -> Iterator[Atom]:
    at = 0
    for found in _EMOJI.finditer(words.text):
        text = found[0]
        while text:
            name = _picture_name(text, faces)
            if name:
                yield from _pieces(words.text[at : found.start()], words.style, faces)
                yield Atom(text, words.style, name)
                at = found.start() + len(text)
                yield from _pieces_of_rest(words, at, found.end(), faces)
                at = found.end()
                break
            text = text.rpartition(_JOINER)[0]
    yield from _pieces(words.text[at:], words.style, faces)


def _pieces_of_rest(words: Words, start: int, end: int, faces: Faces) -> Iterator[Atom]:
    """Somebody joined what has no common picture: each is drawn alone."""
    for piece in words.text[start:end].split(_JOINER):
        name = _picture_name(piece, faces) if piece else ""
        if name:
            yield Atom(piece, words.style, name)
        else:
            yield from _pieces(piece, words.style, faces)


def _picture_name(text: str, faces: Faces) -> str:
    """The name of a sequence's picture, if it is to be shown as one and there is one."""
    if len(text) == 1 and text < "\U0001f000" and text not in _SHOWN_AS_EMOJI and faces.find(text):
        return ""
    kept = text if _JOINER in text else text.replace(_AS_PICTURE, "")
    name = "-".join(f"{ord(letter):x}" for letter in kept)
    return name if faces.has_picture(name) else ""


def _pieces(text: str, style: Style, faces: Faces) -> Iterator[Atom]:
    for piece in _PIECE.findall(_without_unseen(text)):
        if piece == NEWLINE:
            yield Atom(NEWLINE, style)
        else:
            yield from _by_family(" " if piece.isspace() else piece, style, faces)


def _without_unseen(text: str) -> str:
    """Without what nobody sees; joiners stay where letters change with their neighbours."""
    if text.isascii():
        return text
    gone = _IGNORED if any(map(is_complex, text)) else _IGNORED | _JOINERS
    return "".join(letter for letter in text if letter not in gone)


def _by_family(word: str, style: Style, faces: Faces) -> Iterator[Atom]:
    """A word in parts of one font each; a mark stays with the letter that it stands on."""
    code = bool(style & Style.CODE)
    start, family = 0, faces.find(word[0], code=code)
    for index, letter in enumerate(word):
        if letter in _JOINERS or category(letter) in {"Mn", "Mc", "Me"}:
            continue
        found = faces.find(letter, code=code)
        if found != family and index:
            yield Atom(word[start:index], style, family=family)
            start = index
        family = found
    yield Atom(word[start:], style, family=family)

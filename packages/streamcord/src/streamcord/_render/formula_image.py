"""Draw LaTeX formulas with ziamath, which makes outlines, and resvg, which paints them. Worker process only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import tostring

import resvg_py
from ziamath.zmath import Latex

BACKGROUND = "#2b2d31"
COLOUR = "#dbdee1"
FONT_UNITS = 28
"""Font size, in units; a picture has two pixels per unit."""
SCALE = 2
MARGIN_UNITS = 12
MAX_WIDTH = 1500
MAX_HEIGHT = 1500

# Physics, without a package: the library knows neither its brackets nor that they grow.
_MACROS = (
    (re.compile(r"\\bra(?=[\s{])\s*\{([^{}]*)\}"), r"\\left\\langle \1\\right|"),
    (re.compile(r"\\ket(?=[\s{])\s*\{([^{}]*)\}"), r"\\left|\1\\right\\rangle "),
    (re.compile(r"\\braket(?=[\s{])\s*\{([^{}]*)\}"), r"\\left\\langle \1\\right\\rangle "),
    (re.compile(r"\\(?:label|notag|nonumber)\b(?:\s*\{[^{}]*\})?"), ""),
)
# Definitions make a short text long; the others mean nothing without TeX.
_REFUSED = re.compile(
    r"\\(?:def|edef|gdef|xdef|let|newcommand|renewcommand|input|include|write|href|url|require)\b"
)
_UNKNOWN = re.compile(r"\\[A-Za-z]")


def use_fonts(_: Sequence[str]) -> None:
    """Do nothing: formulas have one font, which comes with ziamath."""


def draw(code: str) -> bytes:
    """Return a formula as PNG.

    Raises:
        Exception: It has a mistake, an unknown command or a letter that the font lacks, or is too large.

    """
    if _REFUSED.search(code):
        raise ValueError("a formula with a definition")
    for pattern, meaning in _MACROS:
        code = pattern.sub(meaning, code)
    formula = Latex(code, size=FONT_UNITS, color=COLOUR)
    _check_letters(formula)
    formula.margin = MARGIN_UNITS
    image = formula.svgxml()
    width, height = float(image.attrib["width"]), float(image.attrib["height"])
    if not (0 < width <= MAX_WIDTH and 0 < height <= MAX_HEIGHT):
        raise ValueError("a formula that is too large")
    return resvg_py.svg_to_bytes(
        svg_string=tostring(image, encoding="unicode"),
        background=BACKGROUND,
        zoom=SCALE,
        skip_system_fonts=True,
    )


def _check_letters(formula: Latex) -> None:
    """Refuse what would be drawn as its own name or as an empty box."""
    font = formula.font
    for element in formula.mathml.iter():
        if "rowlines" in element.attrib or "columnlines" in element.attrib:
            raise ValueError("lines between cells, which are not drawn but mean something")
        text = (element.text or "").strip()
        if _UNKNOWN.search(text):
            raise ValueError("an unknown command")
        if any(not font.glyphindex(sign) for sign in text if not sign.isspace() and sign.isprintable()):
            raise ValueError("the font lacks letters of this formula")

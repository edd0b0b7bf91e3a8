"""Draw the diagrams and formulas of an answer, as far as their libraries are installed."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from .._common.optional_dependencies import LETTERS
from .._events import Attachment, Drawing
from .drawing_process import DrawingProcess

# What draws each kind: extras.
_MODULES = {"diagram": ("mermaidx", "novasvg"), "formula": ("ziamath", "resvg_py")}
# The extra `tables-cjk` has fonts with the letters of East Asia and of Europe.
_EAST_ASIA = next(letters.pattern for letters in LETTERS if letters.extra == "tables-cjk")
_FONT_PACKAGES = ("noto_cjk_sans_jp_regular", "noto_cjk_sans_jp_bold")


@lru_cache(maxsize=1)
def drawable_kinds() -> frozenset[str]:
    """Return the kinds of drawings whose dependencies are installed."""
    return frozenset(kind for kind, modules in _MODULES.items() if all(map(find_spec, modules)))


class DrawingRenderer:
    """A `Renderer` that draws diagrams and formulas, each kind in a process of its own."""

    def __init__(self, kinds: frozenset[str]) -> None:
        self._processes = {kind: DrawingProcess(kind) for kind in kinds}
        fonts = _east_asian_fonts()
        self._east_asian = DrawingProcess("diagram", fonts) if fonts and "diagram" in kinds else None

    def draw(self, value: object) -> Attachment | None:
        """Return the image of a drawing, or None for any other value and for drawings that cannot be drawn."""
        if not isinstance(value, Drawing):
            return None
        process = self._processes.get(value.kind)
        if value.kind == "diagram" and self._east_asian and _EAST_ASIA.search(value.code):
            process = self._east_asian
        picture = process.draw(value.code) if process else b""
        return Attachment(value.name, picture, value.alt, has_source=True) if picture else None


def _east_asian_fonts() -> tuple[str, ...]:
    """Return the files of a regular and a bold font; empty if they are not installed."""
    folders = [
        Path(spec.origin).parent for name in _FONT_PACKAGES if (spec := find_spec(name)) and spec.origin
    ]
    files = [str(file) for folder in folders for file in sorted(folder.glob("*.otf"))[:1]]
    return tuple(files) if len(files) == len(_FONT_PACKAGES) else ()

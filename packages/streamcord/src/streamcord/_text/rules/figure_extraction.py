"""Rule 8: extract what is drawn, as values: tables, diagrams and formulas. The text around them keeps its order.

A diagram is a Mermaid block, a formula is one on lines of its own that Unicode cannot show. Where they cannot be drawn
they are code blocks, as they are without this rule.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from ..._events import Drawing, Table
from ..markdown.break_points import AtomicRange
from ..markdown.delimiter_stack import SpanKind
from ..markdown.diagram_alt_text import describe_diagram
from ..markdown.scanner import scan
from ..math.detect import formula_inside, is_display
from ..math.formula_alt_text import describe_formula
from ..math.latex_parser import to_unicode
from .table_extraction import RULE as TABLES
from .table_extraction import split_tables, table_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._events import Figure
    from ..._settings import Settings
    from ..traced_text import TracedText

DRAWINGS = "drawings"
"""The name of this rule in records."""
MAX_DRAWINGS = 10
"""Diagrams and formulas of one answer that are drawn."""
MAX_DIAGRAM_CHARS = 5000
MAX_FORMULA_CHARS = 500
"""A longer formula is no formula, and takes long to draw."""

_DIAGRAM = re.compile(
    r"\s*(?P<indent>[ \t]*)```(?:mermaid|mmd)[ \t]*\n(?P<code>.*?)\n?[ \t]*```\s*", re.DOTALL
)
_DISPLAY = re.compile(r"\$\$|\\\[|\\begin\{")
_LIST_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]*")
_AFTER = re.compile(r"[ \t]*(?:[.,;:](?=\s|\Z))?\s*")


class Part(NamedTuple):
    """A piece of a text, or the source of what is drawn."""

    traced: TracedText
    figure: Figure | None = None


def may_hold_figure(text: str, settings: Settings) -> bool:
    """Return whether there may be a table or a formula; a quick test for most texts."""
    if "|" in text and settings.tables != "off":
        return True
    return settings.formulas == "picture" and settings.convert_markdown and _DISPLAY.search(text) is not None


def find_diagram(text: str) -> Drawing | None:
    """Return the diagram of a segment that is a complete Mermaid block."""
    found = _DIAGRAM.fullmatch(text)
    if found is None:
        return None
    code = dedent(found["code"]).strip("\n")
    if not code.strip() or len(code) > MAX_DIAGRAM_CHARS:
        return None
    return Drawing("diagram", code, f"```mermaid\n{code}\n```", describe_diagram(code))


def split_figures(traced: TracedText, settings: Settings, drawings: int) -> list[Part]:
    """Split a text into its tables and formulas and the text between them, in order.

    Args:
        traced: The text, outside of code blocks.
        settings: Which of them are drawn.
        drawings: How many formulas may be drawn.

    """
    parts: list[Part] = []
    for part in _split_formulas(traced, settings, drawings):
        if part.figure is None and settings.tables != "off" and "|" in part.traced.text:
            parts += (Part(one.traced, one.table) for one in split_tables(part.traced, settings))
        else:
            parts.append(part)
    return parts


def figure_text(figure: Figure) -> tuple[str, str]:
    """Return the name of the rule that took something out, and the text that replaces its image."""
    return (TABLES, table_text(figure)) if isinstance(figure, Table) else (DRAWINGS, figure.source)


def _split_formulas(traced: TracedText, settings: Settings, drawings: int) -> Iterator[Part]:
    text, at = traced.text, 0
    wanted = settings.formulas == "picture" and settings.convert_markdown and _DISPLAY.search(text)
    for start, end, drawing in _find_formulas(text, settings) if wanted else ():
        if not drawings:
            break
        drawings -= 1
        # White space before a formula belongs to the formula, so that no empty message remains.
        if text[at:start].strip():
            yield Part(traced.cut(at, start))
            at = start
        yield Part(traced.cut(at, end), drawing)
        at = end
    if at < len(text):
        yield Part(traced.cut(at, len(text)) if at else traced)


def _find_formulas(text: str, settings: Settings) -> Iterator[tuple[int, int, Drawing]]:
    """Yield the formulas that stand alone and that Unicode cannot show, with the mark of the sentence after them."""
    spans = scan(text, settings)
    hidden = AtomicRange((span.start, span.end) for span in spans if span.mark == "||")
    for span in spans:
        source = text[span.start : span.end]
        if span.mark != SpanKind.FORMULA or not is_display(source) or "`" in source:
            continue
        inside = formula_inside(source).strip()
        line = text[text.rfind("\n", 0, span.start) + 1 : span.start].lstrip()
        # In a quote or a row a picture would be out of place.
        if line.startswith((">", "|")) or not hidden.free(span.start) or len(inside) > MAX_FORMULA_CHARS:
            continue
        if to_unicode(inside) is None:
            # The marker of an item that is a formula alone would be a message of its own.
            start = span.start - (len(line) if _LIST_MARKER.fullmatch(line) else 0)
            below = _AFTER.match(text, span.end)
            end = below.end() if below else span.end
            shown = f"```tex\n{source}\n```"
            yield start, end, Drawing("formula", inside, shown, describe_formula(inside))

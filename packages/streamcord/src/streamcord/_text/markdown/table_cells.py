"""Read the Markdown inside a table cell as words with styles, without markers.

The scanner finds the spans; here they become flat runs of words. An emoji tag becomes its name, `<br>` a line break,
a URL stays as it is, and a simple formula becomes Unicode.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..._events import Style, Words
from ..math.detect import formula_inside
from ..math.latex_parser import to_unicode
from .delimiter_stack import SpanKind
from .scanner import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._events import Cell
    from ..._settings import Settings
    from .delimiter_stack import Span

_STYLES = {
    "*": Style.ITALIC, "_": Style.ITALIC, "**": Style.BOLD, "__": Style.UNDERLINE, "~~": Style.STRIKETHROUGH,
    "***": Style.BOLD | Style.ITALIC, "___": Style.UNDERLINE | Style.ITALIC, "||": Style.SPOILER,
}  # fmt: skip
_EMOJI = re.compile(r"<a?(:\w{1,32}:)\d{1,20}>")
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_TICKS = re.compile("`+")


def read_cell(text: str, settings: Settings) -> Cell:
    """Return the words of a cell, in order."""
    spans = sorted(scan(text, settings), key=lambda span: (span.start, -span.end))
    return _join(_Reader(text, spans, formulas=settings.convert_markdown).read())


class _Reader:
    """Walks over a cell's spans once, the outer before the inner; they never cross."""

    def __init__(self, text: str, spans: list[Span], *, formulas: bool) -> None:
        self._text = text
        self._formulas = formulas
        self._spans = spans
        self._next = 0

    def read(self) -> Iterator[Words]:
        """All words of the cell."""
        return self._inside(0, len(self._text), Style.PLAIN, "")

    def _inside(self, start: int, end: int, style: Style, url: str) -> Iterator[Words]:
        """Yield the words of a range; words inside spans have their styles, too."""
        while self._next < len(self._spans) and self._spans[self._next].start < end:
            span = self._spans[self._next]
            self._next += 1
            yield Words(_unescape(self._text[start : span.start]), style, url)
            yield from self._span(span, style, url)
            start = span.end
        yield Words(_unescape(self._text[start:end]), style, url)

    def _span(self, span: Span, style: Style, url: str) -> Iterator[Words]:
        text = self._text[span.start : span.end]
        if span.mark in _STYLES:
            size = len(span.mark)
            return self._inside(span.start + size, span.end - size, style | _STYLES[span.mark], url)
        if span.mark == SpanKind.LINK and "](" in text:
            return self._link(span, text, style)
        if span.mark in (SpanKind.CODE, SpanKind.FENCE):
            return iter([Words(_strip_ticks(text), style | Style.CODE, url)])
        if span.mark == SpanKind.URL:
            return iter([Words(text, style | Style.LINK, text)])
        if span.mark == SpanKind.TAG or (span.mark == SpanKind.FORMULA and self._formulas):
            read = _read_tag if span.mark == SpanKind.TAG else _read_formula
            return iter([read(text, style, url)])
        return self._inside(span.start, span.end, style, url)

    def _link(self, span: Span, text: str, style: Style) -> Iterator[Words]:
        """A masked link shows its text."""
        middle = span.start + text.rindex("](")
        url = self._text[middle + 2 : span.end - 1].strip("<>")
        return self._inside(span.start + 1, middle, style | Style.LINK, url)


def _read_tag(text: str, style: Style, url: str) -> Words:
    if found := _EMOJI.fullmatch(text):
        return Words(found[1], style, url)
    if _BREAK.fullmatch(text):
        return Words("\n", style, url)
    if "://" in text:
        return Words(text[1:-1], style | Style.LINK, text[1:-1])
    return Words(text, style, url)


def _read_formula(text: str, style: Style, url: str) -> Words:
    """Return a formula in Unicode, or as code if that is not possible."""
    shown = to_unicode(formula_inside(text))
    return Words(text, style | Style.CODE, url) if shown is None else Words(shown, style, url)


def _strip_ticks(text: str) -> str:
    ticks = len(_TICKS.match(text)[0])  # type: ignore[index]
    inner = text[ticks:-ticks]
    padded = len(inner) > 2 and inner[0] == inner[-1] == " " and bool(inner.strip())
    return inner[1:-1] if padded else inner


def _unescape(text: str) -> str:
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _join(words: Iterator[Words]) -> Cell:
    """Merge neighbours of the same style."""
    joined: list[Words] = []
    for piece in words:
        if joined and (joined[-1].style, joined[-1].url) == (piece.style, piece.url):
            joined[-1] = Words(joined[-1].text + piece.text, piece.style, piece.url)
        elif piece.text:
            joined.append(piece)
    return tuple(joined)

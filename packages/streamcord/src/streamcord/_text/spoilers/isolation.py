"""Cut a message between a spoiler and an unclosed marker that would reveal it.

Discord may close a marker that one paragraph leaves open inside a spoiler of a later paragraph, and then the
spoiler is shown. Escaping cannot prevent every case, so the text is cut between them. This is rare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..markdown.break_points import AtomicRange
from ..markdown.line_kinds import Line, read_line
from ..markdown.scanner import scan
from ..traced_text import TracedText
from .keep_hidden import find_joints
from .leaks import find_leaks, find_unclosed

if TYPE_CHECKING:
    from ..._settings import Settings

_KINDS = "*_~`|"
_MARKED = frozenset({Line.QUOTE, Line.HEADING, Line.SUBTEXT})


def isolate(part: TracedText, settings: Settings) -> list[TracedText]:
    """Split a message if Discord would reveal a spoiler in it; return the parts."""
    cuts = _find_cuts(part, settings) if "||" in part.text else []
    if not cuts:
        return [part]
    pieces: list[TracedText] = []
    for start, end in zip([0, *cuts], [*cuts, len(part.text)], strict=True):
        marker = continuation_marker(part.text[:start]) if start else ""
        piece = TracedText.added(marker, "reopened") + part.cut(start, end)
        pieces += isolate(
            piece, settings
        )  # a marker that closed something may open something in the new message
    return pieces


def shows_hidden(text: str, settings: Settings) -> bool:
    """Return whether Discord would reveal a spoiler, because a marker before it is closed inside it."""
    return "||" in text and bool(find_leaks(text, _find_spoilers(text, settings)))


class UnclosedMarkers:
    """Remember which markers are unclosed in the pieces of one message."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._texts: list[str] = []  # pieces that were not scanned yet
        self._open = ""  # the unclosed markers

    def push(self, text: str) -> None:
        """Add a piece."""
        self._texts.append(text)

    def would_leak(self, text: str) -> bool:
        """Return whether Discord might reveal a spoiler of this text if it came next."""
        if "||" not in text:
            return False
        for one in self._texts:
            if any(kind in one for kind in _KINDS):
                self._open = find_unclosed(self._open + one, self._find_spoilers(one))
        self._texts.clear()
        if not self._open:
            return False
        # A backtick may be closed after the spoiler and reveal all of it.
        return "`" in self._open or bool(find_leaks(self._open + text, self._find_spoilers(text)))

    def _find_spoilers(self, text: str) -> list[tuple[int, int]]:
        """Return the ranges of spoilers, counted from the start of the unclosed markers."""
        found = _find_spoilers(text, self._settings) if "||" in text else []
        return [(start + len(self._open), end + len(self._open)) for start, end in found]


def continuation_marker(text: str) -> str:
    """Return the marker of a quote or heading with which the text after this one must begin."""
    lines = text.split("\n")
    code = False
    for line in lines:
        code ^= line.lstrip().startswith("```") and line.count("```") % 2 == 1
        if line.lstrip().startswith(">>>") and not code:
            return ">>> "
    kind, content = read_line(lines[-1], 0, final=True) or (Line.PROSE, 0)
    return lines[-1][:content].strip() + " " if kind in _MARKED and not code else ""


def _find_spoilers(text: str, settings: Settings) -> list[tuple[int, int]]:
    return sorted((span.start, span.end) for span in scan(text, settings) if span.mark == "||")


def _find_cuts(part: TracedText, settings: Settings) -> list[int]:
    text = part.text
    spans = [(span.start, span.end) for span in scan(text, settings)]
    spoilers = _find_spoilers(text, settings)
    whole: AtomicRange | None = None
    cuts: list[int] = []
    for _, at, number in find_leaks(text, spoilers):
        if not cuts or at >= cuts[-1]:
            whole = whole or AtomicRange([*spans, *find_joints(part)])
            cuts.append(_choose(text, at, spoilers[number][0], whole))
    return cuts


def _choose(text: str, at: int, start: int, whole: AtomicRange) -> int:
    """Return the best cut between a marker and the spoiler: after a paragraph, line or word, else at the pipes."""
    for mark in ("\n\n", "\n", " "):
        cut = text.rfind(mark, at, start) + len(mark)
        while cut > at + len(mark) and not (whole.free(cut) and text[at:cut].strip()):
            cut = text.rfind(mark, at, cut - len(mark)) + len(mark)
        if cut > at + len(mark):
            return cut
    return start

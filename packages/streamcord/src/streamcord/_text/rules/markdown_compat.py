"""Rule 9: convert Markdown that Discord cannot show into Markdown that it can show.

Headings of level 4 and deeper become bold, dividers a line of dashes, images links, `<br>` a newline, task
boxes ☐ ☑, and simple formulas, `<sub>` and `<sup>` Unicode. A quoted line without words gets its space.
Discord's Markdown: https://support.discord.com/hc/en-us/articles/210298617
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..markdown.break_points import AtomicRange
from ..markdown.delimiter_stack import SpanKind
from ..math.detect import formula_inside, is_display
from ..math.latex_parser import to_unicode
from ..math.symbols import LOWERED, RAISED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..markdown.delimiter_stack import Span
    from ..parsed_text import ParsedText
    from ..traced_text import Edit

CONVERT_MARKDOWN = "convert markdown"
"""The name of this rule in records."""

DIVIDER = "─" * 12
"""The text that replaces a divider (`---`)."""

CONVERTIBLE = (
    r"\+ (?<![^\n]\+ )|####|---|===|\*\*\*|___|- - -|\* \* \*|!\[|<[bB][rR]|<su[bp]>|\[[ xX]\]|\$|\\[(\[a-z]"
    r"|>\n[ \t]*>|\[!"
)
"""Pattern that every text with something to convert matches.

Its alternatives begin with signs, which makes the search fast.
"""

_HEADING = re.compile(r"^[ \t]{0,3}(#{4,6}[ \t]+)([^\n]*[^\s#])([ \t#]*)$", re.MULTILINE)
_DIVIDER = re.compile(
    r"^[ \t]{0,3}((?:-[ \t]?){3,64}|(?:\*[ \t]?){3,64}|(?:_[ \t]?){3,64}|={3,64})$", re.MULTILINE
)
_PLUS = re.compile(r"^[ \t]{0,16}(\+)(?=[ \t])", re.MULTILINE)
_BOX = re.compile(r"^[ \t]*(?:[-*•+]|\d{1,9}[.)])[ \t]+(\[([ xX])\])(?=[ \t])", re.MULTILINE)
_BREAK = re.compile(r"(?<![ \t])[ \t]*<br[ ]?/?>[ \t]*\n?", re.IGNORECASE)
_MARKER = re.compile(r"^(>{1,3}|[-+#*])[ ]+")
_QUOTED = re.compile(r"\n[ \t]*>[ ]?")
_SMALL = re.compile(r"<(su[bp])>([0-9A-Za-z+\-=()]{1,16})</\1>")
_ALERT = re.compile(r"^[ \t]{0,3}> ?(\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\])[ \t]*$", re.MULTILINE)
_EMPTY = re.compile(r"^[ \t]{0,3}(>)(?=\n[ \t]{0,3}>)", re.MULTILINE)
_IMAGE = re.compile(r"!\[\]\(<?(https?://[^\s<>()]{1,1800})>?\)")


def convert_markdown(parsed: ParsedText, *, line_start: bool) -> list[Edit]:
    """Return all edits of this rule, in order and without overlap."""
    edits: list[Edit] = []
    for edit in sorted(_find_edits(parsed, line_start=line_start)):
        if not edits or edit[0] >= edits[-1][1]:
            edits.append(edit)
        elif edit[0] + 1 == edits[-1][1]:
            # A formula at the end of a heading: the bold marker goes after the formula.
            start, _, shown = edits[-1]
            edits[-1] = start, edit[1], shown + edit[2][1:]
    return edits


def _find_edits(parsed: ParsedText, *, line_start: bool) -> Iterator[Edit]:
    """Yield the edits of all converters; they may overlap."""
    text = parsed.text
    # Each converter runs only if the text has a sign that it needs.
    if "####" in text:
        yield from _headings(parsed, line_start=line_start)
    yield from _dividers(parsed, line_start=line_start)
    if ">\n" in text:
        yield from _empty_quote_lines(parsed)
    if "+" in text:
        yield from _plus_items(parsed, line_start=line_start)
    if "[" in text:
        yield from _boxes(parsed, line_start=line_start)
        yield from _images(parsed)
        yield from _alerts(parsed)
    if "<" in text:
        yield from _breaks(parsed)
        yield from _small_signs(parsed)
    if "$" in text or "\\" in text:
        yield from _formulas(parsed)


def _headings(parsed: ParsedText, *, line_start: bool) -> Iterator[Edit]:
    for heading in _HEADING.finditer(parsed.text):
        if (line_start or heading.start()) and parsed.code.free(heading.start(1)):
            yield from _bold(parsed.text, heading)


def _empty_quote_lines(parsed: ParsedText) -> Iterator[Edit]:
    """Add the space that Discord needs after `>`, even on a line without words."""
    for line in _EMPTY.finditer(parsed.text):
        if parsed.code.free(line.start(1)):
            yield *line.span(1), "> "


def _alerts(parsed: ParsedText) -> Iterator[Edit]:
    """Replace `> [!NOTE]`, GitHub's heading of a quote, by its word in bold."""
    for alert in _ALERT.finditer(parsed.text):
        if parsed.code.free(alert.start(1)):
            yield *alert.span(1), f"**{alert[2].capitalize()}**"


def _plus_items(parsed: ParsedText, *, line_start: bool) -> Iterator[Edit]:
    """Replace `+` by `-`: Discord draws no list for `+`."""
    for plus in _PLUS.finditer(parsed.text):
        if (line_start or plus.start()) and parsed.code.free(plus.start(1)):
            yield *plus.span(1), "-"


def _dividers(parsed: ParsedText, *, line_start: bool) -> Iterator[Edit]:
    for divider in _DIVIDER.finditer(parsed.text):
        if (line_start or divider.start()) and parsed.whole.free(divider.start(1) + 1):
            yield *divider.span(1), DIVIDER


def _boxes(parsed: ParsedText, *, line_start: bool) -> Iterator[Edit]:
    for box in _BOX.finditer(parsed.text):
        if (line_start or box.start()) and parsed.code.free(box.start(1)):
            yield *box.span(1), "☐" if box[2] == " " else "☑"


def _breaks(parsed: ParsedText) -> Iterator[Edit]:
    text, code = parsed.text, parsed.code
    for newline in _BREAK.finditer(text):
        if code.free(newline.start()) and code.free(newline.end() - 1) and not _in_row(text, newline.start()):
            yield *newline.span(), "\n"


def _small_signs(parsed: ParsedText) -> Iterator[Edit]:
    """Convert `H<sub>2</sub>O` and `x<sup>2</sup>` if Unicode has all the letters."""
    for found in _SMALL.finditer(parsed.text):
        letters = LOWERED if found[1] == "sub" else RAISED
        if parsed.code.free(found.start() + 1) and letters.keys() >= {*found[2]}:
            yield *found.span(), "".join(letters[letter] for letter in found[2])


def _bold(text: str, heading: re.Match[str]) -> Iterator[Edit]:
    """Make a heading bold; one that is partly bold already only loses its hashes."""
    mark = "" if "*" in heading[2] else "**"
    yield *heading.span(1), mark
    last = heading.end(2)
    if mark or heading[3]:
        yield last - 1, heading.end(3), text[last - 1] + mark


def _in_row(text: str, at: int) -> bool:
    """Return whether a position is in a table row, which a line break would end."""
    line = text.rfind("\n", 0, at) + 1
    return text[line:at].lstrip().startswith("|")


def _images(parsed: ParsedText) -> Iterator[Edit]:
    text = parsed.text
    for span in parsed.spans:
        if span.mark == SpanKind.LINK and text[span.start - 1 : span.start] == "!" and span.start:
            # An image without a description becomes its URL, which Discord embeds.
            bare = _IMAGE.fullmatch(text, span.start - 1, span.end)
            if bare:
                yield span.start - 1, span.end, bare[1]
            elif not text.startswith("[]", span.start):
                yield span.start - 1, span.start, ""


def _formulas(parsed: ParsedText) -> Iterator[Edit]:
    """Replace a formula by one line of Unicode if there is one; otherwise show it as code."""
    text = parsed.text
    hidden = AtomicRange((span.start, span.end) for span in parsed.spans if span.mark == "||")
    for span in parsed.spans:
        if span.mark != SpanKind.FORMULA:
            continue
        line = text[text.rfind("\n", 0, span.start) + 1 : span.start].lstrip()
        source = text[span.start : span.end]
        inside = formula_inside(_QUOTED.sub("\n", source) if line.startswith(">") else source)
        shown = to_unicode(inside)
        if shown is not None:
            # A display formula is a line of its own, whatever touches it.
            touched = is_display(source) and text[span.end : span.end + 1].isalpha()
            yield span.start, span.end, _MARKER.sub(r"\1", shown) + ("\n" if touched else "")
        elif "`" not in source:
            yield from _as_code(text, span, line, hidden=not hidden.free(span.start))


def _as_code(text: str, span: Span, line: str, *, hidden: bool) -> Iterator[Edit]:
    """Show a formula as code.

    A display formula becomes a code block. Inside a spoiler, a quote or a table row it becomes inline code; if it
    spans several lines of a quote or a row it stays as it is.
    """
    start, end = span.start, span.end
    source = text[start:end]
    inner = line.startswith((">", "|"))
    if not is_display(source) or hidden or (inner and "\n" not in source):
        yield start, end, f"`{' '.join(source.split())}`"
    elif not inner:
        line_end = end + len(text[end:]) - len(text[end:].lstrip(" \t"))
        above = "\n" if line else ""
        below = "" if text[line_end : line_end + 1] in ("", "\n") else "\n"
        yield start, line_end, f"{above}```tex\n{source}\n```{below}"


def escape_operators(parsed: ParsedText) -> list[Edit]:
    """Return edits that escape `a || b`: Discord would read the operator as a spoiler."""
    return [(span.start, span.end, r"\|\|") for span in parsed.spans if span.mark == SpanKind.OPERATOR]

"""Write code blocks and backticks so that Discord reads them as they were meant.

Discord knows one fence: three backticks. It closes at the next three, wherever they are; the language must touch
the line break; a block must not be empty; and three backticks in a sentence open a block. So a segment gets fences
of three backticks, and every other run of three or more backticks is made harmless: by zero-width spaces in code,
and outside of code by backslashes, too, since between two single backticks there is inline code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .._events import Boundary
from .markdown.code_fence_lines import find_language, is_language
from .markdown.delimiter_stack import SpanKind
from .word_lists import load_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._events import Segment
    from .traced_text import Edit

FENCE = "```"
_ZERO_WIDTH_SPACE = "\u200b"
_RUN = re.compile(r"`{3,}")
_TICKS = re.compile(r"`+")
_FIRST = re.compile(r"\s*(`{3,}|~{3,})")
_INFO = re.compile(r"[^\n`]*(?=\n)")
_LANGUAGE_AND_WORDS = re.compile(r"[ \t]*(\S+)[ \t]+(\S[^\n]*)")
_TITLE = re.compile(
    r"(?:copy(?: code)?|(?:source )?code|example|snippet|script|session|output|text|\d[\d.]*"
    r"|[\w./-]*[\w-]\.\w{1,10}|show\w+)[ \t]*",
    re.IGNORECASE,
)
# Words that no command begins with: a comment, or code.
_COMMENT = re.compile(
    r"(?:#|//|/\*|--|<!--)[ \t!]?[ \t]*\S|<\?php\b|(?:import|from|def|class|use|using|const|let)[ \t]+\w|print\("
)
_DIRECTIVE = re.compile(r"[ \t]*\{[A-Za-z][\w-]*\}[ \t]*")  # `{note}`, as documentation tools write it
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "fish", "ksh"})
# A closing fence, with a language that the model repeated, and marks that join it.
_LAST = re.compile(r"(?<!`)(`{3,}|~{3,})([A-Za-z][\w+#.-]{0,31})?[^\x00-\x7f\w]*\s*\Z")
_WORDS_BETWEEN = re.compile(
    r"[ ]?[^\W\d_]*(?:,?[ ][^\W\d_]+)*[ ](?:and|or|with|by|then|at|as|und|oder|mit|et|ou|avec|y|o|con|e|и|или)[ ]"
)
_BACKSLASHES = re.compile(r"\\*\Z")


def find_fence_edits(segment: Segment) -> list[Edit]:
    """Return the edits that fences and backticks of a segment need."""
    text, size = segment.text, len(segment.text)
    opens, closes = "`" not in segment.prefix, "`" not in segment.suffix
    blocks = ((0, size),) if segment.ticks else segment.blocks
    edits: list[Edit] = []
    at = 0
    for start, end in (*blocks, (size, size)):
        edits += _outside_edits(segment, at, start)
        block = text[start:end]
        complete = closes or end < size
        if opens and not complete and _is_begun(block):
            return [*edits, (start, size, "")]
        found = find_block_edits(block, opens=opens, closes=complete) if block else []
        edits += [(first + start, last + start, after) for first, last, after in found]
        at = end
    ends = segment.boundary is not Boundary.OVERFLOW
    if ends and FENCE in segment.suffix and text.endswith((" ", "\t")):
        # Nobody sees the white space at the end of a block that we close, but it could make its last line too long.
        edits = [*(edit for edit in edits if edit[1] < size), (len(text.rstrip(" \t")), size, "")]
    if segment.suffix == FENCE and segment.boundary is Boundary.CODE_CLOSE:
        edits.append((len(text.rstrip("\n")), size, f"\n{FENCE}\n"))
    return edits


def find_block_edits(text: str, *, opens: bool, closes: bool) -> list[Edit]:
    """Return edits for a code block, or for a part of one that does not open or close it."""
    first = _FIRST.match(text) if opens else None
    last = _LAST.search(text, max(first.end() if first else 0, len(text) - 256)) if closes else None
    start, end = first.end() if first else 0, last.start(1) if last else len(text)
    info = _INFO.match(text, start, end) if first else None
    if info and last and _names_block(info[0]) and not text[info.end() : end].strip():
        return [(0, last.end(1), "")]  # an empty block
    edits: list[Edit] = []
    if first and last and _indent(text, first.start(1)) > _indent(text, last.start(1)):
        edits.append((text.rfind("\n", 0, first.start(1)) + 1, first.start(1), ""))
    if first and first[1] != FENCE:
        edits.append((*first.span(1), FENCE))
    if info and (language := find_language(info[0])) != info[0]:
        edits += _language_edits(info, language, text[info.end() : end])
    edits += [(*found.span(), _ZERO_WIDTH_SPACE.join(found[0])) for found in _RUN.finditer(text, start, end)]
    if closes and first and not last:  # a block in a spoiler, whose closing fence was forgotten
        return [*edits, (len(text.rstrip("\n")), len(text), f"\n{FENCE}\n")]
    if last and (last[1] != FENCE or last[2]):
        edits.append((last.start(1), last.end(2) if last[2] else last.end(1), FENCE))
    return edits


def ends_in_empty_block(segment: Segment) -> bool:
    """Return whether a segment ends in a block that has begun and has no code."""
    if "`" not in segment.suffix or "`" in segment.prefix:
        return False
    start = 0 if segment.ticks or not segment.blocks else segment.blocks[-1][0]
    return _is_begun(segment.text[start:])


def _is_begun(block: str) -> bool:
    """Return whether a text is an opening fence, perhaps with a language, and nothing else."""
    first = _FIRST.match(block)
    if first is None:
        return False
    info, _, code = block[first.end() :].partition("\n")
    return _names_block(info) and not code.strip()


def _names_block(info: str) -> bool:
    """Return whether the words after a fence name what the block contains, and so are no code."""
    words = info.strip()
    return not words or is_language(find_language(info)) or _DIRECTIVE.fullmatch(words) is not None


def _indent(text: str, at: int) -> int:
    """Return the length of the white space before a fence, or 0 if there are words."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return 0 if before.strip(" \t") else len(before.expandtabs(4))


def _language_edits(info: re.Match[str], language: str, code: str) -> Iterator[Edit]:
    """Yield the edit that leaves only the language on the first line; code on that line stays."""
    if language:
        yield *info.span(), language
    elif not info[0].strip(" \t") or _DIRECTIVE.fullmatch(info[0]):
        yield *info.span(), ""
    elif (words := _LANGUAGE_AND_WORDS.match(info[0])) and is_language(words[1]):
        # `js app.js` and `bash Copy code` name the block; other words are its first line of code.
        shell = words[1].lower() in _SHELLS and "." in words[2]  # `bash install.sh`
        if _TITLE.fullmatch(words[2]) and not shell and words[1] not in code.split(maxsplit=1)[:1]:
            yield *info.span(), words[1]
        elif _COMMENT.match(words[2]) or not (shell or words[1].lower() in load_words("commands")):
            yield info.start() + words.end(1), info.start() + words.start(2), "\n"


def _outside_edits(segment: Segment, start: int, end: int) -> Iterator[Edit]:
    """Yield the edits for backticks between two blocks: inline code, text, and closing fences that are left over."""
    text = segment.text
    spans = {first: (mark, last) for mark, first, last in segment.atomic_spans if start <= first < end}
    at = start
    while found := _RUN.search(text, at, end):
        at = found.end()
        mark, last = spans.get(found.start(), ("", 0))
        if mark == SpanKind.STRAY:
            yield *found.span(), ""
        elif mark == SpanKind.CODE:
            yield from _inline_code(text, found, last)
            at = last
        elif not (code := _code_around(segment, found.start())):
            yield _as_text(text, found)
        elif code == 1:  # in `` `a```b` `` Discord may find other pairs of backticks
            yield *found.span(), _ZERO_WIDTH_SPACE.join(found[0])


def _inline_code(text: str, opening: re.Match[str], end: int) -> Iterator[Edit]:
    """Yield the edits for `` ```x``` `` in a sentence: one or two backticks, whichever the code does not contain.

    Longer runs in the code are parted, and a backtick next to the marks is kept apart from them.

    Words between two runs that are mentioned (``use ``` to open and ``` to close``) are no code.
    """
    closing = end - len(opening[0])
    code = text[opening.end() : closing]
    if not code.strip() or _WORDS_BETWEEN.fullmatch(code):
        yield _as_text(text, opening)
        yield closing, end, _as_text(text, opening)[2]
        return
    runs = list(_TICKS.finditer(code))
    lengths = {len(run[0]) for run in runs}
    parted = bool(lengths - {1, 2}) or {1, 2} <= lengths
    mark = "``" if parted or 1 in lengths else "`"
    shown = code.strip()
    before = _ZERO_WIDTH_SPACE if shown[0] == "`" else ""
    after = _ZERO_WIDTH_SPACE if shown[-1] == "`" else ""
    start = opening.end()
    yield opening.start(), start + len(code) - len(code.lstrip()), mark + before
    for run in runs if parted else ():
        if len(run[0]) > 1:
            yield start + run.start(), start + run.end(), _ZERO_WIDTH_SPACE.join(run[0])
    yield start + len(code.rstrip()), end, after + mark


def _code_around(segment: Segment, at: int) -> int:
    """Return how many backticks began the inline code around a position, where Discord opens no block; 0 if none."""
    for mark, first, last in segment.atomic_spans:
        if mark == SpanKind.CODE and first < at < last:
            return len(_TICKS.match(segment.text, first)[0])  # type: ignore[index]
    return 0


def _as_text(text: str, run: re.Match[str]) -> Edit:
    """Return the edit that makes a run of backticks text."""
    escaped = len(_BACKSLASHES.search(text, max(0, run.start() - 64), run.start())[0]) % 2  # type: ignore[index]
    shown = f"\\`{_ZERO_WIDTH_SPACE}" * len(run[0])
    return *run.span(), shown[escaped:].removesuffix(_ZERO_WIDTH_SPACE)

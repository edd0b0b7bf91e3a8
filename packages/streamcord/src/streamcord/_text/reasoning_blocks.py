"""Take reasoning (`<think>`) and `<details>` blocks out of the answer, however the stream cuts their tags.

A tag may have a vendor prefix (`<ns:think>`), attributes and any case; `<thinking>` is `<think>`. In code it is
plain text, so the extractor scans the visible text for code, but only if a tag follows it. Inside a captured
block only the block's own closing tag counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from .._events import Captured, Dropped, Visible
from .capture_tags import TAG_HOLD, CaptureTag, opens_note, read_tag
from .markdown.code_fences import FENCED
from .markdown.line_kinds import WHITE_HOLD
from .markdown.scanner import Scanner
from .tokens import LINE_REACH
from .traced_text import SourceMap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._events import Spans
    from .._settings import Settings

MAX_BLOCK_CHARS = 256 * 1024
"""A longer captured block is returned in pieces of this length."""
STRAY = "stray tag"
"""Why a closing tag without its opening one is dropped."""

SCAN_CHARS = 4096
"""Visible text is scanned for code at a tag, and at the latest when this much of it has come."""

LATE_REACH = 120
"""Up to this length any start of an answer may be reasoning whose opening tag is missing."""

_Kind = Literal["think", "details"]
_PARTIAL = re.compile(
    r"</?(?:[\w.-]{0,32}|[\w.-]{1,32}:\w{0,8}|(?:[\w.-]{1,32}:)?(?:think|thinking|details)(?:\s[^<>]*|/))\Z",
    re.IGNORECASE,
)
_THINKING = re.compile(
    r"\s*(?:(?:okay|ok|alright|hm+|wait|so|first|the user|user|we (?:need|have|should)"
    r"|i(?:'m| need| should| have)|let(?:'s| me| us)|looking at|thinking)\b|嗯|好的|用户|我们|首先|让我)",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"<summary\b", re.IGNORECASE)
_SUMMARY_END = re.compile(r"</summary\s*>", re.IGNORECASE)
_CODE_STOP = re.compile(r"`+|\n")
_TRAILING = re.compile(r"[ \t\n]{1,64}\Z")
_LEADING = re.compile(r"[ \t\n]{0,64}")


class _Block(NamedTuple):
    kind: _Kind
    start: int  # its first source character, the tag included
    white: str = ""  # visible white space before it
    white_spans: Spans = ()  # the source ranges of that white space


def may_be_reasoning(text: str) -> bool:
    """Return whether a late `</think>` makes this text reasoning: it is short, or begins like reasoning."""
    return len(text.strip()) <= LATE_REACH or _THINKING.match(text) is not None


def _drop_summary(text: str) -> str:
    """Return details without their first `<summary>`."""
    found = _SUMMARY.search(text)
    close = text.find(">", found.end()) if found else -1
    end = _SUMMARY_END.search(text, close + 1) if close >= 0 else None
    return text[: found.start()] + text[end.end() :] if found and end else text


class BlockExtractor:
    """Split text into visible, captured and dropped text.

    It has 16 attributes, because a tag may be cut anywhere: the open block and the beginning of a tag both wait here.

    Args:
        settings: Whether the answer starts in reasoning, and how code fences are matched.
        tildes: Whether `~~~` opens a code block.

    """

    def __init__(self, settings: Settings, *, tildes: bool = False) -> None:
        self._settings = settings
        nested = settings.code_fence_matching == "nested"
        self._takes_details = settings.details == "memory"
        self._scanner = Scanner(settings, nested=nested, tildes=nested and tildes)
        self._unscanned: list[str] = []  # visible text that the scanner has not read
        self._unscanned_chars = 0
        self.at = 0  # the source position after all text that was fed
        self._restart()

    def _restart(self) -> None:
        self._pending = ""  # text that is not decided yet
        self._source_map = SourceMap(self.at)
        self._block: _Block | None = None  # the open block
        self._depth = 0  # how many `<details>` are open in it
        self._inside: list[str] = []  # the content of the open block
        self._inside_length = 0
        self._after: _Block | None = None  # a block that just ended: the white space around it is merged
        self._last_shown = ""  # the last visible character
        self._shown_openers = 0  # `<details>` tags that are text; so many closing tags are text, too
        if self._settings.starts_in_thought:
            self._open(_Block("think", self.at))

    def feed(self, text: str, start: int | None = None) -> list[Visible | Captured | Dropped]:
        """Read text at a source position (default: after the last one) and return what is decided, in order."""
        start = self.at if start is None else start
        if not self._pending:
            self._source_map = SourceMap(start)
        self._source_map.add(len(self._pending), start)
        self._pending += text
        self.at = start + len(text)
        return self._run(final=False)

    def flush(self) -> list[Visible | Captured | Dropped]:
        """End the text: an open block is captured, an incomplete tag is text."""
        events = self._run(final=True)
        if self._block:
            events += self._capture(len(self._pending), final=True)
        if self._after and self._after.white:
            self._put_back(self._after)
            events += self._show(len(self._pending))
        self._reset_scanner()
        self._restart()
        return events

    @property
    def held_text(self) -> str | None:
        """Visible text that is not decided yet; None inside of a block."""
        return None if self._block else self._pending

    # --- Outside --------------------------------------------------------------------------------

    def _run(self, *, final: bool) -> list[Visible | Captured | Dropped]:
        """Decide as much of the pending text as possible."""
        events: list[Visible | Captured | Dropped] = []
        self._search = 0
        while True:
            if self._after:
                if self._waits_for_white() and not final:
                    return events
                events += self._join_white()
            at = self._pending.find("<", self._search)
            if at < 0 or (self._is_partial(at) and not final):
                return [*events, *self._release(at if at >= 0 else len(self._pending), final=final)]
            tag = read_tag(self._pending, at)
            if tag is None or (tag.kind == "details" and not (self._block or self._takes_details)):
                self._search = at + 1
            elif self._block:
                events += self._read_inside(tag, at)
            else:
                events += self._read_outside(tag, at, final=final)
                if self._search < 0:
                    return events

    def _is_partial(self, at: int) -> bool:
        return len(self._pending) - at < TAG_HOLD and bool(_PARTIAL.match(self._pending, at))

    def _release(self, count: int, *, final: bool) -> Sequence[Visible | Captured]:
        """Return the text before a position, which can no longer become a tag."""
        if self._block:
            return self._capture(count)
        return self._show(count if final else self._before_white(count))

    def _read_outside(self, tag: CaptureTag, at: int, *, final: bool) -> list[Visible | Captured | Dropped]:
        """Read a tag in visible text: the start of a block, a stray closing tag, or code."""
        white = self._before_white(at)
        events: list[Visible | Captured | Dropped] = [*self._show(white)]
        at, end = at - white, tag.end - white
        self._search = self._code_end(at, final=final)
        if self._search:
            return events
        if tag.kind == "details" and tag.closes and self._shown_openers:
            self._shown_openers -= 1
            self._search = at + 1
            return events
        if tag.kind == "details" and not (tag.closes or tag.empty):
            before = "" if "\n" in self._pending[:at] else self._last_shown.strip()
            opens = opens_note(self._pending, end, before, final=final)
            if not opens:
                self._search = at + 1 if opens is False else -1
                self._shown_openers += opens is False
                return events
        block = _Block(
            tag.kind, self._source_map.source(at), self._pending[:at], self._source_map.spans(0, at)
        )
        text, spans = self._pending[at:end], ((block.start, self._source_map.source(end - 1) + 1),)
        self._drop_held(end)
        if tag.closes:
            self._after = block
            self._reset_scanner()  # the segmenter starts again, too, if the text before is reasoning
            events.append(Dropped(text, STRAY, spans))
        elif tag.empty:
            self._after = block
            events.append(Captured(tag.kind, "", spans))
        else:
            self._open(block)
        return events

    def _code_end(self, at: int, *, final: bool) -> int:
        """Return where the code around a tag ends: 0 if it is not code, -1 to wait, else where to continue."""
        code = self._scan()
        if code == FENCED:
            return at + 1
        if not code or "\n" in self._pending[:at]:
            return 0
        until = at + LINE_REACH
        for found in _CODE_STOP.finditer(self._pending, at, until):
            if found[0] == "\n":
                return 0
            if found.end() == len(self._pending) < until and not final:
                return -1
            if len(found[0]) == code:
                return found.end()
        return 0 if final or len(self._pending) >= until else -1

    def _scan(self) -> int:
        """Scan the visible text so far; return whether code follows it, see `Scanner.code_ahead`."""
        self._scanner.push("".join(self._unscanned))
        self._unscanned, self._unscanned_chars = [], 0
        code = self._scanner.code_ahead()
        # Where the text may be cut is the segmenter's question.
        self._scanner.delimiters.breaks.clear()
        self._scanner.forget(self._scanner.certain)
        return code

    def _reset_scanner(self) -> None:
        self._unscanned, self._unscanned_chars = [], 0
        self._scanner.reset()

    def _show(self, count: int) -> list[Visible]:
        """Return the first pending characters as visible text."""
        events = []
        while count > 0:
            start, end = self._source_map.spans(0, count)[0]
            text = self._pending[: end - start]
            self._drop_held(len(text))
            count -= len(text)
            self._unscanned.append(text)
            self._unscanned_chars += len(text)
            self._last_shown = text[-1]
            events.append(Visible(text, start))
        if self._unscanned_chars > SCAN_CHARS:
            self._scan()
        return events

    def _drop_held(self, count: int) -> None:
        self._pending = self._pending[count:]
        self._source_map.shift(count)

    def _before_white(self, at: int) -> int:
        """Return where the white space before a position starts; it may be merged with that after a block."""
        found = _TRAILING.search(self._pending, max(0, at - WHITE_HOLD), at)
        return found.start() if found else at

    # --- Inside ---------------------------------------------------------------------------------

    def _open(self, block: _Block) -> None:
        self._block, self._depth = block, 1
        self._inside, self._inside_length = [], 0

    def _read_inside(self, tag: CaptureTag, at: int) -> list[Captured]:
        """Read a tag in a block: only tags of the block's kind count, and only details nest."""
        assert self._block
        self._search = tag.end
        if tag.kind != self._block.kind or tag.empty or (not tag.closes and tag.kind == "think"):
            return []
        self._depth += -1 if tag.closes else 1
        if self._depth:
            return []
        self._search = 0
        return self._capture(at, end=tag.end)

    def _capture(self, count: int, *, end: int = 0, final: bool = False) -> list[Captured]:
        """Move pending characters into the block; with `end` or at the end of the text it is complete."""
        assert self._block
        events = []
        block, cap = self._block, MAX_BLOCK_CHARS
        self._inside.append(self._pending[:count])
        self._inside_length += count
        stop = self._source_map.source(max(end, count) - 1) + 1 if max(end, count) else self.at
        self._drop_held(max(end, count))
        while self._inside_length > cap:
            text = "".join(self._inside)
            self._inside, self._inside_length = [text[cap:]], len(text) - cap
            cut = stop - self._inside_length
            events.append(Captured(block.kind, text[:cap], ((block.start, cut),), more=True))
            self._block = block = block._replace(start=cut)
        if end or final:
            self._block, self._after = None, block
            if stop > block.start:
                events.append(Captured(block.kind, self._content(block.kind), ((block.start, stop),)))
        return events

    def _content(self, kind: _Kind) -> str:
        text = "".join(self._inside)
        self._inside, self._inside_length = [], 0
        return (_drop_summary(text) if kind == "details" else text).strip()

    # --- After a block ---------------------------------------------------------------------------------

    def _waits_for_white(self) -> bool:
        end = _LEADING.match(self._pending).end()  # type: ignore[union-attr]
        return end == len(self._pending) and end < WHITE_HOLD

    def _join_white(self) -> list[Dropped]:
        """Merge the white space on both sides of a block; the side with more newlines wins."""
        block = self._after
        assert block
        self._after = None
        after = _LEADING.match(self._pending)[0]  # type: ignore[index]
        if not block.white:
            return []
        if after and after.count("\n") > block.white.count("\n"):
            return [Dropped(block.white, "white space", block.white_spans)]
        dropped = []
        if after:
            dropped.append(Dropped(after, "white space", self._source_map.spans(0, len(after))))
            self._drop_held(len(after))
        self._put_back(block)
        return dropped

    def _put_back(self, block: _Block) -> None:
        """Put the white space before a block back in front of the pending text."""
        self._pending = block.white + self._pending
        for start, end in reversed(block.white_spans):
            self._source_map.unshift(end - start, start)

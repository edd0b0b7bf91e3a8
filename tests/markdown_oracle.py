"""An independent reader of Discord's dialect, which claims only what is beyond doubt.

The invariants need an oracle that shares no line with the code under test. A full second parser would only repeat
its guesses, so this one is modest: it reads a whole text and claims a region (a fence, a span, a link, ...)
only where every reading of the rules agrees. Text that can be read in two ways gets no claim, and a marker
outside every claim is listed as stray, so that a checker knows when to keep silent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SPAN_REACH, SPOILER_REACH = 600, 4000
MARKDOWN = ("***", "**", "*", "__", "_", "~~", "||")
PAIRS = {"(": ")", "“": "”", "「": "」", "『": "』", "«": "»"}

_FENCE = re.compile("`{3,}")
_BLANK_LINE = re.compile(r"[ \t]*(?:\n|\Z)")
_OPENING = re.compile("`{3,}|^[ \t]*~{3,}", re.MULTILINE)
_LINE_HEAD = re.compile(r"[ \t]*(?:(?:[-*•]|\d{1,9}[.)])[ \t]+)?")
_SPECIAL = re.compile(r"[ \t]+|[-*•+][ \t]|\d{1,9}[.)][ \t]|#|-#|>|\||```|~~~")
_INFO = re.compile(r"(?:([A-Za-z0-9_+\-.#]{1,32})(?: [^`\n]*)?)?[ \t]*")
_TAG = re.compile(
    r"<(?:a?:\w{2,32}:\d+|@[!&]?\d+|#\d+|t:-?\d{1,12}(?::[tTdDfFR])?|/[\w ]{1,32}:\d+)>", re.ASCII
)
_QUIET_URL = re.compile(r"<https?://[^\s<>]+>")
_URL = re.compile(r"https?://[A-Za-z0-9/._\-?=&%#:~+@!$,;']+(?:\([A-Za-z0-9_]*\)[A-Za-z0-9/._\-]*)?")
_LINK = re.compile(r"\[[^\[\]()\n`<>*_~|\"\\]+\]\(https?://[^\s()<>*_~|`\"\\]+\)")
_HOT = re.compile(r"[\\`<\[\]()\"“”「」『』«»*_~|]|https?://")
_RUNS = re.compile(r"\*+|_+|~+|\|+|`+")
_AFTER_URL = re.compile(r"[)\]*_~|.,:;!?\"'”」]*(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Region:
    """Something that must stay whole if it fits; `width` counts its two delimiters together."""

    kind: str
    start: int
    end: int
    width: int = 0

    def holds(self, place: int) -> bool:
        return self.start <= place < self.end


@dataclass(frozen=True, slots=True)
class Fence:
    """A code block: `body` is the range between its fence lines; an open one ends with the text."""

    start: int
    end: int
    body: tuple[int, int]
    language: str
    info: str
    ticks: int
    indent: int
    closed: bool


@dataclass(slots=True)
class Reading:
    """What is certain about a text: nothing is claimed at or after `horizon`."""

    text: str
    fences: list[Fence] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    delimiters: set[int] = field(default_factory=set)
    strays: list[int] = field(default_factory=list)
    horizon: int = 0

    @property
    def certain(self) -> bool:
        return self.horizon == len(self.text)

    def is_clean(self, mark: str) -> bool:
        """Whether every such marker of the text is part of a claimed span."""
        return self.certain and all(self.text[place] != mark for place in self.strays)


def read(text: str) -> Reading:
    """Everything that is certain about a text."""
    reading = Reading(text, horizon=len(text))
    _read_fences(reading)
    for start, end in _prose(reading):
        for block in _blocks(text, start, end):
            _BlockReader(reading, *block).read()
    _read_spoilers(reading)
    return reading


# --- Fences -------------------------------------------------------------------------------------------


def _read_fences(reading: Reading) -> None:
    """Claims fences up to the first run of three backticks that could be anything else."""
    text, place = reading.text, 0
    while run := _OPENING.search(text, place):
        start = text.rfind("\n", 0, run.start()) + 1
        if text.startswith(">", start):
            after = _skip_quote(text, start)
            if after is None:
                reading.horizon = run.start()
                return
            place = after
            continue
        head = text[start : run.start()]
        tildes = "~" in run.group()  # a fence for the one who adapts them, or the end of a scene
        fence = _read_fence(text, run) if _LINE_HEAD.fullmatch(head) and not tildes else None
        if fence is None:
            reading.horizon = run.start()
            return
        reading.fences.append(fence)
        place = fence.end


def _skip_quote(text: str, place: int) -> int | None:
    """The end of a quote block whose fences are balanced, so that they are its own affair."""
    start = place
    while text.startswith(">", place):
        newline = text.find("\n", place)
        place = newline + 1 if newline >= 0 else len(text)
    runs = _FENCE.findall(text[start:place])
    return place if len(runs) % 2 == 0 and all(len(run) == 3 for run in runs) else None


def _read_fence(text: str, run: re.Match[str]) -> Fence | None:
    ticks = len(run.group())
    newline = text.find("\n", run.end())
    info = _INFO.fullmatch(text, run.end(), newline) if newline >= 0 else None
    if info is None or ticks > 32:
        return None
    language, indent = info.group(1) or "", run.start() - text.rfind("\n", 0, run.start()) - 1
    if not info.group().strip() and _BLANK_LINE.match(text, newline + 1):
        return None  # perhaps the end of a block that was never opened
    close = _find_close(text, newline, ticks, indent)
    shorter = close is not None and ticks > 3 and "```" in text[newline : close.start()]
    if shorter and language.lower() not in ("", "md", "markdown"):
        return None  # no one knows which of them ends code
    if close is None:
        inner_runs = "```" in text[newline:]
        body = (newline + 1, len(text))
        return (
            None
            if inner_runs or ticks > 3 or not text[body[0] :].strip()
            else Fence(run.start(), len(text), body, language, info.group(), ticks, indent, closed=False)
        )
    body = (newline + 1, close.start())
    if not text[body[0] : body[1]].strip() or _is_doubtful(text, body, language, ticks):
        return None
    return Fence(run.start(), close.end(), body, language, info.group(), ticks, indent, closed=True)


def _is_doubtful(text: str, body: tuple[int, int], language: str, ticks: int) -> bool:
    """Whether a document in a block might go on: what looks like its end may open a block in it."""
    if ticks > 3 or language.lower() not in ("", "md", "markdown"):
        return False
    line_end = text.find("\n", body[1])
    goes_on = line_end >= 0 and re.compile("[ \t]*[^\\s]").match(text, line_end + 1)
    return "~~~" in text[slice(*body)] or bool(language and goes_on)


def _find_close(text: str, newline: int, ticks: int, indent: int) -> re.Match[str] | None:
    """The closing run, only if it stands alone on its line and no other run could be meant."""
    for run in _FENCE.finditer(text, newline):
        start = text.rfind("\n", 0, run.start()) + 1
        end = text.find("\n", run.end())
        alone = not text[start : run.start()].strip(" \t") and run.start() - start <= indent
        alone = alone and not text[run.end() : end if end >= 0 else len(text)].strip(" \t\r")
        exact = len(run.group()) == ticks
        if alone and exact:
            return run
        if ticks == 3 or len(run.group()) >= ticks:
            return None
    return None


def _prose(reading: Reading) -> list[tuple[int, int]]:
    """The ranges outside fences, up to the horizon."""
    edges = [0]
    for fence in reading.fences:
        edges += [fence.start, fence.end]
    edges.append(reading.horizon)
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


def _blocks(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Paragraphs, and each line that is no plain prose by itself."""
    blocks: list[tuple[int, int]] = []
    joins = False
    place = start
    while place < end:
        newline = text.find("\n", place, end)
        stop = newline + 1 if newline >= 0 else end
        blank = not text[place:stop].strip()
        special = bool(_SPECIAL.match(text, place))
        if not blank:
            if joins and not special:
                blocks[-1] = (blocks[-1][0], stop)
            else:
                blocks.append((place, stop))
        joins = not blank and not special
        place = stop
    return blocks


# --- Spans --------------------------------------------------------------------------------------------


class _BlockReader:
    """Reads one paragraph or line; any doubt empties its stack of openers."""

    def __init__(self, reading: Reading, start: int, end: int) -> None:
        self.reading, self.text, self.start, self.end = reading, reading.text, start, end
        self.stack: list[tuple[str, int, int]] = []
        self.doubtful_code_until = start

    def read(self) -> None:
        head = re.compile(r"[ \t]*(?:>[ \t]*)*(?:(?:[-*•+]|\d{1,9}[.)]|#{1,6}|-#)[ \t]+)?").match(
            self.text, self.start, self.end
        )
        place = head.end() if head else self.start
        if self.text.startswith("|", self.start):
            self._read_table_line(place)
            return
        while hot := _HOT.search(self.text, place, self.end):
            place = self._read_at(hot.start(), hot.group())
        self._forget()

    def _read_table_line(self, place: int) -> None:
        """Table lines are full of bars and get no claims."""
        runs = _RUNS.finditer(self.text, place, self.end)
        self.reading.strays += [p for run in runs for p in range(*run.span())]

    def _read_at(self, place: int, mark: str) -> int:
        """Reads what begins at a hot character and returns where to go on."""
        if mark == "\\":
            return self._doubt(place, place + 2)
        if mark == "`":
            return self._read_code(place)
        if mark == "<":
            return self._read_tag(place)
        if mark.startswith("http"):
            return self._read_url(place)
        if mark == "[" and (link := self._match(_LINK, place)) and self._is_fresh(place):
            self._claim("link", place, link.end())
            return link.end()
        if mark in "[]":
            return self._doubt(place, place + 1)
        if mark in "*_~|":
            return self._read_run(place)
        return self._read_quote(place, mark)

    def _read_code(self, place: int) -> int:
        run = _RUNS.match(self.text, place)
        assert run is not None
        newline = self.text.find("\n", place, self.end)
        stop = newline if newline >= 0 else self.end
        if place >= self.doubtful_code_until and len(run.group()) < 3:
            for other in re.compile("`+").finditer(self.text, run.end(), stop):
                if len(other.group()) == len(run.group()):
                    self._claim("code", place, other.end())
                    return other.end()
        self.doubtful_code_until = stop
        return self._doubt(place, run.end())

    def _read_tag(self, place: int) -> int:
        for pattern, kind in ((_TAG, "tag"), (_QUIET_URL, "url")):
            if tag := self._match(pattern, place):
                self._claim(kind, place, tag.end())
                return tag.end()
        newline = self.text.find("\n", place, self.end)
        close = self.text.find(">", place, newline if newline >= 0 else self.end)
        return self._doubt(place, close + 1 if close >= 0 else place + 1)

    def _read_url(self, place: int) -> int:
        url = self._match(_URL, place)
        end = place + 4 if url is None else place + len(url.group().rstrip(".,:;!?'_~"))
        space = re.compile(r"[\s<>]").search(self.text, end, self.end)
        run_end = space.start() if space else self.end
        before = self.text[place - 1 : place] if place else ""
        # Kana and Han have no spaces: an address may follow them at once.
        word = before.isalnum() and not "\u3040" <= before <= "\u9fff"
        if url is None or word or before in ("_", ":"):
            return self._doubt(place, run_end)
        if not _AFTER_URL.match(self.text, end, self.end):
            return self._doubt(place, run_end)
        self._claim("url", place, end)
        return end

    def _read_run(self, place: int) -> int:
        run = _RUNS.match(self.text, place)
        assert run is not None
        mark, end = run.group(), run.end()
        if mark in ("~", "|"):
            return end
        if mark == "||" and self._is_operator(place):
            return end
        if mark not in MARKDOWN:
            return self._doubt(place, end)
        return self._open_or_close(mark, mark, place, end)

    def _read_quote(self, place: int, mark: str) -> int:
        if mark == '"':
            return self._open_or_close('"', '"', place, place + 1)
        if mark in PAIRS:
            return self._open_or_close(mark, "", place, place + 1)
        opener = next(left for left, right in PAIRS.items() if right == mark)
        return self._open_or_close("", opener, place, place + 1)

    def _open_or_close(self, opens: str, closes: str, place: int, end: int) -> int:
        """Pairs a marker with the innermost opener, opens, or doubts everything."""
        spaced = place == self.start or self.text[place - 1].isspace()
        if closes and self.stack and self.stack[-1][0] == closes:
            kind, start, inner = self.stack[-1]
            after = self.text[end : end + 1]
            if not spaced and inner < place and not (after.isalnum() or after == "_"):
                self.stack.pop()
                reach = SPOILER_REACH if kind == "||" else SPAN_REACH
                if end - start < reach - 8:
                    self._claim(kind, start, end, 2 * (inner - start))
                    self.reading.delimiters |= {*range(start, inner), *range(place, end)}
                else:
                    self.reading.strays += [*range(start, inner), *range(place, end)]
                return end
        follows = self.text[end : end + 1]
        if opens and self._is_fresh(place) and follows and not follows.isspace():
            self.stack.append((opens, place, end))
            return end
        return self._doubt(place, end)

    def _is_fresh(self, place: int) -> bool:
        """Whether nothing before this place could make it anything but an opener."""
        if place == self.start or self.text[place - 1].isspace():
            return True
        if self.stack and self.stack[-1][2] == place:
            return True
        return "\u3040" <= self.text[place - 1] <= "\u9fff"

    def _is_operator(self, place: int) -> bool:
        before, after = (
            self.text[place - 1 : place] if place else " ",
            self.text[place + 2 : place + 3] or " ",
        )
        return before.isspace() and after.isspace()

    def _match(self, pattern: re.Pattern[str], place: int) -> re.Match[str] | None:
        return pattern.match(self.text, place, self.end)

    def _claim(self, kind: str, start: int, end: int, width: int = 0) -> None:
        self.reading.regions.append(Region(kind, start, end, width))

    def _doubt(self, place: int, end: int) -> int:
        """Lists a marker and all open ones as stray."""
        end = min(end, self.end)
        self.reading.strays += range(place, end)
        self._forget()
        return end

    def _forget(self) -> None:
        for _, start, inner in self.stack:
            self.reading.strays += range(start, inner)
        self.stack.clear()


def _read_spoilers(reading: Reading) -> None:
    """Claims spoilers over several paragraphs: stray bars that can only be a pair."""
    text, bars = reading.text, [place for place in reading.strays if reading.text[place] == "|"]
    tokens = [
        place for place in sorted(set(bars)) if text[place : place + 2] == "||" and place - 1 not in bars
    ]
    if len(bars) != 2 * len(tokens) or len(tokens) % 2:
        return
    for start, close in zip(tokens[::2], tokens[1::2], strict=True):
        end = close + 2
        fresh = start == 0 or text[start - 1].isspace()
        tight = not text[start + 2].isspace() and not text[close - 1].isspace() and close > start + 2
        others = [p for p in reading.strays if start < p < end and p not in {start + 1, close, close + 1}]
        crossed = any(r.start < start < r.end or r.start < close < r.end for r in reading.regions)
        followed = text[end : end + 1].isalnum()
        if not fresh or not tight or others or crossed or followed or end - start > SPOILER_REACH - 8:
            return
        reading.regions.append(Region("||", start, end, 4))
        marks = {start, start + 1, close, close + 1}
        reading.delimiters |= marks
        reading.strays = [place for place in reading.strays if place not in marks]

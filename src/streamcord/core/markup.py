"""The one incremental scanner of Discord's Markdown dialect.

It reads each character of the visible text once and answers the questions of all later steps: where may the
text be cut (`places.breaks`), what must stay whole (`places.spans`), is this code (`code_ahead`).

Transparent markers (emphasis, spoilers, quotes, brackets) wait on a stack, see `openers.py`. Opaque things
(inline code, URLs, tags, link targets, see `inline.py`) stop the scan until they are decided. The result is a
function of the text alone: no step looks further than its reach, nor further back than what is kept.

Discord's grammar is not CommonMark: a fence closes at the *next* three backticks wherever they stand, `~~~` is
no fence, `>>>` quotes the rest of the message, `||spoilers||` may run over anything.
Replicas: github.com/brussell98/discord-markdown, github.com/ItzDerock/discord-markdown-parser
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from ..events import Boundary
from .fences import FENCED, Fence, find_fence_end, open_code
from .inline import TAG_REACH, TEXT, URL_REACH, URL_STOP, WAIT
from .inline import fence_opens, find_code_end, find_link_end, find_tag_end, find_url_end
from .lines import LONGEST_RUN, WHITE_HOLD, Line, is_table_head, read_line, skip_white
from .openers import NEVER, Openers, Span
from .sentences import ENDS, judge_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..settings import Segmenting

__all__ = ["Mark", "Scanner", "is_word", "scan"]

LOOK_BACK = 640
"""Characters kept before a cut, so that what precedes a character is known in every slicing."""

FORGET = 2048
"""So much is let go of at once, at least."""

PAIRS = dict(zip("(（「『｢【〈《«‹“„", ")）」』｣】〉》»›”“", strict=True))
"""Brackets and quotes whose opener and closer differ."""
_OPENER_OF = {closer: opener for opener, closer in PAIRS.items()}

_ANY = re.compile(r"(?s:.)")
_NON_WHITE = re.compile(r"[^ \t\n]")
_TICK = re.compile(r"`")
_TICK_OR_NEWLINE = re.compile(r"[`\n]")
_TAG_STOP = re.compile(r"[<>\n]")
_PAREN_OR_NEWLINE = re.compile(r"[()\n]")
_TICKS = re.compile(r"`+")
_FENCE_OR_NEWLINE = re.compile(r"```|\n")
_QUOTED = re.compile(r"[ \t]{0,3}(>?)")
_CARRIED = re.compile(r"[.,!?;。！？、，]{1,32}")
_RUN = {mark: re.compile(re.escape(mark) + "+") for mark in "*_~|"}
_ENDS = re.compile(f"[{re.escape(''.join(sorted(ENDS)))}]+")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_CLOSES_LINE = frozenset({Line.HEADING, Line.SUBTEXT, Line.PIPE, Line.TABLE})
_OPENS_BLOCK = frozenset(set(Line) - {Line.PROSE, Line.MORE, Line.QUOTE})
# Scripts written without spaces: a marker next to them stands between words, not inside one.
_NO_SPACES = re.compile(
    "[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)


class Mark:
    """Names of spans that are not their own delimiter."""

    FENCE = "```"
    CODE = "`"
    URL = "url"
    TAG = "<"
    LINK = "["
    OPERATOR = "operator"


def is_word(character: str) -> bool:
    """Whether a marker next to this character stands inside a word."""
    if character.isascii():
        return character.isalnum() or character == "_"
    return character.isalnum() and not _NO_SPACES.match(character)


class Scanner:
    """Reads visible text; positions count from the start of `text`, which `forget` moves on."""

    def __init__(self, settings: Segmenting, *, sentences: bool = False) -> None:
        self._settings = settings
        self._stops_only = settings.sentence_ends == "period"
        self._readers = _SENTENCE_READERS if sentences else _READERS
        self._hot = _SENTENCE_HOT if sentences else _HOT
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next text starts anew."""
        self.places = Openers()
        self.text = ""
        self.at = 0  # the first character not read yet
        self.tail: list[str] = []  # what has arrived and nobody needed to look at yet
        self.length = 0  # of text and tail together
        self.wake = _ANY  # only these characters can change anything,
        self.wake_at = NEVER  # or this length
        self.fence: Fence | None = None
        self.first = self.line = Line.BLANK
        self.block_quote = NEVER  # where a >>> quote began
        self._line_start = 0
        self._content = 0  # where the line's content begins, behind its marker
        self._state = self._read_first

    # --- In and out -----------------------------------------------------------------------------

    def push(self, text: str) -> None:
        """Take text without looking at it; `read` is due once `wake` or `wake_at` says so."""
        self.tail.append(text)
        self.length += len(text)

    def read(self, *, final: bool = False) -> None:
        """Read on, as far as can be decided."""
        if self.tail:
            self.text += "".join(self.tail)
            self.tail.clear()
        while self.at < len(self.text):
            self.wake, self.wake_at = _ANY, NEVER
            step = self._state(self.at, final)
            if step == WAIT:
                break
            self.at = step
        else:
            self.wake = self._hot if self._state == self._read_text else _ANY
            self.wake_at = NEVER
        self.places.expire(self.at)

    @property
    def certain(self) -> int:
        """Everything before this position is read and decided."""
        return min(self.at, self.places.floor)

    def forget(self, until: int) -> int:
        """Let go of the text before `until`, but for a little look-back; how far positions moved."""
        cut = until - LOOK_BACK
        if cut < FORGET:
            return 0
        self.text = self.text[cut:]
        self.length -= cut
        self.at -= cut
        self.wake_at -= cut
        self._line_start -= cut
        self._content -= cut
        self.block_quote -= cut
        self.places.shift(cut, until)
        if self.fence:
            self.fence = self.fence._replace(start=self.fence.start - cut)
        return cut

    def code_ahead(self) -> int:
        """Whether the next character stands in code: `FENCED`, a run of backticks still open, or 0."""
        text, at = self.text + "".join(self.tail), self.at
        if self.fence:
            # A run of backticks that may still grow closes the block if it ends here.
            at = find_fence_end(text, self.fence, at, final=True)[0]
            if at <= 0:
                return FENCED
        fresh = self._state == self._read_first or at == self._content
        return open_code(text, at, line_start=fresh)[1]

    def _wait(self, wake: re.Pattern[str], until: int) -> int:
        self.wake, self.wake_at = wake, until
        return WAIT

    def _read_text(self, at: int, final: bool) -> int:
        found = self._hot.search(self.text, at)
        if found is None:
            return len(self.text)
        self.at = at = found.start()
        return self._readers[found[0]](self, at, final)

    def _around(self, at: int, end: int, final: bool) -> tuple[str, str]:
        """The characters before and behind a marker; the one behind is empty if it must be waited for."""
        before = self.text[at - 1] if at else "\n"
        after = self.text[end : end + 1]
        return before, after or ("\n" if final else "")

    # --- Lines ----------------------------------------------------------------------------------

    def _read_first(self, at: int, final: bool) -> int:
        """The first line of a text has a kind, too, but no place to cut before it."""
        white = skip_white(self.text, at)
        if white == len(self.text) < at + WHITE_HOLD and not final:
            return self._wait(_NON_WHITE, at + WHITE_HOLD)
        self._line_start = self.text.rfind("\n", at, white) + 1
        found = read_line(self.text, self._line_start, final=final)
        if found is None:
            return WAIT
        self.first = found[0]
        return self._start_line(*found)

    def _start_line(self, kind: Line, content: int) -> int:
        self.line, self._content = kind, content
        self._state = self._read_text
        if kind is Line.FENCE:
            return self._open_fence(content)
        if kind is Line.PIPE:
            self._state = self._read_head
        if kind is Line.BLOCK_QUOTE:
            self.block_quote = min(self.block_quote, self._line_start)
        return content

    def _read_newline(self, at: int, final: bool) -> int:
        return self._read_line_end(at, final, Boundary.NEWLINE)

    def _read_line_end(self, at: int, final: bool, why: Boundary) -> int:
        """A line ends here; what follows decides whether it may be cut, and where exactly."""
        text = self.text
        white = skip_white(text, at)
        clamped = white - at == WHITE_HOLD
        if white == len(text) and not clamped:
            return len(text) if final else self._wait(_NON_WHITE, at + WHITE_HOLD)
        start = text.rfind("\n", at, white) + 1
        if start == 0:
            return self._go_on(white, why)
        blank = text.count("\n", at, white) > 1
        if clamped:
            return self._leave_line(start, why, Line.BLANK, start, blank=True)
        if not blank and why is Boundary.NEWLINE:
            carried = self._read_carried(white, final)
            if carried != TEXT:
                return carried
        found = read_line(text, start, final=final)
        if found is None:
            return WAIT
        kind, content = found
        if kind is Line.PROSE and not blank and white - start > 1 and self.line in (Line.ITEM, Line.MORE):
            kind = Line.MORE
        elif kind is Line.PIPE and not blank and self.line is Line.TABLE:
            kind = Line.TABLE
        return self._leave_line(start, why, kind, content, blank=blank)

    def _leave_line(self, start: int, why: Boundary, kind: Line, content: int, *, blank: bool) -> int:
        """A new line of a known kind starts: openers that cannot reach into it are none."""
        self.places.expire(start)
        new_quote = kind is Line.QUOTE and self.line is not Line.QUOTE
        if blank or new_quote or kind in _OPENS_BLOCK or self.line in _CLOSES_LINE:
            self.places.end_paragraph()
        else:
            self.places.end_line(self._line_start)
        self._add_break(start, why, kind, blank=blank)
        self._line_start = start
        return self._start_line(kind, content)

    def _go_on(self, at: int, why: Boundary) -> int:
        """Behind a code block or carried punctuation the line may go on."""
        self._add_break(at, why, Line.PROSE)
        self._state, self.line, self._content = self._read_text, Line.PROSE, -1
        return at

    def _add_break(self, at: int, why: Boundary, after: Line, *, blank: bool = False) -> None:
        self.places.add(at, why, self.line, after, blank=blank)

    def _read_carried(self, at: int, final: bool) -> int:
        """Sentence punctuation alone at the start of a line belongs to the line before it."""
        text = self.text
        run = _CARRIED.match(text, at)
        if run is None or text.startswith("..", at):
            return TEXT
        end = run.end()
        if end == len(text):
            return end if final else (WAIT if end - at < 32 else TEXT)
        if text[end] not in " \t\n":
            return TEXT
        white = skip_white(text, end)
        if white == len(text) < end + WHITE_HOLD and not final:
            return WAIT
        newline = text.find("\n", end, white)
        if newline >= 0:
            return newline
        self.places.end_line(self._line_start)
        self._line_start = at
        return self._go_on(white, Boundary.NEWLINE)

    def _read_head(self, at: int, final: bool) -> int:
        """A line that starts with a pipe is a table's header if its delimiter line follows."""
        head = is_table_head(self.text, at, final=final)
        if head is None:
            return WAIT
        self.line = Line.TABLE if head else Line.PROSE
        self._state = self._read_text
        return at + 1

    # --- Code -----------------------------------------------------------------------------------

    def _open_fence(self, at: int) -> int:
        ticks = _TICKS.match(self.text, at).end() - at  # type: ignore[union-attr]
        self.fence = Fence(at, ticks, self.line is Line.QUOTE)
        self._state = self._read_quoted_fence if self.fence.quoted else self._read_fence
        return at + ticks

    def _read_fence(self, at: int, final: bool) -> int:
        assert self.fence
        end, search = find_fence_end(self.text, self.fence, at, final=final)
        if end > 0:
            self._close_fence(end)
            return end
        if final:
            return len(self.text)
        self.at = search
        return self._wait(_TICK, NEVER) if end == TEXT else WAIT

    def _read_quoted_fence(self, at: int, final: bool) -> int:
        """In a quote a code block lasts while the quote does, and is no place to cut."""
        assert self.fence
        found = _FENCE_OR_NEWLINE.search(self.text, at)
        if found is None:
            self.at = len(self.text) if final else max(at, len(self.text) - 2)
            return self.at if final else WAIT
        if found[0] == "```":
            self._close_fence(found.end())
            return found.end()
        line = _QUOTED.match(self.text, found.end())
        assert line
        if line.end() == len(self.text) and not line[1] and len(line[0]) < 3 and not final:
            self.at = found.start()
            return WAIT
        if line[1] and found.start() - self.fence.start < self._settings.code_overflow:
            return found.end()
        self.fence, self._state = None, self._read_text
        return found.start()

    def _close_fence(self, end: int) -> None:
        assert self.fence
        self.places.spans.append(Span(Mark.FENCE, self.fence.start, end))
        self._state = self._read_text if self.fence.quoted else self._read_fence_end
        self.fence = None

    def _read_fence_end(self, at: int, final: bool) -> int:
        self.line = Line.FENCE
        return self._read_line_end(at, final, Boundary.CODE_CLOSE)

    def _read_ticks(self, at: int, final: bool) -> int:
        end = _TICKS.match(self.text, at).end()  # type: ignore[union-attr]
        run = end - at
        if (at and self.text[at - 1] == "`" and at != self._content) or run > LONGEST_RUN:
            return end
        if end == len(self.text) and not final:
            return WAIT
        if run >= 3 and at == self._content:
            self.places.end_paragraph()
            return self._open_fence(at)
        if run == 3:
            return self._read_inner_fence(at, final)
        return self._read_code(at, run, final)

    def _read_inner_fence(self, at: int, final: bool) -> int:
        """Three backticks in mid-line."""
        reach = self._settings.hold_length
        opens = fence_opens(self.text, at, reach, final=final)
        if opens == WAIT:
            return self._wait(_TICK_OR_NEWLINE, at + reach)
        if opens == TEXT:
            return at + 3
        if self.line is not Line.QUOTE:
            self.places.end_paragraph()
            self._add_break(at, Boundary.CODE_OPEN, Line.FENCE)
        return self._open_fence(at)

    def _read_code(self, at: int, run: int, final: bool) -> int:
        reach = self._settings.hold_length
        end = find_code_end(self.text, at, run, reach, final=final)
        if end == WAIT:
            return self._wait(_TICK_OR_NEWLINE, at + reach)
        if end == TEXT:
            return at + run
        self.places.spans.append(Span(Mark.CODE, at, end))
        return end

    # --- Inline ---------------------------------------------------------------------------------

    def _read_escape(self, at: int, final: bool) -> int:
        if at + 1 == len(self.text):
            return at + 1 if final else WAIT
        return at + 2 if self.text[at + 1] in _PUNCTUATION else at + 1

    def _read_tag(self, at: int, final: bool) -> int:
        reach = self._settings.hold_length
        end = find_tag_end(self.text, at, reach, final=final)
        if end == WAIT:
            return self._wait(_TAG_STOP if len(self.text) > at + 5 else _ANY, at + min(TAG_REACH, reach))
        if end == TEXT:
            return at + 1
        self.places.spans.append(Span(Mark.TAG, at, end))
        return end

    def _read_colon(self, at: int, final: bool) -> int:
        """A bare URL is known by its `://`."""
        scheme = self.text[max(0, at - 5) : at].lower()
        size = 5 if scheme.endswith("https") else 4 if scheme.endswith("http") else 0
        start = at - size
        if not size or (start and is_word(self.text[start - 1])):
            return at + 1
        if not self.text.startswith("://", at):
            return WAIT if "://".startswith(self.text[at:]) and not final else at + 1
        end = find_url_end(self.text, start, final=final)
        if end == WAIT:
            return self._wait(URL_STOP, start + URL_REACH)
        self.places.spans.append(Span(Mark.URL, start, end))
        return max(end, at + 3)

    def _read_bracket(self, at: int, _final: bool) -> int:
        self.places.push("[", at, self._settings.hold_length, one_line=True)
        return at + 1

    def _read_bracket_end(self, at: int, final: bool) -> int:
        if "[" not in self.places:
            return at + 1
        after = self._around(at, at + 1, final)[1]
        if not after:
            return WAIT
        end = TEXT
        if after == "(":
            reach = self._settings.hold_length
            end = find_link_end(self.text, at + 1, reach, final=final)
            if end == WAIT:
                return self._wait(_PAREN_OR_NEWLINE, at + 1 + reach)
        if end and self.places.close("[", at, end, Mark.LINK):
            return end
        self.places.drop("[", at)
        return at + 1

    def _read_bars(self, at: int, final: bool) -> int:
        """`||` hides what it encloses; between spaces it is an operator."""
        end = _RUN["|"].match(self.text, at).end()  # type: ignore[union-attr]
        if self.line is Line.TABLE or end - at > 2 or (at and self.text[at - 1] == "|"):
            return end
        before, after = self._around(at, end, final)
        if not after:
            return WAIT
        if end - at == 1:
            return end
        if before in " \t" and after in " \t":
            self.places.spans.append(Span(Mark.OPERATOR, at, end))
        elif not self.places.close("||", at, end):
            self.places.push("||", at, self._settings.spoiler_length)
        return end

    def _read_emphasis(self, at: int, final: bool) -> int:
        """`*`, `**`, `***`, `_`, `__`, `___` and `~~`."""
        mark = self.text[at]
        end = _RUN[mark].match(self.text, at).end()  # type: ignore[union-attr]
        run = end - at
        if run > 3 or (mark == "~" and run > 2) or (at and self.text[at - 1] == mark):
            return end
        before, after = self._around(at, end, final)
        if not after:
            return WAIT
        if mark == "~" and run == 1:
            return end
        closes = not before.isspace() and not (mark == "_" and is_word(after))
        if closes and self._close_emphasis(mark, run, at, end):
            return end
        if not after.isspace() and not is_word(before):
            self.places.push(mark * run, at, self._settings.hold_length)
        return end

    def _close_emphasis(self, mark: str, run: int, at: int, end: int) -> bool:
        """Three markers close one and two, in either order; one or two close a part of three."""
        places = self.places
        if places.close(mark * run, at, end):
            return True
        if run == 3:
            one, two = places.find(mark, at), places.find(mark * 2, at)
            inner = 1 if two is None or (one is not None and one > two) else 2
            closed = places.close(mark * inner, at, at + inner)
            return places.close(mark * (3 - inner), at, end) or closed
        index = places.find(mark * 3, at)
        if index is None:
            return False
        opened = places.stack[index].at
        places.close(mark * 3, at, end, name=mark * run)
        places.spans[-1] = Span(mark * run, opened + 3 - run, end)
        places.push(mark * (3 - run), opened, self._settings.hold_length)
        return True

    def _read_quote(self, at: int, final: bool) -> int:
        before, after = self._around(at, at + 1, final)
        if not after:
            return WAIT
        if not before.isspace() and self.places.close('"', at, at + 1):
            return at + 1
        if not after.isspace() and not is_word(before) and before not in ".,!?;:)":
            self.places.push('"', at, self._settings.hold_length)
        return at + 1

    def _read_pair(self, at: int, final: bool) -> int:
        mark = self.text[at]
        if mark == "“" and self.places.close("„", at, at + 1):
            return at + 1
        before, after = self._around(at, at + 1, final)
        if mark == "(" and not after:
            return WAIT
        if mark != "(" or not (after.isspace() or before in ":;='"):
            self.places.push(mark, at, self._settings.hold_length)
        return at + 1

    def _read_pair_end(self, at: int, _final: bool) -> int:
        self.places.close(_OPENER_OF[self.text[at]], at, at + 1)
        return at + 1

    # --- Sentences ------------------------------------------------------------------------------

    def _read_end(self, at: int, final: bool) -> int:
        """The end of a sentence is a place to cut, behind its closers and spaces."""
        end = _ENDS.match(self.text, at).end()  # type: ignore[union-attr]
        if self.line is not Line.PROSE or (at and self.text[at - 1] in ENDS):
            return end
        start = max(0, at - LOOK_BACK)
        cut = judge_end(self.text, at, start=start, final=final, stops_only=self._stops_only)
        if cut == WAIT:
            return WAIT
        if cut == TEXT:
            return end
        self._read_closers(end, cut, final)
        if self.text[cut : cut + 1] not in ("", "\n"):
            self._add_break(cut, Boundary.PERIOD, Line.PROSE)
        return max(cut, end)

    def _read_closers(self, at: int, until: int, final: bool) -> None:
        """Closers between a sentence's mark and its end close what they close."""
        while at < until:
            reader = self._readers.get(self.text[at])
            at = max(at + 1, reader(self, at, final)) if reader else at + 1

    def _read_apostrophe(self, at: int, final: bool) -> int:
        """A single quote only keeps sentences together, and only when it looks like one."""
        before, after = self._around(at, at + 1, final)
        if not after:
            return WAIT
        if not is_word(after) and not before.isspace() and self.places.close("'", at, at + 1):
            return at + 1
        if after.isalpha() and (before.isspace() or before in '([{"“「'):
            self.places.push("'", at, self._settings.hold_length, one_line=True)
        return at + 1


_Reader: TypeAlias = "Callable[[Scanner, int, bool], int]"

# The characters that mean anything, and who reads each.
_READERS: dict[str, _Reader] = {
    "\n": Scanner._read_newline,
    "`": Scanner._read_ticks,
    "\\": Scanner._read_escape,
    "<": Scanner._read_tag,
    "[": Scanner._read_bracket,
    "]": Scanner._read_bracket_end,
    "|": Scanner._read_bars,
    '"': Scanner._read_quote,
    ":": Scanner._read_colon,
    **dict.fromkeys("*_~", Scanner._read_emphasis),
    **dict.fromkeys(PAIRS.values(), Scanner._read_pair_end),
    **dict.fromkeys(PAIRS, Scanner._read_pair),
}
_SENTENCE_READERS: dict[str, _Reader] = {
    **_READERS,
    **dict.fromkeys(ENDS, Scanner._read_end),
    "'": Scanner._read_apostrophe,
}
_HOT = re.compile("[" + re.escape("".join(_READERS)) + "]")
_SENTENCE_HOT = re.compile("[" + re.escape("".join(_SENTENCE_READERS)) + "]")


def scan(text: str, settings: Segmenting) -> list[Span]:
    """What must stay whole in a finished text."""
    if not _HOT.search(text):
        return []
    scanner = Scanner(settings)
    scanner.push(text)
    scanner.read(final=True)
    return scanner.places.spans

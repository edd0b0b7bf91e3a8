"""Take choices that a model writes as text out of its answer.

    <choices>
    Which size?
    - small
    - large
    </choices>

Models that cannot call tools offer choices in this form. The parser gets the text in pieces, and its result does not
depend on how the text is cut: it holds back only what may still become a tag. Tags never appear in the text that it
returns, except in code: in a code block that has other lines before them, and directly after a backtick. Models often
put the whole block into a code block; then that is taken out, too.

A block that cannot become buttons, such as one with 30 options or one that was cut off, becomes a list in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from .._events.ask import MAX_LABEL_CHARS, MAX_OPTIONS, MAX_QUESTION_CHARS
from .choice_tool import as_label, without_tags

MAX_BLOCK_CHARS = 6000
"""A longer block becomes words piece by piece, so that a tag that is never closed hides nothing."""
MAX_TAG_CHARS = 64
MAX_FENCE_LINE_CHARS = 200
DEFAULT_QUESTION = "👇"
"""The question of a block that has options only: the model has asked in the words before it."""
MAX_SHOWN_QUESTION_CHARS = MAX_QUESTION_CHARS - 300

_OPENER = re.compile(r"<[ \t]{0,3}choices(?:[ \t/][^<>\n]{0,40})?>", re.IGNORECASE)
_CLOSER = re.compile(r"<[ \t]{0,3}/[ \t]{0,3}choices[ \t]{0,3}>", re.IGNORECASE)
_BROKEN = re.compile(r"<[ \t]{0,3}(?:/[ \t]{0,3})?choices\b", re.IGNORECASE)
# A second opening tag instead of a closing one is a common mistake.
_END = re.compile(f"{_CLOSER.pattern}|{_OPENER.pattern}", re.IGNORECASE)
_TAG_START = re.compile(
    r"<[ \t]{0,3}(?:c(?:h(?:o(?:i(?:c(?:e(?:s(?:[ \t/][^<>\n]{0,40})?)?)?)?)?)?)?)?", re.IGNORECASE
)
_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)")
_FENCE_START = re.compile(r"[ \t>]*(?:`{0,2}|~{0,2}|`{3,}[^\n]*|~{3,}[^\n]*)")
_CLOSING_FENCE = re.compile(r"\s{0,40}(?:`{3,}|~{3,})[ \t]*\n?")
_CLOSING_FENCE_START = re.compile(r"\s{0,40}(?:`*|~*)[ \t]*")
_MARKS = re.compile(r"[ \t>]*[`~]*")
_OPTION = re.compile(r"(?:[-*+•◦]|\d{1,2}[.)]|[A-Za-z][.)]|\[[ xX]?\])\s+(?P<label>\S.*)")
_OPTION_TAG = re.compile(r"<(?:option|choice|li|item)\b[^<>]{0,40}>(?P<label>.*)", re.IGNORECASE)
_OPTION_CLOSER = re.compile(r"</(?:option|choice|li|item)\s*>", re.IGNORECASE)
_QUESTION_MARK = re.compile(r"\A(?:question|q)\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ChoiceBlock:
    """What a block offers."""

    question: str
    labels: tuple[str, ...]
    several: bool = False
    own_words: bool = False

    @property
    def is_usable(self) -> bool:
        """Whether it can become buttons or a menu."""
        limit = MAX_OPTIONS - self.own_words
        return 1 <= len(self.labels) <= limit and all(len(one) <= MAX_LABEL_CHARS for one in self.labels)

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments of the tool `offer_choices`."""
        return {
            "question": self.question[:MAX_SHOWN_QUESTION_CHARS] or DEFAULT_QUESTION,
            "choices": list(self.labels),
            **({"several": True} if self.several else {}),
            **({"own_words": True} if self.own_words else {}),
        }

    @property
    def words(self) -> str:
        """The question and its options as text."""
        return "\n".join([*([self.question] if self.question else []), *(f"- {one}" for one in self.labels)])

    @property
    def markup(self) -> str:
        """The block as a model writes it."""
        attributes = (" several" if self.several else "") + (" other" if self.own_words else "")
        return f"<choices{attributes}>\n{self.words}\n</choices>"


class _Place(Enum):
    """Where the parser is in the text."""

    TEXT = "text"
    CODE = "code"
    """In a code block whose content is shown."""
    BLOCK = "block"
    """Between the tags."""
    AFTER = "after"
    """After a block in a code block, whose closing fence is left out."""


class ChoiceParser:
    r"""Separates the words of one answer from the choices that it offers.

    Example:
        parser = ChoiceParser()
        shown = parser.feed("Which? <choi") + parser.feed("ces>- a\n- b</choices>") + parser.flush()
        assert (shown, parser.block.labels) == ("Which? ", ("a", "b"))

    """

    def __init__(self) -> None:
        self.block: ChoiceBlock | None = None
        """The first block that can become buttons."""
        self._place = _Place.TEXT
        # Text that was not decided on yet.
        self._held = ""
        # The line so far of what was released, as far as it matters: whether it has begun, and its last character.
        self._at_line_start = True
        self._last = "\n"
        # The end of what was released, which may be the beginning of a tag.
        self._tail = ""
        # The fence of the code block that is open.
        self._fence = ""
        # The line so far in a code block, to find its end.
        self._code_line = ""
        # The opening tag of the block, and whether a code block is around it.
        self._tag = ""
        self._is_wrapped = False
        # Whether a part of the block was shown in words already.
        self._is_spilled = False

    @property
    def is_holding(self) -> bool:
        """Whether something is held back, so that the answer cannot be taken up again from here."""
        return bool(self._held) or self._place in {_Place.BLOCK, _Place.AFTER}

    def feed(self, text: str) -> str:
        """Take a piece of the answer and return what is to be shown of it."""
        self._held += text
        return self._run(final=False)

    def flush(self, *, is_cut: bool = False) -> str:
        """End the answer and return the rest that is to be shown.

        Args:
            is_cut: Whether the answer was cut off, so that its last option may be half of one.

        """
        shown = self._run(final=True)
        if self._place is _Place.BLOCK:
            inner, self._held = self._held, ""
            at = inner.rfind("<")
            # Cut off within the closing tag.
            inner = inner[:at] if at >= 0 and _may_become_tag(inner[at:]) else inner
            shown += self._end_block(inner, is_cut=is_cut)
        return shown

    def _run(self, *, final: bool) -> str:
        shown: list[str] = []
        while True:
            before = (self._place, len(self._held))
            shown.append(self._STEPS[self._place](self, final))
            if not self._held or before == (self._place, len(self._held)):
                return "".join(shown)

    def _release(self, count: int) -> str:
        """Return the first characters of what is held back, which are shown."""
        text, self._held = self._held[:count], self._held[count:]
        if text:
            self._tail = (self._tail + text)[-MAX_TAG_CHARS:]
            self._last = text[-1]
            self._at_line_start = self._last == "\n"
        return text

    # --- Outside of a block ----------------------------------------------------------------------

    def _read_text(self, final: bool) -> str:
        if self._at_line_start and _FENCE_START.fullmatch(line := self._held.partition("\n")[0]):
            return self._read_fence(line, final)
        tag = self._held.find("<")
        line_end = self._held.find("\n")
        if line_end >= 0 and (tag < 0 or line_end < tag):
            # A fence may begin the next line.
            return self._release(line_end + 1)
        if tag < 0:
            return self._release(len(self._held))
        shown = self._release(tag)
        if self._last == "`":
            return shown + self._release(1)
        if found := _OPENER.match(self._held):
            shown += self._separate()
            self._open_block(found[0])
        elif (found := _CLOSER.match(self._held)) or (
            not _may_become_tag(self._held) and (found := _BROKEN.match(self._held))
        ):
            # It closes nothing, or has no end: what follows could complete it.
            shown += self._separate()
            self._held = self._held[found.end() :]
        elif not _may_become_tag(self._held):
            shown += self._release(1)
        elif final:
            # Cut off within a tag; a few characters may be the end of a text such as `a <`.
            is_tag = "ch" in self._held.lower()
            self._held = "" if is_tag else self._held
            shown += self._release(len(self._held))
        return shown

    def _separate(self) -> str:
        """Return a line break if what was shown last could be a tag together with what follows a removed one."""
        start = self._tail.rfind("<")
        if start < 0 or not _may_become_tag(self._tail[start:]):
            return ""
        self._tail, self._last, self._at_line_start = "", "\n", True
        return "\n"

    def _open_block(self, tag: str, *, is_wrapped: bool = False) -> None:
        self._held = self._held[len(tag) :]
        self._place, self._tag, self._is_wrapped, self._is_spilled = _Place.BLOCK, tag, is_wrapped, False

    def _read_fence(self, line: str, final: bool) -> str:
        """Hold back the line of a fence until the next one shows whether a block of choices begins there."""
        rest = self._held[len(line) :]
        if len(line) > MAX_FENCE_LINE_CHARS:
            # Too long for a fence: the rest is read as text.
            return self._release(_MARKS.match(line).end())  # type: ignore[union-attr]
        if not (rest or final):
            return ""
        fence = _FENCE.fullmatch(line)
        if fence is None:
            # An empty line, or less than a fence.
            return self._release(max(1, len(line)))
        inner = rest.lstrip()
        is_near = len(rest) - len(inner) <= MAX_FENCE_LINE_CHARS
        tag = _OPENER.search(line) or (_OPENER.match(inner) if is_near else None)
        if tag is not None:
            self._held = self._held[self._held.index(tag[0]) :]
            self._open_block(tag[0], is_wrapped=True)
            return ""
        if is_near and not final and (not inner or _may_become_tag(inner)):
            return ""
        # One that ends on its own line, such as ```code```, opens no code block.
        if fence["fence"] not in fence["info"]:
            self._place, self._fence, self._code_line = _Place.CODE, fence["fence"], ""
        return self._release(len(line) + min(1, len(rest)))

    def _read_code(self, _final: bool) -> str:
        line, end, _ = self._held.partition("\n")
        self._code_line += line
        shown = self._release(len(line) + len(end))
        if end:
            # A model may write the fence behind the last line of code.
            if self._code_line.rstrip().endswith(self._fence):
                self._place = _Place.TEXT
            self._code_line = ""
        return shown

    # --- In a block, and after it ----------------------------------------------------------------

    def _read_block(self, _final: bool) -> str:
        found = _END.search(self._held)
        if found is not None and found.start() <= MAX_BLOCK_CHARS:
            inner, self._held = self._held[: found.start()], self._held[found.end() :]
            self._place = _Place.AFTER if self._is_wrapped else _Place.TEXT
            return self._end_block(inner)
        if len(self._held) <= MAX_BLOCK_CHARS + MAX_TAG_CHARS:
            return ""
        # The same place, however the text is cut.
        end = self._held.rfind("\n", 0, MAX_BLOCK_CHARS) + 1
        if not end:
            # A tag stays whole.
            tag = self._held.find("<", MAX_BLOCK_CHARS - MAX_TAG_CHARS, MAX_BLOCK_CHARS)
            end = tag if tag >= 0 else MAX_BLOCK_CHARS
        inner, self._held = self._held[:end], self._held[end:]
        self._is_spilled = True
        return self._say(_parse(inner, "").words)

    def _end_block(self, inner: str, *, is_cut: bool = False) -> str:
        """Keep the choices of a block, or return them as words."""
        block = _parse(inner, self._tag)
        if block.is_usable and self.block is None and not (is_cut or self._is_spilled):
            self.block = block
            return ""
        return self._say(block.words)

    def _say(self, words: str) -> str:
        """Return words on lines of their own."""
        if not words:
            return ""
        start = "" if self._last == "\n" else "\n"
        self._last, self._at_line_start = "\n", True
        return f"{start}{words}\n"

    def _read_after(self, final: bool) -> str:
        if not final and _CLOSING_FENCE_START.fullmatch(self._held):
            return ""
        if found := _CLOSING_FENCE.match(self._held):
            self._held = self._held[found.end() :]
        self._place = _Place.TEXT
        return ""

    _STEPS: ClassVar[Mapping[_Place, Callable[[ChoiceParser, bool], str]]] = {
        _Place.TEXT: _read_text,
        _Place.CODE: _read_code,
        _Place.BLOCK: _read_block,
        _Place.AFTER: _read_after,
    }


def _may_become_tag(text: str) -> bool:
    """Return whether more text can make an opening or a closing tag of this."""
    if len(text) > MAX_TAG_CHARS:
        return False
    slash = re.match(r"<[ \t]{0,3}/", text)
    start = f"<{text[slash.end() :]}" if slash else text
    return _TAG_START.fullmatch(start) is not None


def _parse(inner: str, tag: str) -> ChoiceBlock:
    """Read the question and the options from the text between the tags."""
    lines = [line.strip().lstrip(">").strip() for line in inner.splitlines()]
    lines = [_OPTION_CLOSER.sub("", line).strip() for line in lines if line and not _FENCE.fullmatch(line)]
    lines = [line for line in lines if line]
    marks = [_OPTION.fullmatch(line) or _OPTION_TAG.fullmatch(line) for line in lines]
    if any(marks):
        first = next(number for number, mark in enumerate(marks) if mark)
        asked, said = lines[:first], [mark["label"] for mark in marks if mark]
        # Words after an option go on with it, or are remarks: they are no options.
    else:
        asked, said = lines[:1], lines[1:]
    labels = dict.fromkeys(label for one in said if (label := as_label(one)))
    question = without_tags("\n".join(asked)).strip()
    attributes = tag.lower()
    several = "several" in attributes or "multiple" in attributes
    own_words = "other" in attributes and not several
    return ChoiceBlock(_QUESTION_MARK.sub("", question, count=1), tuple(labels), several, own_words)

"""Words that wait before they are said: punctuation alone (rule 1), and the opening that was given (rule 6).

Punctuation alone on its line is no message; `...` waits for what follows. The opening is shown once, and not
again where the model repeats it. The repeated opening may arrive in several segments. They wait, never longer
than the prefill is; if they turn out to be something else they are said, as they are.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from ..passage import Passage, Utterance
from ..words.sentence_marks import CARRIED, class_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Echo", "Held", "Match", "Opening", "Orphan", "judge_orphan"]


class Match(Enum):
    """What a text has to do with the prefill."""

    NONE = "it is something else"
    PART = "it may become the prefill"
    WHOLE = "it begins with what was left of the prefill"


class Echo:
    """What is left of a prefill for the model to repeat."""

    def __init__(self, prefill: str) -> None:
        self.text = prefill
        self._left = prefill.lstrip()
        self._begun = False

    def match(self, text: str) -> tuple[Match, int]:
        """How a text goes on with the echo, and how much of it is one."""
        start = 0 if self._begun else len(text) - len(text.lstrip())
        said = text[start:]
        if said.startswith(self._left):
            return Match.WHOLE, start + len(self._left)
        if self._left.rstrip() == said.rstrip():
            return Match.WHOLE, len(text)
        if not self._left.startswith(said):
            return Match.NONE, 0
        self._left, self._begun = self._left[len(said) :], True
        return Match.PART, len(text)


class Opening:
    """`feed` utterances, take them with the prefill; empty if there is none, or once it was shown."""

    def __init__(self, prefill: str) -> None:
        self._echo = Echo(prefill) if prefill.strip() else None
        self._echoed: list[Utterance] = []  # may be the prefill again, or not

    def __bool__(self) -> bool:
        return self._echo is not None

    def feed(self, utterance: Utterance) -> list[Utterance]:
        """What can be said now."""
        if self._echo is None:
            return [utterance]
        if utterance.table:
            empty = Utterance(Passage("", ()), utterance.boundary, utterance.speaker)
            return self._show([*(self._echoed or [empty]), utterance])
        match, end = self._echo.match(utterance.passage.text)
        if match is Match.PART:
            self._echoed.append(utterance)
            return []
        if match is Match.NONE:
            return self._show([*self._echoed, utterance])
        return self._show([*map(_without, self._echoed), _without(utterance, end)])

    def flush(self) -> list[Utterance]:
        """The text ended within the prefill: what there was of it is not said twice."""
        return self._show([*map(_without, self._echoed)]) if self._echoed else []

    def _show(self, echoed: Sequence[Utterance]) -> list[Utterance]:
        """The prefill in front of the first utterance, which may have been nothing but its echo."""
        assert self._echo
        shown = Passage.added(self._echo.text, "prefill")
        self._echo, self._echoed = None, []
        first = 0
        while first + 1 < len(echoed) and not echoed[first].passage.text and not echoed[first + 1].table:
            shown, first = shown + echoed[first].passage, first + 1
        said = echoed[first]
        return [Utterance(shown + said.passage, said.boundary, said.speaker), *echoed[first + 1 :]]


def _without(utterance: Utterance, end: int | None = None) -> Utterance:
    """An utterance without the echo at its start, or without anything."""
    whole = utterance.passage
    passage = whole.replace("prefill", [(0, len(whole.text) if end is None else end, "")])
    return Utterance(passage, utterance.boundary, utterance.speaker)


RULE = "orphan punctuation"

_MARK = f"[{class_of(CARRIED)}…]"
_PUNCTUATION = re.compile(f"{_MARK}(?: ?{_MARK})*")  # also `. . .`
_FRAGMENTS = frozenset({".", ",", "..", ";", "。", "、", "，", ",,", ".,", ",."})


class Orphan(Enum):
    """What to do with a segment."""

    HELD = "it belongs before what follows"
    FRAGMENT = "it is left over"


def judge_orphan(text: str) -> Orphan | None:
    """Whether a segment is punctuation alone, and of which sort; None if it says something."""
    core = text.strip()
    if not _PUNCTUATION.fullmatch(core):
        return None
    core = core.replace(" ", "")
    if len(core) >= 3 or "…" in core:
        return Orphan.HELD
    return Orphan.FRAGMENT if core in _FRAGMENTS else None


class Held:
    """`add` lines of punctuation, `take` them together."""

    def __init__(self) -> None:
        self._pieces: list[Passage] = []
        self.length = 0

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, passage: Passage) -> None:
        """One line more, below the one before."""
        if self._pieces:
            self._pieces[-1] = _end(self._pieces[-1], "\n")
        self._pieces.append(passage)
        self.length += len(passage.text)

    def take(self) -> Passage:
        """All of it, alone."""
        pieces, self._pieces, self.length = self._pieces, [], 0
        return _join(pieces)

    def take_before(self, passage: Passage) -> Passage:
        """All of it, on a line of its own before what follows."""
        self._pieces[-1] = _end(self._pieces[-1], "\n")
        return self.take() + passage


def _end(passage: Passage, white: str) -> Passage:
    """The passage with other white space at its end."""
    end = len(passage.text.rstrip())
    if passage.text[end:] == white:
        return passage
    # The last mark is replaced with what follows it, so that the edit has a place in the source.
    return passage.replace(RULE, [(end - 1, len(passage.text), passage.text[end - 1] + white)])


def _join(pieces: Sequence[Passage]) -> Passage:
    """Many passages at once: each sum of two would copy all that came before."""
    text = "".join([piece.text for piece in pieces])
    return Passage(text, tuple([run for piece in pieces for run in piece.runs]))

"""Shows the prefill in front of what is said first, and holds back what may only be its echo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .passage import Passage, Utterance
from .rules.prefill import Echo, Match

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Opening"]


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

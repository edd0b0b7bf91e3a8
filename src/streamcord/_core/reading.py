"""A text with its markup, which is looked for once and only if somebody asks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from .markup.openers import Mark
from .markup.places import Whole
from .markup.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._settings import Segmenting
    from .markup.openers import Span

__all__ = ["Reading"]

_CODE = frozenset({Mark.FENCE, Mark.CODE})
_OPAQUE = frozenset({Mark.FENCE, Mark.CODE, Mark.URL, Mark.TAG, Mark.FORMULA})
_EMOJI_TAG = ("<:", "<a:")


class Reading:
    """What the rules ask about a text: what is code, a URL, a tag, inside of something else."""

    def __init__(self, text: str, settings: Segmenting) -> None:
        self.text = text
        self._settings = settings

    @cached_property
    def spans(self) -> list[Span]:
        """Everything that must stay whole."""
        return scan(self.text, self._settings)

    @cached_property
    def code(self) -> Whole:
        """Code, inline or fenced."""
        return Whole((span.start, span.end) for span in self.spans if span.mark in _CODE)

    @cached_property
    def whole(self) -> Whole:
        """Whatever must stay whole."""
        return Whole((span.start, span.end) for span in self.spans)

    @cached_property
    def opaque(self) -> Whole:
        """What no rule touches: code, formulas, URLs, targets of links, tags, but for custom emoji."""
        return Whole(self._opaque())

    def free(self, at: int) -> bool:
        """Whether the character at a position may be touched."""
        return self.opaque.free(at + 1) and self.opaque.free(at)

    def _opaque(self) -> Iterator[tuple[int, int]]:
        for span in self.spans:
            if span.mark == Mark.LINK:
                yield self.text.find("](", span.start, span.end) + 1, span.end
            elif span.mark in _OPAQUE and not (
                span.mark == Mark.TAG and self.text.startswith(_EMOJI_TAG, span.start)
            ):
                yield span.start, span.end

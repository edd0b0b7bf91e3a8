"""`a || b`: two bars between spaces are an operator, which Discord would take for a spoiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..markup.openers import Mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..markup.openers import Span
    from ..passage import Edit

__all__ = ["escape_operators"]


def escape_operators(spans: Sequence[Span]) -> list[Edit]:
    """Edits that escape each operator so that Discord shows it."""
    return [(span.start, span.end, r"\|\|") for span in spans if span.mark == Mark.OPERATOR]

"""Text that a tool posts by itself goes through the same rules as an answer: emoji, cleaning, mentions."""

from __future__ import annotations

from .._settings import Settings
from .normalizer import TextRules
from .passage import Passage

__all__ = ["clean_tool_text"]


def clean_tool_text(text: str, settings: Settings | None = None) -> str:
    """A text after rules 3 to 5: no repeated emoji, shortcodes and handles resolved, no label of its own."""
    passage = Passage.from_spans(text, ((0, len(text)),)) if text else Passage("", ())
    return TextRules(settings or Settings()).clean(passage).text.strip()

"""Recognize lines that belong to the next line without a marker: labels."""

from __future__ import annotations

import re

from ..language.punctuation import ENDS, WIDE, class_of

__all__ = ["is_label"]

MAX_LABEL_CHARS = 100
"""A longer line that ends with a colon is a paragraph."""

_MARKER = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,3}[.)]|[A-Za-z][.)])[ \t]+")
_COLON_END = re.compile(r"[^\W_][^\n]*(?<![\s:：])[:：][*_]{0,3}\Z|[*_]{1,3}[^\n*_]+[*_]{1,3}[:：]\Z")
_SHORTCODE_END = re.compile(r":[\w+-]{1,32}:\Z")
_SENTENCE = re.compile(rf"[{class_of(ENDS)}](?:\s|(?<=[{class_of(WIDE)}]))")


def is_label(line: str) -> bool:
    """Return whether a line announces the next one: a phrase of one sentence that ends with a colon."""
    line = line.strip()
    if line[-1:] not in ":：*_" or len(line) > MAX_LABEL_CHARS:
        return False
    line = line[marker.end() :] if (marker := _MARKER.match(line)) else line
    if _COLON_END.match(line.lstrip("*_")) is None and _COLON_END.match(line) is None:
        return False
    return _SENTENCE.search(line) is None and _SHORTCODE_END.search(line) is None

r"""Find where the text of a masked link may begin, as Discord reads `[text](address)`.

Discord looks for links with one regular expression, from left to right, before it knows of code, escapes or
paragraphs inside of them (`LINK_INSIDE` in https://github.com/ariabuckles/simple-markdown):

    (?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*

So the text may contain pairs of brackets, and after the last `[` as many `]` as it likes. The expression is greedy:
`[a](https://x.example) b](https://y.example)` is one link to `y.example`.
"""

from __future__ import annotations

from typing import NamedTuple


class LinkLabel(NamedTuple):
    """Where the text of a link may begin, and whether it contains the end of another link."""

    start: int
    is_joined: bool


class LabelFinder:
    """Remembers the brackets of a text from left to right, in constant time for each."""

    def __init__(self) -> None:
        # The last `[`, and whether it may open a link; -1 if there was none.
        self._last = -1
        self._can_start = False
        # The first `[` from which a text could reach the last one; -1 if there is none.
        self._first = -1
        # Brackets that were closed since the last `[`.
        self._closed = 0
        # Whether one of them was followed by an address.
        self._has_link = False

    @property
    def is_open(self) -> bool:
        """Whether a `]` could end the text of a link."""
        return self._first >= 0 or self._can_start

    def open(self, at: int, *, can_start: bool) -> None:
        """Note a `[`; one in code opens no link, but it may be part of a link's text."""
        if self._closed > 1:
            # A `]` without a `[` before it is not followed by another pair in the text of a link.
            self._first = -1
        elif not self._closed and self._first < 0 and self._can_start:
            self._first = self._last
        self._last, self._can_start, self._closed, self._has_link = at, can_start, 0, False

    def close(self, *, is_link: bool) -> LinkLabel | None:
        """Note a `]`, which an address follows if it `is_link`; return the longest text that may end before it."""
        self._closed += 1
        start = self._last if self._can_start else -1
        if self._closed > 1 and self._first >= 0:
            start = self._first
        is_joined = self._has_link and (self._closed > 2 or start == self._last)
        self._has_link = self._has_link or is_link
        return LinkLabel(start, is_joined) if start >= 0 else None

"""The visible text of a live message, and the text that is not visible yet."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..._events import Message, Spans

MIN_LAG_CHARS = 30
"""Characters that are held back at least."""
_ENDS = (".", "!", "?", "…", "。", "！", "？", "```")


class Draft(Protocol):
    """The part of a message that will not change any more, and its number of pieces."""

    @property
    def message(self) -> Message:
        """The message as it can be shown now."""

    @property
    def pieces(self) -> int:
        """Pieces of the planner that it contains."""


class LaggingText:
    """Hold back the newest text of an answer, so that a final message with a notification can show it."""

    def __init__(self) -> None:
        self._candidates: deque[Draft] = deque()
        self._start, self._newest = 0, 0
        self._chosen: Draft | None = None

    def choose(self, draft: Draft | None) -> Draft | None:
        """Return what may be shown, given the current draft."""
        start = draft.message.spans[0][0] if draft and draft.message.spans else 0
        if draft is None or start != self._start:
            # Another message has begun.
            self._candidates.clear()
            self._start, self._newest, self._chosen = start, 0, None
        if draft is None:
            return None
        while (
            self._candidates
            and len(self._candidates[0].message.content) <= len(draft.message.content) - MIN_LAG_CHARS
        ):
            self._chosen = self._candidates.popleft()
        if draft.pieces > self._newest and draft.message.content.endswith(_ENDS):
            self._candidates.append(draft)
        self._newest = draft.pieces
        return self._chosen


def without_closers(message: Message) -> str:
    """Return the text of a message without the closing delimiters that were added at its end."""
    text = message.content
    for added in reversed(message.added):
        closer = added.text.rstrip()
        if added.where == "after" and closer and text.endswith(closer):
            text = text[: len(text) - len(closer)]
    return text


def remaining_after(whole: Message, shown: Message) -> Message | None:
    """Return the part of `whole` after `shown` as a separate message; `None` if nothing is left.

    Files that are not shown yet belong to that part.
    """
    words = without_closers(shown).rstrip()
    if not whole.content.startswith(words):
        # A filter may have changed the visible text. Cut by length, so that nothing is repeated.
        words = whole.content[: len(words)]
    rest = whole.content[len(words) :].strip("\n")
    closers = shown.content[len(words) :].strip()
    if closers and rest.startswith(closers) and not rest[len(closers) :].strip():
        rest = ""
    files = whole.files[len(shown.files) :]
    if not (rest.strip() or files):
        return None
    content = _reopened(words, closers, rest) if rest.strip() else ""
    return replace(
        whole,
        content=content,
        files=files,
        fallback=(content + (whole.fallback or "").removeprefix(whole.content)).strip() if files else None,
        reply=False,
        delay=0.0,
        spans=_without(whole.spans, shown.spans),
        edits=tuple(edit for edit in whole.edits if edit not in shown.edits),
        added=(),
    )


def _reopened(words: str, closers: str, rest: str) -> str:
    """Return the rest, with the delimiters reopened that are open where the visible text ends."""
    if closers.endswith("```"):
        fences = [line for line in words.split("\n") if line.lstrip().startswith("```")]
        return f"{fences[-1].strip() if fences else '```'}\n{rest}"
    return closers[::-1] + rest if closers else rest.lstrip(" ")


def _without(spans: Spans, gone: Spans) -> Spans:
    """Subtract ranges from ranges."""
    left = list(spans)
    for start, end in gone:
        parts = [((first, min(last, start)), (max(first, end), last)) for first, last in left]
        left = [(first, last) for pair in parts for first, last in pair if first < last]
    return tuple(left)

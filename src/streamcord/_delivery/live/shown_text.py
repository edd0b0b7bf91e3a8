"""What people see of a message that grows, and what of it they do not see yet."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..._events import Message, Spans

__all__ = ["Drafted", "SentencesBehind", "rest_of", "words_of"]

LEAST_END = 30
"""Characters that are kept back at least."""
_ENDS = (".", "!", "?", "…", "。", "！", "？", "```")


class Drafted(Protocol):
    """A message as far as it is certain, and of how many pieces it is made."""

    @property
    def message(self) -> Message:
        """What can be shown of it."""
        ...

    @property
    def pieces(self) -> int:
        """How many pieces that are."""
        ...


class SentencesBehind:
    """Shows an answer up to the end of a sentence, never its newest words: a message that rings has them."""

    def __init__(self) -> None:
        self._seen: deque[Drafted] = deque()
        self._start, self._newest = 0, 0
        self._chosen: Drafted | None = None

    def choose(self, draft: Drafted | None) -> Drafted | None:
        """What may be shown, now that this is certain."""
        start = draft.message.spans[0][0] if draft and draft.message.spans else 0
        if draft is None or start != self._start:
            # Another message has begun.
            self._seen.clear()
            self._start, self._newest, self._chosen = start, 0, None
        if draft is None:
            return None
        while self._seen and len(self._seen[0].message.content) <= len(draft.message.content) - LEAST_END:
            self._chosen = self._seen.popleft()
        if draft.pieces > self._newest and draft.message.content.endswith(_ENDS):
            self._seen.append(draft)
        self._newest = draft.pieces
        return self._chosen


def words_of(message: Message) -> str:
    """The words of a message without what was added behind them to close something."""
    text = message.content
    for added in reversed(message.added):
        closer = added.text.rstrip()
        if added.where == "after" and closer and text.endswith(closer):
            text = text[: len(text) - len(closer)]
    return text


def rest_of(whole: Message, shown: Message) -> Message | None:
    """What `whole` says behind the words of `shown`, as a message that stands alone; `None` if nothing.

    Its pictures stand behind its words.
    """
    words = words_of(shown).rstrip()
    if not whole.content.startswith(words):
        # A filter may have changed what was shown; whatever it was, nothing is said twice.
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
    """The rest, with what was open where the words end opened again."""
    if closers.endswith("```"):
        fences = [line for line in words.split("\n") if line.lstrip().startswith("```")]
        return f"{fences[-1].strip() if fences else '```'}\n{rest}"
    return closers[::-1] + rest if closers else rest.lstrip(" ")


def _without(spans: Spans, gone: Spans) -> Spans:
    """Ranges without what other ranges have of them."""
    left = list(spans)
    for start, end in gone:
        parts = [((first, min(last, start)), (max(first, end), last)) for first, last in left]
        left = [(first, last) for pair in parts for first, last in pair if first < last]
    return tuple(left)

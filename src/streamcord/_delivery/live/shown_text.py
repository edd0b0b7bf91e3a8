"""What people see of a message that grows, and what of it they do not see yet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..._events import Message, Spans

__all__ = ["Drafted", "rest_of", "words_of"]


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


def words_of(message: Message) -> str:
    """The words of a message without what was added behind them to close something."""
    text = message.content
    for added in reversed(message.added):
        closer = added.text.rstrip()
        if added.where == "after" and closer and text.endswith(closer):
            text = text[: len(text) - len(closer)]
    return text


def rest_of(whole: Message, shown: Message) -> Message | None:
    """What `whole` says behind the words of `shown`, as a message that stands alone; `None` if nothing."""
    words = words_of(shown).rstrip()
    if not whole.content.startswith(words):
        # A filter may have changed what was shown; whatever it was, nothing is said twice.
        words = whole.content[: len(words)]
    rest = whole.content[len(words) :].strip("\n")
    closers = shown.content[len(words) :].strip()
    if closers and rest.startswith(closers) and not rest[len(closers) :].strip():
        rest = ""
    if not rest.strip():
        return None
    return replace(
        whole,
        content=_reopened(words, closers, rest),
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

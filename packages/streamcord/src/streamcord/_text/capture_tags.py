"""Read the tags of captured blocks, and decide whether `<details>` opens a note or is a word of the answer.

A note that is taken out is never shown, so an answer that names the tag in a sentence, or forgets to close it, must not
disappear in one. What surrounds the tag decides:

- In the middle of a sentence it is a word: `Use <details> to hide text.`
- Before text on its line (`<details> is an element`) it needs its closing tag in the same paragraph.
- At the end of a line, before `<summary>` or directly before text (`<details>mood: sly`) it opens a note, which may be
  longer. If such a note is not closed at the end of the answer, the model was cut off and it still is one.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

TAG_HOLD = 96
"""The longest tag, attributes included."""
NOTE_CHARS = 4000
"""A block that is not closed within so many characters is no note."""
PARAGRAPH_CHARS = 600
"""The same for a block that begins like a sentence."""

_TAG = re.compile(r"<(/?)(?:[\w.-]{1,32}:)?(think|thinking|details)(?:\s[^<>]*?)?(/?)>", re.IGNORECASE)
_SUMMARY = re.compile(
    r"\s{0,16}<(?:s(?:u(?:m(?:m(?:a(?:r(?:y\b)?)?)?)?)?)?)?\Z|\s{0,16}<summary\b", re.IGNORECASE
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# After the tag: white space, or a mark that belongs to a sentence.
_SPACED = re.compile(r"[ \t]+(?=\S)|[,.;:!?)\]”’»\"'/]")
_BLANKS = re.compile(r"[ \t]*\Z")
_WITHIN_SENTENCE = ",([{“‘„«\"'"


class CaptureTag(NamedTuple):
    """A tag of a captured block."""

    kind: Literal["think", "details"]
    closes: bool
    empty: bool
    end: int


def read_tag(text: str, at: int) -> CaptureTag | None:
    """Return the tag at a position, if there is one."""
    found = _TAG.match(text, at, at + TAG_HOLD)
    if found is None:
        return None
    kind: Literal["think", "details"] = "details" if found[2].lower() == "details" else "think"
    return CaptureTag(kind, closes=bool(found[1]), empty=bool(found[3]), end=found.end())


def opens_note(text: str, end: int, before: str, *, final: bool) -> bool | None:
    """Return whether a `<details>` tag that ends at `end` opens a note; None if more text must decide.

    Args:
        text: The text from the tag on.
        end: Where the tag ends.
        before: The last visible character before the tag on its line, or nothing.
        final: Whether no text follows.

    """
    if _BLANKS.match(text, end):
        return False if final else None
    has_summary = _SUMMARY.match(text, end)
    if has_summary and has_summary.end() == len(text) and not final:
        return None
    is_word = not has_summary and _SPACED.match(text, end) is not None
    is_within = before.isalnum() or before in _WITHIN_SENTENCE if before else False
    if is_word and is_within:
        return False
    closed = _is_closed(text, end, PARAGRAPH_CHARS if is_word else NOTE_CHARS, by_paragraph=is_word)
    if closed is None and final:
        return not is_word and (bool(has_summary) or not is_within)
    return closed


def _is_closed(text: str, start: int, reach: int, *, by_paragraph: bool) -> bool | None:
    """Return whether the block is closed within its reach, or in its paragraph; None if more text must decide."""
    stop = start + reach
    is_complete = len(text) >= stop
    if by_paragraph and (blank := _BLANK_LINE.search(text, start, stop)):
        stop, is_complete = blank.start(), True
    depth, at = 1, start
    while (at := text.find("<", at, stop)) >= 0:
        tag = read_tag(text, at)
        at += 1
        if tag and tag.end <= stop and tag.kind == "details" and not tag.empty:
            depth += -1 if tag.closes else 1
            if not depth:
                return True
    return False if is_complete else None

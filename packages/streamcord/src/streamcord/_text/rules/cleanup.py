"""Rule 4: remove secrets, filter tricks, text for the machine and extra blank lines.

A model that was talked into printing its prompt must not print a key, so text that looks like a secret is
hidden, even in code. A `[system: …]` message inside a sentence (`The [system: config] file.`) is part of the
sentence and stays; one that never closes is plain text. Three or more newlines become two, outside code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..._common.redaction import HIDDEN, find_secrets
from ..language.punctuation import LONE
from ..traced_text import SECRET

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..._common.known_secrets import SecretFilter
    from ..parsed_text import ParsedText
    from ..traced_text import Edit, TracedText

__all__ = [
    "BLANK",
    "DOT",
    "HIDDEN",
    "blanks_to_spaces",
    "drop_dots",
    "drop_system_messages",
    "fill_macros",
    "hide_known",
    "hide_secrets",
    "join_blank_lines",
    "remove",
]

# --- Secrets -------------------------------------------------------------------------------------


def hide_secrets(traced: TracedText) -> TracedText:
    """Hide everything that looks like a key, a token or a password, also in code."""
    found = find_secrets(traced.text)
    return _without(traced, found) if found else traced


def hide_known(traced: TracedText, known: SecretFilter) -> TracedText:
    """Hide known secrets.

    Call this after all other rules: text that they removed may have separated the halves of a secret.
    """
    found = known.find(traced.text)
    return _without(traced, found) if found else traced


def _without(traced: TracedText, found: list[tuple[int, int]]) -> TracedText:
    return traced.replace(SECRET, [(start, end, HIDDEN) for start, end in found])


# --- Characters that only serve to slip past a filter --------------------------------------------

BLANK, DOT = "\u2800", "\u00b7"
_BLANKS = re.compile(f"{BLANK}+")
_DOTS = re.compile(f"{DOT}+")


def blanks_to_spaces(parsed: ParsedText) -> list[Edit]:
    """Return edits that replace Braille blanks with spaces."""
    # Replace each blank by one space, so that words keep their distance.
    found = _BLANKS.finditer(parsed.text)
    return [(*m.span(), " " * len(m[0])) for m in found if parsed.free(m.start())]


def drop_dots(parsed: ParsedText) -> list[Edit]:
    """Return edits that remove middle dots."""
    return [(*m.span(), "") for m in _DOTS.finditer(parsed.text) if parsed.free(m.start())]


# --- Words that were meant for the machine -------------------------------------------------------

_SYSTEM_MESSAGE = re.compile(r"\[system:[^\[\]\n]*\](?!\()", re.IGNORECASE)


def drop_system_messages(parsed: ParsedText) -> list[Edit]:
    """Return edits that remove system messages at the start or the end of a line."""
    text = parsed.text
    found = []
    for message in _SYSTEM_MESSAGE.finditer(text):
        line, end = text.rfind("\n", 0, message.start()) + 1, text.find("\n", message.end())
        before = text[line : message.start()].strip()
        after = text[message.end() : end if end >= 0 else len(text)].strip()
        # Text on both sides means that the message is part of a sentence.
        if not (before and after) and parsed.free(message.start()):
            found.append(message.span())
    return remove(text, found)


# Before a colon at the start of a line it is a label.
_MACRO = re.compile(
    r"(^[ \t*_\[(]*+)?+\{\{[ ]?(?:char|bot|(user))[ ]?\}\}(?(1)(?![ \t]?[:：]))", re.IGNORECASE | re.MULTILINE
)
_NOT_PLAIN = re.compile(r"[^\w .'’-]+")  # could be read as Markdown
MAX_NAME_CHARS = 64


def fill_macros(parsed: ParsedText, persona: str, user: str) -> list[Edit]:
    """Return edits that write names for `{{char}}` and `{{user}}`, which models repeat from character cards.

    Args:
        parsed: The text.
        persona: The name of the persona.
        user: The name of the person who asked, or an empty string: then the macro stays.

    """
    found = (
        (macro.end(1) if macro[1] else macro.start(), macro.end(), user if macro[2] else persona)
        for macro in _MACRO.finditer(parsed.text)
    )
    return [(start, end, _plain(name)) for start, end, name in found if name and parsed.free(start)]


def _plain(name: str) -> str:
    """Return a name without signs that could be read as Markdown."""
    return " ".join(_NOT_PLAIN.sub("", name).split())[:MAX_NAME_CHARS]


# --- Blank lines ---------------------------------------------------------------------------------

_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)++(?=[ \t]*[^\s])")


def join_blank_lines(parsed: ParsedText) -> list[Edit]:
    """Return edits that reduce several blank lines to one."""
    found = _BLANK_LINES.finditer(parsed.text)
    return [(m.start(), m.end(), "\n\n") for m in found if parsed.code.free(m.start() + 1)]


# --- Taking words out ----------------------------------------------------------------------------

_WHITE = " \t"
_NO_SPACE_BEFORE = LONE | frozenset("\n)]}…")


def remove(text: str, ranges: Iterable[tuple[int, int]]) -> list[Edit]:
    """Return edits that remove ranges, in order; indentation and newlines stay."""
    edits: list[Edit] = []
    # `floor` is the end of the previous edit. Edits must not overlap.
    floor, at_line_start = 0, True
    for start, end in ranges:
        left, right = start, end
        while left > floor and text[left - 1] in _WHITE:
            left -= 1
        while right < len(text) and text[right] in _WHITE:
            right += 1
        at_line_start = (left == floor and at_line_start) or text[left - 1 : left] == "\n"
        if at_line_start:
            # At the start of a line the white space after the range goes with it.
            edits.append((start, right, ""))
        elif right > end or right == len(text) or text[right] in _NO_SPACE_BEFORE:
            # Otherwise one side keeps its space, and no space is left before a mark.
            edits.append((left, end, ""))
        else:
            edits.append((start, end, ""))
        floor = edits[-1][1]
    return edits

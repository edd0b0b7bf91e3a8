"""Rules 2 and 4: remove the persona's name before a line and choose the appearance of the line.

`Persona (modifier): text` selects an appearance: a webhook name and an avatar (`sprites.py`).
Models also write `Persona [modifier]:`, `Persona *(modifier)*:`, `Persona - modifier:`,
`(modifier) Persona:` and `Persona: (modifier) text`; `{{char}}` and `{bot}` stand for the persona's name.

A sprite stays until the next label, a copied identity until the end of the line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..language.punctuation import CARRIED, class_of
from ..markdown.line_kinds import is_head
from .sprites import PersonaAppearance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._settings import Persona
    from ..parsed_text import ParsedText
    from ..traced_text import Edit
    from .sprites import SpriteTable

_CARRIED = re.compile(rf"\s*[{class_of(CARRIED)}]*\s*\Z")
MAX_LABEL_CHARS = 64
"""Longest name in a speaker's label, and longest modifier in `Luna (mad): `."""
NO_EMOTICON = r"(?![()3DPOpX/|<>]{1,3}(?:\s|\Z))"
"""Lookahead after a label's colon: `Luna :3` and `Luna:)` are emoticons."""
_MODIFIER = rf"[^()（）\[\]\n:：]{{1,{MAX_LABEL_CHARS}}}"
_LETTER_INSIDE = r"(?=[^()（）\[\]\n]*[^\W\d_])"
_LEADING_MODIFIER = (
    rf"[*_]{{0,3}}(?:[(（]{_LETTER_INSIDE}{_MODIFIER}[)）]"
    rf"|\[{_LETTER_INSIDE}{_MODIFIER}\])[*_]{{0,3}}[ \t]{{1,2}}"
)
_SPRITE_AFTER = re.compile(
    rf"[*_]{{0,3}}(?:[(（]({_MODIFIER})[)）]|\[({_MODIFIER})\](?!\())[*_]{{0,3}}[ \t]{{0,8}}"
)
"""`(happy) ` after a label: it selects a sprite if the persona has one of this name."""
_MACROS = (r"\{\{ ?char ?\}\}", r"\{\{ ?bot ?\}\}", r"\{bot\}", r"\{char\}")
"""Placeholders of character cards for the persona's name, which models repeat from their prompt."""


class Part(NamedTuple):
    """A range of the text in one appearance, and the labels to remove from it."""

    start: int
    end: int
    appearance: PersonaAppearance
    edits: tuple[Edit, ...] = ()


class _Label(NamedTuple):
    """The labels before one line, and the appearance that they select."""

    # Start of the line; `start` and `end` are those of the labels.
    line: int
    start: int
    end: int
    # None if the line has no complete label.
    appearance: PersonaAppearance | None


class PersonaLabels:
    """The patterns that find the labels of a persona, and the appearances that they select."""

    def __init__(self, persona: Persona, sprites: SpriteTable) -> None:
        self.sprites = sprites
        name = name_pattern(persona)
        label = _forms(name, modified=True)
        # Two patterns: a fast one for lines that may begin with a label, and one for the label itself.
        self.lines = re.compile(
            rf"(?:^|(?<=\n))[ \t]*(?=(?:{_LEADING_MODIFIER})?(?:\*{{1,3}}|_{{1,2}}|\[)?{name})", re.IGNORECASE
        )
        leading = _LEADING_MODIFIER.replace(_MODIFIER, f"({_MODIFIER})")
        self.label = re.compile(rf"(?:{leading})?{label}(?![:：/])[ \t]{{0,8}}", re.IGNORECASE)


def split_by_speaker(
    parsed: ParsedText, labels: PersonaLabels, current: PersonaAppearance, *, line_start: bool
) -> list[Part]:
    """Split a text by appearance; the first part may continue in the current one."""
    text = parsed.text
    parts: list[Part] = []
    start, appearance = 0, current
    edits: list[Edit] = []
    for label in _find_labels(parsed, labels, line_start=line_start):
        if label.appearance is not None and parsed.whole.free(label.start):
            # A divider or a heading belongs to the speaker below it.
            if not is_head(text[start : label.line].strip()):
                parts += _close(
                    parsed, Part(start, label.line, appearance, tuple(edits)), labels.sprites.base
                )
                start, edits = (label.line if parts else 0), []
            appearance = label.appearance
        if label.end > label.start:
            edits.append((label.start, label.end, ""))
    return parts + _close(parsed, Part(start, len(text), appearance, tuple(edits)), labels.sprites.base)


def _find_labels(parsed: ParsedText, labels: PersonaLabels, *, line_start: bool) -> Iterator[_Label]:
    """Yield the labels of each line.

    Plain labels after the last modifier are left to the rule that removes the own name.
    """
    text, sprites = parsed.text, labels.sprites
    for line in labels.lines.finditer(text):
        if (not line.start() and not line_start) or not parsed.code.free(line.end()):
            continue
        at = end = line.end()
        appearance: PersonaAppearance | None = None
        while found := labels.label.match(text, at):
            modifier = found[found.lastindex] if found.lastindex else ""
            # `Luna - mad:` names a sprite, `Luna - part two:` is a title.
            if (
                modifier
                and text[found.start(found.lastindex or 0) - 1] in " \t"
                and not sprites.has_sprite(modifier)
            ):
                break
            at = found.end()
            after = None if modifier else _SPRITE_AFTER.match(text, at)
            if after and sprites.has_sprite(after[1] or after[2]):
                modifier, at = after[1] or after[2], after.end()
            if modifier:
                appearance, end = sprites.find(modifier), at
            elif appearance is None:
                appearance = sprites.base
        yield _Label(line.start(), line.end(), end, appearance)


def _close(parsed: ParsedText, part: Part, base: PersonaAppearance) -> list[Part]:
    """Return a part as it is, or cut at the end of the line of a copied identity."""
    text = parsed.text
    if not text[part.start : part.end].strip():
        return []
    begin = part.edits[0][1] if part.edits else part.start
    newline = text.find("\n", begin, part.end) if part.appearance.copied else -1
    # A line break inside a code block or a span does not end the identity.
    while newline >= 0 and not parsed.whole.free(newline + 1):
        newline = text.find("\n", newline + 1, part.end)
    if newline < 0 or _CARRIED.match(text, newline, part.end):
        return [part]
    return [part._replace(end=newline + 1), Part(newline + 1, part.end, base)]


# --- The plain own name --------------------------------------------------------------------------


def label_pattern(persona: Persona) -> re.Pattern[str]:
    """Return a pattern for a chain of own names with colons at the start of a line, bold or not."""
    label = _forms(name_pattern(persona))
    return re.compile(rf"(?:^|(?<=\n))([ \t]*)((?:{label}(?![:：/])[ \t]{{0,8}})+)", re.IGNORECASE)


def _forms(name: str, *, modified: bool = False) -> str:
    """Return a pattern for every form of a label: `Luna:`, `**Luna:**`, `*Luna*:`, `[Luna]:`, with a modifier or not.

    Each alternative has its own groups for the modifier, so that the last group that matched is the modifier.
    """
    colon = rf"(?:[ \t]{{0,3}}：|[ \t]{{1,3}}:(?![^\s*_\]])|:{NO_EMOTICON})"
    modifier = (
        rf"(?:[ \t]?[(（]({_MODIFIER})[)）]|[ \t]?\[(?=[^\]\n]*[^\W\d_])({_MODIFIER})\]"
        rf"|[ \t]?[*_]{{1,2}}[(（]({_MODIFIER})[)）][*_]{{1,2}}"
        rf"|[ \t][*_]([^\W\d_][\w ]{{0,{MAX_LABEL_CHARS}}})[*_](?=:)"
        rf"|[ \t][-–—][ \t]([^\W\d_][\w ]{{0,{MAX_LABEL_CHARS}}}))?"
        if modified
        else ""
    )
    marked = "|".join(
        rf"{mark}{name}{modifier}(?:{colon}{mark}|{mark}{colon})"
        + (rf"|{mark}{name}{mark}{modifier}{colon}" if modified else "")
        for mark in (r"\*\*\*", r"\*\*", r"\*", "__", "_")
    )
    return rf"(?:{marked}|\[{name}{modifier}(?:\]{colon}|{colon}\])|<{name}{modifier}>{colon}|{name}{modifier}{colon})"


def name_pattern(persona: Persona) -> str:
    """Return a pattern fragment that matches any name of the persona."""
    names = sorted({name.strip() for name in (persona.name, *persona.aliases)}, key=len, reverse=True)
    return "(?:" + "|".join([*(re.escape(name) for name in names if name), *_MACROS]) + ")"


def strip_own_name(parsed: ParsedText, pattern: re.Pattern[str], *, line_start: bool) -> list[Edit]:
    """Return edits that remove own labels at the starts of lines, outside code."""
    edits: list[Edit] = []
    for found in pattern.finditer(parsed.text):
        start, end = found.span(2)
        if (line_start or found.start()) and parsed.code.free(start):
            edits.append((start, end, ""))
    return edits

"""Rules 2 and 4: remove the persona's name before a line and choose the appearance of the line.

`Persona (modifier): text` selects an appearance: a webhook name and an avatar. A modifier is the name of a
sprite of the persona, or else of exactly one other persona or person, whose identity is copied; any other
modifier is ignored. Models also write `Persona [modifier]:`, `Persona *(modifier)*:`, `Persona - modifier:`,
`(modifier) Persona:` and `Persona: (modifier) text`; `{{char}}` and `{bot}` stand for the persona's name.

A sprite stays until the next label, a copied identity until the end of the line. A sprite without a usable image
selects the base appearance.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..._events import Speaker
from ..._settings import NO_CONTEXT
from ..language.punctuation import CARRIED, class_of
from ..markdown.line_kinds import is_head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._settings import AnswerContext, Persona, Settings
    from ..parsed_text import ParsedText
    from ..traced_text import Edit

_CARRIED = re.compile(rf"\s*[{class_of(CARRIED)}]*\s*\Z")
_SHORTENED = "..."
MAX_LABEL_CHARS = 64
"""Longest name in a speaker's label, and longest modifier in `Luna (mad): `."""
MAX_NAME_CHARS = 80
"""Characters of a webhook's name: https://docs.discord.com/developers/resources/webhook#create-webhook ."""
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
_SEVERAL = re.compile(r"[,;/&+、，；]")


class PersonaAppearance(NamedTuple):
    """A webhook name and avatar, and whether it ends with its line (`copied`)."""

    speaker: Speaker | None = None
    copied: bool = False


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


class SpriteTable:
    """All appearances of one persona, and the patterns that find its labels."""

    def __init__(self, persona: Persona, settings: Settings, context: AnswerContext = NO_CONTEXT) -> None:
        self._limit = MAX_NAME_CHARS
        self._persona = persona
        # A persona that is the bot itself speaks without a webhook.
        self.base = PersonaAppearance(
            self._speaker(persona.name, persona.avatar, "") if persona.alter else None
        )
        # Appearances by modifier. Sprites are added last, so that they win over copied identities.
        self._appearances: dict[str, PersonaAppearance] = {}
        self._add_copied(settings, context)
        for sprite in reversed(persona.sprites):
            name = compose_name(sprite.name, persona.name, self._limit) if sprite.identity else persona.name
            speaker = self._speaker(name, sprite.avatar or persona.avatar, sprite.name)
            self._appearances[_key(sprite.name)] = PersonaAppearance(speaker) if sprite.usable else self.base
        name = name_pattern(persona)
        label = _forms(name, modified=True)
        # Two patterns: a fast one for lines that may begin with a label, and one for the label itself.
        self.lines = re.compile(
            rf"(?:^|(?<=\n))[ \t]*(?=(?:{_LEADING_MODIFIER})?(?:\*{{1,3}}|_{{1,2}}|\[)?{name})", re.IGNORECASE
        )
        leading = _LEADING_MODIFIER.replace(_MODIFIER, f"({_MODIFIER})")
        self.label = re.compile(rf"(?:{leading})?{label}(?![:：/])[ \t]{{0,8}}", re.IGNORECASE)

    def has_sprite(self, modifier: str) -> bool:
        """Return whether a modifier is the name of one of the persona's sprites."""
        found = self._appearances.get(_key(modifier))
        return found is not None and not found.copied

    def find(self, modifier: str) -> PersonaAppearance:
        """Return the appearance of a modifier; of several (`happy, excited`) the first known one."""
        found = self._appearances.get(_key(modifier))
        for part in () if found else _SEVERAL.split(modifier):
            found = found or self._appearances.get(_key(part))
        return found or self.base

    def _add_copied(self, settings: Settings, context: AnswerContext) -> None:
        """Add the identities of other personas and people.

        A name that several of them share, or that is the persona's own, selects nothing.
        """
        own = {_key(name) for name in (self._persona.name, *self._persona.aliases)}
        targets: dict[str, set[tuple[str, str | None, int]]] = {}
        personas = context.personas if settings.impersonation != "off" else ()
        people = context.people if settings.impersonation == "all" else ()
        for number, other in enumerate(personas):
            for name in (other.name, *other.aliases):
                targets.setdefault(_key(name), set()).add((other.name, other.avatar, -number - 1))
        for person in people:
            shown = next((name for name in (*person.names, person.handle) if name.strip()), "")
            for name in (person.handle, *person.names):
                targets.setdefault(_key(name), set()).add((shown, person.avatar, person.id))
        for key, found in targets.items():
            if key and key not in own and len({who for _, _, who in found}) == 1:
                name, avatar, _ = next(iter(found))
                shown = compose_name(name, self._persona.name, self._limit)
                self._appearances[key] = PersonaAppearance(self._speaker(shown, avatar, name), copied=True)

    def _speaker(self, name: str, avatar: str | None, modifier: str) -> Speaker:
        label = f"{self._persona.name} ({modifier}): " if modifier else ""
        return Speaker(shorten(name, self._limit), avatar, label)


def split_by_speaker(
    parsed: ParsedText, sprites: SpriteTable, current: PersonaAppearance, *, line_start: bool
) -> list[Part]:
    """Split a text by appearance; the first part may continue in the current one."""
    text = parsed.text
    parts: list[Part] = []
    start, appearance = 0, current
    edits: list[Edit] = []
    for label in _find_labels(parsed, sprites, line_start=line_start):
        if label.appearance is not None and parsed.whole.free(label.start):
            # A divider or a heading belongs to the speaker below it.
            if not is_head(text[start : label.line].strip()):
                parts += _close(parsed, Part(start, label.line, appearance, tuple(edits)), sprites.base)
                start, edits = (label.line if parts else 0), []
            appearance = label.appearance
        if label.end > label.start:
            edits.append((label.start, label.end, ""))
    return parts + _close(parsed, Part(start, len(text), appearance, tuple(edits)), sprites.base)


def _find_labels(parsed: ParsedText, sprites: SpriteTable, *, line_start: bool) -> Iterator[_Label]:
    """Yield the labels of each line.

    Plain labels after the last modifier are left to the rule that removes the own name.
    """
    text = parsed.text
    for line in sprites.lines.finditer(text):
        if (not line.start() and not line_start) or not parsed.code.free(line.end()):
            continue
        at = end = line.end()
        appearance: PersonaAppearance | None = None
        while found := sprites.label.match(text, at):
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


def compose_name(first: str, second: str, limit: int) -> str:
    """Return `first (second)`, shortened to `limit`: the first name before the second."""
    available = limit - len(second) - 3
    if len(first) > available:
        first = shorten(first, max(available, len(_SHORTENED) + 1))
    return f"{first} ({shorten(second, limit - len(first) - 3)})"


def shorten(name: str, limit: int) -> str:
    """Return a name with at most `limit` characters."""
    return name if len(name) <= limit else name[: limit - len(_SHORTENED)] + _SHORTENED


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


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

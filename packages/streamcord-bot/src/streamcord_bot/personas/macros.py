"""Fill in the macros of character texts, such as `{{user}}` and `{{random:tea,coffee}}`.

Prompts, lore and greetings may contain them, wherever they come from: a card, the file or a command. They are filled in
when a text is used, so that `{{user}}` is the person who asks and `{{time}}` is now. The macros are those of version 3
of the card format (https://github.com/kwaroran/character-card-spec-v3/blob/main/SPEC_V3.md, "Curly Braced Syntaxes"),
and three for the time that other programs know, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from random import Random

MAX_FILLED_CHARS = 64_000
"""A text does not become longer: a short text of many macros could otherwise fill the memory."""
MAX_NESTING = 4
"""Macros inside of macros are filled in from the inside, this many levels."""
MAX_DICE = 100
MAX_SIDES = 1_000_000
# Without braces inside, so that the innermost macro is found first.
_MACRO = re.compile(r"\{\{([^{}]*)\}\}")
# A comment may contain single braces, and ends at the next macro at the latest.
_COMMENT = re.compile(r"\{\{\s*//(?:(?!\{\{|\}\}).)*\}\}", re.DOTALL)
_OLD_USER = re.compile(r"<user>", re.IGNORECASE)
_OLD_CHARACTER = re.compile(r"<(?:bot|char)>", re.IGNORECASE)
_DICE = re.compile(r"(\d{0,6})d(\d{1,9})|(\d{1,9})", re.IGNORECASE)
_COMMA = re.compile(r"(?<!\\),")
# A name could contain a macro itself, such as a very long one.
_BRACES = str.maketrans({"{": "(", "}": ")"})


@dataclass(frozen=True, slots=True)
class MacroValues:
    """What macros are filled in with.

    `pick_key` says whose picks these are, such as a channel: the same key always picks the same alternative.
    """

    char: str
    user: str
    now: datetime
    random: Random
    pick_key: str = ""


def mentions_user(text: str) -> bool:
    """Return whether a text contains the name of the person who asks."""
    folded = text.casefold()
    return "{{user}}" in folded or "<user>" in folded


def fill_macros(text: str, values: MacroValues, *, keep_unknown: bool = True) -> str:
    """Return a text with its macros filled in.

    Args:
        text: the text.
        values: what is filled in.
        keep_unknown: whether macros that no one knows stay; in a text that people read they are better left out.

    """
    if "{{" not in text and "<" not in text:
        return text
    char, user = values.char.translate(_BRACES), values.user.translate(_BRACES)
    names = {"char": char, "bot": char, "user": user}
    # Functions, since a backslash in a name is nothing but a backslash.
    text = _OLD_CHARACTER.sub(lambda _: char, _OLD_USER.sub(lambda _: user, text))

    def fill(found: re.Match[str]) -> str:
        key = f"{values.pick_key}\n{found.start()}\n{found[1]}"
        filled = _fill_one(found[1], names, values, key)
        if filled is None:
            return found[0] if keep_unknown else ""
        return filled

    for _ in range(MAX_NESTING):
        filled = _MACRO.sub(fill, _COMMENT.sub("", text))[:MAX_FILLED_CHARS]
        if filled == text:
            break
        text = filled
    return text


def _fill_one(macro: str, names: Mapping[str, str], values: MacroValues, key: str) -> str | None:
    """Return the text of one macro; `None` if it is unknown."""
    word = macro.strip()
    folded = word.casefold()
    if folded in names:
        return names[folded]
    if folded in _SIMPLE:
        return _SIMPLE[folded](values)
    kind, _, rest = word.partition(":")
    fill = _WITH_ARGUMENT.get(kind.strip().casefold())
    return fill(rest, values, key) if fill else None


_SIMPLE: Mapping[str, Callable[[MacroValues], str]] = {
    "time": lambda values: values.now.strftime("%H:%M"),
    "date": lambda values: f"{values.now.day} {values.now:%B %Y}",
    "weekday": lambda values: f"{values.now:%A}",
    "newline": lambda _: "\n",
    "original": lambda _: "",
    "noop": lambda _: "",
}


def _alternatives(text: str) -> list[str]:
    """Return the parts of a list with commas; an escaped comma belongs to its part. `::` may separate parts, too."""
    parts = text.removeprefix(":").split("::") if "::" in text or text.startswith(":") else _COMMA.split(text)
    return [part.strip().replace("\\,", ",") for part in parts]


def _roll(text: str, random: Random) -> str:
    """Return the sum of some dice, such as `d20`, `2d6` or `20`; empty if the dice are none."""
    found = _DICE.fullmatch(text)
    if found is None:
        return ""
    count = min(int(found[1] or 1), MAX_DICE) if found[3] is None else 1
    sides = min(int(found[2] or found[3]), MAX_SIDES)
    return str(sum(random.randint(1, sides) for _ in range(count))) if count and sides else ""


_WITH_ARGUMENT: Mapping[str, Callable[[str, MacroValues, str], str]] = {
    "random": lambda text, values, _: values.random.choice(_alternatives(text)),
    "pick": lambda text, _, key: Random(key).choice(_alternatives(text)),
    "roll": lambda text, values, _: _roll(text.strip(), values.random),
    "reverse": lambda text, *_: text.strip()[::-1],
    "comment": lambda *_: "",
    "hidden_key": lambda *_: "",
}

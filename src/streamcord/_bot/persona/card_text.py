"""What a model is told, from the fields of a character card."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .naming import clean_name

__all__ = ["PROMPT_LENGTH", "call", "compose_prompt", "fill_in", "is_always"]

PROMPT_LENGTH = 32_000
"""Characters of a prompt that a card may bring, at most."""
LORE_CAP = 1000

_CHARACTER = re.compile(r"\{\{char\}\}|<bot>", re.IGNORECASE)
_USER = re.compile(r"\{\{user\}\}|<user>", re.IGNORECASE)
_ORIGINAL = re.compile(r"\{\{original\}\}", re.IGNORECASE)
_START = re.compile(r"<start>", re.IGNORECASE)


def fill_in(text: str, name: str, user: str = "the user") -> str:
    """The text with names in the place of `{{char}}` and `{{user}}`."""
    # As functions, so that a backslash in a name is nothing but a backslash.
    return _USER.sub(lambda _: user, _CHARACTER.sub(lambda _: name, text)).strip()


def call(fields: Mapping[str, Any]) -> str:
    """What the character is called in its own texts."""
    return clean_name(_text(fields, "nickname")) or clean_name(_text(fields, "name"))


def compose_prompt(fields: Mapping[str, Any]) -> str:
    """One prompt from all fields that describe the character, in the order that cards are written for."""
    name = call(fields)
    sections = (
        ("", _ORIGINAL.sub("", _text(fields, "system_prompt"))),
        ("", _text(fields, "description")),
        ("Personality: ", _text(fields, "personality")),
        ("Scenario: ", _text(fields, "scenario")),
        *(("", text) for text in _lore(fields.get("character_book"))),
        ("How {{char}} talks:\n", _START.sub("", _text(fields, "mes_example"))),
        ("", _ORIGINAL.sub("", _text(fields, "post_history_instructions"))),
    )
    prompt = ""
    for title, text in sections:
        if text.strip() and len(prompt) < PROMPT_LENGTH:
            prompt += ("\n\n" if prompt else "") + fill_in(title + text, name)
    return prompt[:PROMPT_LENGTH]


def _lore(book: object) -> list[str]:
    """What a lore book says always; entries that wait for a word stay in the card."""
    entries = book.get("entries") if isinstance(book, Mapping) else None
    always = [entry for entry in (entries if isinstance(entries, list) else ()) if is_always(entry)]
    return [_text(entry, "content") for entry in sorted(always[:LORE_CAP], key=_order)]


def is_always(entry: object) -> bool:
    """Whether an entry of a lore book is a part of the prompt."""
    if not isinstance(entry, Mapping):
        return False
    return entry.get("constant") is True and entry.get("enabled") is not False


def _order(entry: Mapping[str, Any]) -> float:
    order = entry.get("insertion_order")
    return order if isinstance(order, (int, float)) else 0


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    # Cut before names are filled in, or a short card could become a very long text.
    return value[:PROMPT_LENGTH] if isinstance(value, str) else ""

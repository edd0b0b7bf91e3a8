"""List, add, remove and import the lore of a persona, in the JSON of its character card.

A world info file of SillyTavern is an object of entries, with other names for the fields than a card has
(https://docs.sillytavern.app/usage/core-concepts/worldinfo/). These files and cards come from untrusted users, so
all of it runs in the separate process (`sandbox/worker.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from streamcord.store import StoredPersona

from .character_cards import (
    EXTENSION_KEY,
    PROMPT_LENGTH,
    TEXT_LENGTH,
    CardError,
    as_dict,
    as_list,
    as_text,
    is_constant,
    parse_card,
)
from .linear_regex import LinearRegex, RegexError, read_expression

MAX_LORE_ENTRIES = 1000
"""Entries of one persona."""
MAX_ENTRY_KEYS = 50
"""Further keys of an entry are ignored."""
MAX_KEY_CHARS = 100
MAX_BOOK_STATES = 20_000
"""States of all expressions of a book; further expressions are left out."""
MAX_LISTED = 200
LISTED_KEYS = 5
LISTED_CHARS = 60
_PROMPT_FIELDS = ("system_prompt", "description", "personality", "scenario", "mes_example")
_BASE_CARD: dict[str, Any] = {"spec": "chara_card_v2", "spec_version": "2.0"}
_WORLD_INFO_FIELDS = {
    "key": "keys",
    "keysecondary": "secondary_keys",
    "order": "insertion_order",
    "comment": "comment",
    "selective": "selective",
    "caseSensitive": "case_sensitive",
    "useRegex": "use_regex",
}
"""Fields of world info, and what a card calls them."""


Key: TypeAlias = str | LinearRegex
"""What must occur: words, or a regular expression."""


def read_keys(entry: Mapping[str, Any], name: str, budget: RegexBudget | None = None) -> tuple[Key, ...]:
    """Return the keys of an entry in one of its fields; expressions that cannot be used are left out."""
    return tuple(key for key in iter_keys(entry, name, budget or RegexBudget()) if key)


@dataclass(slots=True)
class RegexBudget:
    """Limits the states of all expressions of a book: each has up to 1 000, and a book has room for 60 000 keys."""

    left: int = MAX_BOOK_STATES

    def read(self, key: str, *, is_pattern: bool, exact: bool) -> Key:
        """Return a key as an expression if it is one.

        Raises:
            RegexError: the expression cannot be used, or the book has too many.

        """
        if self.left < 0 and (is_pattern or key.startswith("/")):
            raise RegexError("too many expressions")
        found = read_expression(key)
        if found is None and is_pattern:
            found = LinearRegex(key, "" if exact else "i")
        self.left -= found.size if found else 0
        return found or key[:MAX_KEY_CHARS]


def iter_keys(entry: Mapping[str, Any], name: str, budget: RegexBudget) -> Iterator[Key | None]:
    """Yield the keys of an entry in one of its fields, and nothing for each that cannot be used.

    SillyTavern takes `/hone?y/i` for an expression anywhere. With `use_regex`, as in version 3 of the card format,
    every key is one.
    """
    is_pattern, exact = entry.get("use_regex") is True, entry.get("case_sensitive") is True
    for raw in as_list(entry.get(name))[:MAX_ENTRY_KEYS]:
        key = raw.strip() if isinstance(raw, str) else ""
        try:
            yield budget.read(key, is_pattern=is_pattern, exact=exact) if key else None
        except RegexError:
            yield None


def is_always_on(entry: Mapping[str, Any]) -> bool:
    """Return whether an imported entry is added to every prompt, without a key."""
    return as_dict(as_dict(entry.get("extensions")).get(EXTENSION_KEY)).get("always") is True


def count_lore(entries: Iterable[object]) -> dict[str, int]:
    """Count entries by what becomes of them: `used`, with `regex` keys that cannot be used, or `off`."""
    counts, budget = {"used": 0, "regex": 0, "off": 0}, RegexBudget()
    for raw in entries:
        entry = as_dict(raw)
        is_constantly_on = is_constant(entry) or is_always_on(entry)
        if entry.get("enabled") is False or not as_text(entry, "content").strip():
            counts["off"] += 1
        elif is_constantly_on or read_keys(entry, "keys", budget):
            counts["used"] += 1
        else:
            counts["regex" if any(as_list(entry.get("keys"))) else "off"] += 1
    return counts


def report_card(stored: StoredPersona) -> dict[str, int]:
    """Count what a card brings and what is left out; `cut` is the length of texts that became a shorter prompt."""
    fields = as_dict(parse_card(stored.card).get("data"))
    counts = count_lore(as_list(as_dict(fields.get("character_book")).get("entries"))[:MAX_LORE_ENTRIES])
    written = sum(len(as_text(fields, name)) for name in _PROMPT_FIELDS)
    # White space at the place of the cut makes the prompt shorter than its limit.
    is_cut = max(written, len(stored.prompt)) >= PROMPT_LENGTH
    return {**counts, "cut": written if is_cut else 0}


def list_lore(card: str) -> list[tuple[int, str]]:
    """Return the number and a short line of each entry."""
    _, book = _open(card, "")
    lines = []
    for number, raw in enumerate(as_list(book.get("entries"))[:MAX_LISTED], 1):
        entry = as_dict(raw)
        keys = [key for key in as_list(entry.get("keys")) if isinstance(key, str)][:LISTED_KEYS]
        text = " ".join(as_text(entry, "content").split())
        lines.append((number, f"{', '.join(keys)[:LISTED_CHARS] or '*'}: {text[:LISTED_CHARS]}"))
    return lines


def add_lore(card: str, name: str, keys: Iterable[str], content: str) -> str:
    """Return the card with one more entry, which is added to a prompt when one of its keys occurs.

    Raises:
        CardError: a key is a regular expression that cannot be used.

    """
    keys = [*keys]
    if len(read_keys({"keys": keys}, "keys")) < len(keys):
        raise CardError("One of the keys is a regular expression that cannot be used.")
    raw, book = _open(card, name)
    return _keep(raw, book, [{"keys": keys, "content": content, "enabled": True, "extensions": {}}])


def remove_lore(card: str, number: int) -> str:
    """Return the card without the entry of this number, from 1.

    Raises:
        CardError: there is no such entry.

    """
    raw, book = _open(card, "")
    entries = as_list(book.get("entries"))
    if not 1 <= number <= len(entries):
        raise CardError(f"There is no entry {number}: the persona has {len(entries)}.")
    del entries[number - 1]
    book["entries"] = entries
    return _keep(raw, book, [])


def import_lore(card: str, name: str, content: bytes) -> tuple[str, dict[str, int]]:
    """Return the card with the entries of a world info file or of another card's book, and what was read.

    Raises:
        CardError: the file has no entries.

    """
    given = parse_card(content)
    fields = as_dict(given.get("data")) or given
    found = as_dict(fields.get("character_book")).get("entries") or fields.get("entries")
    entries = [*found.values()] if isinstance(found, Mapping) else as_list(found)
    entries = [_as_entry(as_dict(one)) for one in entries[:MAX_LORE_ENTRIES] if isinstance(one, Mapping)]
    if not entries:
        raise CardError(
            "There is no lore in this file: send world info of SillyTavern, or a card with a lorebook."
        )
    raw, book = _open(card, name)
    return _keep(raw, book, entries), count_lore(entries)


def _as_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the field names of a card.

    Entries of a card that are always on are a part of its prompt. The prompt of this persona was made before, so they
    are marked instead.
    """
    if "key" not in entry:
        more = as_dict(entry.get("extensions"))
        always = {**more, EXTENSION_KEY: {"always": True}}
        return {**entry, "constant": False, "extensions": always} if is_constant(entry) else entry
    known = {card_name: entry[name] for name, card_name in _WORLD_INFO_FIELDS.items() if name in entry}
    return {
        **known,
        "content": as_text(entry, "content"),
        "enabled": entry.get("disable") is not True,
        "constant": False,
        "extensions": {
            "selectiveLogic": entry.get("selectiveLogic", 0),
            EXTENSION_KEY: {"always": entry.get("constant") is True},
        },
    }


def _open(card: str, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a stored card and its book; a persona without a card gets an empty one."""
    raw: dict[str, Any] = parse_card(card) if card else {**_BASE_CARD, "data": {"name": name}}
    if not isinstance(raw.get("data"), dict):
        raw = {**_BASE_CARD, "data": raw}
    return raw, as_dict(as_dict(raw["data"]).get("character_book"))


def _keep(raw: dict[str, Any], book: dict[str, Any], new: list[dict[str, Any]]) -> str:
    entries = [*as_list(book.get("entries")), *new]
    if len(entries) > MAX_LORE_ENTRIES and new:
        raise CardError(f"A persona has at most {MAX_LORE_ENTRIES} entries of lore: remove some first.")
    raw["data"] = {**raw["data"], "character_book": {"extensions": {}, **book, "entries": entries}}
    card = json.dumps(raw)
    if len(card) > TEXT_LENGTH:
        raise CardError(f"The lore holds more than {TEXT_LENGTH // 2**20} MB of text: shorten it.")
    return card

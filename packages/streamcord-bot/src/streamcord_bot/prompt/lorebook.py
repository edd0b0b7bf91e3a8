"""Lore: facts about a character's world, added to the prompt when the conversation mentions them.

An entry of a card's book has keys, and is added when one of them is in the last messages. What is always
added is part of the persona's prompt (`persona/cards.py`). The words are SillyTavern's, so that a card does
here what its author saw there: https://docs.sillytavern.app/usage/core-concepts/worldinfo/ . Keys that are
regular expressions are not used, since a stranger's expression can take for ever.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamcord.store import StoredPersona
from streamcord.utils import BoundedCache

from ..messages.word_search import WordSearch
from ..personas.character_cards import (
    CardError,
    as_dict,
    as_list,
    as_text,
    character_name,
    fill_names,
    is_constant,
    parse_card,
)

__all__ = ["GREETING_CAP", "LorebookCache", "Story", "find_lore", "find_note", "greetings_of", "read_book"]

CARD_LENGTH = 2 * 1024 * 1024
"""A longer card is not read for its story: parsing it would be felt by everybody."""
STORY_CAP = 200
ENTRY_CAP = 10_000
KEY_CAP = 50
"""Keys of one entry."""
ALL_KEYS = 50_000
"""Keys of a whole book; those of later entries are not looked for."""
KEY_LENGTH = 100
CONTENT_LENGTH = 8000
SCAN_DEPTH = 4
"""Messages that are searched where a book does not say."""
SCAN_CAP = 50
SCAN_LENGTH = 20_000
BUDGET = 1000
"""Tokens of lore in one prompt where a book does not say."""
BUDGET_CAP = 8000
ROUNDS = 5
"""How often lore may bring up other lore."""
GREETING_CAP = 50
_DECORATORS = re.compile(r"\A(?:\s*@@[^\n]*(?:\n|\Z))+")
"""Lines with which an entry of version 3 tells programs what to do with it."""
_AND_ANY, _NOT_ALL, _NOT_ANY, _AND_ALL = range(4)


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """One piece of lore."""

    keys: tuple[str, ...]
    content: str
    also: tuple[str, ...] = ()
    logic: int = _AND_ANY
    """How the keys in `also` count: any must be there, not all may, none may, all must."""
    order: float = 0
    priority: float = 0
    exact: bool = False
    """Whether capitals count."""

    @property
    def cost(self) -> int:
        """About how many tokens it takes."""
        return len(self.content.encode("utf-8", "replace")) // 4 + 1


@dataclass(frozen=True, slots=True)
class Lorebook:
    """The entries of a card that wait for a word."""

    entries: tuple[LoreEntry, ...] = ()
    depth: int = SCAN_DEPTH
    budget: int = BUDGET
    recursive: bool = False


class _Scanned:
    """A text that keys are looked for in."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._search = WordSearch(text)

    def has(self, key: str, *, exact: bool) -> bool:
        return self._search.has(key) and (not exact or key in self._text)


@dataclass(frozen=True, slots=True)
class Story:
    """Parts of a character card beside the persona itself."""

    book: Lorebook = Lorebook()
    note: str = ""
    greetings: tuple[str, ...] = ()


class LorebookCache:
    """The stories of the cards that were used last, each read once and off the event loop."""

    def __init__(self) -> None:
        self._read: BoundedCache[str, Story] = BoundedCache(STORY_CAP)

    async def find(self, stored: StoredPersona) -> Story:
        """The story of a persona; one whose card is very large has none."""
        if not stored.card:
            return Story(greetings=greetings_of({}, stored.greeting))
        key = hashlib.blake2s((stored.card + stored.greeting).encode("utf-8", "replace")).hexdigest()
        known = self._read.find(key)
        if known is not None:
            return known
        return self._read.keep(key, await asyncio.to_thread(_read_story, stored.card, stored.greeting))


def _read_story(card: str, greeting: str) -> Story:
    if len(card) > CARD_LENGTH:
        return Story(greetings=greetings_of({}, greeting))
    try:
        parsed = parse_card(card)
    except CardError:
        parsed = {}
    return Story(read_book(parsed), find_note(parsed), greetings_of(parsed, greeting))


def read_book(card: Mapping[str, Any]) -> Lorebook:
    """The lore of a card; whatever cannot be read in it is left out."""
    fields = as_dict(card.get("data")) or dict(card)
    book = as_dict(fields.get("character_book"))
    name = character_name(fields)
    found = (_read_entry(entry, name) for entry in as_list(book.get("entries"))[:ENTRY_CAP])
    return Lorebook(
        tuple(_with_keys(entry for entry in found if entry is not None)),
        _whole(book.get("scan_depth"), SCAN_DEPTH, SCAN_CAP),
        _whole(book.get("token_budget"), BUDGET, BUDGET_CAP),
        book.get("recursive_scanning") is True,
    )


def _with_keys(entries: Iterable[LoreEntry]) -> Iterator[LoreEntry]:
    """Entries until there are more keys than anybody has time for."""
    left = ALL_KEYS
    for entry in entries:
        left -= len(entry.keys) + len(entry.also)
        if left < 0:
            return
        yield entry


def find_lore(book: Lorebook, messages: Sequence[str]) -> tuple[str, ...]:
    """The entries that the last messages bring up, in the book's order, as far as its budget reaches."""
    added: list[LoreEntry] = []
    waiting = list(book.entries)
    text = "\n".join(messages[-book.depth :])[-SCAN_LENGTH:] if book.depth else ""
    for _ in range(ROUNDS if book.recursive else 1):
        scanned = _Scanned(text)
        called = [entry for entry in waiting if _is_called(entry, scanned)]
        if not called:
            break
        added += called
        known = set(map(id, called))
        waiting = [entry for entry in waiting if id(entry) not in known]
        text = "\n".join(entry.content for entry in called)[:SCAN_LENGTH]
    return _within(added, book.budget)


def find_note(card: Mapping[str, Any]) -> str:
    """What the card wants to be said right before an answer: its last instructions and its author's note."""
    fields = as_dict(card.get("data")) or dict(card)
    note = as_text(as_dict(as_dict(fields.get("extensions")).get("depth_prompt")), "prompt")
    texts = (as_text(fields, "post_history_instructions").replace("{{original}}", ""), note)
    name = character_name(fields)
    return "\n\n".join(fill_names(text[:CONTENT_LENGTH], name) for text in texts if text.strip())


def greetings_of(card: Mapping[str, Any], greeting: str) -> tuple[str, ...]:
    """Return the possible first messages of a character: the greeting itself, then the card's other ones."""
    fields = as_dict(card.get("data")) or dict(card)
    name = character_name(fields)
    others = [text for text in as_list(fields.get("alternate_greetings")) if isinstance(text, str)]
    filled = (fill_names(text[:CONTENT_LENGTH], name, "you") for text in others[:GREETING_CAP])
    return tuple(dict.fromkeys(text for text in (greeting.strip(), *filled) if text))


def _read_entry(raw: object, name: str) -> LoreEntry | None:
    entry = as_dict(raw)
    if entry.get("enabled") is False or is_constant(entry) or entry.get("use_regex") is True:
        return None
    keys, content = _keys(entry.get("keys")), _DECORATORS.sub("", as_text(entry, "content")[:CONTENT_LENGTH])
    if not keys or not content.strip():
        return None
    more = as_dict(entry.get("extensions"))
    return LoreEntry(
        keys,
        fill_names(content, name),
        _keys(entry.get("secondary_keys")) if entry.get("selective") is True else (),
        _whole(more.get("selectiveLogic"), _AND_ANY, _AND_ALL),
        _number(entry.get("insertion_order")),
        _number(entry.get("priority")),
        entry.get("case_sensitive") is True,
    )


def _is_called(entry: LoreEntry, scanned: _Scanned) -> bool:
    if not _any(entry.keys, entry, scanned):
        return False
    if not entry.also:
        return True
    if entry.logic in {_AND_ANY, _NOT_ANY}:
        return _any(entry.also, entry, scanned) is (entry.logic == _AND_ANY)
    return all(scanned.has(key, exact=entry.exact) for key in entry.also) is (entry.logic == _AND_ALL)


def _any(keys: Iterable[str], entry: LoreEntry, scanned: _Scanned) -> bool:
    return any(scanned.has(key, exact=entry.exact) for key in keys)


def _within(added: Iterable[LoreEntry], budget: int) -> tuple[str, ...]:
    """What fits, the most important first; what is left stands in the book's order."""
    kept: list[LoreEntry] = []
    for entry in sorted(added, key=lambda entry: -entry.priority):
        if entry.cost <= budget:
            kept.append(entry)
            budget -= entry.cost
    return tuple(dict.fromkeys(entry.content for entry in sorted(kept, key=lambda entry: entry.order)))


def _keys(raw: object) -> tuple[str, ...]:
    words = (key.strip()[:KEY_LENGTH] for key in as_list(raw)[:KEY_CAP] if isinstance(key, str))
    return tuple(word for word in words if word)


def _whole(value: object, default: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        return default
    return min(max(value, 0), most)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e9 else 0.0

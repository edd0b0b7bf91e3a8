"""Lorebooks: facts about a character's world that are added to the prompt when the conversation mentions them.

An entry of a card's book has keys and is added when one of them occurs in the last messages. Constant entries are
part of the persona's prompt (`personas/character_cards.py`). The rules follow SillyTavern, so that a card behaves as
its author expects: https://docs.sillytavern.app/usage/core-concepts/worldinfo/ . Keys that are regular expressions are
searched in linear time (`personas/linear_regex.py`); an import says how many of them cannot be used.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from streamcord.store import StoredPersona
from streamcord.utils import BoundedCache

from ..messages.word_search import MAX_COST, WordSearch
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
from ..personas.linear_regex import LinearRegex
from ..personas.lore_editor import Key, RegexBudget, is_always_on, iter_keys

MAX_CARD_CHARS = 2 * 1024 * 1024
"""A larger card has no lorebook here: parsing it would delay all answers."""
MAX_LOREBOOKS = 200
MAX_ENTRIES = 10_000
MAX_BOOK_KEYS = 50_000
"""Entries after this many keys of a book are ignored."""
MAX_SEARCHED_KEYS = 60_000
"""Keys that are looked for in all rounds of one question together."""
SLICE_S = 0.002
"""Seconds of lorebook work before everything else gets its turn."""
REGEX_STEP_COST = 100
"""Cost of one step of a regular expression; searching a text for a word costs its length."""
MAX_CONTENT_CHARS = 8000
DEFAULT_SCAN_MESSAGES = 4
"""Messages that are searched if the book does not specify it."""
MAX_SCAN_MESSAGES = 50
MAX_SCAN_CHARS = 20_000
DEFAULT_BUDGET_TOKENS = 1000
"""Tokens of lore in one prompt if the book does not specify it."""
MAX_BUDGET_TOKENS = 8000
MAX_RECURSION = 5
"""How many times entries may trigger other entries."""
MAX_GREETINGS = 50
_DECORATORS = re.compile(r"\A(?:\s*@@[^\n]*(?:\n|\Z))+")
"""Decorator lines of character card version 3, which control frontends."""
_AND_ANY, _NOT_ALL, _NOT_ANY, _AND_ALL = range(4)
T = TypeVar("T")
_Steps: TypeAlias = Generator[None, None, T]
"""Work that can pause after each of its steps."""


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """One piece of lore."""

    keys: tuple[Key, ...]
    content: str
    also: tuple[Key, ...] = ()
    logic: int = _AND_ANY
    """How the keys in `also` count: any, not all, none or all of them must occur."""
    order: float = 0
    priority: float = 0
    exact: bool = False
    """Whether the keys are case-sensitive."""
    always: bool = False
    """Whether it is added without a key."""

    @property
    def cost(self) -> int:
        """An estimate of its tokens."""
        return len(self.content.encode("utf-8", "replace")) // 4 + 1


@dataclass(frozen=True, slots=True)
class Lorebook:
    """The entries of a card that are added by their keys."""

    entries: tuple[LoreEntry, ...] = ()
    depth: int = DEFAULT_SCAN_MESSAGES
    budget: int = DEFAULT_BUDGET_TOKENS
    recursive: bool = False


class _Scanned:
    """A text that is searched for keys."""

    def __init__(self, text: str, left: int) -> None:
        self._text = text
        self._search = WordSearch(text, left)

    @property
    def left(self) -> int:
        """The cost that further searches may have."""
        return self._search.left

    def has(self, key: Key, *, exact: bool) -> _Steps[bool]:
        yield
        if isinstance(key, LinearRegex):
            return (yield from self._matches(key))
        return self._search.has(key) and (not exact or key in self._text)

    def _matches(self, expression: LinearRegex) -> _Steps[bool]:
        steps = expression.search(self._text)
        while True:
            try:
                cost = next(steps) * REGEX_STEP_COST
            except StopIteration as done:
                return bool(done.value)
            # An expression that is too expensive is taken as not found.
            if self._search.left < cost:
                return False
            self._search.left -= cost
            yield


@dataclass(frozen=True, slots=True)
class PersonaLore:
    """Parts of a character card beside the persona itself."""

    book: Lorebook = Lorebook()
    author_note: str = ""
    greetings: tuple[str, ...] = ()


class LorebookCache:
    """Caches the lore of the last cards, and searches them.

    A large book takes long to read and to search, and its author may be hostile. A thread would not help: it holds the
    interpreter's lock. So the work is done in slices, one of them at a time in the whole process, in turn for all
    questions.
    """

    def __init__(self) -> None:
        self._read: BoundedCache[int, PersonaLore] = BoundedCache(MAX_LOREBOOKS)
        # Held during a slice; those who wait get it in turn.
        self._slice = asyncio.Lock()

    async def find(self, stored: StoredPersona) -> PersonaLore:
        """Return the lore of a persona; empty if its card is too large."""
        # A persona without a card has only the greeting that was set by command.
        if not stored.card:
            return PersonaLore(greetings=greetings_of({}, stored.greeting))
        # Keyed by content, so that an edited card is parsed again. The hash is keyed and fast: a card may have 2 MB.
        key = hash((stored.card, stored.greeting))
        known = self._read.find(key)
        if known is not None:
            return known
        if len(stored.card) > MAX_CARD_CHARS:
            return self._read.keep(key, PersonaLore(greetings=greetings_of({}, stored.greeting)))
        # The JSON parser cannot be sliced.
        async with self._slice:
            card = await asyncio.to_thread(_parse_stored, stored.card)
        book = await self._work(_read_book(card))
        return self._read.keep(
            key, PersonaLore(book, author_note_of(card), greetings_of(card, stored.greeting))
        )

    async def search(self, book: Lorebook, messages: Sequence[str]) -> tuple[str, ...]:
        """Return the entries that the last messages trigger, as `find_lore` does, without blocking others."""
        return await self._work(_search(book, messages)) if book.entries else ()

    async def _work(self, steps: _Steps[T]) -> T:
        """Run all steps, some at a time."""
        while True:
            async with self._slice:
                end = time.perf_counter() + SLICE_S
                try:
                    while time.perf_counter() < end:
                        next(steps)
                except StopIteration as done:
                    result: T = done.value
                    return result
                # Everything else gets its turn while the lock is held: without this, each of the waiting searches
                # would run a slice in the same turn of the loop.
                await asyncio.sleep(0)


def _parse_stored(card: str) -> dict[str, Any]:
    try:
        return parse_card(card)
    except CardError:
        # The card was valid when it was imported; treat a damaged one as empty.
        return {}


def read_book(card: Mapping[str, Any]) -> Lorebook:
    """Return the lorebook of a card; malformed entries are left out."""
    return _finish(_read_book(card))


def _read_book(card: Mapping[str, Any]) -> _Steps[Lorebook]:
    fields = as_dict(card.get("data")) or dict(card)
    book = as_dict(fields.get("character_book"))
    name = character_name(fields)
    found: list[LoreEntry] = []
    # A hostile book may have millions of keys; the search time grows with their number.
    left, budget = MAX_BOOK_KEYS, RegexBudget()
    for raw in as_list(book.get("entries"))[:MAX_ENTRIES]:
        yield
        if (entry := (yield from _read_entry(raw, name, budget))) is not None:
            left -= len(entry.keys) + len(entry.also)
            if left < 0:
                break
            found.append(entry)
    return Lorebook(
        tuple(found),
        _bounded_int(book.get("scan_depth"), DEFAULT_SCAN_MESSAGES, MAX_SCAN_MESSAGES),
        _bounded_int(book.get("token_budget"), DEFAULT_BUDGET_TOKENS, MAX_BUDGET_TOKENS),
        book.get("recursive_scanning") is True,
    )


def find_lore(book: Lorebook, messages: Sequence[str]) -> tuple[str, ...]:
    """Return the entries that the last messages trigger, in the book's order, within its budget."""
    return _finish(_search(book, messages))


def _search(book: Lorebook, messages: Sequence[str]) -> _Steps[tuple[str, ...]]:
    added: list[LoreEntry] = []
    waiting = list(book.entries)
    # All rounds of one question share these limits.
    left, keys_left = MAX_COST, MAX_SEARCHED_KEYS
    # Depth 0 turns scanning off.
    text = "\n".join(messages[-book.depth :])[-MAX_SCAN_CHARS:] if book.depth else ""
    for _ in range(MAX_RECURSION if book.recursive else 1):
        scanned = _Scanned(text, left)
        triggered, rest = list[LoreEntry](), list[LoreEntry]()
        for entry in waiting:
            keys_left -= len(entry.keys) + len(entry.also)
            if keys_left < 0:
                break
            is_triggered = yield from _is_triggered(entry, scanned)
            (triggered if is_triggered else rest).append(entry)
        if not triggered:
            break
        added += triggered
        waiting, left = rest, scanned.left
        # Recursive scanning: the entries that were just added may contain keys of others.
        text = "\n".join(entry.content for entry in triggered)[:MAX_SCAN_CHARS]
    yield
    return _within(added, book.budget)


def author_note_of(card: Mapping[str, Any]) -> str:
    """Return the text that a card adds right before an answer: its last instructions and its author's note."""
    fields = as_dict(card.get("data")) or dict(card)
    note = as_text(as_dict(as_dict(fields.get("extensions")).get("depth_prompt")), "prompt")
    texts = (as_text(fields, "post_history_instructions").replace("{{original}}", ""), note)
    name = character_name(fields)
    return "\n\n".join(fill_names(text[:MAX_CONTENT_CHARS], name) for text in texts if text.strip())


def greetings_of(card: Mapping[str, Any], greeting: str) -> tuple[str, ...]:
    """Return the possible first messages of a character: the greeting itself, then the card's other ones."""
    fields = as_dict(card.get("data")) or dict(card)
    name = character_name(fields)
    others = [text for text in as_list(fields.get("alternate_greetings")) if isinstance(text, str)]
    filled = (fill_names(text[:MAX_CONTENT_CHARS], name) for text in others[:MAX_GREETINGS])
    return tuple(dict.fromkeys(text for text in (greeting.strip(), *filled) if text))


def _read_entry(raw: object, name: str, budget: RegexBudget) -> _Steps[LoreEntry | None]:
    entry = as_dict(raw)
    # Constant entries are part of the persona's prompt.
    if entry.get("enabled") is False or is_constant(entry):
        return None
    keys = yield from _read_keys(entry, "keys", budget)
    content = _DECORATORS.sub("", as_text(entry, "content")[:MAX_CONTENT_CHARS])
    always = is_always_on(entry)
    if not (keys or always) or not content.strip():
        return None
    also = (yield from _read_keys(entry, "secondary_keys", budget)) if entry.get("selective") is True else ()
    # SillyTavern stores fields beyond the card specification in `extensions`.
    more = as_dict(entry.get("extensions"))
    return LoreEntry(
        keys,
        fill_names(content, name),
        also,
        _bounded_int(more.get("selectiveLogic"), _AND_ANY, _AND_ALL),
        _number(entry.get("insertion_order")),
        _number(entry.get("priority")),
        entry.get("case_sensitive") is True,
        always,
    )


def _read_keys(entry: Mapping[str, Any], name: str, budget: RegexBudget) -> _Steps[tuple[Key, ...]]:
    """Read the keys one by one: an expression can take milliseconds."""
    keys: list[Key] = []
    for key in iter_keys(entry, name, budget):
        yield
        if key:
            keys.append(key)
    return tuple(keys)


def _is_triggered(entry: LoreEntry, scanned: _Scanned) -> _Steps[bool]:
    if entry.always:
        return True
    if not (yield from _has_one(entry.keys, entry, scanned, wanted=True)):
        return False
    if not entry.also:
        return True
    # "Any" and "not any" ask whether one key occurs; "all" and "not all" whether one is missing.
    if entry.logic in {_AND_ANY, _NOT_ANY}:
        return (yield from _has_one(entry.also, entry, scanned, wanted=True)) is (entry.logic == _AND_ANY)
    return (yield from _has_one(entry.also, entry, scanned, wanted=False)) is (entry.logic == _NOT_ALL)


def _has_one(keys: Iterable[Key], entry: LoreEntry, scanned: _Scanned, *, wanted: bool) -> _Steps[bool]:
    """Return whether one of the keys occurs, or is missing if that is `wanted`."""
    for key in keys:
        if (yield from scanned.has(key, exact=entry.exact)) is wanted:
            return True
    return False


def _finish(steps: _Steps[T]) -> T:
    """Run all steps at once."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result


def _within(added: Iterable[LoreEntry], budget: int) -> tuple[str, ...]:
    """Choose entries by priority until the budget is used up, and return them in the book's order."""
    kept: list[LoreEntry] = []
    # An entry that does not fit is skipped, so that a smaller one may still fit.
    for entry in sorted(added, key=lambda entry: -entry.priority):
        if entry.cost <= budget:
            kept.append(entry)
            budget -= entry.cost
    return tuple(dict.fromkeys(entry.content for entry in sorted(kept, key=lambda entry: entry.order)))


def _bounded_int(value: object, default: int, maximum: int) -> int:
    # JSON `true` is an `int` in Python.
    if not isinstance(value, int) or isinstance(value, bool):
        return default
    return min(max(value, 0), maximum)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e9 else 0.0

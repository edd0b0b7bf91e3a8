from __future__ import annotations

import time
from typing import Any

import pytest

from streamcord_bot.prompt.lorebook import MAX_BOOK_KEYS, author_note_of, find_lore, greetings_of, read_book


def card(*entries: dict[str, Any], **book: Any) -> dict[str, Any]:
    return {"data": {"name": "Luna", "character_book": {"entries": list(entries), **book}}}


def entry(*keys: str, content: str = "", **more: Any) -> dict[str, Any]:
    return {"keys": list(keys), "content": content or f"lore of {keys[0]}", "enabled": True, **more}


def told(raw: dict[str, Any], *messages: str) -> tuple[str, ...]:
    return find_lore(read_book(raw), messages)


@pytest.mark.parametrize(
    ("message", "called"),
    [
        ("Where is the Tower?", True),
        ("towers are high", False),
        ("The TOWER!", True),
        ("nothing", False),
        ("the old mill is gone", True),
        ("ein Turmfalke", False),
        ("在月亮塔里", True),
    ],
)
def test_entry_is_added_when_its_key_occurs(message: str, *, called: bool) -> None:
    book = card(entry("tower", "old mill", "月亮", content="{{char}} lives there."))

    assert told(book, message) == (("Luna lives there.",) if called else ())


def test_only_the_last_messages_are_searched() -> None:
    book = card(entry("tower"), scan_depth=2)

    assert told(book, "tower", "one", "two") == ()
    assert told(book, "one", "tower", "two") == ("lore of tower",)
    assert told(card(entry("tower"), scan_depth=0), "tower") == ()


@pytest.mark.parametrize(
    ("logic", "message", "called"),
    [
        (0, "tower", False),
        (0, "tower and moon", True),
        (1, "tower moon", True),
        (1, "tower moon sun", False),
        (2, "tower", True),
        (2, "tower sun", False),
        (3, "tower moon", False),
        (3, "tower moon sun", True),
    ],
)
def test_a_selective_entry_also_asks_for_its_other_keys(logic: int, message: str, *, called: bool) -> None:
    extensions = {"selectiveLogic": logic}
    book = card(entry("tower", selective=True, secondary_keys=["moon", "sun"], extensions=extensions))

    assert bool(told(book, message)) is called


def test_order_budget_and_priority() -> None:
    long = "x" * 400
    book = card(
        entry("a", content="second", insertion_order=20, priority=1),
        entry("a", content="first", insertion_order=10, priority=1),
        entry("a", content=long, insertion_order=5, priority=0),
        token_budget=50,
    )

    assert told(book, "a") == ("first", "second")
    assert told(card(entry("a", content=long), token_budget=200), "a") == (long,)


def test_capitals_count_where_the_card_says_so() -> None:
    book = card(entry("May", case_sensitive=True))

    assert told(book, "It may rain") == ()
    assert told(book, "In May it rains") == ("lore of May",)


def test_lore_brings_up_lore_only_if_the_book_wants_it_and_never_without_end() -> None:
    entries = [entry("a", content="see b"), entry("b", content="see c and a"), entry("c", content="see b")]

    assert told(card(*entries), "a") == ("see b",)
    assert told(card(*entries, recursive_scanning=True), "a") == ("see b", "see c and a")
    itself = card(entry("echo", content="echo echo"), recursive_scanning=True)
    assert told(itself, "echo") == ("echo echo",)


def test_constant_and_disabled_entries_and_expressions_that_cannot_be_used_are_ignored() -> None:
    book = card(
        entry("a", constant=True), entry("a", content="off", enabled=False), entry("(?=a)", use_regex=True)
    )

    assert told(book, "a") == ()


@pytest.mark.parametrize(
    ("more", "key", "message", "called"),
    [
        ({}, "/hone?y (cake|tea)/i", "HONY TEA?", True),
        ({}, "/hone?y (cake|tea)/", "HONY TEA?", False),
        ({}, "hone?y", "hony", False),
        ({"use_regex": True}, "hone?y", "some Hony", True),
        ({"use_regex": True, "case_sensitive": True}, "hone?y", "some Hony", False),
        ({"selective": True, "secondary_keys": ["/^dra/m"]}, "moon", "moon\ndragon", True),
        ({"selective": True, "secondary_keys": ["/^dra/m"]}, "moon", "moon, hydra", False),
    ],
)
def test_keys_may_be_regular_expressions(
    more: dict[str, Any], key: str, message: str, *, called: bool
) -> None:
    assert bool(told(card(entry(key, **more)), message)) is called


def test_exploding_expressions_cost_little_and_stop_no_other_entry() -> None:
    exploding = [entry(f"/(a+)+{number}$/", content="never") for number in range(50)]
    book = read_book(card(entry("dragon"), *exploding))
    began = time.process_time()

    assert find_lore(book, ["dragon " + "a" * 20_000]) == ()
    assert find_lore(book, ["a" * 19_000 + " dragon"]) == ("lore of dragon",)
    assert time.process_time() - began < 5.0


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"data": 3},
        {"character_book": []},
        {"data": {"character_book": {"entries": "x"}}},
        card({"keys": "a", "content": 3}),
        card({"keys": [1, None, " "], "content": "x"}, {"keys": ["a"]}, 7),  # type: ignore[arg-type]
        card(entry("b", insertion_order=float("1e300"), priority="high"), scan_depth="no", token_budget=-4),
    ],
)
def test_malformed_book_is_empty(raw: dict[str, Any]) -> None:
    assert told(raw, "a") == ()


def test_ten_thousand_entries_take_little_time() -> None:
    many = card(*(entry(f"word{number}", f"two words {number}", "片") for number in range(12_000)))
    began = time.process_time()
    book = read_book(many)
    found = find_lore(book, ["lorem ipsum dolor " * 400 + "word77"])

    assert found == ("lore of word77",)
    assert len(book.entries) == 10_000
    assert time.process_time() - began < 1.5


def test_the_note_is_what_the_card_says_last() -> None:
    fields = {
        "name": "Luna",
        "post_history_instructions": "{{original}}Stay {{char}}.",
        "extensions": {"depth_prompt": {"prompt": "Be shy.", "depth": 4}},
    }

    assert author_note_of({"data": fields}) == "Stay Luna.\n\nBe shy."
    assert author_note_of({"data": {"name": "Luna"}}) == ""


def test_greetings_are_the_first_and_the_others() -> None:
    fields = {"name": "Luna", "alternate_greetings": ["I am {{char}}. And {{user}}?", "", 3, "Hi."]}

    assert greetings_of({"data": fields}, "Hi.") == ("Hi.", "I am Luna. And {{user}}?")
    assert greetings_of({}, " ") == ()


def test_a_hostile_book_takes_little_time() -> None:
    """Keys that stand everywhere in the middle of a word once took minutes."""
    entries = [{"keys": ["aa", *("a" * 40,) * 49], "content": "aab" * 10}] * 2000
    book = read_book({"character_book": {"entries": entries, "recursive_scanning": True, "scan_depth": 50}})
    began = time.thread_time()

    assert find_lore(book, ["a" * 20_000]) == ()
    assert sum(len(entry.keys) for entry in book.entries) == MAX_BOOK_KEYS
    assert time.thread_time() - began < 0.5

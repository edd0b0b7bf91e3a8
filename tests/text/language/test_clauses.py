"""Commas after which a clause begins, and commas that mean something."""

from __future__ import annotations

import pytest

from streamcord._text.language.clauses import begins_clause, follows_phrase


def clauses(text: str) -> list[str]:
    """What begins after each comma that begins a clause."""
    commas = [at for at, sign in enumerate(text) if sign == ","]
    return [text[at + 2 :].split(",", maxsplit=1)[0] for at in commas if begins_clause(text, at, at + 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I came, but he left", ["but he left"]),
        ("I came, and he left", ["and he left"]),
        ("he smiled, and then he left", ["and then he left"]),
        ("I stay, because it rains, so go", ["because it rains", "so go"]),
        ("the man, who waits here", ["who waits here"]),
        ("if you want, you can go", ["you can go"]),
        ("well, I'm here", ["I'm here"]),
        ("well, it’s fine", ["it’s fine"]),
        ("red, green, and I say blue", ["and I say blue"]),
        ("the bus came late and full, and nobody of us saw it", ["and nobody of us saw it"]),
        ("но да, но нет", ["но нет"]),
        ("ja, aber nein", ["aber nein"]),
        ("good, but **not** that", ["but **not** that"]),
    ],
)
def test_a_clause_begins(text: str, expected: list[str]) -> None:
    assert clauses(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "red, green, and blue", "red, green and blue", "you, me, and the dog", "thank you, Tom", "Hi, Tom and Ann",
        "in Paris, France", "I, you, and he", "thanks, you too", "thanks, you", "on May 5, 2024", "yes, and",
        "yes, but", "yes, but.", "wait,", "who, what, when", "one,\ntwo", "apples, (pears) and plums",
        "we had tea; red, green, and blue",
    ],
)  # fmt: skip
def test_no_clause_begins(text: str) -> None:
    assert clauses(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("first, we go", True),
        ("so it is. first, we go", True),
        ("if you want to see it, we go", False),
        ("first, but we go", False),
        ("the man, who waits", True),
    ],
)
def test_short_phrase_before_a_pronoun_is_no_message(text: str, expected: bool) -> None:
    comma = text.index(",")
    assert follows_phrase(text, max(0, text.find(". ") + 1), comma, comma + 1) is expected

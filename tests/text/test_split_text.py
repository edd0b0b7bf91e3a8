"""`split`: any text, any limit, nothing lost and no code block broken."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import document
from streamcord import split

ANSWERS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "answers.jsonl"
LIMITS = (280, 2000, 4096)
FENCE = re.compile(r"^[ \t>]*(`{3,})", re.MULTILINE)


def is_kept(text: str, parts: list[str]) -> bool:
    """Whether every character but white space is in the parts, in its order."""
    shown = iter("".join("".join(parts).split()))
    return all(character in shown for character in "".join(text.split()))


@pytest.mark.parametrize("limit", LIMITS)
def test_long_answers_of_the_corpus_are_split_without_loss(limit: int) -> None:
    if not ANSWERS.exists():
        pytest.skip("needs the corpus of answers")
    texts = sorted((json.loads(line)["text"] for line in ANSWERS.read_text().splitlines()), key=len)[-300:]
    for text in texts:
        parts = split(text, limit)
        assert max(map(len, parts)) <= limit
        assert is_kept(text, parts)
        assert [part for part in parts if len(FENCE.findall(part)) % 2] == []


@given(st.integers(0, 100_000), st.integers(40, 5000))
def test_nothing_is_lost_and_no_part_is_too_long(seed: int, limit: int) -> None:
    text = document(seed)

    parts = split(text, limit)

    assert all(0 < len(part) <= limit for part in parts)
    assert is_kept(text, parts)


@pytest.mark.parametrize("limit", [1, 2, 7, 31])
def test_tiny_limits_lose_nothing(limit: int) -> None:
    text = "Hello **there**, my friend.\n\n- one\n- two\n"

    parts = split(text, limit)

    assert max(map(len, parts)) <= limit
    assert is_kept(text, parts)


def test_default_is_the_limit_of_discord() -> None:
    assert [len(part) for part in split("word " * 1000)] == [1999, 1999, 999]


def test_code_is_closed_and_opened_again() -> None:
    text = "```py\n" + "x = 1\n" * 40 + "```"

    first, *_, last = split(text, 100)

    assert first.startswith("```py\n")
    assert first.endswith("```")
    assert last.startswith("```py\n")
    assert last.endswith("```")


def test_text_with_think_tags_is_not_changed() -> None:
    text = "<think>kept</think> and <details>kept, too</details>"

    assert split(text) == [text]


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_blank_text_has_no_parts(text: str) -> None:
    assert split(text) == []


WRONG: list[tuple[Any, Any, type[Exception], str]] = [
    (b"Hi", 2000, TypeError, "needs a str, not bytes"),
    ("Hi", "280", TypeError, "limit must be an int, not str"),
    ("Hi", 0, ValueError, "at least 1, not 0"),
]


@pytest.mark.parametrize(("text", "limit", "kind", "says"), WRONG)
def test_what_cannot_be_split_is_refused(text: Any, limit: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        split(text, limit)

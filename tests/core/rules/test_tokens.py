"""Words for the machine go, words about it stay."""

from __future__ import annotations

import pytest

from streamcord._core.passage import Edit, Passage
from streamcord._core.reading import Reading
from streamcord._core.rules.tokens import drop_system_notes, drop_turn_tokens
from streamcord._settings import Settings


def change(text: str, edits: list[Edit]) -> str:
    return Passage.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[system: x] hi", "hi"),
        ("hi [System: x]", "hi"),
        ("a\n[SYSTEM: x]\nb", "a\n\nb"),
        ("The [system: x] file", "The [system: x] file"),
        ("[system: x", "[system: x"),
        ("[system: x](https://a.b)", "[system: x](https://a.b)"),
        ("`[system: x]`", "`[system: x]`"),
        ("[systems: x]", "[systems: x]"),
    ],
)
def test_notes_beside_a_line_go(text: str, expected: str) -> None:
    assert change(text, drop_system_notes(Reading(text, Settings()))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hi<|im_end|>", "hi"),
        ("hi <|EOT_ID|> <|endoftext|>", "hi"),
        ("a <end_of_turn> b", "a b"),
        ("x<｜end▁of▁sentence｜>", "x"),
        ("`<|im_end|>`", "`<|im_end|>`"),
        ("a <|pipe|> b || c", "a <|pipe|> b || c"),
    ],
)
def test_tokens_go(text: str, expected: str) -> None:
    assert change(text, drop_turn_tokens(Reading(text, Settings()))) == expected

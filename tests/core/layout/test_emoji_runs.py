"""Custom emoji: which stand alone, which keep together, which belong to their sentence."""

from __future__ import annotations

from itertools import pairwise

import pytest

from streamcord._core.layout.emoji_runs import emoji_cuts, is_emoji_run
from streamcord._core.markup.places import Whole

HI, CRY = "<:hi:1>", "<a:cry:3>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HI, True),
        (CRY, True),
        (f" {HI} {CRY}\n", True),
        (f"{HI}{HI}", True),
        (f"{HI}.", False),
        (f"oh {HI}", False),
        (":hi:", False),
        ("<@1>", False),
        ("", False),
    ],
)
def test_a_run_is_emoji_and_nothing_else(text: str, expected: bool) -> None:
    assert is_emoji_run(text) is expected


# A bar is where a new message begins.
TEXTS = [
    HI,
    f"Hello! ¦{HI}",
    f"Hello ¦{HI}",
    f"{HI} ¦Hello",
    f"Hello! ¦{HI} ¦Bye",
    f"Hello.¦{HI}",
    f"Good {HI} day",
    f"Good {HI} day! ¦{CRY}",
    f"Hello\n¦{HI}\n¦Bye",
    f"- one {HI}\n- two",
    f"1. {HI}",
    f"# {HI} Title",
    f"-# {HI}",
    f"> {HI} said",
    f"{HI}  ",
    "no emoji",
    f"Hm… ¦{HI} ¦so",
    f"好。¦{HI}¦次",
]


@pytest.mark.parametrize("marked", TEXTS)
def test_an_emoji_stands_alone_unless_it_belongs_to_a_sentence_or_a_list(marked: str) -> None:
    text = marked.replace("¦", "")
    cuts = [0, *emoji_cuts(text, 3, Whole([])), len(text)]
    assert "¦".join(text[a:b] for a, b in pairwise(cuts)) == marked


FAMILIES = [
    ("<:cat1:1> <:cat2:2>", 3),
    ("<:cat:1>¦<:dog:2>", 3),
    ("<:Cat_a:1> <:c_at_b:2>", 3),
    ("<:cat:1> ¦<:car:2>", 3),
    ("<:cat:1> <:car:2>", 2),
    ("<:cat:1><:cats:2> ¦<:dog:3> <:dogs:4> ¦<:cat:5>", 3),
    ("Oh! ¦<:cat:1> <:cat:2>", 3),
]


@pytest.mark.parametrize(("marked", "prefix"), FAMILIES)
def test_kindred_emoji_stay_together(marked: str, prefix: int) -> None:
    text = marked.replace("¦", "")
    cuts = [0, *emoji_cuts(text, prefix, Whole([])), len(text)]
    assert "¦".join(text[a:b] for a, b in pairwise(cuts)) == marked


def test_an_emoji_inside_of_what_must_stay_whole_stays_there() -> None:
    text = f"||{HI}|| {CRY}"
    assert emoji_cuts(text, 3, Whole([(0, 11)])) == [12]


@pytest.mark.parametrize("text", [f"Oh! {HI}\u0301 yes", f"Oh! \u200d{HI}\u200d yes"])
def test_an_emoji_is_not_torn_from_a_mark_that_joins_it(text: str) -> None:
    assert emoji_cuts(text, 3, Whole([])) == []

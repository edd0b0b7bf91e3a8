"""Marks that Discord would end inside of a spoiler."""

from __future__ import annotations

import pytest

from spoiler_invariant import readable
from streamcord._settings import Settings
from streamcord._text.markdown.scanner import scan
from streamcord._text.spoilers.leaks import find_leaks, find_unclosed


def leaks_found(text: str) -> list[str]:
    """Each mark with what it stands before, and the spoiler it ends in."""
    spoilers = sorted((one.start, one.end) for one in scan(text, Settings()) if one.mark == "||")
    found = find_leaks(text, spoilers)
    return [f"{mark} {text[at : at + 4]} {text[slice(*spoilers[spoiler])]}" for mark, at, spoiler in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("So **it\n\n||a **b** c||", ["* **it ||a **b** c||"]),
        ("So *it\n\n||a*b||", ["* *it\n ||a*b||"]),
        ("So __it\n\n||a __b__ c||", ["_ __it ||a __b__ c||"]),
        ("So _it\n\n||a_ b||", ["_ _it\n ||a_ b||"]),
        ("So ~~it\n\n||a ~~b~~ c||", ["~ ~~it ||a ~~b~~ c||"]),
        ("So `it\n\n||a `b` c||", ["` `it\n ||a `b` c||"]),
        ("So `it\n\n||a||\n\nb`", ["` `it\n ||a||"]),
        ("So ```it is\n\n||a||\n\nb```", ["` ```i ||a||"]),
        ("https://a.b/||c||", ["url http ||c||"]),
        ("|||||||a\n||b||", ["| ||a\n ||b||"]),
        ("So **it\n\n- ||a **b** c||", ["* **it ||a **b** c||"]),
        ("So **it\n\n> ||a **b** c||", ["* **it ||a **b** c||"]),
        ("- **it\n- ||a **b** c||", ["* **it ||a **b** c||"]),
        ("- **it\n- so\n**c ||a **b||", ["* **c  ||a **b||"]),
        ("> **it\n> so ||a **b** c||", ["* **it ||a **b** c||"]),
        (">>> **it\n\nso ||a **b** c||", ["* **it ||a **b** c||"]),
        ("__x **it ||a **b** c|| y__", ["* **it ||a **b** c||"]),
        ("[x **it ||a **b** c||](https://a.b)", ["* **it ||a **b** c||"]),
        ("So **it\n\n||a **b|| c ||d **e||", ["* **it ||a **b||", "* **it ||d **e||"]),
        ("So **it and `it\n\n||a **b `c`||", ["* **it ||a **b `c`||", "` `it\n ||a **b `c`||"]),
    ],
)
def test_a_mark_that_is_left_open_ends_in_a_spoiler(text: str, found: list[str]) -> None:
    assert leaks_found(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "no spoiler **here\n\nor **there",
        "plain ||a||",
        "So it\n\n||a **b** c||",
        "So **it**\n\n||a **b** c||",
        "2*3*4 ||**a** b||",
        "**a\n\nb** c ||d **e** f||",
        "**a ||b|| c** ||d **e**||",
        "So \\*\\*it\n\n||a **b** c||",
        "So **it\n\n||a \\*\\*b\\*\\* c||",
        "a\\b **c** ||d **e**||",
        "# **it\n||a **b** c||",
        "-# **it\n||a **b** c||",
        "> **it\n\n||a **b** c||",
        "`**` ||a **b** c||",
        "```\n**\n``` ||a **b** c||",
        "a ` b ||c|| d",
        "a ` b `` c ` ||d **e**||",
        "[x **y](https://a.b) ||a **b** c||",
        "[x ||a **b** c||",
        "https://a.b/**c ||a **b** c||",
        "https:// ||a||",
        "a | b ||c *d* e||",
        "|||||a b|||||",
        "||| ||",
    ],
)
def test_what_ends_elsewhere_shows_nothing(text: str) -> None:
    assert leaks_found(text) == []


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("so **it** is", ""),
        ("so **it and *it and **", ""),
        ("so **it and `it and __it", "**x\n`x\n__x\n"),
        ("so ``it and `it", "``x\n`x\n"),
        ("so ***it", "***x\n"),
        ("so || it", "||x\n"),
        ("so ~it and ~~it", "~x\n~~x\n"),
        ("# so **it\n", ""),
        ("# so **it", "**x\n"),
        ("- so **it\n- so\n", "**x\n"),
        ("**so _it** is", ""),
    ],
)
def test_marks_without_a_mate_may_find_one_later(text: str, marks: str) -> None:
    assert find_unclosed(text, ()) == marks


def test_emphasis_in_emphasis_is_not_deep() -> None:
    marks = ["*", "**", "_", "__", "~~"] * 2000
    text = f"{'x '.join(marks)}it ||a **b** c|| {' x'.join(reversed(marks))}"

    assert find_leaks(text, [(text.index("||"), text.rindex("||") + 2)]) == []


def test_the_examples_are_those_that_can_be_read() -> None:
    assert "a" in readable("So **it\n\n||a **b** c||")
    assert "a" not in readable("So **it**\n\n||a **b** c||")

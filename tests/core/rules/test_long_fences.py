"""Fences of four and more backticks become fences of three that nothing inside can close."""

from __future__ import annotations

import pytest

from streamcord._core.passage import Passage
from streamcord._core.rules.long_fences import shorten_fences

Z = "\u200b"
KEPT_APART = f"`{Z}`{Z}`"


def shorten(text: str, *, opens: bool = True, closes: bool = True) -> str:
    edits = shorten_fences(text, opens=opens, closes=closes)
    return Passage.from_spans(text, ((0, len(text)),)).replace("fence", edits).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("````md\nx\n````", "```md\nx\n```"),
        ("`````\nx\n`````\n", "```\nx\n```\n"),
        ("````md\n```js\nx\n```\n````", f"```md\n{KEPT_APART}js\nx\n{KEPT_APART}\n```"),
        ("````\nx ```` y\n  ````", f"```\nx {KEPT_APART}{Z}` y\n  ```"),
        ("````\n`a` ``b``\n````", "```\n`a` ``b``\n```"),
        ("```py\nx = '```'\n```", f"```py\nx = '{KEPT_APART}'\n```"),
        ("```py\nx = 1```", "```py\nx = 1```"),
        ("~~~js\n```\nx\n~~~\n", f"```js\n{KEPT_APART}\nx\n```\n"),
        ("  ~~~~\nx ~~~\n~~~~~", "  ```\nx ~~~\n```"),
        ("```\nx\n`````\n", "```\nx\n```\n"),
    ],
)
def test_the_outer_fence_is_shortened_and_the_inner_is_kept_apart(text: str, expected: str) -> None:
    assert shorten(text) == expected


def test_a_part_that_does_not_close_the_block_has_no_closing_fence() -> None:
    assert shorten("````md\nx\n````", closes=False) == f"```md\nx\n{KEPT_APART}{Z}`"


def test_a_part_that_does_not_open_the_block_has_no_opening_fence() -> None:
    assert shorten("```js\nx\n````", opens=False) == f"{KEPT_APART}js\nx\n```"


def test_a_part_without_backticks_stays_as_it_is() -> None:
    assert shorten_fences("x\ny", opens=False, closes=False) == []

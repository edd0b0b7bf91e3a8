"""A segment renders alone."""

from __future__ import annotations

import pytest

from streamcord._core.dressing import dress, shorten_fences
from streamcord._core.passage import Passage
from streamcord._events import Boundary, Replaced, Segment


def test_a_segment_is_opened_closed_and_repaired() -> None:
    segment = Segment("a\ufffdb", Boundary.OVERFLOW, ((0, 3),), "> ", "**")
    repair = Replaced("surrogate", "\ud800", "\ufffd", ((1, 2),))
    passage = dress(segment, [repair])
    assert passage.text == "> a\ufffdb**"
    assert passage.edits == (repair,)
    assert [added.why for added in passage.additions] == ["reopened", "closed"]
    late = Replaced("carriage return", "\r", "", ((3, 4),))
    assert dress(Segment("abc", Boundary.NEWLINE, ((0, 3),)), [late]).edits == (late,)


def test_a_table_that_goes_on_has_its_header_again() -> None:
    segment = Segment("| b |", Boundary.FINAL, ((20, 25),), head="| a |\n|---|\n")
    passage = dress(segment, [])
    assert passage.text == "| a |\n|---|\n| b |"
    assert [added.why for added in passage.additions] == ["header"]
    assert passage.spans == ((20, 25),)
    assert dress(segment, [], tables=False).text == "| b |"


def test_four_backticks_become_three() -> None:
    segment = Segment("````\nx\n````", Boundary.CODE_CLOSE, ((0, 11),), ticks=4)
    assert dress(segment, []).text == "```\nx\n```"
    part = Segment("y", Boundary.OVERFLOW, ((0, 1),), "````\n", "\n```", ticks=4)
    assert dress(part, []).text == "````\ny\n```"


def test_backticks_in_code_are_kept_apart() -> None:
    apart = "`\u200b`\u200b`"
    text = "```js\nx = '```'\n```\n"
    segment = Segment(text, Boundary.CODE_CLOSE, ((0, len(text)),), ticks=3)
    assert dress(segment, []).text == f"```js\nx = '{apart}'\n```\n"
    assert [edit.rule for edit in dress(segment, []).edits] == ["fence"]


def test_blocks_inside_of_a_slice_are_made_harmless_too() -> None:
    apart = "`\u200b`\u200b`"
    text = "- ```md\n  ```sh\n  a\n  ```\n  ``` b ~~~c\n~~~"
    blocks = ((2, text.index(" b")), (text.index("~~~c"), len(text)))
    segment = Segment(text, Boundary.NEWLINE, ((0, len(text)),), blocks=blocks)
    assert dress(segment, []).text == f"- ```md\n  {apart}sh\n  a\n  {apart}\n  ``` b ```c\n```"
    open_one = Segment("- ```\n```", Boundary.FINAL, ((0, 9),), suffix="\n```", blocks=((2, 9),))
    assert dress(open_one, []).text == f"- ```\n{apart}\n```"


def test_the_header_of_a_table_moves_no_edit() -> None:
    segment = Segment("| ~~~a~~~ |", Boundary.FINAL, ((9, 20),), head="| b |\n", blocks=((2, 9),))
    assert dress(segment, []).text == "| b |\n| ```a``` |"


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

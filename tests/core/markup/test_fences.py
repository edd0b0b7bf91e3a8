"""Code blocks: where they close, how they are reopened, and what code the end of a text stands in."""

from __future__ import annotations

import pytest

from streamcord._core.markup.fences import FENCED, INDENT, Fence, find_fence_end, open_code, opening_line
from streamcord._core.markup.inline import TEXT, WAIT
from streamcord._core.markup.line_kinds import LONGEST_RUN

# A bar is where the block ends.
BLOCKS = [
    "```py\nx\n```¦ y",
    "```x```¦",
    "```\nx ```¦` y",
    "```\n~~~\n",
    "```\n``\n",
    "````md\n```js\nx\n```\n````¦\ny",
    "````\nx ```` y\n  ````¦ z",
    "````\nx\n`````¦ y",
    "`````\nx\n````\ny\n`````¦",
    "````\nx\n```\n",
    "````\n" + " " * INDENT + "````¦",
    "````\n" + " " * INDENT + " ````",
    "`" * LONGEST_RUN + "\nx\n" + "`" * LONGEST_RUN + "¦\n",
]


def end_of(text: str, at: int | None = None, *, final: bool = True) -> tuple[int, int]:
    ticks = len(text) - len(text.lstrip("`"))
    return find_fence_end(text, Fence(0, ticks), ticks if at is None else at, final=final)


@pytest.mark.parametrize("marked", BLOCKS)
def test_a_block_ends_at_its_bar(marked: str) -> None:
    text = marked.replace("¦", "")
    assert end_of(text)[0] == (marked.index("¦") if "¦" in marked else TEXT)


@pytest.mark.parametrize("marked", BLOCKS)
def test_a_block_ends_there_however_the_text_arrives(marked: str) -> None:
    text = marked.replace("¦", "")
    ticks = len(text) - len(text.lstrip("`"))
    at, end = ticks, TEXT
    for size in range(ticks, len(text) + 1):
        end, at = end_of(text[:ticks] + text[ticks:size], at, final=size == len(text))
        if end > 0:
            break
    assert end == (marked.index("¦") if "¦" in marked else TEXT)


def test_a_long_run_that_may_still_grow_is_waited_for() -> None:
    assert end_of("````\nx\n````", final=False) == (WAIT, 6)
    assert end_of("````\nx\n````", final=True) == (11, 6)


def test_the_search_goes_on_close_to_the_end_of_what_was_seen() -> None:
    assert end_of("```\n" + "x" * 1000, final=False)[1] >= 1000
    assert end_of("````\n" + "x" * 1000, final=False)[1] >= 1000 - INDENT - LONGEST_RUN


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("```python\nx", "```python\n"),
        ("```js title=a.js\nx", "```js\n"),
        ("``` c++ \nx", "```c++\n"),
        ("```objective-c\nx", "```objective-c\n"),
        ("```\nx", "```\n"),
        ("```{.py}\nx", "```\n"),
        ("```" + "a" * 33 + "\nx", "```\n"),
        ("```python", "```\n"),
        ("````md\nx", "```md\n"),
    ],
)
def test_a_block_is_reopened_with_its_language_alone(text: str, line: str) -> None:
    ticks = len(text) - len(text.lstrip("`"))
    assert opening_line(text, 0, ticks) == line
    assert opening_line("1. " + text, 3, ticks) == line


# A bar is where the code opened that the end of the text stands in, and its run of backticks (or FENCED).
OPEN = {
    "plain": 0,
    "a ¦`b": 1,
    "a `b` c": 0,
    "a `b` ¦`c": 1,
    "¦``a ` b": 2,
    "a ¦```b": 3,
    "a `b\nc": 0,
    "a `b\n¦`c": 1,
    r"\`a": 0,
    r"\\¦`a": 1,
    "¦```": FENCED,
    "x\n¦```py": FENCED,
    "x\n  ¦````": FENCED,
    "x\n - ¦```": 3,
    "`" * (LONGEST_RUN + 1): 0,
    "¦`" + "`" * (LONGEST_RUN - 1): FENCED,
}


@pytest.mark.parametrize(("marked", "run"), OPEN.items())
def test_the_end_of_a_text_may_stand_in_code(marked: str, run: int) -> None:
    assert open_code(marked.replace("¦", ""), 0, line_start=True) == (marked.find("¦"), run)


def test_backticks_in_mid_line_open_no_block() -> None:
    assert open_code("```", 0, line_start=False) == (0, 3)
    assert open_code("x\n```", 0, line_start=False) == (2, FENCED)
    assert open_code("` ` `", 3, line_start=False) == (4, 1)

"""The lines that reopen a code block after a cut."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.code_fence_reopening import closing_line, reopening_line, reopening_markers


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
        ("``` a b```\n", "```\n"),
    ],
)
def test_a_block_is_reopened_with_its_language_alone(text: str, line: str) -> None:
    ticks = len(text) - len(text.lstrip("`"))
    assert reopening_line(text, 0, ticks) == line
    assert reopening_line("1. " + text, 3, ticks) == line


def test_closing_backticks_are_on_a_line_of_their_own() -> None:
    assert closing_line("```\nx\n", 6) == "```"
    assert closing_line("```\nx", 5) == "\n```"


@pytest.mark.parametrize(
    ("text", "start", "limit", "markers"),
    [
        ("```py\nx\n```", 0, 2000, ("```py\n", "\n```")),
        ("> ```py\n> x", 2, 2000, ("> ```py\n", "\n> ```")),
        # Everything below belongs to such a quote.
        (">>> ```py\nx", 4, 2000, ("```py\n", "\n```")),
        # There is no space for the language.
        ("```javascript\nx", 0, 27, ("```\n", "\n```")),
        ("```javascript\nx", 0, 28, ("```javascript\n", "\n```")),
    ],
)
def test_each_part_of_a_block_has_its_markers(
    text: str, start: int, limit: int, markers: tuple[str, str]
) -> None:
    assert reopening_markers(text, start, limit) == markers

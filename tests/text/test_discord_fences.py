"""Code blocks and backticks as Discord reads them: fences, languages, empty blocks, inline code, text."""

from __future__ import annotations

import pytest

from streamcord import Message, Pipeline, Settings
from streamcord._events import Boundary, Segment
from streamcord._text.discord_fences import find_block_edits, find_fence_edits
from streamcord._text.traced_text import TracedText

Z = "\u200b"
KEPT_APART = f"`{Z}`{Z}`"


def shorten(text: str, *, opens: bool = True, closes: bool = True) -> str:
    edits = find_block_edits(text, opens=opens, closes=closes)
    return TracedText.from_spans(text, ((0, len(text)),)).replace("fence", edits).text


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
        ("  ~~~~\nx ~~~\n~~~~~", "```\nx ~~~\n```"),
        ("```\nx\n`````\n", "```\nx\n```\n"),
        ("``` python\nx\n```", "```python\nx\n```"),
        ("```js {1,3}\nx\n```", "```js\nx\n```"),
        ('```js title="a b" x=1 \nx\n```', "```js\nx\n```"),
        ("```  \nx\n```", "```\nx\n```"),
        ("```a {color: red}\nx\n```", "```a {color: red}\nx\n```"),
        ("```def f(n):\n    x\n```", "```def f(n):\n    x\n```"),
        ("```bash\n \n```\n", "\n"),
        ("```\n```", ""),
        ("   ```js\nx\n```", "```js\nx\n```"),
        ("   ```js\n   x\n   ```", "   ```js\n   x\n   ```"),
    ],
)
def test_the_outer_fence_is_shortened_and_the_inner_is_kept_apart(text: str, expected: str) -> None:
    assert shorten(text) == expected


def test_a_part_that_does_not_close_the_block_has_no_closing_fence() -> None:
    assert shorten("````md\nx\n````", closes=False) == f"```md\nx\n{KEPT_APART}{Z}`"


def test_a_part_that_does_not_open_the_block_has_no_opening_fence() -> None:
    assert shorten("```js\nx\n````", opens=False) == f"{KEPT_APART}js\nx\n```"


def test_a_part_without_backticks_stays_as_it_is() -> None:
    assert find_block_edits("x\ny", opens=False, closes=False) == []


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("a ``` b", (), f"a \\`{Z}\\`{Z}\\` b"),
        ("a \\``` b", (), f"a \\`{Z}\\`{Z}\\` b"),
        ("a \\\\``` b", (), f"a \\\\\\`{Z}\\`{Z}\\` b"),
        ("a ```b``` c", (("`", 2, 9),), "a `b` c"),
        ("a ``` b c ``` d", (("`", 2, 13),), "a `b c` d"),
        ("a ```b`c``` d", (("`", 2, 11),), "a ``b`c`` d"),
        ("a ``` ``` b", (("`", 2, 9),), f"a \\`{Z}\\`{Z}\\` \\`{Z}\\`{Z}\\` b"),
        ("a `` ``` `` b", (("`", 2, 11),), "a `` ``` `` b"),
        ("```\n\n", (("stray fence", 0, 3),), "\n\n"),
        ("``b```", (), f"``b\\`{Z}\\`{Z}\\`"),
    ],
)
def test_backticks_outside_of_blocks_open_none(
    text: str, spans: tuple[tuple[str, int, int], ...], expected: str
) -> None:
    segment = Segment(text, Boundary.NEWLINE, ((0, len(text)),), atomic_spans=spans)
    traced = TracedText.from_spans(text, segment.spans).replace("fence", find_fence_edits(segment))
    assert traced.text == expected


def test_a_block_without_an_end_gets_one() -> None:
    segment = Segment("```\nx\n", Boundary.CODE_CLOSE, ((0, 6),), suffix="```", ticks=3)
    traced = TracedText.from_spans(segment.text, segment.spans).replace("fence", find_fence_edits(segment))
    assert traced.text == "```\nx\n```\n"


def test_a_block_whose_closing_fence_was_forgotten_is_closed() -> None:
    assert shorten("```py\nx = 1\n") == "```py\nx = 1\n```\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a` and `b```c`", f"`a` and `b`{Z}`{Z}`c`"),
        ("so ```` a`b ```c ```` y", f"so ``a`b `{Z}`{Z}`c`` y"),
    ],
)
def test_runs_inside_of_inline_code_open_no_block(text: str, expected: str) -> None:
    pipeline = Pipeline(Settings(degree=0))
    events = [*pipeline.feed(text), *pipeline.flush()]
    assert [event.content for event in events if isinstance(event, Message)] == [expected]

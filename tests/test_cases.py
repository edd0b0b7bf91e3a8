"""Every golden page, whole, per character and in random slices; and the pages' own grammar."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from case_pages import Page, draw, parse_page, play
from conservation import conserve
from documents import random_slices
from streamcord._events import Boundary, Message

PAGE = r"""A title.
degree: 3
humanize: no
persona: Luna happy mad
aliases: Moon, L
escapes: yes
ends: tool_call
=== model
one\n
two
=== model
\{a\n*3}\u0041
=== channel
a
---
b\s
\---
=== dropped
x
"""
CASES = sorted((Path(__file__).parent / "cases").glob("*.case"))


def _load(path: Path) -> Page:
    return parse_page(path.read_bytes().decode())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_page(path: Path) -> None:
    page = _load(path)
    whole = play(page, lambda text: [text])
    assert draw(page, whole) == page.expected, page.title
    assert conserve("".join(page.rounds), whole).violations == []
    assert (
        max((len(e.content) for e in whole if isinstance(e, Message)), default=0)
        <= page.settings.message_length
    )


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_page_in_slices(path: Path) -> None:
    page = _load(path)
    assert draw(page, play(page, list)) == page.expected, page.title
    for seed in range(20):
        random = Random(seed)
        sliced = play(page, lambda text, random=random: random_slices(text, random))  # type: ignore[misc]
        assert draw(page, sliced) == page.expected, f"{page.title} (seed {seed})"


def test_every_page_has_a_title_of_its_own() -> None:
    titles = [_load(path).title for path in CASES]
    assert len(titles) > 100
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if not title.endswith(".") or len(title) > 110] == []


def test_a_page_is_read_as_it_is_written() -> None:
    page = parse_page(PAGE)
    assert page.settings.degree == 3
    assert page.context.persona is not None
    assert page.context.persona.aliases == ("Moon", "L")
    assert page.rounds == ("one\n\ntwo", "a\na\na\nA")
    assert page.expected == {
        "thoughts": (),
        "details": (),
        "halt": (),
        "channel": ("a", "b \n---"),
        "dropped": ("x",),
    }
    assert page.ends is Boundary.TOOL_CALL


@pytest.mark.parametrize(
    "text",
    [
        "T.\n=== model\nx\n",
        "T.\n=== channel\nx\n",
        "T.\nno colon\n=== model\n=== channel\n",
        "T.\n=== nonsense\n",
    ],
)
def test_a_bad_page_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"page needs|without a colon|unknown block"):
        parse_page(text)

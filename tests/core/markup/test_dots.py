"""A single dot: behind letters, numbers, pairs of initials and words."""

from __future__ import annotations

import pytest

from streamcord._core.markup.dots import judge_dot
from streamcord._core.markup.inline import TEXT as NO_END
from streamcord._core.markup.inline import WAIT


def judge(marked: str, *, final: bool = True, start: int = 0) -> int:
    """The verdict on the dot that stands where the bar is, with a space behind it."""
    head, _, tail = marked.partition("|")
    cut = len(head) + 2
    verdict = judge_dot(f"{head}. {tail}", len(head), start, cut, final=final)
    return 1 if verdict == cut else verdict


@pytest.mark.parametrize(
    "marked",
    [
        "Dr|Who", "am 3|Mai", "J|Smith", "In World War I|Then", "EE|UU.", "EE. UU|es", "д|5", "say z|B.",
        "so d. h|Das",
        "a|First", "solve for x|then", "д. أ", "د|أحمد", "II|Methods", "и т. д|и всё", "и т. д|Пушкин",
    ],
)  # fmt: skip
def test_a_dot_that_ends_nothing(marked: str) -> None:
    assert judge(marked if "|" in marked else marked + "|x") == NO_END


@pytest.mark.parametrize(
    "marked",
    [
        "word|Next", "|Next", ".|Next", "a" * 40 + "|Next", "In 1999|Then", "So did I|Then", "Plan B|Then",
        "AA|Then",
        "EE. UU|Ella no", "for x|5", "for x|Then", "我|Then", "и т. д|Он", "say z|Be",
    ],
)  # fmt: skip
def test_a_dot_that_ends_a_sentence(marked: str) -> None:
    assert judge(marked) == 1


def test_what_may_still_change_is_waited_for() -> None:
    assert judge("say z|B", final=False) == WAIT
    assert judge("EE|U", final=False) == WAIT
    assert judge("EE|UU", final=False) == WAIT
    assert judge("EE|UV", final=False) == 1
    assert judge("EE. UU|E", final=False) == WAIT
    assert judge("U.S|T", final=False) == WAIT
    assert judge("heute 3|J", final=False) == WAIT
    assert judge("и т. д|О", final=False) == WAIT


def test_nothing_before_the_start_is_looked_at() -> None:
    assert judge("EE. UU|es", start=4) == 1

"""Punctuation alone: held, left over, or something said."""

from __future__ import annotations

import pytest

from streamcord._core.rules.orphans import Orphan, judge_orphan


@pytest.mark.parametrize("text", ["...", "…", "?!?!", "!!!", "。。。", ".,.", " ...\n", "..…", "?…"])
def test_expressive_punctuation_belongs_before_what_follows(text: str) -> None:
    assert judge_orphan(text) is Orphan.HELD


@pytest.mark.parametrize("text", [".", ",", "..", ";", "。", "、", "，", " .\n"])
def test_a_lone_mark_is_left_over(text: str) -> None:
    assert judge_orphan(text) is Orphan.FRAGMENT


@pytest.mark.parametrize(
    "text", ["?", "!", "?!", "！", "好", "=", "5", "a.", ":", "-", "**", "```", ":)", "(...)", ""]
)
def test_everything_else_says_something(text: str) -> None:
    assert judge_orphan(text) is Orphan.NONE

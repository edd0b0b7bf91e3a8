"""What single lines beside a fence are: a language, prose, or code."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.code_fence_lines import LinesAhead, TailLine, find_language, read_tail_line
from streamcord._text.markdown.code_fence_matching import _is_closed_below


def test_a_bold_line_in_a_block_that_was_not_closed_is_prose() -> None:
    assert read_tail_line("**Bold line**") is TailLine.PROSE
    assert read_tail_line("## Title") is TailLine.HEADING


@pytest.mark.parametrize(
    ("info", "language"), [("rust,ignore", "rust"), ("foo,bar baz", ""), ("hello,world", "")]
)
def test_words_with_a_comma_name_a_language_only_if_it_is_known(info: str, language: str) -> None:
    assert find_language(info) == language


@pytest.mark.parametrize(
    ("below", "closed"),
    [("a\n```\n\n", True), ("a", False), ("a\n" * 40, False)],
    ids=["fence", "end", "far"],
)
def test_a_closing_fence_is_looked_for_in_thirty_lines(below: str, closed: bool) -> None:
    assert _is_closed_below(LinesAhead(f"x\n{below}", 1, final=True)) is closed

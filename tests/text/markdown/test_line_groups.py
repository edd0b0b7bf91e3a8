"""Which lines announce the next one."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.line_groups import MAX_LABEL_CHARS, is_label


@pytest.mark.parametrize("line", ["Cons:", "- Cons:", "**Cons:**", "**Cons**:", "手順："])
def test_a_phrase_that_ends_with_a_colon_is_a_label(line: str) -> None:
    assert is_label(line)


@pytest.mark.parametrize(
    "line", ["Cons", "*so*", "::", "One. Two:", "hello :wave:", "x" * MAX_LABEL_CHARS + ":", ""]
)
def test_other_lines_are_no_labels(line: str) -> None:
    assert not is_label(line)

"""Which bare lines are written alike."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.alike_lines import MAX_ALIKE_CHARS, AlikeKind, alike_kind, are_alike


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("09:00 – Breakfast", AlikeKind.TIMED),
        ("[10:00:01.25] started", AlikeKind.TIMED),
        ("2024-11-19T10:00:02Z error", AlikeKind.TIMED),
        ("7 pm", AlikeKind.NONE),
        ("Step 12: Go", AlikeKind.STEP),
        ("Chapter IV – The end", AlikeKind.STEP),
        ("I 2: no", AlikeKind.NONE),
        ("2x = 4", AlikeKind.SUM),
        ("so 2x = 4.", AlikeKind.NONE),
        ("the sum = 4", AlikeKind.SUM),
        ("that makes x = 4", AlikeKind.NONE),
        ("1 2 3", AlikeKind.GRID),
        (". # .", AlikeKind.GRID),
        ("  > ^ <", AlikeKind.DRAWING),
        ("( o.o )", AlikeKind.DRAWING),
        ("(ok)", AlikeKind.NONE),
        (">_<", AlikeKind.NONE),
        ("*nods*", AlikeKind.NONE),
        ("**<3**", AlikeKind.NONE),
        ("a | and", AlikeKind.NONE),
        ("...", AlikeKind.NONE),
        ("", AlikeKind.NONE),
        ("1 2 3" + " 4" * MAX_ALIKE_CHARS, AlikeKind.NONE),
    ],
)
def test_the_kind_of_a_line(line: str, kind: AlikeKind) -> None:
    assert alike_kind(line) is kind


def test_steps_begin_with_the_same_word() -> None:
    assert are_alike("Step 1: a", "step 2: b")
    assert not are_alike("Step 1: a", "Day 2: b")
    assert not are_alike("Step 1: a", "Then b")
    assert not are_alike("Hi", "Hi")


def test_strict_lines_mean_nothing_alone() -> None:
    assert are_alike("1 2 3", "4 5 6", strict=True)
    assert not are_alike("Step 1: a", "Step 2: b", strict=True)

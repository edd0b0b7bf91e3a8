from __future__ import annotations

import dataclasses

import pytest

from streamcord import Ending, FinishReason, TurnResult


def test_endings_have_the_names_of_the_seeds() -> None:
    # `refused` is ours: the specification knows no refusals.
    assert [ending.value for ending in Ending if ending is not Ending.REFUSED] == [
        "completed",
        "function_call",
        "stopped_by_user",
        "follow_up_interrupt",
        "speaker_guard",
        "message_limit",
        "timeout",
        "truncated",
        "empty_response",
        "cancelled",
        "error",
    ]


def test_a_result_cannot_be_changed_afterwards() -> None:
    result = TurnResult(Ending.COMPLETED)

    with pytest.raises(dataclasses.FrozenInstanceError):
        result.text = "rewritten"  # type: ignore[misc]


def test_a_result_of_nothing_is_empty_everywhere() -> None:
    result = TurnResult(Ending.EMPTY_RESPONSE)

    assert (result.text, result.receipts, result.dropped, result.usage) == ("", (), (), None)
    assert (result.thoughts.raw, result.counts.messages, result.counts.first_message) == ("", 0, None)


@pytest.mark.parametrize(
    ("reason", "cut"),
    [
        (None, False),
        (FinishReason.STOP, False),
        (FinishReason.TOOL_CALLS, False),
        (FinishReason.LENGTH, True),
        (FinishReason.FILTERED, True),
    ],
)
def test_an_answer_that_the_server_cut_short_says_so(reason: FinishReason | None, cut: bool) -> None:
    assert TurnResult(Ending.COMPLETED, finish_reason=reason).is_cut is cut

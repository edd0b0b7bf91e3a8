"""What rows say, and what follows from what is in the channel."""

from __future__ import annotations

from typing import Any

import pytest

from streamcord import Ask, Message, Receipt, Settings, Speaker
from streamcord._delivery.outgoing import make_message_tag
from streamcord._delivery.transport import FetchedMessage
from streamcord._journal.protocol import VERSION
from streamcord._journal.reconcile import (
    ChannelMark,
    Reconciliation,
    ResumePoint,
    SavedAttempt,
    SavedTurn,
    align_with_plan,
    find_live,
    is_final,
    read_turns,
    reconcile,
    remaining_messages,
    without_name_prefix,
)
from streamcord.store import JournalRow

BEGIN = {
    "version": VERSION,
    "about": {"question": 5},
    "settings": {"typing": "off"},
    "seed": 7,
    "last_known_id": 3,
}


def rows(*kinds: tuple[str, dict[str, Any]], turn: str = "t", at: float = 1.0) -> list[JournalRow]:
    """A turn and what follows it."""
    given = [("turn", BEGIN), *kinds]
    return [JournalRow(turn, number, kind, body, at + number) for number, (kind, body) in enumerate(given)]


def received(*events: list[Any]) -> tuple[str, dict[str, Any]]:
    return "received", {"events": list(events)}


def attempt(part: int, content: str, until: int, spans: Any = (), **more: Any) -> tuple[str, dict[str, Any]]:
    message = {"content": content, "spans": spans}
    return "sending", {"part": part, "until": until, "message": message, **more}


def read(*kinds: tuple[str, dict[str, Any]]) -> SavedTurn:
    (turn,), unreadable = read_turns(rows(*kinds))
    assert unreadable == []
    return turn


# --- Reading --------------------------------------------------------------------------------------------


def test_a_turn_is_read_from_its_rows() -> None:
    turn = read(
        received(["text", "Hel"]),
        received(["text", "lo\nyou"]),
        attempt(0, "Hello", 1, [[0, 6]]),
        ("delivered", {"id": 100, "changes": ["merged"]}),
        ("mark", {"what": "button", "message": 100, "by_webhook": True}),
        attempt(1, "you", 2, [[6, 9]]),
    )

    assert (turn.id, turn.about, turn.seed, turn.last_known_id) == ("t", {"question": 5}, 7, 3)
    assert turn.settings == Settings(typing="off")
    assert (turn.started_at, turn.updated_at, turn.rows) == (1.0, 7.0, 7)
    assert (turn.text, turn.complete) == ("Hello\nyou", False)
    message = Message("Hello", spans=((0, 6),))
    assert turn.delivered == (
        (SavedAttempt(0, message, 1, at=4.0), Receipt(message, 100, changes=("merged",))),
    )
    assert turn.uncertain == SavedAttempt(1, Message("you", spans=((6, 9),)), 2, at=7.0)
    assert (turn.until, turn.rest, turn.last_id, turn.shown_until, turn.parts) == (1, (), 100, 6, 2)
    assert turn.marks == (ChannelMark("button", 100, {"by_webhook": True}),)
    assert (turn.stopped, turn.ended) == ("", False)


@pytest.mark.parametrize("outcome", [("failed", {"reason": "blocked"}), ("cancelled", {})])
def test_message_with_an_outcome_is_not_uncertain(outcome: tuple[str, dict[str, Any]]) -> None:
    turn = read(attempt(0, "Hello", 1), outcome)

    assert turn.uncertain is None
    assert turn.until == (1 if outcome[0] == "failed" else 0)


def test_an_outcome_without_its_attempt_is_passed_over() -> None:
    turn = read(("delivered", {"id": 1}), ("failed", {"reason": "x"}))

    assert (turn.delivered, turn.done) == ((), None)


def test_a_stop_and_an_end_are_known() -> None:
    turn = read(("stopped", {"mode": "now"}), ("ended", {}))

    assert (turn.stopped, turn.ended) == ("now", True)


def test_rows_after_a_gap_are_ignored() -> None:
    given = rows(received(["text", "a"]), received(["text", "b"]), received(["text", "c"]))
    del given[2]

    (turn,), _ = read_turns(given)

    assert (turn.text, turn.rows) == ("a", 2)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (JournalRow("bad", 0, "turn", {**BEGIN, "version": 99}), "version is 99"),
        (JournalRow("bad", 1, "turn", BEGIN), "first row is missing"),
        (JournalRow("bad", 0, "received", {"events": []}), "first row is missing"),
        (JournalRow("bad", 0, "damaged", {}), "first row is missing"),
        (JournalRow("bad", 0, "turn", {"version": VERSION}), "about"),
        (JournalRow("bad", 0, "turn", {**BEGIN, "seed": "x"}), "invalid literal"),
        (JournalRow("bad", 0, "turn", {**BEGIN, "settings": {"degree": 9}}), "degree"),
    ],
)
def test_undecodable_turn_is_reported_and_affects_no_other_turn(entry: JournalRow, reason: str) -> None:
    turns, unreadable = read_turns([entry, *rows(turn="good")])

    assert [turn.id for turn in turns] == ["good"]
    assert [one.turn for one in unreadable] == ["bad"]
    assert reason in unreadable[0].reason


def test_the_oldest_turn_comes_first() -> None:
    turns, _ = read_turns([*rows(turn="a", at=9.0), *rows(turn="b", at=1.0)])

    assert [turn.id for turn in turns] == ["b", "a"]


# --- What is next ---------------------------------------------------------------------------------------

PLAN = [Message(content, spans=((at, at + 2),)) for content, at in [("a", 0), ("b", 2), ("c", 4)]]


def test_plan_continues_after_the_last_known_outcome() -> None:
    turn = read(attempt(0, "a", 1, [[0, 2]]), ("delivered", {"id": 9}))

    layout = align_with_plan(PLAN, turn)

    assert layout == ResumePoint((), 1)
    assert layout.queue(PLAN) == PLAN[1:]


def test_a_planned_message_in_doubt_is_the_plans_own() -> None:
    turn = read(attempt(0, "a", 1, [[0, 2]]))

    assert align_with_plan(PLAN, turn) == ResumePoint((), 0)


def test_words_with_a_picture_that_no_row_holds_are_said_with_what_stands_for_it() -> None:
    rest = [{"content": "and", "files": ["table.png"], "fallback": "and\n| x |", "spans": [[1, 2]]}]
    turn = read(attempt(0, "a", 1, [[0, 1]], rest=rest), ("delivered", {"id": 9}))

    assert align_with_plan(PLAN, turn) == ResumePoint((Message("and\n| x |", spans=((1, 2),)),), 1)


def test_a_file_in_doubt_is_the_plans_own_and_elsewhere_its_name_stands_for_it() -> None:
    row = attempt(0, "", 1, [[0, 2]])
    row[1]["message"]["files"] = ["table.png"]
    turn = read(row)

    assert align_with_plan([Message("", spans=((0, 2),))], turn) == ResumePoint((), 0)
    (piece,), _ = remaining_messages(turn)
    assert piece.content == "-# table.png"


def test_a_joined_message_in_doubt_stands_for_all_of_them() -> None:
    turn = read(attempt(0, "a\nb", 2, [[0, 4]]))
    joined = Message("a\nb", spans=((0, 4),))

    layout = align_with_plan(PLAN, turn)

    assert layout == ResumePoint((joined,), 2)
    assert layout.queue(PLAN) == [joined, PLAN[2]]
    assert layout.without(1) == ResumePoint((), 2)
    assert layout.without(2) == ResumePoint((), 3)


def test_of_a_message_that_was_split_the_other_pieces_are_next() -> None:
    rest = [{"content": "a2", "spans": [[1, 2]]}]
    turn = read(attempt(0, "a1", 1, [[0, 1]], rest=rest), ("delivered", {"id": 9}))

    assert align_with_plan(PLAN, turn) == ResumePoint((Message("a2", spans=((1, 2),)),), 1)


@pytest.mark.parametrize("spans", [[[0, 3]], [[0, 9]]])
def test_another_plan_is_noticed_by_its_places(spans: list[list[int]]) -> None:
    assert align_with_plan(PLAN, read(attempt(0, "a", 1, spans))) is None
    assert align_with_plan(PLAN, read(attempt(0, "a", 4, spans))) is None


def test_without_the_plan_the_words_go_on_behind_what_was_tried() -> None:
    turn = read(
        received(["text", "one two three"]),
        attempt(0, "one", 1, [[0, 4]]),
        ("delivered", {"id": 9}),
        attempt(1, "two", 2, [[4, 7]]),
    )

    assert remaining_messages(turn) == ((Message("two", spans=((4, 7),)),), "three")


def test_a_message_that_grows_is_known_by_its_id_and_one_in_doubt_by_its_beginning() -> None:
    row = attempt(0, "Hello", 0, [[0, 5]], live=True)
    growing, doubtful = read(row, ("delivered", {"id": 9})), read(row)

    assert (growing.delivered, growing.until, growing.last_id) == ((), 0, 8)
    assert find_live(growing, [FetchedMessage(8, "x"), FetchedMessage(9, "Hello you")]) == FetchedMessage(
        9, "Hello you"
    )
    assert find_live(growing, []) is None
    assert align_with_plan([], doubtful) == ResumePoint((), 0)
    assert find_live(doubtful, [FetchedMessage(9, "Hello you")]) == FetchedMessage(9, "Hello you")
    assert find_live(doubtful, [FetchedMessage(9, "**Luna:** Hello you")]) == FetchedMessage(
        9, "**Luna:** Hello you"
    )
    assert find_live(doubtful, [FetchedMessage(9, "Goodbye")]) is None
    assert find_live(read(), [FetchedMessage(9, "Hello")]) is None


def test_finalized_live_message_is_delivered() -> None:
    turn = read(
        attempt(0, "Hello", 0, [[0, 5]], live=True),
        ("delivered", {"id": 9}),
        attempt(1, "Hello you", 1, [[0, 9]]),
        ("delivered", {"id": 9}),
    )

    assert turn.live is None
    assert [(one.until, receipt.id) for one, receipt in turn.delivered] == [(1, 9)]


# --- What is there ----------------------------------------------------------------------------------

QUEUE = [Message("Hello you"), Message("Hello you"), Message("x " * 9), Message("", files=(Any,))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "counts", "stray"),
    [
        ([], [], False),
        ([FetchedMessage(1, "Hello you ")], [1], False),
        ([FetchedMessage(1, "Hello you"), FetchedMessage(2, "Hello  you")], [1, 1], False),
        ([FetchedMessage(1, "Hello you\nHello you"), FetchedMessage(2, "x " * 9)], [2, 1], False),
        ([FetchedMessage(1, "something else")], [], True),
        ([FetchedMessage(1, "Hello")], [], True),
        (
            [
                FetchedMessage(1, "Hello you"),
                FetchedMessage(2, "something else"),
                FetchedMessage(3, "Hello you"),
            ],
            [1],
            True,
        ),
        ([FetchedMessage(1, "-# uses dice", notice=True), FetchedMessage(2, "Hello you")], [1], False),
        ([FetchedMessage(1, "Hello you", files=1)], [], True),
    ],
)
def test_what_was_to_be_said_next_is_recognised(
    found: list[FetchedMessage], counts: list[int], stray: bool
) -> None:
    settlement = reconcile(QUEUE, found)

    assert [count for count, _ in settlement.adopted] == counts
    assert settlement.stray is stray
    assert settlement.count == sum(counts)


def test_a_file_alone_is_recognised_by_its_place() -> None:
    assert reconcile(QUEUE[3:], [FetchedMessage(1, "", files=1)]) == Reconciliation(
        ((1, FetchedMessage(1, "", files=1)),)
    )


def test_a_name_in_front_does_not_hide_the_words() -> None:
    queue = [Message("Well: **no**.", speaker=Speaker("Luna"))]

    assert reconcile(queue, [FetchedMessage(1, "**Luna:** Well: **no**.")]).count == 1
    assert reconcile(queue, [FetchedMessage(1, "**Luna:** Well.")]).stray


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("**Luna:** Well: **no**. And", "Well: **no**. And"),
        ("**Luna:**\nWell: **no**.", "Well: **no**."),
        ("Well: **no**. **So:** yes", "Well: **no**. **So:** yes"),
        ("**Note:** this", "**Note:** this"),
    ],
)
def test_what_grew_is_known_without_the_name_in_front(content: str, words: str) -> None:
    attempt = SavedAttempt(0, Message("Well: **no**.", speaker=Speaker("Luna")), 0, live=True)

    assert without_name_prefix(content, attempt) == words


def test_what_carries_the_name_of_the_first_is_that_whatever_became_of_its_words() -> None:
    queue = [Message("Well: **no**."), Message("Yes.")]
    changed, next_ = (
        FetchedMessage(1, "Well: no", message_tag=make_message_tag("t", 4)),
        FetchedMessage(2, "Yes."),
    )

    assert reconcile(queue, [changed, next_], make_message_tag("t", 4)).count == 2
    assert reconcile(queue, [changed], make_message_tag("t", 5)).stray
    assert reconcile(queue, [changed]).stray
    assert reconcile([], [changed], make_message_tag("t", 4)).stray


@pytest.mark.parametrize(
    ("content", "ask", "count"),
    [
        ("Two teas.\n\nWhich?", "ab", 2),
        ("Two teas.\n\nWhich?\n-# ✓ <@1>: green", "", 2),
        ("**Luna:** Two teas.\n\nWhich?", "ab", 2),
        ("Two teas. (filtered)\n\nWh***?", "ab", 2),
        ("Two teas.", "", 1),
        ("Two te", "", 0),
    ],
)
def test_live_message_that_shows_its_question_is_final(content: str, ask: str, count: int) -> None:
    queue = [Message("Two teas."), Message("Which?", ask=Ask("Which?", ("green", "black"), id="ab"))]
    fetched = FetchedMessage(9, content, ask=ask)
    assert is_final(queue, fetched) is (count == 2)
    assert reconcile(queue, [fetched]).count == count

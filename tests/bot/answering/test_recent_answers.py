from __future__ import annotations

from dataclasses import replace

import pytest

from bot.answers import answered
from spoiler_invariant import readable
from streamcord import Boundary, Ending, Message, Speaker, Table, TextDelta
from streamcord.records import Added, Counts, Dropped, Replaced
from streamcord_bot.answering.explanations import MAX_TEXT_CHARS, explain_message, explain_parts
from streamcord_bot.answering.recent_answers import RecentAnswers, table_source


def test_an_answer_is_found_by_each_of_its_messages() -> None:
    recent_answers = RecentAnswers()
    one = answered(Message("a"), Message("b"))
    recent_answers.keep(one)

    assert recent_answers.find(1, 5) is recent_answers.find(2, 5) is one
    assert recent_answers.find(3, 5) is None
    assert one.receipt(2) is one.result.receipts[1]
    assert one.receipt(9) is None


def test_the_oldest_messages_are_forgotten() -> None:
    recent_answers = RecentAnswers(cap=3)
    for first in range(1, 20, 2):
        recent_answers.keep(answered(Message("a"), Message("b"), first=first))

    assert len(recent_answers) == 3


def test_the_last_message_of_a_channel_is_known_until_it_is_deleted() -> None:
    recent_answers = RecentAnswers()
    recent_answers.keep(answered(Message("a"), first=1))
    recent_answers.keep(answered(Message("b"), first=2, channel=8))
    recent_answers.keep(answered(Message("c"), first=3))
    recent_answers.forget(3)
    recent_answers.forget(99)

    assert recent_answers.last_in(7, 5) == 1
    assert recent_answers.last_in(8, 5) == 2
    assert recent_answers.last_in(9, 5) == 0


def test_truncated_answer_can_continue() -> None:
    assert answered(ending=Ending.TRUNCATED).can_continue
    assert not answered(ending=Ending.EMPTY_RESPONSE).can_continue


def test_why_names_the_speaker_that_ended_the_answer() -> None:
    ended = answered(Message("Hi"), ending=Ending.SPEAKER_GUARD)
    lore_section = explain_message(replace(ended, result=replace(ended.result, other_speaker="Bob")), 1)

    assert "the **speaker guard** ended it at a line of" in lore_section
    assert "Bob" in lore_section


def test_why_names_the_stop_string_that_ended_the_answer() -> None:
    ended = answered(Message("Hi"))
    section = explain_message(replace(ended, result=replace(ended.result, stop_sequence="###")), 1)

    assert "the **stop string** `###` ended it" in section


EDIT = Replaced("own name", "Luna: ", "", ((0, 6),))


def test_why_lists_boundary_piece_rules_and_wait() -> None:
    message = Message(
        "Hi",
        delay=1.25,
        boundary=Boundary.OVERFLOW,
        piece=(2, 3),
        edits=(EDIT, Replaced("shortcode", ":x:", "<:x:1>", ((6, 9),))),
        added=(Added("```", "auto close"),),
        speaker=Speaker("Luna (mad)"),
    )
    text = explain_message(answered(message), 1)

    assert "message 1 of 1 of turn `abc` (completed, model `tiny`)" in text
    assert "**cut** (overflow)" in text
    assert "piece 2 of 3, at degree 2 (MEDIUM)" in text
    assert "up to 1.25 s" in text
    assert "own name: `Luna:` → nothing" in text
    assert "shortcode: `:x:` → `<:x:1>`" in text
    assert "auto close" in text
    assert "**said as** `Luna (mad)`" in text


def test_a_message_that_was_found_again_says_so() -> None:
    one = answered(Message("Hi"))
    receipts = tuple(replace(receipt, changes=("adopted",)) for receipt in one.result.receipts)

    assert "found again" in explain_message(replace(one, result=replace(one.result, receipts=receipts)), 1)


@pytest.mark.parametrize(
    ("count", "lore_section"),
    [
        (1, ""),
        (
            3,
            "**grew** in 3 frames: 40 characters after 0.0 s, 80 characters after 1.2 s, 120 characters",
        ),
        (40, "**grew** in 40 frames: 40 characters after 0.0 s"),
    ],
)
def test_why_lists_the_frames_of_a_live_message(count: int, lore_section: str) -> None:
    one = answered(Message("Hi"))
    frames = tuple((number * 1.25, 40 + number * 40) for number in range(count))
    receipts = tuple(replace(receipt, frames=frames) for receipt in one.result.receipts)
    text = explain_message(replace(one, result=replace(one.result, receipts=receipts)), 1)

    assert lore_section in text
    assert ("grew" in text) == bool(lore_section)
    assert ("…, 1600 characters" in text or "…, 1560 characters" in text) == (count == 40)


def test_a_message_that_nothing_happened_to_says_so() -> None:
    text = explain_message(answered(Message("Hi")), 1)

    assert "no rule changed it" in text
    assert "waited** only for Discord" in text


def test_why_of_first_message_states_model_latency() -> None:
    given = answered(Message("Hi"))
    counted = replace(given.result, counts=Counts(first_event=0.25, first_message=0.5))

    assert "after 0.25 s" in explain_message(replace(given, result=counted), 1)


def test_a_hundred_edits_still_fit_one_message() -> None:
    edits = tuple(Replaced("rule", "`" * 500, "y" * 500, ((0, 1),)) for _ in range(100))
    text = explain_message(answered(Message("Hi", edits=edits)), 1)

    assert len(text) <= MAX_TEXT_CHARS
    assert "88 more edits" in text


def test_what_is_hidden_is_hidden_in_its_explanation() -> None:
    edits = (
        Replaced("shortcode", "Bob :x:", "Bob||<:x:1>", ((2, 9),)),
        Replaced("spoiler", "|", "\u200b|", ((9, 10),)),
    )
    text = explain_message(answered(Message("||Bob <:x:1>||", edits=edits)), 1)
    long = explain_message(answered(Message("||Bob||", edits=(edits[0]._replace(rule="x" * 400),) * 9)), 1)

    assert "||`Bob :x:`|| → ||`Bob|\u200b|<:x:1>`||" in text
    assert "`|` → `\u200b|`" in text
    assert long.endswith("||\n…")
    assert "Bob" not in readable(text) + readable(long)


def test_what_is_not_there_has_no_explanation() -> None:
    assert explain_message(answered(Message("Hi")), 5) == ""
    assert table_source(answered(Message("Hi")), 5) == ""


def test_the_source_of_a_table_is_as_it_was_written() -> None:
    table = Table((), (), (), "| a |\n|---|")

    assert table_source(answered(Message("", files=(table,))), 1) == "| a |\n|---|"


def test_the_words_of_a_model_are_kept_only_on_demand() -> None:
    recent_answers = RecentAnswers()
    one = answered(Message("Hi"))
    one = replace(one, result=replace(one.result, counts=Counts(received=5)))
    recent_answers.record_event(one.turn, TextDelta("lost"))
    assert recent_answers.source(one) == ""

    recent_answers.keep_sources(cap=1)
    for event in (TextDelta("first try "), TextDelta("Hi"), object(), TextDelta(" :)")):
        recent_answers.record_event(one.turn, event)
    assert recent_answers.source(one) == "Hi :)"
    recent_answers.record_event("another", TextDelta("x"))
    assert recent_answers.source(one) == ""


def test_every_part_of_the_source_says_what_became_of_it() -> None:
    source = "Luna: Hi! *there*\nMore (bye)"
    first = Message(
        "Hi! there", spans=((6, 17),), edits=(EDIT,), added=(Added("…", "cut"),), speaker=Speaker("Luna")
    )
    second = Message("More", spans=((18, 23),))
    one = answered(first, second)
    one = replace(one, result=replace(one.result, dropped=(Dropped("(bye)", "label", ((23, 28),)),)))
    why = explain_parts(one, 1, source)

    assert [(part["kind"], part["text"]) for part in why["parts"]] == [
        ("changed", "Luna: "),
        ("shown", "Hi! *there*"),
        ("", "\n"),
        ("other", "More "),
        ("lost", "(bye)"),
    ]
    assert why["changes"] == [
        {"rule": "own name", "before": "Luna: ", "after": ""},
        {"rule": "cut (after it)", "before": "", "after": "…"},
    ]
    facts = dict(why["facts"])
    assert facts["turn"].startswith("message 1 of 2")
    assert facts["cut"].startswith("(final): the answer ends there")
    assert (facts["waited"], facts["said as"]) == ("only for Discord", "Luna")
    assert explain_parts(one, 99, source) == {}
    assert explain_parts(one, 1)["parts"] == []

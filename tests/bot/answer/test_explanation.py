from __future__ import annotations

from dataclasses import replace

from bot.answers import answered
from streamcord import Added, Boundary, Counts, Message, Replaced, Speaker, Table
from streamcord._bot.answer.explanation import TEXT_LENGTH, explain_message, table_source

EDIT = Replaced("own name", "Luna: ", "", ((0, 6),))


def test_boundary_piece_rules_and_wait_are_told() -> None:
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


def test_a_message_that_nothing_happened_to_says_so() -> None:
    text = explain_message(answered(Message("Hi")), 1)

    assert "no rule changed it" in text
    assert "waited** for nothing" in text


def test_the_first_message_tells_how_long_the_model_took() -> None:
    given = answered(Message("Hi"))
    counted = replace(given.result, counts=Counts(first_event=0.25, first_message=0.5))

    assert "after 0.25 s" in explain_message(replace(given, result=counted), 1)


def test_a_hundred_edits_still_fit_one_message() -> None:
    edits = tuple(Replaced("rule", "`" * 500, "y" * 500, ((0, 1),)) for _ in range(100))
    text = explain_message(answered(Message("Hi", edits=edits)), 1)

    assert len(text) <= TEXT_LENGTH
    assert "88 more edits" in text


def test_what_is_not_there_has_no_explanation() -> None:
    assert explain_message(answered(Message("Hi")), 5) == ""
    assert table_source(answered(Message("Hi")), 5) == ""


def test_the_source_of_a_table_is_as_it_was_written() -> None:
    table = Table((), (), (), "| a |\n|---|")

    assert table_source(answered(Message("", files=(table,))), 1) == "| a |\n|---|"

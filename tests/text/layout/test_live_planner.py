"""Messages that grow: what is certain of them, when they are full, where they end."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from streamcord._events import Boundary, Degree, Dropped, Halt, Message, Speaker, Table, TurnEvent
from streamcord._settings import AnswerContext, Persona, Settings, Sprite
from streamcord._text.layout.live_planner import (
    LiveDraft,
    LivePlanner,
    as_live_settings,
    is_left_open,
    join_pieces,
    undecided_chars,
)
from streamcord._text.pipeline import Pipeline
from streamcord._text.traced_text import NormalizedSegment, TracedText

LIVE = Settings(delivery="live")
CODE = "".join(f"value_{number} = {number}\n" for number in range(200))


class Writer:
    """A pipeline that is fed character by character, with all drafts that could be seen."""

    def __init__(self, text: str = "", *, persona: Persona | None = None, **settings: Any) -> None:
        context = AnswerContext(persona=persona)
        self.pipeline = Pipeline(replace(LIVE, **settings), Random(0), context=context)
        self.events: list[TurnEvent] = []
        self.drafts: list[tuple[int, str]] = []
        for character in text:
            self.feed(character)

    def feed(self, text: str) -> None:
        self.events += self.pipeline.feed(text)
        if self.pipeline.has_grown() and (draft := self.pipeline.draft()):
            self.drafts.append((len(self.contents), draft.message.content))

    def flush(self, boundary: Boundary = Boundary.FINAL) -> list[str]:
        self.events += self.pipeline.flush(boundary)
        return self.contents

    @property
    def draft(self) -> str:
        draft = self.pipeline.draft()
        return draft.message.content if draft else ""

    @property
    def contents(self) -> list[str]:
        return [event.content for event in self.events if isinstance(event, Message)]


def planner(**settings: Any) -> LivePlanner:
    return LivePlanner(as_live_settings(replace(LIVE, **settings)), Random(0))


def line(text: str, at: int = 0, speaker: Speaker | None = None) -> NormalizedSegment:
    return NormalizedSegment(TracedText.from_spans(text, ((at, at + len(text)),)), Boundary.NEWLINE, speaker)


def test_nothing_is_certain_of_an_answer_that_has_not_begun() -> None:
    assert Writer().pipeline.draft() is None
    assert Writer("  \n").draft == ""


def test_lines_are_certain_once_they_have_ended() -> None:
    writer = Writer("One line.\nTwo li")
    assert writer.draft == "One line."
    assert writer.flush() == ["One line.\nTwo li"]


def test_a_draft_is_the_message_to_come_with_its_books() -> None:
    draft = Writer("One line.\nTwo").pipeline.draft()
    assert draft == LiveDraft(Message("One line.", reply=True, spans=((0, 10),)), 1)


def test_only_what_is_new_counts_as_grown() -> None:
    pipeline = Pipeline(LIVE)
    pipeline.feed("One line.\nTwo")
    assert [pipeline.has_grown(), pipeline.has_grown()] == [True, False]


def test_a_pipeline_of_bubbles_has_no_drafts() -> None:
    pipeline = Pipeline(Settings())
    pipeline.feed("One line.\nTwo")
    assert (pipeline.has_grown(), pipeline.draft(), pipeline.finalize(1)) == (False, None, [])


def test_a_long_line_is_shown_before_it_ends() -> None:
    text = "Hello.\nThe river runs down to the sea, and nobody knows why, but all of us love it."
    writer = Writer(text)
    assert text.startswith(writer.draft)
    assert len(writer.draft) > 40


def test_code_is_shown_while_it_is_written_and_closed() -> None:
    text = f"Here:\n```py\n{CODE}```\nDone."
    writer = Writer(text[:500])
    assert writer.draft.startswith("Here:\n```py\nvalue_0 = 0\n")
    assert writer.draft.endswith("\n```")
    writer.feed(text[500:1000])
    assert writer.draft.count("```") == 2


def test_a_message_that_is_full_is_complete_and_another_begins() -> None:
    lines = "".join(f"Line {number} of this answer.\n" for number in range(200))
    writer = Writer(lines)
    assert len(writer.contents) == 2
    assert all(1800 < len(content) <= 1950 for content in writer.contents)
    assert "\n".join(writer.flush()) == lines.strip()


def test_what_was_shown_of_a_message_is_a_part_of_it() -> None:
    lines = "".join(f"# Part {number}\nLine {number} of this answer.\n\n" for number in range(99))
    writer = Writer(lines)
    contents = writer.flush()
    assert all(contents[number].startswith(shown) for number, shown in writer.drafts)
    assert not any(content.split("\n")[-1].startswith("#") for content in contents)


def test_a_long_limit_is_one_message() -> None:
    lines = "".join(f"Line {number} of this answer.\n" for number in range(140))
    assert len(Writer(lines, live_limit=4000).flush()) == 1


@pytest.mark.parametrize(("limit", "room"), [(2000, 0), (4000, 150)])
def test_the_first_words_of_a_persona_leave_room_for_a_link(limit: int, room: int) -> None:
    lines = "".join(f"Line {number} of this answer.\n" for number in range(400))
    said = Writer(lines, live_limit=limit, persona=Persona("Luna", alter=True)).flush()
    line = len("Line 400 of this answer.\n")
    assert limit - 50 - room - line < len(said[0]) <= limit - 50 - room
    assert limit - 50 - line < len(said[1]) <= limit - 50


def test_a_code_block_that_would_not_fit_begins_the_next_message() -> None:
    text = "Words of an answer.\n" * 80 + f"```py\n{CODE[:900]}```\n"
    contents = Writer(text).flush()
    assert [content.count("```") for content in contents] == [0, 2]


def test_a_code_block_that_has_begun_is_cut_closed_and_reopened() -> None:
    contents = Writer(f"Here:\n```py\n{CODE}```\nDone.").flush()
    assert [content.count("```") for content in contents] == [2, 2]
    assert contents[1].startswith("```py\n")


def test_a_line_without_an_end_fills_its_messages() -> None:
    contents = Writer("Hi.\n" + "a river, a stone, " * 300).flush()
    assert all(len(content) > 1800 for content in contents[:-1])


def test_a_piece_that_fits_no_message_is_cut() -> None:
    contents = Writer("Hi.\n> " + "word&" * 900).flush()
    assert all(len(content) <= 1950 for content in contents)
    assert all(content.startswith("> ") for content in contents[1:])


@pytest.mark.parametrize(
    ("start", "marker"), [(">>> ", ">>> "), ("> ", "> "), ("-# ", "-# "), ("Plain, ", "")]
)
def test_what_goes_on_in_the_next_message_keeps_its_marker(start: str, marker: str) -> None:
    contents = Writer("Hi.\n" + start + "a river, a stone, " * 200).flush()
    assert len(contents) == 2
    assert contents[1].startswith(marker)
    assert contents[1].startswith(">") is (marker.startswith(">"))


def test_a_quote_in_code_is_no_quote() -> None:
    contents = Writer("```\n>>> 1\n" + "print(1, 2)\n" * 100 + "```\n" + "A line.\n" * 150).flush()
    assert not contents[1].startswith(">")


def test_a_table_ends_what_is_before_it() -> None:
    writer = Writer("Look:\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSee?\n")
    assert writer.flush() == ["Look:", "", "See?"]


def test_another_look_ends_what_is_before_it() -> None:
    luna = Persona("Luna", alter=True, sprites=(Sprite("mad"),))
    writer = Writer("Luna: Hello there.\nLuna (mad): Hmph.\n", persona=luna)
    assert writer.flush() == ["Hello there.", "Hmph."]


def test_draft_has_the_speaker_of_its_message() -> None:
    luna = Persona("Luna", alter=True)
    draft = Writer("Hello there.\nAnd", persona=luna).pipeline.draft()
    assert draft is not None
    assert draft.message.speaker == Speaker("Luna")


def test_a_draft_can_be_made_the_end_of_its_message() -> None:
    writer = Writer("One line.\nTwo lines.\nThree")
    draft = writer.pipeline.draft()
    assert draft is not None
    writer.feed(" lines.\nFour")
    writer.events += writer.pipeline.finalize(draft.pieces)
    assert writer.contents == [draft.message.content]
    assert writer.flush()[1:] == ["Three lines.\nFour"]


def test_finalize_without_pieces_returns_nothing() -> None:
    assert planner().finalize(3) == []


def test_no_draft_is_shown_beyond_a_cap() -> None:
    growing = planner(send_message_limit=1)
    growing.feed(line("One.\n"))
    assert growing.draft() is not None
    growing.flush()
    growing.feed(line("Two.\n", 5))
    assert growing.draft() is None
    assert [type(event) for event in growing.flush()] == [Halt, Dropped]
    growing.feed(line("Three.\n", 10))
    assert growing.draft() is None


def test_only_the_first_message_loses_its_indentation() -> None:
    growing = planner()
    growing.feed(line("  One.\n"))
    first = growing.draft()
    growing.flush()
    growing.feed(line("  Two.\n", 7))
    second = growing.draft()
    assert first is not None
    assert second is not None
    assert [first.message.content, second.message.content] == ["One.", "  Two."]


def test_blank_lines_are_joined_as_at_degree_0() -> None:
    writer = Writer("One.\n\n\n\n\nTwo.\n")
    assert writer.flush() == ["One.\n\nTwo."]


def test_at_degree_3_sentences_are_lines_and_look_typed() -> None:
    writer = Writer(
        "Hello there. How are you? Well", degree=Degree.HEAVY, comma_break=0.0, comma_removal_chance=0.0
    )
    assert writer.draft == "hello there\nhow are you?"
    assert writer.flush() == ["hello there\nhow are you?\nwell"]


def test_a_sentence_without_white_space_behind_it_is_a_line_too() -> None:
    assert Writer("Hi there!你好。再见。好", degree=Degree.HEAVY).flush()[0].count("\n") >= 1


def test_what_is_white_at_degree_3_is_nothing() -> None:
    growing = LivePlanner(as_live_settings(replace(LIVE, degree=Degree.HEAVY)), Random(0))
    growing.feed(line("  \n"))
    assert growing.draft() is None


def test_typing_is_kept_at_degree_3_only_if_asked_for() -> None:
    assert as_live_settings(replace(LIVE, degree=Degree.HEAVY)).typing == "off"
    assert as_live_settings(replace(LIVE, degree=Degree.HEAVY, typing="on")).typing == "on"
    assert as_live_settings(LIVE).degree is Degree.NONE


def test_lines_are_cut_early_only_where_no_rule_needs_them_whole() -> None:
    plain = as_live_settings(LIVE)
    assert undecided_chars(plain) == 16
    assert undecided_chars(replace(plain, speaker_guard="any")) == 80
    assert undecided_chars(plain, AnswerContext(persona=Persona("Luna"))) == 80
    assert undecided_chars(plain, AnswerContext(prefill="So: ")) == 0
    assert undecided_chars(as_live_settings(replace(LIVE, degree=Degree.HEAVY))) == 0


# --- Seams ----------------------------------------------------------------------------------------------


def closed(text: str, closer: str, behind: str = "") -> TracedText:
    body = TracedText.from_spans(text, ((0, len(text)),))
    white = TracedText.from_spans(behind, ((len(text), len(text) + len(behind)),))
    return body + TracedText.added(closer, "closed") + (white if behind else TracedText("", ()))


def reopened(opener: str, text: str) -> TracedText:
    return TracedText.added(opener, "reopened") + TracedText.from_spans(text, ((90, 90 + len(text)),))


def test_what_was_closed_and_reopened_is_one_again() -> None:
    pieces = [closed("```py\na\n", "```"), closed("", ""), reopened("```py\n", "b\n```")]
    assert join_pieces([pieces[0], pieces[2]]).text == "```py\na\nb\n```"
    assert join_pieces([closed("||a", "||", " "), reopened("||", "b||")]).text == "||a b||"


def test_what_was_only_closed_or_only_reopened_stays() -> None:
    plain = TracedText.from_spans("x\n", ((50, 52),))
    assert join_pieces([closed("**a", "**"), plain]).text == "**a**x\n"
    assert join_pieces([plain, reopened("> ", "b")]).text == "x\n> b"
    assert join_pieces([TracedText("", ()), plain]).text == "x\n"


def test_words_behind_a_closer_say_that_all_is_closed() -> None:
    assert is_left_open(closed("**a", "**"))
    assert not is_left_open(closed("**a", "**") + TracedText.from_spans("b", ((9, 10),)))
    assert not is_left_open(TracedText("", ()))


def test_a_table_has_no_draft() -> None:
    growing = planner()
    table = Table((), (), (), "| a |")
    events = growing.feed(NormalizedSegment(line("| a |\n").traced, Boundary.NEWLINE, None, table))
    assert [type(event) for event in events] == [Message]
    assert growing.draft() is None


def test_what_waits_for_a_good_end_is_a_message_if_it_does_not_fit_the_next() -> None:
    growing = planner()
    growing.feed(line("a" * 1500 + "\n"))
    growing.feed(line("b" * 400, 1501))
    events = growing.feed(line("c" * 1900 + "\n", 1901))
    assert [event.content[0] for event in events if isinstance(event, Message)] == ["a", "b"]


def test_white_space_is_no_draft() -> None:
    growing = planner()
    growing.feed(line(" \n"))
    assert growing.draft() is None


def test_a_quote_that_goes_on_leaves_room_for_its_marker() -> None:
    """Each message begins with it, and none of them is a rest of a few characters."""
    writer = Writer(message_length=200)
    writer.feed(">>> Quoted\n" + "wordy" * 150)
    contents = writer.flush()

    assert all(content.startswith(">>> ") for content in contents)
    assert [len(content) for content in contents] == [10, 200, 200, 200, 4 + 750 - 3 * 196]


def test_what_a_mark_would_show_begins_another_message() -> None:
    writer = Writer("So **it was\n\n||a **b** c||\n\nThat is all.\n\nReally.")

    assert writer.flush() == ["So **it was", "||a **b** c||\n\nThat is all.\n\nReally."]
    assert {number for number, text in writer.drafts if "||" in text} == {1}


def test_a_piece_that_would_show_what_is_hidden_is_not_seen_before_it_is_cut() -> None:
    growing = planner()
    text = "So **it was\n||a **b** c||\n"
    growing.feed(NormalizedSegment(TracedText.from_spans(text, ((0, len(text)),)), Boundary.NEWLINE))

    assert growing.draft() is None
    shown = [event.content for event in growing.flush() if isinstance(event, Message)]
    assert shown == ["So **it was", "||a **b** c||"]


@pytest.mark.parametrize("letter", ["a", "é", "字", "🎉"])
@pytest.mark.parametrize("degree", [Degree.NONE, Degree.HEAVY])
@pytest.mark.parametrize("shape", ["{0}{0}{0}{0}。{0}\n", "```\n{0}{0}{0}\n{0}\n```\n", "{0}"])
def test_message_exceeds_the_byte_limit_of_components_v2(letter: str, degree: Degree, shape: str) -> None:
    words = shape.format(letter * 40) * (9000 // len(shape.format(letter * 40)))
    contents = Writer(words, live_limit=4000, degree=degree).flush()

    assert max(len(one.encode()) for one in contents) <= 10_158
    assert max(map(len, contents)) <= 4000
    assert sum(one.count(letter) for one in contents) == words.count(letter)


@pytest.mark.parametrize("shape", ["```\n{0}\n```\n", "||{0}||"])
def test_part_that_alone_exceeds_the_byte_limit_is_cut(shape: str) -> None:
    contents = Writer(shape.format("🎉" * 3900), live_limit=4000, degree=Degree.LIGHT).flush()

    assert max(len(one.encode()) for one in contents) <= 10_158
    assert sum(one.count("🎉") for one in contents) == 3900


def test_message_of_mixed_scripts_leaves_its_bytes_unused() -> None:
    contents = Writer(("語" * 60 + "\n") * 100, live_limit=4000).flush()

    assert len(contents) == 2
    assert len(contents[0].encode()) > 10_158 * 0.95


def test_byte_limit_of_discord_cuts_messages_of_other_platforms() -> None:
    assert len(Writer(("語" * 60 + "\n") * 100, message_length=10_000).flush()) == 1

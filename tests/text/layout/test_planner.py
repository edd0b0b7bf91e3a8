"""The plan: which messages, after which delays, and where a turn ends."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from streamcord._events import Added, Boundary, Degree, Dropped, Halt, Message, Replaced, Speaker
from streamcord._settings import Persona, Settings
from streamcord._text.layout.name_alternation import NameAlternator
from streamcord._text.layout.planner import Planner
from streamcord._text.pipeline import Pipeline
from streamcord._text.traced_text import NormalizedSegment, TracedText

T = "```"
LUNA = Speaker("Luna")


class Dice(Random):
    """A `Random` that gives what it is told to."""

    def __init__(self, *rolls: float) -> None:
        super().__init__(0)
        self.rolls = list(rolls)

    def random(self) -> float:
        return self.rolls.pop(0)


class Turn:
    """A planner that is given lines, and what it planned."""

    def __init__(self, *rolls: float, **settings: Any) -> None:
        settings = {"humanize": False, "typing": "off", **settings}
        self.planner = Planner(Settings(**settings), Dice(*rolls))
        self.at = 0
        self.events: list[Message | Replaced | Dropped | Halt] = []

    def say(
        self, text: str, boundary: Boundary = Boundary.NEWLINE, speaker: Speaker | None = None
    ) -> list[str]:
        traced = TracedText.from_spans(text, ((self.at, self.at + len(text)),))
        self.at += len(text)
        return self.take(self.planner.feed(NormalizedSegment(traced, boundary, speaker)))

    def flush(self, boundary: Boundary = Boundary.FINAL) -> list[str]:
        return self.take(self.planner.flush(boundary))

    def take(self, events: list[Message | Replaced | Dropped | Halt]) -> list[str]:
        self.events += events
        return [event.content for event in events if isinstance(event, Message)]

    @property
    def messages(self) -> list[Message]:
        return [event for event in self.events if isinstance(event, Message)]


def test_an_utterance_becomes_a_message_that_knows_where_it_came_from() -> None:
    turn = Turn()
    turn.say("Hello\n", Boundary.NEWLINE, LUNA)
    turn.say("you", Boundary.FINAL)
    assert turn.events == [
        Message("Hello", speaker=LUNA, reply=True, spans=((0, 6),), boundary=Boundary.NEWLINE),
        Message("you", spans=((6, 9),), boundary=Boundary.FINAL),
    ]


def test_only_the_first_message_loses_its_indentation() -> None:
    turn = Turn()
    assert turn.say("  Hello\n") + turn.say("  you\n") == ["Hello", "  you"]


def test_white_space_is_no_message() -> None:
    turn = Turn()
    assert turn.say(" \n") == []
    assert turn.events == [Dropped(" \n", "white space", ((0, 2),))]


def test_a_lone_mark_beside_emoji_is_no_message() -> None:
    turn = Turn()
    assert turn.say("<:hi:1> .") == ["<:hi:1>"]
    assert turn.events[1] == Dropped(".", "fragment", ((8, 9),))
    assert Turn().say("<:hi:1> !") == ["<:hi:1> !"]
    assert Turn().say(".") == ["."]
    assert Turn(rules=False).say("<:hi:1> .") == ["<:hi:1>", "."]


def test_message_records_edits_and_additions() -> None:
    traced = TracedText.added(f"{T}py\n", "reopened") + TracedText.from_spans("x = 1", ((0, 5),))
    traced = traced.replace("rule", [(6, 7, "y")]) + TracedText.added(f"\n{T}", "closed")
    (message,) = Planner(Settings(), Random(0)).feed(NormalizedSegment(traced, Boundary.FINAL))
    assert isinstance(message, Message)
    assert message.content == f"{T}py\ny = 1\n{T}"
    assert message.edits == (Replaced("rule", "x", "y", ((0, 1),)),)
    assert message.added == (Added(f"{T}py\n", "reopened", "before"), Added(f"\n{T}", "closed", "after"))


def test_edits_of_dropped_part_are_reported() -> None:
    traced = TracedText.from_spans("a ", ((0, 2),)).replace("rule", [(0, 1, "")])
    events = Planner(Settings(), Random(0)).feed(NormalizedSegment(traced, Boundary.FINAL))
    assert events == [Replaced("rule", "a", "", ((0, 1),)), Dropped(" ", "white space", ((1, 2),))]


# --- Delays ---------------------------------------------------------------------------------------------

NO_PAUSE = 0.99


def delays(*rolls: float, **settings: Any) -> list[float]:
    turn = Turn(*rolls, **{"typing": "on", **settings})
    for text in ("first", "short", "x" * 200, "x" * 900):
        turn.say(text)
    return [message.delay for message in turn.messages]


def test_the_first_message_goes_at_once_and_the_others_take_their_time() -> None:
    assert delays(NO_PAUSE, NO_PAUSE, NO_PAUSE) == [0.0, 0.75, 2.0, 4.0]


def test_speed_floor_and_cap_are_settings() -> None:
    assert delays(NO_PAUSE, NO_PAUSE, NO_PAUSE, seconds_per_character=0.1, typing_delay_min=1, typing_delay_max=30) == [
        0.0, 1, 20.0, 30,
    ]  # fmt: skip


def test_a_thinking_pause_comes_on_top() -> None:
    assert delays(0.1, 0.5, NO_PAUSE, 0.24, 0.0) == [0.0, 0.75 + 0.875, 2.0, 4.25]
    assert delays(0.0, 0.0, 0.0, pause_chance=0.0) == [0.0, 0.75, 2.0, 4.0]


@pytest.mark.parametrize(
    ("typing", "degree", "waits"),
    [
        ("auto", 0, False),
        ("auto", 1, False),
        ("auto", 2, True),
        ("auto", 3, True),
        ("on", 1, True),
        ("off", 3, False),
    ],
)
def test_typing_is_simulated_at_degrees_2_and_3_unless_told_otherwise(
    typing: str, degree: int, waits: bool
) -> None:
    turn = Turn(NO_PAUSE, typing=typing, degree=degree)
    turn.say("one")
    turn.flush()
    turn.say("two")
    turn.flush()
    assert (turn.messages[1].delay > 0) is waits


# --- Degree 0 -------------------------------------------------------------------------------------------


def test_degree_0_says_all_of_a_phase_at_once() -> None:
    turn = Turn(degree=Degree.NONE)
    assert turn.say("One\n") + turn.say("Two\n\n") + turn.say("Three") == []
    assert turn.flush(Boundary.TOOL_CALL) == ["One\nTwo\n\nThree"]
    assert turn.messages[0].boundary is Boundary.TOOL_CALL
    assert turn.messages[0].spans == ((0, 14),)
    assert turn.flush() == []


def test_a_mark_that_would_show_what_is_hidden_stands_in_another_message() -> None:
    shown = plan_text("So **it was\n\n||a **b** c||", degree=Degree.NONE)

    assert [event.content for event in shown] == ["So **it was", "||a **b** c||"]
    assert [event.piece for event in shown] == [(1, 2), (2, 2)]


def test_another_speaker_begins_another_phase() -> None:
    turn = Turn(degree=Degree.NONE)
    assert turn.say("One\n") == []
    assert turn.say("Two\n", speaker=LUNA) == ["One"]
    assert turn.say("Three\n", speaker=LUNA) == []
    assert turn.flush() == ["Two\nThree"]
    assert [message.speaker for message in turn.messages] == [None, LUNA]


def test_a_queue_of_many_full_messages_is_released_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamcord._text.layout.planner.MAX_QUEUED_MESSAGES", 2)
    turn = Turn(degree=Degree.NONE, message_length=50)
    assert turn.say("x" * 49 + "\n") == []
    assert turn.say("y" * 49 + "\n") == ["x" * 49, "y" * 49]
    assert turn.say("z") == []


def test_a_code_block_that_was_cut_is_released_as_it_is() -> None:
    planner = Planner(Settings(degree=Degree.NONE), Random(0))
    traced = TracedText.from_spans(f"{T}\nx\n", ((0, 6),)) + TracedText.added(T, "closed")
    (message,) = planner.feed(NormalizedSegment(traced, Boundary.OVERFLOW))
    assert isinstance(message, Message)
    assert message.content == f"{T}\nx\n{T}"


def test_lines_can_be_joined_by_blank_lines() -> None:
    turn = Turn(degree=Degree.NONE, join="blank_line")
    for text in ("One\n", "Two\n\n", "Three\n\n\n"):
        turn.say(text)
    turn.say(f"{T}x{T}\n", Boundary.CODE_CLOSE)
    turn.say("Four", Boundary.FINAL)
    assert turn.flush() == [f"One\n\nTwo\n\nThree\n\n{T}x{T}\nFour"]
    assert [edit.rule for edit in turn.messages[0].edits] == ["join", "join"]


# --- Caps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", ["send_message_limit", "message_cap"])
def test_a_turn_is_halted_when_one_more_message_would_pass_its_cap(cap: str) -> None:
    turn = Turn(**{cap: 2}, degree=Degree.HEAVY)
    assert turn.say("One\n") + turn.say("Two\n") == ["One", "Two"]
    assert not any(isinstance(event, Halt) for event in turn.events)
    assert turn.say("Three\n") + turn.say("Four") == []
    assert turn.events[2:] == [
        Halt(cap),  # type: ignore[arg-type]
        Dropped("Three\n", cap, ((8, 14),)),
        Dropped("Four", cap, ((14, 18),)),
    ]


def test_the_limit_of_the_user_comes_before_the_cap_for_safety() -> None:
    turn = Turn(send_message_limit=1, message_cap=1, degree=Degree.HEAVY)
    turn.say("One\n")
    turn.say("Two")
    assert turn.events[1] == Halt("send_message_limit")


def test_last_messages_wait_and_are_merged_only_if_there_are_too_many() -> None:
    turn = Turn(message_cap=4)
    assert [turn.say(f"{number}\n") for number in range(4)] == [["0"], ["1"], ["2"], []]
    assert turn.flush() == ["3"]
    turn = Turn(message_cap=4)
    for number in range(6):
        turn.say(f"{number}\n")
    turn.say(" \n")
    assert turn.flush() == ["3\n4\n5"]
    assert not any(isinstance(event, Halt) for event in turn.events)


def test_messages_that_are_held_are_merged_before_a_tool_call() -> None:
    turn = Turn(message_cap=8)
    for number in range(8):
        turn.say(f"{number}\n")
    assert turn.flush(Boundary.TOOL_CALL) == ["6\n7"]


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("one ", "two", "one two"),
        (f"{T}\none\n{T}\n", "two", f"{T}\none\n{T}\ntwo"),
        ("||one||\n", "two", None),
        ("one\n", "||two||", None),
        (">>> one\n", "two", None),
        ("x" * 60, "y" * 40, None),
    ],
)
def test_messages_are_merged_if_each_looks_as_it_did_alone(
    first: str, second: str, together: str | None
) -> None:
    turn = Turn(message_cap=2, message_length=80)
    turn.say("zero\n")
    said = turn.say(first) + turn.say(second) + turn.flush()
    assert said == ([together] if together else [first.strip()])


def test_part_of_a_span_that_was_cut_is_not_merged() -> None:
    turn = Turn(message_cap=2)
    for text in ("0\n", "1\n"):
        turn.say(text)
    closed = TracedText.from_spans("**2", ((4, 7),)) + TracedText.added("**", "closed")
    turn.take(turn.planner.feed(NormalizedSegment(closed, Boundary.NEWLINE, None)))
    turn.flush()
    assert [message.content for message in turn.messages] == ["0", "1"]


def test_messages_of_two_speakers_are_not_merged() -> None:
    turn = Turn(message_cap=3)
    for text, speaker in (("0\n", None), ("1\n", None), ("2\n", None), ("3\n", None), ("4\n", LUNA)):
        turn.say(text, speaker=speaker)
    assert turn.flush() == []
    assert [message.content for message in turn.messages] == ["0", "1", "2\n3"]


def test_table_comes_after_the_messages_that_are_held() -> None:
    events = plan_text(f"one\n\ntwo\n\n{TABLE}", message_cap=3)
    assert [event.content for event in events if isinstance(event, Message)] == ["one", "two", ""]
    events = plan_text(f"one\n\ntwo\n\n## three\n{TABLE}", message_cap=3)
    assert [event.content for event in events if isinstance(event, Message)] == ["one", "two", "## three"]


def test_no_cap_is_no_cap() -> None:
    turn = Turn(message_cap=0)
    for _ in range(100):
        turn.say("x\n")
    assert len(turn.messages) == 100


def test_what_a_tool_posts_counts_for_the_cap_but_not_for_the_limit_of_the_user() -> None:
    turn = Turn(message_cap=3, send_message_limit=2)
    assert turn.say("One\n") == ["One"]
    assert turn.planner.count_post() == turn.planner.count_post() == []
    assert turn.planner.count_post() == [Halt("message_cap")]
    assert turn.planner.count_post() == []
    assert turn.say("Two") == []


TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def plan_text(text: str, **settings: Any) -> list[Any]:
    pipeline = Pipeline(Settings(**settings))
    return [*pipeline.feed(text), *pipeline.flush()]


@pytest.mark.parametrize("degree", [Degree.NONE, Degree.LIGHT])
def test_a_table_is_a_message_of_its_own(degree: Degree) -> None:
    before, table, after = plan_text(f"Look:\n\n{TABLE}\nNice.", degree=degree)
    assert (before.content, after.content) == ("Look:", "Nice.")
    assert (table.content, len(table.files)) == ("", 1)
    assert table.fallback.startswith("```\n")


def test_a_table_that_comes_too_late_is_dropped_like_any_words() -> None:
    events = plan_text(f"Look:\n\n{TABLE}", degree=Degree.LIGHT, send_message_limit=1)
    assert [type(event) for event in events] == [Message, Halt, Dropped]
    assert events[-1].text == TABLE


LUNA_NAMED = Persona("Luna")
MAD, HAPPY = (Speaker("Luna", f"{name}.png", f"Luna ({name}): ") for name in ("mad", "happy"))
GHOST = Speaker("ghost (Luna)", None, "Luna (ghost): ")
BASE = Speaker("Luna", "luna.png", "")


def names(*speakers: Speaker | None, last: Speaker | None = None) -> list[str | None]:
    looks = NameAlternator(LUNA_NAMED, last)
    assigned = [looks.assign(speaker) for speaker in speakers]
    return [speaker.name if speaker else None for speaker in assigned]


def test_sprites_alternate_and_the_same_look_keeps_its_name() -> None:
    assert names(MAD, HAPPY, HAPPY, MAD, HAPPY) == [
        "Luna",
        "Luna (happy)",
        "Luna (happy)",
        "Luna",
        "Luna (happy)",
    ]


def test_the_base_look_is_a_look() -> None:
    assert names(None, MAD, None, MAD) == [None, "Luna (mad)", None, "Luna (mad)"]
    assert names(MAD, BASE, BASE, HAPPY) == ["Luna", "Luna (base)", "Luna (base)", "Luna"]


def test_identity_sprites_are_distinct_already() -> None:
    assert names(MAD, GHOST, MAD, GHOST) == ["Luna", "ghost (Luna)", "Luna", "ghost (Luna)"]


def test_the_look_of_the_last_turn_counts() -> None:
    assert names(MAD, last=HAPPY) == ["Luna (mad)"]
    assert names(MAD, last=Speaker("Luna (mad)", None, "Luna (mad): ")) == ["Luna (mad)"]
    assert names(MAD, last=Speaker("Luna (happy)", None, "Luna (happy): ")) == ["Luna"]
    assert names(BASE, last=Speaker("Ren", None, "")) == ["Luna"]


# --- Headings above code and tables -------------------------------------------------------------------

CODE = f"{T}py\nx = 1\n{T}\n"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.mark.parametrize("heading", ["## Setup\n", "**Setup**\n\n", "__Setup__:\n"])
@pytest.mark.parametrize("degree", [1, 2])
def test_a_heading_waits_for_the_code_below_it(heading: str, degree: int) -> None:
    turn = Turn(degree=Degree(degree))
    assert turn.say(heading) == []
    assert turn.say(CODE) == [(heading + CODE).strip()]
    assert turn.messages[0].spans == ((0, turn.at),)
    assert turn.flush() == []


@pytest.mark.parametrize("settings", [{"degree": Degree.HEAVY}, {"headings": "alone"}])
def test_a_heading_stands_alone_where_it_should(settings: dict[str, Any]) -> None:
    turn = Turn(**settings)
    assert turn.say("## Setup\n") == ["## Setup"]
    assert turn.say(CODE) == [CODE.strip()]


def test_a_heading_that_heads_no_code_is_let_go() -> None:
    turn = Turn(degree=Degree.LIGHT)
    assert turn.say("# A\n") == []
    assert turn.say("## B\n") == ["# A"]
    assert turn.say("text\n") == ["## B", "text"]
    assert turn.say("## C\n") == []
    assert turn.flush() == ["## C"]


def test_a_heading_with_a_long_paragraph_waits_for_nothing() -> None:
    text = "# The river\n" + "It runs down to the sea. " * 20
    assert Turn(degree=Degree.MEDIUM).say(text) == [text.rstrip()]


@pytest.mark.parametrize("degree", [Degree.LIGHT, Degree.MEDIUM, Degree.HEAVY])
def test_without_rules_a_rule_across_the_page_is_a_line_like_others(degree: Degree) -> None:
    turn = Turn(degree=degree, rules=False)
    assert [*turn.say("One."), *turn.say("***"), *turn.flush()] == ["One.", "***"]


def test_a_heading_of_another_speaker_heads_nothing() -> None:
    turn = Turn(degree=Degree.LIGHT)
    assert turn.say("# A\n", speaker=LUNA) == []
    assert turn.say(CODE) == ["# A", CODE.strip()]


def test_a_heading_goes_with_the_first_part_of_long_code() -> None:
    turn = Turn(degree=Degree.LIGHT, message_length=60)
    turn.say("## H\n")
    first, *others = turn.say(f"{T}\n" + "line of code\n" * 8 + f"{T}\n")
    assert first.startswith(f"## H\n{T}\nline of code\n")
    assert all(part.startswith(f"{T}\n") for part in others)
    assert all(len(part) <= 60 for part in [first, *others])


def test_a_heading_stands_alone_above_code_that_fits_only_without_it() -> None:
    turn = Turn(degree=Degree.LIGHT, message_length=40)
    turn.say("## Heading\n")
    code = f"{T}\n" + "x" * 30 + f"\n{T}"
    assert turn.say(code) == ["## Heading", code]
    turn.say("## " + "long " * 6 + "\n")
    assert turn.say(f"{T}\n" + "line of code\n" * 8 + f"{T}\n")[0] == "## " + "long " * 5 + "long"


@pytest.mark.parametrize("text", [f"# T\n{TABLE}", "**T**\na | b\n---|---\n1 | 2\n"])
def test_a_heading_is_the_words_of_the_picture_of_a_table(text: str) -> None:
    pipeline = Pipeline(Settings(degree=Degree.LIGHT, typing="off"))
    (message,) = [*pipeline.feed(text), *pipeline.flush()]
    assert isinstance(message, Message)
    assert message.content == text.partition("\n")[0]
    assert len(message.files) == 1
    assert message.fallback is not None
    assert message.fallback.startswith(f"{message.content}\n{T}")


def test_a_heading_and_its_table_behind_a_cap_are_told_as_dropped() -> None:
    pipeline = Pipeline(Settings(degree=Degree.LIGHT, send_message_limit=1))
    events = [*pipeline.feed(f"One.\n# T\n{TABLE}"), *pipeline.flush()]
    assert [event.text for event in events if isinstance(event, Dropped)] == [f"# T\n{TABLE}"]


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_rule_is_the_first_line_of_what_follows_it(degree: int) -> None:
    turn = Turn(degree=degree)
    assert turn.say("a\n") == ["a"]
    assert turn.say("────────────\n") == []
    assert turn.say(CODE) == [f"────────────\n{CODE}".strip()]
    assert turn.say("---\n") == []
    assert turn.say("b\n") == ["---\nb"]
    assert turn.say("---\n\n \nb\n") == ["---\nb"]
    assert turn.say("---\n") == []
    assert turn.say("c\n", speaker=LUNA) == ["c"]
    assert turn.events[-2] == Dropped("---\n", "rule", turn.events[-2].spans)  # type: ignore[union-attr]


def test_at_degree_0_a_heading_goes_with_its_table() -> None:
    table = "# One\n**Two**\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    for text, contents in ((table, ["# One\n**Two**"]), (f"x\n{table}", ["x", "# One\n**Two**"])):
        pipeline = Pipeline(Settings(degree=Degree.NONE))
        events = [*pipeline.feed(text), *pipeline.flush()]
        assert [event.content for event in events if isinstance(event, Message)] == contents
    pipeline = Pipeline(Settings(degree=Degree.NONE, headings="alone"))
    events = [*pipeline.feed(table), *pipeline.flush()]
    assert [event.content for event in events if isinstance(event, Message)] == ["# One\n**Two**", ""]

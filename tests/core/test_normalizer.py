"""Stage 6: what a segment says once the rules have run, and what became of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from streamcord.core.normalizer import Normalizer, dress
from streamcord.core.passage import Passage, Utterance
from streamcord.events import Added, Boundary, Degree, Dropped, Replaced, Segment
from streamcord.settings import Persona, Settings

T, Z = "```", "\u200b"


class Room:
    """A normalizer that is given segments, and all that came of them."""

    def __init__(self, **settings: Any) -> None:
        self.normalizer = Normalizer(Settings(**settings))
        self.at = 0
        self.events: list[Utterance | Dropped | Replaced] = []

    def hear(self, text: str, boundary: Boundary = Boundary.NEWLINE, ticks: int = 0) -> list[str]:
        segment = Segment(text, boundary, ((self.at, self.at + len(text)),), ticks=ticks)
        self.at += len(text)
        return self.take(self.normalizer.feed(segment, []))

    def flush(self, boundary: Boundary = Boundary.FINAL) -> list[str]:
        return self.take(self.normalizer.flush(boundary))

    def take(self, events: list[Utterance | Dropped | Replaced]) -> list[str]:
        self.events += events
        return [event.passage.text for event in events if isinstance(event, Utterance)]

    def assert_nothing_is_lost(self) -> None:
        spans: list[tuple[int, int]] = []
        for event in self.events:
            spans += event.passage.spans if isinstance(event, Utterance) else event.spans
            edits = event.passage.edits if isinstance(event, Utterance) else ()
            spans += [span for edit in edits for span in edit.spans]
        assert sorted(at for start, end in spans for at in range(start, end)) == list(range(self.at))


def hear_all(*texts: str, **settings: Any) -> list[str]:
    room = Room(**settings)
    said = [line for text in texts for line in room.hear(text)] + room.flush()
    room.assert_nothing_is_lost()
    return said


def test_plain_text_passes_as_it_is() -> None:
    room = Room()
    assert room.hear("Hello\n", Boundary.PERIOD) == ["Hello\n"]
    assert room.events == [Utterance(Passage.from_spans("Hello\n", ((0, 6),)), Boundary.PERIOD)]


def test_white_space_says_nothing() -> None:
    room = Room()
    assert room.hear(" \n") == []
    assert room.events == [Dropped(" \n", "white space", ((0, 2),))]


# --- Punctuation alone ----------------------------------------------------------------------------------

ORPHANS: dict[str, tuple[list[str], list[str]]] = {
    "a run is put before what follows": (["wait\n", "...\n", "ok"], ["wait\n", "...ok"]),
    "two runs are put before it together": (["...\n", "?!?\n", "ok"], ["...?!?ok"]),
    "a run has its own line before a block": (["...\n", f"{T}\nx\n{T}"], [f"...\n{T}\nx\n{T}"]),
    "a run has its own line before an item": (["... ", "- ok"], ["...\n- ok"]),
    "a run is sent alone at the end": (["ok\n", "..."], ["ok\n", "..."]),
    "an ellipsis is a run": (["…\n", "ok"], ["…ok"]),
    "a lone mark is left over": (["ok\n", ".\n", "yes"], ["ok\n", "yes"]),
    "a lone mark before anything was said is left over": ([".\n", "ok"], ["ok"]),
    "two lone marks are left over": ([".\n", ",\n", "ok"], ["ok"]),
    "a lone mark is said if nothing else is": ([".\n"], [".\n"]),
    "the last lone mark is said if nothing else is": ([".\n", ",\n"], [",\n"]),
    "a run is said and a lone mark is not": ([".\n", "...\n"], ["...\n"]),
    "a lone mark after all is left over": (["ok\n", "."], ["ok\n"]),
    "a question is something said": (["ok\n", "?"], ["ok\n", "?"]),
    "one character may be content": (["好\n", "=\n", "5"], ["好\n", "=\n", "5"]),
}


@pytest.mark.parametrize(("texts", "expected"), ORPHANS.values(), ids=ORPHANS)
def test_punctuation_alone_is_no_utterance(texts: list[str], expected: list[str]) -> None:
    assert hear_all(*texts) == expected


@pytest.mark.parametrize("settings", [{"rules": False}, {"degree": Degree.NONE}])
def test_punctuation_alone_stays_where_lines_stay(settings: dict[str, Any]) -> None:
    assert hear_all("ok\n", ".\n", "...\n", "yes", **settings) == ["ok\n", ".\n", "...\n", "yes"]


def test_what_is_left_over_is_recorded() -> None:
    room = Room()
    room.hear("ok\n")
    room.hear(".\n")
    assert room.events[1] == Dropped(".\n", "fragment", ((3, 5),))


def test_what_was_held_ends_with_the_phase() -> None:
    room = Room()
    room.hear("...")
    assert room.flush(Boundary.TOOL_CALL) == ["..."]
    assert room.events == [Utterance(Passage.from_spans("...", ((0, 3),)), Boundary.TOOL_CALL)]
    assert room.flush() == []
    assert room.hear("ok") == ["ok"]


def test_after_a_phase_a_lone_mark_may_be_all_that_is_said() -> None:
    room = Room()
    room.hear("ok")
    room.flush()
    room.hear(".")
    assert room.flush() == ["."]


# --- Rules ----------------------------------------------------------------------------------------------

LUNA: dict[str, Any] = {"persona": Persona("Luna", ("Moony",))}


def test_the_own_name_before_a_line_goes() -> None:
    assert hear_all("Luna: hi\n", "**Moony:** you", **LUNA) == ["hi\n", "you"]
    assert hear_all("I am Luna: yes\n", "`Luna: x`", **LUNA) == ["I am Luna: yes\n", "`Luna: x`"]
    assert hear_all("Luna: hi") == ["Luna: hi"]


def test_a_name_in_mid_line_stays_although_a_segment_begins_there() -> None:
    assert hear_all("Meet: ", "Luna: x\n", "Luna: y", **LUNA) == ["Meet: ", "Luna: x\n", "y"]


def test_the_name_goes_before_held_punctuation_is_put_there() -> None:
    assert hear_all("...\n", "Luna: hi", **LUNA) == ["...hi"]


def test_a_line_of_the_name_alone_says_nothing() -> None:
    room = Room(**LUNA)
    assert room.hear("Luna:\n") == []
    assert room.events == [
        Replaced("own name", "Luna:", "", ((0, 5),)),
        Dropped("\n", "white space", ((5, 6),)),
    ]
    assert room.hear("Luna:") == []
    assert room.events[2:] == [Replaced("own name", "Luna:", "", ((6, 11),))]


def test_an_operator_is_escaped() -> None:
    assert hear_all("a || b\n", "it was ||Bob||") == [r"a \|\| b" + "\n", "it was ||Bob||"]


def test_code_is_left_alone() -> None:
    block = f"{T}\nLuna: a || b\n{T}"
    assert Room(**LUNA).hear(block, ticks=3) == [block]
    assert hear_all(f"||see\n{block}||\n", **LUNA) == [f"||see\n{block}||\n"]


def test_rules_can_be_off() -> None:
    assert hear_all("Luna: a || b", rules=False, **LUNA) == ["Luna: a || b"]


# --- How a segment is dressed ---------------------------------------------------------------------------


def test_a_part_of_a_code_block_is_opened_and_closed() -> None:
    segment = Segment("x\n", Boundary.OVERFLOW, ((9, 11),), f"{T}py\n", T, 3)
    passage = dress(segment, [])
    assert passage.text == f"{T}py\nx\n{T}"
    assert passage.spans == ((9, 11),)
    assert passage.additions == (Added(f"{T}py\n", "reopened"), Added(T, "closed"))


def test_a_closer_stands_before_white_space_but_not_in_code() -> None:
    assert dress(Segment("a **b \n", Boundary.FINAL, ((0, 7),), suffix="**"), []).text == "a **b** \n"
    assert (
        dress(Segment(f"{T}\nx\n", Boundary.FINAL, ((0, 6),), suffix=T, ticks=3), []).text == f"{T}\nx\n{T}"
    )


def test_a_block_of_four_backticks_becomes_one_of_three() -> None:
    text = f"`{T}md\n{T}js\n`{T}"
    passage = dress(Segment(text, Boundary.FINAL, ((0, len(text)),), ticks=4), [])
    assert passage.text == f"{T}md\n`{Z}`{Z}`js\n{T}"
    assert {edit.rule for edit in passage.edits} == {"four backticks"}
    part = Segment(f"{T}js\n", Boundary.OVERFLOW, ((0, 6),), f"{T}md\n", T, 4)
    assert dress(part, []).text == f"{T}md\n`{Z}`{Z}`js\n{T}"


def repair(at: int, before: str, after: str) -> Replaced:
    return Replaced("repair", before, after, ((at, at + len(before)),))


def test_repaired_characters_are_no_source() -> None:
    # The source is "a\r\nb\ud800c\0".
    repairs = [repair(1, "\r", ""), repair(4, "\ud800", "\ufffd"), repair(6, "\0", "")]
    segment = Segment("a\nb\ufffdc", Boundary.FINAL, ((0, 1), (2, 6)))
    passage = dress(segment, repairs)
    assert passage.text == "a\nb\ufffdc"
    assert passage.edits == tuple(repairs)
    assert passage.spans == ((0, 1), (2, 4), (5, 6))


def test_a_joined_pair_counts_as_two_in_the_source() -> None:
    segment = Segment("a😀b", Boundary.FINAL, ((0, 2), (3, 4)))
    passage = dress(segment, [repair(1, "\ud83d\ude00", "😀")])
    assert passage.spans == ((0, 1), (3, 4))
    assert passage.written == "ab"


def test_a_repair_before_the_segment_is_told_by_it() -> None:
    segment = Segment("b", Boundary.FINAL, ((5, 6),))
    passage = dress(segment, [repair(4, "\0", "")])
    assert passage.edits == (repair(4, "\0", ""),)
    assert (passage.text, passage.spans) == ("b", ((5, 6),))


def test_repairs_are_told_although_nothing_is_said() -> None:
    normalizer = Normalizer(Settings())
    segment = Segment(" \n", Boundary.FINAL, ((0, 1), (2, 3)))
    assert normalizer.feed(segment, [repair(1, "\r", "")]) == [
        Dropped(" \n", "white space", ((0, 1), (2, 3))),
        repair(1, "\r", ""),
    ]

"""Passages: however they are cut, joined and edited, every source character is accounted for once."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from streamcord._events import Added, Replaced, Spans
from streamcord._text.markdown.delimiter_stack import Span
from streamcord._text.traced_text import SECRET, Run, SourceMap, TracedText, join_traced

if TYPE_CHECKING:
    from collections.abc import Iterator


def source(text: str, start: int = 0) -> TracedText:
    return TracedText.from_spans(text, ((start, start + len(text)),))


HOLED = TracedText.from_spans("Hello world", ((0, 6), (20, 25)))


def account(*traced_texts: TracedText) -> list[int]:
    """Every source position that a passage shows or says it replaced, in order."""
    spans: list[tuple[int, int]] = []
    for traced in traced_texts:
        spans += traced.spans
        spans += [span for edit in traced.edits for span in edit.spans]
    return [at for start, end in sorted(spans) for at in range(start, end)]


def test_source_text_knows_its_ranges() -> None:
    assert HOLED.spans == ((0, 6), (20, 25))
    assert HOLED.written == "Hello world"
    assert (HOLED.edits, HOLED.additions) == ((), ())


def test_ranges_that_touch_are_one() -> None:
    assert (source("ab") + source("cd", 2)).spans == ((0, 4),)
    assert (source("ab") + source("cd", 3)).spans == ((0, 2), (3, 5))


def test_nothing_has_no_ranges() -> None:
    assert TracedText.from_spans("", ((3, 3),)).spans == ()


def test_added_text_is_no_source() -> None:
    traced = TracedText.added("```\n", "reopened") + source("x")
    assert traced.text == "```\nx"
    assert (traced.written, traced.spans) == ("x", ((0, 1),))
    assert traced.additions == (Added("```\n", "reopened"),)


def test_nothing_added_leaves_no_trace() -> None:
    assert TracedText.added("", "reopened") == TracedText("", ())


@pytest.mark.parametrize(
    ("start", "end", "text", "spans"),
    [
        (0, 11, "Hello world", ((0, 6), (20, 25))),
        (0, 99, "Hello world", ((0, 6), (20, 25))),
        (0, 5, "Hello", ((0, 5),)),
        (6, 11, "world", ((20, 25),)),
        (4, 8, "o wo", ((4, 6), (20, 22))),
        (3, 3, "", ()),
    ],
)
def test_a_part_knows_its_ranges(start: int, end: int, text: str, spans: Spans) -> None:
    part = HOLED.cut(start, end)
    assert (part.text, part.spans) == (text, spans)


def test_a_replacement_is_recorded_with_what_it_replaced() -> None:
    traced = source("Luna: hi there").replace("own name", [(0, 6, ""), (9, 14, "you")])
    assert traced.text == "hi you"
    assert traced.written == "hi "
    assert traced.spans == ((6, 9),)
    assert traced.edits == (
        Replaced("own name", "Luna: ", "", ((0, 6),)),
        Replaced("own name", "there", "you", ((9, 14),)),
    )


def test_an_edit_of_what_another_has_changed_is_none() -> None:
    assert source("abcdef").replace("r", [(0, 3, "x"), (2, 4, "y"), (5, 6, "z")]).text == "xdez"


def test_a_replacement_over_a_hole_has_two_ranges() -> None:
    traced = HOLED.replace("rule", [(4, 8, "-")])
    assert traced.text == "Hell-rld"
    assert traced.edits == (Replaced("rule", "o wo", "-", ((4, 6), (20, 22))),)


@pytest.mark.parametrize("traced", [source("abc"), HOLED.cut(4, 7)])
def test_an_insertion_replaces_nothing(traced: TracedText) -> None:
    old = traced.text
    for at in range(4):
        edited = traced.replace("rule", [(at, at, "-")])
        assert edited.text == old[:at] + "-" + old[at:]
        assert edited.edits == (Replaced("rule", "", "-", ()),)
        assert edited.spans == traced.spans


def test_what_was_replaced_before_goes_into_the_record_of_what_replaces_it() -> None:
    once = source("a || b").replace("operator", [(2, 4, r"\|\|")])
    twice = once.replace("humanizer", [(0, len(once.text), "")])
    assert twice.text == ""
    assert [(edit.before, edit.after) for edit in twice.edits] == [("a  b", ""), ("||", "")]
    assert account(twice) == [0, 1, 2, 3, 4, 5]


def test_an_insertion_that_is_changed_is_still_its_first_rule() -> None:
    once = source("a||b").replace("operator", [(1, 3, r"\|\|")])
    twice = once.replace("later", [(1, 5, "or")])
    assert twice.text == "aorb"
    assert twice.edits == (Replaced("operator", "||", "or", ((1, 3),)),)


def test_text_before_an_insertion_is_recorded_for_its_rule() -> None:
    once = source("a?b").replace("repair", [(1, 2, "!")])
    twice = once.replace("spoiler", [(1, 2, "||!")])
    assert twice.edits == (Replaced("spoiler", "?", "||!", ((1, 2),)),)


def test_what_was_there_stays_with_what_is_there_still() -> None:
    whole = source("a|b").replace("spoiler", [(1, 2, "\u200b|")])
    assert whole.cut(0, 2).edits == ()
    assert whole.cut(0, 2).additions == (Added("\u200b", "spoiler"),)
    assert whole.cut(2, 4).edits == (Replaced("spoiler", "|", "|", ((1, 2),)),)


def test_half_an_insertion_is_changed_as_a_whole() -> None:
    once = source("a||b").replace("operator", [(1, 3, r"\|\|")])
    assert once.replace("later", [(0, 2, "x")]).text == r"x|\|b"
    assert once.replace("later", [(4, 6, "x")]).text == r"a\|\x"
    twice = once.replace("later", [(4, 6, "x"), (6, 6, "")])
    assert account(twice) == [0, 1, 2, 3]
    within = once.replace("later", [(2, 3, "x"), (4, 5, "y")])
    assert within.text == r"a\x\yb"
    assert within.edits == (Replaced("operator", "||", r"\x\y", ((1, 3),)),)
    assert once.replace("later", [(2, 4, "x"), (3, 5, "y")]).text == r"a\x|b"
    assert once.replace("later", [(2, 3, "x"), (4, 6, "y")]).text == r"a\x\y"


def test_what_was_added_and_is_changed_is_still_added() -> None:
    traced = (TracedText.added("Sure, ", "prefill") + source("yes")).replace("later", [(0, 4, "Well")])
    assert traced.text == "Well, yes"
    assert "".join(added.text for added in traced.additions) == "Well, "
    assert traced.edits == ()


@pytest.mark.parametrize("at", range(5))
def test_a_cut_replacement_is_recorded_in_parts(at: int) -> None:
    traced = source("a||b").replace("operator", [(1, 3, r"\|\|")])
    before, behind = traced.cut(0, at), traced.cut(at, 6)
    assert before.text + behind.text == r"a\|\|b"
    edits = [*before.edits, *behind.edits]
    assert "".join(edit.before for edit in edits) == "||"
    assert "".join(edit.after for edit in edits) == r"\|\|"
    assert account(before, behind) == [0, 1, 2, 3]


def test_a_cut_addition_is_recorded_in_parts() -> None:
    traced = TracedText.added("```py\n", "reopened") + source("x")
    assert traced.cut(0, 3).additions == (Added("```", "reopened"),)
    assert traced.cut(3, 7).additions == (Added("py\n", "reopened"),)


def test_a_removal_at_a_cut_is_recorded_in_the_part_before_it() -> None:
    traced = source("ab").replace("rule", [(1, 2, "")]) + source("c", 2)
    before, behind = traced.cut(0, 1), traced.cut(1, 2)
    assert len(before.edits) == 1
    assert behind.edits == ()


def test_a_removal_at_the_start_is_recorded_in_the_first_part() -> None:
    traced = source("abc").replace("rule", [(0, 1, "")])
    assert len(traced.cut(0, 1).edits) == 1
    assert traced.cut(1, 2).edits == ()


@pytest.mark.parametrize("seed", range(40))
def test_random_edits_lose_and_repeat_nothing(seed: int) -> None:
    random = Random(seed)
    traced = TracedText.from_spans("abcdefghij", ((0, 4), (10, 13), (20, 23)))
    everything = account(traced)
    for step in range(4):
        places = sorted(random.sample(range(len(traced.text) + 1), k=4))
        after = random.choice(("", "-", "xyz"))
        edits = [(places[0], places[1], after), (places[2], places[3], "")]
        traced = traced.replace(f"rule {step}", edits)
        traced = random.choice((traced, TracedText.added("+", "opened") + traced)) + TracedText.added(
            "++", "closed"
        )
    cuts = [0, *sorted(random.sample(range(1, len(traced.text)), k=2)), len(traced.text)]
    parts = [traced.cut(start, end) for start, end in pairwise(cuts)]
    assert "".join(part.text for part in parts) == traced.text
    assert account(*parts) == everything
    assert all(sum(length for length, _, _ in part.runs) == len(part.text) for part in parts)


def test_account_returns_spans_edits_and_additions() -> None:
    traced = TracedText.added("> ", "reopened") + TracedText.from_spans("Hello there", ((0, 5), (5, 11)))
    traced = traced.replace("humanizer", [(2, 3, "h")])
    assert traced.account() == (traced.spans, traced.edits, traced.additions)
    assert traced.account()[0] == ((1, 11),)
    assert TracedText("", ()).account() == ((), (), ())


def test_a_record_behind_what_is_replaced_stays_behind_it() -> None:
    ticks = TracedText.from_spans("`````", ((0, 5),))
    repaired = TracedText("", ((0, None, Replaced("repair", "\r", "", ((5, 6),))),))
    traced = (ticks + repaired).replace("four backticks", [(0, 5, "```")])
    assert [edit.spans for edit in traced.edits] == [((0, 5),), ((5, 6),)]
    early = TracedText("", ((0, None, Replaced("repair", "\r", "", ((0, 1),))),))
    moved = (TracedText.from_spans("a", ((0, 1),)) + early + TracedText.from_spans("bc", ((2, 4),))).replace(
        "x", [(0, 3, "z")]
    )
    assert [edit.rule for edit in moved.edits] == ["repair", "x"]


class Counted(tuple[Run, ...]):
    """Runs that count how often one of them is looked at."""

    __slots__ = ()
    looks = 0

    def __getitem__(self, index: Any) -> Any:
        Counted.looks += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Run]:
        for run in super().__iter__():
            Counted.looks += 1
            yield run


def test_many_edits_of_many_runs_look_at_each_run_a_few_times() -> None:
    size = 4000
    once = source("ab" * size).replace("one", [(2 * n, 2 * n + 1, "xy") for n in range(size)])
    traced = TracedText(once.text, Counted(once.runs))
    Counted.looks = 0
    twice = traced.replace("two", [(3 * n + 2, 3 * n + 3, "c") for n in range(size)])
    assert twice.text == "xyc" * size
    assert Counted.looks < 12 * len(traced.runs)


def test_many_parts_of_many_runs_look_at_each_run_a_few_times() -> None:
    size = 4000
    once = source("ab" * size).replace("one", [(2 * n, 2 * n + 1, "xy") for n in range(size)])
    traced = TracedText(once.text, Counted(once.runs))
    Counted.looks = 0
    parts = [traced.cut(3 * n, 3 * n + 3) for n in range(size)]
    assert {part.text for part in parts} == {"xyb"}
    assert Counted.looks < 12 * len(traced.runs)


@pytest.mark.parametrize("seed", range(30))
def test_a_part_of_many_runs_is_what_it_is_of_few(seed: int) -> None:
    random = Random(seed)
    places = sorted(random.sample(range(200), 60))
    edits = [(a, b, random.choice(("", "x", "xyz"))) for a, b in pairwise(places)][::2]
    many = source("ab" * 100).replace("one", edits)
    start, end = sorted(random.sample(range(len(many.text) + 1), 2))
    whole = account(many)
    parts = many.cut(0, start), many.cut(start, end), many.cut(end, len(many.text))
    assert "".join(part.text for part in parts) == many.text
    assert account(*parts) == whole
    assert many.replace("two", [(start, end, "new")]).text == many.text[:start] + "new" + many.text[end:]


def test_each_edit_may_be_of_a_rule_of_its_own() -> None:
    edits = [(0, 1, "A"), (4, 5, "E")]
    plain = TracedText.from_spans("a b e", ((0, 5),)).replace(("one", "two"), edits)
    known = TracedText.from_spans("a b e", ((0, 5),)).replace("known", [(2, 3, "xyz")])
    inside = known.replace(("one", "two"), [(0, 1, "A"), (3, 4, "Y")])  # half of what a rule has put there
    assert (plain.text, [edit.rule for edit in plain.edits]) == ("A b E", ["one", "two"])
    assert (inside.text, [edit.rule for edit in inside.edits]) == ("A xYz e", ["one", "known"])


def test_what_must_stay_whole_moves_with_quiet_edits() -> None:
    traced = TracedText.from_spans("a **b** c", ((0, 9),), (Span("**", 2, 7),))
    once = traced.replace("mention", [(0, 1, "<@1>")])
    assert once.atomic_spans == (Span("<", 0, 4), Span("**", 5, 10))
    assert once.replace("word", [(11, 12, "d")]).atomic_spans == once.atomic_spans
    assert traced.replace("convert markdown", [(0, 1, "**")]).atomic_spans is None


def test_text_without_holes_is_one_range() -> None:
    origins = SourceMap(10)
    origins.add(3, 13)
    assert origins.source(5) == 15
    assert origins.spans(1, 5) == ((11, 15),)


def test_a_hole_makes_two_ranges() -> None:
    origins = SourceMap()
    origins.add(5, 25)
    assert [origins.source(at) for at in (0, 4, 5, 6)] == [0, 4, 25, 26]
    assert origins.spans(3, 7) == ((3, 5), (25, 27))
    assert origins.spans(0, 5) == ((0, 5),)
    assert origins.spans(5, 6) == ((25, 26),)


def test_an_empty_piece_has_no_range() -> None:
    assert SourceMap().spans(2, 2) == ()


def test_letting_go_keeps_what_is_behind() -> None:
    origins = SourceMap()
    origins.add(5, 25)
    origins.add(9, 50)
    origins.shift(6)
    assert origins.spans(0, 5) == ((26, 29), (50, 52))


def test_letting_go_up_to_a_hole_starts_behind_it() -> None:
    origins = SourceMap()
    origins.add(5, 25)
    origins.shift(5)
    assert origins.spans(0, 2) == ((25, 27),)


def test_characters_can_come_first_again() -> None:
    origins = SourceMap(30)
    origins.unshift(2, 7)
    assert origins.spans(0, 4) == ((7, 9), (30, 32))


@pytest.mark.parametrize("seed", range(20))
def test_every_character_is_where_a_plain_list_says(seed: int) -> None:
    random = Random(seed)
    origins, places, source = SourceMap(), [0], 0
    for _ in range(40):
        count, hole = random.randrange(4), random.choice((0, 0, 3))
        source = places[-1] + 1 + hole
        origins.add(len(places), source)
        places += range(source, source + count + 1)
        if random.random() < 0.3:
            gone = random.randrange(len(places))
            origins.shift(gone)
            places = places[gone:]
    start, end = sorted(random.sample(range(len(places) + 1), 2))
    assert [origins.source(at) for at in range(len(places))] == places
    assert [at for first, last in origins.spans(start, end) for at in range(first, last)] == places[start:end]


def test_without_a_jump_a_piece_is_one_range_and_nothing_is_none() -> None:
    origins = SourceMap(7)
    assert origins.spans(2, 5) == ((9, 12),)
    assert origins.spans(3, 3) == ()


def test_a_record_about_a_secret_says_only_how_long_it_was() -> None:
    plain = source("a key b").replace(SECRET, [(2, 5, "-")])
    again = source("a key b").replace("other", [(2, 3, "K")]).replace(SECRET, [(0, 5, "-")])

    assert [edit.before for edit in plain.edits] == ["***"]
    assert "y" not in "".join(edit.before for edit in again.edits)
    assert [edit.before for edit in again.edits if edit.rule == SECRET] == ["****"]


def test_a_part_of_a_replacement_that_stands_for_nothing_is_an_addition() -> None:
    traced = source("ab").replace("rule", [(1, 2, "long")])
    parts = [traced.cut(at, at + 1) for at in range(5)]
    assert [part.additions for part in parts[2:]] == [(Added(one, "rule"),) for one in "ong"]
    assert [edit.before for part in parts for edit in part.edits] == ["b"]
    assert account(*parts) == [0, 1]
    inserted = source("ab").replace("rule", [(1, 1, "xy")])
    assert inserted.cut(1, 2).additions == (Added("x", "rule"),)


def test_a_repair_inside_replaced_text_is_recorded_after_it() -> None:
    traced = source("a") + source("bcd", 1).replace("repair", [(1, 2, "")])
    later = traced.replace("rule", [(1, 3, "x")])
    assert later.cut(0, 1).edits == ()
    assert [edit.rule for edit in later.cut(1, 2).edits] == ["rule", "repair"]


def test_lines_that_are_joined_keep_what_must_stay_whole() -> None:
    first = TracedText.from_spans("a *b* c\n", ((0, 8),), (Span("*", 2, 5),))
    second = TracedText.from_spans("@d (e)", ((8, 14),), (Span("(", 3, 6),)).replace("x", [(0, 2, "<@1>")])
    joined = join_traced([first, second])
    assert joined.text == "a *b* c\n<@1> (e)"
    assert joined.atomic_spans == (Span("*", 2, 5), Span("<", 8, 12), Span("(", 13, 16))
    assert joined.runs == first.runs + second.runs


@pytest.mark.parametrize("text", ["a \\* b", "a || b", "```", "@d*e*"])
def test_what_joined_lines_may_mean_otherwise_is_read_anew(text: str) -> None:
    line = TracedText.from_spans(text, ((0, len(text)),), ())
    edited = line.replace("x", [(0, 2, "<@1>")]) if text.startswith("@") else line
    assert join_traced([edited]).atomic_spans is None
    assert join_traced([TracedText("a", line.runs)]).atomic_spans is None


def test_spans_are_certain_until_an_edit_may_change_them() -> None:
    line = TracedText.from_spans("@d *e*\n", ((0, 7),), (Span("*", 3, 6),))
    quiet = line.replace("x", [(0, 2, "<@1>")])
    assert line.has_certain_spans
    assert quiet.has_certain_spans
    assert not quiet.replace("y", [(0, 4, "**")]).has_certain_spans
    assert not line.replace("y", [(3, 4, "")]).replace("x", [(0, 2, "<@1>")]).has_certain_spans
    assert not source("no idea").has_certain_spans


def test_a_cut_at_the_end_keeps_the_last_run() -> None:
    joined = join_traced([source("ab"), source("cd", 10)])
    assert joined.cut(1, 4).text == "bcd"
    assert joined.cut(1, 4).spans == ((1, 2), (10, 12))

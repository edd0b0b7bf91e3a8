"""Openers and the places between them: what a closer deletes, and when a place is certain."""

from __future__ import annotations

from time import thread_time

import pytest

from streamcord._events import Boundary
from streamcord._text.markdown.delimiter_stack import NEVER, DelimiterStack, Span
from streamcord._text.markdown.line_kinds import Line
from whole_texts import messages_of


def with_places(*places: int | tuple[str, int]) -> DelimiterStack:
    """Places to cut (numbers) and delimiters (marker and position), in the order of the text."""
    delimiters = DelimiterStack()
    for place in places:
        if isinstance(place, int):
            delimiters.add_break(place, Boundary.NEWLINE, Line.PROSE, Line.PROSE, blank=False)
        else:
            delimiters.push(*place, reach=100, one_line=place[0] == "[")
    return delimiters


def take_all(delimiters: DelimiterStack) -> list[int]:
    taken = []
    while place := delimiters.pop_break():
        taken.append(place.at)
    return taken


def test_places_are_taken_in_order_once() -> None:
    delimiters = with_places(5, 9)
    assert take_all(delimiters) == [5, 9]
    assert take_all(delimiters) == []


def test_a_place_may_be_named_before_the_line_behind_it_is_known() -> None:
    delimiters = with_places(5)
    delimiters.add_break(9, Boundary.NEWLINE, Line.PROSE, None, blank=False)
    delimiters.set_next_line_kind(Line.ITEM)
    delimiters.set_next_line_kind(Line.QUOTE)
    assert [place.after for place in delimiters.breaks] == [Line.PROSE, Line.ITEM]
    assert take_all(delimiters) == [5, 9]
    delimiters.set_next_line_kind(Line.QUOTE)
    assert delimiters.breaks == []


def test_an_open_marker_holds_the_places_behind_it() -> None:
    delimiters = with_places(5, ("(", 8), 12)
    assert delimiters.floor == 8
    assert take_all(delimiters) == [5]


def test_a_place_right_before_a_marker_is_certain() -> None:
    assert take_all(with_places(8, ("(", 8))) == [8]


def test_a_closer_deletes_the_places_since_its_delimiter() -> None:
    delimiters = with_places(5, ("(", 8), 12)
    assert delimiters.close("(", 15, 16)
    delimiters.add_break(20, Boundary.NEWLINE, Line.PROSE, Line.PROSE, blank=False)
    assert take_all(delimiters) == [5, 20]
    assert delimiters.spans == [Span("(", 8, 16)]
    assert delimiters.floor == delimiters.expiry == NEVER


def test_a_closer_deletes_none_of_the_places_that_were_taken_before() -> None:
    delimiters = with_places(2, 5, ("(", 8), 12)
    assert take_all(delimiters) == [2, 5]
    delimiters.add_break(13, Boundary.NEWLINE, Line.PROSE, Line.PROSE, blank=False)
    assert delimiters.close("(", 15, 16)
    assert delimiters.breaks == []


def test_a_closer_discards_the_delimiters_between() -> None:
    delimiters = with_places(("(", 1), 3, ('"', 4), ("**", 6), 9)
    assert delimiters.close('"', 10, 11)
    assert "**" not in delimiters
    assert '"' not in delimiters
    assert "(" in delimiters
    assert [place.at for place in delimiters.breaks] == [3]
    assert not delimiters.close("**", 12, 14)


def test_a_closer_closes_the_nearest_delimiter_of_its_kind() -> None:
    delimiters = with_places(("(", 1), ("(", 4))
    assert delimiters.find("(", 6) == 1
    assert delimiters.close("(", 6, 7)
    assert delimiters.close("(", 8, 9)
    assert delimiters.spans == [Span("(", 4, 7), Span("(", 1, 9)]


def test_a_closer_without_delimiter_is_text() -> None:
    delimiters = with_places(("(", 1), 3)
    assert delimiters.find('"', 5) is None
    assert not delimiters.close('"', 5, 6)
    assert delimiters.spans == []
    assert [place.at for place in delimiters.breaks] == [3]


def test_a_span_may_have_a_name_of_its_own() -> None:
    delimiters = with_places(("[", 1))
    assert delimiters.close("[", 4, 9, name="link")
    assert delimiters.spans == [Span("link", 1, 9)]


def test_an_delimiter_is_closed_up_to_its_reach_and_no_further() -> None:
    assert with_places(("(", 5)).close("(", 105, 106)
    delimiters = with_places(("**", 3), ("(", 4), 6, ("(", 5))
    assert not delimiters.close("(", 106, 107)
    assert "(" not in delimiters
    assert [opener.mark for opener in delimiters.stack] == ["**"]
    assert delimiters.close("**", 12, 14)


def test_openers_out_of_reach_hold_nothing() -> None:
    delimiters = with_places(("(", 5), 7, ('"', 50), 60)
    assert delimiters.expiry == 106
    delimiters.expire(105, "")
    assert take_all(delimiters) == []
    delimiters.expire(106, "")
    assert "(" not in delimiters
    assert take_all(delimiters) == [7]
    delimiters.expire(500, "")
    assert take_all(delimiters) == [60]


def test_an_delimiter_can_turn_out_to_be_none() -> None:
    delimiters = with_places(("(", 1), 2, ("[", 3), ('"', 4))
    delimiters.drop("[", 6)
    delimiters.drop("[", 6)
    assert "[" not in delimiters
    assert '"' in delimiters
    assert [place.at for place in delimiters.breaks] == [2]


def test_some_delimiters_end_with_their_line() -> None:
    delimiters = with_places(("**", 1), ("[", 3), ("(", 5))
    delimiters.end_line(3)
    assert "[" not in delimiters
    assert [opener.mark for opener in delimiters.stack] == ["**", "("]
    assert delimiters.close("(", 9, 10)
    assert "(" not in delimiters


def test_the_delimiters_of_earlier_lines_stay_when_a_line_ends() -> None:
    delimiters = with_places(("**", 1), ("(", 5))
    delimiters.end_line(9)
    assert [opener.mark for opener in delimiters.stack] == ["**", "("]


def test_only_spoilers_run_over_the_end_of_a_paragraph() -> None:
    delimiters = with_places(("(", 1), ("||", 3), ("**", 5), 7)
    delimiters.end_paragraph()
    delimiters.end_paragraph()
    assert [opener.mark for opener in delimiters.stack] == ["||"]
    assert "||" in delimiters
    assert "(" not in delimiters
    assert take_all(delimiters) == []
    assert delimiters.close("||", 9, 11)


def test_a_paragraph_without_delimiters_ends_quietly() -> None:
    delimiters = with_places(3)
    delimiters.end_paragraph()
    assert take_all(delimiters) == [3]


def test_at_the_end_of_the_text_nothing_is_open() -> None:
    delimiters = with_places(("(", 1), 3, ("||", 5), 7)
    delimiters.flush()
    assert take_all(delimiters) == [3, 7]
    assert "||" not in delimiters


def test_what_we_close_ourselves_has_no_places_inside() -> None:
    delimiters = with_places(3, ("**", 5), 7)
    delimiters.drop_breaks_after(5)
    delimiters.flush()
    assert take_all(delimiters) == [3]


def test_positions_move_when_the_text_before_is_let_go_of() -> None:
    delimiters = with_places(("(", 2))
    assert delimiters.close("(", 12, 13)
    delimiters.push("||", 25, 100)
    delimiters.add_break(30, Boundary.NEWLINE, Line.PROSE, Line.PROSE, blank=False)
    delimiters.shift(10, 20)
    assert delimiters.floor == 15
    assert [place.at for place in delimiters.breaks] == [20]
    assert delimiters.spans == []
    assert delimiters.close("||", 40, 42)
    assert delimiters.spans == [Span("||", 15, 42)]


def test_a_span_that_reaches_into_what_is_kept_is_kept() -> None:
    delimiters = with_places(("(", 2))
    assert delimiters.close("(", 19, 20)
    delimiters.push("(", 14, 100)
    assert delimiters.close("(", 20, 21)
    delimiters.shift(10, 20)
    assert delimiters.spans == [Span("(", 4, 11)]


def test_a_slice_knows_its_own_spans_from_its_start() -> None:
    places = DelimiterStack()
    for mark, start, end in (("(", 2, 5), ("'", 6, 9), ("**", 12, 20), ("(", 18, 25)):
        places.spans.append(Span(mark, start, end))
    assert places.within(0, 10) == (("(", 2, 5),)
    assert places.within(10, 20) == (("**", 2, 10),)
    assert places.within(0, 20) == (("(", 2, 5), ("**", 12, 20))
    assert places.within(5, 6) == ()
    assert DelimiterStack().within(0, 10) == ()


def test_a_spoiler_without_an_end_in_sight_leaves_closed_and_goes_on() -> None:
    parts = messages_of("x ||" + "word " * 1000 + "end", degree=2)

    assert len(parts) > 2
    assert parts[0].startswith("x ||word")
    assert all(part.endswith("||") for part in parts)
    assert all(part.startswith("||") for part in parts[1:])


def test_what_was_open_inside_such_a_spoiler_ends_with_its_part() -> None:
    parts = messages_of("x ||a\nb **c\n" + "word " * 900 + "** d\ne|| f\ng", degree=2)

    assert parts[-1] == "g"
    assert all(part.count("||") == 2 for part in parts[:-1])


def test_emphasis_before_a_spoiler_does_not_end_inside_it() -> None:
    assert messages_of("**a ||b** c||", degree=2) == [r"**a ||b\*\* c||**"]


def test_bars_out_of_reach_were_an_operator() -> None:
    first, *rest = messages_of("x || " + "word " * 200 + "\n\ny", degree=2)

    assert first.startswith(r"x \|\| word")
    assert rest[-1] == "y"


def test_a_spoiler_of_one_endless_word_is_cut_in_it() -> None:
    parts = messages_of("||" + "x" * 5000, degree=2)

    assert "".join(part.strip("|") for part in parts) == "x" * 5000
    assert all(part.startswith("||") and part.endswith("||") for part in parts)


def test_code_behind_the_end_of_a_hold_stays_whole() -> None:
    parts = messages_of("||" + "a " * 1960 + "`b c` " * 200 + "\nend", degree=2)

    assert all(part.count("`") % 2 == 0 for part in parts)
    assert sum(part.count("`b c`") for part in parts) == 200


@pytest.mark.parametrize("text", ["several || long words here\n\ny", "several || long words here"])
def test_loose_pipes_that_nothing_closes_are_an_operator(text: str) -> None:
    assert messages_of(text, degree=2)[0] == r"several \|\| long words here"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("||a\n- ||Tom||\n- with a rope", "||a||\n- Tom\n- ||with a rope||"),
        ("||a\n- ||Tom||\n-", "||a||\n- Tom\\|\\|\n-"),
        ("||a\n- ||Tom||\nwith a rope", "||a||\n- Tom\\|\\|\nwith a rope"),
        ("- Tom||\n- with a rope", "- Tom\\|\\|\n- with a rope"),
    ],
)
def test_text_that_ends_in_an_item_is_hidden_after_the_second_pipes(text: str, message: str) -> None:
    assert messages_of(text, degree=0) == [message]


def test_loose_pipes_in_a_quotation_end_with_it() -> None:
    assert messages_of('"several || long words" x', degree=2) == [r'"several \|\| long words" x']


def test_the_spans_of_many_slices_take_time_like_one() -> None:
    """A text of many lines with code once took time that grew with the square of its length."""

    def work(lines: int) -> float:
        delimiters = DelimiterStack()
        delimiters.spans = [Span("`", 10 * line, 10 * line + 5) for line in range(lines)]
        began = thread_time()
        for line in range(lines):
            assert delimiters.within(10 * line, 10 * line + 10) == (Span("`", 0, 5),)
        return thread_time() - began

    assert work(20_000) < 40 * work(2_000)

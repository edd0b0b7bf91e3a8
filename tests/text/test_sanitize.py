"""Which characters are repaired, that each of them is accounted for, and that a segment renders alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from streamcord._events import Boundary, Replaced, Segment
from streamcord._text.sanitize import ODD, Sanitizer
from streamcord._text.standalone_markdown import as_standalone_markdown

REPAIRS = {
    "nothing": ("", ""),
    "plain text stays": ("Hi 好 😀\n\tthere", "Hi 好 😀\n\tthere"),
    "a line break of two characters is one": ("a\r\nb", "a\nb"),
    "a lone carriage return is a line break": ("a\rb", "a\nb"),
    "two line breaks stay two": ("a\r\r\nb\r\n\r\n", "a\n\nb\n\n"),
    "the last carriage return is a line break": ("a\r", "a\n"),
    "halves of a pair become one character": ("\ud83d\ude00!", "😀!"),
    "a first half alone is replaced": ("a\ud83db", "a\ufffdb"),
    "the first and the last of all halves are replaced": ("a\ud800b\udfff", "a\ufffdb\ufffd"),
    "a first half at the end is replaced": ("a\ud83d", "a\ufffd"),
    "a second half alone is replaced": ("\ude00b", "\ufffdb"),
    "a first half before a pair is replaced": ("\ud83d\ud83d\ude00", "\ufffd😀"),
    "a first half before a carriage return": ("\ud83d\r\n", "\ufffd\n"),
    "control characters go": ("\x00a\x08\x0b\x0cb\x1f\x7f", "ab"),
    "colours of code blocks stay": ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"),
    "only control characters leave nothing": ("\x00\x01", ""),
}


def run(slices: list[str]) -> tuple[list[tuple[str, int]], list[Replaced]]:
    sanitizer = Sanitizer()
    pieces: list[tuple[str, int]] = []
    at = 0
    for text in slices:
        pieces += sanitizer.feed(text, at)
        at += len(text)
    return pieces + sanitizer.flush(at), sanitizer.repairs


@pytest.mark.parametrize(("text", "expected"), REPAIRS.values(), ids=REPAIRS)
def test_odd_characters_are_repaired_however_they_arrive(text: str, expected: str) -> None:
    for slices in ([text], list(text)):
        pieces, _ = run(slices)
        assert "".join(piece for piece, _ in pieces) == expected


def test_a_repair_is_recorded_with_its_place() -> None:
    pieces, repairs = run(["ab\r\n\ud83d", "\ude00c\x00"])
    assert pieces == [("ab", 0), ("\n", 3), ("😀", 4), ("c", 6)]
    assert repairs == [
        Replaced("repair", "\r", "", ((2, 3),)),
        Replaced("repair", "\ud83d\ude00", "😀", ((4, 6),)),
        Replaced("repair", "\x00", "", ((7, 8),)),
    ]


@pytest.mark.parametrize("held", ["\r", "\ud83d"])
def test_only_a_character_that_the_next_may_change_is_held(held: str) -> None:
    sanitizer = Sanitizer()
    assert sanitizer.feed("ab" + held, 0) == [("ab", 0)]
    assert sanitizer.feed("c", 3) == [("\n" if held == "\r" else "\ufffd", 2), ("c", 3)]
    assert sanitizer.flush(4) == []


def test_a_second_flush_gives_nothing_and_feeding_goes_on() -> None:
    sanitizer = Sanitizer()
    sanitizer.feed("\r", 0)
    assert sanitizer.flush(1) == [("\n", 0)]
    assert sanitizer.flush(1) == []
    assert sanitizer.feed("\nx", 1) == [("\nx", 1)]


texts = st.text(st.sampled_from("ab\r\n\ud83d\ude00\ud800\udfff\x00\x1b😀"), max_size=12)


@profile(max_examples=150)
@given(texts, st.lists(st.integers(0, 12), max_size=4))
def test_pieces_and_repairs_tile_the_source_in_every_slicing(text: str, cuts: list[int]) -> None:
    edges = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    pieces, repairs = run([text[a:b] for a, b in pairwise(edges)])
    whole, records = run([text])
    assert repairs == records
    assert "".join(piece for piece, _ in pieces) == "".join(piece for piece, _ in whole)
    told: dict[int, str] = {repair.spans[0][0]: repair.before for repair in repairs}
    shown = {at: piece for piece, at in pieces if at not in told}
    assert "".join(one for _, one in sorted({**told, **shown}.items())) == text
    assert not any(ODD.search(piece) for piece, _ in pieces)


# --- Segments ----------------------------------------------------------------------------------------


def test_a_segment_is_opened_closed_and_repaired() -> None:
    segment = Segment("a\ufffdb", Boundary.OVERFLOW, ((0, 3),), "> ", "**")
    repair = Replaced("surrogate", "\ud800", "\ufffd", ((1, 2),))
    traced = as_standalone_markdown(segment, [repair])
    assert traced.text == "> a\ufffdb**"
    assert traced.edits == (repair,)
    assert [added.why for added in traced.additions] == ["reopened", "closed"]
    late = Replaced("carriage return", "\r", "", ((3, 4),))
    assert as_standalone_markdown(Segment("abc", Boundary.NEWLINE, ((0, 3),)), [late]).edits == (late,)


def test_a_table_that_goes_on_has_its_header_again() -> None:
    segment = Segment("| b |", Boundary.FINAL, ((20, 25),), head="| a |\n|---|\n")
    traced = as_standalone_markdown(segment, [])
    assert traced.text == "| a |\n|---|\n| b |"
    assert [added.why for added in traced.additions] == ["header"]
    assert traced.spans == ((20, 25),)
    assert as_standalone_markdown(segment, [], tables=False).text == "| b |"


def test_four_backticks_become_three() -> None:
    segment = Segment("````\nx\n````", Boundary.CODE_CLOSE, ((0, 11),), ticks=4)
    assert as_standalone_markdown(segment, []).text == "```\nx\n```"
    part = Segment("y", Boundary.OVERFLOW, ((0, 1),), "````\n", "\n```", ticks=4)
    assert as_standalone_markdown(part, []).text == "````\ny\n```"


def test_backticks_in_code_are_kept_apart() -> None:
    apart = "`\u200b`\u200b`"
    text = "```js\nx = '```'\n```\n"
    segment = Segment(text, Boundary.CODE_CLOSE, ((0, len(text)),), ticks=3)
    assert as_standalone_markdown(segment, []).text == f"```js\nx = '{apart}'\n```\n"
    assert [edit.rule for edit in as_standalone_markdown(segment, []).edits] == ["fence"]


def test_blocks_inside_of_a_slice_are_made_harmless_too() -> None:
    apart = "`\u200b`\u200b`"
    text = "- ```md\n  ```sh\n  a\n  ```\n  ``` b ~~~c\nx\n~~~"
    blocks = ((2, text.index(" b")), (text.index("~~~c"), len(text)))
    segment = Segment(text, Boundary.NEWLINE, ((0, len(text)),), blocks=blocks)
    assert (
        as_standalone_markdown(segment, []).text
        == f"- ```md\n  {apart}sh\n  a\n  {apart}\n  ``` b ```c\nx\n```"
    )
    open_one = Segment("- ```\n```", Boundary.FINAL, ((0, 9),), suffix="\n```", blocks=((2, 9),))
    assert as_standalone_markdown(open_one, []).text == f"- ```\n{apart}\n```"


def test_the_header_of_a_table_moves_no_edit() -> None:
    segment = Segment("| ~~~a~~~ |", Boundary.FINAL, ((9, 20),), head="| b |\n", blocks=((2, 9),))
    assert as_standalone_markdown(segment, []).text == "| b |\n| ```a``` |"

"""Segments: where text is cut at each degree, when, and what must stand around a part of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest

from streamcord._events import Boundary, Captured, Degree, Dropped, Segment
from streamcord._settings import Settings
from streamcord._text.segmenter import Segmenter

T = "```"
NONE, LIGHT, HEAVY = Degree.NONE, Degree.LIGHT, Degree.HEAVY


def run(
    text: str, pieces: list[str] | None = None, *, trim: bool = False, **settings: Any
) -> list[Segment | Dropped]:
    segmenter = Segmenter(Settings(**settings))
    found: list[Segment | Dropped] = []
    for piece in [text] if pieces is None else pieces:
        found += segmenter.feed(piece)
    return found + segmenter.flush(trim=trim)


def cut(text: str, **settings: Any) -> list[Segment]:
    """The segments of a text, the same in every slicing, which together are the text."""
    whole = run(text, **settings)
    assert run(text, list(text), **settings) == whole
    assert run(text, [text[at : at + 5] for at in range(0, len(text), 5)], **settings) == whole
    segments = [segment for segment in whole if isinstance(segment, Segment)]
    assert "".join(segment.text for segment in segments) == text
    assert [text[start:end] for segment in segments for start, end in segment.spans] == [
        segment.text for segment in segments
    ]
    return segments


def mark(text: str, **settings: Any) -> str:
    return "¦".join(segment.text for segment in cut(text, **settings))


# A bar is a cut at degrees 1 and 2.
LINES = [
    "a\n¦b\n\n¦c",
    "- a\n- b\n  more\n- c\n¦d",
    "- a\n\n¦- b",
    "a\n¦- b\n- c",
    "1. a\n2. b\n\n¦c",
    "> a\n> b\n¦c",
    "> a\n\n¦> b",
    "> a\n¦- b",
    "- a\n¦> b",
    "# a\nb",
    "✅ a\n❌ b\n¦c",
    "a. x\nb. y\n¦z",
    "a\n¦[1] b\n[2] c\n¦d",
    "“a b”\n— c\n¦d",
    "a b\n¦— c",
    "- a\n- b (c\n- d)",
    "| a |\n|---|\n| b |\n¦c",
    "a\n¦| b |\n|---|\n| c |\n¦d",
    "a\n¦| b |\n| c |\n¦d",
    f"Text (see:\n¦{T}js\nfoo(\n{T}\n¦more) text\n¦end",
    f"Sure! ¦{T}py\nx=1\n{T} ¦done\n¦next",
    f"1. Do:\n¦   {T}sh\n   npm i\n   {T}\n¦2. Next\n3. Last",
    f"> a\n> {T}py\n> x\n> {T}\n¦b",
    'He said "wait\nfor me" and left.\n¦Next.',
    'He said "wait\n¦for me and left.\n\n¦Next.',
    'The 12" pipe and the 5\'10" man (tall\nand thin) met.\n¦End',
    "hello\n.\n¦there\n,\n¦you",
    "wait\n¦...\n¦ok",
    "One. Two",
    "",
    "\n",
]


@pytest.mark.parametrize("marked", LINES)
@pytest.mark.parametrize("degree", [Degree.LIGHT, Degree.MEDIUM])
def test_degrees_1_and_2_cut_lines_and_keep_groups_together(marked: str, degree: Degree) -> None:
    assert mark(marked.replace("¦", ""), degree=degree) == marked


@pytest.mark.parametrize(
    "marked", ["- a\n¦- b\n¦  more\n¦c", "> a\n¦> b", "| a |\n|---|\n| b |\n¦c", "(a\nb)\n¦c"]
)
def test_lists_can_be_cut_into_lines(marked: str) -> None:
    assert mark(marked.replace("¦", ""), lists="lines") == marked
    assert mark(marked.replace("¦", ""), degree=NONE) == marked


@pytest.mark.parametrize(
    "marked",
    [
        '"Really?" she asked. ¦"Yes." ¦He left.',
        "これは**太字。です**よ。¦次の文です！¦終わり",
        "One. ¦Two\n¦Three. ¦Four",
        "- One. Two\n¦- Three\n  more\n¦Four. ¦Five",
        "> One. Two\n¦> Three",
        "# One. Two\n¦Three. ¦Four",
        "He said 'one. two' again. ¦Yes",
        f"Yes. ¦{T}x{T} {T}y{T} No. ¦End",
    ],
)
def test_degree_3_cuts_sentences_and_lines(marked: str) -> None:
    assert mark(marked.replace("¦", ""), degree=HEAVY) == marked


@pytest.mark.parametrize(
    ("text", "boundaries"),
    [
        (f"a\n{T}x{T}\nb", ["newline", "code_close", "final"]),
        (f"a: {T}x{T}\nb", ["code_open", "code_close", "final"]),
        ("One. Two", ["period", "final"]),
    ],
)
def test_a_segment_knows_why_it_ended(text: str, boundaries: list[str]) -> None:
    assert [segment.boundary for segment in cut(text, degree=HEAVY)] == boundaries


def test_a_segmenter_knows_how_much_it_holds() -> None:
    segmenter = Segmenter(Settings())
    segmenter.feed("One.\nTwo")

    assert segmenter.buffered_chars == len("Two")


def count_calls(work: Callable[[], object]) -> int:
    """How many calls of Python's own functions something takes: as much on every machine."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("unit", ["||e> ", "3. Juni ", "word "], ids=["spoilers", "dots", "words"])
def test_many_cuts_of_one_long_line_do_not_each_look_at_all_of_it(unit: str) -> None:
    costs = []
    for length in (2000, 4000):
        settings = Settings(
            overflow_target=64, overflow_before=0, table_split_length=length - 300, spoiler_length=9999
        )
        segmenter, text = Segmenter(settings), "> " + unit * (length // len(unit))
        costs.append(count_calls(partial(segmenter.feed, text)))

    assert costs[1] < 2.5 * costs[0]


def test_the_last_segment_ends_for_the_reason_that_is_given() -> None:
    segmenter = Segmenter(Settings())
    segmenter.feed("a")
    assert segmenter.flush(Boundary.TOOL_CALL) == [Segment("a", Boundary.TOOL_CALL, ((0, 1),))]


@pytest.mark.parametrize(
    ("text", "degree", "at"),
    [
        ("a\nb", LIGHT, 3),
        ("a\n\n\nb", LIGHT, 5),
        ("(a\nx) c\nz", LIGHT, 9),
        ("One. Yes", HEAVY, 6),
        ("One. The", HEAVY, 7),  # a T may be a weeping eye
        (f"a\n{T}x{T}\nb", LIGHT, 3),
        ("- a\n- b\nz", LIGHT, 9),
    ],
)
def test_a_segment_leaves_at_the_first_character_that_makes_its_cut_certain(
    text: str, degree: Degree, at: int
) -> None:
    segmenter = Segmenter(Settings(degree=degree))
    assert [bool(segmenter.feed(character)) for character in text].index(True) == at - 1


@pytest.mark.parametrize("opener", ["(", '"', "**", "`", "<", "["])
def test_a_stray_delimiter_freezes_nothing(opener: str) -> None:
    segmenter = Segmenter(Settings(unmatched_delimiter_limit=40))
    lines = [f"a {opener}b\n", *["some words\n"] * 20]
    assert len([segment for line in lines for segment in segmenter.feed(line)]) > 10


def test_a_list_that_is_long_is_cut_at_its_next_item() -> None:
    assert mark("- aaaa\n- bbbb\n- cccc\n- dddd\n- eeee", list_split_length=15) == (
        "- aaaa\n- bbbb\n- cccc\n¦- dddd\n- eeee"
    )
    assert mark("> aaaa\n> bbbb\n> cccc\n> dddd", list_split_length=7) == "> aaaa\n> bbbb\n¦> cccc\n> dddd"


ITEMS = (
    "Some:\n- **a**: b (c\n- d) `e`\n  more\n* f\n\n1. **g\n2. h** i\n3. j || k\n4. l\n> m\n> n\n- o\np\n" * 4
)


@pytest.mark.parametrize("settings", [{}, {"lists": "lines"}, {"headings": "alone"}], ids=str)
@pytest.mark.parametrize("degree", Degree)
def test_a_list_is_cut_no_later_because_nobody_is_woken_in_it(
    degree: Degree, settings: dict[str, Any]
) -> None:
    for size, hold in product((1, 4, 9, 14, 40), (15, 60, 600)):
        lazy, eager = (
            Segmenter(Settings(degree=degree, list_split_length=hold, **settings)) for _ in range(2)
        )
        for at in range(0, len(ITEMS), size):
            eager.mark = 0  # it looks at everything
            assert lazy.feed(ITEMS[at : at + size]) == eager.feed(ITEMS[at : at + size])
        assert lazy.flush() == eager.flush()


SMALL: dict[str, Any] = {"overflow_target": 64, "overflow_before": 20, "overflow_after": 16}
HEAD = "| a |\n|---|\n"


def test_a_table_that_is_too_long_goes_on_with_its_header() -> None:
    text = f"x\n{HEAD}| b |\n| c |\n| d |\n| e |\n| f |\n\n| g |\n|--|\n| h |"
    assert mark(text, table_split_length=13) == (
        f"x\n¦{HEAD}| b |\n¦| c |\n| d |\n| e |\n¦| f |\n\n¦| g |\n|--|\n| h |"
    )
    assert [segment.head for segment in cut(text, table_split_length=13)] == ["", "", HEAD, HEAD, ""]


def test_a_table_with_a_header_longer_than_its_hold_is_not_cut_before_its_first_row() -> None:
    assert mark(f"{HEAD}| b |\n| c |\n", table_split_length=1) == f"{HEAD}| b |\n¦| c |\n"


def test_a_row_without_end_is_cut_like_prose_and_the_table_goes_on_behind_it() -> None:
    row = "| " + "word " * 40 + "|\n"
    first, *prose, last = cut(f"{HEAD}| b |\n{row}| c |\n", table_split_length=150, **SMALL)
    assert first.text == f"{HEAD}| b |\n"
    assert {segment.head for segment in prose} == {""}
    assert (last.text, last.head) == ("| c |\n", HEAD)


def test_a_first_row_without_end_is_cut_like_prose() -> None:
    assert mark(f"{HEAD}| " + "word " * 40, table_split_length=100, **SMALL).startswith(f"{HEAD}| word")


@pytest.mark.parametrize("start", ["| a |\n|" + "-" * 2000 + "|\n", f">>> a\n{HEAD}"])
def test_a_header_that_is_too_long_or_quoted_is_not_carried_on(start: str) -> None:
    segments = cut(start + "| b |\n" * 9, table_split_length=20)
    assert len(segments) > 2
    assert {segment.head for segment in segments} == {""}


def test_a_table_of_very_many_cells_goes_on_as_text() -> None:
    heads = [segment.head for segment in cut("| a |\n|---|\n" + "| b |\n" * 6000)]
    assert heads == ["", HEAD, ""]


# --- Text that goes on too long -------------------------------------------------------------------------


def test_a_line_without_end_is_cut_near_the_target() -> None:
    text = "word " * 40
    segments = cut(text, **SMALL)
    assert [len(segment.text) for segment in segments] == [60, 60, 80]
    assert [segment.boundary for segment in segments] == ["overflow", "overflow", "final"]


@pytest.mark.parametrize("marker", ["-# ", "# ", "### "])
def test_a_long_line_with_a_marker_goes_on_with_it(marker: str) -> None:
    words = "word " * 40
    assert [segment.prefix for segment in cut(marker + words, **SMALL)] == ["", marker, marker]
    assert [segment.prefix for segment in cut("a\n" + marker + words, **SMALL)] == ["", "", marker, marker]
    assert [segment.prefix for segment in cut(marker + words, degree=NONE, **SMALL)] == ["", "", ""]


def test_a_heading_goes_with_deeper_ones_and_not_with_its_equal() -> None:
    assert mark("# a\n## b\nc") == "# a\n## b\nc"
    assert mark("x\n# a\n\n## b\nc") == "x\n¦# a\n\n## b\nc"
    assert mark("# a\n# b\nc") == "# a\n¦# b\nc"
    assert mark("## a\n# b\nc") == "## a\n¦# b\nc"


def test_blocks_behind_a_label_are_what_they_are_without_it() -> None:
    assert mark("Luna: # a\nb\nc") == "Luna: # a\nb\n¦c"
    assert mark("Luna: > a\n> b\nc") == "Luna: > a\n> b\n¦c"
    assert mark("**Luna:** - a\n- b\nc") == "**Luna:** - a\n- b\n¦c"
    assert mark("See: #1\nb") == "See: #1\n¦b"


def test_a_quote_below_a_heading_goes_on_with_its_own_marker() -> None:
    text = "# a\n> " + "word " * 30
    assert [segment.prefix for segment in cut(text, **SMALL)] == ["", "> ", "> "]


def test_a_cut_between_two_lines_repeats_no_marker() -> None:
    text = "# a\n> " + "word " * 11 + "end.\n> " + "word " * 8
    assert [segment.prefix for segment in cut(text, **SMALL)] == ["", ""]


def test_a_line_that_fits_its_window_is_not_cut() -> None:
    assert mark("x" * 79 + "\nb", **SMALL) == "x" * 79 + "\n¦b"
    assert mark("x" * 80, **SMALL) == "x" * 80
    assert mark("x" * 81, **SMALL) == "x" * 64 + "¦" + "x" * 17


def test_a_sentence_is_preferred_to_a_space() -> None:
    text = "word " * 10 + "end. Next " + "word " * 10
    assert cut(text, **SMALL)[0].text.endswith("end. ")


def test_what_must_stay_whole_is_not_cut_by_a_line_without_end() -> None:
    url = "https://a.b/" + "c" * 90
    before, middle, *_ = cut("word " * 11 + url + " end of it", **SMALL)
    assert (before.text, middle.text.strip()) == ("word " * 11, f"{url} end of it")
    assert "¦" not in mark('word "' + "long " * 20 + 'way" end', **SMALL)


def test_a_url_that_is_not_known_as_one_yet_is_not_cut() -> None:
    text = "x" * 62 + " https://a.b/c d"
    assert "https://a.b/c" in " ".join(segment.text for segment in cut(text + " e" * 20, **SMALL)).split()


def test_an_open_marker_is_waited_for_before_a_line_is_cut() -> None:
    text = "word " * 11 + "(one two three four five six seven eight nine ten) end"
    assert "¦(one two three four five six seven eight nine ten)" in mark(text, **SMALL)


def test_groups_have_a_window_of_their_own() -> None:
    assert mark("- " + "word " * 40, **SMALL) == "- " + "word " * 40
    assert "¦" in mark("- " + "word " * 40, table_split_length=100, **SMALL)


CODE = f"{T}py\n" + "".join(f"line {number}\n" for number in range(20)) + f"{T}\nend"


def test_a_long_code_block_is_cut_between_lines_and_stays_code() -> None:
    *parts, end = cut(CODE, code_overflow=64)
    assert len(parts) == 3
    assert all(part.text.endswith("\n") for part in parts)
    assert [part.prefix for part in parts] == ["", f"{T}py\n", f"{T}py\n"]
    assert [part.suffix for part in parts] == [T, T, ""]
    assert [part.ticks for part in parts] == [3, 3, 3]
    assert (end.text, end.prefix, end.ticks) == ("end", "", 0)


def test_a_code_block_that_never_ends_is_cut_as_well() -> None:
    *parts, end = cut(CODE[:-7], code_overflow=64)
    assert parts[0].suffix == T
    assert (end.prefix, end.suffix) == (f"{T}py\n", T)


def test_a_line_of_code_without_end_is_cut_between_characters() -> None:
    family = "👨\u200d👩\u200d👧"
    text = f"{T}\n" + "x" * 58 + family + "y" * 30 + f"\n{T}"
    first, *_ = cut(text, code_overflow=64)
    assert first.text == f"{T}\n" + "x" * 58
    assert first.suffix == f"\n{T}"


def test_a_block_of_four_backticks_says_so() -> None:
    text = f"`{T}md\n{T}js\nx\n{T}\n`{T}\nafter"
    assert [segment.ticks for segment in cut(text)] == [4, 0]
    long = f"`{T}md\n" + "x\n" * 60 + f"`{T}\nafter"
    assert [(segment.prefix, segment.ticks) for segment in cut(long, code_overflow=64)] == [
        ("", 4), (f"{T}md\n", 4), (f"{T}md\n", 4), ("", 0),
    ]  # fmt: skip


def test_blocks_inside_of_a_segment_are_named() -> None:
    text = f"- a\n- {T}md\n  {T}sh\n  x\n  {T}\n  {T}\n- b: {T}x{T}"
    assert [(segment.text, segment.blocks) for segment in cut(text)] == [
        (text[:36], ((6, 35),)), ("- b: ", ()), (f"{T}x{T}", ()),
    ]  # fmt: skip
    (spoiler,) = cut(f"||a: {T}\nb\n{T} c: {T}d{T}||")
    assert spoiler.blocks == ((5, 14), (18, 25))
    (quote,) = cut(f"> {T}\n> a")
    assert quote.blocks == ((2, 9),)


def test_what_is_to_be_sent_is_read_as_discord_reads_it() -> None:
    text = f"{T}md\n{T}sh\nx\n{T}\n{T}\n\n~~~\ny\n~~~"
    segmenter = Segmenter(Settings(), nested=False, tildes=True)
    found = [*segmenter.feed(text), *segmenter.flush()]
    assert [s.text for s in found if isinstance(s, Segment)] == [
        f"{T}md\n{T}", "sh\n", "x\n", f"{T}\n{T}\n\n", "~~~\n", "y\n", "~~~",
    ]  # fmt: skip
    segmenter = Segmenter(Settings(), tildes=True)
    found = [*segmenter.feed(text), *segmenter.flush()]
    assert [s.ticks for s in found if isinstance(s, Segment)] == [3, 3]
    assert mark(text, code_fence_matching="first").count("¦") == 6


def test_the_first_line_is_known_even_if_a_later_one_is_not() -> None:
    assert [segment.ticks for segment in cut(f"{T}x{T}\ny\n`")] == [3, 0, 0]


def test_a_block_of_tildes_is_cut_like_others() -> None:
    text = "~~~py\n" + "x\n" * 29 + "~~~\nafter"
    segmenter = Segmenter(Settings(code_overflow=64), tildes=True)
    segments = segmenter.feed(text)
    assert [(part.prefix, part.suffix) for part in segments] == [("", T), (f"{T}py\n", "")]
    assert segments[1].text == "x\n~~~\n"


def test_a_block_quote_goes_on_in_every_segment() -> None:
    assert [segment.prefix for segment in cut("a\n>>> b\nc\n\nd")] == ["", "", ">>> ", ">>> "]
    assert [segment.prefix for segment in cut("a\n>>> b\nc", degree=NONE)] == ["", "", ""]
    assert [segment.prefix for segment in cut("a\n>>> b\n> c\nd")] == ["", "", "", ">>> "]


# --- The end --------------------------------------------------------------------------------------------

CLOSED = {
    "a **b": ("**", "**", ""),
    "a ***b": ("***", "***", ""),
    "a __b": ("__", "__", ""),
    "a ~~b": ("~~", "~~", ""),
    "a ||b": ("||", "||", "||"),
    "a ||b **c": ("**||", "**||", "||"),
    "a || b": ("", "", ""),
    "a `b": ("`", "`", ""),
    "a ``b": ("``", "``", ""),
    "a **b `c": ("`**", "`**", ""),
    "`a **b": ("`", "`", ""),
    "a *b": ("", "*", ""),
    "a _b": ("", "_", ""),
    'a "b': ("", '"', ""),
    "a (b": ("", ")", ""),
    "a 「b": ("", "」", ""),
    "a [b": ("", "](#)", ""),
    "see 2*3, 5 *stars and **bo": ("**", "***", ""),
    "a **b** c": ("", "", ""),
    "a **": ("", "", ""),
    "a ` b": ("", "", ""),
    "a`b": ("", "", ""),
    "a `": ("", "", ""),
    "a `b\nc": ("", "", ""),
    f"{T}py\nx": (f"\n{T}", f"\n{T}", f"\n{T}"),
    f"{T}py\nx\n": (T, T, T),
    f"||{T}py\nx": (f"\n{T}||", f"\n{T}||", f"\n{T}||"),
    f"> {T}py\n> x": (f"\n> {T}", f"\n> {T}", f"\n> {T}"),
    f"||a\n{T}\nx\n{T}\nb `c": ("`||", "`||", "||"),
    "`a" + "b" * 2000: ("", "", ""),
}


@pytest.mark.parametrize(("text", "suffixes"), CLOSED.items())
def test_what_the_text_leaves_open_is_closed(text: str, suffixes: tuple[str, str, str]) -> None:
    for mode, suffix in zip(("markdown", "all", "off"), suffixes, strict=True):
        assert cut(text, auto_close=mode)[-1].suffix == suffix


def test_what_we_close_ourselves_is_not_cut() -> None:
    assert mark("a\n**b\nc") == "a\n¦**b\nc"
    assert mark("a\n**b\nc", auto_close="off") == "a\n¦**b\n¦c"
    assert mark("a\n(b\nc") == "a\n¦(b\n¦c"
    assert mark("a\n(b\nc", auto_close="all") == "a\n¦(b\nc"


TRIMMED = [
    "Sure! ¦Let me look",
    "- One\n- Two.\n- Three and",
    "- One\n- Two (and\n",
    'Yes. ¦He said "No. And',
    "Yes. See https://a.b/c.d¦ and",
    f"||Look:\n{T}\nOne. Two\n{T}\n¦and then",
    f"Look:\n{T}\nOne. Two\n{T}",
    "no end at all",
    "All done.",
    f"Done. {T}py\nopen",
]


@pytest.mark.parametrize("marked", TRIMMED)
def test_an_incomplete_clause_is_left_out_before_a_tool_call(marked: str) -> None:
    text = marked.replace("¦", "")
    kept, _, dropped = marked.partition("¦")
    found = run(text, trim=True)
    assert run(text, list(text), trim=True) == found
    assert "".join(part.text for part in found if isinstance(part, Segment)) == kept
    spans = ((len(kept), len(text)),)
    assert [part for part in found if isinstance(part, Dropped)] == (
        [Dropped(dropped, "incomplete clause", spans)] if dropped else []
    )


def test_what_is_left_out_needs_no_closer() -> None:
    first, *_ = run("Yes. And **bo", trim=True)
    assert first == Segment("Yes. ", Boundary.FINAL, ((0, 5),))


# --- Positions ------------------------------------------------------------------------------------------


def test_segments_have_source_ranges_over_gaps() -> None:
    segmenter = Segmenter(Settings())
    segments = [*segmenter.feed("Hello ", 0), *segmenter.feed("wor", 20), *segmenter.feed("ld\nbye", 23)]
    assert segments == [Segment("Hello world\n", Boundary.NEWLINE, ((0, 6), (20, 26)))]
    assert segmenter.flush() == [Segment("bye", Boundary.FINAL, ((26, 29),))]
    assert segmenter.feed("x\ny") == [Segment("x\n", Boundary.NEWLINE, ((29, 31),))]


def test_positions_hold_over_a_long_text() -> None:
    text = (
        "".join(f"line {number} (with a span)\n" for number in range(300))
        + "| a |\n|---|\n"
        + "| b |\n" * 400
    )
    segments = cut(text)
    assert len(segments) == 301
    assert segments[-1].spans == ((text.index("| a"), len(text)),)


def test_text_before_a_stray_think_tag_is_reasoning_if_nothing_was_cut() -> None:
    stray = Dropped("</think>", "stray tag", ((11, 19),))
    segmenter = Segmenter(Settings())
    segmenter.feed("a (b\n")
    segmenter.feed("c", 10)
    assert segmenter.end_reasoning(stray) == Captured("think", "a (b\nc", ((0, 5), (10, 11), (11, 19)))
    assert segmenter.flush() == []
    assert len(segmenter.feed("a\nb")) == 1
    assert segmenter.end_reasoning(stray) is stray


def test_a_second_flush_gives_nothing_and_the_next_text_starts_anew() -> None:
    segmenter = Segmenter(Settings())
    segmenter.feed(f"(a\n{T}b")
    assert segmenter.flush()
    assert segmenter.flush() == []
    assert segmenter.untouched
    assert [segment.text for segment in segmenter.feed("c)\nd")] == ["c)\n"]


@pytest.mark.parametrize(
    "text", ["```" + "x" * 59 + "```\ny", "```\n" + "x" * 20 + "\n" + "y" * 36 + "\n``` z"]
)
def test_a_code_block_is_not_cut_right_before_its_end(text: str) -> None:
    first, second, _ = cut(text, code_overflow=64)
    assert second.text.rstrip(" `\n")
    assert first.text + second.text == text[: len(first.text + second.text)]
    assert "```" not in first.text[3:]


def test_a_table_without_outer_pipes_is_one_segment_in_every_slicing() -> None:
    text = "See a | b:\nName | Age\n--- | ---\nTom | 5\nAnn | 7\nDone.\n"
    wanted = ["See a | b:\n", "Name | Age\n--- | ---\nTom | 5\nAnn | 7\n", "Done.\n"]
    for pieces in ([text], list(text)):
        segmenter = Segmenter(Settings())
        found = [one for piece in pieces for one in segmenter.feed(piece)] + segmenter.flush()
        assert [one.text for one in found] == wanted


def test_an_overflow_waits_where_its_place_is_not_certain_yet() -> None:
    text = "word " * 190 + "https://example.com/" + "a" * 1300 + " ok\nend"
    whole = run(text)

    assert whole == run(text, list(text))
    reported = "".join(part.text for part in whole if isinstance(part, Segment))
    assert reported.replace("\n", "") == text.replace("\n", "")


def test_a_url_longer_than_the_window_is_cut_where_it_ends() -> None:
    url = "https://example.com/" + "a" * 1300
    first, second = (part for part in run(f"{url}\nend") if isinstance(part, Segment))

    assert (first.text.strip(), second.text) == (url, "end")


# --- Before a line has ended -----------------------------------------------------------------------------

WORDS = "The river runs down to the sea and on and on it goes. "


def early(text: str, degree: Degree = Degree.NONE, hold: int = 8) -> list[str]:
    """The segments that are certain before the text ends, if lines may be cut early."""
    segmenter = Segmenter(Settings(degree=degree), early=hold)
    return [segment.text for character in text for segment in segmenter.feed(character)]


def test_a_line_can_be_cut_before_it_ends() -> None:
    text = f"Hi.\n{WORDS * 3}"
    pieces = early(text)
    assert len(pieces) > 3
    assert text.startswith("".join(pieces))


def test_what_a_late_end_of_a_thought_could_claim_is_held() -> None:
    assert early(WORDS * 2) == []
    assert early(f"Okay, {WORDS * 9}") == []
    assert "".join(early(WORDS * 4))[:24] == WORDS[:24]


def test_early_cuts_do_not_depend_on_how_the_text_arrives() -> None:
    text = f"Hi.\n{WORDS * 9}\n```py\n{'value = 1' + chr(10)}{'x = 2' + chr(10)}" + "y = 3\n" * 60
    whole = Segmenter(Settings(degree=Degree.NONE), early=8)
    assert [segment.text for segment in whole.feed(text)] == early(text)


def test_code_can_be_cut_before_it_ends_and_stays_code() -> None:
    segmenter = Segmenter(Settings(degree=Degree.NONE), early=8)
    first, second, *_ = segmenter.feed("```py\n" + "value = 1\n" * 40)
    assert (first.text[:6], first.suffix) == ("```py\n", "```")
    assert second.prefix == "```py\n"


@pytest.mark.parametrize("fence", ["> ```\n" + "> x = 1\n" * 40, "- ```\n" + "  x = 1\n" * 40])
def test_code_inside_of_something_is_not_cut_early(fence: str) -> None:
    assert early(f"Hi.\n{fence}") == ["Hi.\n"]


def test_a_line_that_cannot_be_cut_early_is_cut_like_any_other() -> None:
    pieces = early("Hi.\n" + "a|b&" * 400)
    assert [len(piece) for piece in pieces] == [4, 1000]


def test_early_cuts_go_on_when_text_is_let_go_of() -> None:
    text = f"Hi.\n{WORDS * 200}"
    pieces = early(text)
    assert text.startswith("".join(pieces))
    assert max(map(len, pieces)) < 100


@pytest.mark.parametrize("degree", [LIGHT, HEAVY])
def test_a_cut_at_the_very_end_has_nothing_behind_it(degree: Degree) -> None:
    text = "||" + "x" * 63

    assert mark(text, degree=degree, overflow_target=64, overflow_before=0, overflow_after=0) == text


def test_nested_items_stay_with_their_item() -> None:
    text = "- a\n  - b\n  - c\n"
    assert [segment.text for segment in cut(text, degree=LIGHT)] == [text]


def test_words_before_a_fence_on_its_line_are_cut_off_once() -> None:
    segments = cut("Sure! ```py\nx=1\n```\n", degree=HEAVY)
    assert [segment.text.strip() for segment in segments] == ["Sure!", "```py\nx=1\n```"]

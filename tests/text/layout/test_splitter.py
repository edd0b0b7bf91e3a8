"""Messages: how a finished text, or a segment that rules have changed, is cut at each degree."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from streamcord._events import Degree
from streamcord._settings import Settings
from streamcord._text.layout.splitter import Splitter, emoji_cuts, is_emoji_run, trim
from streamcord._text.markdown.break_points import AtomicRange
from streamcord._text.markdown.delimiter_stack import Span
from streamcord._text.traced_text import TracedText
from whole_texts import messages_of

T = "```"
NONE, LIGHT, HEAVY = Degree.NONE, Degree.LIGHT, Degree.HEAVY
HI, HEY, CRY = "<:hi:1>", "<:hey:2>", "<a:cry:3>"


def split(text: str, degree: Degree = LIGHT, *, limit: int | None = None, **settings: Any) -> list[str]:
    settings = {"humanize": False, **settings}
    return Splitter(Settings(degree=degree, **settings)).split(text, limit=limit)


def source(text: str) -> TracedText:
    return TracedText.from_spans(text, ((0, len(text)),))


def test_nothing_makes_no_message() -> None:
    assert split("") == split(" \n ") == split("\n", NONE) == []


WHOLE = {
    "One.\nTwo\n\nThree\n": ["One.\nTwo\n\nThree"],
    "One\n\n\n\nTwo": ["One\n\nTwo"],
    "One\n \n\t\n  Two": ["One\n\n  Two"],
    f"{T}\nOne\n\n\n\nTwo\n{T}": [f"{T}\nOne\n\n\n\nTwo\n{T}"],
    f"a\n\n\n{T}\nOne\n\n\n\nTwo\n{T}": [f"a\n\n{T}\nOne\n\n\n\nTwo\n{T}"],
    f"a {HI} b\n.\n{HI}": [f"a {HI} b\n.\n{HI}"],
}


@pytest.mark.parametrize(("text", "expected"), WHOLE.items())
def test_degree_0_leaves_one_text_but_for_many_newlines(text: str, expected: list[str]) -> None:
    assert split(text, NONE) == expected


def test_degree_0_cuts_for_length_alone() -> None:
    text = "One two three four.\n\nFive six.\nSeven eight. Nine ten."
    assert split(text, NONE, limit=36) == ["One two three four.", "Five six.\nSeven eight. Nine ten."]


LINES = {
    "One. Two\nThree\n\nFour": ["One. Two", "Three", "Four"],
    "- a\n- b\nc": ["- a\n- b", "c"],
    f"Sure! {T}py\nx=1\n{T} done\nnext": ["Sure!", f"{T}py\nx=1\n{T}", "done", "next"],
    f"text {T} more\nnext {T} end\nlast": [f"text {T} more", f"next {T} end", "last"],
    "x\n.NET is fine": ["x", ".NET is fine"],
    "||spoil\n\nmore|| x\ny": ["||spoil\n\nmore|| x", "y"],
    "a\n    b": ["a\n    b"],
}


@pytest.mark.parametrize(("text", "expected"), LINES.items())
def test_degrees_1_and_2_make_a_message_of_each_line(text: str, expected: list[str]) -> None:
    assert split(text, LIGHT) == split(text, Degree.MEDIUM) == expected


SENTENCES = {
    "One. Two! Three": ["One.", "Two!", "Three"],
    '"Really?" she asked. "Yes." He left.': ['"Really?" she asked.', '"Yes."', "He left."],
    "I was there... and then? Wait... No. 5 is alive. No. It is.": [
        "I was there... and then?", "Wait...", "No. 5 is alive.", "No.", "It is.",
    ],
    "- One. Two\n- Three. Four": ["- One. Two", "- Three. Four"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SENTENCES.items())
def test_degree_3_makes_a_message_of_each_sentence(text: str, expected: list[str]) -> None:
    assert split(text, HEAVY) == expected


PUNCTUATION = {
    "hello\n.\nthere\n,\nyou": ["hello.", "there,", "you"],
    "hello  \n !?\nthere": ["hello!?", "there"],
    "wait\n...\nok": ["wait...", "ok"],
    "...\nok": ["...\nok"],
    "...": ["..."],
    "(a\n. b)": ["(a\n. b)"],
    f"{T}x{T}...": [f"{T}x{T}..."],
    f"{HI}\n.\nok": [HI, ".\nok"],
    f"{HI}\n.": [HI, "."],
    f"{HI} ! {HEY} yes": [f"{HI} !", HEY, "yes"],
    f"Oh! {HI} ?!": ["Oh!", f"{HI} ?!"],
    f"Oh.\n{HI}!\n{CRY}": ["Oh.", f"{HI}!", CRY],
}


@pytest.mark.parametrize(("text", "expected"), PUNCTUATION.items())
def test_punctuation_alone_is_glued_to_its_neighbour_and_to_emoji_only_without_another(
    text: str, expected: list[str]
) -> None:
    assert split(text) == expected


def test_punctuation_that_has_no_room_goes_to_what_follows() -> None:
    assert split("Hello\n...\nyou", limit=7) == ["Hello", "...\nyou"]


EMOJI = {
    f"Hello! {HI}": ["Hello!", HI],
    f"{HI} {HEY}": [HI, HEY],
    "<:cat1:1> <:cat2:2>": ["<:cat1:1> <:cat2:2>"],
    f"{HI}/{HEY}": [f"{HI}/{HEY}"],
    f"So! {HI} and {HEY}! Bye": ["So!", f"{HI} and {HEY}!", "Bye"],
    f"{HI} and {HEY} are here": [f"{HI} and {HEY} are here"],
    f"{HI} and a dog": [HI, "and a dog"],
    f"good {HI} day": [f"good {HI} day"],
    f"- {HI} a\n- b": [f"- {HI} a\n- b"],
    f"**so {HI}** {HEY}": [f"**so {HI}**", HEY],
    f"`{HI}`": [f"`{HI}`"],
}


@pytest.mark.parametrize(("text", "expected"), EMOJI.items())
def test_custom_emoji_stand_alone(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_names_of_emoji_are_compared_as_far_as_is_wanted() -> None:
    assert split("<:cat:1> <:car:2>", emoji_run_prefix_length=2) == ["<:cat:1> <:car:2>"]


def test_a_part_that_is_too_long_is_cut_and_reopened() -> None:
    assert split(f"{T}python\nfor a in b:\n    print(a)\n{T}", limit=33) == [
        f"{T}python\nfor a in b:\n{T}",
        f"{T}python\n    print(a)\n{T}",
    ]


# --- The humanizer --------------------------------------------------------------------------------------


def humanized(text: str, **settings: Any) -> list[str]:
    settings = {"comma_removal_chance": 0.0, "comma_break": 0.0, **settings}
    return Splitter(Settings(degree=HEAVY, **settings), Random(1)).split(text)


def test_degree_3_makes_the_text_look_typed() -> None:
    assert humanized("Hello There. How Are You.") == ["hello there", "how are you"]
    assert humanized("hello") == ["hello"]


def test_what_must_stay_whole_is_not_humanized() -> None:
    assert humanized("See `This One` And **That, One;** here.") == ["see `This One` and **That, One;** here"]
    assert humanized("It Is (Well, **Very** Nice) So") == ["it is (Well, **Very** Nice) so"]
    assert humanized(f"{T}py\nA = B\n{T}") == [f"{T}py\nA = B\n{T}"]


def test_commas_may_break_a_message() -> None:
    assert humanized("one, but Two, so three", comma_break=1.0) == ["one", "but two", "so three"]
    assert humanized("one! two", exclamation_break=1.0, sentence_ends="period") == ["one!", "two"]


def test_the_same_random_gives_the_same_messages() -> None:
    text = "One, two, three, four, five, six. Seven, eight, nine."
    runs = {tuple(Splitter(Settings(degree=HEAVY), Random(5)).split(text)) for _ in range(3)}
    assert len(runs) == 1
    assert Splitter(Settings(degree=HEAVY)).split(text) == Splitter(Settings(degree=HEAVY)).split(text)


def test_no_humanizer_below_degree_3() -> None:
    assert Splitter(Settings(degree=LIGHT)).split("Hello There.") == ["Hello There."]


# --- Segments that were cut before ----------------------------------------------------------------------


def test_a_segment_as_it_was_written_is_not_read_again() -> None:
    splitter = Splitter(Settings())
    for text in ("(a\nb", "a b", "- a\n- b", f"{HI} a"):
        assert "".join(part.text for part in splitter.cut(source(text))) == text
    assert [part.text for part in splitter.cut(source("a\nb"))] == ["a\nb"]


def test_a_segment_that_a_rule_has_changed_is_read_again() -> None:
    changed = source("a-b").replace("rule", [(1, 2, "\n")])
    parts = Splitter(Settings()).cut(changed)
    assert [part.text for part in parts] == ["a\n", "b"]
    assert [len(part.edits) for part in parts] == [1, 0]


def test_emoji_of_a_segment_that_was_cut_before_stand_alone() -> None:
    parts = Splitter(Settings()).cut(source(f"Hello! {HI}"))
    assert [part.text for part in parts] == ["Hello! ", HI]


def test_a_segment_that_a_rule_has_written_is_read_again() -> None:
    written = source("x").replace("rule", [(0, 1, "One. Two")])
    parts = Splitter(Settings(degree=HEAVY, humanize=False)).cut(written)
    assert [part.text for part in parts] == ["One. ", "Two"]


def test_bars_before_blank_lines_stay_with_the_rule_that_wrote_them() -> None:
    written = source("||a\n\n\n\nb").replace("spoiler", [(3, 4, "||\n")])
    (part,) = Splitter(Settings(degree=NONE)).cut(written)
    assert part.text == "||a||\n\nb"
    assert [(edit.rule, edit.before, edit.after) for edit in part.edits] == [
        ("spoiler", "\n", "||\n"),
        ("blank lines", "\n\n\n", "\n"),
    ]


def test_what_the_splitter_changes_is_recorded() -> None:
    parts = Splitter(Settings()).cut(source("hello\n."))
    assert [(edit.rule, edit.before, edit.after) for edit in parts[0].edits] == [("punctuation", "\n", "")]
    parts = Splitter(Settings(degree=NONE)).cut(source("a\n\n\nb"))
    assert [(edit.rule, edit.before, edit.after) for edit in parts[0].edits] == [
        ("blank lines", "\n\n", "\n")
    ]
    settings = Settings(degree=HEAVY, comma_removal_chance=0.0, comma_break=1.0)
    parts = Splitter(settings).cut(source("one, but Two, but three"))
    assert [[edit.before for edit in part.edits] for part in parts] == [[","], ["T", ","], []]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("  a ", "  a"), ("\n\n  a\n", "  a"), ("a\n  b", "a\n  b"), (" \n ", ""), ("", "")],
)
def test_a_message_keeps_the_indentation_of_its_first_line(text: str, expected: str) -> None:
    assert trim(text) == expected


def test_the_humanizer_leaves_alone_what_a_rule_put_there() -> None:
    splitter = Splitter(Settings(degree=Degree.HEAVY), Random(0))
    traced = source("See :a: Now").replace("emoji", [(4, 7, "<:A:1> Ok")])
    assert [part.text for part in splitter.cut(traced)] == ["see <:A:1> Ok now"]
    crossed = source('"ab" cd Ef').replace("rule", [(2, 6, 'B" C')])
    assert [part.text for part in splitter.cut(crossed)] == ['"aB" Cd ef']


def test_what_the_segmenter_found_whole_is_left_alone_by_the_humanizer() -> None:
    splitter = Splitter(Settings(degree=Degree.HEAVY, comma_removal_chance=1.0, comma_break=0.0), Random(0))
    text = "Yes, but (No, but Never) ever."
    told = TracedText.from_spans(text, ((0, len(text)),), (Span("(", 9, 24),))
    assert [part.text for part in splitter.cut(told)] == ["yes but (No, but Never) ever"]
    asked = TracedText.from_spans(text, ((0, len(text)),))
    assert [part.text for part in splitter.cut(asked)] == ["yes but (No, but Never) ever"]
    untrue = TracedText.from_spans(text, ((0, len(text)),), ())
    assert [part.text for part in splitter.cut(untrue)] == ["yes but (no but never) ever"]


def test_emoji_are_set_apart_by_what_the_segmenter_found() -> None:
    text = "a <:b:1> c\n<:d:2>"
    told = TracedText.from_spans(text, ((0, len(text)),), (Span("(", 0, len(text)),))
    assert [part.text for part in Splitter(Settings()).cut(told)] == [text]


HI_TAG, CRY_TAG = "<:hi:1>", "<a:cry:3>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HI_TAG, True),
        (CRY_TAG, True),
        (f" {HI_TAG} {CRY_TAG}\n", True),
        (f"{HI_TAG}{HI_TAG}", True),
        (f"{HI_TAG}.", False),
        (f"oh {HI_TAG}", False),
        (":hi:", False),
        ("<@1>", False),
        ("", False),
    ],
)
def test_a_run_is_emoji_and_nothing_else(text: str, expected: bool) -> None:
    assert is_emoji_run(text) is expected


# A bar is where a new message begins.
TEXTS = [
    HI_TAG,
    f"Hello! ¦{HI_TAG}",
    f"Hello ¦{HI_TAG}",
    f"{HI_TAG} ¦Hello",
    f"Hello! ¦{HI_TAG} ¦Bye",
    f"Hello.¦{HI_TAG}",
    f"Good {HI_TAG} day",
    f"Good {HI_TAG} day! ¦{CRY_TAG}",
    f"Hello\n¦{HI_TAG}\n¦Bye",
    f"- one {HI_TAG}\n- two",
    f"1. {HI_TAG}",
    f"# {HI_TAG} Title",
    f"-# {HI_TAG}",
    f"> {HI_TAG} said",
    f"{HI_TAG}  ",
    "no emoji",
    f"Hm… ¦{HI_TAG} ¦so",
    f"好。¦{HI_TAG}¦次",
]


@pytest.mark.parametrize("marked", TEXTS)
def test_an_emoji_stands_alone_unless_it_belongs_to_a_sentence_or_a_list(marked: str) -> None:
    text = marked.replace("¦", "")
    cuts = [0, *emoji_cuts(text, 3, AtomicRange([])), len(text)]
    assert "¦".join(text[a:b] for a, b in pairwise(cuts)) == marked


FAMILIES = [
    ("<:cat1:1> <:cat2:2>", 3),
    ("<:cat:1>¦<:dog:2>", 3),
    ("<:Cat_a:1> <:c_at_b:2>", 3),
    ("<:cat:1> ¦<:car:2>", 3),
    ("<:cat:1> <:car:2>", 2),
    ("<:cat:1><:cats:2> ¦<:dog:3> <:dogs:4> ¦<:cat:5>", 3),
    ("Oh! ¦<:cat:1> <:cat:2>", 3),
]


@pytest.mark.parametrize(("marked", "prefix"), FAMILIES)
def test_kindred_emoji_stay_together(marked: str, prefix: int) -> None:
    text = marked.replace("¦", "")
    cuts = [0, *emoji_cuts(text, prefix, AtomicRange([])), len(text)]
    assert "¦".join(text[a:b] for a, b in pairwise(cuts)) == marked


def test_an_emoji_inside_of_what_must_stay_whole_stays_there() -> None:
    text = f"||{HI_TAG}|| {CRY_TAG}"
    assert emoji_cuts(text, 3, AtomicRange([(0, 11)])) == [12]


@pytest.mark.parametrize("text", [f"Oh! {HI_TAG}\u0301 yes", f"Oh! \u200d{HI_TAG}\u200d yes"])
def test_an_emoji_is_not_torn_from_a_mark_that_joins_it(text: str) -> None:
    assert emoji_cuts(text, 3, AtomicRange([])) == []


def test_an_emoji_that_a_word_goes_on_from_stays_with_it() -> None:
    assert messages_of("<:cry:111111111111111113>'s fault", degree=2) == ["<:cry:111111111111111113>'s fault"]


@pytest.mark.parametrize("text", ["Well, that is The End.", "Hi A, B, C, D.", "x"])
def test_a_message_that_looks_typed_tells_what_its_runs_tell(text: str) -> None:
    settings = Settings(degree=3, comma_removal_chance=0.5, comma_break=0.0)
    said = TracedText.from_spans(text, ((7, 7 + len(text)),), ())
    [typed] = Splitter(settings, Random(1)).cut(said)
    assert typed.account() == (typed.spans, typed.edits, typed.additions)
    assert sum(length for length, _, _ in typed.runs) == len(typed.text)
    assert "".join(part.text for part in (typed.cut(0, 1), typed.cut(1, len(typed.text)))) == typed.text


def test_what_rules_have_changed_looks_typed_as_well() -> None:
    said = TracedText.from_spans("@d Is Here.", ((0, 11),), ()).replace("mention", [(0, 2, "<@1>")])
    [typed] = Splitter(Settings(degree=3)).cut(said)
    assert typed.text == "<@1> is here"
    assert [edit.rule for edit in typed.account()[1]] == ["mention", *["humanizer"] * 3]

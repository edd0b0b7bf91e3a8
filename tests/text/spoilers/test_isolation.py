"""A mark that would show what is hidden is in another message."""

from __future__ import annotations

import pytest

from spoiler_invariant import readable
from streamcord._settings import Settings
from streamcord._text.spoilers.isolation import UnclosedMarkers, continuation_marker, isolate, shows_hidden
from streamcord._text.traced_text import TracedText
from whole_texts import messages_of

SETTINGS = Settings()


def parts(text: str) -> list[str]:
    whole = TracedText.from_spans(text, ((0, len(text)),))
    return [part.text for part in isolate(whole, SETTINGS)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain **text", ["plain **text"]),
        ("So **it** was\n\n||a **b** c||", ["So **it** was\n\n||a **b** c||"]),
        ("So **it was\n\n||a **b** c||", ["So **it was\n\n", "||a **b** c||"]),
        ("So **it was\n\nand\nso ||a **b** c||", ["So **it was\n\n", "and\nso ||a **b** c||"]),
        ("So **it was\nand ||a **b** c||", ["So **it was\n", "and ||a **b** c||"]),
        ("So **it was ||a **b** c||", ["So **it was ", "||a **b** c||"]),
        ("So **it||a **b** c||", ["So **it", "||a **b** c||"]),
        ("> So **it was\n> and ||a **b** c||", ["> So **it was\n", "> and ||a **b** c||"]),
        ("> So **it was ||a **b** c||", ["> So **it was ", "> ||a **b** c||"]),
        (">>> So **it was\n\n||a **b** c||", [">>> So **it was\n\n", ">>> ||a **b** c||"]),
        ("**a\n\n||b **c|| **\n\n||d **e||", ["**a\n\n", "||b **c|| **\n\n", "||d **e||"]),
        ("**a\n\n||b **c|| d ||e **f||", ["**a\n\n", "||b **c|| d ||e **f||"]),
        ("**a\n\n(so\n\n||b **c||)", ["**a\n\n(so\n\n", "||b **c||)"]),
        ("**a (so\nit is ||b **c||)", ["**a ", "(so\nit is ||b **c||)"]),
    ],
)
def test_a_text_is_cut_between_a_mark_and_what_it_would_show(text: str, expected: list[str]) -> None:
    assert parts(text) == expected
    assert shows_hidden(text, SETTINGS) == (len(expected) > 1)


def test_lines_of_one_spoiler_stay_together() -> None:
    text = "So **it was\n\n- ||x\n- a **b** c||"

    assert messages_of(text, degree=0) == ["So **it was", "- ||x||\n- ||a **b** c||"]


@pytest.mark.parametrize("delivery", ["messages", "live"])
@pytest.mark.parametrize("rules", [True, False])
@pytest.mark.parametrize("mark", ["**", "__", "~~", "`", "*"])
def test_no_paragraph_shows_what_another_one_hides(mark: str, delivery: str, *, rules: bool) -> None:
    text = f"So {mark}it was\n\n||a {mark}b{mark} c||\n\nThat is all."
    shown = messages_of(text, degree=0, rules=rules, delivery=delivery)

    assert shown == [f"So {mark}it was", f"||a {mark}b{mark} c||\n\nThat is all."]
    assert "b" not in "".join(map(readable, shown))


def test_a_cut_for_length_makes_no_mark_that_shows_what_is_hidden() -> None:
    text = f"**{'a ' * 400}\n\n{'b ' * 400}** So ||q **z** q||"
    shown = messages_of(text, degree=0, message_length=900)

    assert "".join(map(readable, shown)).count("q") == 0


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("a\n", ""),
        ("> a ", "> "),
        ("> a\n", ""),
        ("# a ", "# "),
        (">>> a\nb\n", ">>> "),
        ("```\n>>> a\n", ""),
        ("```\n# a", ""),
    ],
)
def test_what_goes_on_in_a_quote_begins_with_its_marker(text: str, marker: str) -> None:
    assert continuation_marker(text) == marker


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["So it was\n", "||a **b** c||\n"], [False]),
        (["So **it was\n", "||a **b** c||\n"], [True]),
        (["So **it** was\n", "||a **b** c||\n", "so **\n", "||d **e||\n"], [False, True]),
        (["So **it was\n", "so** it\n", "||a **b** c||\n"], [False]),
        (["So **it was\n", "||a||\n", "so** it\n", "||a **b** c||\n"], [False, False]),
        (["So *it and __so\n", "||a **b||\n", "||a __b||\n"], [False, True]),
        (["So `it was\n", "||a||\n"], [True]),
        (["So `it was\n", "so` it\n", "||a `b`||\n"], [False]),
        (["So || it was\n", "||a||\n"], [True]),
        (["# So **it was\n", "||a **b**||\n"], [False]),
        (["# So **it was", " fine ||a **b**||\n"], [True]),
        (["> So **it was\n", "> ||a **b**||\n"], [True]),
        (["> So **it was\n\nand\n", "||a **b**||\n"], [False]),
        (["- So **it was\n", "- ||a **b**||\n"], [True]),
        (["a_b and `` c\n", "||d_e `` f||\n"], [True]),
        (["***a\n", "||b***||\n"], [True]),
    ],
)
def test_only_marks_without_a_mate_are_remembered(pieces: list[str], shown: list[bool]) -> None:
    marks = UnclosedMarkers(SETTINGS)
    seen: list[bool] = []
    for piece in pieces:
        if "||" in piece and len(piece.split("||")) == 3:
            seen.append(marks.would_leak(piece))
        marks.push(piece)

    assert seen == shown


def test_what_is_remembered_of_marks_stays_short() -> None:
    marks = UnclosedMarkers(SETTINGS)
    for number in range(500):
        marks.push(f"_a{number} b_c ||d_e||\n")
    assert not marks.would_leak("||f||")
    assert len(marks._open) < 20

"""Where a line may be shown before it ends."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.break_points import AtomicRange
from streamcord._text.markdown.delimiter_stack import Span, SpanKind
from streamcord._text.markdown.live_cuts import (
    MIN_CODE_PIECE_CHARS,
    MIN_PIECE_CHARS,
    find_early_code_cut,
    find_early_cut,
)

PLAIN = "The river runs down to the sea, and nobody knows why it does so."


def cut(text: str, *, start: int = 0, hold: int = 0, spans: tuple[Span, ...] = ()) -> str:
    """What would be shown of a text whose line goes on."""
    whole = AtomicRange((span.start, span.end) for span in spans)
    return text[start : find_early_cut(text, start, len(text), whole, hold)]


def test_a_line_is_cut_between_two_plain_words_and_not_too_soon() -> None:
    assert cut(PLAIN) == "The river runs down to the "
    assert len(cut(PLAIN)) >= MIN_PIECE_CHARS


def test_the_word_behind_a_cut_must_have_ended() -> None:
    assert cut("The river runs down to the se") == ""
    assert cut("The river runs down to the sea ") == "The river runs down to the "


def test_what_may_still_be_a_label_is_held() -> None:
    assert len(cut(PLAIN, hold=50)) > 50


def test_a_later_piece_of_a_line_is_far_from_its_start() -> None:
    assert cut(PLAIN, start=27, hold=30) == "sea, and nobody knows why "


def test_the_line_before_does_not_count() -> None:
    text = f"A | B\n{PLAIN}"
    assert cut(text, start=6) == "The river runs down to the "


def test_nothing_behind_the_end_of_the_line_is_looked_at() -> None:
    assert cut("The river.\nruns down to the sea and on and on it goes") == ""


@pytest.mark.parametrize(
    "odd",
    ["a | b", "<b>x</b>", "$5 and $6", r"\(x\)", "{x}", "x^2", "~x~", "a == b", "<@5>"],
)
def test_a_line_that_rules_read_as_a_whole_is_left_to_its_end(odd: str) -> None:
    assert cut(f"Now {odd} {PLAIN}") == ""


@pytest.mark.parametrize(
    "words",
    [
        "बंदरगाह शहर से पहले जागता है। छह बजे नाव निकलती है, और",
        "ท่าเรือตื่นก่อนเมือง เรือออกตอนหกโมงเช้า กาแฟต้มอยู่ในห้อง หลัง",
        "يستيقظ الميناءُ قبل المدينة، تغادر العبارة في السادسة",
    ],
)
def test_words_of_every_script_are_words(words: str) -> None:
    assert len(cut(f"{words} ")) >= MIN_PIECE_CHARS


def test_an_equals_sign_in_an_address_is_no_sign_in_the_line() -> None:
    text = f"https://example.com/?a=b and {PLAIN}"
    assert cut(text) == ""
    assert cut(text, spans=(Span(SpanKind.URL, 0, 24),)).startswith("https://example.com/?a=b and ")
    assert cut(f"{text[:24]} a = b {PLAIN}", spans=(Span(SpanKind.URL, 0, 24),)) == ""


def test_what_stands_before_such_a_sign_may_be_shown() -> None:
    assert cut(f"{PLAIN} And a | b at the end of it") == "The river runs down to the "


def test_a_name_may_have_spaces() -> None:
    text = f"Ask @Luna Star, who knows, {PLAIN}"
    assert cut(text) == ""
    assert cut(f"{text} {PLAIN} {PLAIN}").startswith(text)


def test_a_bracket_that_is_open_may_become_a_link() -> None:
    assert cut(f"See [the river {PLAIN}") == ""
    assert cut(f"See [the river](#) first. {PLAIN}") == "See [the river](#) first. "


def test_what_must_stay_whole_is_not_cut() -> None:
    bold = "**The river runs down to the sea and on and on** and then some more of it"
    assert cut(bold, spans=(Span("**", 0, 48),)) == f"{bold[:48]} and "


def test_spans_that_are_long_gone_do_not_matter() -> None:
    assert cut(PLAIN, spans=(Span("**", -9, -3),)) == "The river runs down to the "


def test_words_with_signs_around_them_are_not_plain() -> None:
    assert cut("Some :wave: :wave: :wave: :wave: and then plain words here ").endswith(": and ")


def test_scripts_without_spaces_are_cut_behind_their_marks() -> None:
    text = "これはとても長い文章で、そして句点があります。さらに続きます、まだまだ続く"
    assert cut(text) == "これはとても長い文章で、そして句点があります。さらに続きます、"[: len(cut(text))]
    assert cut(text)[-1] in "。、"


# --- Code -----------------------------------------------------------------------------------------------


def code_cut(text: str) -> str:
    return text[: find_early_code_cut(text, 0, len(text))]


LINES = "".join(f"value_{number} = {number}\n" for number in range(20))


def test_code_is_cut_behind_a_line() -> None:
    shown = code_cut(f"```py\n{LINES}")
    assert shown.endswith("\n")
    assert MIN_CODE_PIECE_CHARS <= len(shown) < MIN_CODE_PIECE_CHARS + 20


def test_code_is_not_cut_before_the_next_line_has_ended() -> None:
    start = code_cut(f"```py\n{LINES}")
    assert code_cut(start) == ""
    assert code_cut(f"{start}value") == ""
    assert code_cut(f"{start}value\n") == start


@pytest.mark.parametrize("odd", ["```", "~~~", "   ```js", "-----BEGIN PRIVATE KEY-----"])
def test_code_with_more_than_plain_lines_is_left_whole(odd: str) -> None:
    assert code_cut(f"```md\nfirst\n{odd}\n{LINES}") == ""


def test_the_line_that_ends_a_block_is_not_alone() -> None:
    start = code_cut(f"```py\n{LINES}")
    assert code_cut(f"{start}```\n") == ""


def test_code_is_cut_after_empty_lines_and_not_held_until_its_end() -> None:
    start = code_cut(f"```py\n{LINES}")
    for empty in ("\n", "\n\n", "    \n"):
        assert code_cut(f"{start}{empty}") == ""
        assert code_cut(f"{start}{empty}value") == ""
        assert code_cut(f"{start}{empty}value\n") == f"{start}{empty}"
    assert code_cut(f"{start}\n```\n") == ""


def test_a_line_of_code_without_an_end_is_not_cut() -> None:
    assert code_cut("```py\n" + "x" * 500) == ""


def test_a_quote_is_cut_like_any_line() -> None:
    assert cut(f"> {PLAIN}") == "> The river runs down to "

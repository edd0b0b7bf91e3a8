from __future__ import annotations

import pytest

from streamcord._text.markdown.client_renderer import MarkupCode, MarkupLine, Quote, StyledRun, read_message


def runs(text: str) -> list[tuple[str, set[str]]]:
    """The runs of a message that is one plain line."""
    (line,) = read_message(text)
    assert isinstance(line, MarkupLine)
    return [(run.text, set(run.styles)) for run in line.runs]


def plain(text: str, kind: str = "text", lead: str = "") -> MarkupLine:
    return MarkupLine((StyledRun(text),), kind, lead)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "shown", "styles"),
    [
        ("**b**", "b", {"bold"}),
        ("*i*", "i", {"italic"}),
        ("_i_", "i", {"italic"}),
        ("***b***", "b", {"bold", "italic"}),
        ("__u__", "u", {"underline"}),
        ("~~s~~", "s", {"strike"}),
        ("||hidden||", "hidden", {"spoiler"}),
        ("`code`", "code", {"code"}),
        ("`` a`b ``", "a`b", {"code"}),
        ("` `", " ", {"code"}),
        ("[name](https://x.y)", "name", {"link"}),
        ("[name](<https://x.y>)", "name", {"link"}),
        ("https://x.y/z", "https://x.y/z", {"link"}),
        ("<https://x.y>", "https://x.y", {"link"}),
        ("<:soup:123>", ":soup:", {"emoji"}),
        ("<a:dance:123>", ":dance:", {"emoji"}),
        ("<@42>", "@42", {"mention"}),
        ("<@!42>", "@42", {"mention"}),
        ("<@&42>", "@42", {"mention"}),
        ("<#42>", "#42", {"mention"}),
        ("</stop:42>", "/stop", {"mention"}),
        ("<t:0:R>", "01 January 1970 00:00", {"mention"}),
        ("<t:99999999999999999>", "invalid date", {"mention"}),
        (r"\*", "*", set()),
    ],
)
def test_a_span_is_shown_without_its_markers(text: str, shown: str, styles: set[str]) -> None:
    assert runs(text) == [(shown, styles)]


@pytest.mark.parametrize(
    "text",
    [
        "**open",
        "snake_case_name",
        "a ** b",
        "~~~",
        "<think>",
        "[x](nowhere)",
        "|| open",
        "``` open",
        "2 * 3",
        "# ",
        "- ",
    ],
)
def test_what_is_no_span_is_shown_as_written(text: str) -> None:
    assert runs(text) == [(text, set())]


def test_spans_nest() -> None:
    assert runs("||a **b**||") == [("a ", {"spoiler"}), ("b", {"spoiler", "bold"})]


def test_an_address_leaves_the_full_stop_to_the_sentence() -> None:
    assert runs("see https://x.y/z.") == [("see ", set()), ("https://x.y/z", {"link"}), (".", set())]


def test_a_span_over_two_lines_colours_both() -> None:
    assert read_message("**a\nb** c") == [
        MarkupLine((StyledRun("a", frozenset({"bold"})),)),
        MarkupLine((StyledRun("b", frozenset({"bold"})), StyledRun(" c"))),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("# a", "h1"), ("## a", "h2"), ("### a", "h3"), ("-# a", "subtext"), ("#### a", "text")],
)
def test_headings_and_subtext_are_known_by_their_start(text: str, kind: str) -> None:
    (line,) = read_message(text)

    assert isinstance(line, MarkupLine)
    assert line.kind == kind


def test_a_heading_may_begin_with_a_span() -> None:
    assert read_message("# **a**") == [MarkupLine((StyledRun("a", frozenset({"bold"})),), "h1")]


def test_a_line_that_begins_with_a_span_is_text() -> None:
    assert read_message("**#** a") == [MarkupLine((StyledRun("#", frozenset({"bold"})), StyledRun(" a")))]


def test_list_items_have_their_bullet_apart() -> None:
    assert read_message("- a\n  * b\n3. c\n4) d\n• e") == [
        plain("a", "item", "• "),
        plain("b", "item", "  ◦ "),
        plain("c", "item", "3. "),
        plain("d", "item", "4) "),
        plain("e", "item", "• "),
    ]


def test_a_code_block_keeps_its_lines_and_its_language() -> None:
    assert read_message("before\n```c++\nint x;\n\n  y();\n```\nafter") == [
        plain("before"),
        MarkupCode("int x;\n\n  y();", "c++"),
        plain("after"),
    ]


def test_a_language_needs_a_newline() -> None:
    assert read_message("```py```") == [MarkupCode("py")]


def test_a_fence_closes_at_the_next_three_backticks() -> None:
    assert read_message("```\na```b") == [MarkupCode("a"), plain("b")]


def test_quote_lines_are_one_quote() -> None:
    assert read_message("> a\n> - b\nc") == [Quote((plain("a"), plain("b", "item", "• "))), plain("c")]


def test_a_quote_to_the_end_of_the_message() -> None:
    assert read_message("a\n>>> b\nc") == [plain("a"), Quote((plain("b"), plain("c")))]


def test_a_quote_may_hold_code_and_code_may_hold_what_looks_like_a_quote() -> None:
    assert read_message("> ```py\n> x\n> ```") == [Quote((MarkupCode("x", "py"),))]
    assert read_message("```\n> x\n```") == [MarkupCode("> x")]


def test_blank_lines_are_lines() -> None:
    assert read_message("a\n\nb") == [plain("a"), MarkupLine(()), plain("b")]
    assert read_message("> a\n\n> b") == [Quote((plain("a"),)), MarkupLine(()), Quote((plain("b"),))]


def test_an_empty_quote_still_has_its_bar() -> None:
    assert read_message("> ") == [Quote((MarkupLine(()),))]


def test_a_sign_without_a_space_is_no_quote() -> None:
    assert read_message(">no") == [plain(">no")]


def test_links_mentions_and_emoji_remember_what_they_point_at() -> None:
    (line,) = read_message("[**a** b](https://x.example/y) <@&5> <:star:7> https://z.example")

    assert isinstance(line, MarkupLine)
    assert [(run.text, run.target) for run in line.runs if run.styles] == [
        ("a", "https://x.example/y"),
        (" b", "https://x.example/y"),
        ("@5", "@&5"),
        (":star:", ":star:7"),
        ("https://z.example", "https://z.example"),
    ]

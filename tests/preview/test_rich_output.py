from __future__ import annotations

import io

from rich.console import Console

from streamcord import Attachment, Captured, Message, Speaker
from streamcord._preview.planned_answer import PlannedAnswer
from streamcord._preview.rich_output import draw
from streamcord.records import Dropped


def drawn(
    *messages: Message, width: int = 60, extra: PlannedAnswer | None = None, colour: bool = False
) -> str:
    book = extra or PlannedAnswer()
    for message in messages:
        book.record(message)
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        legacy_windows=False,
    )
    draw(book, "Luna", console)
    return out.getvalue()


def body(text: str, width: int = 60) -> list[str]:
    """The lines of one message, without the time line."""
    lines = drawn(Message(text), width=width).split("\n")
    return [line[12:].rstrip() for line in lines[2:-4]]


def test_messages_stand_on_a_time_line_under_their_speaker() -> None:
    page = drawn(Message("One.\nMore."), Message("Two.", 1.25), Message("Hmph.", 0.75, Speaker("Luna (mad)")))

    assert [line.rstrip() for line in page.split("\n")] == [
        "",
        "            Luna  APP",
        "  at once ● One.",
        "          │ More.",
        "   +1.2 s ● Two.",
        "",
        "            Luna (mad)  APP",
        "   +0.8 s ● Hmph.",
        "",
        "            3 messages in 2.0 s",
        "",
        "",
    ]


def test_spans_lose_their_markers_and_spoilers_their_text() -> None:
    assert body("**a** `b` ||four|| <:wave:1> [l](https://x.y)") == ["a b ████ :wave: l"]


def test_a_wide_spoiler_hides_as_many_cells_as_it_has() -> None:
    assert body("||好好||") == ["████"]


def test_a_quote_has_its_bar_on_every_line() -> None:
    assert body("> " + "word " * 12, width=40) == [
        "▎ word word word word word",
        "▎ word word word word word",
        "▎ word word",
    ]


def test_an_item_hangs_under_its_own_text() -> None:
    assert body("- " + "word " * 8, width=40) == ["• word word word word word", "  word word word"]


def test_code_stands_in_a_box_as_it_was_written() -> None:
    top, *lines, bottom = body("```python\nif x:\n\n    y()\n```")

    assert [line.strip("│").strip(" ") for line in lines] == ["if x:", "", "y()"]
    assert "│     y()" in lines[2]
    assert (top[0], top[-1], bottom[0], bottom[-1]) == ("╭", "╮", "╰", "╯")


def test_a_language_that_nobody_knows_is_drawn_plain() -> None:
    assert any("x" in line for line in body("```nosuchlanguage\nx\n```"))


def test_files_are_named() -> None:
    assert "▣ table.png" in drawn(Message("Look:", files=(Attachment("table.png", b""),)))


def test_what_nobody_sees_comes_below() -> None:
    book = PlannedAnswer()
    book.record(Captured("think", "plan it", ()))
    book.record(Dropped("..", "fragment", ()))

    page = drawn(Message("One."), extra=book)

    assert (
        page.index("One.") < page.index("thought") < page.index("plan it") < page.index("dropped (fragment)")
    )


def test_headings_and_subtext_have_a_look_of_their_own() -> None:
    looks = {
        line: drawn(Message(line), colour=True).split("\n")[2] for line in ("# Aa", "## Aa", "-# Aa", "Aa")
    }

    assert len(set(looks.values())) == 4
    assert all("#" not in look.split("Aa")[0][-2:] for look in looks.values())


def test_the_page_is_dark_to_its_right_edge() -> None:
    rows = drawn(Message("One."), colour=True).split("\n")[:-1]

    assert all("48;2;49;51;56" in row for row in rows)


def test_a_terminal_is_never_given_orders() -> None:
    page = drawn(Message("\x1b]0;title\x07 [bold]x[/bold]", speaker=Speaker("\x1b[2J")))

    assert "\x1b" not in page
    assert "[bold]x[/bold]" in page


def test_a_narrow_terminal_is_no_reason_to_fail() -> None:
    assert "word" in drawn(Message("> - word\n```\ncode\n```"), width=24)
    assert drawn(Message("> - word\n```\ncode\n```"), width=3)

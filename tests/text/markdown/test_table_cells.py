"""Words of a cell and their styles."""

from __future__ import annotations

import pytest

from streamcord._events import Cell, Style, Words
from streamcord._settings import Settings
from streamcord._text.markdown.table_cells import read_cell

BOLD, ITALIC, LINK, CODE = Style.BOLD, Style.ITALIC, Style.LINK, Style.CODE


def read(text: str) -> Cell:
    return read_cell(text, Settings())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("plain", (Words("plain"),)),
        ("**b** c", (Words("b", BOLD), Words(" c"))),
        ("*i* _j_", (Words("i", ITALIC), Words(" "), Words("j", ITALIC))),
        ("***x***", (Words("x", BOLD | ITALIC),)),
        ("**a *b* c**", (Words("a ", BOLD), Words("b", BOLD | ITALIC), Words(" c", BOLD))),
        ("__u__ ~~s~~", (Words("u", Style.UNDERLINE), Words(" "), Words("s", Style.STRIKETHROUGH))),
        ("`x|y`", (Words("x|y", CODE),)),
        ("`` a`b ``", (Words("a`b", CODE),)),
        ("` `", (Words(" ", CODE),)),
        ("[t](http://x.y)", (Words("t", LINK, "http://x.y"),)),
        ("[*t*](<http://x.y>) z", (Words("t", ITALIC | LINK, "http://x.y"), Words(" z"))),
        ("<http://u.v>", (Words("http://u.v", LINK, "http://u.v"),)),
        ("http://u.v", (Words("http://u.v", LINK, "http://u.v"),)),
        ("a<br>b", (Words("a\nb"),)),
        ("<:cat:123456789012345678>", (Words(":cat:"),)),
        ("<@123456789012345678>", (Words("<@123456789012345678>"),)),
        ("(a **b**)", (Words("(a "), Words("b", BOLD), Words(")"))),
        ("[no link]", (Words("[no link]"),)),
        (r"\*a\*", (Words("*a*"),)),
        (r"\(x^2\) is", (Words("x² is"),)),
        (r"||$x_1$||", (Words("x₁", Style.SPOILER),)),
        (r"\(\binom{n}{k}\)", (Words(r"\(\binom{n}{k}\)", CODE),)),
        ("||hidden||", (Words("hidden", Style.SPOILER),)),
        ('"a **b" c**', (Words('"a **b" c**'),)),
    ],
)
def test_markers_become_styles(text: str, expected: Cell) -> None:
    assert read(text) == expected


def test_a_formula_stays_as_it_is_where_nothing_is_adapted() -> None:
    assert read_cell("$x_1$", Settings(convert_markdown=False)) == (Words("$x_1$"),)

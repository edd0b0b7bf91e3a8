"""Characters that slip past filters."""

from __future__ import annotations

from streamcord._core.passage import Edit, Passage
from streamcord._core.reading import Reading
from streamcord._core.rules.uncensor import BLANK, DOT, blanks_to_spaces, drop_dots
from streamcord._settings import Settings


def change(text: str, edits: list[Edit]) -> str:
    return Passage.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


def test_blanks_become_spaces_outside_code() -> None:
    text = f"a{BLANK}{BLANK}b `c{BLANK}d`"
    assert change(text, blanks_to_spaces(Reading(text, Settings()))) == f"a  b `c{BLANK}d`"


def test_middle_dots_go_outside_code_urls_and_tags() -> None:
    text = f"n{DOT}o `x{DOT}y` https://a.b/{DOT}c <i class={DOT}>"
    assert (
        change(text, drop_dots(Reading(text, Settings())))
        == f"no `x{DOT}y` https://a.b/{DOT}c <i class={DOT}>"
    )

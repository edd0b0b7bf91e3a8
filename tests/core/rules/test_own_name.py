"""The persona's own name before a line is a label and goes; anywhere else it stays."""

from __future__ import annotations

import pytest

from streamcord._core.passage import Passage
from streamcord._core.reading import Reading
from streamcord._core.rules.own_name import label_pattern, strip_own_name
from streamcord._settings import Persona, Settings

TOMORI = Persona("Tomori", ("Lilya", "Tomo", "Tomori Nao", "T.", ""))


def strip(text: str, *, line_start: bool = True) -> str:
    edits = strip_own_name(Reading(text, Settings()), label_pattern(TOMORI), line_start=line_start)
    return Passage.from_spans(text, ((0, len(text)),)).replace("own name", edits).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tomori: hi", "hi"),
        ("TOMORI: hi", "hi"),
        ("Tomori：hi", "hi"),
        ("Tomori : hi", "hi"),
        ("**Tomori:** hi", "hi"),
        ("**Tomori**: hi", "hi"),
        ("Lilya: hi", "hi"),
        ("Tomori Nao: hi", "hi"),
        ("T.: hi", "hi"),
        ("Tomori: Lilya: hi", "hi"),
        ("  Tomori: hi", "  hi"),
        ("hi\nTomori: there\n\nTomo: you", "hi\nthere\n\nyou"),
        ("Tomori:", ""),
    ],
)
def test_own_labels_go(text: str, expected: str) -> None:
    assert strip(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I am Tomori: the one",
        "Tomorix: hi",
        "xTomori: hi",
        "Tomori says hi",
        "Tomori::hi",
        "Tomo://x",
        "To: hi",
        "Tx: hi",
        "- Tomori: hi",
        "> Tomori: hi",
        "Bob: hi",
        "```\nTomori: hi\n```",
        "`Tomori: b`",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert strip(text) == text


def test_a_text_that_goes_on_with_a_line_has_no_label_at_its_start() -> None:
    assert strip("Tomori: hi\nTomori: you", line_start=False) == "Tomori: hi\nyou"

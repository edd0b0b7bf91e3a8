"""Whether a sentence continues after an ellipsis, decided with as little text as possible."""

from __future__ import annotations

import pytest

from streamcord import Degree, Settings
from streamcord._text.language.hesitation import is_hesitation
from streamcord._text.layout.splitter import Splitter


def judge(text: str, *, final: bool = True) -> bool | None:
    at = text.index("...")
    return is_hesitation(text, 0, at, at + 4, final=final)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Luna... Stop it.", False),
        ("Luna... Luna, wait.", True),
        ("Stop... \u24b6 b", False),
        ("I... I have it.", True),
    ],
)
def test_a_repeated_word_continues_the_sentence(text: str, expected: bool) -> None:
    assert judge(text) is expected


def test_an_incomplete_word_waits_for_more_text() -> None:
    assert judge("Luna... Lun", final=False) is None
    assert judge("Luna... Lun") is False


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("So 5! = 120 here. Yes.", ["So 5! = 120 here.", "Yes."]),
        ("It has 5! =", ["It has 5! ="]),
        ("It is 5! =Nice it is.", ["It is 5!", "=Nice it is."]),
    ],
)
def test_an_operator_after_a_factorial_ends_no_sentence(text: str, messages: list[str]) -> None:
    settings = Settings(degree=Degree.HEAVY, humanize=False)
    assert Splitter(settings).split(text) == messages

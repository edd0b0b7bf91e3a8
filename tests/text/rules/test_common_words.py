"""Which words are ordinary: the listed ones, their plurals, and those with the endings of abstract nouns."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamcord._text.rules.common_words import common_words, is_common_word

PAGE = Path(__file__).parent / "openers.txt"
OPENERS = PAGE.read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", OPENERS, ids=lambda line: line.partition(":")[0])
def test_each_label_of_a_language_has_an_ordinary_word(line: str) -> None:
    _, _, labels = line.partition(":")
    plain = [label.strip() for label in labels.split(";")]

    assert [label for label in plain if not any(map(is_common_word, label.lower().split()))] == []


@pytest.mark.parametrize(
    "word",
    [
        "note", "notes", "dishes", "zutaten", "совет", "uwaga", "ipucu", "serendipity", "verschränkung",
        "amortización", "reisetipp", "troubleshooting", "lesezeit",
    ],
)  # fmt: skip
def test_a_word_is_ordinary_by_the_list_its_singular_or_its_end(word: str) -> None:
    assert is_common_word(word)


NAMES = """
    bob alice luna mark grace will rose иван james miles dennis gladys lois frances trinity clement dolores
    christelle xiaoming meiling kenji sterling henning roland strickland sebastian rosa mira sol paulo
    juan giulia
    chiara bianca dante bruno max klaus hans jean chloé zoë björn søren olga fatima ahmed haruto aragorn
    müller schmidt garcía rossi silva
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_a_name_is_not(name: str) -> None:
    assert not is_common_word(name)


def test_every_word_is_written_as_it_is_compared() -> None:
    assert [word for word in common_words() if word != word.lower()] == []

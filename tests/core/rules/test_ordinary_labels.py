from __future__ import annotations

from streamcord._core.rules.ordinary_labels import ORDINARY_WORDS


def test_it_has_headings_of_several_languages() -> None:
    assert {
        "note",
        "step",
        "monday",
        "hinweis",
        "étape",
        "ejemplo",
        "dica",
        "consiglio",
        "совет",
        "uwaga",
        "ipucu",
    } <= (ORDINARY_WORDS)


def test_names_are_not_in_it() -> None:
    assert ORDINARY_WORDS & {"bob", "alice", "luna", "mark", "grace", "will", "rose", "иван"} == set()


def test_every_word_is_written_as_it_is_compared() -> None:
    assert [word for word in ORDINARY_WORDS if word != word.lower()] == []

"""Whose label ends an answer."""

from __future__ import annotations

import pytest

from streamcord._core.reading import Reading
from streamcord._core.rules.speaker_guard import Guard, find_foreign_line, stop_strings
from streamcord._settings import Person, Persona, Settings

CAST = {
    "persona": Persona("Luna", ("Moon", "System")),
    "personas": (Persona("Ren", ("Rennie",)), Persona("Moon")),
    "people": (Person(1, "alice", ("Alice Smith", "")),),
}


def find(text: str, mode: str, *, from_start: bool = True) -> int | None:
    settings = Settings.from_mapping({**CAST, "speaker_guard": mode})
    return find_foreign_line(Reading(text, settings), Guard(settings), from_start=from_start)


@pytest.mark.parametrize(
    "label",
    [
        "Ren:",
        "ren :",
        "RENNIE：",
        "alice:",
        "Alice  Smith:",
        "User:",
        "Assistant:",
        "**Ren:**",
        "**Ren**:",
        "  Ren:",
        "Ren (mad):",
    ],
)
def test_known_names_of_others_end_it(label: str) -> None:
    assert find(f"Hi.\n{label} you", "known") == 4


@pytest.mark.parametrize(
    "label", ["Luna:", "Moon:", "System:", "Note:", "Ingredients:", "Recipe (serves 4):", "Renate:", "(Ren):"]
)
def test_own_and_unknown_names_do_not(label: str) -> None:
    assert find(f"Hi.\n{label} you", "known") is None


@pytest.mark.parametrize("label", ["Note:", "Anyone at all:", "**Bob:**", "é:", "a" * 64 + ":"])
def test_in_any_mode_every_label_ends_it(label: str) -> None:
    assert find(f"Hi.\n{label} you", "any") == 4


@pytest.mark.parametrize("mode", ["known", "any"])
@pytest.mark.parametrize(
    "line",
    [
        "https://example.com",
        "10:30 lunch",
        "At 10:30 we go",
        "- Ren: rest",
        "1. Ren: rest",
        "# Ren: rest",
        "12: rest",
        "`Ren: rest`",
        "```\nRen: rest\n```",
        "<a:ren:123> hi",
        "[Ren: rest]",
        "::Ren",
        "Ren::rest",
        ":smile: x",
        "a" * 65 + ": x",
        "no label",
        "**x\nRen: y**",
    ],
)
def test_what_only_looks_like_a_label_does_not(line: str, mode: str) -> None:
    assert find(f"Hi.\n{line}", mode) is None


def test_an_open_parenthesis_or_quotation_does_not_hide_a_label() -> None:
    assert find("so (x\nRen: y) z", "known") == 6


def test_the_first_line_counts_if_told_so() -> None:
    assert find("Ren: hi", "known") == 0
    assert find("Ren: hi\nRen: ho", "known", from_start=False) == 8


def test_the_provider_may_stop_at_foreign_labels() -> None:
    settings = Settings.from_mapping({**CAST, "speaker_guard": "known"})
    assert stop_strings(settings) == (
        "\nRen:", "\nRennie:", "\nalice:", "\nAlice Smith:", "\nAssistant:", "\nUser:",
    )  # fmt: skip
    assert stop_strings(Settings()) == ()
    assert stop_strings(Settings(speaker_guard="any")) == ("\nAssistant:", "\nUser:", "\nSystem:")

"""Whose label ends an answer."""

from __future__ import annotations

import pytest

from streamcord._settings import AnswerContext, Person, Persona, Settings
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.speaker_guard import Guard, find_foreign_line, find_stopped_speaker

CAST = AnswerContext(
    persona=Persona("Luna", ("Moon", "System")),
    personas=(Persona("Ren", ("Rennie",)), Persona("Moon")),
    people=(Person(1, "alice", ("Alice Smith", "")),),
)


def find(text: str, mode: str, *, from_start: bool = True) -> int | None:
    settings = Settings.from_mapping({"speaker_guard": mode})
    guard = Guard(settings, CAST)
    found = find_foreign_line(ParsedText(text, settings), guard, from_start=from_start)
    return found[0] if found else None


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
def test_in_label_mode_every_label_ends_it(label: str) -> None:
    assert find(f"Hi.\n{label} you", "label") == 4


@pytest.mark.parametrize(
    "label",
    [
        "Bob:", "**Bob:**", "*Bob*:", "Alice Smith:", "Mary Jane Watson Parker:", "Jean-Luc Picard：",
        "O'Brien:",
        "Doctor Strange:", "Frau Klein:", "Meiling:", "Al-Rashid:", "Guard:",
        "BOB:", "Bob (angry):", "Марья Ивановна:", "Élodie:", "Dr Watson:", "ren:", "User:", "B\u200bob:",
        "X:",
    ],
)  # fmt: skip
def test_in_any_mode_names_end_it(label: str) -> None:
    assert find(f"Hi.\n{label} you", "any") == 4


@pytest.mark.parametrize(
    "line",
    [
        "Nobody made that up: a tool rolled them.", "That is no shyness: she turns away.", "Note: well",
        "NOTE: well",
        "Step 1: open", "One More Thing: hi", "Python Example: hi", "Final Answer: yes", "Hinweis: nein",
        "Nota: no", "Совет: да", "Monday: rest", "Pros: many", "bob: hi", "The End: bye", "alice b: hi",
        "He said: go", "Dr. Watson: hi", "Hey! Bob: hi", "A B C D E: hi", "猫: にゃあ",
        "سؤال: نعم", "Rent: 500", "Fee: $5",
        "Pro-Tip: hi", "Check-In: hi", "Luna's Diary: hi", "XQZ: hi", "Equipment:", "Estimado Señor Paz:",
        "**Vorwort:**", "Doctor Strange's Cloak: hi",
        "John 3:16 says so", "(Bob): hi", "Bob, Ann: hi",
    ],
)  # fmt: skip
def test_in_any_mode_sentences_and_ordinary_words_do_not(line: str) -> None:
    assert find(f"Hi.\n{line}", "any") is None


def test_foreign_speaker_is_reported_without_markers_and_modifier() -> None:
    settings = Settings(speaker_guard="any")
    found = find_foreign_line(ParsedText("Hi.\n**Bob (mad)**: x", settings), Guard(settings), from_start=True)

    assert found == (4, "Bob")


@pytest.mark.parametrize("mode", ["known", "any", "label"])
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


@pytest.mark.parametrize(
    ("stop_sequence", "speaker"),
    [("\nRen:", "Ren"), ("**Rennie:", "Rennie"), ("\nUser:", "User"), ("###", ""), ("\nNote:", ""), ("", "")],
)
def test_a_stop_sequence_names_the_speaker_whose_label_it_is(stop_sequence: str, speaker: str) -> None:
    assert find_stopped_speaker(stop_sequence, Guard(Settings(speaker_guard="any"), CAST)) == speaker
    assert find_stopped_speaker(stop_sequence, Guard(Settings(), CAST)) == ""

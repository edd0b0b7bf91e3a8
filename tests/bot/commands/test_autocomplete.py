"""What is suggested while a user types an option of a command."""

from __future__ import annotations

from streamcord_bot.commands.autocomplete import choices


def test_names_that_begin_with_what_was_typed_are_offered_first() -> None:
    names = ["Aren", "Ren", "Zoe", "renata"]

    assert [choice.value for choice in choices(names, " REN")] == ["Ren", "renata", "Aren"]


def test_discord_takes_25_choices_of_100_characters() -> None:
    offered = choices([f"{number:03}" * 50 for number in range(40)], "")

    assert (len(offered), {len(choice.name) for choice in offered}) == (25, {100})

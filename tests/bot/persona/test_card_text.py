"""What a model is told, from the fields of a card."""

from __future__ import annotations

from typing import Any

import pytest

from streamcord._bot.persona.card_text import PROMPT_LENGTH, call, compose_prompt, fill_in, is_always


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{char}} and {{USER}}", "Luna and the user"),
        ("<BOT> and <user>", "Luna and the user"),
        ("{char} {{random}}", "{char} {{random}}"),
        ("  x  ", "x"),
    ],
)
def test_names_are_filled_in(text: str, filled: str) -> None:
    assert fill_in(text, "Luna") == filled


def test_a_name_is_filled_in_as_it_is() -> None:
    assert fill_in("{{char}}!", r"a\1\g<0>{{user}}", "you") == r"a\1\g<0>you!"


@pytest.mark.parametrize(
    ("fields", "name"),
    [({"name": "Luna"}, "Luna"), ({"name": "Luna", "nickname": "Lu"}, "Lu"), ({"nickname": 5}, ""), ({}, "")],
)
def test_a_nickname_is_what_a_character_is_called(fields: dict[str, Any], name: str) -> None:
    assert call(fields) == name


@pytest.mark.parametrize(
    "fields", [{}, {"description": 5, "character_book": []}, {"character_book": {"entries": 1}}]
)
def test_fields_that_say_nothing_are_an_empty_prompt(fields: dict[str, Any]) -> None:
    assert compose_prompt(fields) == ""


def test_a_prompt_has_an_end() -> None:
    fields = {"name": "x" * 80, "description": "{{char}}" * 50_000, "scenario": "never reached"}

    assert len(compose_prompt(fields)) == PROMPT_LENGTH


@pytest.mark.parametrize(
    ("entry", "always"),
    [
        ({"constant": True}, True),
        ({"constant": True, "enabled": False}, False),
        ({"constant": 1}, False),
        ("x", False),
    ],
)
def test_only_constant_entries_that_are_on_are_told_always(entry: object, always: bool) -> None:
    assert is_always(entry) is always

"""Personas, sprites, people and emoji from plain values, and what is said of wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

from streamcord import AnswerContext, Emoji, Person, Persona, SettingsError, Speaker, Sprite
from streamcord.settings import read_settings


def test_a_whole_cast_can_be_a_table() -> None:
    context = AnswerContext.from_mapping(
        {
            "persona": {"name": "Luna", "sprites": [{"name": "mad", "identity": True}], "alter": True},
            "personas": [{"name": "Ren"}],
            "people": [{"id": "123456789012345678", "handle": "al", "names": ["Al"]}, Person(2)],
            "emoji": [{"name": "smile", "id": 11, "animated": True}],
            "recent_messages": ["a", "b"],
            "previous_speaker": {"name": "Luna", "label": "Luna (mad): "},
        }
    )
    assert context.persona == Persona("Luna", sprites=(Sprite("mad", identity=True),), alter=True)
    assert context.personas == (Persona("Ren"),)
    assert context.people == (Person(123456789012345678, "al", ("Al",)), Person(2))
    assert context.emoji == (Emoji("smile", 11, animated=True),)
    assert context.previous_speaker == Speaker("Luna", None, "Luna (mad): ")


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"persona": {"name": "Luna", "sprites": [{"name": " "}]}}, "sprite.name"),
        ({"persona": {"name": "Luna", "sprites": [{"name": "a", "avatar": 5}]}}, "sprite.avatar"),
        ({"persona": {"name": "Luna", "sprites": [{"name": "a", "usable": 1}]}}, "sprite.usable"),
        ({"persona": {"name": "Luna", "sprites": [{"nam": "a"}]}}, "persona.sprites"),
        ({"persona": {"name": "Luna", "sprites": {"name": "a"}}}, "persona.sprites"),
        ({"persona": {"name": "Luna", "avatar": 5}}, "persona.avatar"),
        ({"persona": {"name": "Luna", "alter": "yes"}}, "persona.alter"),
        ({"persona": 5}, "persona"),
        ({"personas": "Ren"}, "personas"),
        ({"personas": ["Ren"]}, "personas"),
        ({"people": [{"id": 0}]}, "person.id"),
        ({"people": [{"id": "x"}]}, "person.id"),
        ({"people": [{"id": True}]}, "person.id"),
        ({"people": [{"id": 1, "handle": 5}]}, "person.handle"),
        ({"people": [{"id": 1, "names": "Al"}]}, "person.names"),
        ({"people": [{"handle": "al"}]}, "people.id"),
        ({"people": [{"id": 1, "avatar": 1}]}, "person.avatar"),
        ({"emoji": [{"name": "a b", "id": 1}]}, "emoji.name"),
        ({"emoji": [{"name": 5, "id": 1}]}, "emoji.name"),
        ({"emoji": [{"name": "ab", "id": -1}]}, "emoji.id"),
        ({"emoji": [{"name": "ab", "id": 1, "animated": "no"}]}, "emoji.animated"),
        ({"recent_messages": "a"}, "recent_messages"),
        ({"recent_messages": [5]}, "recent_messages"),
        ({"previous_speaker": "Luna"}, "previous_speaker"),
        ({"prefill": 5}, "prefill"),
        ({"speaker_guard": "on"}, "speaker_guard"),
        ({"emoji_unique_lookback": -1}, "emoji_unique_lookback"),
        ({"convert_markdown": "yes"}, "convert_markdown"),
    ],
)
def test_a_wrong_value_names_its_field(values: dict[str, Any], field: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(values)
    assert caught.value.field == field

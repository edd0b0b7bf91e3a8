from __future__ import annotations

import base64
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from bot.personas.sample_cards import PLAIN, V2, as_json, as_png, v3
from streamcord import Persona
from streamcord.store import Picture, StoredPersona
from streamcord_bot.personas.card_export import Form, Version, export_json, export_png, write_card
from streamcord_bot.personas.character_cards import read_card
from streamcord_bot.personas.pictures import read_texts

EXTENSION_KEY = {"streamcord": {"aliases": [], "alter": True}}


def exported(stored: StoredPersona, version: Version = "v3") -> dict[str, Any]:
    card: dict[str, Any] = json.loads(export_json(stored, {}, version))
    return card


def test_a_card_that_was_not_changed_comes_out_as_it_came_in() -> None:
    card = exported(read_card(as_json(V2)).stored, "v2")

    assert card == {**V2, "data": {**V2["data"], "extensions": {"other/tool": {"x": 1}, **EXTENSION_KEY}}}


def test_a_card_survives_any_number_of_ways_in_and_out() -> None:
    first = read_card(as_png(v3(nickname="Lu", odd="kept", creation_date=1), "ccv3"))
    content = export_png(first.stored, first.picture, first.sprites)
    second = read_card(content)

    assert second.stored.persona == first.stored.persona
    assert (second.stored.prompt, second.stored.greeting) == (first.stored.prompt, first.stored.greeting)
    assert second.picture == first.picture
    assert exported(second.stored) == exported(first.stored)


def test_a_picture_holds_both_versions() -> None:
    texts = read_texts(
        export_png(read_card(as_json(V2)).stored, Picture(content=PLAIN, kind="image/png"), {})
    )
    specs = {keyword: json.loads(base64.b64decode(text))["spec"] for keyword, text in texts.items()}

    assert specs == {"ccv3": "chara_card_v3", "chara": "chara_card_v2"}


def test_looks_travel_in_version_3() -> None:
    stored = StoredPersona(Persona("Luna"))
    sprites = {
        "mad": Picture("", PLAIN, "image/png"),
        "shy": Picture("https://example.com/shy.png"),
        "no": Picture(),
    }
    card = read_card(export_png(stored, None, sprites))

    assert card.sprites == {"mad": sprites["mad"], "shy": sprites["shy"]}


@pytest.mark.parametrize(
    "picture", [None, Picture("https://example.com/x.png"), Picture("", b"GIF89a", "image/gif")]
)
def test_a_persona_without_a_png_gets_a_plain_one(picture: Picture | None) -> None:
    content = export_png(StoredPersona(Persona("Luna"), prompt="You are Luna."), picture, {})

    assert Image.open(io.BytesIO(content)).size == (400, 400)
    assert read_card(content).stored.prompt == "You are Luna."


def test_a_persona_made_here_is_a_whole_card() -> None:
    stored = StoredPersona(Persona("Luna", ("Lu",), alter=False), 1, "You are Luna.", "Hi.")
    card = read_card(export_json(stored, {}))

    assert replace(card.stored, card="", guild=1) == stored
    fields = exported(stored)["data"]
    texts = ("creator_notes", "system_prompt", "character_version", "creator", "mes_example")
    assert {name: fields[name] for name in texts} == dict.fromkeys(texts, "")
    assert (fields["tags"], fields["alternate_greetings"], fields["group_only_greetings"]) == ([], [], [])


def test_a_prompt_that_was_written_anew_stands_alone() -> None:
    stored = replace(read_card(as_json(V2)).stored, prompt="A dog.", greeting="Woof.")
    card = exported(stored)
    again = read_card(as_json(card)).stored

    assert (again.prompt, again.greeting) == ("A dog.", "Woof.")
    assert card["data"]["odd"] == {"kept": None}
    assert [entry["content"] for entry in card["data"]["character_book"]["entries"]] == [
        "only when asked",
        "switched off",
    ]


def test_a_new_name_is_the_cards_name() -> None:
    stored = read_card(as_json(V2)).stored
    card = exported(replace(stored, persona=Persona("Selene", ("Luna",), alter=False)))

    assert card["data"]["name"] == "Selene"
    assert card["data"]["extensions"]["streamcord"] == {"aliases": ["Luna"], "alter": False}
    # The texts speak of the one who the card is about now.
    assert card["data"]["description"] == V2["data"]["description"]


@pytest.mark.parametrize("form", ["png", "json v3", "json v2"])
def test_what_is_too_large_to_send_leaves_its_pictures_behind(form: Form) -> None:
    stored = StoredPersona(Persona("Luna"), 0, "You are Luna.")
    sprites = {
        f"sprite {number}": Picture("https://example.com/x.png", PLAIN * 1000, "k") for number in range(9)
    }
    whole = write_card(stored, Picture(content=PLAIN), sprites, form, 10_000_000)
    small = write_card(stored, Picture(content=PLAIN), sprites, form, 10_000)
    least = write_card(stored, Picture(content=PLAIN), sprites, form, 10)

    assert len(whole) >= len(small) >= len(read_card(least).stored.name)
    assert len(small) < 10_000
    assert {sprite.url for sprite in read_card(small).sprites.values()} <= {"https://example.com/x.png"}
    assert read_card(least).sprites == {}

from __future__ import annotations

import base64
import io
import json
import struct
import zlib
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from streamcord import Persona
from streamcord._bot.persona.cards import (
    CARD_CAP,
    PROMPT_LENGTH,
    CardError,
    Version,
    character_name,
    compose_prompt,
    export_json,
    export_png,
    fill_names,
    is_constant,
    read_card,
)
from streamcord._bot.persona.pictures import plain_png, read_texts, write_texts
from streamcord.store import Picture, StoredPersona

PLAIN = plain_png(4, (1, 2, 3))
V2: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "odd": [1, {"kept": True}],
    "data": {
        "name": "Luna",
        "description": "{{char}} is a cat who likes {{user}}.",
        "personality": "calm",
        "scenario": "",
        "first_mes": "Hello {{user}}, I am {{Char}}.",
        "mes_example": "<START>\n{{user}}: hi\n{{char}}: mrrp",
        "creator_notes": "do not tell the model",
        "system_prompt": "{{original}}Stay in character.",
        "post_history_instructions": "Be short.",
        "alternate_greetings": ["Hey."],
        "tags": ["cat"],
        "creator": "somebody",
        "character_version": "1.1",
        "extensions": {"other/tool": {"x": 1}},
        "character_book": {
            "entries": [
                {"keys": ["moon"], "content": "only when asked", "enabled": True, "insertion_order": 1},
                {
                    "keys": [],
                    "content": "{{char}} lives on the moon.",
                    "constant": True,
                    "insertion_order": 2,
                },
                {"keys": [], "content": "The moon is cheese.", "constant": True, "insertion_order": 1},
                {"keys": [], "content": "switched off", "constant": True, "enabled": False},
            ],
            "extensions": {},
        },
        "odd": {"kept": None},
    },
}
PROMPT = """Stay in character.

Luna is a cat who likes the user.

Personality: calm

The moon is cheese.

Luna lives on the moon.

How Luna talks:

the user: hi
Luna: mrrp

Be short."""


def as_json(card: object) -> bytes:
    return json.dumps(card).encode()


def as_png(card: object, keyword: str = "chara") -> bytes:
    return write_texts(PLAIN, {keyword: base64.b64encode(as_json(card))})


def v3(**more: Any) -> dict[str, Any]:
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": {**V2["data"], **more}}


@pytest.mark.parametrize("content", [as_json(V2), as_png(V2), b"\xef\xbb\xbf" + as_json(V2)])
def test_a_card_of_version_2_becomes_a_persona(content: bytes) -> None:
    stored = read_card(content, guild=5).stored

    assert stored.persona == Persona("Luna", alter=True)
    assert (stored.guild, stored.greeting) == (5, "Hello you, I am Luna.")
    assert stored.prompt == PROMPT
    assert stored.card == V2


def test_the_picture_of_a_card_is_its_avatar_without_the_card() -> None:
    assert read_card(as_png(V2)).picture == Picture(content=PLAIN, kind="image/png")
    assert read_card(as_json(V2)).picture is None


def test_a_card_of_version_1_is_read_too() -> None:
    stored = read_card(as_json({"name": "Ren", "description": "A fox.", "first_mes": "Yo.", "odd": 1})).stored

    assert (stored.name, stored.prompt, stored.greeting) == ("Ren", "A fox.", "Yo.")
    assert stored.card["data"]["odd"] == 1


def test_version_3_wins_where_a_picture_has_both() -> None:
    both = write_texts(as_png(V2), {"ccv3": base64.b64encode(as_json(v3(nickname="Lu")))})
    stored = read_card(both).stored

    assert stored.persona.aliases == ("Lu",)
    assert "Lu is a cat" in stored.prompt


def test_emotions_of_version_3_become_looks() -> None:
    encoded = base64.b64encode(PLAIN)
    assets = [
        {"type": "emotion", "name": "happy", "uri": "https://example.com/happy.png", "ext": "png"},
        {"type": "emotion", "name": "mad", "uri": f"data:image/png;base64,{encoded.decode()}", "ext": "png"},
        {"type": "emotion", "name": "shy", "uri": "__asset:7", "ext": "png"},
        {"type": "emotion", "name": "lost", "uri": "embeded://assets/x.png", "ext": "png"},
        {"type": "emotion", "name": "fake", "uri": "data:image/png;base64,AAAA", "ext": "png"},
        {"type": "icon", "name": "main", "uri": "ccdefault:", "ext": "png"},
        "nonsense",
    ]
    png = write_texts(as_png(v3(assets=assets), "ccv3"), {"chara-ext-asset_:7": encoded})
    card = read_card(png)

    kept = Picture(content=PLAIN, kind="image/png")
    assert card.looks == {"happy": Picture("https://example.com/happy.png"), "mad": kept, "shy": kept}
    assert card.stored.card["data"]["assets"] == assets[3:]


@pytest.mark.parametrize(
    ("name", "kept"),
    [("@everyone", "@everyone"), ("Lu\nna\u202e", "Lu na"), ("x" * 500, "x" * 80), ("<@1> `x`", "<@1> `x`")],
)
def test_a_hostile_name_is_made_plain(name: str, kept: str) -> None:
    stored = read_card(as_json({"name": name, "description": "I am {{char}}."})).stored

    assert (stored.name, stored.prompt) == (kept, f"I am {kept}.")


def test_a_name_cannot_blow_up_the_prompt() -> None:
    stored = read_card(as_json({"name": "x" * 10_000, "description": "{{char}}" * 100_000})).stored

    assert len(stored.prompt) == 32_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no JSON"),
        (b"hello", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"data":' * 200 + b"1" + b"}" * 200, "not built like"),
        (b'{"name": "a", "x": ' + b"[" * 500 + b"]" * 500 + b"}", "not built like|no JSON"),
        (b"[]", "not built like"),
        (b'"Luna"', "not built like"),
        (b"{}", "no name"),
        (as_json({"name": 5}), "no name"),
        (as_json({"name": "\u200b\n"}), "no name"),
        (b'{"name": "a", "x": NaN}', "no JSON"),
        (b'{"name": "a", "x": 1e999}', "no JSON"),
        (b'{"name": "a", "x": ' + b"9" * 5000 + b"}", "no JSON"),
        (b'{"name": "\xff"}', "no JSON"),
        (b"x" * (CARD_CAP + 1), "larger than 8 MB"),
        (b"\xff\xd8\xff\xe0", "export it as one of these"),
        (b"PK\x03\x04charx", "export it as one of these"),
        (PLAIN, "no character in this picture"),
        (PLAIN[:-20], "damaged or cut off"),
        (b"\x89PNG", "not a picture"),
        (write_texts(PLAIN, {"chara": b"!"}), "damaged|no JSON"),
        (write_texts(PLAIN, {"chara": b"QQ"}), "damaged|no JSON"),
        (write_texts(PLAIN, {"chara": base64.b64encode(b"[1]")}), "not built like"),
    ],
)
def test_what_is_no_card_is_an_error_for_people(content: bytes, words: str) -> None:
    with pytest.raises(CardError, match=words) as caught:
        read_card(content)
    assert str(caught.value).endswith(".")


def test_a_bomb_is_neither_unpacked_nor_taken_for_a_picture() -> None:
    packed = b"chara\0\0" + zlib.compress(bytes(100 * 2**20), 9)
    chunk = (
        struct.pack(">I", len(packed)) + b"zTXt" + packed + struct.pack(">I", zlib.crc32(b"zTXt" + packed))
    )
    with pytest.raises(CardError, match="more than 8 MB of text"):
        read_card(PLAIN[:-12] + chunk + PLAIN[-12:])

    header = b"IHDR" + struct.pack(">II", 60_000, 60_000) + PLAIN[24:29]
    with pytest.raises(CardError, match="60000 × 60000 pixels"):
        read_card(PLAIN[:12] + header + struct.pack(">I", zlib.crc32(header)) + PLAIN[33:])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from([*V2["data"], "nickname", "assets", "extensions"])


@settings(max_examples=300)
@given(st.dictionaries(FIELDS, JSON | st.just(V2["data"]), max_size=5), st.booleans())
def test_any_fields_are_a_card_or_an_error_for_people(fields: dict[str, Any], inner: bool) -> None:
    with suppress(CardError):
        assert read_card(as_json({"data": fields} if inner else fields)).stored.name


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
    assert fill_names(text, "Luna") == filled


def test_a_name_is_filled_in_as_it_is() -> None:
    assert fill_names("{{char}}!", r"a\1\g<0>{{user}}", "you") == r"a\1\g<0>you!"


@pytest.mark.parametrize(
    ("fields", "name"),
    [({"name": "Luna"}, "Luna"), ({"name": "Luna", "nickname": "Lu"}, "Lu"), ({"nickname": 5}, ""), ({}, "")],
)
def test_a_nickname_is_what_a_character_is_called(fields: dict[str, Any], name: str) -> None:
    assert character_name(fields) == name


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
    assert is_constant(entry) is always


# --- Writing --------------------------------------------------------------------------------------------


EXTENSION_KEY = {"streamcord": {"aliases": [], "alter": True}}


def exported(stored: StoredPersona, version: Version = "v3") -> dict[str, Any]:
    card: dict[str, Any] = json.loads(export_json(stored, {}, version))
    return card


def test_a_card_that_was_not_changed_comes_out_as_it_came_in() -> None:
    card = exported(read_card(as_json(V2)).stored, "v2")

    assert card == {**V2, "data": {**V2["data"], "extensions": {"other/tool": {"x": 1}, **EXTENSION_KEY}}}


def test_a_card_survives_any_number_of_ways_in_and_out() -> None:
    first = read_card(as_png(v3(nickname="Lu", odd="kept", creation_date=1), "ccv3"))
    content = export_png(first.stored, first.picture, first.looks)
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
    looks = {
        "mad": Picture("", PLAIN, "image/png"),
        "shy": Picture("https://example.com/shy.png"),
        "no": Picture(),
    }
    card = read_card(export_png(stored, None, looks))

    assert card.looks == {"mad": looks["mad"], "shy": looks["shy"]}


@pytest.mark.parametrize(
    "picture", [None, Picture("https://example.com/x.png"), Picture("", b"GIF89a", "image/gif")]
)
def test_a_persona_without_a_png_gets_a_plain_one(picture: Picture | None) -> None:
    content = export_png(StoredPersona(Persona("Luna"), prompt="You are Luna."), picture, {})

    assert Image.open(io.BytesIO(content)).size == (400, 400)
    assert read_card(content).stored.prompt == "You are Luna."


def test_a_persona_made_here_is_a_whole_card() -> None:
    stored = StoredPersona(Persona("Luna", ("Lu",), alter=False), 1, "You are Luna.", "Hi.")
    card = read_card(export_json(stored, {}), guild=1)

    assert replace(card.stored, card={}) == stored
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
    # The texts speak of whoever the card is about now.
    assert card["data"]["description"] == V2["data"]["description"]

from __future__ import annotations

import base64
import json
import struct
import unicodedata
import zlib
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.personas.sample_cards import PLAIN, PROMPT, V2, as_json, as_png, v3
from streamcord import Persona
from streamcord.store import Picture
from streamcord_bot.personas.character_cards import (
    CARD_CAP,
    NAME_LENGTH,
    PROMPT_LENGTH,
    CardError,
    character_name,
    clean_name,
    compose_prompt,
    fill_names,
    is_constant,
    read_card,
)
from streamcord_bot.personas.pictures import write_texts


@pytest.mark.parametrize("content", [as_json(V2), as_png(V2), b"\xef\xbb\xbf" + as_json(V2)])
def test_a_card_of_version_2_becomes_a_persona(content: bytes) -> None:
    stored = read_card(content).stored

    assert stored.persona == Persona("Luna", alter=True)
    assert (stored.guild, stored.greeting) == (0, "Hello {{user}}, I am Luna.")
    assert stored.prompt == PROMPT
    assert json.loads(stored.card) == V2


def test_the_picture_of_a_card_is_its_avatar_without_the_card() -> None:
    assert read_card(as_png(V2)).picture == Picture(content=PLAIN, kind="image/png")
    assert read_card(as_json(V2)).picture is None


def test_a_card_of_version_1_is_read_too() -> None:
    stored = read_card(as_json({"name": "Ren", "description": "A fox.", "first_mes": "Yo.", "odd": 1})).stored

    assert (stored.name, stored.prompt, stored.greeting) == ("Ren", "A fox.", "Yo.")
    assert json.loads(stored.card)["data"]["odd"] == 1


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
    assert card.sprites == {"happy": Picture("https://example.com/happy.png"), "mad": kept, "shy": kept}
    assert json.loads(card.stored.card)["data"]["assets"] == assets[3:]
    assert card.refused == {
        "lost": "There is no picture at its address.",
        "fake": "That is not a picture: send a PNG, JPEG, GIF or WebP.",
    }


@pytest.mark.parametrize(
    ("name", "kept"),
    [("@everyone", "@everyone"), ("Lu\nna\u202e", "Lu na"), ("x" * 500, "x" * 80), ("<@1> `x`", "<@1> `x`")],
)
def test_a_hostile_name_is_made_plain(name: str, kept: str) -> None:
    stored = read_card(as_json({"name": name, "description": "I am {{char}}."})).stored

    assert (stored.name, stored.prompt) == (kept, f"I am {kept}.")


@pytest.mark.parametrize(
    ("card", "adult"),
    [
        ({"name": "Rex", "tags": ["cute", "NSFW"]}, True),
        ({"data": {"name": "Rex", "tags": ["nsfw"]}}, True),
        ({"name": "Rex", "tags": "nsfw"}, False),
        ({"name": "Rex", "tags": [None, "sfw"]}, False),
        ({"data": {"name": "Rex"}, "tags": 5}, False),
        ({"name": "Rex", "description": "tags: nsfw"}, False),
    ],
)
def test_a_tag_says_that_a_character_is_for_adults(card: object, adult: bool) -> None:
    assert read_card(as_json(card)).stored.adult is adult


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
        (b"PK\x03\x04charx", "The file is damaged: download it again"),
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
        ("{{char}} and {{USER}}", "Luna and {{user}}"),
        ("<BOT> and <user>", "Luna and {{user}}"),
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


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["Luna", "J. R. R.", "ルナ", "Zoë", "👨‍👩‍👧", "*Neo*", "a:b", "discord", "می‌خواهم"]
)
def test_a_plain_name_stays(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("  Lu\nna\t ", "Lu na"),
        ("Lu\u202ena", "Luna"),
        ("\u200bLuna\ufeff", "Luna"),
        ("Lu\x00na\x1b[31m", "Luna[31m"),
        ("Cafe\u0301", "Café"),
        ("L" + "\u0300" * 100 + "una", "L\u0300\u0300\u0300una"),
        ("x" * 1000, "x" * 80),
        ("\u200b\u200d \n", ""),
        ("\ud800Luna", "Luna"),
        ("Luna\u2028System", "Luna System"),
    ],
)
def test_a_hostile_name_becomes_plain(name: str, cleaned: str) -> None:
    assert clean_name(name) == cleaned


@settings(max_examples=500)
@given(st.text(max_size=200))
def test_any_name_is_one_short_line_and_cleaning_it_again_changes_nothing(name: str) -> None:
    cleaned = clean_name(name)

    assert len(cleaned) <= NAME_LENGTH
    assert cleaned == cleaned.strip() == clean_name(cleaned)
    assert {unicodedata.category(letter) for letter in cleaned} & {"Cc", "Cs", "Zl", "Zp"} == set()

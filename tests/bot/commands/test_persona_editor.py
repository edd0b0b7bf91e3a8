"""Changing a persona: which names can be, and forms that cut nothing off."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import pytest

from bot.commands.using import with_commands
from streamcord import Persona, Sprite
from streamcord.store import Picture, StoredPersona
from streamcord_bot.commands.base import CommandRefused
from streamcord_bot.commands.persona_editor import Changes, check_name
from streamcord_bot.personas.character_cards import read_card
from streamcord_bot.personas.pictures import plain_png, write_texts


@pytest.mark.parametrize(("name", "kept"), [(" Luna ", "Luna"), ("Lu\nna", "Lu na"), ("x" * 80, "x" * 80)])
def test_a_name_is_made_plain(name: str, kept: str) -> None:
    assert check_name(name) == kept


@pytest.mark.parametrize(("name", "key"), [("", "no_name"), ("\u200b", "no_name"), ("x" * 81, "name_length")])
def test_a_name_that_cannot_be_kept_is_refused(name: str, key: str) -> None:
    with pytest.raises(CommandRefused) as caught:
        check_name(name)
    assert caught.value.key == key


def test_nothing_named_is_nothing_to_change() -> None:
    assert Changes().is_empty
    assert not Changes(prompt="").is_empty
    assert not Changes(own_identity=False).is_empty


async def test_a_prompt_too_long_for_a_form_is_not_in_it_and_stays() -> None:
    long = "x" * 4001
    async with with_commands() as commands:
        twin = commands.stage.twin
        await commands.store.save_persona(StoredPersona(Persona("Ren"), commands.guild, long))
        used = twin.slash("persona edit", name="Ren")
        callback = await twin.until(lambda: used.callback)
        labels = [row["components"][0]["label"] for row in callback["data"]["components"]]
        sent = twin.submit(used, {"name": "Ren", "aliases": "", "greeting": "Yo."})
        await twin.until(lambda: sent.original if sent.original and sent.original.content else None)
        found = await commands.store.find_persona(commands.guild, "Ren")

    assert labels == ["name", "aliases", "greeting"]
    assert found is not None
    assert (found.prompt, found.greeting) == (long, "Yo.")


async def test_a_form_that_cannot_be_kept_says_why() -> None:
    async with with_commands() as commands:
        twin = commands.stage.twin
        await commands.says("persona create", name="Ren")
        used = twin.slash("persona edit", name="Ren")
        await twin.until(lambda: used.callback)
        sent = twin.submit(used, {"name": "Luna", "aliases": "", "prompt": "", "greeting": ""})
        answer = await twin.until(lambda: sent.original if sent.original and sent.original.content else None)

    assert answer.content == "There is a persona **Luna** already. `/persona edit` changes it."


# --- Character cards ------------------------------------------------------------------------------------


FACE = plain_png(16, (1, 2, 3))
LOOK = plain_png(8, (3, 2, 1))
INLINE = f"data:image/png;base64,{base64.b64encode(LOOK).decode()}"
CARD: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        "name": "Selene",
        "description": "{{char}} is the moon.",
        "first_mes": "Good night.",
        "odd": {"kept": [1, 2]},
        "assets": [
            {
                "type": "emotion",
                "name": "full",
                "uri": INLINE,
            },
            {"type": "emotion", "name": "dark", "uri": "http://127.0.0.1/dark.png"},
        ],
    },
}


def png(card: object) -> bytes:
    return write_texts(FACE, {"ccv3": base64.b64encode(json.dumps(card).encode())})


async def test_sprites_that_are_too_many_are_told_in_one_line() -> None:
    assets = [{"type": "emotion", "name": f"mood{number}", "uri": INLINE} for number in range(500)]
    card = {**CARD, "data": {**CARD["data"], "assets": assets}}
    async with with_commands() as commands:
        said = (await commands.use("persona import", file=("selene.png", png(card)))).content

    names = ", ".join(f"**mood{number}**" for number in range(50, 60))
    assert said.splitlines()[1:] == [
        "Sprites that were not imported:",
        f"- {names} … +440: A card brings at most 50 sprites.",
    ]


async def test_lore_without_a_character_is_sent_to_its_command() -> None:
    lore = {"entries": {"0": {"key": ["moon"], "content": "The moon is cheese."}}}
    async with with_commands() as commands:
        said = await commands.says("persona import", file=("world.json", json.dumps(lore).encode()))

    assert said == "This file holds lore and no character: use /lore import for it."


async def test_a_card_becomes_a_persona_with_face_and_looks_and_goes_out_again() -> None:
    async with with_commands() as commands:
        said = await commands.use("persona import", file=("selene.png", png(CARD)))
        found = await commands.store.find_persona(commands.guild, "Selene")
        face = await commands.store.find_picture(commands.guild, "Selene")
        sprite = await commands.store.find_picture(commands.guild, "Selene", "full")
        answer = await commands.use("persona export", name="selene")
        (file,) = answer.draft.attachments
        card = read_card(file.content)

    assert said.content.splitlines() == [
        "**Selene** was imported; sprites: 1. Use `/persona switch` to let **Selene** speak.",
        "Sprites that were not imported:",
        "- **dark**: That address leads into a private network, so nothing was fetched. Use a public one.",
    ]
    assert found is not None
    assert (found.prompt, found.greeting) == ("Selene is the moon.", "Good night.")
    assert face is not None
    assert face.content == FACE
    assert sprite is not None
    assert sprite.content == LOOK
    assert file.filename == "Selene.png"
    assert card.stored.prompt == found.prompt
    assert json.loads(card.stored.card)["data"]["odd"] == {"kept": [1, 2]}
    assert card.picture is not None
    assert card.picture.content == FACE
    assert list(card.sprites) == ["full"]


@pytest.mark.parametrize(("form", "spec"), [("json v2", "chara_card_v2"), ("json v3", "chara_card_v3")])
async def test_a_persona_goes_out_as_json_of_either_version(form: str, spec: str) -> None:
    async with with_commands() as commands:
        answer = await commands.use("persona export", name="Luna", form=form)

    (file,) = answer.draft.attachments
    card = json.loads(file.content)
    assert (file.filename, card["spec"], card["data"]["name"]) == ("Luna.json", spec, "Luna")
    assert card["data"]["description"] == "You are Luna, a cat."


async def test_a_card_takes_no_ones_place_unless_told_to() -> None:
    content = json.dumps({"name": "luna", "description": "Another."}).encode()
    async with with_commands() as commands:
        refused = await commands.says("persona import", file=("x.json", content))
        before = await commands.store.personas(commands.guild)
        taken = await commands.use("persona import", file=("x.json", content), replace=True)
        found = await commands.store.find_persona(commands.guild, "Luna")

    assert refused.startswith("There is a persona **Luna** already.")
    assert before == ()
    assert taken.content.startswith("**luna** was imported")
    assert found is not None
    assert found.prompt == "Another."


async def test_a_card_that_takes_a_place_brings_its_own_looks() -> None:
    dark = {**CARD, "data": {**CARD["data"], "assets": [{"type": "emotion", "name": "dim", "uri": INLINE}]}}
    async with with_commands() as commands:
        await commands.use("persona import", file=("a.png", png(CARD)))
        await commands.tells("persona switch", name="Selene")
        await commands.use("persona import", file=("b.png", png(dark)), replace=True)
        found = await commands.store.find_persona(commands.guild, "Selene")
        choice = await commands.store.find_choice(commands.place)

    assert found is not None
    assert [sprite.name for sprite in found.persona.sprites] == ["dim"]
    assert choice == "Selene"


async def test_looks_that_are_too_many_to_carry_go_by_their_address() -> None:
    heavy = LOOK + bytes(4 * 2**20)
    async with with_commands() as commands:
        await commands.store.save_persona(StoredPersona(Persona("Ren"), commands.guild))
        for name in ("a", "b"):
            sprite = Picture(f"https://example.com/{name}.png", heavy, "image/png")
            await commands.store.save_sprite(commands.guild, "Ren", Sprite(name), sprite)
        answer = await commands.use("persona export", name="Ren", form="json v3")

    assets = json.loads(answer.draft.attachments[0].content)["data"]["assets"]
    assert [asset["uri"] for asset in assets[1:]] == [
        "https://example.com/a.png",
        "https://example.com/b.png",
    ]


def bomb() -> bytes:
    packed = b"chara\0\0" + zlib.compress(bytes(64 * 2**20), 9)
    chunk = (
        struct.pack(">I", len(packed)) + b"zTXt" + packed + struct.pack(">I", zlib.crc32(b"zTXt" + packed))
    )
    return FACE[:-12] + chunk + FACE[-12:]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Give a character card"),
        ({"file": ("x.png", FACE)}, "no character in this picture"),
        ({"file": ("x.png", b"hello")}, "no JSON"),
        ({"file": ("x.png", bomb())}, "more than 8 MB of text"),
        ({"file": ("x.json", b" " * (9 * 2**20))}, "The limit is 8 MB"),
        ({"url": "http://127.0.0.1/card.png"}, "private network"),
        ({"url": "file:///etc/passwd"}, "not the address of a picture"),
    ],
)
async def test_what_is_no_card_is_told_and_kept_nowhere(options: dict[str, Any], words: str) -> None:
    async with with_commands() as commands:
        assert words in await commands.says("persona import", **options)
        assert await commands.store.personas(commands.guild) == ()

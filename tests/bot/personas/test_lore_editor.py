"""Lore by command and file, CHARX, and what an import says that it does not use."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bot.commands.using import with_commands
from bot.models import Model, asked
from bot.personas.sample_cards import PLAIN, V2, as_json, v3
from bot.stage import make_config, on_stage
from streamcord.store import Place, open_store
from streamcord_bot.config import load_config
from streamcord_bot.personas.character_cards import CardError, read_card
from streamcord_bot.personas.lore_editor import (
    add_lore,
    count_lore,
    import_lore,
    list_lore,
    remove_lore,
    report_card,
)
from streamcord_bot.personas.pictures import plain_png
from streamcord_bot.personas.server_personas import seed_personas
from streamcord_bot.prompt.lorebook import find_lore, read_book

WORLD_INFO: dict[str, Any] = {
    "entries": {
        "0": {"key": ["rum", "grog"], "keysecondary": [], "content": "Rum is forbidden here.", "order": 5},
        "1": {"key": [], "content": "The sea is purple.", "constant": True},
        "2": {"key": ["/hone?y cake/i"], "content": "Cakes.", "useRegex": True},
        "3": {"key": ["ghost"], "content": "No ghosts.", "disable": True},
    }
}


def charx(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def with_assets() -> dict[str, Any]:
    assets = [
        {"type": "icon", "name": "main", "uri": "embeded://assets/icon/main.png", "ext": "png"},
        {"type": "emotion", "name": "happy", "uri": "embeded://assets/emotion/happy.png", "ext": "png"},
        {"type": "emotion", "name": "gone", "uri": "embeded://assets/emotion/gone.png", "ext": "png"},
    ]
    card = v3()
    return {**card, "data": {**card["data"], "assets": assets}}


def test_world_info_becomes_entries_of_a_card() -> None:
    card, report = import_lore("", "Luna", json.dumps(WORLD_INFO).encode())
    book = read_book(json.loads(card))

    assert report == {"used": 3, "regex": 0, "off": 1}
    assert find_lore(book, ["Any rum?"]) == ("The sea is purple.", "Rum is forbidden here.")
    assert find_lore(book, ["Hello."]) == ("The sea is purple.",)
    assert find_lore(book, ["A honey cake, a ghost"]) == ("The sea is purple.", "Cakes.")


def test_entries_are_added_listed_and_removed() -> None:
    card = add_lore("", "Luna", ["moon", "sky"], "The moon is made of cheese.")
    card = add_lore(card, "Luna", ["tea"], "Tea at five.")

    assert list_lore(card) == [(1, "moon, sky: The moon is made of cheese."), (2, "tea: Tea at five.")]
    assert list_lore(remove_lore(card, 1)) == [(1, "tea: Tea at five.")]
    with pytest.raises(CardError, match="no entry 3: the persona has 2"):
        remove_lore(card, 3)


@pytest.mark.parametrize("content", [b"{}", b'{"entries": []}', b'{"entries": {"0": 7}}', b"[]", b"\xff"])
def test_file_without_lore_is_refused_in_a_sentence(content: bytes) -> None:
    with pytest.raises(CardError, match=r"\.$"):
        import_lore("", "Luna", content)


def test_import_counts_what_is_not_used() -> None:
    fields = {**V2["data"], "description": "x" * 60_000}
    stored = read_card(as_json({**V2, "data": fields})).stored

    report = report_card(stored)

    assert report["cut"] > 60_000
    assert count_lore([{"keys": ["/(?=a)/"], "content": "x"}, {"keys": ["a"], "content": " "}, 7]) == {
        "used": 0,
        "regex": 1,
        "off": 2,
    }


def test_charx_brings_its_picture_and_sprites() -> None:
    files = {
        "card.json": as_json(with_assets()),
        "assets/icon/main.png": PLAIN,
        "assets/emotion/happy.png": plain_png(5, (9, 9, 9)),
    }

    card = read_card(charx(files))

    assert card.picture is not None
    assert card.picture.content == PLAIN
    assert list(card.sprites) == ["happy"]
    assert list(card.refused) == ["gone"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (charx({"other.json": b"{}"}), "no card.json"),
        (charx({"card.json": b"{"}), "no JSON"),
        (charx({"card.json": b" " * (9 * 2**20)}), "larger than 8 MB"),
        (charx({"card.json": b"{}" * 99})[:60], "damaged"),
    ],
    # The files hold the time, so they are no names: every process must collect the same tests.
    ids=["no card", "no JSON", "large", "cut"],
)
def test_broken_charx_is_refused_in_a_sentence(content: bytes, why: str) -> None:
    with pytest.raises(CardError, match=why):
        read_card(content)


async def test_lore_command_adds_what_the_model_reads() -> None:
    model = Model(["Aye."])
    async with with_commands(model) as commands:
        stage = commands.stage
        await commands.says("persona create", name="Isolde", prompt="A captain.")
        assert (
            await commands.says("lore list", persona="Isolde")
            == "**Isolde** has no lore. `/lore add` adds some."
        )
        added = await commands.says("lore add", persona="Isolde", keys="rum, grog", text="Rum is {{user}}'s.")
        assert added == "**Isolde** knows more now."
        listed = await commands.says("lore list", persona="Isolde")
        assert "1. rum, grog: Rum is {{user}}'s." in listed
        refused = await commands.says("lore remove", persona="Isolde", number=2)
        assert "There is no entry 2" in refused
        await commands.tells("persona switch", name="Isolde")
        stage.ask("Is there rum?")
        await model.called(1)
        await stage.quiet()
        await commands.says("lore remove", persona="Isolde", number=1)
        stage.ask("And now, is there rum?")
        await model.called(2)
        await stage.quiet()

    first, second = ("".join(map(str, prompt.messages)) + prompt.system for prompt in model.prompts)
    assert f"Rum is {commands.stage.twin.user.name}'s." in first
    assert "Rum is" not in second


async def test_card_of_the_file_brings_its_texts_lore_and_sprites(tmp_path: Path) -> None:
    files = {
        "card.json": as_json(with_assets()),
        "assets/icon/main.png": PLAIN,
        "assets/emotion/happy.png": plain_png(5, (9, 9, 9)),
    }
    (tmp_path / "luna.charx").write_bytes(charx(files))
    (tmp_path / "streamcord.toml").write_text(
        '[personas.Luna]\ncard = "luna.charx"\ngreeting = "My own."\n[personas.Luna.options]\ntemperature = 0.2\n'
    )
    config = load_config(tmp_path / "streamcord.toml", {})
    async with await open_store(":memory:") as store:
        await seed_personas(config, store)
        found = await store.find_persona(0, "Luna")
    assert found is not None
    assert "Luna is a cat" in found.prompt
    assert found.greeting == "My own."
    assert [one.name for one in found.persona.sprites] == ["happy"]
    assert found.card


async def test_options_of_a_persona_count_more_than_those_of_the_model() -> None:
    config = make_config(
        models={
            "main": {"provider": "openai", "model": "gpt-5", "options": {"temperature": 1.0, "top_p": 0.5}}
        },
        personas={"Luna": {"prompt": "You are Luna.", "options": {"temperature": 0.2}}},
    )
    model = Model(["Hm."])
    async with on_stage(model, config=config) as stage:
        stage.ask("hi")
        await stage.texts(1)
        await stage.quiet()
    options = model.options[0]
    assert options is not None
    assert (options.temperature, options.top_p) == (0.2, 0.5)


async def test_person_chooses_the_persona_of_their_direct_messages() -> None:
    config = make_config(
        personas={"Luna": {"prompt": "You are Luna."}, "Orbit": {"prompt": "You are Orbit, a robot."}}
    )
    model = Model(["Beep."])
    async with await open_store(":memory:") as store:
        await seed_personas(config, store)
        async with with_commands(model, config=config, store=store) as commands:
            twin = commands.stage.twin
            dm = twin.dm()
            listed = await commands.use("persona list", None, dm)
            said = await commands.use("persona switch", None, dm, name="Orbit")
            refused = await commands.use("persona create", None, dm, name="X")
            twin.say(dm, twin.user, "hello")
            await model.called(1)
            await commands.stage.quiet()
            chosen = await store.find_choice(Place(0, dm.id))

    assert "Orbit" in listed.content
    assert "Orbit" in said.content
    assert "servers" in refused.content
    assert chosen == "Orbit"
    assert "a robot" in model.prompts[0].system
    assert "hello" in asked(model.prompts[0])

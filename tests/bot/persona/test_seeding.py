"""Personas of the file in the store: once, with their pictures, whatever is wrong with one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.stage import make_config, on_stage
from streamcord import Persona, Sprite
from streamcord._bot.persona.png import plain_png
from streamcord._bot.persona.seeding import seed_personas
from streamcord.store import Picture, StoredPersona, open_store
from streamcord.testing import ScriptedProvider

FACE = plain_png(8, (1, 2, 3))
LUNA = {
    "prompt": "A cat.",
    "greeting": "Mew.",
    "words": ["kitty"],
    "alter": True,
    "picture": "faces/luna.png",
    "sprites": [
        {"name": "mad", "picture": "https://example.com/mad.png", "identity": True},
        {"name": "lost", "picture": "faces/lost.png"},
        {"name": "fake", "picture": "notes.txt"},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "faces").mkdir()
    (tmp_path / "faces" / "luna.png").write_bytes(FACE)
    (tmp_path / "notes.txt").write_text("no picture")
    return str(tmp_path / "streamcord.toml")


async def test_a_persona_of_the_file_is_kept_with_its_pictures(
    file: str, caplog: pytest.LogCaptureFixture
) -> None:
    config = replace(make_config(personas={"Luna": LUNA}), file=file)
    async with await open_store(":memory:") as store:
        await seed_personas(config, store)
        (found,) = await store.personas(5)
        face = await store.find_picture(0, "Luna")

    looks = (
        Sprite("fake", usable=False),
        Sprite("lost", usable=False),
        Sprite("mad", "https://example.com/mad.png", identity=True),
    )
    persona = Persona("Luna", ("kitty",), None, looks, alter=True)
    assert found == StoredPersona(persona, 0, "A cat.", "Mew.")
    assert face == Picture("", FACE, "image/png")
    assert len(caplog.records) == 2


async def test_what_is_there_already_stays(file: str) -> None:
    config = replace(make_config(personas={"Luna": LUNA}), file=file)
    async with await open_store(":memory:") as store:
        await store.save_persona(StoredPersona(Persona("luna"), 0, "Changed."))
        await seed_personas(config, store)

        assert await store.personas(5) == (StoredPersona(Persona("luna"), 0, "Changed."),)


async def test_the_bot_hangs_up_what_has_no_address(file: str) -> None:
    config = replace(make_config(personas={"Luna": LUNA}), file=file)
    async with await open_store(":memory:") as store:
        await seed_personas(config, store)
        async with on_stage(ScriptedProvider(["x"]), config=config, store=store) as stage:
            await stage.twin.until(lambda: stage.twin.bot.emojis or None)
            await stage.bot.services.rest(5)
            (found,) = await store.personas(0)

    assert found.persona.avatar is not None
    assert "/emojis/" in found.persona.avatar

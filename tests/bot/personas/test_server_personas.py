from __future__ import annotations

import io
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from random import Random

import discord
import pytest
from PIL import Image

from bot.commands.using import with_commands
from bot.stage import make_config, on_stage
from discord_twin import FaultKind, Twin
from discord_twin.discord_py import connect_discord_py
from streamcord import Persona, Sprite
from streamcord.store import PersonaEntry, Picture, Store, StoredPersona, open_store
from streamcord.testing import ScriptedProvider
from streamcord_bot.config import read_config
from streamcord_bot.personas.avatar_emoji import EMOJI_CAP, AvatarEmoji, publish_pictures
from streamcord_bot.personas.pictures import plain_png
from streamcord_bot.personas.server_personas import (
    ServerPersonas,
    escape,
    seed_personas,
    show_name,
)
from streamcord_bot.sandbox.client import SandboxClient
from twin.conftest import FREE

CONFIG = make_config(
    personas={
        "Luna": {"prompt": "A cat."},
        "Ren": {"sprites": [{"name": "mad", "picture": "https://a.b/mad.png"}]},
    }
)
GUILD = 5


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with await open_store(":memory:") as store:
        yield store


async def test_a_server_sees_its_own_then_all_others_each_name_once(store: Store) -> None:
    await store.save_persona(StoredPersona(Persona("LUNA"), GUILD))
    await store.save_persona(StoredPersona(Persona("Zoe"), 0))
    await store.save_persona(StoredPersona(Persona("Else"), GUILD + 1))

    assert await ServerPersonas(store, CONFIG, GUILD).names() == ["LUNA", "Zoe", "Ren"]


async def test_somebody_of_the_file_is_found_in_any_case(store: Store) -> None:
    found = await ServerPersonas(store, CONFIG, GUILD).find(" luna ")

    assert found == StoredPersona(Persona("Luna"), prompt="A cat.")
    assert await ServerPersonas(store, CONFIG, GUILD).find("nobody") is None


async def test_a_shared_persona_is_copied_with_all_pictures_and_stays_as_it_was(store: Store) -> None:
    shared = StoredPersona(Persona("Zoe"), 0, "Shared.")
    await store.save_persona(shared)
    await store.save_avatar(0, "Zoe", Picture("", b"face", "image/png"))
    await store.save_sprite(0, "Zoe", Sprite("mad", identity=True), Picture("", b"mad", "image/png"))
    personas = ServerPersonas(store, CONFIG, GUILD)
    found = await personas.find("Zoe")
    assert found is not None
    await personas.own(found)
    await store.remove_sprite(GUILD, "Zoe", "mad")

    own, other = await store.find_persona(GUILD, "Zoe"), await store.find_persona(GUILD + 1, "Zoe")
    assert own is not None
    assert other is not None
    assert (own.guild, own.persona.sprites) == (GUILD, ())
    assert other.persona.sprites == (Sprite("mad", identity=True),)
    assert await store.find_picture(GUILD, "Zoe") == Picture("", b"face", "image/png")


async def test_what_is_a_servers_own_is_not_copied_again(store: Store) -> None:
    own = StoredPersona(Persona("Zoe"), GUILD)

    assert await ServerPersonas(store, CONFIG, GUILD).own(own) is own
    assert await store.personas(GUILD) == ()


async def test_looks_of_the_file_are_copied_by_their_address(store: Store) -> None:
    personas = ServerPersonas(store, CONFIG, GUILD)
    found = await personas.find("Ren")
    assert found is not None
    await personas.own(found)

    own = await store.find_persona(GUILD, "Ren")
    assert own is not None
    assert own.persona.sprites == (Sprite("mad", "https://a.b/mad.png"),)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Luna", "**Luna**"),
        ("@everyone", "**\\@everyone**"),
        ("<@1>", "**\\<\\@1\\>**"),
        ("**x**", "**\\*\\*x\\*\\***"),
        ("[a](https://b.c)", "**\\[a\\]\\(https\\:\\/\\/b\\.c\\)**"),
        ("`a`||b||", "**\\`a\\`\\|\\|b\\|\\|**"),
    ],
)
def test_a_name_in_a_message_is_only_a_name(name: str, shown: str) -> None:
    assert show_name(name) == shown


def test_words_in_a_message_are_only_words() -> None:
    assert escape("**a** <@1> [b](c.d): `e` @here") == r"\*\*a\*\* \<\@1\> \[b\](c.d): \`e\` \@here"


# --- Where pictures live --------------------------------------------------------------------------------


FACE = Picture("", plain_png(8, (1, 2, 3)), "image/png")


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as twin:
        yield twin


@pytest.fixture
async def client(twin: Twin) -> AsyncIterator[discord.Client]:
    with connect_discord_py(twin):
        async with discord.Client(intents=discord.Intents.none()) as client:
            await client.login(twin.token)
            yield client


async def nowhere(_: Picture) -> None:
    """Keep nothing."""


def noise(side: int) -> bytes:
    """A picture that no packing makes small."""
    drawn = io.BytesIO()
    Image.frombytes("RGB", (side, side), Random(1).randbytes(3 * side * side)).save(drawn, "PNG")
    return drawn.getvalue()


async def test_a_picture_hangs_once_however_often_it_is_brought(
    twin: Twin, client: discord.Client, store: Store
) -> None:
    avatar_emoji = AvatarEmoji(client, SandboxClient(), store)
    first, second = [await avatar_emoji.publish(GUILD, FACE, nowhere) for _ in range(2)]
    run_later = await AvatarEmoji(client, SandboxClient(), store).publish(GUILD, FACE, nowhere)

    assert first == second == run_later
    assert first.content == FACE.content
    (emoji,) = twin.bot.emojis.values()
    assert first.url == f"{twin.cdn_url}/emojis/{emoji.id}.png"
    async with client.http._HTTPClient__session.get(first.url) as response:  # type: ignore[attr-defined]
        assert await response.read() == FACE.content


async def test_a_large_picture_is_made_smaller(twin: Twin, client: discord.Client, store: Store) -> None:
    large = Picture("", noise(700), "image/png")
    assert len(large.content) > EMOJI_CAP
    file_reader = SandboxClient()
    published = await AvatarEmoji(client, file_reader, store).publish(GUILD, large, nowhere)
    await file_reader.close()
    (emoji,) = twin.bot.emojis.values()
    shown = twin.state.pictures[str(emoji.id)]

    assert published.content == large.content
    assert len(shown) <= EMOJI_CAP
    assert Image.open(io.BytesIO(shown)).size == (256, 256)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + b"x" * EMOJI_CAP])
async def test_what_cannot_hang_is_left_as_it_was(
    twin: Twin, client: discord.Client, store: Store, content: bytes
) -> None:
    picture = Picture("https://example.com/x.png", content, "image/png")

    file_reader, kept = SandboxClient(), list[Picture]()

    async def keep(one: Picture) -> None:
        kept.append(one)

    assert await AvatarEmoji(client, file_reader, store).publish(GUILD, picture, keep) == picture
    assert twin.bot.emojis == {}
    assert kept == [picture]
    await file_reader.close()


async def test_a_full_gallery_is_no_failure(twin: Twin, client: discord.Client, store: Store) -> None:
    twin.inject_fault(FaultKind.ERROR_CODE, "emojis.create", status=400, code=30008)

    assert await AvatarEmoji(client, SandboxClient(), store).publish(GUILD, FACE, nowhere) == FACE


async def test_all_looks_of_a_persona_get_an_address(
    twin: Twin, client: discord.Client, store: Store
) -> None:
    given = Picture("https://example.com/shy.png")
    await store.save_persona(StoredPersona(Persona("Luna"), 0))
    await store.save_avatar(0, "Luna", FACE)
    await store.save_sprite(
        0, "Luna", Sprite("mad", identity=True), Picture("", plain_png(9, (9, 9, 9)), "k")
    )
    await store.save_sprite(0, "Luna", Sprite("shy"), given)
    await store.save_sprite(0, "Luna", Sprite("lost"), Picture())
    (stored,) = await store.personas(0)
    await publish_pictures(AvatarEmoji(client, SandboxClient(), store), store, stored)
    (after,) = await store.personas(0)

    first, second = twin.bot.emojis
    assert after.persona.avatar == f"{twin.cdn_url}/emojis/{first}.png"
    assert after.persona.sprites == (
        Sprite("lost", usable=False),
        Sprite("mad", f"{twin.cdn_url}/emojis/{second}.png", identity=True),
        Sprite("shy", given.url),
    )


async def test_without_a_place_the_message_that_shows_it_is_one_for_a_while() -> None:
    async with with_commands() as commands:
        twin = commands.stage.twin
        twin.inject_fault(FaultKind.ERROR_CODE, "emojis.create", status=400, code=30008)
        picture = ("mad.png", FACE.content)
        answer = await commands.use("persona sprite add", persona="Luna", name="mad", picture=picture)
        files = answer.draft.attachments

        async def address() -> str:
            found = await commands.store.find_picture(commands.guild, "Luna", "mad")
            return found.url if found else ""

        while not await address():
            await twin.until(lambda: True)
        assert f"/{files[0].id}/" in await address()


FACE_of_seeding = plain_png(8, (1, 2, 3))
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
    (tmp_path / "faces" / "luna.png").write_bytes(FACE_of_seeding)
    (tmp_path / "notes.txt").write_text("no picture")
    return str(tmp_path / "streamcord.toml")


async def test_a_persona_of_the_file_is_kept_with_its_pictures(
    file: str, caplog: pytest.LogCaptureFixture
) -> None:
    config = replace(make_config(personas={"Luna": LUNA}), file=file)
    async with await open_store(":memory:") as store:
        await seed_personas(config, store)
        entries = await store.personas(5)
        found = await store.find_persona(5, "Luna")
        face = await store.find_picture(0, "Luna")

    sprites = (
        Sprite("fake", usable=False),
        Sprite("lost", usable=False),
        Sprite("mad", "https://example.com/mad.png", identity=True),
    )
    persona = Persona("Luna", ("kitty",), None, sprites, alter=True)
    assert found == StoredPersona(persona, 0, "A cat.", "Mew.")
    assert entries == (PersonaEntry(persona),)
    assert face == Picture("", FACE_of_seeding, "image/png")
    assert len(caplog.records) == 2


async def test_a_picture_that_was_read_with_the_file_is_kept_too(
    file: str, caplog: pytest.LogCaptureFixture
) -> None:
    tables = {"Luna": {**LUNA, "sprites": [{"name": "mad", "picture": "faces/luna.png"}]}}
    config = read_config({"personas": tables}, {}, file=file)
    assert config.personas[0].picture.startswith("data:image/png;base64,")
    async with await open_store(":memory:") as store:
        await seed_personas(config, store)
        kept = [await store.find_picture(0, "Luna", sprite) for sprite in ("", "mad")]

    assert kept == [Picture("", FACE_of_seeding, "image/png")] * 2
    assert caplog.records == []


async def test_what_is_there_already_stays(file: str) -> None:
    config = replace(make_config(personas={"Luna": LUNA}), file=file)
    async with await open_store(":memory:") as store:
        await store.save_persona(StoredPersona(Persona("luna"), 0, "Changed."))
        await seed_personas(config, store)

        assert await store.personas(5) == (PersonaEntry(Persona("luna")),)
        assert await store.find_persona(5, "Luna") == StoredPersona(Persona("luna"), 0, "Changed.")


async def test_the_bot_hangs_up_what_has_no_address(file: str) -> None:
    config = replace(make_config(personas={"Luna": LUNA}), file=file)
    async with await open_store(":memory:") as store:
        await seed_personas(config, store)
        async with on_stage(ScriptedProvider(["x"]), config=config, store=store) as stage:
            await stage.twin.until(lambda: stage.twin.bot.emojis or None)
            await stage.app.state.finish_tasks(5)
            (found,) = await store.personas(0)

    assert found.persona.avatar is not None
    assert "/emojis/" in found.persona.avatar

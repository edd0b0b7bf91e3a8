"""What one server keeps has an end, is small for every message, and leaves nothing behind when it goes."""

from __future__ import annotations

import base64
import time
import tracemalloc
from typing import Any

import pytest

from bot.commands.using import CommandUser, with_commands
from bot.personas.sample_cards import as_json
from security.hostile_cards import card_png, shared_chunk
from security.hostile_files import draw
from streamcord import Persona, Sprite
from streamcord.store import Picture, Place, Store, StoredPersona, open_store
from streamcord_bot.config import read_config
from streamcord_bot.personas.character_cards import CARD_SPRITE_BYTES, TEXT_LENGTH, CardError, read_card
from streamcord_bot.personas.server_personas import ServerPersonas
from streamcord_bot.policy.channel_config import ChannelConfigs

GUILD, MEBIBYTE = 5, 2**20
DENSE = '{"data": {"name": "x", "a": [' + "[]," * (7 * MEBIBYTE // 3) + "1]}}"


# --- What a message needs ---------------------------------------------------------------------------------


async def fill(store: Store) -> None:
    for name in ("Ann", "Bea", "Cat", "Dot"):
        await store.save_persona(StoredPersona(Persona(name), GUILD, "p" * 32_000, "g" * 2000, DENSE))
        await store.save_avatar(GUILD, name, Picture("https://example.com/x.png", bytes(7 * MEBIBYTE)))
    await store.choose_persona(Place(GUILD), "Ann")


async def test_four_large_cards_cost_a_message_next_to_nothing() -> None:
    async with await open_store(":memory:") as store:
        await fill(store)
        channel_configs = ChannelConfigs(read_config({}, {}), store)
        personas = ServerPersonas(store, read_config({}, {}), GUILD)
        tracemalloc.start()
        start = time.thread_time()
        found = await channel_configs.find_cached(Place(GUILD, 6))
        names, sprites = await personas.names(), await personas.sprite_names("ann")
        seconds = time.thread_time() - start
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    assert (found.persona.name, len(found.answer_context.personas)) == ("Ann", 3)
    assert (names, sprites) == (["Ann", "Bea", "Cat", "Dot"], [])
    assert memory < MEBIBYTE
    assert seconds < 0.25


async def test_speaking_parses_no_card() -> None:
    async with await open_store(":memory:") as store:
        await fill(store)
        channel_configs = ChannelConfigs(read_config({}, {}), store)
        tracemalloc.start()
        found = await channel_configs.find(Place(GUILD, 6))
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    assert found.speaker.prompt == "p" * 32_000
    # Its text once or twice, not the objects in it.
    assert memory < 4 * len(DENSE)


async def test_many_personas_with_many_looks_are_read_in_one_pass() -> None:
    async with await open_store(":memory:") as store:
        for number in range(100):
            sprites = tuple(
                Sprite(f"sprite {sprite}", f"https://example.com/{sprite}") for sprite in range(50)
            )
            await store.save_persona(StoredPersona(Persona(f"Persona {number}", sprites=sprites), GUILD))
        start = time.process_time()
        found = await store.personas(GUILD)
        seconds = time.process_time() - start

    assert sum(len(one.persona.sprites) for one in found) == 5000
    assert seconds < 1


# --- What a card may bring --------------------------------------------------------------------------------


def test_looks_that_share_one_part_of_the_file_are_not_copied() -> None:
    content = shared_chunk()
    assert len(content) < 20_000
    tracemalloc.start()
    card = read_card(content)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(card.sprites) == 2
    assert sum(len(sprite.content) for sprite in card.sprites.values()) <= CARD_SPRITE_BYTES
    assert set(card.refused.values()) == {"All sprites of a card together have at most 8 MB."}
    assert memory < 64 * MEBIBYTE


def test_a_card_brings_fifty_looks_at_most_and_says_so() -> None:
    picture = base64.b64encode(draw("PNG", 1, 1)).decode()
    assets = [
        {"type": "emotion", "name": f"sprite {at}", "uri": f"data:image/png;base64,{picture}"}
        for at in range(60)
    ]
    card = read_card(as_json({"name": "Luna", "assets": assets}))

    assert len(card.sprites) == 50
    assert card.refused == {f"sprite {at}": "A card brings at most 50 sprites." for at in range(50, 60)}


def test_a_book_of_lore_has_an_end() -> None:
    with pytest.raises(CardError, match="more than 2 MB of text"):
        read_card(as_json({"name": "Luna", "lore": "x" * TEXT_LENGTH}))


@pytest.mark.parametrize("many", [[[]] * 100_001, {str(at): 0 for at in range(100_001)}, [[0] * 1001] * 100])
def test_a_card_of_countless_small_values_is_none(many: object) -> None:
    with pytest.raises(CardError, match="not built like a character card"):
        read_card(as_json({"name": "Luna", "extensions": {"x": many}}))


# --- What a server may keep -------------------------------------------------------------------------------


def card(name: str, *colours: str) -> bytes:
    """A card with a sprite of each colour, and a face."""
    assets = [
        {"type": "emotion", "name": f"sprite {at}", "uri": "data:image/png;base64," + picture(colour)}
        for at, colour in enumerate(colours)
    ]
    return card_png({"data": {"name": name, "assets": assets}})


def picture(colour: str) -> str:
    return base64.b64encode(draw("PNG", 4 + len(colour), 9 + ord(colour[0]))).decode()


async def save(commands: CommandUser, name: str, count: int, size: int = 1) -> None:
    await commands.store.save_persona(StoredPersona(Persona(name), commands.guild))
    for number in range(count):
        sprite = Picture(f"https://example.com/{number}", bytes(size), "image/png")
        await commands.store.save_sprite(commands.guild, name, Sprite(f"sprite {number}"), sprite)


async def test_a_server_with_too_many_pictures_gets_no_more() -> None:
    async with with_commands() as commands:
        for number, count in enumerate((50, 50, 50, 49)):
            await save(commands, f"Full {number}", count)
        said = await commands.says("persona import", file=("x.png", card("Luna", "red")), replace=True)
        found = await commands.store.find_persona(commands.guild, "Luna")
        listed = await commands.says("persona list")
        more = ("mad.png", draw("PNG"))
        await commands.tells("persona sprite add", persona="Full 3", name="last", picture=more)
        refused = await commands.says("persona sprite add", persona="Luna", name="one more", picture=more)
        again = await commands.tells("persona sprite add", persona="Full 3", name="last", picture=more)

    assert (
        said
        == refused
        == "A server can have at most 200 persona pictures. Remove some sprites or personas first."
    )
    assert found is None
    assert "Pictures: 199 of 200" in listed
    assert "last" in again


async def test_a_server_with_too_many_bytes_gets_no_more() -> None:
    async with with_commands() as commands:
        await save(commands, "Full", 8, 8 * MEBIBYTE)
        refused = [
            await commands.says("persona import", file=("x.png", card("New")), replace=True),
            await commands.says("persona create", name="New", picture=("x.png", draw("PNG"))),
            await commands.says(
                "persona sprite add", persona="Luna", name="x", picture=("x.png", draw("PNG"))
            ),
        ]
        names = [one.name for one in await commands.store.personas(commands.guild)]

    assert set(refused) == {
        "All personas of a server together can use at most 64 MB. Remove some sprites or personas first."
    }
    assert names == ["Full"]


# --- Emoji that hold avatars ------------------------------------------------------------------------------


def emoji_count(commands: CommandUser) -> int:
    return len(commands.stage.twin.bot.emojis)


async def tidied(commands: CommandUser, count: int) -> None:
    await commands.stage.twin.until(lambda: emoji_count(commands) == count or None)


async def test_emoji_go_with_the_last_look_that_has_them() -> None:
    async with with_commands() as commands:
        await commands.tells("persona import", file=("a.png", card("Ann", "red", "blue")))
        assert emoji_count(commands) == 3
        await commands.tells("persona import", file=("b.png", card("Bea", "red", "green")))
        # The face and the red sprite are the same picture on both.
        assert emoji_count(commands) == 4
        await commands.says("persona remove", name="Ann")
        await tidied(commands, 3)
        await commands.tells("persona import", file=("b.png", card("Bea", "black")), replace=True)
        await tidied(commands, 2)
        await commands.says("persona sprite remove", persona="Bea", name="sprite 0")
        await tidied(commands, 1)
        await commands.says("persona remove", name="Bea")
        await tidied(commands, 0)


async def test_emoji_go_with_the_server() -> None:
    async with with_commands() as commands:
        await commands.tells("persona import", file=("a.png", card("Ann", "red", "blue")))
        kept = Picture("", draw("PNG", 50, 50), "image/png")
        bot = commands.stage.bot
        await commands.stage.app.avatar_emoji.publish(
            GUILD, kept, lambda one: keep_elsewhere(commands.store, one)
        )
        guild = bot.get_guild(commands.guild)
        assert guild is not None
        assert emoji_count(commands) == 4
        await bot.on_guild_remove(guild)

        assert emoji_count(commands) == 1


async def keep_elsewhere(store: Store, one: Picture) -> None:
    await store.save_persona(StoredPersona(Persona("Elsewhere"), GUILD))
    await store.save_avatar(GUILD, "Elsewhere", one)


# --- What goes wrong is told to its user alone ------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("persona import", {"file": ("x.json", b"no card")}),
        ("persona import", {"file": ("x.png", draw("PNG"))}),
        ("persona switch", {"name": "Nobody"}),
        ("persona sprite add", {"persona": "Nobody", "name": "mad", "url": "https://127.0.0.1/x"}),
        ("persona sprite add", {"persona": "Luna", "name": "mad", "picture": ("x.png", b"no picture")}),
        ("persona create", {"name": "New", "picture": ("x.png", b"no picture")}),
        ("persona edit", {"name": "Luna", "picture": ("x.png", b"no picture")}),
    ],
)
async def test_nobody_else_sees_what_went_wrong(command: str, options: dict[str, Any]) -> None:
    async with with_commands() as commands:
        assert await commands.says(command, **options)

        assert [one for one in commands.stage.twin.channel.messages.values() if not one.is_ephemeral] == []

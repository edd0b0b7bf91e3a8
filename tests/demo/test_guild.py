from __future__ import annotations

import aiohttp

from discord_twin import Twin
from streamcord import Degree
from streamcord._common.image_headers import image_size
from streamcord.store import Place, open_store
from streamcord_bot.config import ModelConfig
from streamcord_bot.demo.guild import (
    AVATAR_PIXELS,
    AVATARS,
    CHANNELS,
    PERSONAS,
    build_guild,
    can_draw,
    draw_avatar,
    fill_store,
    small_model,
)


async def test_each_channel_has_its_settings() -> None:
    async with Twin() as twin:
        guild = build_guild(twin)
        store = await open_store(":memory:")
        await fill_store(store, twin, guild)
        chosen = {
            name: await store.settings(Place(twin.guild.id, channel.id))
            for name, channel in guild.channels.items()
        }
        await store.close()

    assert chosen == CHANNELS
    assert {one["degree"] for one in chosen.values() if "degree" in one} == {*Degree}
    assert chosen["live"]["delivery"] == "live"


async def test_every_look_has_a_picture_that_the_twin_serves() -> None:
    async with Twin() as twin, aiohttp.ClientSession() as session:
        guild = build_guild(twin)
        store = await open_store(":memory:")
        await fill_store(store, twin, guild)
        stored = await store.personas(twin.guild.id)
        addresses = [look.avatar for one in stored for look in one.persona.sprites]
        addresses += [one.persona.avatar for one in stored]
        pictures = set()
        for address in addresses:
            assert address is not None
            async with session.get(address) as response:
                pictures.add(await response.read())
        await store.close()

    assert [one.name for one in stored] == ["Luna", "Orbit"]
    assert len(addresses) == len(pictures) == sum(1 + len(one.sprites) for one in PERSONAS)
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)


async def test_the_bot_answers_everywhere_but_among_its_thoughts() -> None:
    async with Twin() as twin:
        guild = build_guild(twin)
        config = guild.config(twin.token, ModelConfig(provider="custom"), {"typing": "off"})

    assert set(config.answer.channels) == {channel.id for channel in guild.channels.values()}
    assert config.thought_log == guild.thoughts.id
    assert guild.thoughts.id not in config.answer.channels
    assert config.settings_for().typing == "off"


def test_a_small_model_is_asked_for_little() -> None:
    model = small_model("http://127.0.0.1:1/v1", "m")

    assert model.options.max_tokens is not None
    assert model.options.max_tokens <= 100
    assert not model.needs_key


def test_every_face_is_a_square_png_that_discord_takes() -> None:
    assert can_draw()
    for face in AVATARS.values():
        picture = draw_avatar(face)
        assert picture.startswith(b"\x89PNG")
        assert image_size(picture) == (AVATAR_PIXELS, AVATAR_PIXELS)
        assert len(picture) < 256 * 1024


def test_no_two_faces_are_the_same_picture() -> None:
    assert len({draw_avatar(face) for face in AVATARS.values()}) == len(AVATARS)

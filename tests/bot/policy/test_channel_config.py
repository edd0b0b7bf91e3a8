from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.stage import make_config
from streamcord import Degree, Persona
from streamcord.store import Place, Store, StoredPersona, open_store
from streamcord_bot.policy.channel_config import ChannelConfigs

HERE = Place(1, 10)
MODELS: dict[str, Any] = {
    "small": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1", "settings": {"degree": 1}},
    "large": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"},
}


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    opened = await open_store(":memory:")
    yield opened
    await opened.close()


async def test_without_anything_the_bot_speaks_as_itself_and_its_name_calls_nobody(store: Store) -> None:
    channel_config = await ChannelConfigs(make_config(personas={}), store, "Robot").find(HERE)

    assert channel_config.persona.name == "Robot"
    assert channel_config.listening.words == ()


async def test_the_first_persona_of_the_file_speaks_and_its_names_call_it(store: Store) -> None:
    config = make_config(personas={"Luna": {"words": ["moon"]}, "Rex": {}}, answer={"words": ["hey"]})
    channel_config = await ChannelConfigs(config, store).find(HERE)

    assert channel_config.persona.name == "Luna"
    assert channel_config.listening.words == ("hey", "Luna", "moon")


async def test_channel_over_server_over_model_over_file(store: Store) -> None:
    channel_configs = ChannelConfigs(make_config(models=MODELS, settings={"message_cap": 7}), store)
    assert (await channel_configs.find(HERE)).settings.degree is Degree.LIGHT
    await store.change_settings(Place(1), {"degree": 3, "answer.debounce": 0.5, "context.source": "replies"})
    await store.change_settings(HERE, {"degree": 0, "model": "large", "thought_log": 99})
    here, elsewhere = await channel_configs.find(HERE), await channel_configs.find(Place(1, 11))

    assert (here.settings.degree, here.model, here.thought_log) == (Degree.NONE, "large", 99)
    assert (elsewhere.settings.degree, elsewhere.model, elsewhere.thought_log) == (Degree.HEAVY, "", 0)
    assert (here.answer.debounce, here.context.source) == (0.5, "replies")
    assert here.settings.message_cap == 7


async def test_a_thread_is_like_its_channel_unless_it_was_set_apart(store: Store) -> None:
    channel_configs = ChannelConfigs(make_config(), store)
    await store.save_persona(StoredPersona(Persona("Rex"), 1))
    await store.change_settings(HERE, {"degree": 0})
    await store.choose_persona(HERE, "Rex")
    thread = await channel_configs.find(Place(1, 11), parent=10)

    assert (thread.persona.name, thread.settings.degree) == ("Rex", Degree.NONE)


async def test_others_of_the_server_are_known_and_stored_ones_win(store: Store) -> None:
    await store.save_persona(StoredPersona(Persona("Luna"), 1, prompt="changed"))
    await store.save_persona(StoredPersona(Persona("Rex"), 1))
    channel_config = await ChannelConfigs(make_config(), store).find(HERE)

    assert channel_config.speaker.prompt == "changed"
    assert [one.name for one in channel_config.answer_context.personas] == ["Rex"]


async def test_stored_values_that_do_not_fit_any_more_are_left_out(store: Store) -> None:
    await store.change_settings(
        HERE, {"degree": 99, "answer.debounce": -1, "model": "gone", "no_such_field": 1}
    )
    channel_config = await ChannelConfigs(make_config(), store).find(HERE)

    assert channel_config.settings.degree is Degree.MEDIUM
    assert channel_config.answer.debounce == 0.0
    assert channel_config.model == ""


async def test_a_store_that_fails_leaves_the_file(store: Store) -> None:
    closed = await open_store(":memory:")
    await closed.close()
    channel_config, asked = await ChannelConfigs(make_config(), closed).find_or_default(HERE)

    assert not asked
    assert channel_config.persona.name == "Luna"


async def test_a_glance_is_a_moment_old(store: Store) -> None:
    channel_configs = ChannelConfigs(make_config(), store)
    first = await channel_configs.find_cached(HERE)
    await store.change_settings(HERE, {"degree": 0})

    assert await channel_configs.find_cached(HERE) is first
    assert (await channel_configs.find(HERE)).settings.degree is Degree.NONE


async def test_persona_with_a_card_speaks_for_nobody_else_unless_told(store: Store) -> None:
    channel_configs = ChannelConfigs(make_config(), store)
    await store.save_persona(StoredPersona(Persona("Isolde"), 1, card='{"name": "Isolde"}'))
    await store.save_persona(StoredPersona(Persona("Ren", alter=True), 1))
    await store.save_persona(StoredPersona(Persona("Plain"), 1))
    guards = {}
    for name in ("Isolde", "Ren", "Plain"):
        await store.choose_persona(HERE, name)
        guards[name] = (await channel_configs.find(HERE)).settings.speaker_guard
    assert guards == {"Isolde": "known", "Ren": "known", "Plain": "off"}

    await store.choose_persona(HERE, "Isolde")
    await store.change_settings(HERE, {"speaker_guard": "off"})
    assert (await channel_configs.find(HERE)).settings.speaker_guard == "off"
    file = ChannelConfigs(make_config(settings={"speaker_guard": "any"}), store)
    await store.change_settings(HERE, {"speaker_guard": None})
    assert (await file.find(HERE)).settings.speaker_guard == "any"

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.stage import make_config
from streamcord import Degree, Persona
from streamcord._bot.conversation.channel_config import Scenes
from streamcord.store import Place, Store, StoredPersona, open_store

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
    scene = await Scenes(make_config(personas={}), store, "Robot").find(HERE)

    assert scene.persona.name == "Robot"
    assert scene.listening.words == ()


async def test_the_first_persona_of_the_file_speaks_and_its_names_call_it(store: Store) -> None:
    config = make_config(personas={"Luna": {"words": ["moon"]}, "Rex": {}}, answer={"words": ["hey"]})
    scene = await Scenes(config, store).find(HERE)

    assert scene.persona.name == "Luna"
    assert scene.listening.words == ("hey", "Luna", "moon")


async def test_channel_over_server_over_model_over_file(store: Store) -> None:
    scenes = Scenes(make_config(models=MODELS, settings={"message_cap": 7}), store)
    assert (await scenes.find(HERE)).settings.degree is Degree.LIGHT
    await store.change_settings(Place(1), {"degree": 3, "answer.gather": 0.5, "context.source": "replies"})
    await store.change_settings(HERE, {"degree": 0, "model": "large", "thought_log": 99})
    here, elsewhere = await scenes.find(HERE), await scenes.find(Place(1, 11))

    assert (here.settings.degree, here.model, here.thought_log) == (Degree.NONE, "large", 99)
    assert (elsewhere.settings.degree, elsewhere.model, elsewhere.thought_log) == (Degree.HEAVY, "", 0)
    assert (here.answer.gather, here.context.source) == (0.5, "replies")
    assert here.settings.message_cap == 7


async def test_a_thread_is_like_its_channel_unless_it_was_set_apart(store: Store) -> None:
    scenes = Scenes(make_config(), store)
    await store.save_persona(StoredPersona(Persona("Rex"), 1))
    await store.change_settings(HERE, {"degree": 0})
    await store.choose_persona(HERE, "Rex")
    thread = await scenes.find(Place(1, 11), parent=10)

    assert (thread.persona.name, thread.settings.degree) == ("Rex", Degree.NONE)


async def test_others_of_the_server_are_known_and_stored_ones_win(store: Store) -> None:
    await store.save_persona(StoredPersona(Persona("Luna"), 1, prompt="changed"))
    await store.save_persona(StoredPersona(Persona("Rex"), 1))
    scene = await Scenes(make_config(), store).find(HERE)

    assert scene.speaker.prompt == "changed"
    assert [one.name for one in scene.settings.personas] == ["Rex"]


async def test_stored_values_that_do_not_fit_any_more_are_left_out(store: Store) -> None:
    await store.change_settings(
        HERE, {"degree": 99, "answer.gather": -1, "model": "gone", "no_such_field": 1}
    )
    scene = await Scenes(make_config(), store).find(HERE)

    assert scene.settings.degree is Degree.MEDIUM
    assert scene.answer.gather == 0.02
    assert scene.model == ""


async def test_a_store_that_fails_leaves_the_file(store: Store) -> None:
    closed = await open_store(":memory:")
    await closed.close()
    scene, asked = await Scenes(make_config(), closed).find_or_default(HERE)

    assert not asked
    assert scene.persona.name == "Luna"


async def test_a_glance_is_a_moment_old(store: Store) -> None:
    scenes = Scenes(make_config(), store)
    first = await scenes.glance(HERE)
    await store.change_settings(HERE, {"degree": 0})

    assert await scenes.glance(HERE) is first
    assert (await scenes.find(HERE)).settings.degree is Degree.NONE

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from bot.models import Model
from bot.stage import make_config, on_stage
from discord_twin import Permission, Twin
from streamcord import StoreError
from streamcord.store import Store, open_store
from streamcord.testing import ScriptedProvider
from streamcord_bot.answering.answer_memory import MAX_TABLES, AnswerMemory
from streamcord_bot.config import BotConfig
from streamcord_bot.messages.chat_message import MessageReader
from streamcord_bot.personas.server_personas import seed_personas
from streamcord_bot.policy.permissions import PermissionChecker
from streamcord_bot.prompt.channel_history import ChannelHistory
from twin.conftest import FREE


async def test_of_a_channels_tables_the_newest_can_be_asked_for() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        memory = AnswerMemory(
            stage.bot,
            stage.store,
            ChannelHistory(MessageReader(), stage.store),
            stage.app.editor,
            PermissionChecker(),
            (),
        )
        for number in range(MAX_TABLES + 5):
            memory._remember_table(1, f"| {number} |")
        memory._remember_table(2, "| elsewhere |")

        assert memory.tables_of(1) == [f"| {number} |" for number in range(5, MAX_TABLES + 5)]
        assert memory.tables_of(2) == ["| elsewhere |"]
        assert memory.tables_of(3) == []


# --- Labels of sprites ---


class WithoutLabels:
    """A store that is whole but for the labels of messages."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def label_messages(self, _: Mapping[int, str]) -> None:
        raise StoreError("the table of labels is locked")


def config() -> BotConfig:
    sprites = [{"name": "mad", "picture": "https://cdn.example/mad.png"}]
    return make_config(personas={"Luna": {"sprites": sprites}})


async def test_record_of_a_sprite_is_written_while_the_answer_runs() -> None:
    go_on = asyncio.Event()
    async with on_stage(Model(["Luna (mad): Hmph!\nYes", go_on, "."]), config=config()) as stage:
        stage.ask("hi")
        said = await stage.twin.next_message()
        labels: dict[int, str] = {}
        async with asyncio.timeout(10):
            while not labels:
                await asyncio.sleep(0)
                labels = await stage.store.labels([said.id])
        running = stage.app.dispatcher.running_in(stage.twin.channel.id)
        go_on.set()
        await stage.quiet()

    assert running is not None
    assert labels == {said.id: "Luna (mad): "}


async def test_message_without_webhook_has_no_record() -> None:
    async with Twin(FREE) as twin:
        twin.state.overwrite(twin.channel, twin.bot.user, deny=Permission.MANAGE_WEBHOOKS)
        async with on_stage(Model(["Luna (mad): Hmph!"]), config=config(), twin=twin) as stage:
            stage.ask("hi")
            said = await stage.twin.next_message()
            await stage.quiet()
            labels = await stage.store.labels([said.id])

    assert said.content.endswith("Hmph!")
    assert (said.webhook, labels) == (None, {})


async def test_record_of_a_sprite_that_fails_does_not_stop_the_answer() -> None:
    model = Model(["Luna (mad): Hmph!\nStill mad."], ["What?"])
    async with await open_store(":memory:") as store:
        await seed_personas(config(), store)
        broken: Any = WithoutLabels(store)
        async with on_stage(model, config=config(), store=broken) as stage:
            stage.ask("hi")
            await stage.texts(2)
            await stage.quiet()
            stage.ask("why?")
            await stage.texts(1)
            await stage.quiet()

    assert len(model.prompts) == 2

"""No one can make the bot spend more than its budget, whatever they do on Discord."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.stage import Stage, make_config, on_stage
from discord_twin import Message, Twin
from streamcord import Overloaded, ToolCall, Usage
from streamcord.providers import Post, tool
from streamcord.store import Account, Spending, open_store
from streamcord_bot.config import BotConfig
from twin.conftest import FREE

PRICED: dict[str, Any] = {
    "small": {
        "provider": "custom",
        "base_url": "http://127.0.0.1:9/v1",
        "options": {"max_tokens": 100},
        "price": {"input": 1.0, "output": 1000.0},
    }
}


def config(*, models: dict[str, Any] | None = None, **budget: Any) -> BotConfig:
    return make_config(budget=budget, **({"models": models} if models else {}))


def notices(stage: Stage, words: str) -> list[Message]:
    """The notices of the bot in its first channel that say this."""
    said = [one for one in stage.said() if one.draft.embeds]
    return [one for one in said if words in str(one.draft.embeds[0])]


def count_refusals(stage: Stage) -> float:
    """Return how many questions were refused for their costs."""
    families = stage.app.metrics.registry.collect()
    refusals = next(family for family in families if family.name == "streamcord_refusals")
    return sum(sample.value for sample in refusals.samples)


async def ask_often(stage: Stage, model: Model, times: int, **who: Any) -> None:
    """Ask one question after the other, each when the last one was answered or refused."""
    for number in range(times):
        before = len(model.prompts) + count_refusals(stage)
        stage.ask(f"question {number}", **who)
        while len(model.prompts) + count_refusals(stage) == before:
            await stage.settled()
        await stage.quiet()


async def test_a_person_gets_what_one_may_have_in_a_day_and_one_notice() -> None:
    model = Model(["Hi."])
    async with on_stage(model, config=config(person_requests=2)) as stage:
        await ask_often(stage, model, 6)
        assert len(model.prompts) == 2
        told = notices(stage, "the daily limit for one person")
        bob = stage.twin.add_user("bob")
        await ask_often(stage, model, 1, user=bob)

    assert len(told) == 1
    assert "Try again <t:" in str(told[0].draft.embeds[0])
    assert len(model.prompts) == 3


async def test_a_server_has_a_budget_and_each_person_is_told_once() -> None:
    model = Model(["Hi."])
    async with on_stage(model, config=config(server_requests=3)) as stage:
        people = [stage.twin.add_user(name) for name in ("bob", "eve")]
        for _ in range(3):
            for person in people:
                await ask_often(stage, model, 1, user=person)
        dm = stage.twin.dm(people[0])
        stage.twin.say(dm, people[0], "in private")
        await stage.twin.next_message(dm)

    assert len(model.prompts) == 4
    assert len(notices(stage, "This server has reached")) == 2


async def test_a_restart_does_not_give_a_new_budget(tmp_path: Path) -> None:
    model, limited = Model(["Hi."]), config(person_requests=1)
    async with Twin(FREE) as twin, await open_store(tmp_path / "kept.db") as store:
        for _ in range(2):
            async with on_stage(model, config=limited, twin=twin, store=store) as stage:
                await ask_often(stage, model, 2)

    assert len(model.prompts) == 1


async def test_money_is_reserved_before_it_is_spent(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "streamcord_bot")
    # An answer may cost up to 0.1 and a bit; what it did cost is half of it.
    gate = asyncio.Event()
    model = Model(["Hi.", gate, Usage(10, 50)])
    async with on_stage(model, config=config(models=PRICED, all_money=0.25)) as stage:
        rooms = [stage.twin.add_channel(f"room-{number}") for number in range(5)]
        for room in rooms:
            stage.ask("hi", room, stage.twin.add_user(f"in-{room.name}"))
        await model.called(2)
        await stage.settled()
        at_once = len(model.prompts)
        gate.set()
        await stage.quiet()
        await ask_often(stage, model, 6)
        spent = await stage.store.spending(_today(stage), [Account("all")])
        told = notices(stage, "my daily limit for all users")

    assert at_once == 2
    assert "ended: over budget: " in caplog.text, "the operator sees why nothing was said"
    # 0.05 each: after three of them another one might pass 0.25.
    assert spent[Account("all")] == Spending(3, 180, 3 * 50_010)
    assert len(told) == 1


async def test_every_round_of_tools_is_a_request() -> None:
    model = Model([ToolCall("1", "roll_dice", {})])
    async with on_stage(model, config=config(person_requests=4)) as stage:
        await ask_often(stage, model, 3)

    assert len(model.prompts) == 4


async def test_a_model_that_never_comes_to_an_end_is_asked_only_so_often() -> None:
    model = Model([ToolCall("1", "roll_dice", {})])
    async with on_stage(model) as stage:
        await ask_often(stage, model, 1)

    assert len(model.prompts) == 25


async def test_five_hundred_calls_at_once_are_sixteen() -> None:
    ran: list[int] = []

    @tool
    def count(number: int) -> str:
        """Count."""
        ran.append(number)
        return "counted"

    calls = [ToolCall(str(number), "count", {"number": number}) for number in range(500)]
    model = Model(calls, ["Done."])
    async with on_stage(model, tools=[count]) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["Done."]

    assert sorted(ran) == list(range(16))


async def test_what_tools_post_is_under_the_cap_of_messages() -> None:
    @tool
    def flood(post: Post) -> str:
        """Post a lot."""
        for number in range(300):
            post(f"post {number}")
        return "posted"

    model = Model([ToolCall("1", "flood", {})], ["Done."])
    free = make_config(settings={"message_cap": 10, "typing": "off"})
    async with on_stage(model, config=free, tools=[flood]) as stage:
        await ask_often(stage, model, 1)
        said = "\n".join(one.content for one in stage.said())
        files = [file for one in stage.said() for file in one.draft.attachments]

    assert said.count("post ") == 10
    assert len(files) == 1


class Streams:
    """A model that says nothing until it may, and knows how many listen."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.now = self.maximum = self.asked = 0

    async def stream(self, *_: object) -> Any:
        self.now, self.asked = self.now + 1, self.asked + 1
        self.maximum = max(self.maximum, self.now)
        try:
            await self.gate.wait()
            yield "Hi."
        finally:
            self.now -= 1


async def test_one_member_in_sixty_threads_has_few_streams_and_others_do_not_wait() -> None:
    model = Streams()
    limited = config(person_running=4, person_waiting=6)
    async with on_stage(model, config=limited) as stage:
        threads = [stage.twin.add_thread(f"thread-{number}") for number in range(60)]
        for thread in threads:
            stage.ask("hi", thread)
        while model.now < 4:
            await stage.settled()
        bob = stage.twin.add_user("bob")
        before = model.now
        stage.ask("hi", threads[30], bob)
        while model.now == before:
            await stage.settled()
        model.gate.set()
        await stage.settled()
        await stage.quiet()

    assert before == 4
    assert model.maximum <= 5
    assert model.asked <= 4 + 6 + 1


async def test_edits_that_begin_an_answer_anew_are_requests_like_others() -> None:
    model = Model(["Hi.", asyncio.Event()])
    async with on_stage(model, config=config(person_requests=5)) as stage:
        question = stage.ask("first")
        await model.called()
        for number in range(2, 6):
            stage.twin.edit(question, f"<@{stage.twin.bot.id}> words {number}")
            await model.called(number)
        stage.twin.edit(question, f"<@{stage.twin.bot.id}> words without an end")
        await stage.twin.until(lambda: notices(stage, "the daily limit for one person"))
        await stage.quiet()

    assert len(model.prompts) == model.closed == 5


async def test_a_model_that_is_down_is_left_alone_and_each_question_is_told() -> None:
    model = Model([Overloaded("down")])
    async with on_stage(model, config=config(errors=3)) as stage:
        await ask_often(stage, model, 8)
        told = notices(stage, "is paused")
        rendered = stage.app.metrics.render()

    assert len(model.prompts) == 3
    assert len(told) == 5
    assert "streamcord_models_circuit_open 1.0" in rendered
    assert 'streamcord_refusals_total{reason="model"} 5.0' in rendered


async def test_what_an_answer_took_is_shown_if_that_is_wanted() -> None:
    model = Model(["Hi.", Usage(1000, 200)])
    shown = config(models=PRICED, footer=True)
    async with on_stage(model, config=shown) as stage:
        stage.ask("hi")
        assert await stage.texts(2) == ["Hi.", "-# 1,200 tokens · $0.2010"]
        await stage.quiet()
        rendered = stage.app.metrics.render()

    assert 'streamcord_requests_total{model="small"} 1.0' in rendered
    assert 'streamcord_model_tokens_total{kind="output",model="small"} 200.0' in rendered
    assert 'streamcord_cost_total{model="small"} 0.201' in rendered


def _today(stage: Stage) -> int:
    return int(stage.app.budget.now // 86_400)

"""A button asks once, however often it is pressed, and no storm of presses fills a queue."""

from __future__ import annotations

import asyncio

import pytest

from bot.models import Model
from bot.stage import Stage, make_config, on_stage
from bot.test_stop_scenarios import button, buttons_of
from discord_twin import FaultKind, Message, Twin, User
from streamcord.store import Store, open_store
from streamcord_bot.config import BotConfig
from twin.conftest import FREE


def config(**budget: int) -> BotConfig:
    return make_config(answer={"debounce": 0.0, "buttons": True}, budget=budget)


async def answered(stage: Stage, text: str = "hi") -> Message:
    """An answer with its buttons."""
    stage.ask(text)
    answer = await stage.twin.next_message()
    await stage.twin.until(lambda: "again" in buttons_of(answer))
    await stage.quiet()
    return answer


def keep_old_buttons(twin: Twin) -> None:
    """Let the removal of buttons from older answers fail."""
    twin.inject_fault(FaultKind.ERROR_CODE, "messages.edit", times=200, status=403, code=50013)


async def test_a_double_click_asks_once() -> None:
    model = Model(["Hello."])
    async with on_stage(model, config=config()) as stage:
        answer = await answered(stage)
        again = button(answer, "again")
        for _ in range(2):
            stage.twin.press(answer, again)
        await stage.settled()
        await stage.twin.until(lambda: len(model.prompts) > 1)
        await stage.quiet()

    assert len(model.prompts) == 2


async def test_again_and_continue_of_one_answer_are_one_press() -> None:
    model = Model(["Hello."])
    async with on_stage(model, config=config()) as stage:
        answer = await answered(stage)
        both = [button(answer, action) for action in ("again", "more")]
        for custom_id in both * 20:
            stage.twin.press(answer, custom_id)
        await stage.settled()
        await stage.twin.until(lambda: len(model.prompts) > 1)
        await stage.quiet()

    assert len(model.prompts) == 2


async def test_three_hundred_presses_do_not_fill_a_queue_of_eight() -> None:
    gate = asyncio.Event()
    model = Model(*[["Hello."]] * 15, ["Hi.", gate])
    async with on_stage(model, config=config()) as stage:
        keep_old_buttons(stage.twin)
        answers = [await answered(stage, f"question {number}") for number in range(15)]
        ids = [button(answer, "again") for answer in answers]
        stage.twin.faults.clear()
        for _ in range(20):
            for answer, custom_id in zip(answers, ids, strict=True):
                stage.twin.press(answer, custom_id)
        await stage.settled()
        await model.called(16)
        await stage.settled()
        queue = stage.app.dispatcher._queues[stage.twin.channel.id]
        maximum = len(queue.waiting)
        private = [one for one in stage.twin.channel.messages.values() if one.is_ephemeral]
        gate.set()
        await stage.quiet()

    assert maximum <= 8
    assert len(model.prompts) <= 15 + 9
    assert len(private) <= 1


async def test_whoever_presses_pays() -> None:
    model = Model(["Hello."])
    async with on_stage(model, config=config(person_requests=2)) as stage:
        bob = stage.twin.add_user("bob")
        stage.ask("hi", user=bob)
        answer = await stage.twin.next_message()
        await stage.twin.until(lambda: "again" in buttons_of(answer))
        await stage.quiet()
        # The owner of the server may manage messages, so every button is theirs, too.
        stage.twin.press(answer, button(answer, "again"), stage.twin.user)
        await stage.twin.until(lambda: len(model.prompts) == 2)
        await stage.quiet()
        stage.ask("one more", user=bob)
        await stage.twin.until(lambda: len(model.prompts) == 3)
        await stage.quiet()
        stage.ask("and one", user=bob)
        await stage.settled()
        await stage.quiet()

    assert len(model.prompts) == 3


async def test_a_press_beyond_the_budget_is_told_once_in_private_and_the_button_stays() -> None:
    model = Model(["Hello."])
    async with on_stage(model, config=config(person_requests=1)) as stage:
        answer = await answered(stage)
        for _ in range(5):
            stage.twin.press(answer, button(answer, "again"))
            await stage.settled()
        messages = stage.twin.channel.messages.values()
        await stage.twin.until(lambda: [one for one in messages if one.is_ephemeral])
        told = [one for one in messages if one.is_ephemeral]

    assert ["the daily limit for one person" in one.content for one in told] == [True]
    assert "again" in buttons_of(answer)
    assert len(model.prompts) == 1


async def answer_again(twin: Twin, store: Store, answer: Message, owner: User, text: str) -> None:
    """Press Again after a restart, and wait for the new answer in its place."""
    async with on_stage(Model([text]), config=config(), twin=twin, store=store) as stage:
        twin.press(answer, button(answer, "again"), owner)
        await twin.until(lambda: answer.content == text and "again" in buttons_of(answer))
        await stage.quiet()


@pytest.mark.parametrize("remembers", [True, False])
async def test_again_after_a_restart_deletes_no_answers_to_others(*, remembers: bool) -> None:
    store = await open_store(":memory:")
    async with Twin(FREE) as twin:
        mallory, bob = twin.add_user("mallory"), twin.add_user("bob")
        await store.refuse_memory(mallory.id, refused=not remembers)
        async with on_stage(Model(["Hello."]), config=config(), twin=twin, store=store) as stage:
            keep_old_buttons(twin)
            theirs = []
            for person in (mallory, *(bob,) * 4):
                stage.ask("hi", user=person)
                one = await twin.next_message()
                theirs.append(one)
                await twin.until(lambda: "again" in buttons_of(theirs[-1]))
            await stage.quiet()
        twin.faults.clear()
        await answer_again(twin, store, theirs[0], mallory, "Again.")
        await answer_again(twin, store, theirs[0], mallory, "And again.")
        left = {one.id for one in theirs[1:]} & twin.channel.messages.keys()
    await store.close()

    assert len(left) == 4

"""Variants of an answer: again in its place, ◀ 2/3 ▶, a new answer after an edit, and `/edit`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.models import Model, asked
from bot.stage import Stage, make_config, on_stage
from bot.test_stop_scenarios import answer_to, button, buttons_of
from discord_twin import Message, Twin
from streamcord.store import Place, open_store
from streamcord_bot.personas.server_personas import seed_personas
from twin.conftest import FREE

BUBBLES = {"answer": {"debounce": 0.0, "buttons": True}}
LIVE: dict[str, Any] = {**BUBBLES, "settings": {"delivery": "live", "live_limit": 4000}}
ALTER: dict[str, Any] = {
    **BUBBLES,
    "personas": {"Luna": {"prompt": "You are Luna."}, "Orbit": {"prompt": "You are Orbit.", "alter": True}},
}
KINDS = {"bubbles": BUBBLES, "live": LIVE, "webhook": ALTER}
NAMES = {"webhook": "Orbit, "}


def labels(message: Message) -> list[str]:
    return [one["label"] for row in message.draft.components for one in row.get("components", ())]


@asynccontextmanager
async def on_kind(kind: str, model: Model) -> AsyncIterator[Stage]:
    """A bot that delivers answers in one of the ways."""
    config = make_config(**KINDS[kind])
    async with await open_store(":memory:") as store:
        await seed_personas(config, store)
        async with on_stage(model, config=config, store=store) as stage:
            yield stage


async def again(stage: Stage, text: str) -> list[Message]:
    """Press *Again* and wait for an answer with this text and its buttons."""
    last = stage.said()[-1]
    await stage.twin.until(lambda: "again" in buttons_of(last))
    await stage.quiet()
    stage.twin.press(last, button(last, "again"))
    return await complete(stage, text)


async def complete(stage: Stage, *texts: str) -> list[Message]:
    """Wait until the channel shows exactly these messages, the last one with buttons."""

    def shows() -> list[Message]:
        said = stage.said()
        shown = [
            one.content or "".join(part.get("content", "") for part in one.draft.components) for one in said
        ]
        return said if shown == list(texts) and "again" in buttons_of(said[-1]) else []

    said = await stage.twin.until(shows)
    await stage.quiet()
    return said


async def choose(stage: Stage, label: str, *texts: str) -> list[Message]:
    last = stage.said()[-1]
    rows = [one for row in last.draft.components for one in row["components"]]
    stage.twin.press(last, next(one["custom_id"] for one in rows if one["label"] == label))
    return await complete(stage, *texts)


@pytest.mark.parametrize("kind", KINDS)
async def test_again_takes_the_place_of_the_answer_and_arrows_choose(kind: str) -> None:
    model = Model(["The first try."], ["The second one."], ["And a third answer."], ["Last."])
    async with on_kind(kind, model) as stage:
        stage.ask(f"{NAMES.get(kind, '')}hi")
        (first,) = await complete(stage, "The first try.")
        assert labels(first) == ["Again", "Continue"]
        stage.twin.say(stage.twin.channel, stage.twin.user, "I write in between.")
        (second,) = await again(stage, "The second one.")
        assert second.id == first.id
        assert labels(second) == ["◀", "2/2", "▶", "Again", "Continue"]
        (third,) = await again(stage, "And a third answer.")
        (chosen,) = await choose(stage, "◀", "The second one.")
        assert chosen.id == third.id == first.id
        assert labels(chosen) == ["◀", "2/3", "▶", "Again", "Continue"]
        persona = "Orbit" if kind == "webhook" else "Luna"
        (memory,) = await stage.store.recall(persona, Place(stage.twin.guild.id, stage.twin.channel.id))
        assert memory.text.removeprefix("Orbit: ") == "The second one."
        stage.ask(f"{NAMES.get(kind, '')}and now?")
        await complete(stage, "The second one.", "Last.")
        # Only the newest answer of a channel has buttons.
        await stage.twin.until(lambda: not buttons_of(first))

    read = "".join(str(message) for message in model.prompts[-1].messages)
    assert "The second one." in read
    assert "The first try." not in read
    assert "And a third answer." not in read


async def test_variants_of_different_numbers_of_messages_come_and_go() -> None:
    model = Model(["One.\n\nTwo.\n\nThree."], ["Only one."])
    async with on_stage(model, config=make_config(**BUBBLES)) as stage:
        stage.ask("hi")
        first = await complete(stage, "One.", "Two.", "Three.")
        (second,) = await again(stage, "Only one.")
        assert second.id == first[0].id
        back = await choose(stage, "◀", "One.", "Two.", "Three.")
        assert back[0].id == first[0].id
        assert [buttons_of(one) for one in back[:2]] == [[], []]
        (memory,) = await stage.store.recall("Luna", Place(stage.twin.guild.id, stage.twin.channel.id))
        assert memory.messages == tuple(one.id for one in back)
        await choose(stage, "▶", "Only one.")


@pytest.mark.parametrize("alter", [False, True])
async def test_five_variants_are_kept_and_outlive_a_restart(*, alter: bool) -> None:
    store = await open_store(":memory:")
    async with Twin(FREE) as twin:
        model = Model(*[[f"Answer {number}."] for number in range(1, 8)])
        config = make_config(**BUBBLES, personas={"Luna": {"prompt": "You are Luna.", "alter": alter}})
        await seed_personas(config, store)
        async with on_stage(model, config=config, twin=twin, store=store) as stage:
            stage.ask("hi")
            (answer,) = await complete(stage, "Answer 1.")
            for number in range(2, 8):
                (answer,) = await again(stage, f"Answer {number}.")
            assert "5/5" in labels(answer)
            assert (answer.webhook is not None) is alter
        async with on_stage(model, config=config, twin=twin, store=store) as stage:
            (after,) = await choose(stage, "◀", "Answer 6.")
            assert after.id == answer.id
            for number in (5, 4, 3):
                (after,) = await choose(stage, "◀", f"Answer {number}.")
            assert labels(after)[:3] == ["◀", "1/5", "▶"]
    await store.close()


async def test_deleted_answer_leaves_no_variant() -> None:
    async with on_stage(Model(["One."], ["Two."]), config=make_config(**BUBBLES)) as stage:
        stage.ask("hi")
        await complete(stage, "One.")
        (answer,) = await again(stage, "Two.")
        assert await stage.store.find_answer(answer.id) is not None
        stage.twin.delete(answer)
        await stage.settled()
        assert await stage.store.find_answer(answer.id) is None


async def test_failed_attempt_leaves_the_answer_with_its_buttons() -> None:
    model = Model(["One."], ["Two."], [RuntimeError("the model is gone")], ["Four."])
    async with on_stage(model, config=make_config(**BUBBLES)) as stage:
        stage.ask("hi")
        await complete(stage, "One.")
        (answer,) = await again(stage, "Two.")
        stage.twin.press(answer, button(answer, "again"))
        await model.called(3)
        await stage.quiet()
        await stage.twin.until(lambda: labels(answer) == ["◀", "2/2", "▶", "Again", "Continue"])
        assert answer.content == "Two."


async def test_edited_question_offers_a_new_answer() -> None:
    model = Model(["Four."], ["Six."])
    async with on_stage(model, config=make_config(**BUBBLES)) as stage:
        question = stage.ask("2 + 2?")
        (answer,) = await complete(stage, "Four.")
        stage.twin.edit(question, f"<@{stage.twin.bot.id}> 3 + 3?")
        await stage.twin.until(lambda: labels(answer) == ["Answer the edited question", "Continue"])
        await again(stage, "Six.")
    assert "3 + 3?" in asked(model.prompts[-1])


@pytest.mark.parametrize("kind", KINDS)
async def test_edit_changes_the_last_message_and_what_the_model_reads(kind: str) -> None:
    model = Model(["Rum is sold here."], ["Yes."])
    async with on_kind(kind, model) as stage:
        twin = stage.twin
        stage.ask(f"{NAMES.get(kind, '')}what is sold?")
        (answer,) = await complete(stage, "Rum is sold here.")
        stranger = twin.slash("edit", twin.channel, twin.add_user("mallory"))
        assert "<@" in await answer_to(twin, stranger)
        form = twin.slash("edit")
        await twin.until(lambda: form.callback)
        field = form.callback["data"]["components"][0]["components"][0]  # type: ignore[index]
        assert field["value"] == "Rum is sold here."
        twin.submit(form, {field["custom_id"]: "Tea is sold here. Nothing else."})
        (changed,) = await complete(stage, "Tea is sold here. Nothing else.")
        assert changed.id == answer.id
        stage.ask(f"{NAMES.get(kind, '')}really?")
        await complete(stage, "Tea is sold here. Nothing else.", "Yes.")
    read = "".join(str(message) for message in model.prompts[-1].messages)
    assert "Tea is sold here." in read
    assert "Rum" not in read

"""Questions of the bot with buttons: choices of a model, and tools that people must approve."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.recovery.again import life, off_by, recovered
from bot.stage import Stage, make_config, on_stage
from discord_twin import Message, Twin
from streamcord import ToolCall
from streamcord.providers import AskUser, Post, tool
from streamcord.store import AskState, open_store
from streamcord.testing import ScriptedProvider
from twin.conftest import FREE
from virtual_time import timeless

CHOICES = ToolCall("1", "offer_choices", {"question": "Which?", "choices": ["tea", "coffee"]})


def call(name: str = "deploy", **arguments: Any) -> ToolCall:
    return ToolCall("7", name, arguments)


class Deploys:
    """A tool that must be approved, and what it did."""

    def __init__(self) -> None:
        self.done: list[str] = []

        @tool
        async def deploy(version: str) -> str:
            self.done.append(version)
            return f"{version} is out"

        self.tool = deploy


def custom_ids(message: Message) -> list[str]:
    return [one["custom_id"] for one in buttons(message)]


def labels(message: Message) -> list[str]:
    return [one["label"] for one in buttons(message)]


def buttons(message: Message) -> list[dict[str, Any]]:
    rows = (row.get("components", ()) for row in message.draft.components)
    return [one for row in rows for one in row]


def shown_text(message: Message) -> str:
    """Return the text of a message, plain or Components V2."""
    texts = (one["content"] for one in message.draft.components if one["type"] == 10)
    return message.content or "".join(texts)


async def press(stage: Stage, message: Message, number: int, user: Any = None, **more: Any) -> Any:
    pressed = stage.twin.press(message, custom_ids(message)[number], user, **more)
    await stage.twin.until(lambda: pressed.responded or None)
    await stage.settled()
    await stage.quiet()
    return pressed


async def card_of(stage: Stage) -> Message:
    await stage.twin.until(lambda: [one for one in stage.said() if one.draft.components] or None)
    await stage.settled()
    await stage.quiet()
    return next(one for one in stage.said() if one.draft.components)


def texts(stage: Stage) -> list[str]:
    return [one.content for one in stage.said()]


@timeless
async def test_press_of_a_choice_goes_on_with_the_answer() -> None:
    model = ScriptedProvider(["What would you like? ", CHOICES], ["Tea it is."])
    async with on_stage(model) as stage:
        stage.ask("I am thirsty")
        card = await card_of(stage)
        assert texts(stage) == ["What would you like?", "Which?"]
        assert stage.app.dispatcher.is_idle
        await press(stage, card, 0)
        assert texts(stage) == [
            "What would you like?",
            f"Which?\n-# ✓ <@{stage.twin.user.id}>: tea",
            "Tea it is.",
        ]
        assert "gave: tea" in str(model.prompts[1])
        assert stage.pinged == set()
        [row] = await stage.store.asks(stage.twin.bot.id, *AskState)
        assert row.state is AskState.DONE


@timeless
@pytest.mark.parametrize("delivery", ["live", "messages"])
async def test_choices_follow_the_answer_however_it_is_delivered(delivery: str) -> None:
    model = ScriptedProvider(["What would you ", "like? ", CHOICES], ["Tea ", "it is."])
    settings = {"typing": "off", "delivery": delivery}
    async with on_stage(model, config=make_config(settings=settings)) as stage:
        stage.ask("I am thirsty")
        card = await card_of(stage)
        # The last edit of a live message brings the question.
        shown = (
            ["What would you like?\n\nWhich?"] if delivery == "live" else ["What would you like?", "Which?"]
        )
        assert texts(stage) == shown
        assert labels(card) == ["tea", "coffee"]
        await press(stage, card, 0)
        assert texts(stage)[-1] == "Tea it is."
        assert not card.draft.components


@timeless
@pytest.mark.parametrize("delivery", ["live", "messages"])
async def test_edited_question_does_not_take_the_buttons_of_a_choice(delivery: str) -> None:
    model = ScriptedProvider(["What would you like? ", CHOICES], ["Tea it is."])
    settings = {"typing": "off", "delivery": delivery}
    config = make_config(settings=settings, answer={"buttons": True, "debounce": 0.0})
    async with on_stage(model, config=config) as stage:
        asked = stage.ask("I am thirsty")
        card = await stage.twin.until(
            lambda: next((one for one in stage.said() if "tea" in str(one.draft.components)), None)
        )
        await stage.quiet()
        stage.twin.edit(asked, f"<@{stage.twin.bot.id}> I am very thirsty")
        await stage.settled()
        await stage.quiet()
        assert labels(card) == ["tea", "coffee"]
        # Neither the first message nor the question has a stop button or any other.
        assert [bool(one.draft.components) for one in stage.said()] == [one is card for one in stage.said()]
        await press(stage, card, 0)
        assert texts(stage)[-1] == "Tea it is."


WRITTEN = "What would you like?\n\n<choices other>\nWhich?\n- tea\n- coffee\n</choices>"


@timeless
@pytest.mark.parametrize("delivery", ["live", "messages"])
async def test_model_without_tools_offers_choices_as_text(delivery: str) -> None:
    model = ScriptedProvider(
        [*WRITTEN], [*"Tea it is. ", "<choices>\nSugar?\n- yes\n- no\n</choices>"], ["Fine."]
    )
    config = make_config(
        settings={"typing": "off", "delivery": delivery},
        models={"plain": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1", "tools": False}},
    )
    async with on_stage({"plain": model}, config=config) as stage:
        stage.ask("I am thirsty")
        card = await card_of(stage)
        assert labels(card) == ["tea", "coffee", "Something else…"]
        await press(stage, card, 0)
        await press(stage, await card_of(stage), 1)
        assert texts(stage)[-1] == "Fine."
        assert "choices>" not in "".join(texts(stage))
        assert [prompt.tools for prompt in model.prompts] == [()] * 3
        assert "gave: tea" in str(model.prompts[1])
        assert "gave: no" in str(model.prompts[2])


@timeless
async def test_switched_off_choices_are_neither_explained_nor_taken_out() -> None:
    model = ScriptedProvider(["Hello."])
    config = make_config(
        models={"plain": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1", "tools": False}},
        tools={"choices": False},
    )
    async with on_stage({"plain": model}, config=config) as stage:
        stage.ask("hi")
        await stage.texts(1)
        assert "choices>" not in model.prompts[0].system


@timeless
async def test_other_questions_are_answered_while_one_waits() -> None:
    model = ScriptedProvider([CHOICES], ["Hello Bob."], ["Coffee."])
    async with on_stage(model) as stage:
        stage.ask("I am thirsty")
        card = await card_of(stage)
        stage.ask("hello", user=stage.twin.add_user("bob"))
        await stage.twin.until(lambda: "Hello Bob." in texts(stage) or None)
        await press(stage, card, 1)
        assert texts(stage)[-1] == "Coffee."


APPROVED = {"approve": {"deploy": "always", "restart": "first"}}


@timeless
async def test_tool_runs_only_after_the_right_person_allowed_it() -> None:
    deploys = Deploys()
    model = ScriptedProvider(["I deploy it. ", call(version="1.2 @everyone ```")], ["It is out."])
    async with on_stage(model, config=make_config(tools=APPROVED), tools=[deploys.tool]) as stage:
        stage.ask("deploy 1.2")
        card = await card_of(stage)
        [embed] = card.draft.embeds
        assert "Allow `deploy`?" in embed["description"]
        assert '"version": "1.2 @everyone `\u200b``"' in embed["description"]
        assert labels(card) == ["Once", "No", "No, because…"]
        refused = await press(stage, card, 0, stage.twin.add_user("mallory"))
        assert refused.callback["data"]["content"] == "This question is for others."
        assert (deploys.done, bool(card.draft.components)) == ([], True)
        await press(stage, card, 0)
        assert deploys.done == ["1.2 @everyone ```"]
        assert texts(stage)[-1] == "It is out."
        assert "is out" in str(model.prompts[1])
        assert not card.draft.components
        assert stage.pinged == set()
        [change] = await stage.store.changes(stage.twin.guild.id)
        assert (change.user, change.action) == (stage.twin.user.id, "allow deploy")
        assert change.detail.startswith('Once: {"version"')


@timeless
async def test_tool_that_is_not_allowed_does_nothing_and_the_model_learns_why() -> None:
    deploys = Deploys()
    model = ScriptedProvider([call(version="1")], ["I left it."])
    async with on_stage(model, config=make_config(tools=APPROVED), tools=[deploys.tool]) as stage:
        stage.ask("deploy")
        card = await card_of(stage)
        opened = await press(stage, card, 2)
        stage.twin.submit(opened, {"reason": "it is Friday"})
        await stage.twin.until(lambda: "I left it." in texts(stage) or None)
        assert deploys.done == []
        assert "They said: it is Friday" in str(model.prompts[1])


@timeless
async def test_allowed_for_this_conversation_is_not_asked_again_there() -> None:
    done: list[int] = []

    @tool
    async def restart() -> str:
        done.append(1)
        return "restarted"

    model = ScriptedProvider([call("restart")], ["One."], [call("restart")], ["Two."], [call("restart")])
    async with on_stage(model, config=make_config(tools=APPROVED), tools=[restart]) as stage:
        stage.ask("restart")
        card = await card_of(stage)
        assert labels(card)[1] == "For this conversation"
        await press(stage, card, 1)
        stage.ask("again")
        await stage.twin.until(lambda: "Two." in texts(stage) or None)
        assert len(done) == 2
        elsewhere = stage.twin.add_channel("elsewhere-2")
        stage.ask("there, too", elsewhere)
        await stage.twin.until(lambda: [m for m in stage.said(elsewhere) if m.draft.components] or None)
        assert len(done) == 2


@timeless
async def test_long_arguments_are_a_file() -> None:
    deploys = Deploys()
    model = ScriptedProvider([call(version="x" * 5000)], ["Done."])
    async with on_stage(model, config=make_config(tools=APPROVED), tools=[deploys.tool]) as stage:
        stage.ask("deploy")
        card = await card_of(stage)
        [file] = card.draft.attachments
        assert file.filename == "arguments.json"


@timeless
async def test_call_that_asks_twice_is_made_again_with_both_decisions() -> None:
    asked: list[str] = []

    @tool
    async def order(ask: AskUser, post: Post) -> str:
        first = await ask("Size?", ("small", "large"))
        asked.append(first.value)
        second = await ask("Milk?", ("yes", "no"))
        post("-# ordering")
        return f"{first.value}, milk {second.value}"

    model = ScriptedProvider([call("order")], ["Ordered."])
    async with on_stage(model, tools=[order]) as stage:
        stage.ask("coffee")
        await press(stage, await card_of(stage), 1)
        await press(stage, await card_of(stage), 0)
        assert asked == ["large", "large"]
        assert "large, milk yes" in str(model.prompts[1])
        assert texts(stage)[-2:] == ["-# ordering", "Ordered."]


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as one:
        yield one


@pytest.mark.parametrize("when", ["before the press", "before the effect", "after the effect"])
async def test_decision_and_effect_survive_a_restart(when: str, twin: Twin, tmp_path: Path) -> None:
    deploys, file = Deploys(), tmp_path / "s.db"
    first, second = ScriptedProvider([call(version="1")]), ScriptedProvider(["Out."])
    async with life(twin, file, first, registered=[deploys.tool], tools=APPROVED) as stage:
        stage.ask("deploy")
        card = await card_of(stage)
        [row] = await stage.store.asks(twin.bot.id, AskState.OPEN)
        if when != "before the press":
            decision = row.ask.choose([0], user=twin.user.id, at=time.time())
            assert await stage.store.decide_ask(row.id, decision)
        if when == "after the effect":
            assert await stage.store.take_ask(row.id, "gone")
            assert await stage.store.act_on_ask(row.id, "gone")

    async with life(twin, file, second, registered=[deploys.tool], tools=APPROVED) as stage:
        await recovered(stage)
        if when == "before the press":
            await press(stage, card, 0)
        wanted = "cannot tell" if when == "after the effect" else "Out."
        await twin.until(
            lambda: [m for m in stage.said() if wanted in f"{m.content}{m.draft.embeds}"] or None
        )
        await stage.quiet()
        [row] = await stage.store.asks(twin.bot.id, *AskState)
        assert row.state is AskState.DONE
    assert deploys.done == ([] if when == "after the effect" else ["1"])


async def test_expired_question_says_so_and_its_tool_never_runs(twin: Twin, tmp_path: Path) -> None:
    deploys, file = Deploys(), tmp_path / "s.db"
    model = ScriptedProvider([call(version="1")])
    async with life(twin, file, model, registered=[deploys.tool], tools=APPROVED) as stage:
        stage.ask("deploy")
        card = await card_of(stage)
    async with life(twin, file, ScriptedProvider(), off_by(1000.0), tools=APPROVED) as stage:
        await recovered(stage)
        await twin.until(lambda: not card.draft.components or None)
        assert "has expired" in card.draft.embeds[0]["description"]
    assert deploys.done == []


@pytest.mark.parametrize("delivery", ["messages", "live"])
@pytest.mark.parametrize("identity", ["position", "component"])
@pytest.mark.parametrize("is_late", [False, True])
async def test_question_of_a_persona_outlives_a_restart(
    twin: Twin, tmp_path: Path, delivery: str, identity: str, is_late: bool
) -> None:
    settings = {"typing": "off", "delivery": delivery, "webhook_identity": identity}
    tables: dict[str, Any] = {"settings": settings, "personas": {"Luna": {"alter": True}}}
    file, clock = tmp_path / "s.db", off_by(1000.0) if is_late else None
    model = ScriptedProvider(["Let me see what there is for you today. ", CHOICES])
    async with life(twin, file, model, **tables) as stage:
        stage.ask("thirsty")
        await twin.until(lambda: [one for one in stage.said() if "tea" in str(one.draft.components)])
        await stage.quiet()
    async with life(twin, file, ScriptedProvider(["Tea it is."]), clock, **tables) as stage:
        await recovered(stage)
        card = next(one for one in stage.said() if "Which?" in shown_text(one))
        assert {one.author.name for one in stage.said()} == {"Luna"}
        if is_late:
            await twin.until(lambda: "has expired" in shown_text(card))
            assert len(stage.said()) == (1 if delivery == "live" else 2)
        else:
            assert labels(card) == ["tea", "coffee"]
            await press(stage, card, 0)
            assert shown_text(card).endswith(f"Which?\n-# ✓ <@{twin.user.id}>: tea")
            assert shown_text(stage.said()[-1]) == "Tea it is."
        assert labels(card) == []
        assert sum("Which?" in shown_text(one) for one in stage.said()) == 1


async def test_deleted_card_cannot_be_decided(twin: Twin, tmp_path: Path) -> None:
    model = ScriptedProvider([CHOICES])
    async with life(twin, tmp_path / "s.db", model) as stage:
        stage.ask("thirsty")
        card = await card_of(stage)
        twin.delete(card)
        await stage.settled()
        assert await stage.store.asks(twin.bot.id, AskState.OPEN) == ()


async def test_two_processes_hear_a_press_and_one_acts(twin: Twin, tmp_path: Path) -> None:
    deploys, others = Deploys(), Deploys()
    config = make_config(tools=APPROVED)
    first, second = ScriptedProvider([call(version="1")], ["Out."]), ScriptedProvider(["Out."])
    store = await open_store(tmp_path / "s.db")
    async with on_stage(first, config=config, twin=twin, store=store, tools=[deploys.tool]) as stage:
        stage.ask("deploy")
        card = await card_of(stage)
        more = await open_store(tmp_path / "s.db")
        async with on_stage(second, config=config, twin=twin, store=more, tools=[others.tool]) as other:
            pressed = [twin.press(card, custom_ids(card)[0]) for _ in range(2)]
            await twin.until(lambda: all(one.responded for one in pressed) or None)
            await twin.until(lambda: "Out." in texts(stage) or None)
            await other.app.bot.recovery.recover(0.0)
            await stage.quiet()
            await other.quiet()
        await more.close()
        assert deploys.done + others.done == ["1"]
        assert texts(stage).count("Out.") == 1
        [row] = await store.asks(twin.bot.id, *AskState)
        assert row.state is AskState.DONE
        assert len(await store.changes(twin.guild.id)) == 1
    await store.close()

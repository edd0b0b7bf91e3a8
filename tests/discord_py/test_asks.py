"""Questions with buttons, menus and forms, with the real client on the twin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import discord
import pytest
from discord import app_commands

from delivery.stage import Stage, on_stage
from discord_twin import Message, User
from streamcord import (
    AnswerContext,
    Ask,
    AskField,
    AskOption,
    AskOutcome,
    Persona,
    Settings,
    ToolCall,
    say,
)
from streamcord._store.sql_store import SqlStore
from streamcord.discord import Asks, DiscordChannel, DiscordInteraction, Webhooks
from streamcord.providers import AskUser, make_choices, tool, user, with_tools
from streamcord.store import AskRow, open_store
from streamcord.testing import ScriptedProvider
from virtual_time import timeless


class Seat:
    """A client that answers presses, and what came of them."""

    def __init__(self, stage: Stage, store: SqlStore) -> None:
        self.stage = stage
        self.twin = stage.twin
        self.store = store
        self.rows: list[AskRow] = []
        self.outcomes: asyncio.Queue[AskOutcome | None] = asyncio.Queue()
        self.asks = Asks(store, lambda row, _: self.rows.append(row))

        async def on_interaction(interaction: discord.Interaction[Any]) -> None:
            self.outcomes.put_nowait(await self.asks.on_interaction(interaction))

        stage.client.on_interaction = on_interaction  # type: ignore[attr-defined]

    async def press(self, message: Message, number: int = 0, user: User | None = None, **more: Any) -> Any:
        """Press a component and wait until the client is through with it."""
        ids = custom_ids(message)
        pressed = self.twin.press(message, ids[number], user, **more)
        return pressed, await asyncio.wait_for(self.outcomes.get(), 5)


def custom_ids(message: Message) -> list[str]:
    rows = (row.get("components", ()) for row in message.draft.components)
    return [one["custom_id"] for row in rows for one in row]


@asynccontextmanager
async def seat() -> AsyncIterator[Seat]:
    async with on_stage() as stage, await open_store(":memory:") as store:
        yield Seat(stage, store)


async def source(*events: Any) -> AsyncIterator[Any]:
    for event in events:
        yield event


def whisper(interaction: Any) -> str:
    data = interaction.callback["data"]
    assert data["flags"] & 64
    return str(data["content"])


@timeless
@pytest.mark.parametrize("delivery", ["messages", "live"])
async def test_source_yields_a_question_and_the_first_press_decides(
    delivery: Literal["messages", "live"],
) -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Deploy?", ("yes", "no"), who=(one.twin.user.id,)), about={"v": 1})
        settings = Settings(delivery=delivery)
        await say(one.stage.channel(), source("I can deploy this now. ", ask, "I wait."), settings=settings)
        # The last edit of a live message brings the question.
        first = {
            "messages": ["I can deploy this now.", "Deploy?"],
            "live": ["I can deploy this now.\n\nDeploy?"],
        }
        assert one.stage.texts == [*first[delivery], "I wait."]
        shown = one.stage.sent[-2]

        stranger = one.twin.add_user("mallory")
        refused, outcome = await one.press(shown, 0, stranger)
        assert (outcome, whisper(refused)) == (AskOutcome.NOT_YOURS, "This question is for others.")
        _, outcome = await one.press(shown, 1)
        assert outcome is AskOutcome.DECIDED
        assert custom_ids(shown) == []
        assert shown.content == f"{first[delivery][-1]}\n-# ✓ <@{one.twin.user.id}>: no"
        [row] = one.rows
        assert row.decision is not None
        assert (row.decision.values, row.decision.user, row.about) == (("no",), one.twin.user.id, {"v": 1})
        assert one.twin.log.pings == []


@timeless
async def test_two_presses_at_once_are_one_decision() -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Which?", ("a", "b")))
        await say(one.stage.channel(), source(ask))
        [shown] = one.stage.sent
        ids = custom_ids(shown)
        pressed = [one.twin.press(shown, id_) for id_ in ids * 3]
        outcomes = [await asyncio.wait_for(one.outcomes.get(), 5) for _ in pressed]

        assert sorted(map(str, outcomes)) == ["already"] * 5 + ["decided"]
        assert len(one.rows) == 1


@timeless
async def test_form_opens_and_its_text_is_the_decision() -> None:
    async with seat() as one:
        other = AskOption("Other…", "other", fields=(AskField("text", "What?", max_chars=10),))
        ask = await one.asks.open(Ask("Where?", ("here", other)))
        await say(one.stage.channel(), source(ask))
        opened, outcome = await one.press(one.stage.sent[0], 1)
        assert outcome is None
        one.twin.submit(opened, {"text": "there"})
        assert await asyncio.wait_for(one.outcomes.get(), 5) is AskOutcome.DECIDED
        assert one.rows[0].decision is not None
        assert one.rows[0].decision.inputs == {"text": "there"}


@timeless
async def test_menu_takes_several_choices() -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Which?", tuple(f"n{number}" for number in range(25)), several=True))
        await say(one.stage.channel(), source(ask))
        await one.press(one.stage.sent[0], values=["3", "24"])
        assert one.rows[0].decision is not None
        assert one.rows[0].decision.values == ("n3", "n24")


@timeless
async def test_expired_question_is_told_in_words() -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Which?", ("a",), expires=10))
        await say(one.stage.channel(), source(ask))
        [shown] = one.stage.sent
        late = Asks(one.store, lambda row, _: one.rows.append(row), clock=lambda: 4e9)
        one.asks = late
        _, outcome = await one.press(shown)
        assert (outcome, one.rows) == (AskOutcome.EXPIRED, [])
        assert shown.content == "Which?\n-# This question has expired."


@timeless
async def test_question_of_a_persona_a_thread_a_dm_and_a_command_has_buttons() -> None:
    async with seat() as one:
        luna = AnswerContext(persona=Persona("Luna", alter=True))
        webhooks = Webhooks(one.stage.client)
        thread, dm = one.twin.add_thread("deep"), one.twin.dm()
        for channel in (one.twin.channel, thread, dm):
            ask = await one.asks.open(Ask("Which?", ("a", "b")))
            place = DiscordChannel(
                one.stage.find(channel) if channel is not dm else await one.stage.client.fetch_channel(dm.id),  # type: ignore[arg-type]
                webhooks=webhooks,
            )
            await say(place, source("Hello. ", ask), context=luna)
            shown = [message for message in channel.messages.values() if message.author.bot][-1]
            assert shown.content.endswith("Which?")
            _, outcome = await one.press(shown, 1)
            assert outcome is AskOutcome.DECIDED

        tree = app_commands.CommandTree(one.stage.client)
        ask = await one.asks.open(Ask("Which?", ("a", "b")))

        @tree.command(description="ask")
        async def question(interaction: discord.Interaction[Any]) -> None:
            await say(DiscordInteraction(interaction), source("Hello. ", ask))

        await tree.sync()
        asked = one.twin.slash("question")
        assert await asyncio.wait_for(one.outcomes.get(), 5) is None
        shown = await one.twin.until(
            lambda: next((m for m in one.stage.sent if m.interaction is asked and custom_ids(m)), None)
        )
        _, outcome = await one.press(shown, 0)
        assert outcome is AskOutcome.DECIDED


@timeless
async def test_tool_awaits_the_decision_and_the_model_learns_it() -> None:
    @tool
    async def deploy(version: str, ask: AskUser) -> str:
        decision = await ask(f"Deploy {version}?", ("yes", "no"))
        return f"{version}: {decision.value}"

    async with seat() as one:
        model = ScriptedProvider([ToolCall("1", "deploy", {"version": "1.2"})], ["Done."])
        answer = with_tools(model, user("go"), [deploy], ask=one.asks.ask)
        turn = asyncio.create_task(say(one.stage.channel(), answer))
        shown = await one.twin.next_message()
        await one.press(shown, 0)
        await turn
        assert one.stage.texts[1] == "Done."
        assert "1.2: yes" in str(model.prompts[-1])


@timeless
async def test_model_offers_choices_and_wrong_ones_are_told_before_anything_is_sent() -> None:
    async with seat() as one:
        wrong: list[Any] = [
            {"question": "Which?", "choices": [f"n{number}" for number in range(26)]},
            {"question": "Which?", "choices": ["x" * 81]},
            {"question": " ", "choices": ["x"]},
            {"question": "Which?", "choices": ["x", "x"]},
        ]
        calls = [[ToolCall("1", "offer_choices", arguments)] for arguments in wrong]
        right = ToolCall("1", "offer_choices", {"question": "Which?", "choices": ["tea", "@everyone a*b*c"]})
        model = ScriptedProvider(*calls, [right], ["Fine."])
        answer = with_tools(model, user("go"), [make_choices([one.twin.user.id])], ask=one.asks.ask)
        turn = asyncio.create_task(say(one.stage.channel(), answer))
        shown = await one.twin.next_message()
        assert one.stage.texts == ["Which?"]
        await one.press(shown, 1)
        await turn
        said = [str(prompt) for prompt in model.prompts]
        assert "an ask has at most 25 options, not 26" in said[1]
        assert "the label of an option has at most 80 characters, not 81" in said[2]
        assert "a question must not be empty" in said[3]
        assert "two options of an ask have the same value" in said[4]
        assert "@everyone a*b*c" in said[5]
        assert "@everyone" not in shown.content
        assert "a\\*b\\*c" in shown.content


@timeless
async def test_ask_without_a_row_is_refused_before_it_is_sent() -> None:
    async with seat() as one:
        with pytest.raises(ValueError, match="yield what `await asks"):
            await say(one.stage.channel(), source(Ask("Which?", ("a",))))
        assert one.stage.sent == []

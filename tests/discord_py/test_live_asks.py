"""The last edit of a live answer brings the question and its buttons, with the real client on the twin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Literal

import discord
import pytest
from discord import app_commands

from discord_py.test_asks import Seat, custom_ids, seat
from discord_twin import Fault, FaultKind, Message
from streamcord import (
    AnswerContext,
    Ask,
    AskField,
    AskOption,
    AskOutcome,
    Persona,
    Settings,
    Stop,
    ToolCall,
    say,
)
from streamcord.discord import DiscordChannel, DiscordInteraction, Webhooks
from streamcord.providers import AskUser, tool, user, with_tools
from streamcord.testing import ScriptedProvider
from virtual_time import timeless

LIVE = Settings(delivery="live")
WORDS = "Two kinds of tea are left, a green one and a black one.\nBoth of them are good.\n"


async def slowly(*events: Any) -> AsyncIterator[Any]:
    """Yield the events with enough time between them for the message to be shown and edited; then a pause."""
    for event in events:
        for piece in event.splitlines(keepends=True) if isinstance(event, str) else ():
            yield piece
            await asyncio.sleep(0.4)
        if not isinstance(event, str):
            await asyncio.sleep(5)
            yield event


def shown_text(message: Message) -> str:
    """Return the text of a message, plain or Components V2."""
    texts = (one["content"] for one in message.draft.components if one["type"] == 10)
    return message.content or "".join(texts)


async def live_question(one: Seat, ask: Ask, words: str = WORDS, **more: Any) -> tuple[Ask, Message]:
    """Let an answer of some words end with a question, and return the message that shows it."""
    kept = await one.asks.open(ask)
    channel = one.stage.channel(**more.pop("channel", {}))
    await say(channel, slowly(words, words, kept), settings=more.pop("settings", LIVE), **more)
    [shown] = one.stage.sent
    return kept, shown


@timeless
async def test_last_edit_brings_the_question_and_its_buttons() -> None:
    async with seat() as one:
        kept, shown = await live_question(one, Ask("Which?", ("green", "black")))
        assert shown.content == f"{WORDS * 2}".strip() + "\n\nWhich?"
        assert custom_ids(shown) == [f"sc:ask:{kept.id}:{number}" for number in range(2)]
        assert shown.edited_at is not None

        _, outcome = await one.press(shown, 1)
        assert outcome is AskOutcome.DECIDED
        assert shown.content.endswith(f"Which?\n-# ✓ <@{one.twin.user.id}>: black")
        assert custom_ids(shown) == []


@timeless
@pytest.mark.parametrize("menu", [False, True])
async def test_long_live_answer_gets_all_rows_of_its_question(menu: bool) -> None:
    options = tuple(f"n{number}" for number in range(25))
    async with seat() as one:
        ask, settings = Ask("Which?", options, menu=menu), Settings(delivery="live", live_limit=4000)
        _, shown = await live_question(one, ask, WORDS * 15, settings=settings)
        assert len(shown_text(shown)) > 2000
        rows = [row["components"] for row in shown.draft.components if row["type"] == 1]
        assert [len(row) for row in rows] == ([1] if menu else [5] * 5)
        ids = [button["custom_id"] for row in rows for button in row]
        pressed = one.twin.press(shown, ids[-1], values=["24"] if menu else None)
        assert await asyncio.wait_for(one.outcomes.get(), 5) is AskOutcome.DECIDED
        assert pressed.responded
        assert shown_text(shown).endswith(f"Which?\n-# ✓ <@{one.twin.user.id}>: n24")
        assert [row["type"] for row in shown.draft.components] == [10]


@timeless
async def test_question_that_does_not_fit_becomes_a_message() -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Which? " + "x" * 1500, ("a", "b")))
        await say(one.stage.channel(), slowly(WORDS * 35, ask), settings=LIVE)
        first, second = one.stage.sent
        assert not any(row["type"] == 1 for row in first.draft.components)
        assert len(custom_ids(second)) == 2


@timeless
@pytest.mark.parametrize(("length", "count"), [(1500, 1), (1900, 2), (2100, 1)])
async def test_decision_fits_below_the_question(length: int, count: int) -> None:
    words = f"{'x' * 99}\n" * (length // 100)
    async with seat() as one:
        field = AskField("text", "What?")
        ask = await one.asks.open(Ask("Which?", (AskOption("Other…", "other", fields=(field,)),)))
        settings = Settings(delivery="live", live_limit=4000)
        await say(one.stage.channel(), slowly(words, ask), settings=settings)
        assert len(one.stage.sent) == count
        opened, _ = await one.press(one.stage.sent[-1], 0)
        one.twin.submit(opened, {"text": "y" * 120})
        assert await asyncio.wait_for(one.outcomes.get(), 5) is AskOutcome.DECIDED
        assert shown_text(one.stage.sent[-1]).endswith("yyy")
        assert f"text: {'y' * 100}" in shown_text(one.stage.sent[-1])


@timeless
@pytest.mark.parametrize(("words", "question"), [(">>> so he said", "Which?"), ("a ||b|| c", "||d|| or e?")])
async def test_question_that_would_look_different_becomes_a_message(words: str, question: str) -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask(question, ("a", "b")))
        await say(one.stage.channel(), slowly(words, ask), settings=LIVE)
        assert one.stage.texts == [words, question]


@timeless
async def test_notice_of_the_program_stays_a_message_of_its_own() -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Allow deploy?", ("yes", "no"), notice=True))
        await say(one.stage.channel(), slowly(WORDS, ask), settings=LIVE)
        first, second = one.stage.sent
        assert first.content == WORDS.strip()
        assert len(custom_ids(second)) == 2


@timeless
async def test_refused_edit_leaves_the_answer_and_sends_the_question_below() -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Which?", ("green", "black")))

        async def words() -> AsyncIterator[Any]:
            async for event in slowly(WORDS, WORDS):
                yield event
            await asyncio.sleep(5)
            refused = Fault(
                FaultKind.ERROR_CODE, routes=("messages.edit",), status=400, code=50035, field="components.0"
            )
            one.twin.faults.add(refused)
            yield ask

        await say(one.stage.channel(), words(), settings=LIVE)
        assert one.twin.faults.fired[FaultKind.ERROR_CODE] == 1
        first, second = one.stage.sent
        assert first.content == f"{WORDS * 2}".strip()
        assert (second.content, len(custom_ids(second))) == ("Which?", 2)


@timeless
@pytest.mark.parametrize("delivery", ["messages", "live"])
async def test_persona_asks_under_its_own_name(delivery: Literal["messages", "live"]) -> None:
    luna = AnswerContext(persona=Persona("Luna", alter=True))
    async with seat() as one:
        ask = await one.asks.open(Ask("Which?", ("green", "black")))
        place = DiscordChannel(one.stage.find(), webhooks=Webhooks(one.stage.client))
        settings = Settings(delivery=delivery)
        await say(place, slowly(WORDS, WORDS, ask), settings=settings, context=luna)
        shown = one.stage.sent[-1]
        assert {message.author.name for message in one.stage.sent} == {"Luna"}
        assert (len(one.stage.sent) == 1) is (delivery == "live")
        _, outcome = await one.press(shown, 0)
        assert outcome is AskOutcome.DECIDED
        assert shown_text(shown).endswith(f"Which?\n-# ✓ <@{one.twin.user.id}>: green")
        assert custom_ids(shown) == []


@timeless
@pytest.mark.parametrize("private", [False, True])
async def test_reply_to_a_command_gets_the_question_with_its_last_edit(private: bool) -> None:
    async with seat() as one:
        tree = app_commands.CommandTree(one.stage.client)
        ask = await one.asks.open(Ask("Which?", ("green", "black")))

        @tree.command(description="ask")
        async def tea(interaction: discord.Interaction[Any]) -> None:
            reply = DiscordInteraction(interaction, ephemeral=private)
            await say(reply, slowly(WORDS, WORDS, ask), settings=LIVE)

        await tree.sync()
        one.twin.slash("tea")
        assert await asyncio.wait_for(one.outcomes.get(), 5) is None
        shown = await one.twin.until(
            lambda: next((m for m in one.stage.sent if m.draft.components), None), timeout=30
        )
        assert one.stage.texts == [f"{WORDS * 2}".strip() + "\n\nWhich?"]
        assert shown.is_ephemeral is private
        _, outcome = await one.press(shown, 1)
        assert outcome is AskOutcome.DECIDED
        assert shown.content.endswith(f"Which?\n-# ✓ <@{one.twin.user.id}>: black")


@timeless
@pytest.mark.parametrize("where", ["thread", "dm"])
async def test_live_question_in_a_thread_and_a_direct_message(where: str) -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Which?", ("green", "black"), several=True))
        place = one.twin.add_thread("deep") if where == "thread" else one.twin.dm()
        channel: Any = await one.stage.client.fetch_channel(place.id)
        await say(DiscordChannel(channel), slowly(WORDS, ask), settings=LIVE)
        [shown] = [message for message in place.messages.values() if message.author.bot]
        assert shown.content == WORDS.strip() + "\n\nWhich?"
        await one.press(shown, values=["0", "1"])
        assert shown.content.endswith("green, black")


@timeless
async def test_question_before_more_words_is_not_repeated() -> None:
    async with seat() as one:
        ask = await one.asks.open(Ask("Which?", ("green", "black")))
        result = await say(one.stage.channel(), slowly(WORDS, ask, WORDS), settings=LIVE)
        assert one.stage.texts == [f"{WORDS.strip()}\n\nWhich?", WORDS.strip()]
        assert [bool(receipt.message.ask) for receipt in result.receipts] == [True, False]


@timeless
async def test_words_are_visible_while_a_tool_runs_that_asks_later() -> None:
    @tool
    async def brew(ask: AskUser) -> str:
        await asyncio.sleep(30)
        return (await ask("Which?", ("green", "black"))).value

    async with seat() as one:
        model = ScriptedProvider(["One moment.", ToolCall("1", "brew", {})], ["Here you are."])
        answer = with_tools(model, user("tea"), [brew], ask=one.asks.ask)
        turn = asyncio.create_task(say(one.stage.channel(), answer, settings=LIVE))
        shown = await one.twin.next_message()
        await asyncio.sleep(20)
        assert one.stage.texts == ["One moment."]
        assert len(one.twin.log.typing) > 1
        await asyncio.sleep(20)
        assert one.stage.texts == ["One moment.\n\nWhich?"]
        await one.press(shown, 0)
        await turn
        assert one.stage.texts[-1] == "Here you are."


@timeless
async def test_stop_ends_an_answer_whose_tool_still_runs() -> None:
    @tool
    async def brew() -> str:
        await asyncio.sleep(600)
        return "never"

    async with seat() as one:
        model = ScriptedProvider(["One moment.", ToolCall("1", "brew", {})], ["Here you are."])
        stop = Stop()
        answer = with_tools(model, user("tea"), [brew])
        turn = asyncio.create_task(say(one.stage.channel(), answer, settings=LIVE, stop=stop))
        await one.twin.next_message()
        await asyncio.sleep(20)
        stop.ask()
        result = await asyncio.wait_for(turn, 10)
        assert [receipt.message.content for receipt in result.receipts] == ["One moment."]
        assert one.stage.texts == ["One moment."]

"""What the fault schedules found once, each as the smallest story that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from delivery.stage import FREE, on_stage
from discord_twin import Fault, FaultKind, TwinOptions
from streamcord import AnswerContext, Degree, DeliveryError, Persona, Settings, say
from streamcord._discord.webhooks.sender import Webhooks
from streamcord.discord import DiscordChannel
from virtual_time import covers, now, timeless

LINES = Settings(degree=Degree.LIGHT)
LINES = Settings(degree=Degree.LIGHT)
LUNA = AnswerContext(persona=Persona("Luna", alter=True))
CREATES = ("messages.create", "webhooks.execute")


async def model(text: str) -> AsyncIterator[str]:
    yield text


@timeless
async def test_what_was_refused_as_too_long_is_not_joined_again() -> None:
    lines = [f"Line {number} is forty characters long, or so." for number in range(8)]
    text = "\n".join(lines)
    async with on_stage(replace(TwinOptions(), content_limit=60)) as stage:
        stage.twin.inject_fault(FaultKind.RATE_SHARED, seconds=30.0)
        result = await say(stage.channel(), model(text), settings=LINES)

        assert "\n".join(stage.texts) == text
        assert covers(result, len(text))
        assert len(stage.twin.log.of("messages.create")) < 30


@timeless
async def test_a_name_in_front_counts_where_messages_must_be_short() -> None:
    text = "These words fit alone, but not behind a name, and so they must be cut again."
    async with on_stage(replace(FREE, content_limit=60, max_webhooks=0)) as stage:
        channel = DiscordChannel(stage.find(), webhooks=Webhooks(stage.client))
        await say(channel, model(text), settings=LINES, context=LUNA)

        said = " ".join(one.removeprefix("**Luna:** ") for one in stage.texts)
        assert said == text
        assert max(map(len, stage.texts)) <= 60


@pytest.mark.parametrize("kind", [FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.COMMIT_THEN_STATUS])
def test_what_the_bot_may_have_said_no_other_voice_says(kind: FaultKind) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            channel = DiscordChannel(stage.find(), webhooks=Webhooks(stage.client))
            stage.twin.faults.add(Fault(FaultKind.WEBHOOK_RETOKEN, ("webhooks.execute",), times=2))
            stage.twin.faults.add(Fault(kind, ("messages.create",)))
            await say(channel, model("Once."), settings=LINES, context=LUNA)

            assert [one.content.removeprefix("**Luna:** ") for one in stage.sent] == ["Once."]

    scenario()


@timeless
async def test_a_request_that_is_given_up_in_a_global_limit_does_not_silence_the_bot() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.RATE_GLOBAL, "channels.typing", seconds=60.0)
        channel = stage.channel()
        typing = asyncio.create_task(channel.typing())
        await stage.twin.until(lambda: stage.twin.log.of("channels.typing", status=429))
        await asyncio.sleep(1)
        typing.cancel()
        await asyncio.gather(typing, return_exceptions=True)
        began = now()
        await say(channel, model("Still here."), settings=LINES)

        assert stage.texts == ["Still here."]
        assert now() - began < 60


@timeless
async def test_a_webhook_that_is_moved_again_and_again_leaves_the_word_to_the_bot() -> None:
    async with on_stage() as stage:
        thread = stage.twin.add_thread("talk")
        found = await stage.client.fetch_channel(thread.id)
        channel = DiscordChannel(found, webhooks=Webhooks(stage.client))  # type: ignore[arg-type]
        stage.twin.faults.add(Fault(FaultKind.WEBHOOK_MOVE, ("webhooks.execute",), times=5))
        result = await say(channel, model("One.\nTwo."), settings=LINES, context=LUNA)

        said = [one.content.removeprefix("**Luna:** ") for one in thread.messages.values()]
        assert said == ["One.", "Two."]
        assert covers(result, len("One.\nTwo."))


@timeless
async def test_closed_client_raises_and_leaves_no_task() -> None:
    async with on_stage() as stage:
        channel = stage.channel()
        await stage.client.close()
        with pytest.raises(DeliveryError) as raised:
            await say(channel, model("Nobody hears."), settings=LINES)
        result = raised.value.result
        assert result is not None

        assert stage.texts == []
        assert covers(result, len("Nobody hears."))


@timeless
async def test_a_webhook_that_is_gone_is_asked_once_and_never_again() -> None:
    async with on_stage() as stage:
        channel = DiscordChannel(stage.find(), webhooks=Webhooks(stage.client))
        stage.twin.faults.add(Fault(FaultKind.WEBHOOK_DELETE, ("webhooks.execute",), after=1))
        stage.twin.faults.add(Fault(FaultKind.CLOSE_BEFORE_COMMIT, ("webhooks.execute",), after=1, times=3))
        await say(channel, model("One.\nTwo."), settings=LINES, context=LUNA)

        assert stage.texts == ["One.", "Two."]
        assert sum(record.code == 10015 for record in stage.twin.log.requests) <= 1

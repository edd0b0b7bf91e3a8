"""Scenarios G: the gateway and interactions, as far as they need no bot; the real client on the twin.

G-01, G-02, G-03, G-11 and G-12 are about which messages are answered at all: they belong to the bot.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import discord
import pytest

from delivery.stage import FREE, on_stage
from discord_py.test_interaction import asked
from discord_twin import FaultKind, Twin, TwinOptions
from discord_twin.discord_py import Client, running
from streamcord import Degree, DeliveryError, Settings, say
from streamcord.discord import DiscordChannel
from virtual_time import Model, covers, result_of, timeless

LINES = Settings(degree=Degree.LIGHT)
THREE = "One.\nTwo.\nThree."
PATIENT = Settings(degree=Degree.LIGHT, idle_timeout=2000.0, keepalive_timeout=2000.0)


@pytest.mark.parametrize(
    ("break_off", "resumes"),
    [
        (lambda twin: twin.gateway.ask_reconnect(), True),
        (lambda twin: twin.gateway.invalidate(resumable=True), True),
        (lambda twin: twin.gateway.invalidate(resumable=False), False),
        (lambda twin: twin.gateway.abort(), True),
        (lambda twin: twin.gateway.drop(4000), True),
        (lambda twin: twin.gateway.drop(4007), None),
        (lambda twin: twin.gateway.drop(4009), None),
    ],
    ids=["op 7", "op 9 true", "op 9 false", "no close code", "4000", "4007", "4009"],
)
def test_g_04_a_gateway_that_breaks_off_is_found_again_and_the_answer_goes_on(
    break_off: Callable[[Twin], None], resumes: bool | None
) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            twin = stage.twin

            async def model() -> AsyncIterator[str]:
                yield "One.\nTwo.\n"
                break_off(twin)
                yield "Three."

            result = await say(stage.channel(), model(), settings=LINES)
            await twin.until(lambda: twin.gateway.resumes + twin.gateway.identifies == 2, 60)
            await asyncio.sleep(5)  # discord.py waits for further guilds

            assert stage.texts == ["One.", "Two.", "Three."]
            assert covers(result, len(THREE))
            # What a client makes of the last two is its own affair, as long as it comes back.
            assert resumes is None or bool(twin.gateway.resumes) is resumes
            assert stage.client.is_closed() is False

    scenario()


@pytest.mark.parametrize("code", [4004, 4013, 4014])
def test_g_05_a_gateway_that_shuts_the_bot_out_is_not_asked_again(code: int) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            twin = stage.twin

            async def model() -> AsyncIterator[str]:
                yield "One.\nTwo.\n"
                twin.gateway.drop(code)
                await twin.until(lambda: not twin.gateway.connections)
                yield "Three."

            try:
                result = await say(stage.channel(), model(), settings=LINES)
            except DeliveryError as error:  # discord.py closes its connections for some of them
                result = result_of(error)
            await asyncio.sleep(3600)

            assert "\n".join([*stage.texts, *(piece.text for piece in result.dropped)]) == THREE
            assert covers(result, len(THREE))
            assert (twin.gateway.identifies, twin.gateway.resumes) == (1, 0)

    scenario()


async def test_g_06_a_gateway_that_is_dead_but_open_is_left_while_the_answer_goes_on() -> None:
    # discord.py's heart beats in a thread and in real time, so this lasts for a few beats.
    switches = TwinOptions(
        buckets={}, other_bucket=FREE.other_bucket, heartbeat_interval_s=0.02, heartbeat_acks=False
    )
    client = Client(intents=discord.Intents.default(), guild_ready_timeout=0.0, heartbeat_timeout=0.1)
    async with Twin(switches) as twin, running(twin, client):

        async def model() -> AsyncIterator[str]:
            yield "One.\n"
            await twin.until(lambda: twin.gateway.resumes, 10)
            yield "Two.\nThree."

        result = await say(
            DiscordChannel(client.get_partial_messageable(twin.channel.id)), model(), settings=LINES
        )
        twin.configure(heartbeat_acks=True)

        assert twin.channel.texts == ["One.", "Two.", "Three."]
        assert covers(result, len(THREE))
        assert twin.gateway.identifies == 1


@timeless
async def test_g_07_two_minutes_without_the_gateway_hold_nothing_up() -> None:
    async with on_stage() as stage:
        twin = stage.twin
        twin.gateway.is_down = True
        twin.gateway.drop(4000)
        twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, after=1)
        result = await say(stage.channel(), Model("One.\n", 60, "Two.\n", 60, "Three."), settings=PATIENT)
        silent = twin.gateway.resumes
        twin.gateway.is_down = False
        await twin.until(lambda: twin.gateway.resumes, 600)

        assert silent == 0
        assert stage.texts == ["One.", "Two.", "Three."]
        assert covers(result, len(THREE))
        assert twin.gateway.identifies == 1


@pytest.mark.parametrize("late", [2.9, 3.1])
def test_g_08_an_interaction_is_acknowledged_at_once_and_one_that_is_too_old_is_answered_in_the_channel(
    late: float,
) -> None:
    @timeless
    async def scenario() -> None:
        async with asked() as (stage, seen, transport):
            await asyncio.sleep(late)
            await transport.defer()
            result = await say(transport, Model(20.0, THREE), settings=LINES)

            assert stage.texts == ["One.", "Two.", "Three."]
            assert (seen.original is stage.sent[0]) is (late < 3)
            assert covers(result, len(THREE))

    scenario()


@timeless
async def test_g_08_whoever_defers_at_once_is_never_late() -> None:
    async with asked() as (stage, seen, transport):
        await transport.defer()
        (callback,) = stage.twin.log.of("interactions.callback")

        assert callback.at - seen.created_at < 0.5
        assert callback.status in {200, 204}


@timeless
async def test_g_09_an_answer_that_outlives_its_interaction_goes_on_in_the_channel() -> None:
    async with asked() as (stage, _, transport):
        source = Model("One.\n", 500, "Two.\n", 500, "Three.")
        result = await say(transport, source, settings=PATIENT)

        assert stage.texts == ["One.", "Two.", "Three."]
        assert covers(result, len(THREE))
        assert stage.twin.log.invalid == []


@timeless
async def test_g_10_an_acknowledgement_that_had_arrived_is_not_a_failure() -> None:
    async with asked() as (stage, seen, transport):
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_STATUS, "interactions.callback", status=502)
        result = await say(transport, Model(THREE), settings=LINES)

        assert [one.code for one in stage.twin.log.of("interactions.callback")][1:] == [40060]
        assert stage.texts == ["One.", "Two.", "Three."]
        assert seen.original is stage.sent[0]
        assert covers(result, len(THREE))

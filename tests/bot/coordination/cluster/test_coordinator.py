"""Bots of one cluster: who answers, who takes over, and what reaches whom."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from dataclasses import replace

import asyncpg  # type: ignore[import-untyped]
import pytest

from bot.coordination.cluster.conftest import Enter
from bot.models import Model
from discord_twin import Twin
from streamcord import SettingsError, StopOutcome, StopRequester
from streamcord._delivery.leaky_bucket import LeakyBucket
from streamcord._discord.rate_limits import limits_of, share_requests
from streamcord_bot.config import read_config
from streamcord_bot.coordination.cluster.coordinator import Cluster, open_cluster
from streamcord_bot.run import run_bot

LINES = [f"Line {number} is worth reading.\n" for number in range(1, 40)]
SLOWLY = [part for line in LINES for part in (line, 0.3)]


async def holds(cluster: Cluster, *shards: int) -> None:
    async with asyncio.timeout(10):
        while cluster.member.owned_shards != {*shards}:
            cluster.member.tick_soon()
            await asyncio.sleep(0.02)


def words(twin: Twin) -> list[str]:
    return [one.content for one in twin.channel.messages.values() if one.by_machine]


async def test_one_of_two_answers_and_the_other_takes_over_when_it_leaves(twin: Twin, enter: Enter) -> None:
    async with enter("2", Model(["second"])) as (second, standing):
        async with enter("1", Model(["first"])) as (first, leaving):
            await holds(standing, 0)
            assert leaving.member.owned_shards == set()
            first.ask("hello?")
            assert await first.texts(1) == ["second"]
            await second.quiet()
            await standing.retire()
            await holds(leaving, 0)
            first.ask("hello again?")
            assert await first.texts(1) == ["first"]
            await first.quiet()
        assert words(twin) == ["second", "first"]


async def test_successor_answers_a_missed_question(twin: Twin, enter: Enter) -> None:
    async with (
        enter("2", Model(["second"])) as (second, standing),
        enter("1", Model(["first"])) as (_, other),
    ):
        await holds(standing, 0)
        # It hears nothing any more, and no one else does before the next beat.
        standing.member.is_leaving = True
        held, standing.member.owned_shards = standing.member.owned_shards, set()
        second.ask("anybody?")
        await standing.member.rows.release_shards(standing.member.name, standing.member.bot, held)
        assert await second.texts(1) == ["first"]
        assert other.recoveries


async def test_answer_resumes_on_another_member_after_eviction(twin: Twin, enter: Enter) -> None:
    slow, rest = Model(SLOWLY), Model(["never asked"])
    async with enter("2", rest) as (_, heir), enter("1", slow) as (stage, dying):
        await holds(heir, 0)
        await heir.retire()
        await holds(dying, 0)
        heir.member.is_leaving = False
        stage.ask("tell me")
        assert len(await stage.texts(3)) == 3
        await heir.member.rows.evict(dying.member.name)
        await dying.member.tick()
        assert dying.was_evicted
        before = len(words(twin))
        await holds(heir, 0)
        async with asyncio.timeout(20):
            while not any("never asked" in text for text in words(twin)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    text = "\n".join(words(twin))
    assert before >= 3
    assert all(text.count(f"Line {number} is") <= 1 for number in range(1, 40))
    assert stage.bot.is_closed()


async def test_evicted_member_stops_its_answers_at_once(
    enter: Enter,
) -> None:
    async with enter("1", Model(SLOWLY), settings={"typing": "off", "closing_timeout": 600}) as (
        stage,
        dying,
    ):
        stage.ask("tell me")
        await stage.texts(1)
        # No one gets a place for a request any more, so that the next message waits for one for ever.
        share_requests(stage.bot, LeakyBucket(0, 3600.0), lambda *_: None)
        limits = limits_of(stage.bot.http)
        async with asyncio.timeout(60):
            while not limits._global._has_queue:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        await dying.member.rows.evict(dying.member.name)
        await dying.member.tick()
        async with asyncio.timeout(60):
            await stage.app.dispatcher.wait_idle()
            while not stage.bot.is_closed():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert not limits._global._has_queue


async def test_a_stop_and_a_deletion_reach_the_process_that_speaks(twin: Twin, enter: Enter) -> None:
    slow = Model(SLOWLY)
    async with enter("2", Model(["b"])) as (_, other), enter("1", slow) as (stage, speaking):
        await holds(other, 0)
        await other.retire()
        await holds(speaking, 0)
        asked = stage.ask("tell me")
        await stage.texts(1)
        # The shard moves; the answer goes on where it is.
        other.member.is_leaving = False
        await speaking.retire()
        await holds(other, 0)
        await other.member.tick()
        assert other.stops.owner_elsewhere(twin.channel.id) == speaking.member.name
        assert await other.stop_elsewhere(twin.channel.id, StopRequester(7)) is StopOutcome.REFUSED
        other.forward("edit", twin.channel.id, id=asked.id, text="something else")
        other.forward("delete", twin.channel.id, id=asked.id)
        async with asyncio.timeout(5):
            await stage.app.dispatcher.wait_idle()
    assert len(words(twin)) < len(LINES)


async def test_a_follow_up_ends_the_answer_elsewhere_and_the_question_itself_does_not(
    twin: Twin, enter: Enter
) -> None:
    async with enter("2", Model(["b"])) as (_, other), enter("1", Model(SLOWLY)) as (stage, speaking):
        await holds(other, 0)
        await other.retire()
        await holds(speaking, 0)
        asked = stage.ask("tell me")
        await stage.texts(1)
        about = {"channel": twin.channel.id, "author": twin.user.id}
        speaking._on_follow_up({**about, "id": asked.id})
        speaking._on_follow_up({**about, "id": asked.id + 1, "author": 7})
        await stage.texts(1)
        running = stage.app.dispatcher.running_in(twin.channel.id)
        assert running is not None
        await speaking._stop_running(twin.channel.id, replace(running))
        assert stage.app.state.running_turns, "it goes on: another one was meant, which is over"
        speaking._on_follow_up({**about, "id": asked.id + 1})
        async with asyncio.timeout(5):
            await stage.app.dispatcher.wait_idle()
    assert len(words(twin)) < len(LINES)


@pytest.mark.parametrize("is_told_to_end", [False, True])
async def test_evicted_member_restarts_unless_asked_to_end(
    twin: Twin, postgres_url: str, caplog: pytest.LogCaptureFixture, is_told_to_end: bool
) -> None:
    table = {
        "store": postgres_url,
        "discord": {"server": twin.base_url},
        # On a busy machine a short lease would expire by itself, and the bot would be gone before the signal.
        "cluster": {"url": "store", "lease": 8.0, "identify_pause": 0.0},
        "models": {"tiny": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"}},
    }
    caplog.set_level(logging.INFO)
    connection = await asyncpg.connect(postgres_url)
    running = asyncio.create_task(run_bot(read_config(table, {"DISCORD_TOKEN": twin.token})))
    await twin.ready(30)
    await told(caplog, "of a cluster:")
    await connection.execute("DELETE FROM cluster_members")
    await connection.close()
    await told(caplog, "stopping and rejoining")
    if is_told_to_end:
        os.kill(os.getpid(), signal.SIGTERM)

    async with asyncio.timeout(60):
        assert await running is not is_told_to_end


async def told(caplog: pytest.LogCaptureFixture, words: str) -> None:
    async with asyncio.timeout(60):
        while words not in caplog.text:  # noqa: ASYNC110  (logs tell no one)
            await asyncio.sleep(0)


async def test_a_ban_that_one_process_met_stops_all(twin: Twin, enter: Enter) -> None:
    async with enter("1", Model(["first"])) as (stage, cluster):
        cluster._on_requests_blocked(0.5, "too short to tell")
        cluster._on_requests_blocked(30.0, "banned")
        async with asyncio.timeout(5):
            while not cluster.member.view.stopped:
                cluster.member.tick_soon()
                await asyncio.sleep(0.02)
        assert cluster.member.view.reason == "banned"
        assert twin.channel is not None
        await cluster.member.rows.stop_all(cluster.member.bot, 0.0, "")
        await cluster.member.tick()
        stage.ask("hello?")
        assert await stage.texts(1) == ["first"]


async def test_a_cluster_without_a_journal_is_refused(enter: Enter) -> None:
    with pytest.raises(SettingsError, match=r"durability\.journal"):
        async with enter("1", Model(["x"]), durability={"journal": False}):
            pass


async def test_where_the_store_is_a_file_there_is_no_cluster(tmp_path: object) -> None:
    from bot.stage import make_config  # noqa: PLC0415  (only here)

    with pytest.raises(SettingsError, match="on PostgreSQL: all processes of a cluster share one store"):
        await open_cluster(make_config(store=f"{tmp_path}/s.db", cluster={"url": "store"}))

"""Scenarios D: what Discord may do to a bot's messages, with the real client on the twin and time that jumps.

The oracle is the twin: what is really in the channel, who was pinged, and every request that was made.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from discord.http import Route

from delivery.stage import FREE, Stage, on_stage
from discord_twin import FaultKind, TwinOptions
from streamcord import (
    ChannelGone,
    Degree,
    DeliveryError,
    Ending,
    Message,
    MessageRefused,
    NotAllowed,
    Settings,
    TurnResult,
    say,
)
from streamcord._delivery.sender import BLOCKED_NOTICE
from virtual_time import Model, covers, now, result_of, timeless

LINES = Settings(degree=Degree.LIGHT)
THREE = "One.\nTwo.\nThree."


async def model(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


async def answer(stage: Stage, text: str = THREE, settings: Settings = LINES, **options: Any) -> TurnResult:
    """One answer into the first channel."""
    return await say(stage.channel(**options), model(text), settings=settings)


def creates(stage: Stage) -> list[Any]:
    return stage.twin.log.of("messages.create")


def shown(stage: Stage) -> list[str]:
    """What people read, notices among it."""
    return [one.content or f"-# {one.draft.embeds[0]['description']}" for one in stage.sent]


def is_whole(stage: Stage, result: TurnResult, text: str = THREE) -> bool:
    """Nothing lost, nothing twice, in order, and the books agree with the channel."""
    ids = [receipt.id for receipt in result.receipts]
    return (
        "\n".join(stage.texts) == text
        and covers(result, len(text))
        and ids == [message.id for message in stage.sent]
        and stage.twin.log.pings == []
    )


@timeless
async def test_d_01_an_answer_lost_after_the_commit_is_one_message() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, after=1)
        result = await answer(stage)

        assert is_whole(stage, result)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 524])
def test_d_02_a_server_error_after_the_commit_is_one_message(status: int) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            stage.twin.inject_fault(FaultKind.COMMIT_THEN_STATUS, after=1, status=status)
            result = await answer(stage)

            assert is_whole(stage, result)

    scenario()


@timeless
async def test_d_03_server_errors_without_a_commit_are_tried_again_with_growing_pauses() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.STATUS, after=1, status=502, times=3)
        result = await answer(stage)
        times = [request.at for request in creates(stage)][1:5]

        assert is_whole(stage, result)
        pauses = [later - before for before, later in pairwise(times)]
        assert pauses == sorted(pauses)
        assert pauses[0] >= 0.5


@timeless
async def test_d_04_an_answer_that_comes_too_late_is_one_message() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ACK_DELAY, after=1, seconds=400.0)
        result = await answer(stage)

        assert is_whole(stage, result)
        assert now() < 5
        await asyncio.sleep(400)  # until the twin has given up its answer


@timeless
async def test_d_05_after_the_nonce_window_the_channel_is_read_before_anything_is_repeated() -> None:
    async with on_stage(deaf=True) as stage:
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, after=1)
        stage.twin.inject_fault(FaultKind.STATUS, after=2, status=503, times=9)
        result = await answer(stage)

        assert is_whole(stage, result)
        assert stage.twin.log.count("messages.list") > 0


@timeless
async def test_d_06_what_the_gateway_shows_has_arrived() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ACK_DELAY, after=0, seconds=60.0)
        result = await answer(stage)

        assert is_whole(stage, result)
        assert len(creates(stage)) == 3
        assert now() < 2
        await asyncio.sleep(60)  # until the twin has given up its answer


@timeless
async def test_d_07_a_message_that_a_moderator_deleted_is_not_made_again() -> None:
    async with on_stage(deaf=True) as stage:
        stage.twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, after=1)
        stage.twin.inject_fault(FaultKind.DELETE_MESSAGE, "messages.list")
        result = await answer(stage)

        assert stage.texts == ["One.", "Three."]
        assert [receipt.changes for receipt in result.receipts] == [(), ("deleted",), ()]
        assert result.ending is Ending.COMPLETED


@timeless
async def test_d_08_equal_texts_are_two_messages() -> None:
    async with on_stage() as stage:
        result = await answer(stage, "ha\nha\nha")
        nonces = [request.json["nonce"] for request in creates(stage)]

        assert is_whole(stage, result, "ha\nha\nha")
        assert len(set(nonces)) == 3
        assert all(request.json["enforce_nonce"] for request in creates(stage))


@timeless
async def test_d_09_a_notice_has_a_nonce_of_its_own_and_the_answer_stays() -> None:
    async with on_stage(TwinOptions(**{**as_fields(FREE), "automod": ("Two",)})) as stage:
        with pytest.raises(MessageRefused):
            await answer(stage)
        nonces = [request.json["nonce"] for request in creates(stage)]

        assert shown(stage) == ["One.", BLOCKED_NOTICE]
        assert len(set(nonces)) == 3


@pytest.mark.parametrize("seconds", [0.3, 12.5, 65.0])
def test_d_10_a_429_is_waited_for_and_no_other_channel_waits(seconds: float) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(channels=1) as stage:
            (other,) = stage.others
            stage.twin.inject_fault(FaultKind.RATE_USER, seconds=seconds, channel_id=stage.twin.channel.id)
            began = now()
            slow = asyncio.create_task(answer(stage))
            await say(stage.channel(other), model(THREE), settings=LINES)
            assert now() - began < 0.2
            result = await slow

            assert is_whole(stage, result)
            assert other.texts == ["One.", "Two.", "Three."]
            assert seconds <= now() - began < seconds + 5
            assert stage.twin.log.count(status=429) == 1

    scenario()


@timeless
async def test_d_11_a_global_429_stops_all_channels_once() -> None:
    async with on_stage(channels=3) as stage:
        stage.twin.inject_fault(FaultKind.RATE_GLOBAL, seconds=3.0)
        began = now()
        first = asyncio.create_task(answer(stage))
        await stage.twin.until(lambda: stage.twin.log.count(status=429))
        await asyncio.gather(*(say(stage.channel(one), model(THREE), settings=LINES) for one in stage.others))
        await first

        assert now() - began >= 3.0
        assert len(stage.twin.log.invalid) == 1
        assert [one.texts for one in [stage.twin.channel, *stage.others]] == [["One.", "Two.", "Three."]] * 4


@timeless
async def test_d_12_a_hidden_limit_is_obeyed_as_its_body_says() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.RATE_SHARED, after=1, seconds=7.5)
        began = now()
        result = await answer(stage)

        assert is_whole(stage, result)
        assert 7.5 <= now() - began < 9
        assert stage.twin.log.invalid == []


@timeless
async def test_d_13_after_cloudflares_page_nothing_is_asked_for_minutes() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.CLOUDFLARE_429, after=1)
        with pytest.raises(DeliveryError) as raised:
            await answer(stage)
        with pytest.raises(DeliveryError):
            await answer(stage)

        assert stage.texts == ["One."]
        assert len(creates(stage)) == 2
        kept = result_of(raised.value)
        assert [dropped.text for dropped in kept.dropped] == ["Two.", "Three."]
        assert covers(kept, len(THREE))
        await asyncio.sleep(301)
        await answer(stage, "Again.")
        assert stage.texts == ["One.", "Again."]


@pytest.mark.parametrize(
    "trouble", [FaultKind.OMIT_HEADERS, FaultKind.WRONG_HEADERS, FaultKind.BUCKET_HASH_CHANGE]
)
def test_d_14_headers_may_lie_or_be_missing(trouble: FaultKind) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(TwinOptions()) as stage:
            stage.twin.inject_fault(trouble, times=4)
            text = "\n".join(f"Line {number}." for number in range(12))
            result = await answer(stage, text, Settings(degree=Degree.LIGHT, merge="off"))

            assert is_whole(stage, result, text)
            assert len(creates(stage)) <= 16

    scenario()


@pytest.mark.parametrize("leaky", [True, False])
def test_d_15_a_burst_is_never_refused(leaky: bool) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(TwinOptions(leaky=leaky)) as stage:
            text = "\n".join(f"Line {number}." for number in range(16))
            result = await answer(stage, text, Settings(degree=Degree.LIGHT, merge="off"))

            assert is_whole(stage, result, text)
            assert stage.twin.log.count(status=429) == 0

    scenario()


@timeless
async def test_d_16_without_the_permission_the_turn_ends_and_the_text_is_kept() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.PERM_REVOKE, after=2)
        text = "\n".join(f"Line {number}." for number in range(8))
        source = Model(text, 60.0, "never read")
        with pytest.raises(NotAllowed) as raised:
            await say(stage.channel(), source, settings=Settings(pause_chance=0))

        assert stage.texts == ["Line 0.", "Line 1."]
        assert stage.twin.log.count(status=403) <= 2
        assert source.closed_at is not None
        assert source.closed_at < 10
        assert "Line 7." in result_of(raised.value).dropped[-1].text


@timeless
async def test_d_17_with_the_channel_gone_the_source_is_closed() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.DELETE_CHANNEL, after=1)
        source = Model("One.\nTwo.\nThr", 60.0, "never read")
        with pytest.raises(ChannelGone) as raised:
            await say(stage.channel(), source, settings=LINES)

        assert len(result_of(raised.value).receipts) == 1
        assert source.closed_at is not None
        assert source.closed_at < 5


@timeless
async def test_d_18_one_stray_401_is_tried_again_and_the_token_checked_once() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, after=1, code=40001)
        before = stage.twin.log.count("users.own")
        result = await answer(stage)

        assert is_whole(stage, result)
        assert stage.twin.log.count("users.own") == before + 1


@timeless
async def test_d_18_a_token_that_is_not_valid_any_more_is_the_last_request() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, after=1, code=40001)
        stage.twin.inject_fault(FaultKind.ERROR_CODE, "users.own", code=40001)
        with pytest.raises(NotAllowed):
            await answer(stage)
        asked = len(stage.twin.log.requests)
        with pytest.raises(NotAllowed):
            await answer(stage)

        assert len(stage.twin.log.requests) == asked
        assert stage.texts == ["One."]


@timeless
async def test_d_19_a_message_that_is_too_long_is_cut_again() -> None:
    async with on_stage(TwinOptions(**{**as_fields(FREE), "content_limit": 1500})) as stage:
        text = " ".join(f"word{number}" for number in range(500))
        result = await answer(stage, text, Settings(degree=Degree.NONE))

        assert " ".join(stage.texts) == text
        assert max(map(len, stage.texts)) <= 1500
        assert covers(result, len(text))
        assert [receipt.id for receipt in result.receipts] == [message.id for message in stage.sent]
        assert stage.twin.log.count(status=400) == 1


@timeless
async def test_d_20_white_space_alone_is_never_sent() -> None:
    async with on_stage() as stage:
        await answer(stage, "One.\n\n   \n\u200b\nTwo.")

        assert stage.texts[0] == "One."
        assert stage.texts[-1] == "Two."
        assert stage.twin.log.count(status=400) == 0


@timeless
async def test_d_20_what_discord_calls_empty_is_reported_and_the_rest_goes_on() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, after=1, code=50006)
        result = await answer(stage)

        assert stage.texts == ["One.", "Three."]
        assert [(dropped.text, dropped.reason) for dropped in result.dropped] == [("Two.", "empty")]


@timeless
async def test_d_21_a_reply_to_a_deleted_message_is_a_plain_message() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("hello")
        stage.twin.delete(stage.twin.channel.messages[asked.id])
        result = await answer(stage, reply_to=asked)

        assert [receipt.id for receipt in result.receipts] == [message.id for message in stage.sent]
        assert stage.texts == ["One.", "Two.", "Three."]
        assert creates(stage)[0].json["message_reference"]["fail_if_not_exists"] is False


@timeless
async def test_d_22_without_the_history_nothing_replies() -> None:
    async with on_stage() as stage:
        asked = await stage.hear("hello")
        stage.twin.inject_fault(FaultKind.ERROR_CODE, code=160002)
        result = await answer(stage, reply_to=asked)

        assert stage.texts == ["One.", "Two.", "Three."]
        assert [message.draft.reply_ids for message in stage.sent] == [None] * 3
        assert result.receipts[0].changes == ("no_reply",)


@timeless
async def test_d_23_what_the_filter_blocks_is_not_tried_again_and_said() -> None:
    async with on_stage(TwinOptions(**{**as_fields(FREE), "automod": ("Two",)})) as stage:
        with pytest.raises(MessageRefused) as raised:
            await answer(stage)
        result = result_of(raised.value)

        assert shown(stage) == ["One.", BLOCKED_NOTICE]
        assert [dropped.reason for dropped in result.dropped] == ["blocked", "undelivered"]
        assert result.ending is Ending.ERROR
        assert len(creates(stage)) == 3


@timeless
async def test_d_23_the_answer_may_go_on_after_a_blocked_part() -> None:
    async with on_stage(TwinOptions(**{**as_fields(FREE), "automod": ("Two",)})) as stage:
        result = await answer(stage, settings=Settings(degree=Degree.LIGHT, on_filtered="continue"))

        assert shown(stage) == ["One.", BLOCKED_NOTICE, "Three."]
        assert result.ending is Ending.COMPLETED


@pytest.mark.parametrize("code", [40005, 50045])
def test_d_24_a_picture_that_is_too_large_is_said_in_words(code: int) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            table = "| a | b |\n|---|---|\n| 1 | 2 |"
            text = f"Look:\n\n{table}\n\nNice."
            stage.twin.inject_fault(FaultKind.ERROR_CODE, after=1, code=code)
            result = await answer(stage, text)

            assert stage.texts == ["Look:", "```\na │ b\n──┼──\n1 │ 2\n```", "Nice."]
            assert covers(result, len(text))
            assert len(result.receipts) == 3

    scenario()


@timeless
async def test_d_25_an_overloaded_discord_is_waited_for() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, after=1, code=130000, times=6)
        result = await answer(stage)

        assert is_whole(stage, result)
        assert len(creates(stage)) == 9


@pytest.mark.parametrize("trouble", [FaultKind.ACK_TRUNCATE, FaultKind.ACK_GARBLED])
@pytest.mark.parametrize("deaf", [True, False])
def test_d_26_an_answer_that_makes_no_sense_is_one_message(trouble: FaultKind, deaf: bool) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(deaf=deaf) as stage:
            stage.twin.inject_fault(trouble, after=1)
            result = await answer(stage)

            assert is_whole(stage, result)

    scenario()


@timeless
async def test_d_27_a_minute_without_a_connection_loses_nothing() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.GO_OFFLINE, after=1, seconds=60.0)
        result = await answer(stage)

        assert is_whole(stage, result)
        assert now() >= 60


@timeless
async def test_d_28_a_name_that_cannot_be_resolved_is_tried_again() -> None:
    class Moody(AbstractResolver):
        """Knows where localhost is at the fourth question only."""

        asked = 0

        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            self.asked += 1
            if self.asked < 4:
                raise OSError(None, "no such name")
            return [
                ResolveResult(hostname=host, host="127.0.0.1", port=port, family=family, proto=0, flags=0)
            ]

        async def close(self) -> None:
            pass

    resolver = Moody()
    async with on_stage(connector=TCPConnector(resolver=resolver, use_dns_cache=False)) as stage:
        Route.BASE = Route.BASE.replace("127.0.0.1", "localhost")  # put back by the stage
        result = await answer(stage)

        assert is_whole(stage, result)
        assert resolver.asked >= 4


@timeless
async def test_d_29_an_answer_that_drips_is_one_message() -> None:
    async with on_stage(deaf=True) as stage:
        stage.twin.inject_fault(FaultKind.ACK_SLOW, after=1, seconds=500.0)
        result = await answer(stage)

        assert is_whole(stage, result)
        assert now() < 120
        await asyncio.sleep(1000)  # until the twin has given up its answer


@pytest.mark.parametrize("code", [30046, 10008])
def test_d_30_an_edit_that_is_refused_becomes_a_message_with_what_is_new(code: int) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            channel = stage.channel()
            receipt = await channel.send(Message("One."))
            stage.twin.inject_fault(FaultKind.ERROR_CODE, "messages.edit", code=code)
            again = await channel.edit(receipt, "One. Two.")

            assert stage.texts == ["One.", "Two."]
            assert again.id == stage.sent[1].id
            stage.twin.inject_fault(FaultKind.ERROR_CODE, "messages.edit", code=code)
            assert await channel.edit(receipt, "One.") == receipt

    scenario()


@timeless
async def test_d_30_an_edit_that_must_wait_is_made() -> None:
    async with on_stage() as stage:
        channel = stage.channel()
        receipt = await channel.send(Message("One."))
        stage.twin.inject_fault(FaultKind.RATE_USER, "messages.edit", seconds=3.0)
        await channel.edit(receipt, "One. Two.")

        assert stage.texts == ["One. Two."]


@timeless
async def test_d_31_an_edit_pings_nobody_either() -> None:
    async with on_stage() as stage:
        channel = stage.channel()
        receipt = await channel.send(Message("Hello"))
        await channel.edit(receipt, f"Hello @everyone <@{stage.twin.user.id}>")
        (request,) = stage.twin.log.of("messages.edit")

        assert stage.twin.log.pings == []
        assert request.json["allowed_mentions"] == {"parse": [], "users": []}


@timeless
async def test_d_32_a_connection_that_closes_while_it_is_written_to_is_one_message() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.CLOSE_BEFORE_COMMIT, after=1)
        result = await answer(stage)

        assert is_whole(stage, result)
        first, second = creates(stage)[1:3]
        assert first.json["nonce"] == second.json["nonce"]
        assert first.connection != second.connection


def as_fields(switches: TwinOptions) -> dict[str, Any]:
    return {name: getattr(switches, name) for name in TwinOptions.__dataclass_fields__}

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from discord_twin import Twin
from discord_twin.clock import DrivenClock
from discord_twin.context import Context
from discord_twin.options import TwinOptions
from discord_twin.request_log import Log, Record
from discord_twin.state.enums import MessageFlag
from discord_twin.state.models import Draft


def test_chance_follows_the_seed() -> None:
    first, second = Context(DrivenClock(), seed=3), Context(DrivenClock(), seed=3)
    draws = [first.chance(0.5) for _ in range(50)]

    assert draws == [second.chance(0.5) for _ in range(50)]
    assert set(draws) == {True, False}


def test_a_switch_that_is_off_does_not_shift_later_draws() -> None:
    first, second = Context(DrivenClock(), seed=3), Context(DrivenClock(), seed=3)

    assert not first.chance(0.0)
    assert [first.chance(0.5) for _ in range(20)] == [second.chance(0.5) for _ in range(20)]


def test_limits_see_switches_that_are_turned_later() -> None:
    context = Context(DrivenClock())
    context.options = TwinOptions(global_rps=1)

    assert not context.limits.admit("a", "", "bot", None).is_refused
    assert context.limits.admit("a", "", "bot", None).scope == "global"


async def test_messages_of_machines_are_taken_in_order_and_once() -> None:
    twin = Twin()
    twin.say(twin.channel, twin.user, "person")
    for text in ("one", "two"):
        twin.say(twin.channel, twin.bot.user, text)

    assert (await twin.next_message()).content == "one"
    assert (await twin.next_message()).content == "two"
    with pytest.raises(TimeoutError, match="#general"):
        await twin.next_message(timeout=0.01)


async def test_channels_do_not_mix() -> None:
    twin = Twin()
    other = twin.add_channel("other")
    twin.say(other, twin.bot.user, "other")
    twin.say(twin.channel, twin.bot.user, "general")

    assert (await twin.next_message(twin.channel)).content == "general"
    assert (await twin.next_message(other)).content == "other"


async def test_who_waits_is_woken_by_the_message() -> None:
    twin = Twin()
    waiting = [asyncio.create_task(twin.next_message()) for _ in range(2)]
    await asyncio.sleep(0)
    twin.say(twin.channel, twin.bot.user, "one")
    twin.say(twin.channel, twin.bot.user, "two")

    assert [message.content for message in await asyncio.gather(*waiting)] == ["one", "two"]


async def test_a_message_that_is_still_loading_is_not_there_yet() -> None:
    twin = Twin()
    loading = twin.state.post(twin.channel, twin.bot.user, Draft(flags=MessageFlag.LOADING))
    with pytest.raises(TimeoutError):
        await twin.next_message(timeout=0.01)
    twin.state.edit(twin.channel, loading, Draft("done"))
    twin.state.edit(twin.channel, loading, Draft("edited later"))

    assert await twin.next_message() is loading
    with pytest.raises(TimeoutError):
        await twin.next_message(timeout=0.01)


async def test_until_looks_again_after_every_event() -> None:
    twin = Twin()
    seen: list[int] = []

    def look() -> bool:
        seen.append(len(twin.channel.messages))
        return len(twin.channel.messages) == 2

    waiting = asyncio.create_task(twin.until(look))
    await asyncio.sleep(0)
    for text in ("one", "two"):
        twin.say(twin.channel, twin.user, text)
        await asyncio.sleep(0)
    await waiting

    assert seen[-1] == 2
    assert len(seen) <= 4


async def test_wait_sees_state_that_the_twin_hears_nothing_of() -> None:
    errors: list[str] = []
    async with Twin() as twin:
        asyncio.get_running_loop().call_later(0.1, errors.append, "mine")
        assert await twin.until(lambda: errors) == ["mine"]


async def test_failed_wait_shows_the_last_requests_and_why_they_were_refused() -> None:
    async with Twin() as twin, aiohttp.ClientSession() as session:
        url = f"{twin.api_url}/channels/{twin.channel.id}/messages"
        headers = {"Authorization": f"Bot {twin.token}"}
        async with session.post(url, json={"content": ""}, headers=headers) as response:
            assert response.status == 400
        with pytest.raises(
            TimeoutError, match=r"the condition never came. Last requests:\n  POST .*messages -> 400: "
        ):
            await twin.until(lambda: False, timeout=0.1)


def test_requests_have_slices() -> None:
    log = Log()
    records = [Record(float(at), "GET", "/", (), b"") for at in range(3)]
    log.requests.extend(records)

    assert log.requests[-2:] == records[1:]
    assert log.requests[0] is records[0]

"""Starting over, options, time and the state as a document."""

from __future__ import annotations

import asyncio

import pytest

from discord_twin import AdjustableClock, ControlApi, DrivenClock, RealClock, Twin
from discord_twin.discord_py import make_client, running
from twin.api import Api
from twin.control.client import Control


async def test_after_a_reset_a_connected_bot_and_its_ids_are_as_before(control: Control) -> None:
    twin = control.twin
    async with running(twin, make_client()) as bot:
        twin.bot.commands[1] = {"id": "1", "name": "help", "type": 1, "description": "Help"}
        await control.post("guilds", name="Second")
        await control.post("channels", name="more")
        await control.post("users", name="bob", roles=[])
        await control.post("roles", name="helpers")
        await control.post("permissions", deny=["SEND_MESSAGES"])
        await control.post("say", text="old", user="bob")
        await control.post("faults", kind="STATUS")
        await control.ask("PATCH", "options", {"content_limit": 5})
        await control.post("say", text="marker")
        await twin.until(lambda: [one for one in twin.log.events if "marker" in one.payload])

        await control.post("reset")

        await twin.until(lambda: len(bot.guilds) == 1)
        guild = bot.guilds[0]
        assert [one.name for one in guild.text_channels] == ["general"]
        assert "bob" not in [one.name for one in guild.members]
        assert "helpers" not in [one.name for one in guild.roles]
        assert (twin.channel.texts, twin.faults.pending, [*twin.log.requests]) == ([], [], [])
        assert twin.options.content_limit == 2000
        assert [*twin.bot.commands] == [1]
        # The bot may write again, on the same connection.
        sent = await bot.get_partial_messageable(twin.channel.id).send("still here")
        assert twin.channel.messages[sent.id].content == "still here"
        assert twin.gateway.sessions


async def test_a_state_is_built_again_on_another_twin(control: Control) -> None:
    api = Api(control.twin, control.session)
    await control.post("roles", name="helpers", permissions=["MANAGE_MESSAGES"])
    bob = await control.post("users", name="bob", roles=["helpers"])
    box = await control.post("channels", name="box", type="category")
    other = await control.post("channels", name="other", topic="things", parent=box["id"])
    await control.post("permissions", channel="other", deny=["SEND_MESSAGES"])
    said = await control.post("say", text=f"hello <@{bob['id']}> in <#{other['id']}>")
    await control.post("say", text="a reply", reply_to=said["id"], user="bob")
    await control.post("react", message=said["id"], emoji="👍", user="bob")
    await api.send("an answer", embeds=[{"title": "t"}])
    thread = await control.post("threads", name="talk", text="inside")
    await control.post("faults", kind="RATE_USER", seconds=3, routes=["messages.edit"])
    await control.ask("PATCH", "options", {"content_limit": 1500})
    saved = await control.get("state")

    async with Twin() as second:
        ControlApi(second, saved)
        channels = {one.name: one for one in second.state.channels.values()}
        users = {one.name: one for one in second.state.users.values()}
        assert {"general", "box", "other", "talk"} <= set(channels)
        assert channels["other"].parent_id == channels["box"].id
        assert channels["talk"].parent_id == second.channel.id
        assert second.channel.texts[:3] == [
            f"hello <@{users['bob'].id}> in <#{channels['other'].id}>", "a reply", "an answer",
        ]  # fmt: skip
        first, reply, answer = [*second.channel.messages.values()][:3]
        assert reply.draft.reply_to is first
        assert reply.author is users["bob"]
        assert answer.author is second.bot.user
        assert answer.draft.embeds[0]["title"] == "t"
        assert first.reactions == {"👍": [users["bob"].id]}
        assert thread["name"] == "talk"
        assert channels["talk"].texts == ["inside"]
        assert second.bot.user.id in channels["other"].overwrites
        assert second.options.content_limit == 1500
        (fault,) = second.faults.pending
        assert (fault.seconds, fault.routes) == (3, ("messages.edit",))


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({}, "state: the field version is missing"),
        ({"version": 2}, "state.version: not between 1 and 1"),
        ({"version": 1, "options": {"buckets": {}}}, "there is no such option"),
        ({"version": 1, "options": {"as_of": "never"}}, "is no day"),
        ({"version": 1, "channels": [{"id": "7", "name": "x", "type": 9}]}, "there is no type 9"),
        ({"version": 1, "channels": [{"id": "7", "name": "x", "type": 11}]}, "has no parent"),
        ({"version": 1, "messages": [{"id": "7", "channel": "8", "author": "9"}]}, "in no channel"),
        ({"version": 1, "commands": [{"name": "x"}]}, "a command has an id and a name"),
    ],
)
async def test_a_wrong_state_is_refused_and_leaves_an_empty_twin(
    control: Control, document: dict[str, object], why: str
) -> None:
    await control.post("say", text="old")
    status, found = await control.ask("PUT", "state", document)
    assert status == 400
    assert why in found["error"]
    assert [one.name for one in control.twin.state.channels.values()] == ["general"]


async def test_options_change_and_a_day_changes_what_discord_was(control: Control) -> None:
    twin = control.twin
    status, options = await control.ask("PATCH", "options", {"as_of": "2026-11-15", "content_limit": 9})
    assert (status, options["obfuscate_channels"], twin.options.content_limit) == (200, False, 9)
    await control.ask("PATCH", "options", {"as_of": ""})
    assert twin.options.obfuscate_channels
    # A script writes 10.0 as 10.
    state = {"version": 1, "options": {"interaction_deadline_s": 10}}
    assert (await control.ask("PUT", "state", state))[0] == 200
    assert twin.options.interaction_deadline_s == 10
    for wrong in (
        {"colour": 1},
        {"content_limit": "x"},
        {"content_limit": True},
        {"strict": 1},
        {"as_of": "never"},
    ):
        status, _ = await control.ask("PATCH", "options", wrong)
        assert status == 400, wrong


async def test_time_moves_forward_and_wakes_what_sleeps(control: Control) -> None:
    twin, clock = control.twin, control.twin.clock
    assert isinstance(clock, AdjustableClock)
    sleeping = asyncio.create_task(clock.sleep(3600))
    before = (await control.get("clock"))["now"]
    await asyncio.sleep(0)
    after = await control.post("clock", advance=3600)
    assert after["now"] - before >= 3600
    await asyncio.wait_for(sleeping, 5)
    used = twin.state.make_id()
    await control.post("clock", speed=1000)
    assert clock.to_client_seconds(10) == 0.01
    await asyncio.wait_for(clock.sleep(60), 5)
    assert twin.state.make_id() > used
    for wrong in (
        {"advance": -1},
        {"advance": 1e12},
        {"speed": 0},
        {"advance": float("inf")},
        {"advance": "1"},
    ):
        assert (await control.refused("clock", **wrong))[0] == 400, wrong


@pytest.mark.parametrize(("clock", "status"), [(RealClock(), 409), (DrivenClock(), 200)])
async def test_a_clock_that_cannot_be_moved_says_so(clock: RealClock | DrivenClock, status: int) -> None:
    import aiohttp  # noqa: PLC0415

    async with Twin(clock=clock) as twin, aiohttp.ClientSession() as session:
        ControlApi(twin)
        async with session.post(f"{twin.base_url}/control/clock", json={"advance": 5}) as response:
            assert response.status == status

"""A program in any language waits for a bot and reads what it did."""

from __future__ import annotations

import asyncio

from discord_twin import FaultKind
from twin.api import Api
from twin.control.client import Control


async def test_messages_are_waited_for_and_taken_once(control: Control) -> None:
    api = Api(control.twin, control.session)
    waiting = asyncio.create_task(control.post("next-message"))
    await api.send("first")
    await api.send("second")
    assert (await waiting)["content"] == "first"
    assert (await control.post("next-message"))["content"] == "second"
    status, why = await control.refused("next-message", timeout=0.05)
    assert status == 504
    assert "a message in #general never came" in why
    found = await control.post("wait", **{"for": "message", "contains": "sec"})
    assert found["content"] == "second"
    later = {"for": "message", "after_message": found["id"], "timeout": 0.05}
    assert (await control.refused("wait", **later))[0] == 504


async def test_requests_say_why_they_were_refused(control: Control) -> None:
    api = Api(control.twin, control.session)
    control.twin.inject_fault(FaultKind.STATUS, status=503)
    await api.send("x" * 2001)
    await api.send("fine")
    requests = (await control.get("requests", route="messages.create"))["requests"]
    # A block comes before the body is looked at.
    assert [(one["status"], one["faults"]) for one in requests] == [(503, ["STATUS"]), (200, [])]
    await api.send("x" * 2001)
    refused = await control.post("wait", **{"for": "request", "status": 400, "after": requests[-1]["number"]})
    assert "BASE_TYPE_MAX_LENGTH" in refused["requests"][0]["why"]
    assert (await control.get("requests", limit=1))["requests"][0]["status"] == 400


async def test_a_route_that_does_not_exist_is_not_waited_for(control: Control) -> None:
    status, why = await control.refused("wait", **{"for": "request", "route": "messages.fly"})
    assert (status, "is none of" in why) == (400, True)


async def test_commands_are_waited_for_by_name(control: Control) -> None:
    assert (await control.refused("wait", **{"for": "commands", "timeout": 0.05}))[0] == 504
    control.twin.bot.commands[1] = {"id": "1", "name": "help", "type": 1, "description": "Help"}
    assert (await control.post("wait", **{"for": "commands", "name": "help"}))["commands"] == ["help"]
    assert (await control.refused("wait", **{"for": "commands", "name": "x", "timeout": 0.05}))[0] == 504


async def test_secrets_in_addresses_are_not_shown(control: Control) -> None:
    api = Api(control.twin, control.session)
    path = await api.hook()
    await api.post(path, {"content": "as luna"})
    shown = [one["path"] for one in (await control.get("requests"))["requests"]]
    assert [one for one in shown if path.rpartition("/")[2] in one] == []


async def test_the_history_of_a_message_has_its_requests_and_events(control: Control) -> None:
    from discord_twin.discord_py import make_client, running  # noqa: PLC0415

    async with running(control.twin, make_client()) as bot:
        channel = bot.get_partial_messageable(control.twin.channel.id)
        sent = await channel.send("one")
        await sent.edit(content="two")
        await sent.add_reaction("👍")
        await sent.delete()
        history = await control.get(f"messages/{sent.id}/history")
    routes = [one["route"] for one in history["requests"]]
    assert routes == ["messages.create", "messages.edit", "reactions.add", "messages.delete"]
    assert [one["name"] for one in history["events"]] == [
        "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_REACTION_ADD", "MESSAGE_DELETE",
    ]  # fmt: skip


async def test_quiet_means_that_no_request_comes(control: Control) -> None:
    api = Api(control.twin, control.session)

    async def chatter() -> None:
        while True:
            await api.send("again")
            await asyncio.sleep(0.01)

    talking = asyncio.create_task(chatter())
    status, _ = await control.refused("wait", **{"for": "quiet", "seconds": 0.2, "timeout": 0.4})
    assert status == 504
    talking.cancel()
    assert await control.post("wait", **{"for": "quiet", "seconds": 0.1})


async def test_pings_and_events_are_listed(control: Control) -> None:
    api = Api(control.twin, control.session)
    await api.send(f"<@{control.twin.user.id}>")
    (ping,) = (await control.get("pings"))["pings"]
    assert ping["user_ids"] == [str(control.twin.user.id)]
    assert (await control.get("events"))["events"] == []
    assert (await control.refused("wait", **{"for": "event", "name": "READY", "timeout": 0.05}))[0] == 504

"""Faults, the gateway and outages, set from any language."""

from __future__ import annotations

import asyncio

import pytest

from discord_twin.discord_py import make_client, running
from twin.api import Api
from twin.control.client import Control


async def test_a_fault_hits_the_request_that_it_names(control: Control) -> None:
    api = Api(control.twin, control.session)
    fault = await control.post(
        "faults", kind="STATUS", status=503, routes=["messages.create"], after=1, times=2
    )
    assert (fault["after"], fault["times"]) == (1, 2)
    assert [(await api.send("x")).status for _ in range(4)] == [200, 503, 503, 200]
    listed = await control.get("faults")
    assert (listed["pending"], listed["fired"]) == ([], {"STATUS": 2})
    assert "GATEWAY_DROP" in listed["kinds"]


async def test_a_permission_is_revoked_and_faults_are_forgotten(control: Control) -> None:
    api = Api(control.twin, control.session)
    await control.post("faults", kind="PERM_REVOKE", permission="SEND_MESSAGES")
    assert (await api.send("x")).outcome == (403, 50013)
    await control.post("faults", kind="RATE_GLOBAL", seconds=9)
    await control.ask("DELETE", "faults")
    assert control.twin.faults.pending == []


async def test_the_gateway_is_dropped_and_the_bot_resumes(control: Control) -> None:
    async with running(control.twin, make_client()):
        assert (await control.post("gateway", do="drop"))["connections"] == 1
        await control.twin.until(lambda: control.twin.gateway.resumes, 10)


async def test_an_outage_ends_by_itself(control: Control) -> None:
    await control.post("clock", speed=100)
    with pytest.raises((OSError, ConnectionError)):
        await control.post("outage", seconds=60)
        while True:
            await control.get("")
            await asyncio.sleep(0.01)
    await control.twin.until(lambda: control.twin.is_listening)
    assert (await control.get(""))["connected"] == 0


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "the field kind is missing"),
        ({"kind": "FIRE"}, "is none of"),
        ({"kind": "STATUS", "routes": ["messages.fly"]}, "is none of"),
        ({"kind": "STATUS", "status": 99}, "not between"),
        ({"kind": "STATUS", "status": 4000}, "not between 100 and 599"),
        ({"kind": "STATUS", "times": 0}, "not between"),
        ({"kind": "STATUS", "channel": "x"}, "there is no channel"),
    ],
)
async def test_a_fault_that_makes_no_sense_is_refused(
    control: Control, body: dict[str, object], why: str
) -> None:
    status, said = await control.refused("faults", **body)
    assert status in {400, 404}
    assert why in said
    assert control.twin.faults.pending == []

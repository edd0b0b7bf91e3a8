from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from delivery.stage import on_stage
from discord_twin import FaultKind
from streamcord.discord import check_responses
from virtual_time import timeless

A_YEAR_S = 31_536_000.0


@timeless
async def test_webhook_that_is_told_to_wait_for_a_year_can_be_used_again() -> None:
    async with on_stage() as stage:
        check_responses(stage.client)
        place: Any = stage.client.get_channel(stage.twin.channel.id)
        webhook = await place.create_webhook(name="streamcord")
        sent = await webhook.send("hello", wait=True)
        for kind, seconds in ((FaultKind.RATE_USER, A_YEAR_S), (FaultKind.RATE_GLOBAL, A_YEAR_S)):
            stage.twin.inject_fault(kind, "webhooks.message", seconds=seconds)
            with pytest.raises(TimeoutError):
                await webhook.edit_message(sent.id, content="changed")
            assert (await webhook.edit_message(sent.id, content=kind.value)).content == kind.value


@pytest.mark.parametrize("request_", ["send", "edit", "fetch"])
@pytest.mark.parametrize("body", ["null", "[]", "{}", "<html>Welcome</html>", '{"id": "12'])
def test_success_of_a_webhook_that_is_not_discords_is_an_error_of_the_connection(
    body: str, request_: str
) -> None:
    routes = {"send": "execute", "edit": "message", "fetch": "message"}

    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            check_responses(stage.client)
            place: Any = stage.client.get_channel(stage.twin.channel.id)
            webhook = await place.create_webhook(name="streamcord")
            message = await webhook.send("hello", wait=True)

            async def act() -> object:
                match request_:
                    case "send":
                        return await webhook.send("again", wait=True)
                    case "edit":
                        return await message.edit(content="changed")
                    case _:
                        return await webhook.fetch_message(message.id)

            stage.twin.inject_fault(FaultKind.FAKE_SUCCESS, f"webhooks.{routes[request_]}", body=body)
            with pytest.raises(aiohttp.ClientPayloadError):
                await act()
            # What comes next is read as always.
            assert await act()

    scenario()

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from delivery.stage import on_stage
from discord_twin import FaultKind
from streamcord.discord import check_responses
from virtual_time import timeless

BODIES = ["", "null", "[]", "{}", "<html>Welcome</html>", '{"message": "x", "code": 0}', '{"id": "12']


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("request_", ["send", "edit", "fetch", "history"])
def test_success_that_is_not_discords_is_an_error_of_the_connection(body: str, request_: str) -> None:
    routes = {"send": "create", "edit": "edit", "fetch": "get", "history": "list"}

    @timeless
    async def scenario() -> None:
        async with on_stage() as stage:
            check_responses(stage.client)
            # A second call changes nothing.
            check_responses(stage.client)
            place: Any = stage.client.get_channel(stage.twin.channel.id)
            message = await place.send("hello")

            async def act() -> object:
                match request_:
                    case "send":
                        return await place.send("again")
                    case "edit":
                        return await message.edit(content="changed")
                    case "fetch":
                        return await place.fetch_message(message.id)
                    case _:
                        return [one async for one in place.history(limit=5)]

            stage.twin.inject_fault(FaultKind.FAKE_SUCCESS, f"messages.{routes[request_]}", body=body)
            if request_ == "history" and body == "[]":
                assert await act() == []
            else:
                with pytest.raises(aiohttp.ClientPayloadError):
                    await act()
            # What comes next is read as always.
            assert await act()

    scenario()


@timeless
async def test_answers_without_a_body_are_successes() -> None:
    async with on_stage() as stage:
        check_responses(stage.client)
        place: Any = stage.client.get_channel(stage.twin.channel.id)
        message = await place.send("hello")
        await place.typing()
        await message.add_reaction("👍")
        await message.delete()

        assert message.id not in stage.twin.channel.messages

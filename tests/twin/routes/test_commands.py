from __future__ import annotations

import pytest

from discord_twin import Twin
from twin.api import Api

ASK = {"name": "ask", "description": "d"}


def path(twin: Twin, scope: str) -> str:
    guild = f"/guilds/{twin.guild.id}" if scope == "guild" else ""
    return f"/applications/{twin.bot.id}{guild}/commands"


@pytest.mark.parametrize("scope", ["global", "guild"])
async def test_a_command_is_made_read_changed_and_removed(twin: Twin, api: Api, scope: str) -> None:
    base = path(twin, scope)
    made = await api.post(base, ASK)
    one = f"{base}/{made.json['id']}"

    assert made.status == 201
    assert ("guild_id" in made.json) == (scope == "guild")
    assert (await api.post(base, ASK)).status == 200
    assert (await api.get(one)).json["name"] == "ask"
    assert (await api.patch(one, {"description": "new"})).json["description"] == "new"
    assert len((await api.get(base)).json) == 1
    assert (await api.delete(one)).status == 204
    assert (await api.get(one)).outcome == (404, 10063)


async def test_commands_of_a_guild_and_of_everybody_are_apart(twin: Twin, api: Api) -> None:
    await api.post(path(twin, "guild"), ASK)

    assert (await api.get(path(twin, "global"))).json == []


@pytest.mark.parametrize("body", [{}, [*[ASK] * 101], [{"name": "a b", "description": "d"}], [{"name": "a"}]])
async def test_a_wrong_sync_is_refused(twin: Twin, api: Api, body: object) -> None:
    assert (await api.put(path(twin, "global"), body)).outcome == (400, 50035)


async def test_a_context_menu_may_have_any_name(twin: Twin, api: Api) -> None:
    made = await api.post(path(twin, "global"), {"name": "Show Source", "type": 3})

    assert made.status == 201


async def test_a_bot_cannot_change_commands_of_other_applications(twin: Twin, api: Api) -> None:
    assert (await api.get("/applications/123/commands")).status == 403
    assert (await api.get(f"/applications/{twin.bot.id}/guilds/1/commands")).outcome == (403, 50001)

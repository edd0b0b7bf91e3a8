from __future__ import annotations

import pytest

from discord_twin import Permission, Twin
from twin.api import Api


async def test_the_bot_sees_itself(twin: Twin, api: Api) -> None:
    assert (await api.get("/users/@me")).json["username"] == "streamcord"
    assert (await api.patch("/users/@me", {"username": "other"})).json["username"] == "other"
    for path in ("/applications/@me", "/oauth2/applications/@me"):
        assert (await api.get(path)).json["id"] == str(twin.bot.id)
    assert [one["name"] for one in (await api.get("/users/@me/guilds")).json] == ["Twin"]


async def test_others_are_seen_by_id(twin: Twin, api: Api) -> None:
    assert (await api.get(f"/users/{twin.user.id}")).json["username"] == "alice"
    assert (await api.get("/users/1")).outcome == (404, 10013)


async def test_a_direct_channel_opens_and_stays(twin: Twin, api: Api) -> None:
    body = {"recipient_id": str(twin.user.id)}
    first = await api.post("/users/@me/channels", body)

    assert first.json["id"] == (await api.post("/users/@me/channels", body)).json["id"] == str(twin.dm().id)
    assert (await api.post("/users/@me/channels", {"recipient_id": "1"})).outcome == (400, 50033)


async def test_permissions_and_intents_are_reported(twin: Twin, api: Api) -> None:
    (guild,) = (await api.get("/users/@me/guilds")).json
    assert int(guild["permissions"]) & Permission.MANAGE_WEBHOOKS
    assert (await api.get("/applications/@me")).json["flags"] == 1 << 19

    for role in twin.guild.roles.values():
        role.permissions = Permission.VIEW_CHANNEL
    twin.configure(message_content_intent=False)

    (guild,) = (await api.get("/users/@me/guilds")).json
    assert int(guild["permissions"]) == Permission.VIEW_CHANNEL
    assert (await api.get("/applications/@me")).json["flags"] == 0


@pytest.mark.parametrize(
    "path",
    [
        "/soundboard-default-sounds",
        "/sticker-packs",
        "/voice/regions",
        "/guilds/{guild}/regions",
        "/guilds/{guild}/soundboard-sounds",
        "/guilds/{guild}/integrations",
        "/guilds/{guild}/scheduled-events",
        "/guilds/{guild}/auto-moderation/rules",
        "/applications/{bot}/entitlements",
        "/applications/{bot}/skus",
        "/applications/{bot}/role-connections/metadata",
    ],
)
async def test_what_clients_ask_for_while_they_start_is_there(twin: Twin, api: Api, path: str) -> None:
    answer = await api.get(path.format(guild=twin.guild.id, bot=twin.bot.id))

    assert answer.status == 200
    assert isinstance(answer.json, list | dict)


async def test_a_bot_cannot_list_skus_of_other_applications(api: Api) -> None:
    assert (await api.get("/applications/1/entitlements")).outcome == (403, 50001)
    assert (await api.get("/guilds/1/integrations")).outcome == (404, 10004)

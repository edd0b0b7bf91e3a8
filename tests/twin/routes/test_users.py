from __future__ import annotations

from streamcord.twin import Twin
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
    assert (await api.post("/users/@me/channels", {"recipient_id": "1"})).outcome == (404, 10013)

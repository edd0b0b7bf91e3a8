from __future__ import annotations

from streamcord.twin import Twin
from twin.api import Api


async def test_a_guild_is_read_with_all_in_it(twin: Twin, api: Api) -> None:
    base = f"/guilds/{twin.guild.id}"
    twin.add_thread("talk")

    assert (await api.get(base)).json["approximate_member_count"] == 2
    assert [one["name"] for one in (await api.get(f"{base}/channels")).json] == ["general"]
    assert [one["name"] for one in (await api.get(f"{base}/roles")).json] == ["@everyone", "streamcord"]
    assert len((await api.get(f"{base}/members?limit=10")).json) == 2
    assert (await api.get(f"{base}/members/{twin.user.id}")).json["user"]["username"] == "alice"
    assert (await api.get(f"{base}/members/1")).outcome == (404, 10007)


async def test_the_bot_may_have_a_nickname(twin: Twin, api: Api) -> None:
    assert (await api.patch(f"/guilds/{twin.guild.id}/members/@me", {"nick": "Luna"})).json["nick"] == "Luna"


async def test_a_guild_of_others_is_closed(twin: Twin, api: Api) -> None:
    other = twin.state.add_guild("other", twin.user)

    assert (await api.get(f"/guilds/{other.id}")).outcome == (403, 50001)

from __future__ import annotations

from discord_twin import Permission, Twin
from twin.api import Api
from twin.routes.test_members import promote
from twin.wire import open_wire


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


async def test_an_invite_is_made_seen_and_taken_away(twin: Twin, api: Api) -> None:
    promote(twin, Permission.MANAGE_CHANNELS | Permission.MANAGE_GUILD)
    path = f"/channels/{twin.channel.id}/invites"
    async with open_wire(api) as wire:
        await wire.identify()
        made = (await api.post(path, {"max_age": 60, "max_uses": 1})).json
        assert (await wire.event("INVITE_CREATE"))["code"] == made["code"]
        assert (made["channel"]["name"], made["max_age"], made["guild"]["name"]) == ("general", 60, "Twin")
        for listed in (path, f"/guilds/{twin.guild.id}/invites"):
            assert [one["code"] for one in (await api.get(listed)).json] == [made["code"]]
        assert (await api.get(f"/invites/{made['code']}")).json["inviter"]["id"] == str(twin.bot.id)
        assert (await api.delete(f"/invites/{made['code']}")).status == 200
        await wire.event("INVITE_DELETE")
    assert (await api.get(f"/invites/{made['code']}")).outcome == (404, 10006)


async def test_a_wrong_invite_is_refused(twin: Twin, api: Api) -> None:
    path = f"/channels/{twin.channel.id}/invites"

    assert (await api.post(path, {"max_age": 604_801})).outcome == (400, 50035)
    assert (await api.get(path)).outcome == (403, 50013)
    assert (await api.post(f"/channels/{twin.dm().id}/invites", {})).outcome == (400, 50024)

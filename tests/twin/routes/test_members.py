from __future__ import annotations

import pytest

from discord_twin import Permission, Twin, User
from twin.api import Api
from twin.wire import open_wire


def promote(twin: Twin, permission: Permission = Permission.ADMINISTRATOR) -> None:
    """Give the bot's own role a permission."""
    role = twin.guild.roles[twin.guild.members[twin.bot.user.id].role_ids[0]]
    role.permissions |= permission
    role.position = 50


@pytest.fixture
def mallory(twin: Twin) -> User:
    return twin.add_user("mallory")


async def test_members_are_found_by_the_beginning_of_their_names(twin: Twin, api: Api, mallory: User) -> None:
    twin.guild.members[mallory.id].nick = "Evil"
    base = f"/guilds/{twin.guild.id}/members"

    for query in ("MAL", "evi"):
        found = (await api.get(f"{base}/search?query={query}&limit=5")).json
        assert [one["user"]["id"] for one in found] == [str(mallory.id)]
    assert (await api.get(f"{base}/search")).outcome == (400, 50035)
    assert len((await api.get(f"{base}?limit=1000")).json) == 3
    assert (await api.get(f"{base}/{mallory.id}")).json["nick"] == "Evil"
    assert (await api.get(f"{base}/12345")).outcome == (404, 10007)


async def test_a_member_is_changed_by_those_who_may(twin: Twin, api: Api, mallory: User) -> None:
    path, role = f"/guilds/{twin.guild.id}/members/{mallory.id}", twin.state.add_role(twin.guild, "r")
    for body in ({"nick": "x"}, {"roles": [str(role.id)]}, {"communication_disabled_until": None}):
        assert (await api.patch(path, body)).outcome == (403, 50013)
    promote(twin)
    until = "2030-01-01T00:00:00+00:00"
    changed = await api.patch(
        path, {"nick": "m", "roles": [str(role.id)], "communication_disabled_until": until, "mute": True}
    )
    assert (changed.json["nick"], changed.json["roles"], changed.json["mute"]) == ("m", [str(role.id)], True)
    assert twin.guild.members[mallory.id].timed_out_until > 1e9
    assert (await api.patch(path, {"nick": "x" * 33})).outcome == (400, 50035)
    assert (await api.patch(path, {"roles": ["123"]})).outcome == (404, 10011)


async def test_a_bot_cannot_change_members_above_it(twin: Twin, api: Api, mallory: User) -> None:
    high = twin.state.add_role(twin.guild, "high")
    high.position = 99
    promote(twin)
    twin.guild.members[mallory.id].role_ids.append(high.id)

    assert (await api.delete(f"/guilds/{twin.guild.id}/members/{mallory.id}")).outcome == (403, 50013)
    assert (await api.put(f"/guilds/{twin.guild.id}/bans/{twin.user.id}")).outcome == (403, 50013)
    path = f"/guilds/{twin.guild.id}/members/{mallory.id}/roles/{high.id}"
    assert (await api.delete(path)).outcome == (403, 50013)


async def test_roles_are_given_and_taken(twin: Twin, api: Api, mallory: User) -> None:
    promote(twin)
    role = twin.state.add_role(twin.guild, "r")
    path = f"/guilds/{twin.guild.id}/members/{mallory.id}/roles/{role.id}"
    async with open_wire(api) as wire:
        await wire.identify()
        assert (await api.put(path)).status == 204
        assert (await wire.event("GUILD_MEMBER_UPDATE"))["roles"] == [str(role.id)]
    assert (await api.delete(path)).status == 204
    assert twin.guild.members[mallory.id].role_ids == []


async def test_kicks_and_bans_are_dispatched_and_in_the_audit_log(
    twin: Twin, api: Api, mallory: User
) -> None:
    promote(twin)
    base = f"/guilds/{twin.guild.id}"
    async with open_wire(api) as wire:
        await wire.identify()
        reason = {"X-Audit-Log-Reason": "spam%20again"}
        assert (await api.delete(f"{base}/members/{mallory.id}", headers=reason)).status == 204
        assert (await wire.event("GUILD_MEMBER_REMOVE"))["user"]["id"] == str(mallory.id)
        assert (await api.put(f"{base}/bans/{mallory.id}", {}, headers=reason)).status == 204
        await wire.event("GUILD_BAN_ADD")
    (ban,) = (await api.get(f"{base}/bans")).json
    assert (ban["reason"], ban["user"]["username"]) == ("spam again", "mallory")
    assert (await api.get(f"{base}/bans/{mallory.id}")).json == ban
    assert (await api.delete(f"{base}/bans/{mallory.id}")).status == 204
    assert (await api.delete(f"{base}/bans/{mallory.id}")).outcome == (404, 10026)
    log = (await api.get(f"{base}/audit-logs")).json
    assert [(one["action_type"], one.get("reason")) for one in log["audit_log_entries"]] == [
        (23, None), (22, "spam again"), (20, "spam again"),
    ]  # fmt: skip


async def test_a_ban_deletes_messages_of_at_most_a_week(twin: Twin, api: Api, mallory: User) -> None:
    promote(twin)
    path = f"/guilds/{twin.guild.id}/bans/{mallory.id}"

    assert (await api.put(path, {"delete_message_seconds": 604_801})).outcome == (400, 50035)


async def test_the_bot_has_a_name_of_its_own_here(twin: Twin, api: Api) -> None:
    base = f"/guilds/{twin.guild.id}/members/@me"

    assert (await api.patch(base + "/nick", {"nick": "Luna"})).json == {"nick": "Luna"}
    assert (await api.patch(base, {"bio": "cat"})).json["bio"] == "cat"
    broken = await api.patch(base, {"avatar": "data:image/png;base64,broken!"})
    assert broken.errors["avatar"]["_errors"][0]["code"] == "AVATAR_RATE_LIMIT"

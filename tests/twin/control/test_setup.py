"""A program in any language prepares guilds, channels, roles, users and bots."""

from __future__ import annotations

import pytest

from discord_twin import Permission
from discord_twin.discord_py import make_client, running
from twin.control.client import Control


async def test_a_guild_and_what_is_in_it_reaches_a_connected_bot(control: Control) -> None:
    async with running(control.twin, make_client()) as bot:
        made = await control.post("guilds", name="Second", channels=["talk", "logs"])
        guild = await control.twin.until(lambda: bot.get_guild(int(made["id"])))
        assert [one.name for one in guild.text_channels] == ["talk", "logs"]

        await control.post("channels", guild="Second", name="news", topic="all of it", type="announcement")
        news = await control.twin.until(
            lambda: next((one for one in guild.channels if one.name == "news"), None)
        )
        await control.twin.until(lambda: getattr(news, "topic", "") == "all of it")

        await control.post("roles", guild="Second", name="helpers", permissions=["MANAGE_MESSAGES"])
        role = await control.twin.until(
            lambda: next((one for one in guild.roles if one.name == "helpers"), None)
        )
        assert role.permissions.manage_messages

        await control.ask("DELETE", f"guilds/{made['id']}")
        await control.twin.until(lambda: bot.get_guild(int(made["id"])) is None)


async def test_a_bot_hears_nothing_of_guilds_that_it_is_not_in(control: Control) -> None:
    async with running(control.twin, make_client()) as bot:
        await control.post("guilds", name="Elsewhere", bots=[])
        await control.post("say", text="marker")
        await control.twin.until(lambda: [one for one in control.twin.log.events if "marker" in one.payload])
        assert len(bot.guilds) == 1
        assert not [one for one in control.twin.log.events if "Elsewhere" in one.payload]


async def test_users_join_once_and_get_roles(control: Control) -> None:
    await control.post("roles", name="helpers")
    first = await control.post("users", name="bob", roles=["helpers"])
    again = await control.post("users", name="bob")
    assert first["id"] == again["id"]
    assert len(control.twin.guild.members[int(first["id"])].role_ids) == 1


async def test_a_second_bot_has_a_token_of_its_own(control: Control) -> None:
    made = await control.post("bots", name="other")
    headers = {"Authorization": f"Bot {made['token']}"}
    async with control.session.get(f"{control.twin.api_url}/users/@me", headers=headers) as response:
        assert (await response.json())["username"] == "other"
    assert await control.refused("bots", name="other") == (409, "there is a bot 'other' already")


async def test_permissions_of_bots_users_and_roles(control: Control) -> None:
    twin = control.twin
    await control.post("permissions", deny=["SEND_MESSAGES"])
    assert not twin.state.permissions(twin.bot.user, twin.channel) & Permission.SEND_MESSAGES
    await control.post("users", name="bob")
    await control.post("permissions", role="@everyone", deny=["ADD_REACTIONS"])
    bob = next(one for one in twin.state.users.values() if one.name == "bob")
    assert not twin.state.permissions(bob, twin.channel) & Permission.ADD_REACTIONS
    await control.post("permissions", user="bob", allow=["ADD_REACTIONS"])
    assert twin.state.permissions(bob, twin.channel) & Permission.ADD_REACTIONS


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        ("guilds", {}, (400, "body: the field name is missing")),
        ("guilds", {"name": "  "}, (400, "a name has 1 to 100 characters")),
        ("guilds", {"name": "x", "colour": 1}, (400, "body: there is no field 'colour', but")),
        ("channels", {"name": 7}, (400, "body.name: expected a text, not 7")),
        ("channels", {"name": "x", "type": "dm"}, (400, "body.type: 'dm' is none of text")),
        ("channels", {"name": "x", "guild": "none"}, (404, "there is no guild 'none'")),
        ("roles", {"name": "x", "permissions": ["FLY"]}, (400, "is none of")),
        ("permissions", {"user": "ghost"}, (404, "there is no user 'ghost'")),
    ],
)  # fmt: skip
async def test_what_cannot_be_made_is_refused_with_a_reason(
    control: Control, path: str, body: dict[str, object], why: tuple[int, str]
) -> None:
    status, said = await control.refused(path, **body)
    assert status == why[0]
    assert why[1] in said

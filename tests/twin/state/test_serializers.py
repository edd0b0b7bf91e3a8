from __future__ import annotations

from discord_twin import ChannelType, Twin
from discord_twin.state import serializers as shapes


def test_a_time_is_written_as_discord_writes_it() -> None:
    assert shapes.timestamp(1_700_000_000.25) == "2023-11-14T22:13:20.250000+00:00"


async def test_ids_are_strings() -> None:
    twin = Twin()
    twin.state.add_emoji(twin.guild, "wave")
    shape = shapes.serialize_guild_create(twin.state, twin.guild, twin.bot)

    def check(value: object, key: str = "") -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                check(inner, name)
        elif isinstance(value, list):
            for inner in value:
                check(inner, key)
        elif key == "id" or key.endswith("_id"):
            assert value is None or isinstance(value, str), key

    check(shape)
    assert shape["emojis"][0]["name"] == "wave"


async def test_an_archived_thread_is_not_among_the_active_ones() -> None:
    twin = Twin()
    open_thread, closed = twin.add_thread("open"), twin.add_thread("closed")
    twin.state.set_thread(closed, archived=True)
    shape = shapes.serialize_guild_create(twin.state, twin.guild, twin.bot)

    assert [one["id"] for one in shape["threads"]] == [str(open_thread.id)]
    assert shapes.serialize_channel(closed)["thread_metadata"]["archived"] is True


async def test_a_forum_and_a_direct_channel_have_their_own_fields() -> None:
    twin = Twin()

    assert shapes.serialize_channel(twin.add_channel("f", ChannelType.FORUM))["available_tags"] == []
    assert [one["username"] for one in shapes.serialize_channel(twin.dm())["recipients"]] == ["alice"]


async def test_overwrites_say_whether_they_are_for_a_member() -> None:
    twin = Twin()
    twin.state.overwrite(twin.channel, twin.user)
    twin.state.overwrite(twin.channel, twin.guild.roles[twin.guild.id])

    overwrites = shapes.serialize_channel(twin.channel)["permission_overwrites"]
    assert [one["type"] for one in overwrites] == [1, 0]


async def test_a_webhook_hides_its_token_where_it_must() -> None:
    twin = Twin()
    webhook = twin.state.add_webhook(twin.channel, "luna", twin.bot.user)

    assert "token" not in shapes.serialize_webhook(webhook, with_token=False)
    assert shapes.serialize_webhook(webhook)["application_id"] == str(twin.bot.id)

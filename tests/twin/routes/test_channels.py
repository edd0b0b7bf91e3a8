from __future__ import annotations

from discord_twin import ChannelType, Permission, Twin
from twin.api import Api
from twin.wire import open_wire


async def test_typing_is_dispatched_and_logged(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
        for channel in (twin.channel, twin.dm()):
            await api.post(f"/channels/{channel.id}/typing")
            assert (await wire.event("TYPING_START"))["user_id"] == str(twin.bot.user.id)
    assert [call.channel_id for call in twin.log.typing] == [twin.channel.id, twin.dm().id]


async def test_typing_in_an_archived_thread_is_refused(twin: Twin, api: Api) -> None:
    thread = twin.add_thread("talk")
    twin.state.set_thread(thread, archived=True)

    assert (await api.post(f"/channels/{thread.id}/typing")).outcome == (400, 50083)


async def test_a_channel_is_read_changed_and_deleted(twin: Twin, api: Api) -> None:
    path = f"/channels/{twin.channel.id}"
    assert (await api.get(path)).json["name"] == "general"
    assert (await api.patch(path, {"name": "x"})).outcome == (403, 50013)
    twin.state.overwrite(twin.channel, twin.bot.user, allow=Permission.MANAGE_CHANNELS)
    assert (await api.patch(path, {"name": "news", "topic": "t"})).json["topic"] == "t"
    assert (await api.patch(path, {"name": ""})).outcome == (400, 50035)
    assert (await api.delete(path)).json["name"] == "news"
    assert (await api.get(path)).outcome == (404, 10003)


async def test_a_direct_channel_is_only_closed(twin: Twin, api: Api) -> None:
    dm = twin.dm()
    assert (await api.delete(f"/channels/{dm.id}")).status == 200
    assert dm.id in twin.state.channels


async def test_a_thread_starts_at_a_message_once(twin: Twin, api: Api) -> None:
    made = (await api.send()).json["id"]
    path = f"/channels/{twin.channel.id}/messages/{made}/threads"

    assert (await api.post(path, {"name": "talk"})).json["id"] == made
    assert (await api.post(path, {"name": "talk"})).outcome == (400, 160004)


async def test_a_thread_of_its_own_is_joined_left_and_archived(twin: Twin, api: Api) -> None:
    made = await api.post(f"/channels/{twin.channel.id}/threads", {"name": "talk"})
    thread = twin.state.channels[int(made.json["id"])]
    path = f"/channels/{thread.id}"
    assert made.status == 201
    assert (await api.delete(f"{path}/thread-members/@me")).status == 204
    assert thread.member_ids == []
    await api.put(f"{path}/thread-members/@me")
    assert thread.member_ids == [twin.bot.user.id]
    active = (await api.get(f"/guilds/{twin.guild.id}/threads/active")).json
    assert [one["id"] for one in active["threads"]] == [str(thread.id)]
    assert (await api.patch(path, {"archived": True})).json["thread_metadata"]["archived"] is True
    assert (await api.get(f"/guilds/{twin.guild.id}/threads/active")).json["threads"] == []


async def test_a_forum_post_comes_with_its_first_message(twin: Twin, api: Api) -> None:
    forum = twin.add_channel("forum", ChannelType.FORUM)
    body = {"name": "post", "message": {"content": "first"}}
    made = (await api.post(f"/channels/{forum.id}/threads", body)).json

    assert made["message"]["content"] == "first"
    assert twin.state.channels[int(made["id"])].texts == ["first"]


async def test_only_threads_are_joined(twin: Twin, api: Api) -> None:
    assert (await api.put(f"/channels/{twin.channel.id}/thread-members/@me")).outcome == (400, 50024)

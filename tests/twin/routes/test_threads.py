from __future__ import annotations

import pytest

from discord_twin import ChannelType, Permission, Twin
from twin.api import Api
from twin.wire import open_wire


async def test_a_thread_at_a_message_is_marked_there(twin: Twin, api: Api) -> None:
    made = (await api.send("start")).json["id"]
    async with open_wire(api) as wire:
        await wire.identify()
        thread = (await api.post(f"/channels/{twin.channel.id}/messages/{made}/threads", {"name": "t"})).json
        assert (await wire.event("MESSAGE_UPDATE"))["flags"] & 1 << 5
        starter = await wire.event("MESSAGE_CREATE")
    assert (starter["type"], starter["message_reference"]["message_id"]) == (21, made)
    assert (thread["id"], thread["type"]) == (made, 11)
    assert twin.state.channels[int(made)].texts == []


async def test_a_thread_without_a_message_is_private_unless_it_says_so(twin: Twin, api: Api) -> None:
    path = f"/channels/{twin.channel.id}/threads"
    assert (await api.post(path, {"name": "hidden"})).json["type"] == 12
    assert list(twin.channel.messages) == []
    public = (await api.post(path, {"name": "open", "type": 11, "auto_archive_duration": 60})).json
    assert (public["type"], public["thread_metadata"]["auto_archive_duration"]) == (11, 60)
    (notice,) = twin.channel.messages.values()
    assert (notice.type, notice.content) == (18, "open")


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"name": "x" * 101}, {"auto_archive_duration": 7}, {"type": 0}, {"name": None}]
)
async def test_a_wrong_thread_is_refused(twin: Twin, api: Api, wrong: dict[str, object]) -> None:
    answer = await api.post(f"/channels/{twin.channel.id}/threads", {"name": "t", **wrong})

    assert answer.outcome == (400, 50035)
    assert list(answer.errors) == list(wrong)


async def test_a_post_of_a_forum_has_its_message_and_tags(twin: Twin, api: Api) -> None:
    forum = twin.add_channel("forum", ChannelType.FORUM)
    path = f"/channels/{forum.id}/threads"
    post = (await api.post(path, {"name": "p", "message": {"content": "hi"}, "applied_tags": ["5"]})).json
    assert (post["message"]["content"], post["applied_tags"], post["message"]["id"] != post["id"]) == (
        "hi", ["5"], True,
    )  # fmt: skip
    wrong = await api.post(path, {"name": "p", "message": {"content": "x" * 2001}})
    assert list(wrong.errors["message"]) == ["content"]
    assert (await api.post(path, {"name": "p"})).outcome == (400, 50035)


async def test_thread_members_joining_and_leaving_is_dispatched(twin: Twin, api: Api) -> None:
    thread, other = twin.add_thread("t"), twin.add_user("other")
    base = f"/channels/{thread.id}/thread-members"
    async with open_wire(api) as wire:
        await wire.identify()
        assert (await api.put(f"{base}/@me")).status == 204
        assert (await wire.event("THREAD_MEMBERS_UPDATE"))["added_members"][0]["user_id"] == str(twin.bot.id)
    await api.put(f"{base}/{other.id}")
    listed = {one["user_id"] for one in (await api.get(base)).json}
    assert listed == {str(twin.user.id), str(twin.bot.id), str(other.id)}
    assert (await api.get(f"{base}/{other.id}")).json["member"]["user"]["username"] == "other"
    assert (await api.delete(f"{base}/{other.id}")).outcome == (403, 50013)
    assert (await api.delete(f"{base}/@me")).status == 204
    assert (await api.get(f"{base}/@me")).outcome == (404, 10007)
    assert (await api.put(f"{base}/12345")).outcome == (404, 10013)
    assert (await api.get(f"/channels/{twin.channel.id}/thread-members")).outcome == (400, 50024)


async def test_archived_threads_are_listed_by_kind(twin: Twin, api: Api) -> None:
    open_one, old = twin.add_thread("open"), twin.add_thread("old")
    hidden = twin.state.add_thread(twin.channel, "hidden", twin.bot.user, type_=ChannelType.PRIVATE_THREAD)
    for thread in (old, hidden):
        twin.state.set_thread(thread, archived=True)
    base = f"/channels/{twin.channel.id}"

    assert [one["name"] for one in (await api.get(base + "/threads/archived/public")).json["threads"]] == [
        "old"
    ]
    assert (await api.get(base + "/threads/archived/private")).outcome == (403, 50013)
    mine = (await api.get(base + "/users/@me/threads/archived/private")).json
    assert [one["name"] for one in mine["threads"]] == ["hidden"]
    active = (await api.get(f"/guilds/{twin.guild.id}/threads/active")).json["threads"]
    assert [one["id"] for one in active] == [str(open_one.id)]


async def test_a_thousand_threads_are_enough(twin: Twin, api: Api) -> None:
    for number in range(1000):
        twin.add_thread(str(number))

    answer = await api.post(f"/channels/{twin.channel.id}/threads", {"name": "t", "type": 11})
    assert answer.outcome == (400, 160006)


async def test_voice_and_threads_hold_no_threads(twin: Twin, api: Api) -> None:
    voice, thread = twin.add_channel("voice", ChannelType.VOICE), twin.add_thread("t")
    twin.state.overwrite(twin.channel, twin.bot.user, deny=Permission.CREATE_PRIVATE_THREADS)
    for place in (voice, thread):
        assert (await api.post(f"/channels/{place.id}/threads", {"name": "t"})).outcome == (400, 50024)
    assert (await api.post(f"/channels/{twin.channel.id}/threads", {"name": "t"})).outcome == (403, 50013)

from __future__ import annotations

from discord_twin import ChannelType, Twin
from twin.api import Api


async def test_a_webhook_is_made_listed_changed_and_deleted(twin: Twin, api: Api) -> None:
    hook = await api.hook()
    plain = "/".join(hook.split("/")[:3])

    assert [one["name"] for one in (await api.get(f"/channels/{twin.channel.id}/webhooks")).json] == ["luna"]
    assert [one["name"] for one in (await api.get(f"/guilds/{twin.guild.id}/webhooks")).json] == ["luna"]
    assert (await api.patch(plain, {"name": "sol"})).json["name"] == "sol"
    assert (await api.get(plain)).json["user"]["username"] == "streamcord"
    assert (await api.delete(plain)).status == 204
    assert (await api.get(hook)).outcome == (404, 10015)


async def test_with_its_token_a_webhook_needs_no_bot(twin: Twin, api: Api) -> None:
    hook = await api.hook()
    api.token = None

    assert "user" not in (await api.get(hook)).json
    assert (await api.patch(hook, {"name": "sol", "avatar": None})).json["name"] == "sol"
    assert (await api.delete(hook)).status == 204


async def test_messages_of_a_webhook_are_read_edited_and_deleted_through_it(twin: Twin, api: Api) -> None:
    hook = await api.hook()
    made = (await api.post(hook + "?wait=true", {"content": "one", "username": "Luna"})).json
    path = f"{hook}/messages/{made['id']}"

    assert (await api.get(path)).json["author"]["username"] == "Luna"
    assert (await api.patch(path, {"content": "two"})).json["content"] == "two"
    assert (await api.delete(path)).status == 204
    assert (await api.get(path)).outcome == (404, 10008)


async def test_a_webhook_has_no_power_over_other_messages(twin: Twin, api: Api) -> None:
    made = (await api.send()).json["id"]

    assert (await api.get(f"{await api.hook()}/messages/{made}")).outcome == (404, 10008)


async def test_messages_in_threads_are_found_by_their_thread(twin: Twin, api: Api) -> None:
    thread, hook = twin.add_thread("talk"), await api.hook()
    made = (await api.post(f"{hook}?wait=true&thread_id={thread.id}", {"content": "one"})).json["id"]

    assert (await api.get(f"{hook}/messages/{made}")).outcome == (404, 10008)
    edited = await api.patch(f"{hook}/messages/{made}?thread_id={thread.id}", {"content": "two"})
    assert edited.json["content"] == "two"


async def test_a_locked_thread_is_closed_to_webhooks(twin: Twin, api: Api) -> None:
    thread, hook = twin.add_thread("talk"), await api.hook()
    twin.state.set_thread(thread, archived=True, locked=True)

    assert (await api.post(f"{hook}?thread_id={thread.id}", {"content": "x"})).outcome == (403, 160005)


async def test_an_avatar_that_is_no_picture_is_refused(twin: Twin, api: Api) -> None:
    path = f"/channels/{twin.channel.id}/webhooks"

    assert (await api.post(path, {"name": "luna", "avatar": "x"})).outcome == (400, 50035)


async def test_the_override_is_kept_with_the_message(twin: Twin, api: Api) -> None:
    body = {"content": "x", "username": "Luna", "avatar_url": "https://example.com/a.png"}
    await api.post(await api.hook("other"), body)
    (message,) = twin.channel.messages.values()

    assert (message.shown_name, message.draft.avatar_url) == ("Luna", "https://example.com/a.png")
    assert message.author.avatar


async def test_a_webhook_of_another_application_shows_no_token(twin: Twin, api: Api) -> None:
    other = twin.state.add_application("other", twin.user)
    twin.state.add_webhook(twin.channel, "luna", other.user)

    assert "token" not in (await api.get(f"/channels/{twin.channel.id}/webhooks")).json[0]


async def test_a_webhook_is_moved_to_a_channel_that_exists(twin: Twin, api: Api) -> None:
    plain = "/".join((await api.hook()).split("/")[:3])

    assert (await api.patch(plain, {"channel_id": "1"})).outcome == (404, 10003)


async def test_an_unknown_guild_has_no_webhooks(twin: Twin, api: Api) -> None:
    assert (await api.get("/guilds/1/webhooks")).outcome == (404, 10004)


async def test_a_long_thread_name_is_refused(twin: Twin, api: Api) -> None:
    hook = await api.hook(channel=twin.add_channel("forum", ChannelType.FORUM))
    assert (await api.post(hook, {"content": "x", "thread_name": "n" * 101})).outcome == (400, 50035)


async def test_a_direct_channel_has_no_list_of_webhooks(twin: Twin, api: Api) -> None:
    assert (await api.get(f"/channels/{twin.dm().id}/webhooks")).outcome == (400, 50024)


async def test_a_webhook_message_in_an_archived_thread_is_not_edited(twin: Twin, api: Api) -> None:
    thread, hook = twin.add_thread("talk"), await api.hook()
    made = (await api.post(f"{hook}?wait=true&thread_id={thread.id}", {"content": "one"})).json["id"]
    twin.state.set_thread(thread, archived=True)

    answer = await api.patch(f"{hook}/messages/{made}?thread_id={thread.id}", {"content": "two"})
    assert answer.outcome == (400, 50083)

"""Facts about error codes (§1.6), typing (§1.7) and permissions (§1.12)."""

from __future__ import annotations

from discord_twin import ChannelType, FaultKind, Permission
from twin.api import Api
from twin.facts.table import fact

CODES = "DD:topics/opcodes-and-status-codes.mdx"


def deny(api: Api, permission: Permission) -> None:
    api.twin.state.overwrite(api.twin.channel, api.twin.bot.user, deny=permission)


@fact("E-01", "a wrong bot token is 401", CODES)
async def wrong_token(api: Api) -> None:
    api.token = "wrong"
    assert (await api.send()).status == 401


@fact("E-02", "an unknown channel is 10003", CODES)
async def unknown_channel(api: Api) -> None:
    api.twin.state.delete_channel(api.twin.channel)
    assert (await api.send()).outcome == (404, 10003)


@fact("E-03", "an unknown guild is 10004", CODES)
async def unknown_guild(api: Api) -> None:
    assert (await api.get("/guilds/123")).outcome == (404, 10004)


@fact("E-04", "an unknown message is 10008", CODES)
async def unknown_message(api: Api) -> None:
    assert (await api.edit("123", content="x")).outcome == (404, 10008)


@fact("E-05", "a channel that the bot cannot see is 50001", CODES)
async def no_access(api: Api) -> None:
    deny(api, Permission.VIEW_CHANNEL)
    assert (await api.send()).outcome == (403, 50001)


@fact("E-06", "without Send Messages it is 50013", CODES)
async def no_permission(api: Api) -> None:
    deny(api, Permission.SEND_MESSAGES)
    assert (await api.send()).outcome == (403, 50013)


@fact("E-07", "files need Attach Files", CODES)
async def no_files(api: Api) -> None:
    deny(api, Permission.ATTACH_FILES)
    assert (await api.upload({"a.txt": b"x"})).outcome == (403, 50013)
    assert (await api.send()).status == 200


@fact("E-08", "a person who takes no direct messages: 50007", CODES)
async def closed_dm(api: Api) -> None:
    api.twin.user.accepts_dms = False
    assert (await api.send(channel=api.twin.dm())).outcome == (403, 50007)


@fact("E-09", "a forum takes no messages: 50008", CODES)
async def forum(api: Api) -> None:
    assert (await api.send(channel=api.twin.add_channel("f", ChannelType.FORUM))).outcome == (400, 50008)


@fact("E-10", "threads need Send Messages in Threads", "DD:topics/permissions.mdx:201")
async def thread_permission(api: Api) -> None:
    thread = api.twin.add_thread("talk")
    deny(api, Permission.SEND_MESSAGES)
    assert (await api.send(channel=thread)).status == 200
    deny(api, Permission.SEND_MESSAGES_IN_THREADS)
    assert (await api.send(channel=thread)).outcome == (403, 50013)


@fact("E-11", "writing opens an archived thread, a locked one is 160005", CODES)
async def archived(api: Api) -> None:
    thread = api.twin.add_thread("talk")
    api.twin.state.set_thread(thread, archived=True)
    assert (await api.send(channel=thread)).status == 200
    assert not thread.archived
    api.twin.state.set_thread(thread, archived=True, locked=True)
    assert (await api.send(channel=thread)).outcome == (403, 160005)


@fact("E-12", "editing in an archived thread is 50083", CODES)
async def archived_edit(api: Api) -> None:
    thread = api.twin.add_thread("talk")
    made = (await api.send(channel=thread)).json["id"]
    api.twin.state.set_thread(thread, archived=True)
    assert (await api.edit(made, channel=thread, content="x")).outcome == (400, 50083)


@fact("E-13", "deleting what others wrote needs Manage Messages", CODES)
async def foreign_delete(api: Api) -> None:
    said = api.twin.say(api.twin.channel, api.twin.user, "x")
    path = f"/channels/{api.twin.channel.id}/messages/{said.id}"
    deny(api, Permission.MANAGE_MESSAGES)
    assert (await api.delete(path)).outcome == (403, 50013)
    deny(api, Permission(0))
    assert (await api.delete(path)).status == 204


@fact("E-14", "a bot that is timed out may read, not write", "DD:topics/permissions.mdx:310")
async def timed_out(api: Api) -> None:
    api.twin.guild.members[api.twin.bot.user.id].timed_out_until = api.twin.clock.now() + 60
    assert (await api.send()).outcome == (403, 50013)
    assert (await api.get(f"/channels/{api.twin.channel.id}/messages")).status == 200


@fact("E-15", "overload is 130000 and nothing is created", CODES)
async def overloaded(api: Api) -> None:
    api.twin.inject_fault(FaultKind.ERROR_CODE, code=130000)
    assert (await api.send()).outcome == (503, 130000)
    assert api.twin.channel.texts == []


@fact("E-16", "write limits of a channel and a guild are 429 with 20028 and 20029", CODES)
async def write_limits(api: Api) -> None:
    for code in (20028, 20029):
        api.twin.inject_fault(FaultKind.ERROR_CODE, code=code)
        refused = await api.send()
        assert refused.outcome == (429, code)
        assert refused.json["retry_after"] > 0


@fact(
    "E-17", "an unknown route is 404 with code 0; a strict twin says 501", "DD:reference.mdx", switch="strict"
)
async def unknown_route(api: Api) -> None:
    assert (await api.get("/nothing/here")).outcome == (501, 0)
    api.twin.configure(strict=False)
    assert (await api.get("/nothing/here")).outcome == (404, 0)


@fact(
    "Y-01",
    "typing is 204 and lasts without a way to stop it",
    "DD:resources/channel.mdx:557",
    switch="typing_200_body",
)
async def typing(api: Api) -> None:
    path = f"/channels/{api.twin.channel.id}/typing"
    plain = await api.post(path)
    assert (plain.status, plain.body) == (204, b"")
    assert [call.channel_id for call in api.twin.log.typing] == [api.twin.channel.id]
    api.twin.configure(typing_200_body=True)
    assert (await api.post(path)).json["message_send_cooldown_ms"] == 0


@fact("Y-02", "typing needs Send Messages", "DD:resources/channel.mdx:557")
async def typing_permission(api: Api) -> None:
    deny(api, Permission.SEND_MESSAGES)
    assert (await api.post(f"/channels/{api.twin.channel.id}/typing")).outcome == (403, 50013)
    assert api.twin.log.typing == []


@fact(
    "E-30",
    "pinning needs Pin Messages; until 2026-02-23 it was Manage Messages",
    "DD:change-log, Permission split",
    switch="pin_permission",
)
async def pin_permission(api: Api) -> None:
    path = f"/channels/{api.twin.channel.id}/messages/pins/{(await api.send()).json['id']}"
    deny(api, Permission.PIN_MESSAGES)
    assert (await api.put(path)).outcome == (403, 50013)
    api.twin.configure(pin_permission="manage_messages")
    assert (await api.put(path)).status == 204


@fact(
    "E-34",
    "a channel has 250 pins at most; until 2026-06-24 it was 50",
    "DD:change-log, 250 pins",
    switch="max_pins",
)
async def max_pins(api: Api) -> None:
    api.twin.configure(max_pins=1)
    pins = f"/channels/{api.twin.channel.id}/messages/pins"
    first, second = [(await api.send()).json["id"] for _ in range(2)]
    assert (await api.put(f"{pins}/{first}")).status == 204
    refused = await api.put(f"{pins}/{second}")
    assert refused.outcome == (400, 30003)
    assert "(1)" in refused.json["message"]
    api.twin.configure(max_pins=250)
    assert (await api.put(f"{pins}/{second}")).status == 204


@fact(
    "E-31",
    "what a bot may not read it cannot forward, since 2026-04-14",
    "DD:change-log, Forwarding",
    switch="forward_needs_content",
)
async def forward_content(api: Api) -> None:
    twin = api.twin
    twin.configure(message_content_intent=False)
    message = twin.say(twin.channel, twin.user, "for people only")
    forward = {"type": 1, "channel_id": str(twin.channel.id), "message_id": str(message.id)}
    assert (await api.send(None, message_reference=forward)).code == 160014
    twin.configure(forward_needs_content=False)
    assert (await api.send(None, message_reference=forward)).status == 200


@fact(
    "E-32",
    "an application has at most 15 commands in a menu, until 2026-03-03 5",
    "DD:interactions/application-commands.mdx, Registering a Command",
    switch="max_menu_commands",
)
async def menu_commands(api: Api) -> None:
    path = f"/applications/{api.twin.bot.id}/commands"
    commands = [{"name": f"Menu {number}", "type": 3} for number in range(16)]
    assert (await api.put(path, commands)).code == 30032
    assert (await api.put(path, commands[:15])).status == 200
    api.twin.configure(max_menu_commands=5)
    assert (await api.put(path, commands[:6])).code == 30032

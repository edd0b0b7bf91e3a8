from __future__ import annotations

from discord_twin import Permission, Twin
from twin.api import Api


async def test_an_edit_keeps_what_it_does_not_name(twin: Twin, api: Api) -> None:
    made = await api.upload({"a.txt": b"x"}, content="text", embeds=[{"title": "t"}])
    edited = (await api.edit(made.json["id"], content="new")).json

    assert (edited["content"], edited["embeds"][0]["title"]) == ("new", "t")
    assert edited["attachments"] == made.json["attachments"]
    assert edited["edited_timestamp"]


async def test_an_edit_keeps_only_the_files_that_it_names(twin: Twin, api: Api) -> None:
    made = await api.upload({"a.txt": b"a", "b.txt": b"b"}, content="x")
    second = made.json["attachments"][1]
    edited = (await api.edit(made.json["id"], attachments=[{"id": second["id"]}])).json

    assert edited["attachments"] == [second]


async def test_a_file_may_be_named_by_its_description(twin: Twin, api: Api) -> None:
    made = await api.upload({"raw": b"x"}, attachments=[{"id": 0, "filename": "../nice name.txt"}])

    assert made.json["attachments"][0]["filename"] == "nice_name.txt"
    assert made.json["attachments"][0]["content_type"] == "text/plain"


async def test_an_attachment_has_the_size_of_its_picture(twin: Twin, api: Api) -> None:
    made = await api.upload({"a.gif": b"GIF89a\x03\x00\x05\x00"})

    assert (made.json["attachments"][0]["width"], made.json["attachments"][0]["height"]) == (3, 5)


async def test_a_ping_names_everybody_who_sees_the_channel(twin: Twin, api: Api) -> None:
    bob = twin.add_user("bob")
    twin.state.overwrite(twin.channel, bob, deny=Permission.VIEW_CHANNEL)
    await api.send("@everyone")
    (ping,) = twin.log.pings

    assert (ping.kind, ping.target_id, ping.user_ids) == (
        "everyone",
        twin.guild.id,
        frozenset({twin.user.id}),
    )


async def test_here_and_everyone_are_different_pings(twin: Twin, api: Api) -> None:
    await api.send("@here")

    assert [ping.kind for ping in twin.log.pings] == ["here"]


async def test_neither_the_author_nor_an_unknown_user_is_pinged(twin: Twin, api: Api) -> None:
    await api.send(f"<@{twin.bot.user.id}> <@123> <@&456>")

    assert twin.log.pinged == set()


async def test_a_message_without_notifications_pings_silently(twin: Twin, api: Api) -> None:
    await api.send(f"<@{twin.user.id}>", flags=1 << 12)

    assert [ping.silent for ping in twin.log.pings] == [True]


async def test_an_edit_pings_only_users_not_mentioned_before(twin: Twin, api: Api) -> None:
    bob = twin.add_user("bob")
    made = (await api.send(f"<@{twin.user.id}>")).json["id"]
    await api.edit(made, content=f"<@{twin.user.id}> <@{bob.id}>")

    assert [(ping.target_id, ping.by_edit) for ping in twin.log.pings] == [
        (twin.user.id, False),
        (bob.id, True),
    ]


async def test_a_flag_that_apps_cannot_set_is_ignored(twin: Twin, api: Api) -> None:
    assert (await api.send(flags=(1 << 2) | (1 << 6) | (1 << 0))).json["flags"] == 1 << 2


async def test_embeds_need_their_permission(twin: Twin, api: Api) -> None:
    twin.state.overwrite(twin.channel, twin.bot.user, deny=Permission.EMBED_LINKS)

    assert (await api.send(None, embeds=[{"title": "t"}])).outcome == (403, 50013)


async def test_the_record_knows_the_message_and_whether_it_is_new(twin: Twin, api: Api) -> None:
    for _ in range(2):
        await api.send("a", nonce="n", enforce_nonce=True)
    first, second = twin.log.of("messages.create")

    assert first.message is second.message is not None
    assert (first.created, second.created) == (True, False)


async def test_an_edit_may_change_components_and_flags(twin: Twin, api: Api) -> None:
    button = [{"type": 1, "components": [{"type": 2, "style": 1, "label": "l", "custom_id": "b"}]}]
    made = (await api.send("x", components=button)).json["id"]
    edited = (await api.edit(made, components=[], flags=1 << 2)).json

    assert (edited["content"], edited["components"], edited["flags"]) == ("x", [], 1 << 2)
    assert (await api.edit(made, flags=0)).json["flags"] == 0


async def test_hidden_file_and_its_alt_text_cannot_be_edited(twin: Twin, api: Api) -> None:
    made = await api.upload({"a.png": b"a"}, attachments=[{"id": 0, "is_spoiler": True, "description": "x"}])
    (file,) = made.json["attachments"]
    assert (file["flags"], file["description"]) == (1 << 3, "x")
    edited = await api.edit(made.json["id"], attachments=[{"id": file["id"], "is_spoiler": False}])
    assert "flags" not in edited.json["attachments"][0]
    assert edited.json["attachments"][0]["description"] == "x"
    edited = await api.edit(made.json["id"], attachments=[{"id": file["id"], "description": "y"}])
    assert edited.json["attachments"][0]["description"] == "y"

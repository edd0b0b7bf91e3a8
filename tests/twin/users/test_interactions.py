from __future__ import annotations

from typing import Any

import pytest

from discord_twin import ActionUnavailable, ChannelType, Interaction, Message, Permission, Twin
from discord_twin.users.interactions import Resolved
from twin.api import Api

# --- Command use ---

OPTIONS: list[dict[str, Any]] = [
    {"type": 3, "name": "text", "description": "d", "required": True, "min_length": 2, "max_length": 5},
    {"type": 3, "name": "pick", "description": "d", "choices": [{"name": "A", "value": "a"}]},
    {"type": 4, "name": "count", "description": "d", "min_value": 1, "max_value": 3},
    {"type": 10, "name": "share", "description": "d"},
    {"type": 5, "name": "sure", "description": "d"},
    {"type": 6, "name": "who", "description": "d"},
    {"type": 7, "name": "where", "description": "d", "channel_types": [0]},
    {"type": 9, "name": "any", "description": "d"},
    {"type": 11, "name": "file", "description": "d"},
]


async def register(api: Api, **command: Any) -> None:
    body = {"name": "do", "description": "d", "options": OPTIONS, **command}
    assert (await api.post(f"/applications/{api.twin.bot.id}/commands", body)).status == 201


async def test_options_go_out_as_the_client_sends_them(twin: Twin, api: Api) -> None:
    await register(api)
    person, role = twin.fake_user(), twin.state.add_role(twin.guild, "r")
    used = person.slash(
        "do", text="abc", pick="a", count=2, share=0.5, sure=True, who=person.user, where=twin.channel,
        any=role, file=("a.txt", b"x"),
    )  # fmt: skip
    data = used.payload["data"]

    assert [one["value"] for one in data["options"]][:5] == ["abc", "a", 2, 0.5, True]
    assert set(data["resolved"]) == {"users", "members", "channels", "roles", "attachments"}
    assert int(data["resolved"]["members"][str(person.user.id)]["permissions"])
    assert "user" not in data["resolved"]["members"][str(person.user.id)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "without text"),
        ({"text": "a"}, "2 to 5"),
        ({"text": "abcdef"}, "2 to 5"),
        ({"text": "abc", "pick": "b"}, "offers"),
        ({"text": "abc", "count": 4}, "1 to 3"),
        ({"text": "abc", "count": "2"}, "takes int"),
        ({"text": "abc", "count": True}, "takes int"),
        ({"text": "abc", "sure": 1}, "takes bool"),
        ({"text": "abc", "who": "alice"}, "takes User"),
        ({"text": "abc", "nothing": 1}, "no option"),
    ],
)
async def test_what_the_client_would_not_send(
    twin: Twin, api: Api, options: dict[str, Any], said: str
) -> None:
    await register(api)

    with pytest.raises(ActionUnavailable, match=said):
        twin.fake_user().slash("do", **options)


async def test_a_channel_of_another_kind_is_not_offered(twin: Twin, api: Api) -> None:
    await register(api)

    with pytest.raises(ActionUnavailable, match="type 2"):
        twin.fake_user().slash("do", text="abc", where=twin.add_channel("v", ChannelType.VOICE))


async def test_what_is_half_typed_goes_out_as_it_is(twin: Twin, api: Api) -> None:
    await register(api)
    (option,) = twin.fake_user().complete("do", "count", count="2x").payload["data"]["options"]

    assert option == {"name": "count", "type": 4, "value": "2x", "focused": True}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ({"default_member_permissions": str(int(Permission.BAN_MEMBERS))}, "hidden"),
        ({"default_member_permissions": "0"}, "hidden"),
        ({"nsfw": True}, "age-restricted"),
    ],
)
async def test_a_command_may_be_hidden(twin: Twin, api: Api, command: dict[str, Any], said: str) -> None:
    await register(api, options=[], **command)

    with pytest.raises(ActionUnavailable, match=said):
        twin.fake_user("bob").slash("do")


async def test_a_command_may_stay_out_of_direct_messages(twin: Twin, api: Api) -> None:
    await register(api, options=[], contexts=[0])
    person = twin.fake_user()
    person.slash("do")
    person.channel = twin.dm()

    with pytest.raises(ActionUnavailable, match="direct"):
        person.slash("do")


async def test_a_person_without_the_right_sees_no_commands(twin: Twin, api: Api) -> None:
    await register(api, options=[])
    bob = twin.fake_user("bob")
    twin.state.overwrite(twin.channel, bob.user, deny=Permission.USE_APPLICATION_COMMANDS)

    with pytest.raises(ActionUnavailable, match="may not use commands"):
        bob.slash("do")


async def test_sub_commands_are_words_of_the_name(twin: Twin, api: Api) -> None:
    sub = {"type": 1, "name": "add", "description": "d"}
    await register(api, options=[sub, {"type": 2, "name": "more", "description": "d", "options": [sub]}])
    person = twin.fake_user()

    assert person.slash("do more add").payload["data"]["options"][0]["options"][0]["name"] == "add"
    for wrong in ("do", "do nothing", "do more"):
        with pytest.raises(ActionUnavailable):
            person.slash(wrong)


async def test_menus_of_users_and_messages(twin: Twin, api: Api) -> None:
    for type_, name in ((2, "Greet"), (3, "Quote")):
        await api.post(f"/applications/{twin.bot.id}/commands", {"name": name, "type": type_})
    alice, bob = twin.fake_user(), twin.fake_user("bob")
    data = alice.menu("Greet", bob).payload["data"]

    assert (data["type"], data["target_id"]) == (2, str(bob.user.id))
    assert set(data["resolved"]) == {"users", "members"}
    said = bob.say("words")
    quoted = alice.menu("Quote", said).payload["data"]["resolved"]["messages"]
    assert quoted[str(said.id)]["content"] == "words"
    with pytest.raises(ActionUnavailable):
        alice.menu("Greet", said)


# --- Component use ---

COMPONENT_USE_OPTIONS = [{"label": one, "value": one} for one in "abc"]


def row(*components: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(components)}


async def post(api: Api, *components: dict[str, Any]) -> Message:
    made = await api.send("choose", components=[row(one) for one in components])
    return api.twin.channel.messages[int(made.json["id"])]


async def test_menus_take_what_they_offer(twin: Twin, api: Api) -> None:
    menu = {"type": 3, "custom_id": "m", "options": COMPONENT_USE_OPTIONS, "min_values": 1, "max_values": 2}
    message, person = await post(api, menu), twin.fake_user()

    assert person.choose(message, "m", "a", "c").payload["data"]["values"] == ["a", "c"]
    for wrong in ((), ("a", "b", "c"), ("z",)):
        with pytest.raises(ActionUnavailable):
            person.choose(message, "m", *wrong)


async def test_menus_of_people_roles_and_channels_resolve_them(twin: Twin, api: Api) -> None:
    menus = [{"type": kind, "custom_id": str(kind)} for kind in (5, 6, 7)]
    places = {"type": 8, "custom_id": "8", "channel_types": [0]}
    message, person = await post(api, *menus, places), twin.fake_user()
    role = twin.state.add_role(twin.guild, "r")

    for custom_id, value, kinds in (
        ("5", person.user, {"users", "members"}),
        ("6", role, {"roles"}),
        ("7", role, {"roles"}),
        ("8", str(twin.channel.id), {"channels"}),
    ):
        data = person.choose(message, custom_id, value).payload["data"]
        assert set(data["resolved"]) == kinds
        assert list(data["resolved"][min(kinds)]) == data["values"]
    for custom_id, wrong in (("5", role), ("6", "1"), ("8", twin.add_channel("v", ChannelType.VOICE))):
        with pytest.raises(ActionUnavailable):
            person.choose(message, custom_id, wrong)


async def test_a_grey_button_is_not_pressed(twin: Twin, api: Api) -> None:
    grey = {"type": 2, "style": 1, "label": "l", "custom_id": "b", "disabled": True}
    message = await post(api, grey)

    with pytest.raises(ActionUnavailable, match="disabled"):
        twin.fake_user().press(message, "b")
    plain = await post(api, {**grey, "disabled": False})
    twin.fake_user().press(plain, "b")
    with pytest.raises(ActionUnavailable, match="nothing to choose"):
        twin.fake_user().choose(plain, "b", "x")


# Modals


def label(component: dict[str, Any]) -> dict[str, Any]:
    return {"type": 18, "label": "l", "component": component}


async def show(api: Api, *components: dict[str, Any]) -> Interaction:
    path = f"/applications/{api.twin.bot.id}/commands"
    await api.post(path, {"name": "form", "description": "d"})
    asked = api.twin.slash("form")
    modal = {"type": 9, "data": {"custom_id": "m", "title": "t", "components": list(components)}}
    answer = await api.post(f"/interactions/{asked.id}/{asked.token}/callback", modal)
    assert answer.status == 204, answer.body
    return asked


async def test_every_kind_of_field_is_filled(twin: Twin, api: Api) -> None:
    asked = await show(
        api,
        label({"type": 4, "custom_id": "name", "style": 1}),
        label({"type": 3, "custom_id": "pick", "options": COMPONENT_USE_OPTIONS, "max_values": 2}),
        label({"type": 5, "custom_id": "who"}),
        label({"type": 19, "custom_id": "files", "max_values": 2}),
        {"type": 10, "content": "between"},
    )
    person = twin.fake_user()
    data = person.submit(
        asked, name="Ada", pick=["a", "b"], who=[person.user], files=[("a.png", b"x")]
    ).payload["data"]
    fields = [one.get("component") for one in data["components"]]

    assert fields[0]["value"] == "Ada"
    assert fields[1]["values"] == ["a", "b"]
    assert fields[2]["values"] == [str(person.user.id)]
    assert data["resolved"]["attachments"][fields[3]["values"][0]]["filename"] == "a.png"
    assert data["components"][4] == {"type": 10, "id": 5}


async def test_groups_and_boxes_keep_what_they_show(twin: Twin, api: Api) -> None:
    chosen = [{**COMPONENT_USE_OPTIONS[0], "default": True}, *COMPONENT_USE_OPTIONS[1:]]
    asked = await show(
        api,
        label({"type": 21, "custom_id": "radio", "options": chosen}),
        label({"type": 22, "custom_id": "boxes", "options": COMPONENT_USE_OPTIONS, "required": False}),
        label({"type": 23, "custom_id": "box", "default": True}),
        label({"type": 4, "custom_id": "old", "style": 1, "value": "kept"}),
    )
    kept = twin.fake_user().submit(asked).payload["data"]["components"]
    assert [one["component"].get("value", one["component"].get("values")) for one in kept] == [
        "a", [], True, "kept",
    ]  # fmt: skip
    changed = twin.fake_user().submit(asked, radio="b", boxes=["a", "c"], box=False, old="new")
    values = [one["component"] for one in changed.payload["data"]["components"]]
    assert [one.get("value", one.get("values")) for one in values] == ["b", ["a", "c"], False, "new"]


@pytest.mark.parametrize(
    ("component", "values"),
    [
        ({"type": 4, "custom_id": "f", "style": 1}, {}),
        ({"type": 4, "custom_id": "f", "style": 1, "min_length": 3}, {"f": "ab"}),
        ({"type": 4, "custom_id": "f", "style": 1}, {"f": "x", "other": "y"}),
        ({"type": 3, "custom_id": "f", "options": COMPONENT_USE_OPTIONS}, {}),
        ({"type": 21, "custom_id": "f", "options": COMPONENT_USE_OPTIONS}, {}),
        ({"type": 21, "custom_id": "f", "options": COMPONENT_USE_OPTIONS}, {"f": "z"}),
        ({"type": 22, "custom_id": "f", "options": COMPONENT_USE_OPTIONS}, {"f": ["z"]}),
        ({"type": 19, "custom_id": "f"}, {"f": [("a", b""), ("b", b"")]}),
    ],
)
async def test_a_field_that_is_not_filled_well_stops_the_form(
    twin: Twin, api: Api, component: dict[str, Any], values: dict[str, Any]
) -> None:
    asked = await show(api, label(component))

    with pytest.raises(ActionUnavailable):
        twin.submit(asked, values)


async def test_what_is_no_modal_is_not_filled_in(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "form", "description": "d"})

    with pytest.raises(ActionUnavailable, match="modal"):
        twin.submit(twin.slash("form"), {})


async def test_a_user_of_the_server_is_a_member_too(twin: Twin) -> None:
    here, dm = Resolved(twin.context, twin.channel, twin.user), Resolved(twin.context, twin.dm(), twin.user)
    stranger = twin.state.add_user("stranger")
    for resolved in (here, dm):
        resolved.add(twin.user)
        resolved.add(stranger)

    assert set(here.shape["users"]) == {str(twin.user.id), str(stranger.id)}
    assert set(here.shape["members"]) == {str(twin.user.id)}
    assert "members" not in dm.shape


async def test_a_channel_says_what_the_person_may_do_there(twin: Twin) -> None:
    resolved = Resolved(twin.context, twin.channel, twin.user)
    resolved.add(twin.channel)

    assert int(resolved.shape["channels"][str(twin.channel.id)]["permissions"]) > 1 << 50


async def test_a_file_is_served_before_it_has_a_message(twin: Twin) -> None:
    resolved = Resolved(twin.context, twin.channel, twin.user)
    made = resolved.add_file("a.txt", b"x")

    assert resolved.shape["attachments"][made]["ephemeral"] is True
    assert twin.state.uploads[int(made)].content == b"x"

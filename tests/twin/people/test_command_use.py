from __future__ import annotations

from typing import Any

import pytest

from streamcord.twin import ChannelType, NotOffered, Permission, Twin
from twin.api import Api

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
    person, role = twin.person(), twin.state.add_role(twin.guild, "r")
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

    with pytest.raises(NotOffered, match=said):
        twin.person().slash("do", **options)


async def test_a_channel_of_another_kind_is_not_offered(twin: Twin, api: Api) -> None:
    await register(api)

    with pytest.raises(NotOffered, match="type 2"):
        twin.person().slash("do", text="abc", where=twin.add_channel("v", ChannelType.VOICE))


async def test_what_is_half_typed_goes_out_as_it_is(twin: Twin, api: Api) -> None:
    await register(api)
    (option,) = twin.person().complete("do", "count", count="2x").payload["data"]["options"]

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

    with pytest.raises(NotOffered, match=said):
        twin.person("bob").slash("do")


async def test_a_command_may_stay_out_of_direct_messages(twin: Twin, api: Api) -> None:
    await register(api, options=[], contexts=[0])
    person = twin.person()
    person.slash("do")
    person.channel = twin.dm()

    with pytest.raises(NotOffered, match="direct"):
        person.slash("do")


async def test_a_person_without_the_right_sees_no_commands(twin: Twin, api: Api) -> None:
    await register(api, options=[])
    bob = twin.person("bob")
    twin.state.overwrite(twin.channel, bob.user, deny=Permission.USE_APPLICATION_COMMANDS)

    with pytest.raises(NotOffered, match="may not use commands"):
        bob.slash("do")


async def test_sub_commands_are_words_of_the_name(twin: Twin, api: Api) -> None:
    sub = {"type": 1, "name": "add", "description": "d"}
    await register(api, options=[sub, {"type": 2, "name": "more", "description": "d", "options": [sub]}])
    person = twin.person()

    assert person.slash("do more add").payload["data"]["options"][0]["options"][0]["name"] == "add"
    for wrong in ("do", "do nothing", "do more"):
        with pytest.raises(NotOffered):
            person.slash(wrong)


async def test_menus_of_users_and_messages(twin: Twin, api: Api) -> None:
    for type_, name in ((2, "Greet"), (3, "Quote")):
        await api.post(f"/applications/{twin.bot.id}/commands", {"name": name, "type": type_})
    alice, bob = twin.person(), twin.person("bob")
    data = alice.menu("Greet", bob).payload["data"]

    assert (data["type"], data["target_id"]) == (2, str(bob.user.id))
    assert set(data["resolved"]) == {"users", "members"}
    said = bob.say("words")
    quoted = alice.menu("Quote", said).payload["data"]["resolved"]["messages"]
    assert quoted[str(said.id)]["content"] == "words"
    with pytest.raises(NotOffered):
        alice.menu("Greet", said)

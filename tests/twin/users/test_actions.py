from __future__ import annotations

import pytest

from discord_twin import ActionUnavailable, DrivenClock, Event, Twin
from discord_twin.state.enums import InteractionType
from twin.api import Api

OPTIONS = [
    {"type": 6, "name": "who", "description": "d"},
    {"type": 7, "name": "where", "description": "d"},
    {"type": 8, "name": "role", "description": "d"},
    {"type": 4, "name": "count", "description": "d"},
]
TREE = {
    "name": "persona",
    "description": "d",
    "options": [
        {
            "type": 2,
            "name": "sprite",
            "description": "d",
            "options": [
                {
                    "type": 1,
                    "name": "add",
                    "description": "d",
                    "options": [{"type": 3, "name": "name", "description": "d"}],
                }
            ],
        }
    ],
}
FIELD = {"type": 18, "label": "name", "component": {"type": 4, "custom_id": "name", "style": 1}}
MENU = [
    {"type": 1, "components": [{"type": 3, "custom_id": "menu", "options": [{"label": "a", "value": "a"}]}]}
]


async def test_people_reply_mention_and_attach() -> None:
    twin = Twin()
    role = twin.state.add_role(twin.guild, "helpers")
    first = twin.say(twin.channel, twin.bot.user, "question")
    said = twin.say(
        twin.channel,
        twin.user,
        f"<@{twin.bot.user.id}> <@&{role.id}>",
        reply_to=first,
        files={"a b.txt": b"x"},
    )

    assert said.draft.mentions == (twin.bot.user.id,)
    assert said.draft.mention_roles == (role.id,)
    assert [one.filename for one in said.attachments] == ["a_b.txt"]
    assert said.draft.reply_ids == (twin.channel.id, first.id)


async def test_people_edit_and_delete() -> None:
    twin = Twin()
    said = twin.say(twin.channel, twin.user, "a")
    twin.edit(said, f"b <@{twin.bot.user.id}>")
    assert said.draft.mentions == (twin.bot.user.id,)
    twin.delete(said)
    assert twin.channel.texts == []


async def test_options_of_a_command_are_resolved(twin: Twin, api: Api) -> None:
    role = twin.state.add_role(twin.guild, "helpers")
    await api.post(
        f"/applications/{twin.bot.id}/commands", {"name": "do", "description": "d", "options": OPTIONS}
    )
    said = twin.slash("do", who=twin.user, where=twin.channel, role=role, count=3).payload["data"]

    assert [one["value"] for one in said["options"]] == [
        str(twin.user.id),
        str(twin.channel.id),
        str(role.id),
        3,
    ]
    assert set(said["resolved"]) == {"users", "members", "channels", "roles"}


async def test_a_command_may_have_groups(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/guilds/{twin.guild.id}/commands", TREE)
    said = twin.slash("persona sprite add", name="happy").payload["data"]

    assert said["guild_id"] == str(twin.guild.id)
    (group,) = said["options"]
    (command,) = group["options"]
    assert (group["name"], command["name"], command["options"][0]["value"]) == ("sprite", "add", "happy")


async def test_a_command_in_a_direct_message_has_a_user_and_no_guild(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    payload = twin.slash("ask", twin.dm()).payload

    assert payload["user"]["username"] == "alice"
    assert "guild_id" not in payload
    assert payload["context"] == 1


async def test_an_unknown_command_cannot_be_used() -> None:
    twin = Twin()
    with pytest.raises(LookupError, match="ask"):
        twin.slash("ask")


COMMAND = {
    "name": "ask",
    "description": "d",
    "options": [
        {
            "name": "now",
            "description": "d",
            "type": 1,
            "options": [
                {"name": "topic", "description": "d", "type": 3, "autocomplete": True},
                {"name": "file", "description": "d", "type": 11},
            ],
        }
    ],
}


async def test_a_file_comes_along_with_a_command(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", COMMAND)
    said = twin.slash("ask now", topic="tea", file=("tea.txt", b"hot")).payload["data"]
    (file,) = said["resolved"]["attachments"].values()

    assert said["options"][0]["options"][1] == {"name": "file", "type": 11, "value": file["id"]}
    assert (file["filename"], file["size"], file["ephemeral"]) == ("tea.txt", 3, True)
    async with api.session.get(file["url"]) as response:
        assert await response.read() == b"hot"


async def test_typing_into_an_option_asks_the_bot_for_values(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", COMMAND)
    typed = twin.complete("ask now", "topic", topic="te")

    assert typed.type is InteractionType.AUTOCOMPLETE
    (option,) = typed.payload["data"]["options"][0]["options"]
    assert option == {"name": "topic", "type": 3, "value": "te", "focused": True}
    answer = {"type": 8, "data": {"choices": [{"name": "tea", "value": "tea"}]}}
    assert (await api.post(f"/interactions/{typed.id}/{typed.token}/callback", answer)).status == 204
    assert typed.callback == answer


async def test_people_choose_from_menus(twin: Twin, api: Api) -> None:
    made = (await api.send("choose", components=MENU)).json["id"]
    chosen = twin.press(twin.channel.messages[int(made)], "menu", values=["a"])

    assert chosen.type is InteractionType.COMPONENT
    assert chosen.payload["data"]["values"] == ["a"]
    assert chosen.payload["message"]["id"] == made


async def test_a_button_of_a_webhook_belongs_to_its_application(twin: Twin, api: Api) -> None:
    made = await api.post(await api.hook() + "?wait=1", {"content": "x", "components": MENU})
    message = twin.channel.messages[int(made.json["id"])]

    assert twin.press(message, "menu", values=["a"]).application_id == twin.bot.id


async def test_a_button_that_is_not_there_cannot_be_pressed(twin: Twin, api: Api) -> None:
    made = (await api.send("x")).json["id"]
    with pytest.raises(LookupError, match="nothing"):
        twin.press(twin.channel.messages[int(made)], "nothing")


async def test_people_fill_in_modals(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    asked = twin.slash("ask")
    modal = {"type": 9, "data": {"custom_id": "form", "title": "t", "components": [FIELD]}}
    await api.post(f"/interactions/{asked.id}/{asked.token}/callback", modal)
    filled = twin.submit(asked, {"name": "Ada"})

    assert filled.payload["data"]["custom_id"] == "form"
    assert filled.payload["data"]["components"][0]["component"]["value"] == "Ada"


async def test_a_command_from_the_menu_of_a_message_brings_the_message(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "Why?", "type": 3})
    message = twin.say(twin.channel, twin.user, "hello")
    twin.user.locale = "de"
    payload = twin.menu("Why?", message).payload

    assert payload["data"]["target_id"] == str(message.id)
    assert payload["data"]["resolved"]["messages"][str(message.id)]["content"] == "hello"
    assert payload["locale"] == "de"


ANYWHERE = {"name": "ask", "description": "d", "integration_types": [0, 1], "contexts": [0, 1, 2]}


async def test_an_interaction_says_where_it_is_and_who_let_the_bot_in(api: Api) -> None:
    twin = api.twin
    await api.put(f"/applications/{twin.bot.id}/commands", [ANYWHERE])
    foreign = twin.state.add_guild("Foreign", twin.user)
    places = [
        twin.channel,
        twin.dm(),
        twin.group(twin.user, twin.add_user("bob")),
        twin.state.add_channel(foreign, "lobby"),
    ]
    twin.install()
    events = [dict(twin.slash("ask", place).payload) for place in places]

    assert [one["context"] for one in events] == [0, 1, 2, 0]
    person = {"1": str(twin.user.id)}
    guild = {"0": str(twin.guild.id)}
    owners = [one["authorizing_integration_owners"] for one in events]
    assert owners == [guild | person, {"0": "0"} | person, person, person]


async def test_a_group_is_closed_to_the_bot(api: Api) -> None:
    group = api.twin.group(api.twin.user)
    api.twin.say(group, api.twin.user, "between us")

    assert (await api.get(f"/channels/{group.id}/messages")).outcome == (403, 50001)


def test_who_types_is_seen_typing_where_they_may_write() -> None:
    twin = Twin(clock=DrivenClock())
    received: list[Event] = []
    twin.state.observe(received.append)
    twin.users.type(twin.channel, twin.user)
    direct = twin.dm()
    twin.users.type(direct, twin.user)
    bob = twin.add_user("bob")

    typed = [one for one in received if one.name == "TYPING_START"]
    assert [one.channel for one in typed] == [twin.channel, direct]
    assert typed[0].payload["member"]["user"]["id"] == str(twin.user.id)
    assert "guild_id" not in typed[1].payload
    with pytest.raises(ActionUnavailable):
        twin.users.type(direct, bob)

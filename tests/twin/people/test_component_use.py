from __future__ import annotations

from typing import Any

import pytest

from streamcord.twin import ChannelType, Interaction, Message, NotOffered, Twin
from twin.api import Api

OPTIONS = [{"label": one, "value": one} for one in "abc"]


def row(*components: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(components)}


async def post(api: Api, *components: dict[str, Any]) -> Message:
    made = await api.send("choose", components=[row(one) for one in components])
    return api.twin.channel.messages[int(made.json["id"])]


async def test_menus_take_what_they_offer(twin: Twin, api: Api) -> None:
    menu = {"type": 3, "custom_id": "m", "options": OPTIONS, "min_values": 1, "max_values": 2}
    message, person = await post(api, menu), twin.person()

    assert person.choose(message, "m", "a", "c").payload["data"]["values"] == ["a", "c"]
    for wrong in ((), ("a", "b", "c"), ("z",)):
        with pytest.raises(NotOffered):
            person.choose(message, "m", *wrong)


async def test_menus_of_people_roles_and_channels_resolve_them(twin: Twin, api: Api) -> None:
    menus = [{"type": kind, "custom_id": str(kind)} for kind in (5, 6, 7)]
    places = {"type": 8, "custom_id": "8", "channel_types": [0]}
    message, person = await post(api, *menus, places), twin.person()
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
        with pytest.raises(NotOffered):
            person.choose(message, custom_id, wrong)


async def test_a_grey_button_is_not_pressed(twin: Twin, api: Api) -> None:
    grey = {"type": 2, "style": 1, "label": "l", "custom_id": "b", "disabled": True}
    message = await post(api, grey)

    with pytest.raises(NotOffered, match="disabled"):
        twin.person().press(message, "b")
    plain = await post(api, {**grey, "disabled": False})
    twin.person().press(plain, "b")
    with pytest.raises(NotOffered, match="nothing to choose"):
        twin.person().choose(plain, "b", "x")


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
        label({"type": 3, "custom_id": "pick", "options": OPTIONS, "max_values": 2}),
        label({"type": 5, "custom_id": "who"}),
        label({"type": 19, "custom_id": "files", "max_values": 2}),
        {"type": 10, "content": "between"},
    )
    person = twin.person()
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
    chosen = [{**OPTIONS[0], "default": True}, *OPTIONS[1:]]
    asked = await show(
        api,
        label({"type": 21, "custom_id": "radio", "options": chosen}),
        label({"type": 22, "custom_id": "boxes", "options": OPTIONS, "required": False}),
        label({"type": 23, "custom_id": "box", "default": True}),
        label({"type": 4, "custom_id": "old", "style": 1, "value": "kept"}),
    )
    kept = twin.person().submit(asked).payload["data"]["components"]
    assert [one["component"].get("value", one["component"].get("values")) for one in kept] == [
        "a", [], True, "kept",
    ]  # fmt: skip
    changed = twin.person().submit(asked, radio="b", boxes=["a", "c"], box=False, old="new")
    values = [one["component"] for one in changed.payload["data"]["components"]]
    assert [one.get("value", one.get("values")) for one in values] == ["b", ["a", "c"], False, "new"]


@pytest.mark.parametrize(
    ("component", "values"),
    [
        ({"type": 4, "custom_id": "f", "style": 1}, {}),
        ({"type": 4, "custom_id": "f", "style": 1, "min_length": 3}, {"f": "ab"}),
        ({"type": 4, "custom_id": "f", "style": 1}, {"f": "x", "other": "y"}),
        ({"type": 3, "custom_id": "f", "options": OPTIONS}, {}),
        ({"type": 21, "custom_id": "f", "options": OPTIONS}, {}),
        ({"type": 21, "custom_id": "f", "options": OPTIONS}, {"f": "z"}),
        ({"type": 22, "custom_id": "f", "options": OPTIONS}, {"f": ["z"]}),
        ({"type": 19, "custom_id": "f"}, {"f": [("a", b""), ("b", b"")]}),
    ],
)
async def test_a_field_that_is_not_filled_well_stops_the_form(
    twin: Twin, api: Api, component: dict[str, Any], values: dict[str, Any]
) -> None:
    asked = await show(api, label(component))

    with pytest.raises(NotOffered):
        twin.submit(asked, values)


async def test_what_is_no_modal_is_not_filled_in(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "form", "description": "d"})

    with pytest.raises(NotOffered, match="modal"):
        twin.submit(twin.slash("form"), {})

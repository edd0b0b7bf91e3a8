from __future__ import annotations

from typing import Any

from discord_twin import ChannelType, DrivenClock, Twin
from discord_twin.state.models import Attachment, Draft
from discord_twin.web_ui.component_views import components_view, modal_view


def view(twin: Twin, *parts: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
    message = twin.state.post(twin.channel, twin.bot.user, Draft(components=parts, **fields))
    return components_view(twin.state, message, twin.user)


def make_twin() -> Twin:
    return Twin(clock=DrivenClock())


def test_buttons_have_a_label_a_look_and_a_target() -> None:
    emoji = {"name": "🍰"}
    row = {
        "type": 1,
        "components": [
            {"type": 2, "style": 1, "label": "Go", "custom_id": "go", "emoji": emoji},
            {"type": 2, "style": 5, "label": "Out", "url": "https://example.com", "disabled": True},
            {"type": 2, "style": 2, "custom_id": "x", "emoji": {"name": "star", "id": "5"}},
        ],
    }
    (shown,) = view(make_twin(), row)
    go, out, star = (one["button"] for one in shown["row"])

    assert (go["id"], go["label"], go["style"], go["emoji"]) == ("go", "Go", 1, {"text": "🍰"})
    assert (out["to"], out["disabled"], out["id"]) == ("https://example.com", True, "")
    assert star["emoji"] == {"text": ":star:"}


def test_menus_have_their_options_also_of_people_roles_and_channels() -> None:
    twin = make_twin()
    twin.state.add_role(twin.guild, "helpers")
    twin.add_channel("ideas", ChannelType.FORUM)
    options = [{"label": "One", "value": "1", "description": "first", "default": True}]

    def labels(kind: int, **fields: Any) -> list[str]:
        part = {"type": kind, "custom_id": "m", **fields}
        (shown,) = view(twin, {"type": 1, "components": [part]})
        return [one["label"] for one in shown["row"][0]["select"]["options"]]

    (shown,) = view(twin, {"type": 1, "components": [{"type": 3, "custom_id": "m", "options": options}]})
    menu = shown["row"][0]["select"]
    assert (menu["hint"], menu["min"], menu["max"]) == ("Make a selection", 1, 1)
    assert menu["options"][0] | {"emoji": 0} == {
        "label": "One", "value": "1", "about": "first", "emoji": 0, "chosen": True,
    }  # fmt: skip
    assert labels(5) == ["alice", "streamcord"]
    assert "@helpers" in labels(6)
    assert {"alice", "@helpers"} <= set(labels(7))
    assert labels(8) == ["#general", "#ideas"]
    assert labels(8, channel_types=[15]) == ["#ideas"]


def test_the_layout_of_v2_is_kept_and_only_own_files_are_fetched() -> None:
    picture = Attachment(9, "a.png", b"", "image/png", "alt", 4, 4)
    parts = {
        "type": 17,
        "accent_color": 255,
        "components": [
            {"type": 10, "content": "**text**"},
            {"type": 14, "divider": False, "spacing": 2},
            {
                "type": 9,
                "components": [{"type": 10, "content": "beside"}],
                "accessory": {"type": 11, "media": {"url": "attachment://a.png"}},
            },
            {"type": 12, "items": [{"media": {"url": "https://example.com/x.png"}, "description": "far"}]},
            {"type": 13, "file": {"url": "attachment://a.png"}, "spoiler": True},
            {"type": 99},
        ],
    }
    twin = make_twin()
    (box,) = view(twin, parts, attachments=(picture,))
    text, line, section, gallery, file, unknown = box["container"]

    assert (box["colour"], box["spoiler"]) == (255, False)
    assert text["text"][0]["runs"] == [{"text": "text", "styles": ["bold"]}]
    assert (line["separator"], line["wide"]) == (False, True)
    assert section["accessory"]["thumbnail"]["at"] == f"/cdn/attachments/{twin.channel.id}/9/a.png"
    assert section["accessory"]["thumbnail"]["about"] == "alt"
    assert gallery["gallery"][0]["at"] is None
    assert (file["file"]["spoiler"], file["file"]["picture"]) == (True, True)
    assert unknown == {"text": []}


def test_a_form_has_a_row_for_each_field() -> None:
    group = [{"label": "A", "value": "a"}, {"label": "B", "value": "b", "default": True}]

    def label(name: str, field: dict[str, Any]) -> dict[str, Any]:
        return {"type": 18, "label": name, "description": "about", "component": field}

    modal = {
        "title": "A form",
        "components": [
            {"type": 1, "components": [{"type": 4, "custom_id": "old", "label": "Old", "style": 1}]},
            {"type": 10, "content": "words"},
            label("Long", {"type": 4, "custom_id": "long", "style": 2, "max_length": 9, "required": False}),
            label("Menu", {"type": 3, "custom_id": "menu", "options": group}),
            label("Files", {"type": 19, "custom_id": "files", "max_values": 3}),
            label("Radio", {"type": 21, "custom_id": "radio", "options": group}),
            label("Checks", {"type": 22, "custom_id": "checks", "options": group}),
            label("Check", {"type": 23, "custom_id": "check", "default": True}),
        ],
    }
    twin = make_twin()
    rows = modal_view(twin.state, twin.channel, twin.user, modal)["rows"]

    assert rows[1]["text"][0]["runs"][0]["text"] == "words"
    kinds = [(one["kind"], one["id"], one["required"]) for one in rows if "kind" in one]
    assert kinds == [
        ("short", "old", True), ("long", "long", False), ("select", "menu", True), ("files", "files", True),
        ("radio", "radio", True), ("checks", "checks", True), ("check", "check", False),
    ]  # fmt: skip
    assert (rows[2]["about"], rows[2]["max"], rows[4]["max"], rows[7]["value"]) == ("about", 9, 3, True)
    assert [one["chosen"] for one in rows[5]["options"]] == [False, True]

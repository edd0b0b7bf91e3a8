from __future__ import annotations

from typing import Any

import pytest

from discord_twin.validation import components as rules
from discord_twin.validation.components import component_texts
from twin.validation.seeing import faults

TEXT = {"type": 10, "content": "x"}
OPTIONS = [{"label": "l", "value": str(number)} for number in range(3)]


def button(**more: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "l", "custom_id": "b", **more}


def select(**more: Any) -> dict[str, Any]:
    return {"type": 3, "custom_id": "s", "options": OPTIONS, **more}


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({}, None),
        ({"label": "x" * 80}, None),
        ({"label": None, "emoji": {"name": "🔥"}}, None),
        ({"style": 5, "custom_id": None, "url": "https://a.b"}, None),
        ({"style": 6, "custom_id": None, "label": None, "sku_id": "1"}, None),
        ({"label": "x" * 81}, "label: BASE_TYPE_MAX_LENGTH"),
        ({"custom_id": "x" * 101}, "custom_id: BASE_TYPE_BAD_LENGTH"),
        ({"custom_id": ""}, "custom_id: BASE_TYPE_REQUIRED"),
        ({"style": 7}, "style: BASE_TYPE_CHOICES"),
        ({"style": None}, "style: BASE_TYPE_REQUIRED"),
        ({"style": 5}, "url: BASE_TYPE_REQUIRED"),
        ({"style": 5, "custom_id": None, "url": "ftp://a.b"}, "url: URL_TYPE_INVALID_SCHEME"),
        ({"custom_id": None, "url": "https://a.b"}, "custom_id: BUTTON_COMPONENT_CUSTOM_ID_REQUIRED"),
        ({"style": 6}, "sku_id: BASE_TYPE_REQUIRED"),
        ({"label": None}, ": BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED"),
        ({"emoji": {}}, "emoji.name: BUTTON_COMPONENT_INVALID_EMOJI"),
        ({"disabled": "maybe"}, "disabled: BOOLEAN_TYPE_CONVERT"),
    ],
)
def test_a_button(more: dict[str, Any], fault: str | None) -> None:
    assert faults(rules.BUTTON, button(**more))[:1] == ([] if fault is None else [fault])


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({}, None),
        ({"min_values": 0, "max_values": 3}, None),
        ({"max_values": 4}, "max_values: NUMBER_TYPE_MAX"),
        ({"min_values": 2}, "min_values: NUMBER_TYPE_MAX"),
        ({"placeholder": "x" * 151}, "placeholder: BASE_TYPE_MAX_LENGTH"),
        ({"options": []}, "options: BASE_TYPE_REQUIRED"),
        ({"options": OPTIONS * 9}, "options: BASE_TYPE_BAD_LENGTH"),
        ({"options": [*OPTIONS, OPTIONS[0]]}, "options.3.value: SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"),
        ({"options": [{**one, "default": True} for one in OPTIONS]},
         "options: SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES"),
        ({"options": [{"label": "x" * 101, "value": "v"}]}, "options.0.label: BASE_TYPE_BAD_LENGTH"),
    ],
)  # fmt: skip
def test_a_select(more: dict[str, Any], fault: str | None) -> None:
    assert faults(rules.STRING_SELECT, select(**more))[:1] == ([] if fault is None else [fault])


def test_selects_of_people_have_no_options() -> None:
    people = {"type": 5, "custom_id": "u", "default_values": [{"id": "1", "type": "user"}], "max_values": 25}

    assert faults(rules.ENTITY_SELECT, people) == []
    assert faults(rules.ENTITY_SELECT, {**people, "default_values": [{"id": "1", "type": "cat"}]}) == [
        "default_values.0.type: BASE_TYPE_CHOICES"
    ]


@pytest.mark.parametrize(
    "component",
    [
        TEXT,
        {"type": 14},
        {"type": 14, "divider": False, "spacing": 2},
        {"type": 12, "items": [{"media": {"url": "https://a.b/c.png"}, "description": "d"}]},
        {"type": 17, "components": [TEXT], "accent_color": None},
        {"type": 9, "components": [TEXT], "accessory": button()},
    ],
)  # fmt: skip
def test_v2_components_stand_with_the_flag_only(component: dict[str, Any]) -> None:
    assert faults(rules.V2, [component]) == []
    assert faults(rules.CLASSIC, [component]) == ["0: UNION_TYPE_CHOICES"]


@pytest.mark.parametrize(
    ("component", "fault"),
    [
        ({"type": 10, "content": ""}, "content: BASE_TYPE_REQUIRED"),
        ({"type": 10, "content": "x" * 4001}, "content: BASE_TYPE_BAD_LENGTH"),
        ({"type": 14, "spacing": 3}, "spacing: BASE_TYPE_CHOICES"),
        ({"type": 12, "items": []}, "items: BASE_TYPE_REQUIRED"),
        ({"type": 13, "file": {}}, "file.url: BASE_TYPE_REQUIRED"),
        ({"type": 17, "components": []}, "components: BASE_TYPE_REQUIRED"),
        ({"type": 17, "components": [TEXT], "accent_color": 0x1000000}, "accent_color: NUMBER_TYPE_MAX"),
        ({"type": 17, "components": [{"type": 2}]}, "components.0: UNION_TYPE_CHOICES"),
        ({"type": 9, "components": [TEXT]}, "accessory: BASE_TYPE_REQUIRED"),
        ({"type": 11, "media": {"url": "https://a.b"}}, None),
        ({"type": 10, "content": "x", "id": 2**31}, "id: NUMBER_TYPE_MAX"),
    ],
)
def test_a_wrong_v2_component(component: dict[str, Any], fault: str | None) -> None:
    expected = f"0.{fault}" if fault else "0: UNION_TYPE_CHOICES"

    assert faults(rules.V2, [component]) == [expected]


def together(components: list[dict[str, Any]]) -> list[str]:
    found = [one for invariant in rules.TREE_RULES for one in invariant.find(components, ())]
    return [f"{'.'.join(one.path)}: {one.code}" for one in found]


def test_all_components_together() -> None:
    section = {"type": 9, "components": [TEXT] * 3, "accessory": button()}
    assert together([section, {**section, "accessory": button(custom_id="c")}]) == []
    assert together([section] * 2) == ["1.accessory.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED"]
    assert together([TEXT] * 41) == [": COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"]
    assert together([{**TEXT, "content": "x" * 2001}] * 2) == [": COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"]
    assert together([{**TEXT, "id": 1}] * 2) == ["1.id: COMPONENT_ID_DUPLICATED"]
    container = {"type": 17, "components": [section] * 8}
    assert ": COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED" in together([container])


def test_texts_are_found_at_any_depth() -> None:
    section = {"type": 9, "components": [TEXT], "accessory": button()}

    assert component_texts([{"type": 17, "components": [section, TEXT]}]) == ["x", "x"]

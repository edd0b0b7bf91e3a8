from __future__ import annotations

from typing import Any

import pytest

from discord_twin.validation.modals import MODAL
from twin.validation.seeing import faults

OPTIONS = [{"label": "l", "value": str(number)} for number in range(3)]


def field(type_: int, **more: Any) -> dict[str, Any]:
    return {"type": type_, "custom_id": "f", **more}


def label(component: Any, **more: Any) -> dict[str, Any]:
    return {"type": 18, "label": "l", "component": component, **more}


def modal(*components: Any, **more: Any) -> dict[str, Any]:
    return {"custom_id": "m", "title": "t", "components": list(components), **more}


INPUT = field(4, style=1)


@pytest.mark.parametrize(
    "component",
    [
        INPUT,
        field(4, style=2, min_length=0, max_length=4000, value="v", placeholder="p", required=False),
        field(3, options=OPTIONS, max_values=3),
        *(field(type_) for type_ in (5, 6, 7, 8)),
        field(19, min_values=1, max_values=10, file_types=["image", ".pdf"]),
        field(19, min_values=0, required=False),
        field(21, options=OPTIONS[:2]),
        field(22, options=OPTIONS, min_values=1, max_values=3),
        field(23, default=True),
    ],
)
def test_such_a_field_is_valid_in_a_label(component: dict[str, Any]) -> None:
    assert faults(MODAL, modal(label(component), {"type": 10, "content": "between"})) == []


@pytest.mark.parametrize(
    ("component", "fault"),
    [
        ({"type": 4, "style": 1}, "custom_id: BASE_TYPE_REQUIRED"),
        (field(4), "style: BASE_TYPE_REQUIRED"),
        (field(4, style=1, max_length=4001), "max_length: NUMBER_TYPE_MAX"),
        (field(4, style=1, min_length=5, max_length=4), "min_length: NUMBER_TYPE_MAX"),
        (field(4, style=1, max_length=2, value="abc"), "value: BASE_TYPE_MAX_LENGTH"),
        (field(3, options=OPTIONS, disabled=True), "disabled: COMPONENT_DISABLED_IN_MODAL"),
        (field(3, options=OPTIONS, min_values=0), "min_values: NUMBER_TYPE_MIN"),
        (field(19, max_values=11), "max_values: NUMBER_TYPE_MAX"),
        (field(19, min_values=3, max_values=2), "min_values: NUMBER_TYPE_MAX"),
        (field(21, options=OPTIONS[:1]), "options: BASE_TYPE_BAD_LENGTH"),
        (field(21, options=[OPTIONS[0]] * 2), "options.1.value: SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"),
        (field(21, options=[{**one, "default": True} for one in OPTIONS]),
         "options: SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES"),
        (field(22, options=OPTIONS, max_values=4), "max_values: NUMBER_TYPE_MAX"),
        (field(2, style=1, label="l"), None),
    ],
)  # fmt: skip
def test_such_a_field_does_not(component: dict[str, Any], fault: str | None) -> None:
    expected = f"components.0.component{'.' + fault if fault else ': UNION_TYPE_CHOICES'}"

    assert faults(MODAL, modal(label(component))) == [expected]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (modal(), "components: BASE_TYPE_REQUIRED"),
        (modal(*([label(INPUT)] * 6)), "components: BASE_TYPE_BAD_LENGTH"),
        (modal(label(INPUT), title="x" * 46), "title: BASE_TYPE_BAD_LENGTH"),
        (modal(label(INPUT), custom_id="x" * 101), "custom_id: BASE_TYPE_BAD_LENGTH"),
        (modal(label(INPUT, label="x" * 46)), "components.0.label: BASE_TYPE_BAD_LENGTH"),
        (modal(label(INPUT, description="x" * 101)), "components.0.description: BASE_TYPE_MAX_LENGTH"),
        (modal(label(INPUT), label(INPUT)),
         "components.1.component.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED"),
        (modal({"type": 1, "components": [INPUT]}), "components.0.components.0.label: BASE_TYPE_REQUIRED"),
        (modal({"type": 1, "components": [{**INPUT, "label": "l"}]}), None),
    ],
)  # fmt: skip
def test_a_modal(body: dict[str, Any], fault: str | None) -> None:
    assert faults(MODAL, body) == ([] if fault is None else [fault])

"""Validate components of messages, classic and V2: which may contain which, how many, how long.

https://docs.discord.com/developers/components/reference
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..state.models import Json
from .schema import (
    CrossFieldRule,
    Field,
    Flag,
    Id,
    ListOf,
    Object,
    OneOf,
    Path,
    Problem,
    Required,
    TextField,
    Typed,
    Url,
    WholeNumber,
)

_DOCS = "https://docs.discord.com/developers/components/reference"
_MAX_COMPONENTS = 40
_MAX_TEXT_CHARS = 4000
_DISPLAY_BYTES = 12
# Button styles; then the component types of selects.
_LINK, _PREMIUM = 5, 6
_SELECTS = (3, 5, 6, 7, 8)

_ID: dict[str, Field] = {"id": WholeNumber(0, 2**31 - 1)}
_CUSTOM_ID = TextField(1, 100, trim=False)


def _needs_emoji(emoji: Json, path: Path) -> Iterator[Problem]:
    if emoji.get("id") is None and not emoji.get("name"):
        yield Problem((*path, "name"), "BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")


EMOJI = Object(
    "emoji of a component",
    f"{_DOCS}#button-button-structure",
    {"id": Id(), "name": TextField(maximum=32), "animated": Flag()},
    (CrossFieldRule("has an id or a name", _needs_emoji),),
)


def _button_fields(button: Json, path: Path) -> Iterator[Problem]:
    style = int(button["style"])
    custom_id, url, sku = button.get("custom_id"), button.get("url"), button.get("sku_id")
    if style == _PREMIUM:
        if sku is None:
            yield Problem((*path, "sku_id"), "BASE_TYPE_REQUIRED", "This field is required")
        for name in ("custom_id", "label", "url", "emoji"):
            if button.get(name) is not None:
                said = "Premium buttons take nothing but a sku_id"
                yield Problem((*path, name), "BUTTON_COMPONENT_INVALID_FIELD", said)
        return
    if custom_id is not None and url is not None:
        code = "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE"
        for name in ("custom_id", "url"):
            yield Problem((*path, name), code, "A custom id and url cannot both be specified")
    elif style == _LINK and url is None:
        yield Problem((*path, "url"), "BASE_TYPE_REQUIRED", "This field is required")
    elif style == _LINK and custom_id is not None:
        yield Problem(
            (*path, "custom_id"), "BUTTON_COMPONENT_INVALID_FIELD", "Link buttons have no custom id"
        )
    elif style != _LINK and custom_id is None:
        code = "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED"
        yield Problem((*path, "custom_id"), code, "A custom id is required")
    elif style != _LINK and url is not None:
        yield Problem((*path, "url"), "BUTTON_COMPONENT_INVALID_FIELD", "Only link buttons have a url")


def _button_says_something(button: Json, path: Path) -> Iterator[Problem]:
    if int(button["style"]) != _PREMIUM and not button.get("label") and not button.get("emoji"):
        code = "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED"
        yield Problem(path, code, "A label or an emoji is required")


BUTTON = Object(
    "button",
    f"{_DOCS}#button",
    {
        **_ID,
        "style": Required(OneOf((1, 2, 3, 4, 5, 6))),
        "label": TextField(maximum=80),
        "emoji": EMOJI,
        "custom_id": _CUSTOM_ID,
        "url": Url(("http", "https", "discord"), 512),
        "sku_id": Id(),
        "disabled": Flag(),
    },
    (
        CrossFieldRule(
            "custom_id, or url for a link, or sku_id for a premium button; never two", _button_fields
        ),
        CrossFieldRule("has a label or an emoji", _button_says_something),
    ),
)

SELECT_OPTION = Object(
    "option of a select",
    f"{_DOCS}#string-select-select-option-structure",
    {
        "label": Required(TextField(1, 100)),
        "value": Required(TextField(1, 100, trim=False)),
        "description": TextField(maximum=100),
        "emoji": EMOJI,
        "default": Flag(),
    },
)


def _choices(select: Json, path: Path) -> Iterator[Problem]:
    options = select.get("options") or []
    minimum, maximum = _number(select, "min_values", 1), _number(select, "max_values", 1)
    # Selects of users, roles and channels have no options.
    if "options" in select and maximum > len(options):
        said = f"max_values value should be less than or equal to {len(options)}."
        yield Problem((*path, "max_values"), "NUMBER_TYPE_MAX", said)
    if minimum > maximum:
        said = f"min_values value should be less than or equal to {maximum}."
        yield Problem((*path, "min_values"), "NUMBER_TYPE_MAX", said)
    yield from _option_values(options, (*path, "options"), maximum)


def _option_values(options: Sequence[Json], path: Path, maximum: int) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, option in enumerate(options):
        if str(option["value"]) in seen:
            code = "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"
            said = "The specified option value is already used"
            yield Problem((*path, str(index), "value"), code, said)
        seen.add(str(option["value"]))
    if sum(bool(option.get("default")) for option in options) > maximum:
        code = "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES"
        yield Problem(
            path, code, "The specified number of default values exceeds the specified maximum values"
        )


def _number(holder: Json, name: str, default: int) -> int:
    given = holder.get(name)
    return default if given is None else int(given)


SELECT_FIELDS: dict[str, Field] = {
    **_ID,
    "custom_id": Required(_CUSTOM_ID),
    "placeholder": TextField(maximum=150),
    "min_values": WholeNumber(0, 25),
    "max_values": WholeNumber(1, 25),
    "disabled": Flag(),
}
CHOICES = CrossFieldRule("as many options as max_values, values differ, defaults fit", _choices)
STRING_SELECT = Object(
    "string select",
    f"{_DOCS}#string-select",
    {**SELECT_FIELDS, "options": Required(ListOf(SELECT_OPTION, 1, 25))},
    (CHOICES,),
)
DEFAULT_VALUE = Object(
    "default value of a select",
    f"{_DOCS}#user-select-select-default-value-structure",
    {"id": Required(Id()), "type": Required(OneOf(("user", "role", "channel")))},
)
ENTITY_SELECT = Object(
    "select of users, roles, mentionables or channels",
    f"{_DOCS}#user-select",
    {
        **SELECT_FIELDS,
        "default_values": ListOf(DEFAULT_VALUE, 0, 25),
        "channel_types": ListOf(OneOf((0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16)), 0, 25),
    },
    (CHOICES,),
)
SELECTS: dict[int, Field] = {3: STRING_SELECT, **dict.fromkeys((5, 6, 7, 8), ENTITY_SELECT)}


def _row_width(row: Json, path: Path) -> Iterator[Problem]:
    # A select is as wide as five buttons.
    width = 0
    for index, one in enumerate(row["components"]):
        width += 5 if one["type"] in _SELECTS else 1
        if width > 5:
            said = "The specified component exceeds the maximum width"
            yield Problem((*path, "components", str(index)), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", said)


ROW = Object(
    "action row",
    f"{_DOCS}#action-row",
    {**_ID, "components": Required(ListOf(Typed("button or select", {2: BUTTON, **SELECTS}), 1, 5))},
    (CrossFieldRule("five buttons, or one select", _row_width),),
)
TEXT_DISPLAY = Object(
    "text display", f"{_DOCS}#text-display", {**_ID, "content": Required(TextField(1, _MAX_TEXT_CHARS))}
)
MEDIA = Object(
    "media item",
    f"{_DOCS}#unfurled-media-item",
    {"url": Required(Url(("http", "https", "attachment")))},
)
OWN_FILE = Object("file of the same message", f"{_DOCS}#file", {"url": Required(Url(("attachment",)))})
THUMBNAIL = Object(
    "thumbnail",
    f"{_DOCS}#thumbnail",
    {**_ID, "media": Required(MEDIA), "description": TextField(maximum=1024), "spoiler": Flag()},
)
SECTION = Object(
    "section",
    f"{_DOCS}#section",
    {
        **_ID,
        "components": Required(ListOf(Typed("text display", {10: TEXT_DISPLAY}), 1, 3)),
        "accessory": Required(Typed("button or thumbnail", {2: BUTTON, 11: THUMBNAIL})),
    },
)
GALLERY_ITEM = Object(
    "item of a media gallery",
    f"{_DOCS}#media-gallery",
    {"media": Required(MEDIA), "description": TextField(maximum=1024), "spoiler": Flag()},
)
GALLERY = Object(
    "media gallery", f"{_DOCS}#media-gallery", {**_ID, "items": Required(ListOf(GALLERY_ITEM, 1, 10))}
)
FILE = Object("file", f"{_DOCS}#file", {**_ID, "file": Required(OWN_FILE), "spoiler": Flag()})
SEPARATOR = Object("separator", f"{_DOCS}#separator", {**_ID, "divider": Flag(), "spacing": OneOf((1, 2))})
# Containers cannot be nested.
_IN_CONTAINER: dict[int, Field] = {
    1: ROW, 9: SECTION, 10: TEXT_DISPLAY, 12: GALLERY, 13: FILE, 14: SEPARATOR,
}  # fmt: skip
CONTAINER = Object(
    "container",
    f"{_DOCS}#container",
    {
        **_ID,
        "components": Required(ListOf(Typed("component of a container", _IN_CONTAINER), 1, _MAX_COMPONENTS)),
        "accent_color": WholeNumber(0, 0xFFFFFF),
        "spoiler": Flag(),
    },
)
CLASSIC = ListOf(Typed("action row", {1: ROW}), 0, 5)
"""The components of a message without the V2 flag."""
V2 = ListOf(Typed("component of a V2 message", {**_IN_CONTAINER, 17: CONTAINER}), 0, _MAX_COMPONENTS)
"""The components of a message with the V2 flag."""


# The whole tree


def walk(components: Sequence[Json]) -> Iterator[Json]:
    """Return every component, with those inside it."""
    return (one for _, one in walk_paths(components, ()))


def walk_paths(components: Sequence[Json], path: Path) -> Iterator[tuple[Path, Json]]:
    """Return every component with its path."""
    for index, component in enumerate(components):
        here = (*path, str(index))
        yield here, component
        yield from walk_paths(component.get("components") or [], (*here, "components"))
        # Sections have an accessory, labels of modals a component.
        for name in ("accessory", "component"):
            if component.get(name):
                yield (*here, name), component[name]


def component_texts(components: Sequence[Json]) -> list[str]:
    """Return the texts shown by components; they can ping like content."""
    return [str(one.get("content", "")) for one in walk(components) if one.get("type") == 10]


def text_bytes(components: Sequence[Json]) -> int:
    """Return the bytes that all texts take in Discord's undocumented limit, see `TwinOptions.v2_text_bytes`."""
    texts = component_texts(components)
    return sum(len(text.encode("utf-8", "surrogatepass")) + _DISPLAY_BYTES for text in texts)


def _unique(name: str, code: str, said: str) -> CrossFieldRule:
    def find(components: Sequence[Json], path: Path) -> Iterator[Problem]:
        seen: set[Any] = set()
        for here, one in walk_paths(components, path):
            given = one.get(name)
            if given in seen:
                yield Problem((*here, name), code, said)
            if given:
                seen.add(given)

    return CrossFieldRule(f"every {name} only once", find)


def _too_many(components: Sequence[Json], path: Path) -> Iterator[Problem]:
    if sum(1 for _ in walk(components)) > _MAX_COMPONENTS:
        said = f"The maximum number of components is {_MAX_COMPONENTS}"
        yield Problem(path, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", said)


def _too_much_text(components: Sequence[Json], path: Path) -> Iterator[Problem]:
    if sum(map(len, component_texts(components))) > _MAX_TEXT_CHARS:
        said = f"The total text size of all components exceeds the maximum of {_MAX_TEXT_CHARS}"
        yield Problem(path, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", said)


TREE_RULES = (
    _unique("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"),
    _unique("id", "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated"),
    CrossFieldRule(f"at most {_MAX_COMPONENTS} components, those inside others included", _too_many),
    CrossFieldRule(f"at most {_MAX_TEXT_CHARS} characters in all text displays together", _too_much_text),
)
"""Rules about all components of a message together."""

OBJECTS = (
    ROW, BUTTON, EMOJI, STRING_SELECT, SELECT_OPTION, ENTITY_SELECT, DEFAULT_VALUE, SECTION, TEXT_DISPLAY,
    THUMBNAIL, MEDIA, GALLERY, GALLERY_ITEM, FILE, OWN_FILE, SEPARATOR, CONTAINER,
)  # fmt: skip

"""Check JSON from outside against the part of JSON Schema that the control API describes its bodies with.

The same dictionaries are printed in its OpenAPI document, so the document cannot differ from what is checked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..state.models import Json

MAX_TEXT_CHARS = 100_000
"""Default for the characters of one text."""


class InvalidBody(ValueError):
    """A body does not fit its schema; the message names the place."""


# Schemas


def text(about: str = "", *, choices: tuple[str, ...] = (), max_chars: int = MAX_TEXT_CHARS) -> Json:
    """Describe a text."""
    schema: Json = {"type": "string", "description": about}
    return {**schema, "enum": [*choices]} if choices else {**schema, "maxLength": max_chars}


def integer(about: str = "", minimum: int = 0, maximum: int = (1 << 53) - 1) -> Json:
    """Describe a whole number."""
    return {"type": "integer", "description": about, "minimum": minimum, "maximum": maximum}


def number(about: str = "", minimum: float = 0.0, maximum: float = 1e9) -> Json:
    """Describe a number."""
    return {"type": "number", "description": about, "minimum": minimum, "maximum": maximum}


def boolean(about: str = "") -> Json:
    """Describe a truth value."""
    return {"type": "boolean", "description": about}


def array(items: Json, about: str = "", maximum: int = 1000) -> Json:
    """Describe a list."""
    return {"type": "array", "description": about, "items": items, "maxItems": maximum}


def record(fields: Json | None = None, required: tuple[str, ...] = (), about: str = "") -> Json:
    """Describe an object; without fields it may hold anything."""
    schema: Json = {"type": "object", "description": about}
    if fields is None:
        return schema
    schema |= {"properties": fields, "additionalProperties": False}
    return {**schema, "required": [*required]} if required else schema


# Checking


def check(schema: Json, value: Any, at: str = "body") -> None:  # noqa: ANN401 - from outside
    """Compare a value with a schema.

    Raises:
        InvalidBody: It does not fit.

    """
    kind = schema.get("type")
    if kind is None:
        return
    if not _IS[kind](value):
        raise InvalidBody(f"{at}: expected {_NAMES[kind]}, not {_describe(value)}")
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidBody(f"{at}: {_describe(value)} is none of {', '.join(schema['enum'])}")
    if kind == "string" and len(value) > schema.get("maxLength", len(value)):
        raise InvalidBody(f"{at}: longer than {schema['maxLength']} characters")
    if kind in {"integer", "number"} and not schema["minimum"] <= value <= schema["maximum"]:
        raise InvalidBody(f"{at}: not between {schema['minimum']} and {schema['maximum']}")
    if kind == "array":
        _check_items(schema, value, at)
    if kind == "object" and "properties" in schema:
        _check_fields(schema, value, at)


def _check_items(schema: Json, value: list[Any], at: str) -> None:
    if len(value) > schema["maxItems"]:
        raise InvalidBody(f"{at}: more than {schema['maxItems']} elements")
    for index, one in enumerate(value):
        check(schema["items"], one, f"{at}[{index}]")


def _check_fields(schema: Json, value: Json, at: str) -> None:
    fields = schema["properties"]
    for name, inner in value.items():
        if name not in fields:
            raise InvalidBody(f"{at}: there is no field {_describe(name)}, but {', '.join(fields) or 'none'}")
        check(fields[name], inner, f"{at}.{name}")
    for name in schema.get("required", ()):
        if name not in value:
            raise InvalidBody(f"{at}: the field {name} is missing")


def _is_number(value: object) -> bool:
    # `json.loads` reads Infinity and NaN, which no clock and no limit can use.
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_IS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def _describe(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"

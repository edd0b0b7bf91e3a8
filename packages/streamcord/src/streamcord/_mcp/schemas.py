"""Names, descriptions and argument schemas of a server's tools: what is wrong is left out, with a reason in words.

A server is not trusted. Its schemas go to the model and decide which arguments pass, so they are bounded, may not
recurse, and hold no regular expressions that could run for ever.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import jsonschema  # type: ignore[import-untyped]

from .._common.control_characters import strip_controls
from .._exceptions import ToolError

MAX_SCHEMA_CHARS = 32 * 1024
MAX_DEPTH = 24
MAX_PARTS = 5000
MAX_NAME_CHARS = 64
"""Longest name of a tool that all providers accept."""
MAX_DESCRIPTION_CHARS = 1024
MAX_ARGUMENT_CHARS = 256 * 1024
MAX_CHECKS = 500_000
"""Parts of the schema times parts of the arguments: how often a part may have to be compared with another."""
_NAME = re.compile(r"[^A-Za-z0-9_-]+")
# Keywords that hold regular expressions, name formats, compare all items with each other, or only describe.
_DROPPED = frozenset(
    {"pattern", "format", "uniqueItems", "$schema", "$id", "examples", "default", "$comment"}
)
_NEVER = frozenset({"patternProperties", "$defs", "definitions", "$dynamicRef", "$anchor", "$dynamicAnchor"})


def tool_name(server: str, name: str) -> str:
    """Return the name by which the model calls a tool: the server's name in front, so that none imitates another.

    Raises:
        ValueError: The tool has no usable name.

    """
    cleaned = _NAME.sub("_", name[: 4 * MAX_NAME_CHARS]).strip("_")
    if not cleaned:
        raise ValueError("its name has no letters")
    return f"{server}_{cleaned}"[:MAX_NAME_CHARS]


def clean_description(text: str | None) -> str:
    """Return a description without controls, cut to its limit."""
    # Cut first: a server may send megabytes.
    cleaned = strip_controls((text or "")[: 4 * MAX_DESCRIPTION_CHARS]).strip()
    return cleaned if len(cleaned) <= MAX_DESCRIPTION_CHARS else cleaned[: MAX_DESCRIPTION_CHARS - 1] + "…"


def clean_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the argument schema of a tool without what is not needed.

    Raises:
        ValueError: It cannot be used; the message says why.

    """
    try:
        if len(json.dumps(schema)) > MAX_SCHEMA_CHARS:
            raise ValueError(f"its schema has more than {MAX_SCHEMA_CHARS} characters")
    except RecursionError:
        raise ValueError("its schema is nested too deeply") from None
    if schema.get("type", "object") != "object":
        raise ValueError("its arguments are no object")
    cleaned: dict[str, Any] = _Resolver(schema).resolve(schema)
    cleaned["type"] = "object"
    properties = cleaned.get("properties", {})
    if not isinstance(properties, dict):
        raise ValueError("its arguments have no names")  # noqa: TRY004 - of the server, not of the caller
    cleaned["properties"] = properties
    try:
        if len(json.dumps(cleaned)) > MAX_SCHEMA_CHARS:
            raise ValueError(f"its schema has more than {MAX_SCHEMA_CHARS} characters")
        jsonschema.Draft202012Validator.check_schema(cleaned)
    except jsonschema.SchemaError as error:
        raise ValueError(f"its schema is wrong: {strip_controls(str(error.message))[:200]}") from None
    return cleaned


class _Resolver:
    """Resolves the references of one schema; one that leads to itself, or grows without end, is refused."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        # Parts that were resolved: references to references multiply.
        self._parts = 0

    def resolve(self, part: Any, refs: tuple[str, ...] = (), depth: int = 0) -> Any:  # noqa: ANN401 - JSON
        """Return a part of the schema without references and without what is dropped."""
        self._parts += 1
        if depth > MAX_DEPTH or self._parts > MAX_PARTS:
            raise ValueError("its schema is nested too deeply")
        if isinstance(part, list):
            return [self.resolve(one, refs, depth + 1) for one in part]
        if not isinstance(part, Mapping):
            return part
        if isinstance(ref := part.get("$ref"), str):
            if ref in refs:
                raise ValueError("its schema refers to itself")
            return self.resolve(_find(self._root, ref), (*refs, ref), depth + 1)
        return {
            str(key): self.resolve(value, refs, depth + 1)
            for key, value in part.items()
            if not _is_dropped(key, value)
        }


def _is_dropped(key: object, value: object) -> bool:
    """Whether a keyword is left out; a property of that name has a schema, which is an object."""
    return key in _NEVER or (key in _DROPPED and not isinstance(value, Mapping))


def _find(root: Mapping[str, Any], ref: str) -> Any:  # noqa: ANN401 - JSON
    if not ref.startswith("#/"):
        raise ValueError("its schema refers to another document")
    found: Any = root
    for name in ref.removeprefix("#/").split("/"):
        found = found.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        raise ValueError(f"its schema has no {strip_controls(ref)[:80]}")  # noqa: TRY004
    return found


def check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raise `ToolError` for arguments that do not fit; the message tells the model what is wrong."""
    if len(json.dumps(arguments, default=str)) > MAX_ARGUMENT_CHARS:
        raise ToolError(f"The arguments have more than {MAX_ARGUMENT_CHARS} characters.")
    if count_parts(schema) * count_parts(arguments) > MAX_CHECKS:
        raise ToolError("The arguments have too many parts to be checked.")
    error = next(iter(jsonschema.Draft202012Validator(schema).iter_errors(dict(arguments))), None)
    if error is not None:
        where = ".".join(map(str, error.absolute_path)) or "arguments"
        raise ToolError(f"{where}: {strip_controls(error.message[:1000])[:300]}")


def count_parts(value: Any) -> int:  # noqa: ANN401 - JSON
    """Return how many objects, lists and values there are in a JSON value."""
    count, left = 0, [value]
    while left:
        one = left.pop()
        count += 1
        if isinstance(one, Mapping):
            left += one.values()
        elif isinstance(one, list):
            left += one
    return count

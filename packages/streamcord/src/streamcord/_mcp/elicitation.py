"""What a server wants to know from the user, as a question with buttons or a form.

https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import mcp_types

from .._common.control_characters import strip_controls
from .._events import Ask, AskField, AskOption, Decision
from .._exceptions import ToolError

ACCEPT, DECLINE, FORM = "accept", "decline", "form"
MAX_BUTTONS = 20
MAX_FIELDS = 5
MAX_MESSAGE_CHARS = 1200
_CHOICE = "choice:"


def as_ask(server: str, params: Any, state: Mapping[str, Any], expires: float) -> Ask:  # noqa: ANN401 - of the SDK
    """Return the question of a server.

    Args:
        server: The server's name, which the question says.
        params: What it wants to know.
        state: What is needed to send the answer.
        expires: Seconds until no one can answer any more.

    Raises:
        ToolError: It cannot be asked.

    """
    # Cut first: a server may send megabytes.
    text = strip_controls(str(params.message)[: 4 * MAX_MESSAGE_CHARS]).strip()[:MAX_MESSAGE_CHARS]
    question = f"🔌 **{server}**: {text or '…'}"
    options = [AskOption("OK", ACCEPT, style="good")]
    if isinstance(params, mcp_types.ElicitRequestURLParams):
        question += f"\n<{_web_address(params.url)}>"
    else:
        options = _options(_properties(params.requested_schema))
    try:
        return Ask(
            question,
            [*options, AskOption("✕", DECLINE)],
            expires=expires,
            notice=True,
            state=json.dumps(state),
        )
    except ValueError as error:
        raise ToolError(f"The server asks something that cannot be shown: {error}.") from None


def _web_address(url: str) -> str:
    parts = urlsplit(strip_controls(url))
    if parts.scheme not in {"https", "http"} or not parts.hostname or len(url) > 500 or ">" in url:
        raise ToolError("The server wants to open an address that is not allowed.")
    return url


def _properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found = schema.get("properties", {})
    if not isinstance(found, Mapping) or not all(isinstance(one, Mapping) for one in found.values()):
        raise ToolError("The server asks with a schema that cannot be read.")
    listed = schema.get("required", ())
    required = set(map(str, listed)) if isinstance(listed, list) else set()
    # A form has five fields: what is optional may be left out.
    names = sorted(map(str, found), key=lambda name: name not in required)[:MAX_FIELDS]
    if len(required.intersection(map(str, found))) > MAX_FIELDS:
        raise ToolError(f"The server asks for {len(required)} values at once; {MAX_FIELDS} are possible.")
    return {str(name): one for name, one in found.items() if str(name) in names}


def _options(properties: Mapping[str, Mapping[str, Any]]) -> list[AskOption]:
    """Return buttons for one choice, else one that opens a form."""
    if not properties:
        return [AskOption("OK", ACCEPT, style="good")]
    if len(properties) == 1:
        choices = _choices(next(iter(properties.values())))
        if choices and len(choices) <= MAX_BUTTONS:
            return [
                AskOption(_short(label, 80), f"{_CHOICE}{number}")
                for number, (label, _) in enumerate(choices)
            ]
    fields = tuple(
        AskField(
            name[:100],
            _short(str(one.get("title") or name), 45),
            required=False,
            long=one.get("type") == "string" and not _choices(one),
        )
        for name, one in properties.items()
    )
    return [AskOption("…", FORM, style="main", fields=fields)]


def _short(text: str, limit: int) -> str:
    cleaned = " ".join(strip_controls(text[: 8 * limit]).split()) or "…"
    return cleaned if len(cleaned) <= limit else cleaned[: limit - 1] + "…"


def _choices(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the labels and values of an enum or a boolean; empty for anything else."""
    if schema.get("type") == "boolean":
        return [("✓", True), ("✗", False)]
    listed = schema.get("oneOf") or schema.get("anyOf")
    if isinstance(listed, list):
        return [
            (str(one.get("title", one.get("const"))), one.get("const"))
            for one in listed
            if isinstance(one, Mapping)
        ]
    values = schema.get("enum")
    if not isinstance(values, list):
        return []
    names = schema.get("enumNames")
    labels = names if isinstance(names, list) and len(names) == len(values) else values
    return [(str(label), value) for label, value in zip(labels, values, strict=True)]


def as_response(params: Any, decision: Decision) -> mcp_types.ElicitResult:  # noqa: ANN401 - of the SDK
    """Return what the server is told about a decision.

    Raises:
        ToolError: What was typed does not fit.

    """
    if decision.value == DECLINE:
        return mcp_types.ElicitResult(action="decline")
    if isinstance(params, mcp_types.ElicitRequestURLParams) or decision.value == ACCEPT:
        return mcp_types.ElicitResult(action="accept", content={})
    properties = _properties(params.requested_schema)
    if decision.value.startswith(_CHOICE):
        name, schema = next(iter(properties.items()))
        _, value = _choices(schema)[int(decision.value.removeprefix(_CHOICE))]
        return mcp_types.ElicitResult(action="accept", content={name: value})
    content = {
        name: _value_of(name, schema, text)
        for name, schema in properties.items()
        if (text := decision.inputs.get(name[:100], "").strip())
    }
    return mcp_types.ElicitResult(action="accept", content=content)


def _value_of(name: str, schema: Mapping[str, Any], text: str) -> Any:  # noqa: ANN401 - JSON
    """Return what was typed in the type of the field."""
    if choices := _choices(schema):
        known = {label.casefold(): value for label, value in choices}
        known |= {str(value).casefold(): value for _, value in choices}
        if text.casefold() not in known:
            raise ToolError(f"The user typed {text[:80]!r} for {name!r}, which is none of its values.")
        return known[text.casefold()]
    kinds = {"integer": int, "number": float}
    kind = kinds.get(str(schema.get("type")))
    try:
        value = kind(text) if kind else text
    except ValueError:
        value = math.nan
    if isinstance(value, float) and not math.isfinite(value):
        # JSON has no such number.
        raise ToolError(f"The user typed {text[:80]!r} for {name!r}, which is no number.")
    return value

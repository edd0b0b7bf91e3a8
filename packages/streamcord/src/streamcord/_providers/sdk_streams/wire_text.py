"""Recognize the text of an HTTP response of a model's API, which is no answer: `data: {"choices": ...}`.

A source that passes on such lines would show them to people. What a model writes never looks like this: it arrives in
pieces, and a whole event of an API is longer than one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..apis.base import as_dict, as_text, dict_items

WIRE_ADVICE = (
    "is a line of an HTTP response: let an SDK or `HttpProvider` make the request, or yield "
    "`json.loads(line.removeprefix('data: '))` for each line of data and wrap that, for example in "
    "`from_openai(...)`"
)
_EVENTS = {"message_start", "content_block_start", "content_block_delta"}
MAX_CHARS = 64 * 1024


def is_wire_text(text: str) -> bool:
    """Return whether a text begins with an event of an API, as a line of server-sent events or as JSON."""
    line = text[:MAX_CHARS].lstrip().partition("\n")[0].strip()
    if line.startswith("event:"):
        return _is_named(line.removeprefix("event:").strip())
    data = line.removeprefix("data:").strip()
    if not data.startswith("{"):
        return False
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return _is_event(as_dict(values))


def _is_event(values: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is an event of one of the APIs."""
    if _is_named(as_text(values.get("type"))):
        return True
    if as_text(values.get("object")).startswith(("chat.completion", "text_completion")):
        return "choices" in values
    return any("delta" in choice for choice in dict_items(values.get("choices"))) or any(
        "parts" in as_dict(candidate.get("content")) for candidate in dict_items(values.get("candidates"))
    )


def _is_named(name: str) -> bool:
    return name in _EVENTS or name.startswith("response.")

"""Collect the blocks of an answer of Claude as they must be sent back, so that a paused answer continues.

The server ends an answer with `pause_turn` in the middle of its own tools, and with `compaction` after it has
summarized the conversation. https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .base import as_dict, as_text

MAX_BLOCKS = 1000

# The kinds of deltas that extend a text field of their block.
_TEXT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "text_delta": ("text",),
    "thinking_delta": ("thinking",),
    "signature_delta": ("signature",),
    "compaction_delta": ("content", "encrypted_content"),
}


class BlockCollector:
    """The blocks of one answer, each as its start and deltas say."""

    def __init__(self) -> None:
        self._blocks: dict[object, dict[str, Any]] = {}
        # Texts by block and field, joined at the end.
        self._texts: dict[object, dict[str, list[str]]] = {}
        self._inputs: dict[object, list[str]] = {}
        self._is_full = False

    def start(self, index: object, block: Mapping[str, Any]) -> None:
        """Begin a block."""
        self._is_full = self._is_full or len(self._blocks) >= MAX_BLOCKS
        if not self._is_full:
            self._blocks[index] = dict(block)
            self._texts[index] = {}

    def extend(self, index: object, delta: Mapping[str, Any]) -> None:
        """Add a delta to its block."""
        block = self._blocks.get(index)
        if block is None:
            return
        kind = as_text(delta.get("type"))
        for field in _TEXT_FIELDS.get(kind, ()):
            if text := as_text(delta.get(field)):
                texts = self._texts[index].setdefault(field, [as_text(block.get(field))])
                texts.append(text)
        if kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(as_text(delta.get("partial_json")))
        elif kind == "citations_delta" and delta.get("citation") is not None:
            known = block.get("citations")
            block["citations"] = [*(known if isinstance(known, list) else ()), delta["citation"]]

    def input_of(self, index: object) -> Mapping[str, Any]:
        """Return the input of a tool that the server runs; empty if it is incomplete."""
        try:
            written: object = json.loads("".join(self._inputs.get(index, ())) or "null")
        except (ValueError, RecursionError):
            return {}
        block = self._blocks.get(index, {})
        return as_dict(written) or as_dict(block.get("input"))

    def content(self) -> list[dict[str, Any]]:
        """Return the blocks; empty if they are incomplete, so that they must not be sent back."""
        if self._is_full:
            return []
        for index, fields in self._texts.items():
            self._blocks[index].update({field: "".join(texts) for field, texts in fields.items()})
        for index, parts in self._inputs.items():
            if not (written := "".join(parts)):
                continue
            try:
                self._blocks[index]["input"] = json.loads(written)
            except (ValueError, RecursionError):
                return []
        # The API refuses texts without words.
        return [
            one
            for one in self._blocks.values()
            if one.get("type") != "text" or as_text(one.get("text")).strip()
        ]

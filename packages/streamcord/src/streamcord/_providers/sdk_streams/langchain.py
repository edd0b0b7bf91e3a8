"""LangChain: `astream` and `astream_events` of a model or a chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

from ..._events import Finish, FinishReason, ProviderEvent, TextDelta, ThoughtDelta, Usage
from ..apis.base import KEEP_ALIVE, as_dict, as_text, count, dict_items
from ..tool_calls import CallAssembler
from .chunks import FINISH_REASONS, describe

_LANGCHAIN_REASONS = ("finish_reason", "stop_reason", "done_reason")


class LangChainReader:
    """Reads `AIMessageChunk`s, alone or with their metadata; not every integration says how it ended."""

    ended = False

    def __init__(self) -> None:
        self._calls = CallAssembler()
        self._usage = Usage()
        self._reason = FinishReason.STOP

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        """What one object says; messages of people and tools are not the model's words."""
        chunk = chunk[0] if isinstance(chunk, tuple) and chunk else chunk
        if not hasattr(chunk, "content"):
            raise TypeError(f"the stream yielded {describe(chunk)}")
        if getattr(chunk, "type", "") not in {"ai", "AIMessageChunk"}:
            return [KEEP_ALIVE]
        out: list[ProviderEvent] = []
        if thought := as_text(as_dict(chunk.additional_kwargs).get("reasoning_content")):
            out.append(ThoughtDelta(thought))
        blocks = chunk.content if isinstance(chunk.content, list) else [chunk.content]
        out += [said for block in blocks if (said := _block(block))]
        for piece in getattr(chunk, "tool_call_chunks", None) or ():
            self._calls.feed(
                index=piece.get("index"),
                id=piece.get("id") or "",
                name=piece.get("name") or "",
                arguments=piece.get("args"),
            )
        metadata = as_dict(chunk.response_metadata)
        reason = next((metadata[key] for key in _LANGCHAIN_REASONS if metadata.get(key)), "")
        self._reason = FINISH_REASONS.get(str(reason).lower(), self._reason)
        return out + self._count(as_dict(getattr(chunk, "usage_metadata", None)))

    def restart(self) -> None:
        """Begin the next message; token counts are of the whole run."""
        self._calls = CallAssembler()
        self._reason = FinishReason.STOP

    def flush(self) -> list[ProviderEvent]:
        """The calls, and the end."""
        calls = self._calls.flush()
        return [*calls, Finish(FinishReason.TOOL_CALLS if calls else self._reason)]

    def _count(self, usage: Mapping[str, Any]) -> list[ProviderEvent]:
        """The usage of chunks adds up."""
        if not usage:
            return []
        new = (
            count(usage, "input_tokens"),
            count(usage, "output_tokens"),
            count(usage, "output_token_details.reasoning"),
            count(usage, "input_token_details.cache_read"),
        )
        self._usage = Usage(*(old + more for old, more in zip(astuple(self._usage), new, strict=True)))
        return [self._usage]


def _block(block: object) -> ProviderEvent | None:
    """What a block of a message's content says: words, or thoughts under the names of several makers."""
    if isinstance(block, str):
        return TextDelta(block) if block else None
    values = as_dict(block)
    if text := as_text(values.get("text")):
        return TextDelta(text)
    summary = "".join(as_text(part.get("text")) for part in dict_items(values.get("summary")))
    thought = as_text(values.get("thinking")) or as_text(values.get("reasoning")) or summary
    return ThoughtDelta(thought) if thought else None

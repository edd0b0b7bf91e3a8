"""What the objects of other libraries say, read without importing one: they are known by what they have.

The libraries are openai, anthropic, google-genai, litellm, LangChain and pydantic-ai.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol

from ..._events import FinishReason, ProviderEvent
from ..apis.base import KEEP_ALIVE, ServerEvent
from ..apis.registry import Decoder, Google, OpenAIChat, OpenAIResponses
from .wire_text import WIRE_ADVICE, is_wire_text

FINISH_REASONS: Mapping[str, FinishReason] = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    "refusal": FinishReason.FILTERED,
    "safety": FinishReason.FILTERED,
}
# Where frameworks put the text of a chunk.
_PIECE = re.compile(r"(?i)chunk|delta|event|part(?!ial)|message|token|streamresponse")
_TEXT_FIELDS = ("content", "text", "delta", "chunk", "token")
_ADVICE: tuple[tuple[Any, str], ...] = (
    (bytes | bytearray | memoryview, "decode it first (str is what a source yields)"),
    (type(None), 'leave it out, or yield "" for nothing'),
    (int | float | complex, "yield str(number)"),
    (BaseException, "raise it instead of yielding it"),
    (Awaitable, "await it before it is yielded"),
    (list | tuple | set, "yield its items one by one"),
)
ANTHROPIC_EVENTS = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop"}
    | {"message_delta", "message_stop", "ping", "text", "thinking", "input_json"}
)


class ChunkReader(Protocol):
    """Turns the objects of one stream into events."""

    @property
    def ended(self) -> bool:
        """Whether reading on is of no use."""

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        """What one object says."""

    def flush(self) -> list[ProviderEvent]:
        """The terminal event; raises why there is none."""


class JsonReader:
    """Objects of an SDK that mirrors an API: they are asked for their JSON, which an API adapter reads."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        # Whether an object was of the API at all, and what the first one was.
        self._is_known = False
        self._first: object = None

    @property
    def ended(self) -> bool:
        return self._decoder.ended

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        values = _values(chunk)
        self._first = self._first if self._first is not None else chunk
        self._is_known = self._is_known or _is_of_an_api(values)
        return self._decoder.feed(ServerEvent(str(values.get("type", "message")), json.dumps(values)))

    def flush(self) -> list[ProviderEvent]:
        if self._first is not None and not self._is_known:
            raise TypeError(f"nothing in this stream is known to say(): it yields {describe(self._first)}")
        return self._decoder.flush()


class _ChatEventsReader(JsonReader):
    """What `client.chat.completions.stream()` opens: every chunk as it came, and much that repeats it."""

    def __init__(self) -> None:
        super().__init__(OpenAIChat().decoder())

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        return super().feed(chunk.chunk) if hasattr(chunk, "chunk") else [KEEP_ALIVE]


class GoogleReader(JsonReader):
    """Chunks of `generate_content_stream`; with automatic function calling the SDK runs the calls itself."""

    def __init__(self) -> None:
        super().__init__(Google().decoder())
        # How many messages the SDK has exchanged with the model by itself.
        self._history = 0

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        history = len(getattr(chunk, "automatic_function_calling_history", None) or ())
        ran, self._history = history > self._history, max(history, self._history)
        if ran:
            # The answer to the results begins: the end of this response counts, not that of the one with the calls.
            self._decoder = Google().decoder()
        return super().feed(chunk)


def openai_reader(first: Any) -> ChunkReader:  # noqa: ANN401
    """All kinds of streams come from the same SDK: of chunks, of responses' events, of a helper's events."""
    if hasattr(first, "chunk"):
        return _ChatEventsReader()
    values = _values(first)
    named = isinstance(values.get("type"), str) and "choices" not in values
    return JsonReader((OpenAIResponses() if named else OpenAIChat()).decoder())


def describe(event: object) -> str:
    """Describe an object that no adapter can read, and what to pass instead."""
    name = f"{type(event).__module__}.{type(event).__qualname__}".removeprefix("builtins.")
    if isinstance(event, bytes) and is_wire_text(event.decode("utf-8", "replace")):
        return f"{name} that {WIRE_ADVICE}"
    if isinstance(event, dict):
        return f"{name}: wrap the stream that it comes from, `say(channel, {_adapter_of(event)}(stream))`"
    for kinds, advice in _ADVICE:
        if isinstance(event, kinds):
            return f"{name}: {advice}"
    # A framework's whole state so far has a text, too, which would be repeated with each.
    is_piece = _PIECE.search(type(event).__qualname__) is not None and not name.startswith("pydantic_ai.")
    fields = _TEXT_FIELDS if is_piece else ()
    field = next((one for one in fields if isinstance(getattr(event, one, None), str)), "")
    if field:
        text = f"`say(channel, (chunk.{field} async for chunk in stream))`"
        return f"{name}, which say() does not know: give it the text of each, for example {text}"
    return (
        f"{name}, which is neither text nor an event: yield str, or wrap the SDK's stream (from_openai, "
        "from_anthropic, from_google, from_litellm, from_langchain, from_pydantic_ai in streamcord.providers)"
    )


def _adapter_of(values: Mapping[str, Any]) -> str:
    """Return the name of the function that reads streams of such dicts."""
    if "candidates" in values:
        return "from_google"
    return "from_anthropic" if values.get("type") in ANTHROPIC_EVENTS else "from_openai"


def _values(chunk: object) -> dict[str, Any]:
    """The JSON of an SDK's object: a pydantic model, or a plain dict."""
    if isinstance(chunk, dict):
        return chunk
    dump = getattr(chunk, "model_dump", None)
    if dump is None:
        raise TypeError(f"the stream yielded {describe(chunk)}")
    values: dict[str, Any] = dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
    return values


def _is_of_an_api(values: Mapping[str, Any]) -> bool:
    """Whether an object is one of those that the APIs send: then an early end is a broken stream."""
    kind = values.get("type")
    named = isinstance(kind, str) and (
        kind.startswith("response.") or kind in ANTHROPIC_EVENTS or kind == "error"
    )
    return named or any(
        name in values for name in ("choices", "candidates", "usageMetadata", "error", "promptFeedback")
    )

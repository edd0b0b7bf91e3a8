"""Find the reader of a stream by its first object: by the package that defines it, else by what it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..apis.registry import Anthropic, OpenAIResponses
from .acp import AcpReader
from .ag_ui import AgUiReader
from .chunks import ANTHROPIC_EVENTS, ChunkReader, GoogleReader, JsonReader, openai_reader
from .claude_agent import ClaudeAgentReader
from .frameworks import FrameworkReader
from .google_interactions import GoogleInteractionsReader
from .langchain import LangChainReader
from .langgraph import LangGraphReader, is_message
from .llama_index import LlamaIndexReader
from .mistral import MistralReader
from .ollama import OllamaReader
from .openai_agents import OpenAIAgentsReader
from .pydantic_ai import PydanticAIReader
from .smolagents import SmolagentsReader
from .ui_messages import UiMessageReader
from .xai import XaiReader

_FRAMEWORKS: Mapping[str, type[FrameworkReader]] = {
    kind.package: kind
    for kind in (
        AcpReader,
        AgUiReader,
        ClaudeAgentReader,
        LlamaIndexReader,
        MistralReader,
        OllamaReader,
        OpenAIAgentsReader,
        SmolagentsReader,
        XaiReader,
    )
}
_AG_UI = frozenset(
    {"RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CHUNK", "STEP_STARTED", "STATE_SNAPSHOT"}
)
_UI = frozenset({"start", "start-step", "text-start", "text-delta", "reasoning-start"})


def find_reader(chunk: object) -> ChunkReader | None:
    """Return who can read this object and those after it; None if no one can.

    Raises:
        TypeError: The package is known, but not this kind of object; the message says what to write.

    """
    package = _package(chunk[-1] if isinstance(chunk, tuple) and chunk else chunk)
    if kind := _FRAMEWORKS.get(package):
        if not kind.fits(chunk):
            raise TypeError(kind.refusal(chunk))
        return kind()
    return next((make(chunk) for fits, make in _SHAPES if fits(chunk)), None)


def google_reader(first: Any) -> ChunkReader:  # noqa: ANN401
    """Return the reader of a stream of google-genai: of content, or of an interaction."""
    return GoogleInteractionsReader() if GoogleInteractionsReader.fits(first) else GoogleReader()


def langchain_reader(first: Any) -> ChunkReader:  # noqa: ANN401
    """Return the reader of a stream of LangChain: of a model, or of a graph in any mode."""
    if _is_of_graph(first):
        return LangGraphReader()
    if is_message(first):
        return LangChainReader()
    raise TypeError(LangGraphReader.refusal(first))


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def _is_of_graph(item: Any) -> bool:  # noqa: ANN401
    """Whether it is an item of a graph's stream: a message is in it, or it is an event that leads to one."""
    if isinstance(item, tuple):
        return bool(item) and (
            is_message(item[0])
            or (len(item) > 1 and isinstance(item[0], str | tuple) and _is_of_graph(item[-1]))
            or (len(item) == 3 and isinstance(item[0], tuple) and isinstance(item[1], str))
        )
    if not isinstance(item, Mapping):
        return False
    if "event" in item and "run_id" in item:
        return True
    if "type" in item and "ns" in item and "data" in item:
        return True
    lists = [
        item.get("messages"),
        *(one.get("messages") for one in item.values() if isinstance(one, Mapping)),
    ]
    return any(isinstance(one, list) and any(map(is_message, one)) for one in lists)


def _kind(chunk: Any) -> str:  # noqa: ANN401
    kind = chunk.get("type", "") if isinstance(chunk, Mapping) else getattr(chunk, "type", "")
    return kind if isinstance(kind, str) else ""


# The first shape that fits; the rows below the objects without JSON are of SDKs whose objects know their JSON.
_SHAPES: tuple[tuple[Callable[[Any], bool], Callable[[Any], ChunkReader | None]], ...] = (
    (lambda it: isinstance(getattr(it, "event_kind", None), str), lambda _: PydanticAIReader()),
    (_is_of_graph, lambda _: LangGraphReader()),
    (is_message, lambda _: LangChainReader()),
    (lambda it: _kind(it) in _AG_UI, lambda _: AgUiReader()),
    (lambda it: _kind(it) in _UI, lambda _: UiMessageReader()),
    (lambda it: not hasattr(it, "model_dump"), lambda _: None),
    (lambda it: hasattr(it, "choices") or hasattr(it, "chunk"), openai_reader),
    (lambda it: hasattr(it, "candidates"), lambda _: GoogleReader()),
    (lambda it: _package(it) == "google" and hasattr(it, "event_type"), lambda _: GoogleInteractionsReader()),
    (lambda it: _kind(it).startswith("response."), lambda _: JsonReader(OpenAIResponses().decoder())),
    (lambda it: _kind(it) in ANTHROPIC_EVENTS, lambda _: JsonReader(Anthropic().decoder())),
)

"""What the official SDKs make of a stream: the words, the tool calls and the usage, as plain values.

The SDKs read and check every event; putting the pieces of a call together is ours only where an SDK leaves it
to its users. What they said before they failed counts too.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anthropic
import openai
from google import genai
from google.genai import types

from streamcord._events import Citation, GeneratedImage, ProviderEvent, TextDelta, ToolCall, Usage
from streamcord._exceptions import ProviderError

__all__ = ["ORACLES", "Heard", "heard", "overheard"]

QUESTION: Any = [{"role": "user", "content": "Hi"}]


@dataclass(slots=True)
class Heard:
    """An answer in no SDK's words; `usage` is what was read and written, in tokens."""

    text: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    usage: tuple[int, int] = (0, 0)
    sources: list[tuple[str, str]] = field(default_factory=list)
    pictures: list[bytes] = field(default_factory=list)
    failed: bool = False


def heard(events: list[ProviderEvent], error: ProviderError | None) -> Heard:
    """Our own events."""
    usage = next((event for event in reversed(events) if isinstance(event, Usage)), Usage())
    return Heard(
        "".join(event.text for event in events if isinstance(event, TextDelta)),
        [(event.name, dict(event.arguments)) for event in events if isinstance(event, ToolCall)],
        (usage.input_tokens, usage.output_tokens),
        [(event.url, event.title) for event in events if isinstance(event, Citation)],
        [event.content for event in events if isinstance(event, GeneratedImage)],
        error is not None,
    )


async def overheard(name: str, url: str) -> Heard:
    """What an SDK says of the stream at that address."""
    found = Heard()
    try:
        await ORACLES[name](url, found)
    except Exception:
        found.failed = True
    return found


def _data(url: str) -> bytes:
    """The bytes in a `data:` address; none if they are no base64."""
    try:
        return base64.b64decode(url.partition(",")[2], validate=True)
    except ValueError:
        return b""


async def ask_openai(url: str, found: Heard) -> None:
    """`openai`, chat completions; pieces of a call belong to its index."""
    calls: dict[int, list[str]] = {}
    async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        async for chunk in await client.chat.completions.create(model="m", messages=QUESTION, stream=True):
            for choice in chunk.choices:
                delta: Any = choice.delta  # may be null, whatever its type says
                if choice.index == 0 and delta:
                    found.text += (delta.content or "") + (delta.refusal or "")
                    more: dict[str, Any] = delta.to_dict()
                    found.text += (more.get("audio") or {}).get("transcript", "")
                    for one in more.get("annotations") or ():
                        found.sources.append((one["url_citation"]["url"], one["url_citation"]["title"]))
                    for one in more.get("images") or ():
                        found.pictures.append(_data(one["image_url"]["url"]))
                    for piece in delta.tool_calls or ():
                        call = calls.setdefault(piece.index, ["", ""])
                        if function := piece.function:
                            call[0] += function.name or ""
                            call[1] += function.arguments or ""
            if usage := chunk.usage:
                found.usage = (usage.prompt_tokens, usage.completion_tokens)
    found.calls = [(name, json.loads(arguments or "{}")) for name, arguments in calls.values()]


async def ask_openai_responses(url: str, found: Heard) -> None:
    """`openai`, responses."""
    async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        async for event in await client.responses.create(model="m", input="Hi", stream=True):
            match event.type:
                case "response.output_text.delta" | "response.refusal.delta":
                    found.text += event.delta
                case "response.output_item.done":
                    if event.item.type == "function_call":
                        found.calls.append((event.item.name, json.loads(event.item.arguments)))
                    elif event.item.type == "custom_tool_call":
                        found.calls.append((event.item.name, {"input": event.item.input}))
                    elif event.item.type == "image_generation_call":
                        found.pictures.append(base64.b64decode(event.item.result or ""))
                    elif event.item.type == "code_interpreter_call":
                        pictures = [one for one in event.item.outputs or () if one.type == "image"]
                        found.pictures += [_data(one.url) for one in pictures]
                case "response.output_text.annotation.added":
                    source: Any = event.annotation
                    is_page = source.type == "url_citation"
                    found.sources.append((source.url, source.title) if is_page else ("", source.filename))
                case "response.completed" | "response.incomplete":
                    if usage := event.response.usage:
                        found.usage = (usage.input_tokens, usage.output_tokens)
                case "response.failed" | "error":
                    found.failed = True
                case _:
                    pass


async def ask_anthropic(url: str, found: Heard) -> None:
    """`anthropic`, messages; the SDK gathers the message itself."""
    base = url.removesuffix("/v1")
    async with (
        anthropic.AsyncAnthropic(base_url=base, api_key="k", max_retries=0) as client,
        client.messages.stream(model="m", messages=QUESTION, max_tokens=64) as stream,
    ):
        async for event in stream:
            if event.type == "text":
                found.text += event.text
            elif event.type == "citation":
                cited: Any = event.citation
                page = (
                    f"{cited.document_title}, page {cited.start_page_number}"
                    if cited.type == "page_location"
                    else ""
                )
                found.sources.append(("", page) if page else (cited.url, cited.title))
            elif event.type == "content_block_stop" and event.content_block.type == "tool_use":
                found.calls.append((event.content_block.name, event.content_block.input))
            usage = stream.current_message_snapshot.usage
            read = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
            found.usage = (sum(count or 0 for count in read), usage.output_tokens)


async def ask_google(url: str, found: Heard) -> None:
    """`google-genai`, streamed content."""
    options = types.HttpOptions(base_url=url.removesuffix("/v1"), api_version="v1")
    client = genai.Client(api_key="k", http_options=options)
    try:
        async for chunk in await client.aio.models.generate_content_stream(model="m", contents="Hi"):
            content = chunk.candidates[0].content if chunk.candidates else None
            for part in (content.parts or ()) if content else ():
                if part.text and not part.thought:
                    found.text += part.text
                if part.inline_data and not part.thought:
                    found.pictures.append(part.inline_data.data or b"")
                if part.function_call:
                    found.calls.append((part.function_call.name or "", part.function_call.args))
            grounding = chunk.candidates[0].grounding_metadata if chunk.candidates else None
            for source in (grounding.grounding_chunks or ()) if grounding else ():
                if source.web:
                    found.sources.append((source.web.uri or "", source.web.title or ""))
            if usage := chunk.usage_metadata:
                read = (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0)
                written = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
                found.usage = (read, written)
    finally:
        await client.aio.aclose()
        client.close()


async def ask_google_interactions(url: str, found: Heard) -> None:
    """`google-genai`, interactions; pieces of a call belong to the index of its step."""
    options = types.HttpOptions(base_url=url.removesuffix("/v1"), api_version="v1")
    client = genai.Client(api_key="k", http_options=options)
    calls: dict[int, list[str]] = {}
    try:
        stream: Any = await client.aio.interactions.create(model="m", input="Hi", stream=True, store=False)
        async for event in stream:
            match event.event_type:
                case "step.start" if event.step.type == "function_call":
                    calls[event.index] = [event.step.name, ""]
                case "step.delta":
                    _hear_delta(event, calls, found)
                case "interaction.completed":
                    usage = event.interaction.usage
                    found.usage = (usage.total_input_tokens, usage.total_output_tokens)
                    found.failed = event.interaction.status in {"failed", "cancelled"}
                case "error":
                    found.failed = True
                case _:
                    pass
    finally:
        await client.aio.aclose()
        client.close()
    found.calls = [(name, json.loads(arguments or "{}")) for name, arguments in calls.values()]


def _hear_delta(event: Any, calls: dict[int, list[str]], found: Heard) -> None:
    delta = event.delta
    if delta.type == "text":
        found.text += delta.text
    elif delta.type == "arguments_delta":
        calls[event.index][1] += delta.arguments
    elif delta.type == "image":
        found.pictures.append(base64.b64decode(delta.data))
    elif delta.type == "text_annotation_delta":
        found.sources += [(one.url, one.title) for one in delta.annotations]


Oracle: TypeAlias = Callable[[str, Heard], Awaitable[None]]

ORACLES: dict[str, Oracle] = {
    "openai": ask_openai,
    "openai-responses": ask_openai_responses,
    "anthropic": ask_anthropic,
    "google": ask_google,
    "google-interactions": ask_google_interactions,
}

"""OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses-streaming.

Its `*.done` events repeat what the deltas said. They are read only where no delta came before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..._events import (
    Finish,
    FinishReason,
    GeneratedImage,
    KeepAlive,
    ProviderEvent,
    StreamPosition,
    TextDelta,
    ThoughtDelta,
    ToolCall,
)
from ..._exceptions import RequestRejected
from ..error_mapping import ErrorPayload, parse_error_payload, to_error
from ..prompt import (
    AssistantMessage,
    File,
    Options,
    Part,
    Prompt,
    PromptMessage,
    Text,
    ToolResult,
    ToolSpec,
    UserMessage,
    signature_for,
    tag_signature,
)
from .base import (
    KEEP_ALIVE,
    PDF,
    Decoder,
    Request,
    ServerEvent,
    as_dict,
    as_text,
    dict_items,
    drop_none,
    merge,
    parse,
    read_usage,
    truncated,
)
from .rich_content import chat_citations, code_block, image_from_base64, image_from_url, output_block
from .stream_position import ResumableDecoder, cancel_request, reopen_request
from .thinking_budgets import BUDGETS, OPENAI_OUTPUT_TOKENS, length_with_thoughts

MAX_PARTS = 10_000
MAX_TOOL_NAME_CHARS = 64

_OWNER = "responses"
_PLACES = ("item_id", "content_index", "summary_index")

# What is said, under which name it is repeated in full, and what it is.
_CHANNELS: Mapping[str, tuple[str, str]] = {
    "response.output_text": ("text", "words"),
    "response.refusal": ("refusal", "words"),
    "response.reasoning_text": ("text", "raw"),
    "response.reasoning_summary_text": ("text", "summary"),
}

_USAGE: Mapping[str, tuple[str, ...]] = {
    "input_tokens": ("input_tokens",),
    "output_tokens": ("output_tokens",),
    "reasoning_tokens": ("output_tokens_details.reasoning_tokens",),
    "cached_tokens": ("input_tokens_details.cached_tokens",),
}

# Calls of tools that OpenAI runs itself, and what they are called.
_SERVER_CALLS: Mapping[str, str] = {
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
    "mcp_call": "mcp",
}

_INCOMPLETE: Mapping[str, FinishReason] = {
    "max_output_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    # A limit on messages, and an input that came meanwhile: the answer is no longer than it may be.
    "max_messages": FinishReason.PAUSED,
    "steered": FinishReason.PAUSED,
}


@dataclass(frozen=True, slots=True)
class OpenAIResponses:
    """The API adapter; thoughts travel encrypted, since nothing is stored at OpenAI unless it is to be resumable."""

    name: str = "openai-responses"
    key_header: tuple[str, str] = ("Authorization", "Bearer ")

    def encode(self, prompt: Prompt, options: Options) -> Request:
        """The request for this prompt; this API takes no stop strings, so they are ours alone."""
        body = drop_none(
            model=options.model,
            input=[item for message in prompt.messages for item in _items(message)],
            instructions=prompt.system or None,
            stream=True,
            store=options.resumable,
            # https://platform.openai.com/docs/guides/background
            background=options.resumable or None,
            temperature=options.temperature,
            top_p=options.top_p,
            max_output_tokens=length_with_thoughts(
                options.max_tokens, BUDGETS[options.reasoning or "none"], OPENAI_OUTPUT_TOKENS
            ),
            prompt_cache_key=prompt.cache_key or None,
            tools=[*map(_tool, prompt.tools), *map(dict, options.server_tools)] or None,
        )
        if prompt.prefill:
            body["input"].append({"role": "assistant", "content": prompt.prefill})
        if options.reasoning is not None:
            body["reasoning"] = {"effort": options.reasoning, "summary": "auto"}
            body["include"] = ["reasoning.encrypted_content"]
        if prompt.tools:
            body["tool_choice"] = _choice(options.tool_choice)
        return Request("responses", merge(body, options.extra))

    def decoder(self, resumed: StreamPosition | None = None) -> Decoder:
        """A fresh reader of one answer, or of the rest of one."""
        return ResponsesDecoder(resumed)

    def keeps(self, request: Request) -> bool:
        """Whether OpenAI keeps the events of this response, so that its stream can be taken up again."""
        return request.body.get("background") is True

    def reopen(self, position: StreamPosition) -> Request:
        """The request that takes a stream up again; it works for five minutes."""
        return reopen_request("responses", position, after="starting_after")

    def cancel(self, position: StreamPosition) -> Request:
        """The request that ends an answer which would be generated to its end without a reader."""
        return cancel_request("responses", position)


# --- Writing -------------------------------------------------------------------------------------------


def _items(message: PromptMessage) -> Iterator[dict[str, Any]]:
    match message:
        case UserMessage(parts):
            yield {"role": "user", "content": [_part(part) for part in parts]}
        case ToolResult(id=id, parts=parts):
            yield {"type": "function_call_output", "call_id": id, "output": [_part(part) for part in parts]}
        case AssistantMessage(parts):
            yield from filter(None, map(_answer, parts))


def _answer(part: Text | ThoughtDelta | ToolCall) -> dict[str, Any] | None:
    match part:
        case Text(text):
            return {"role": "assistant", "content": text}
        case ToolCall(id, name, arguments):
            written = json.dumps(dict(arguments))
            return {"type": "function_call", "call_id": id, "name": name, "arguments": written}
        case ThoughtDelta(signature=signature):
            tagged = signature_for(_OWNER, signature)
            return {"type": "reasoning", "summary": [], **json.loads(tagged)} if tagged else None


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if isinstance(part, File):
        # https://platform.openai.com/docs/guides/pdf-files
        if part.media_type != PDF:
            return {"type": "input_text", "text": part.as_text}
        return {"type": "input_file", "filename": part.name, "file_data": part.address}
    return {"type": "input_image", "image_url": part.address}


def _choice(choice: str) -> str | dict[str, Any]:
    return choice if choice in {"auto", "none", "required"} else {"type": "function", "name": choice}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
        "strict": False,
    }


# --- Reading -------------------------------------------------------------------------------------------


class ResponsesDecoder(ResumableDecoder):
    """Reads response events."""

    def __init__(self, resumed: StreamPosition | None = None) -> None:
        super().__init__(resumed)
        # Whether text came in pieces before the stream was taken up again: full texts then repeat it.
        self._had_deltas = resumed is not None and resumed.has_deltas
        self._seen_parts: set[tuple[str, ...]] = set()
        self._unmatched_deltas: dict[str, list[str]] = {}
        # Whether the model's words are a refusal: the status of such an answer is `completed`.
        self._is_refused = False
        # The tool of a server that the model may not call without approval.
        self._unapproved = ""

    def read(self, event: ServerEvent, out: list[ProviderEvent]) -> None:
        """Add what the event says to `out`."""
        if event.data.startswith("[DONE]"):
            self.ended = True
            return
        payload = parse(event.data)
        kind = as_text(payload.get("type")) or event.event
        response = as_text(as_dict(payload.get("response")).get("id"))
        number = payload.get("sequence_number")
        if not self._place.accept(str(number) if isinstance(number, int) else "", response):
            out.append(KEEP_ALIVE)
            return
        self._read(kind, payload, out)
        self._place.advance(is_safe=self.finish is None and not (self._calls or self._unapproved))

    @property
    def position(self) -> StreamPosition | None:
        """The place from which another reader can take up the stream."""
        return self._place.position(has_deltas=self._had_deltas or bool(self._seen_parts))

    def _read(self, kind: str, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        channel, _, phase = kind.rpartition(".")
        if channel in _CHANNELS:
            self._say(channel, phase, payload, out)
        elif kind in self._READERS:
            self._READERS[kind](self, payload, out)
        elif failure := parse_error_payload(payload):
            raise to_error(failure)
        else:
            out.append(KEEP_ALIVE)

    def read_too_long(self, name: str) -> bool:
        """Read the name of an event whose data is too large; return whether it is a picture that is lost.

        The last event repeats all pictures, and previews come before each of them.
        """
        if name == "response.completed":
            self.finish = Finish()
            self.ended = True
        return name == "response.output_item.done"

    def _say(self, channel: str, phase: str, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        """Words or thoughts: every delta, and a full text only if it had no deltas."""
        full, what = _CHANNELS[channel]
        place = (channel, *(_scalar(payload.get(key)) for key in _PLACES))
        text = as_text(payload.get("delta" if phase == "delta" else full))
        if phase == "delta":
            self._record_delta(channel, place, text)
        elif self._was_said(channel, place, text):
            return
        if text:
            self._is_refused = self._is_refused or channel == "response.refusal"
            out.append(_spoken(text, what))

    def _record_delta(self, channel: str, place: tuple[str, ...], text: str) -> None:
        """Remember that this part has deltas, and what they said."""
        self._seen_parts.add(place)
        if len(self._seen_parts) > MAX_PARTS:
            raise truncated("The provider sent an answer of too many parts.")
        self._unmatched_deltas.setdefault(channel, []).append(text)

    def _was_said(self, channel: str, place: tuple[str, ...], text: str) -> bool:
        """Whether a full text repeats what deltas said.

        They are those of its place. Where a proxy leaves numbers out of one of the two (`summary_index` of
        deltas, say), they are those that no full text has confirmed yet.
        """
        said = "".join(self._unmatched_deltas.pop(channel, ()))
        if text and said.startswith(text):
            self._unmatched_deltas[channel] = [said[len(text) :]]
            return True
        return place in self._seen_parts or self._had_deltas

    def _part_added(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        if payload.get("summary_index"):
            out.append(ThoughtDelta("\n\n", "summary"))

    def _item_added(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        item = as_dict(payload.get("item"))
        kind = as_text(item.get("type"))
        if kind in _SERVER_CALLS:
            out.append(KeepAlive(tool=as_text(item.get("name"))[:MAX_TOOL_NAME_CHARS] or _SERVER_CALLS[kind]))
        if kind == "function_call":
            self._calls.feed(
                index=_place(payload, item),
                id=as_text(item.get("call_id")),
                name=as_text(item.get("name")),
                arguments=item.get("arguments"),
            )

    def _arguments(self, payload: Mapping[str, Any], _: list[ProviderEvent]) -> None:
        self._calls.feed(index=_place(payload, payload), arguments=payload.get("delta"))

    def _item_done(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        """A finished item; a call is complete here, and a thought gets its signature."""
        item = as_dict(payload.get("item"))
        if item.get("type") == "function_call":
            place = _place(payload, item)
            if not (calls := self._calls.pop(place, item.get("arguments"))):
                self._item_added(payload, out)
                calls = self._calls.pop(place)
            out.extend(calls)
        elif item.get("type") == "custom_tool_call":
            # Its input is free text: https://platform.openai.com/docs/guides/function-calling#custom-tools
            text = json.dumps({"input": as_text(item.get("input"))})
            place = ("custom", _place(payload, item))
            self._calls.feed(
                index=str(place),
                id=as_text(item.get("call_id")),
                name=as_text(item.get("name")),
                arguments=text,
            )
            out.extend(self._calls.pop(str(place)))
        elif item.get("type") == "image_generation_call":
            out.append(_picture(item))
        elif item.get("type") == "code_interpreter_call":
            outputs = dict_items(item.get("outputs"))
            out.extend(code_block("python", item.get("code")))
            out.extend(output_block(*(one.get("logs") for one in outputs)))
            for one in outputs:
                out.extend(
                    image_from_url(one["url"]) if one.get("type") == "image" and one.get("url") else ()
                )
        elif item.get("type") == "mcp_approval_request":
            tool = as_text(item.get("name"))[:MAX_TOOL_NAME_CHARS]
            self._unapproved = tool if tool.isprintable() and tool else "without a name"
        elif item.get("type") == "reasoning" and item.get("encrypted_content"):
            kept = {key: item[key] for key in ("id", "encrypted_content") if key in item}
            out.append(ThoughtDelta("", "summary", tag_signature(_OWNER, json.dumps(kept))))

    def _annotation(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        out.extend(chat_citations([payload.get("annotation")]))

    def _completed(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        # Some servers say so in the response and not by the name of the event.
        if as_dict(payload.get("response")).get("status") == "incomplete":
            self._incomplete(payload, out)
        else:
            self._end(FinishReason.STOP, payload, out)

    def _incomplete(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        details = as_dict(as_dict(payload.get("response")).get("incomplete_details"))
        self._end(_INCOMPLETE.get(as_text(details.get("reason")), FinishReason.LENGTH), payload, out)

    def _end(self, reason: FinishReason, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        out.extend(self._calls.flush())
        if reason is FinishReason.STOP and self._calls.total:
            reason = FinishReason.TOOL_CALLS
        elif reason is FinishReason.STOP and self._is_refused:
            reason = FinishReason.REFUSED
        if usage := as_dict(as_dict(payload.get("response")).get("usage")):
            out.append(read_usage(usage, _USAGE))
        if self._unapproved:
            raise RequestRejected(
                f"The model asks for approval of the tool {self._unapproved}, and there is nobody to give it.",
                user_message="The model wants to use a tool that needs approval, which cannot be given here.",
            )
        self.finish = Finish(reason)
        self.ended = True

    def _failed(self, payload: Mapping[str, Any], _: list[ProviderEvent]) -> None:
        failure = parse_error_payload(payload.get("response")) or parse_error_payload(payload, failed=True)
        raise to_error(failure or ErrorPayload("the response failed", ("server_error",)))

    def _cancelled(self, _payload: Mapping[str, Any], _: list[ProviderEvent]) -> None:
        raise truncated("The provider cancelled the answer.")

    _READERS: ClassVar = {
        "response.reasoning_summary_part.added": _part_added,
        "response.output_item.added": _item_added,
        "response.output_text.annotation.added": _annotation,
        "response.function_call_arguments.delta": _arguments,
        "response.output_item.done": _item_done,
        "response.completed": _completed,
        "response.incomplete": _incomplete,
        "response.failed": _failed,
        "response.cancelled": _cancelled,
        "error": _failed,
    }


def _picture(item: Mapping[str, Any]) -> GeneratedImage:
    """A picture that was generated; a refused one has no result."""
    if item.get("result") is None and (item.get("error") or item.get("status") == "failed"):
        return GeneratedImage(problem="was not made by the provider")
    return image_from_base64(item.get("result"), as_text(item.get("revised_prompt")))


def _scalar(value: object) -> str:
    return str(value)[:64] if isinstance(value, int | str) else ""


def _spoken(text: str, what: str) -> TextDelta | ThoughtDelta:
    if what == "words":
        return TextDelta(text)
    return ThoughtDelta(text, "summary" if what == "summary" else "raw")


def _place(payload: Mapping[str, Any], item: Mapping[str, Any]) -> object:
    """The position of an item in the answer: its number, else its id."""
    index = payload.get("output_index")
    return index if index is not None else item.get("item_id") or item.get("id")

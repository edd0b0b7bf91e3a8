"""Google's Interactions API: https://ai.google.dev/gemini-api/docs/interactions-overview .

An answer is a list of steps, each with its start, its deltas and its end. Nothing is stored at Google unless an answer
is to be resumable, so thoughts travel with their signatures in both directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..._events import (
    Finish,
    FinishReason,
    KeepAlive,
    ProviderEvent,
    StreamPosition,
    TextDelta,
    ThoughtDelta,
    ToolCall,
)
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
    prefill_as_instruction,
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
    text_of,
    truncated,
)
from .google import thoughts_of
from .rich_content import chat_citations, code_block, image_from_base64, image_from_url, output_block
from .stream_position import ResumableDecoder, cancel_request, reopen_request
from .thinking_budgets import GOOGLE_OUTPUT_TOKENS, length_with_thoughts

_OWNER = "google-interactions"
_LEVELS: Mapping[str, str] = {"none": "minimal", "xhigh": "high", "max": "high"}
_CHOICES: Mapping[str, str] = {"auto": "auto", "none": "none", "required": "any"}
MAX_STOP_SEQUENCES = 5
MAX_TOKEN_CHARS = 1_000_000

_REASONS: Mapping[str, FinishReason] = {
    "completed": FinishReason.STOP,
    "requires_action": FinishReason.TOOL_CALLS,
    "incomplete": FinishReason.LENGTH,
    "budget_exceeded": FinishReason.LENGTH,
    "requires_continuation": FinishReason.PAUSED,
}
_USAGE: Mapping[str, tuple[str, ...]] = {
    "input_tokens": ("total_input_tokens",),
    "output_tokens": ("total_output_tokens",),
    "reasoning_tokens": ("total_thought_tokens",),
    "cached_tokens": ("total_cached_tokens",),
}


@dataclass(frozen=True, slots=True)
class GoogleInteractions:
    """The API adapter; its key travels in a header, because addresses end up in logs."""

    name: str = "google-interactions"
    key_header: tuple[str, str] = ("x-goog-api-key", "")

    def encode(self, prompt: Prompt, options: Options) -> Request:
        """The request for this prompt; a prefill is an instruction, since an input ends with a user's step."""
        if prompt.prefill:
            prompt = prefill_as_instruction(prompt)
        generation = drop_none(
            temperature=options.temperature,
            top_p=options.top_p,
            max_output_tokens=length_with_thoughts(
                options.max_tokens, thoughts_of(options), GOOGLE_OUTPUT_TOKENS
            ),
            stop_sequences=list(options.stop[:MAX_STOP_SEQUENCES]) or None,
        )
        if options.reasoning is not None:
            generation["thinking_level"] = _LEVELS.get(options.reasoning, options.reasoning)
            generation["thinking_summaries"] = "none" if options.reasoning == "none" else "auto"
        body = drop_none(
            model=options.model.removeprefix("models/"),
            input=[step for message in prompt.messages for step in _steps(message)],
            system_instruction=prompt.system or None,
            stream=True,
            store=options.resumable,
            background=options.resumable or None,
            tools=[*map(_tool, prompt.tools), *map(dict, options.server_tools)] or None,
        )
        if prompt.tools:
            choice = options.tool_choice
            forced = {"allowed_tools": {"mode": "any", "tools": [choice]}}
            generation["tool_choice"] = _CHOICES.get(choice, forced)
        body |= {"generation_config": generation} if generation else {}
        return Request("interactions", merge(body, options.extra))

    def resume(self, request: Request, content: Sequence[Mapping[str, Any]]) -> Request:
        """Return the request that lets a paused answer continue: the same, with the token of its end."""
        return replace(request, body={**request.body, **content[0]})

    def decoder(self, resumed: StreamPosition | None = None) -> Decoder:
        """A fresh reader of one answer, or of the rest of one."""
        return InteractionDecoder(resumed)

    def keeps(self, request: Request) -> bool:
        """Whether Google keeps the events of this interaction, so that its stream can be taken up again."""
        return request.body.get("store") is True

    def reopen(self, position: StreamPosition) -> Request:
        """The request that takes a stream up again."""
        return reopen_request("interactions", position, after="last_event_id")

    def cancel(self, position: StreamPosition) -> Request:
        """The request that ends an answer which would be generated to its end without a reader."""
        return cancel_request("interactions", position)


# --- Writing -------------------------------------------------------------------------------------------


def _steps(message: PromptMessage) -> Iterator[dict[str, Any]]:
    match message:
        case UserMessage(parts):
            yield {"type": "user_input", "content": [_part(part) for part in parts]}
        case ToolResult(id, name, parts, failed):
            plain = all(isinstance(part, Text) for part in parts)
            result: object = text_of(parts) if plain else [_part(part) for part in parts]
            step = {"type": "function_result", "call_id": id, "name": name, "result": result}
            yield step | ({"is_error": True} if failed else {})
        case AssistantMessage(parts):
            yield from (step for part in parts for step in _answer(part))


def _answer(part: Text | ThoughtDelta | ToolCall) -> Iterator[dict[str, Any]]:
    match part:
        case Text(text):
            if text:
                yield {"type": "model_output", "content": [{"type": "text", "text": text}]}
        case ToolCall(id, name, arguments):
            yield {"type": "function_call", "id": id, "name": name, "arguments": dict(arguments)}
        case ThoughtDelta(signature=signature):
            # A thought without its signature would be refused.
            if mark := signature_for(_OWNER, signature):
                yield {"type": "thought", "signature": mark}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, File):
        kind = {PDF: "document"}.get(part.media_type, part.media_type.partition("/")[0])
        if kind not in {"document", "audio", "video"}:
            return {"type": "text", "text": part.as_text}
        return {"type": kind, "mime_type": part.media_type, "data": part.base64}
    where = {"uri": part.url} if part.url else {"data": part.base64}
    return {"type": "image", "mime_type": part.media_type, **where}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
    }


# --- Reading -------------------------------------------------------------------------------------------


class InteractionDecoder(ResumableDecoder):
    """Reads the steps of an interaction; steps that it does not know are allowed to appear and mean nothing."""

    sends_pictures = True

    def __init__(self, resumed: StreamPosition | None = None) -> None:
        super().__init__(resumed)
        self._token = ""

    @property
    def continuation(self) -> Sequence[Mapping[str, Any]]:
        """What must be sent back so that a paused answer continues; empty if it is complete."""
        is_paused = self.finish is not None and self.finish.reason is FinishReason.PAUSED
        return ({"continuation_token": self._token},) if is_paused and self._token else ()

    def read(self, event: ServerEvent, out: list[ProviderEvent]) -> None:
        """Add what the event says to `out`."""
        if event.data.startswith("[DONE]"):
            self.ended = True
            return
        payload = parse(event.data)
        kind = as_text(payload.get("event_type")) or event.event
        interaction = as_text(as_dict(payload.get("interaction")).get("id"))
        id_ = as_text(payload.get("event_id"))
        if not self._place.accept(id_, interaction, is_start=kind == "interaction.created"):
            out.append(KEEP_ALIVE)
            return
        self._read(kind, payload, out)
        self._place.advance(is_safe=self.finish is None and not self._calls)

    def _read(self, kind: str, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        match kind:
            case "step.start":
                self._start(payload, out)
            case "step.delta":
                self._extend(payload, out)
            case "step.stop":
                out.extend(self._calls.pop(payload.get("index")))
            case "interaction.completed":
                self._end(as_dict(payload.get("interaction")), out)
            case "error":
                failure = parse_error_payload(payload, failed=True)
                raise to_error(failure or ErrorPayload("it sent an error", ("api_error",)))
            case _:
                if failure := parse_error_payload(payload):
                    raise to_error(failure)
        if not out:
            out.append(KEEP_ALIVE)

    def _start(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        step = as_dict(payload.get("step"))
        if step.get("type") == "function_call":
            # The start holds empty arguments unless the server sends them whole.
            self._calls.feed(
                index=payload.get("index"),
                id=as_text(step.get("id")),
                name=as_text(step.get("name")),
                arguments=step.get("arguments") or "",
            )
        elif step.get("type") == "model_output":
            for one in dict_items(step.get("content")):
                _say(one, out)
        elif step.get("type") == "thought":
            _think(step, out)
        else:
            _run(step, out)

    def _extend(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        delta = as_dict(payload.get("delta"))
        match delta.get("type"):
            case "text" | "image":
                _say(delta, out)
            case "text_annotation_delta":
                out.extend(chat_citations(delta.get("annotations")))
            case "code_execution_call" | "code_execution_result":
                _run(delta, out)
            case "thought_summary":
                if thought := _text(as_dict(delta.get("content"))):
                    out.append(ThoughtDelta(thought, "summary"))
            case "thought_signature":
                _think(delta, out)
            case "arguments_delta":
                self._calls.feed(index=payload.get("index"), arguments=delta.get("arguments"))

    def _end(self, interaction: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        out.extend(self._calls.flush())
        if usage := as_dict(interaction.get("usage")):
            out.append(read_usage(usage, _USAGE))
        status = as_text(interaction.get("status"))
        if status in {"failed", "cancelled"}:
            failure = parse_error_payload(interaction) or ErrorPayload(f"the interaction was {status}")
            raise (
                truncated("The provider cancelled the answer.")
                if status == "cancelled"
                else to_error(failure)
            )
        reason = FinishReason.TOOL_CALLS if self._calls.total else _REASONS.get(status, FinishReason.STOP)
        token = as_text(interaction.get("continuation_token"))
        self._token = token if len(token) <= MAX_TOKEN_CHARS else ""
        self.finish = Finish(reason, as_text(interaction.get("model"))[:200] or None)
        self.ended = True


def _say(content: Mapping[str, Any], out: list[ProviderEvent]) -> None:
    """The words or the picture of a piece of content, and its sources."""
    if content.get("type") == "image":
        out.extend(
            image_from_url(content.get("uri"))
            if content.get("uri")
            else [image_from_base64(content.get("data"))]
        )
    elif text := _text(content):
        out.append(TextDelta(text))
    out.extend(chat_citations(content.get("annotations")))


def _run(step: Mapping[str, Any], out: list[ProviderEvent]) -> None:
    """A step of a tool that Google runs itself; code and its output are shown."""
    kind = as_text(step.get("type"))
    if kind == "code_execution_call":
        arguments = as_dict(step.get("arguments"))
        out.extend(code_block(arguments.get("language"), arguments.get("code")))
    elif kind == "code_execution_result":
        result = step.get("result")
        out.extend(output_block(result, *map(_text, dict_items(result))))
    if kind.endswith("_call"):
        out.append(KeepAlive(tool=kind.removesuffix("_call")))


def _text(content: Mapping[str, Any]) -> str:
    return as_text(content.get("text"))


def _think(holder: Mapping[str, Any], out: list[ProviderEvent]) -> None:
    """The summary and the signature of a thought."""
    for one in dict_items(holder.get("summary")):
        out.extend([ThoughtDelta(text, "summary")] if (text := _text(one)) else [])
    if mark := as_text(holder.get("signature")):
        out.append(ThoughtDelta("", "summary", tag_signature(_OWNER, mark)))

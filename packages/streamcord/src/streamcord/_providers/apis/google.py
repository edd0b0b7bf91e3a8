"""Google's Gemini: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent.

An answer is a list of chunks, each a whole `GenerateContentResponse`. A chunk may hold words and the reason
of the end together, so parts are read first. There is no end mark: the last chunk names a finish reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import quote

from ..._events import (
    Citation,
    Finish,
    FinishReason,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from ..._exceptions import ContentBlocked, ProviderError, RequestRejected
from ..error_mapping import parse_error_payload, to_error
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
from ..tool_calls import CallAssembler
from .base import (
    KEEP_ALIVE,
    PDF,
    CumulativeTextDiffer,
    Decoder,
    Request,
    ServerEvent,
    as_dict,
    as_text,
    count,
    dict_items,
    drop_none,
    merge,
    parse,
    text_of,
)
from .rich_content import code_block, image_from_base64, output_block, url_citation
from .thinking_budgets import BUDGETS, GOOGLE_OUTPUT_TOKENS, UNASKED, length_with_thoughts

MAX_STOP_SEQUENCES = 5
"""Stop strings that the API takes; it gets the first ones, the rest is our own care."""

_OWNER = "google"

# https://ai.google.dev/gemini-api/docs/thought-signatures: for calls that another model made.
_UNSIGNED = "skip_thought_signature_validator"

_REASONS: Mapping[str, FinishReason] = {
    "MAX_TOKENS": FinishReason.LENGTH,
    "SAFETY": FinishReason.FILTERED,
    "RECITATION": FinishReason.FILTERED,
    "LANGUAGE": FinishReason.FILTERED,
    "BLOCKLIST": FinishReason.FILTERED,
    "PROHIBITED_CONTENT": FinishReason.FILTERED,
    "SPII": FinishReason.FILTERED,
    "IMAGE_SAFETY": FinishReason.FILTERED,
    "IMAGE_PROHIBITED_CONTENT": FinishReason.FILTERED,
    "IMAGE_RECITATION": FinishReason.FILTERED,
    "OTHER": FinishReason.FILTERED,
    "ESCALATION": FinishReason.FILTERED,
    "MODEL_ARMOR": FinishReason.FILTERED,
    "PUP_LIMITED_DISABLED": FinishReason.FILTERED,
    "CONTINUATION": FinishReason.PAUSED,
}

_BROKEN_CALL = "The model wrote a tool call that could not be read. Try again."
_ABNORMAL_FINISH: Mapping[str, str] = {
    "MALFORMED_FUNCTION_CALL": _BROKEN_CALL,
    "UNEXPECTED_TOOL_CALL": _BROKEN_CALL,
    "TOO_MANY_TOOL_CALLS": "The model called too many tools in a row. Ask for less at once.",
    "NO_IMAGE": "The model made no picture. Ask for it in other words.",
    "IMAGE_OTHER": "The model could not make the picture. Try again.",
    "MALFORMED_RESPONSE": "The model wrote an answer that could not be read. Try again.",
}

# Gemini 2.5 takes a number of tokens, later models a level: https://ai.google.dev/gemini-api/docs/thinking
_BUDGETS: Mapping[str, int] = {
    "none": 0,
    "minimal": 512,
    "low": 1024,
    "medium": 8192,
    "high": 24_576,
    "xhigh": 24_576,
    "max": 24_576,
}
_LEVELS: Mapping[str, str] = {"none": "minimal", "xhigh": "high", "max": "high"}

_MODES: Mapping[str, dict[str, Any]] = {
    "auto": {"mode": "AUTO"},
    "none": {"mode": "NONE"},
    "required": {"mode": "ANY"},
}


@dataclass(frozen=True, slots=True)
class Google:
    """The API adapter; its key travels in a header, because addresses end up in logs."""

    cumulative: bool = False
    name: str = "google"
    key_header: tuple[str, str] = ("x-goog-api-key", "")

    def encode(self, prompt: Prompt, options: Options) -> Request:
        """The request for this prompt."""
        old = options.model.removeprefix("models/").startswith(("gemini-1", "gemini-2"))
        generation = drop_none(
            temperature=options.temperature,
            topP=options.top_p,
            maxOutputTokens=length_with_thoughts(
                options.max_tokens, thoughts_of(options), GOOGLE_OUTPUT_TOKENS
            ),
            stopSequences=list(options.stop[:MAX_STOP_SEQUENCES]) or None,
            thinkingConfig=_thinking(options.reasoning, old=old) if options.reasoning else None,
        )
        functions = [{"functionDeclarations": [*map(_tool, prompt.tools)]}] if prompt.tools else []
        body = drop_none(
            contents=list(_contents(prompt, signed=not old)),
            systemInstruction={"parts": [{"text": prompt.system}]} if prompt.system else None,
            generationConfig=generation or None,
            tools=[*functions, *map(dict, options.server_tools)] or None,
        )
        if prompt.tools:
            mode = _MODES.get(options.tool_choice)
            mode = mode or {"mode": "ANY", "allowedFunctionNames": [options.tool_choice]}
            body["toolConfig"] = {"functionCallingConfig": mode}
        model = quote(options.model if "/" in options.model else f"models/{options.model}", safe="/")
        return Request(f"{model}:streamGenerateContent?alt=sse", merge(body, options.extra))

    def decoder(self) -> Decoder:
        """A fresh reader of one answer."""
        return ContentDecoder(cumulative=self.cumulative)


# --- Writing -------------------------------------------------------------------------------------------


def thoughts_of(options: Options) -> int:
    """Return how many tokens the thoughts of a model may take; the small ones think only if they are asked."""
    name = options.model.removeprefix("models/")
    unasked = name.startswith("gemini-") and not (
        name.startswith(("gemini-1", "gemini-2.0")) or "lite" in name
    )
    return BUDGETS[options.reasoning or (UNASKED if unasked else "none")]


def _thinking(effort: str, *, old: bool) -> dict[str, Any]:
    if old:
        return {"includeThoughts": effort != "none", "thinkingBudget": _BUDGETS[effort]}
    return {"includeThoughts": effort != "none", "thinkingLevel": _LEVELS.get(effort, effort)}


def _contents(prompt: Prompt, *, signed: bool) -> Iterator[dict[str, Any]]:
    for role, group in groupby(prompt.messages, _role):
        parts = [part for message in group for part in _message(message, signed=signed)]
        if parts:
            yield {"role": role, "parts": parts}
    if prompt.prefill:
        yield {"role": "model", "parts": [{"text": prompt.prefill}]}


def _role(message: PromptMessage) -> str:
    return "model" if isinstance(message, AssistantMessage) else "user"


def _message(message: PromptMessage, *, signed: bool) -> Iterator[dict[str, Any]]:
    match message:
        case UserMessage(parts):
            yield from map(_part, parts)
        case ToolResult(id, name, parts, failed):
            answer = {"error" if failed else "result": text_of(parts)}
            yield {"functionResponse": {"id": id, "name": name, "response": answer}}
            yield from (_part(part) for part in parts if not isinstance(part, Text))
        case AssistantMessage(parts):
            wanted = signed and not any(
                isinstance(part, ToolCall) and signature_for(_OWNER, part.signature) for part in parts
            )
            for part in parts:
                yield from _answer(part, dummy=_UNSIGNED if wanted else "")
                wanted = wanted and not isinstance(part, ToolCall)  # only the first call is checked


def _answer(part: Text | ThoughtDelta | ToolCall, *, dummy: str) -> Iterator[dict[str, Any]]:
    match part:
        case Text(text):
            if text:
                yield {"text": text}
        case ToolCall(id, name, arguments, signature):
            sign = signature_for(_OWNER, signature) or dummy
            call = {"functionCall": {"id": id, "name": name, "args": dict(arguments)}}
            yield {**call, "thoughtSignature": sign} if sign else call
        case ThoughtDelta(text, _, signature):
            if mark := signature_for(_OWNER, signature):
                thought = {"thought": True} if text else {}
                yield {"text": text, **thought, "thoughtSignature": mark}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"text": part.text}
    if isinstance(part, File):
        # https://ai.google.dev/gemini-api/docs/document-processing, .../audio, .../video-understanding
        if part.media_type != PDF and not part.media_type.startswith(("audio/", "video/")):
            return {"text": part.as_text}
        return {"inlineData": {"mimeType": part.media_type, "data": part.base64}}
    if part.url:
        return {"fileData": {"mimeType": part.media_type, "fileUri": part.url}}
    return {"inlineData": {"mimeType": part.media_type, "data": part.base64}}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    # `parameters` takes only a part of JSON schema; this key takes all of it.
    return {
        "name": spec.name,
        "description": spec.description,
        "parametersJsonSchema": dict(spec.parameters),
    }


# --- Reading -------------------------------------------------------------------------------------------


class ContentDecoder(Decoder):
    """Reads generate-content responses."""

    sends_pictures = True

    def __init__(self, *, cumulative: bool = False) -> None:
        super().__init__()
        self._calls = CallAssembler()
        self._usage = Usage()
        self._text = CumulativeTextDiffer() if cumulative else None
        self._thought = CumulativeTextDiffer() if cumulative else None

    def read(self, event: ServerEvent, out: list[ProviderEvent]) -> None:
        """Add what the event says to `out`."""
        chunk = parse(event.data)
        if failure := parse_error_payload(chunk):
            raise to_error(failure)
        self._calls.turn = self._calls.turn or as_text(chunk.get("responseId"))
        reason = ""
        for candidate in dict_items(chunk.get("candidates")):
            if not candidate.get("index"):
                self._parts(as_dict(candidate.get("content")), out)
                out.extend(_sources(as_dict(candidate.get("groundingMetadata"))))
                reason = as_text(candidate.get("finishReason")) or reason
        self._count(as_dict(chunk.get("usageMetadata")), out)
        self._block(as_dict(chunk.get("promptFeedback")))
        if reason:
            self._end(reason)
        elif not out:
            out.append(KEEP_ALIVE)

    def _parts(self, content: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        """Words, thoughts and calls in their order; all calls are kept."""
        parts = dict_items(content.get("parts"))
        if self._text and self._thought:
            parts = _fresh(parts, self._text, self._thought)
        for part in parts:
            mark = as_text(part.get("thoughtSignature"))
            tagged = tag_signature(_OWNER, mark) if mark else None
            text = as_text(part.get("text"))
            if call := as_dict(part.get("functionCall")):
                out.append(self._call(call, tagged))
            elif part.get("thought") is True:
                if text or tagged:
                    out.append(ThoughtDelta(text, "summary", tagged))
            else:
                if text:
                    out.append(TextDelta(text))
                out.extend(_rich(part))
                if tagged:
                    out.append(ThoughtDelta("", "summary", tagged))

    def _call(self, call: Mapping[str, Any], tagged: str | None) -> ToolCall:
        self._calls.feed(
            id=as_text(call.get("id")),
            name=as_text(call.get("name")),
            arguments=call.get("args"),
            signature=tagged,
        )
        return self._calls.flush()[0]

    def _count(self, usage: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        """Read the usage of a chunk, which replaces the one before; thoughts count as output."""
        if not usage:
            return
        thought = count(usage, "thoughtsTokenCount")
        counted = Usage(
            count(usage, "promptTokenCount") + count(usage, "toolUsePromptTokenCount"),
            count(usage, "candidatesTokenCount") + thought,
            thought,
            count(usage, "cachedContentTokenCount"),
        )
        if counted != self._usage:
            self._usage = counted
            out.append(counted)

    def _block(self, feedback: Mapping[str, Any]) -> None:
        if reason := as_text(feedback.get("blockReason")):
            raise ContentBlocked(
                f"Google blocked the prompt: {reason[:80]}",
                user_message="Google blocked this for its content. Say it in other words.",
            )

    def _end(self, reason: str) -> None:
        if reason in _ABNORMAL_FINISH:
            raise ProviderError(
                f"Google ended with {reason}", user_message=_ABNORMAL_FINISH[reason], retryable=True
            )
        if reason == "MISSING_THOUGHT_SIGNATURE":
            raise RequestRejected(
                "Google misses a thought signature in the history.",
                user_message="The model cannot continue from here. Start a new conversation.",
            )
        ending = _REASONS.get(reason, FinishReason.STOP)
        if ending is FinishReason.STOP and self._calls.total:
            ending = FinishReason.TOOL_CALLS
        self.finish = Finish(ending)


def _rich(part: Mapping[str, Any]) -> list[ProviderEvent]:
    """What a part holds besides text: a picture, code that Google ran, or its output."""
    if blob := as_dict(part.get("inlineData")):
        is_image = as_text(blob.get("mimeType")).startswith("image/")
        return [image_from_base64(blob.get("data"))] if is_image else []
    if code := as_dict(part.get("executableCode")):
        return code_block(code.get("language"), code.get("code"))
    return output_block(as_dict(part.get("codeExecutionResult")).get("output"))


def _sources(grounding: Mapping[str, Any]) -> Iterator[Citation]:
    """The pages, documents and places on which an answer rests.

    https://ai.google.dev/gemini-api/docs/google-search
    """
    for chunk in dict_items(grounding.get("groundingChunks")):
        for kind in ("web", "retrievedContext", "maps"):
            if found := as_dict(chunk.get(kind)):
                yield url_citation(found.get("uri"), found.get("title"))


def _fresh(
    parts: list[Mapping[str, Any]], text: CumulativeTextDiffer, thought: CumulativeTextDiffer
) -> list[Mapping[str, Any]]:
    """The parts of a sender that repeats itself, with the words that are new."""
    spoken = "".join(as_text(part.get("text")) for part in parts if part.get("thought") is not True)
    thoughts = "".join(as_text(part.get("text")) for part in parts if part.get("thought") is True)
    rest = [part for part in parts if not (part.keys() <= {"text", "thought", "thoughtSignature"})]
    rest = [{key: value for key, value in part.items() if key != "text"} for part in rest]
    return [{"text": thought.feed(thoughts), "thought": True}, {"text": text.feed(spoken)}, *rest]

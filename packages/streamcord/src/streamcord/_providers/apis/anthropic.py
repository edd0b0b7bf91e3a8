"""Anthropic's messages: https://platform.claude.com/docs/en/build-with-claude/streaming.

An answer is a list of blocks. Tokens are counted cumulatively, and what was read from a cache counts as input
here, as it does with the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, ClassVar

from ..._events import (
    Citation,
    Finish,
    FinishReason,
    KeepAlive,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
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
from ..tool_calls import CallAssembler
from .anthropic_blocks import BlockCollector
from .anthropic_models import DEFAULT_TOKENS, limits_of, thinking_of
from .base import (
    KEEP_ALIVE,
    PDF,
    Decoder,
    Request,
    ServerEvent,
    as_dict,
    as_text,
    count,
    drop_none,
    merge,
    parse,
)
from .rich_content import code_block, output_block, url_citation

_OWNER = "anthropic"
_REDACTED = "anthropic-redacted"

_REASONS: Mapping[str, FinishReason] = {
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.FILTERED,
    "tool_use": FinishReason.TOOL_CALLS,
    "pause_turn": FinishReason.PAUSED,
    "compaction": FinishReason.PAUSED,
}

_COUNTS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "output_tokens_details.thinking_tokens",
)

MAX_CITATIONS = 1000
MAX_SERVER_TOOLS = 1000
MAX_TOOL_NAME_CHARS = 64

# Tools with which the server runs code: its language, and where the code is.
# https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
_CODE_TOOLS: Mapping[str, tuple[str, str]] = {
    "code_execution": ("python", "code"),
    "bash_code_execution": ("bash", "command"),
}

_CHOICES: Mapping[str, dict[str, str]] = {
    "auto": {"type": "auto"},
    "none": {"type": "none"},
    "required": {"type": "any"},
}


# Everything before a mark is cached for five minutes, and read again at a tenth of its price.
# https://platform.claude.com/docs/en/build-with-claude/prompt-caching
_CACHED: Mapping[str, Any] = {"cache_control": {"type": "ephemeral"}}


@dataclass(frozen=True, slots=True)
class Anthropic:
    """The API adapter; the API insists on a limit, so there is one where none is asked for."""

    version: str = "2023-06-01"
    max_tokens: int = DEFAULT_TOKENS
    name: str = "anthropic"
    key_header: tuple[str, str] = ("x-api-key", "")

    def encode(self, prompt: Prompt, options: Options) -> Request:
        """The request for this prompt."""
        stop = [text for text in options.stop if text.strip()]  # the API refuses white space alone
        options = replace(options, max_tokens=options.max_tokens or self.max_tokens)
        limits = limits_of(options.model)
        if prompt.prefill and not limits.takes_prefill:
            prompt = prefill_as_instruction(prompt)
        body = drop_none(
            model=options.model,
            messages=list(_messages(prompt)),
            system=_system(prompt) or None,
            stream=True,
            temperature=options.temperature if limits.takes_sampling else None,
            top_p=options.top_p if limits.takes_sampling else None,
            stop_sequences=stop or None,
            tools=[*map(_tool, prompt.tools), *map(dict, options.server_tools)] or None,
            **thinking_of(options),
        )
        if prompt.tools:
            # A model that always thinks refuses to be forced to call a tool.
            choice = options.tool_choice if limits.can_be_silent or options.tool_choice == "none" else "auto"
            body["tool_choice"] = _CHOICES.get(choice) or {"type": "tool", "name": choice}
        return Request("messages", merge(body, options.extra), {"anthropic-version": self.version})

    def resume(self, request: Request, content: Sequence[Mapping[str, Any]]) -> Request:
        """Return the request that lets a paused answer continue: the same, with the answer so far."""
        messages = [*request.body.get("messages", ()), {"role": "assistant", "content": list(content)}]
        return replace(request, body={**request.body, "messages": messages})

    def decoder(self) -> Decoder:
        """A fresh reader of one answer."""
        return MessagesDecoder()


# --- Writing -------------------------------------------------------------------------------------------


def _system(prompt: Prompt) -> str | list[dict[str, Any]]:
    """The instructions; with a cache they are a block, since only blocks can be marked."""
    if not prompt.cache_key or not prompt.system:
        return prompt.system
    return [{"type": "text", "text": prompt.system, **_CACHED}]


def _messages(prompt: Prompt) -> Iterator[dict[str, Any]]:
    # All results of one round belong into one message: parallel calls are answered together.
    for role, group in groupby(prompt.messages, _role):
        blocks = [block for message in group for block in _blocks(message)]
        if blocks:
            yield {"role": role, "content": blocks}
    if prefill := prompt.prefill.rstrip():  # the API refuses white space at its end
        yield {"role": "assistant", "content": prefill}


def _role(message: PromptMessage) -> str:
    return "assistant" if isinstance(message, AssistantMessage) else "user"


def _blocks(message: PromptMessage) -> Iterator[dict[str, Any]]:
    match message:
        case ToolResult(id, _, parts, failed):
            content = [_part(part) for part in parts if not _is_blank(part)]
            failure = {"is_error": True} if failed else {}
            yield {"type": "tool_result", "tool_use_id": id, "content": content, **failure}
        case UserMessage(parts):
            yield from (_part(part) for part in parts if not _is_blank(part))
        case AssistantMessage(parts):
            yield from filter(None, map(_answer, parts))


def _answer(part: Text | ThoughtDelta | ToolCall) -> dict[str, Any] | None:
    match part:
        case Text(text=text):
            if _is_blank(part):
                return None
            return {"type": "text", "text": text, **(_CACHED if part.cache_here else {})}
        case ToolCall(id, name, arguments):
            return {"type": "tool_use", "id": id, "name": name, "input": dict(arguments)}
        case ThoughtDelta(text, _, signature):
            if hidden := signature_for(_REDACTED, signature):
                return {"type": "redacted_thinking", "data": hidden}
            # A thought without its signature, as an interrupted one, would be refused.
            signed = signature_for(_OWNER, signature)
            return {"type": "thinking", "thinking": text, "signature": signed} if signed else None


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {"name": spec.name, "description": spec.description, "input_schema": dict(spec.parameters)}


def _is_blank(part: Part) -> bool:
    """Whether the API refuses a part because it has no visible character."""
    return isinstance(part, Text) and not part.text.strip()


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text, **(_CACHED if part.cache_here else {})}
    if isinstance(part, File):
        # https://platform.claude.com/docs/en/build-with-claude/pdf-support
        if part.media_type != PDF:
            return {"type": "text", "text": part.as_text}
        data = {"type": "base64", "media_type": PDF, "data": part.base64}
        return {"type": "document", "source": data, "title": part.name}
    if part.url:
        return {"type": "image", "source": {"type": "url", "url": part.url}}
    source = {"type": "base64", "media_type": part.media_type, "data": part.base64}
    return {"type": "image", "source": source}


# --- Reading -------------------------------------------------------------------------------------------


class MessagesDecoder(Decoder):
    """Reads message events; ones it does not know are allowed to appear and mean nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = CallAssembler()
        self._tools: set[object] = set()
        self._usage: dict[str, int] = {}
        self._reason = ""
        self._stop_sequence = ""
        self._blocks = BlockCollector()
        # The model that took over after another one declined.
        self._served_by = ""
        # Sources of the text block that is being written; they are told at its end.
        self._citations: list[Citation] = []
        # Tools that the server runs, by the index of their block.
        self._server_tools: dict[object, str] = {}

    @property
    def continuation(self) -> Sequence[Mapping[str, Any]]:
        """What must be sent back so that a paused answer continues; empty if it is complete."""
        is_paused = self.finish is not None and self.finish.reason is FinishReason.PAUSED
        return self._blocks.content() if is_paused else ()

    def read(self, event: ServerEvent, out: list[ProviderEvent]) -> None:
        """Add what the event says to `out`."""
        payload = parse(event.data)
        reader = self._READERS.get(as_text(payload.get("type")) or event.event)
        if reader:
            reader(self, payload, out)
        elif failure := parse_error_payload(payload):
            raise to_error(failure)
        else:
            out.append(KEEP_ALIVE)

    def _message_start(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        message = as_dict(payload.get("message"))
        self._calls.turn = as_text(message.get("id"))
        self._count(message, out)

    def _block_start(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        block = as_dict(payload.get("content_block"))
        kind = as_text(block.get("type"))
        self._blocks.start(_index(payload), block)
        if kind == "fallback":
            self._served_by = as_text(as_dict(block.get("to")).get("model"))[:200]
        if kind == "tool_use":
            index = _index(payload)
            self._tools.add(index)  # the assembler caps how many
            # The start holds an empty input unless the server sends it whole.
            self._calls.feed(
                index=index,
                id=as_text(block.get("id")),
                name=as_text(block.get("name")),
                arguments=block.get("input") or "",
            )
        elif kind == "redacted_thinking" and (hidden := as_text(block.get("data"))):
            out.append(ThoughtDelta("", signature=tag_signature(_REDACTED, hidden)))
        elif kind in {"server_tool_use", "mcp_tool_use"}:
            name = as_text(block.get("name"))[:MAX_TOOL_NAME_CHARS]
            if len(self._server_tools) < MAX_SERVER_TOOLS:
                self._server_tools[_index(payload)] = name
            out.append(KeepAlive(tool=name))
        elif kind.endswith("code_execution_tool_result"):
            out.extend(_output(as_dict(block.get("content"))))
        else:
            _speak(block, out)

    def _block_delta(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        delta = as_dict(payload.get("delta"))
        self._blocks.extend(_index(payload), delta)
        if delta.get("type") == "citations_delta" and len(self._citations) < MAX_CITATIONS:
            self._citations.append(_citation(as_dict(delta.get("citation"))))
        if delta.get("type") != "input_json_delta":
            _speak(delta, out)
        elif (index := _index(payload)) in self._tools:  # a tool that the server runs itself is not ours
            self._calls.feed(index=index, arguments=delta.get("partial_json"))

    def _block_stop(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        if (index := _index(payload)) in self._tools:
            self._tools.discard(index)
            out.extend(self._calls.pop(index))
        if code := _CODE_TOOLS.get(self._server_tools.get(index, "")):
            language, field = code
            out.extend(code_block(language, self._blocks.input_of(index).get(field)))
        out.extend(self._citations)
        self._citations = []

    def _message_delta(self, payload: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        delta = as_dict(payload.get("delta"))
        self._reason = as_text(delta.get("stop_reason")) or self._reason
        self._stop_sequence = as_text(delta.get("stop_sequence")) or self._stop_sequence
        self._count(payload, out)

    def _message_stop(self, _: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        out.extend(self._citations)
        out.extend(self._calls.flush())
        reason = _REASONS.get(self._reason, FinishReason.STOP)
        # A call of ours is answered before anything continues.
        if reason in {FinishReason.STOP, FinishReason.PAUSED} and self._calls.total:
            reason = FinishReason.TOOL_CALLS
        self.finish = Finish(reason, self._served_by or None, self._stop_sequence)
        self.ended = True

    def _error(self, payload: Mapping[str, Any], _: list[ProviderEvent]) -> None:
        raise to_error(
            parse_error_payload(payload, failed=True) or ErrorPayload("it sent an error", ("api_error",))
        )

    def _count(self, holder: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        """Later numbers replace earlier ones, which they include."""
        if usage := as_dict(holder.get("usage")):
            self._usage.update({key: number for key in _COUNTS if (number := count(usage, key))})
            fresh, written, cached, spoken, thought = (self._usage.get(key, 0) for key in _COUNTS)
            out.append(Usage(fresh + written + cached, spoken, thought, cached))

    _READERS: ClassVar = {
        "message_start": _message_start,
        "content_block_start": _block_start,
        "content_block_delta": _block_delta,
        "content_block_stop": _block_stop,
        "message_delta": _message_delta,
        "message_stop": _message_stop,
        "error": _error,
    }


def _speak(block: Mapping[str, Any], out: list[ProviderEvent]) -> None:
    """The words, thoughts and signature of a block or of a piece of one."""
    if text := as_text(block.get("text")):
        out.append(TextDelta(text))
    if thought := as_text(block.get("thinking")):
        out.append(ThoughtDelta(thought))
    if signature := as_text(block.get("signature")):
        out.append(ThoughtDelta("", signature=tag_signature(_OWNER, signature)))


def _citation(source: Mapping[str, Any]) -> Citation:
    """A source of the words before it: a web page, a search result of ours or a document.

    https://platform.claude.com/docs/en/build-with-claude/citations
    """
    title = as_text(source.get("title")) or as_text(source.get("document_title"))
    if page := count(source, "start_page_number"):
        title = f"{title}, page {page}"
    url = source.get("url") or source.get("source")
    return url_citation(url, title, source.get("cited_text"), is_placed=True)


def _output(result: Mapping[str, Any]) -> list[ProviderEvent]:
    """What code has written, or why it did not run."""
    return output_block(result.get("stdout"), result.get("stderr"), result.get("error_code"))


def _index(payload: Mapping[str, Any]) -> int | str | None:
    index = payload.get("index")
    return index if isinstance(index, int | str) else None

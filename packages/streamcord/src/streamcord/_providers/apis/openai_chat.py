"""OpenAI's chat completions, and the many servers that speak them with an accent.

https://platform.openai.com/docs/api-reference/chat-streaming. What a server does otherwise is a `Quirks`
value, so a new server is a new row in `presets.py` and no code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from ..._events import Finish, FinishReason, ProviderEvent, TextDelta, ThoughtDelta, ToolCall
from ..._exceptions import Overloaded, ProviderError
from ..error_mapping import ErrorPayload, parse_error_payload, to_error
from ..prompt import (
    AssistantMessage,
    File,
    Image,
    Options,
    Part,
    Prompt,
    PromptMessage,
    Text,
    ToolResult,
    ToolSpec,
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
    dict_items,
    drop_none,
    merge,
    parse,
    read_usage,
    text_of,
    truncated,
)
from .rich_content import chat_citations, image_from_url, url_citation
from .thinking_budgets import BUDGETS, OPENAI_OUTPUT_TOKENS, length_with_thoughts

# Fields with thoughts: DeepSeek and old vLLM, vLLM since 0.11 and OpenRouter, and two of proxies.
_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")

MAX_CITATIONS = 1000

_REASONS: Mapping[str, FinishReason] = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    "sensitive": FinishReason.FILTERED,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
}

_BUSY = "The provider is overloaded. Try again in a moment."

# Reasons that are no ends: https://api-docs.deepseek.com/api/create-chat-completion, https://docs.z.ai, vLLM.
_ABNORMAL_FINISH: Mapping[str, Callable[[], ProviderError]] = {
    "error": lambda: to_error(ErrorPayload("the model behind it failed", ("server_error",))),
    "network_error": lambda: Overloaded("The provider lost its model.", user_message=_BUSY),
    "insufficient_system_resource": lambda: Overloaded(
        "The provider ran out of capacity.", user_message=_BUSY
    ),
    "abort": lambda: truncated("The provider aborted the answer."),
}

_USAGE: Mapping[str, tuple[str, ...]] = {
    "input_tokens": ("prompt_tokens", "input_tokens"),
    "output_tokens": ("completion_tokens", "output_tokens"),
    "reasoning_tokens": ("completion_tokens_details.reasoning_tokens",),
    "cached_tokens": ("prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens"),
}

_REASONING: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "effort": lambda effort: {"reasoning_effort": effort},
    "object": lambda effort: {"reasoning": {"effort": effort}},
    "switch": lambda effort: {"thinking": {"type": "disabled" if effort == "none" else "enabled"}},
    "switch_effort": lambda effort: (
        {"thinking": {"type": "disabled"}}
        if effort == "none"
        else {"thinking": {"type": "enabled"}, "reasoning_effort": effort}
    ),
    "template": lambda effort: {"chat_template_kwargs": {"enable_thinking": effort != "none"}},
    "unknown": lambda _: {},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """Where a server differs from the others."""

    system_role: str = "system"
    """The role of the instructions."""
    length_key: str = "max_tokens"
    """The name of the limit of the answer's length."""
    stop_cap: int = 0
    """How many stop strings it takes; 0 is any number. It gets the first ones, the rest is our own care."""
    stream_usage: bool = True
    """Whether it must and may be asked for usage."""
    reasoning: Literal["effort", "object", "switch", "switch_effort", "template", "unknown"] = "effort"
    """How the request says how much to think."""
    replay: Literal["", "reasoning_content", "reasoning_details"] = ""
    """Where the thoughts before a tool call go back to it."""
    cache_key: bool = False
    """Whether it takes a name for what it caches."""
    files: bool = False
    """Whether it reads PDF files."""
    prefill: Literal["message", "prefix", "beta_prefix", "continue"] = "message"
    """How the request asks to continue the last message."""


@dataclass(frozen=True, slots=True)
class OpenAIChat:
    """The API adapter; `cumulative` is for servers whose every event repeats the whole answer so far."""

    quirks: Quirks = Quirks()
    cumulative: bool = False
    name: str = "openai"
    key_header: tuple[str, str] = ("Authorization", "Bearer ")

    def encode(self, prompt: Prompt, options: Options) -> Request:
        """The request for this prompt."""
        quirks = self.quirks
        stop = options.stop[: quirks.stop_cap] if quirks.stop_cap else options.stop
        body = drop_none(
            model=options.model,
            messages=list(_messages(prompt, quirks)),
            stream=True,
            stream_options={"include_usage": True} if quirks.stream_usage else None,
            temperature=options.temperature,
            top_p=options.top_p,
            stop=list(stop) or None,
            tools=[*map(_tool, prompt.tools), *map(dict, options.server_tools)] or None,
            prompt_cache_key=prompt.cache_key if quirks.cache_key and prompt.cache_key else None,
        )
        if options.max_tokens is not None:
            # Servers with the old name have models whose whole context is small.
            thoughts = BUDGETS[options.reasoning or "none"] if quirks.length_key != "max_tokens" else 0
            body[quirks.length_key] = length_with_thoughts(options.max_tokens, thoughts, OPENAI_OUTPUT_TOKENS)
        if options.reasoning is not None:
            body |= _REASONING[quirks.reasoning](options.reasoning)
        if prompt.tools:
            body["tool_choice"] = _choice(options.tool_choice)
        if prompt.prefill and quirks.prefill == "continue":
            body |= {"add_generation_prompt": False, "continue_final_message": True}
        beta = prompt.prefill and quirks.prefill == "beta_prefix"
        path = "beta/chat/completions" if beta else "chat/completions"
        return Request(path, merge(body, options.extra))

    def decoder(self) -> Decoder:
        """A fresh reader of one answer."""
        return ChatDecoder(cumulative=self.cumulative)


# --- Writing -------------------------------------------------------------------------------------------


def _messages(prompt: Prompt, quirks: Quirks) -> Iterator[dict[str, Any]]:
    if prompt.system:
        yield {"role": quirks.system_role, "content": prompt.system}
    # Results of parallel calls must follow each other, so their pictures wait until all have been said.
    for are_results, group in groupby(prompt.messages, lambda message: isinstance(message, ToolResult)):
        messages = list(group)
        yield from (_message(message, quirks) for message in messages)
        if are_results and (pictures := [part for message in messages for part in _pictures(message)]):
            yield {"role": "user", "content": [_part(part, quirks) for part in pictures]}
    if prompt.prefill:
        prefix = {"prefix": True} if quirks.prefill in {"prefix", "beta_prefix"} else {}
        yield {"role": "assistant", "content": prompt.prefill, **prefix}


def _message(message: PromptMessage, quirks: Quirks) -> dict[str, Any]:
    if isinstance(message, ToolResult):
        return {"role": "tool", "tool_call_id": message.id, "content": text_of(message.parts)}
    if isinstance(message, AssistantMessage):
        return _assistant(message, quirks)
    if all(isinstance(part, Text) for part in message.parts):
        return {"role": "user", "content": text_of(message.parts)}
    return {"role": "user", "content": [_part(part, quirks) for part in message.parts]}


def _assistant(message: AssistantMessage, quirks: Quirks) -> dict[str, Any]:
    text = "".join(part.text for part in message.parts if isinstance(part, Text))
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCall)]
    if not calls:
        return {"role": "assistant", "content": text}
    thoughts = [part for part in message.parts if isinstance(part, ThoughtDelta)]
    return {
        "role": "assistant",
        "content": text or None,
        "tool_calls": calls,
        **_replay(thoughts, quirks.replay),
    }


def _replay(thoughts: list[ThoughtDelta], where: str) -> dict[str, Any]:
    """The thoughts that led to a tool call, for servers that want them back.

    https://api-docs.deepseek.com/guides/thinking_mode#tool-calls and
    https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
    """
    if where == "reasoning_content" and thoughts:
        return {where: "".join(thought.text for thought in thoughts)}
    if where == "reasoning_details":
        details = [_detail(thought) for thought in thoughts]
        return {where: kept} if (kept := [detail for detail in details if detail]) else {}
    return {}


def _detail(thought: ThoughtDelta) -> dict[str, Any]:
    tagged = signature_for("openrouter", thought.signature)
    detail: dict[str, Any] = json.loads(tagged) if tagged else {}
    if detail.get("type") == "reasoning.text":
        detail["text"] = thought.text
    return detail


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
    written: dict[str, Any] = {"id": call.id, "type": "function", "function": function}
    if extra := signature_for("google-openai", call.signature):
        written["extra_content"] = json.loads(extra)
    return written


def _pictures(message: PromptMessage) -> Iterator[Image | File]:
    if isinstance(message, ToolResult):
        yield from (part for part in message.parts if not isinstance(part, Text))


def _part(part: Part, quirks: Quirks) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, File):
        # https://platform.openai.com/docs/guides/pdf-files?api-mode=chat, https://openrouter.ai/docs/features/multimodal/pdfs
        if not quirks.files or part.media_type != PDF:
            return {"type": "text", "text": part.as_text}
        return {"type": "file", "file": {"filename": part.name, "file_data": part.address}}
    return {"type": "image_url", "image_url": {"url": part.address}}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": function}


def _choice(choice: str) -> str | dict[str, Any]:
    if choice in {"auto", "none", "required"}:
        return choice
    return {"type": "function", "function": {"name": choice}}


# --- Reading -------------------------------------------------------------------------------------------


class ChatDecoder(Decoder):
    """Reads chat completion chunks."""

    sends_pictures = True

    def __init__(self, *, cumulative: bool = False) -> None:
        super().__init__()
        self._calls = CallAssembler()
        self._served_by: str | None = None
        self._stop_sequence = ""
        # Whether the model's words are a refusal: the finish reason of such an answer is `stop`.
        self._is_refused = False
        # How many sources of a list that grows were told.
        self._cited = 0
        self._text = CumulativeTextDiffer() if cumulative else None
        self._thought = CumulativeTextDiffer() if cumulative else None

    def read(self, event: ServerEvent, out: list[ProviderEvent]) -> None:
        """Add what the event says to `out`."""
        if event.data.startswith("[DONE]"):
            self.ended = True
            self._end("tool_calls" if self._calls else "stop", out)
            return
        chunk = parse(event.data)
        failure = None
        if "error" in chunk or "choices" not in chunk:
            failure = parse_error_payload(chunk, failed=event.event == "error")
        if not self._calls.turn:
            self._calls.turn = as_text(chunk.get("id"))
        if "provider" in chunk:
            self._served_by = as_text(chunk["provider"]) or self._served_by
        working = False
        reason = ""
        for choice in dict_items(chunk.get("choices")):
            if not choice.get("index"):
                working |= self._choice(choice, out)
                reason = as_text(choice.get("finish_reason")).removeprefix("null")
                # OpenAI does not say which stop sequence it found; vLLM (`stop_reason`) and SGLang do.
                stop = as_text(choice.get("stop_reason")) or as_text(choice.get("matched_stop"))
                self._stop_sequence = stop or self._stop_sequence
                if "error" in choice:
                    failure = failure or parse_error_payload(choice)
        self._cite(chunk, out)
        if failure:
            raise to_error(failure)
        if reason:
            self._end(reason, out)
        if usage := as_dict(chunk.get("usage")):
            out.append(read_usage(usage, _USAGE))
        if not (out or working or reason):
            out.append(KEEP_ALIVE)

    def _choice(self, choice: Mapping[str, Any], out: list[ProviderEvent]) -> bool:
        """Say what a choice says; true if it was part of a tool call."""
        delta = as_dict(choice.get("delta"))
        self._think(delta, out)
        if isinstance(parts := delta.get("content"), list):
            self._say_parts(dict_items(parts), out)
            delta = {**delta, "content": None}
        # https://platform.openai.com/docs/guides/structured-outputs#refusals-with-structured-outputs
        self._is_refused = self._is_refused or bool(as_text(delta.get("refusal")))
        # The words; the words of a refusal; and where completions, that have no delta, put their words.
        transcript = as_dict(delta.get("audio")).get("transcript")
        for spoken in (delta.get("content"), delta.get("refusal"), choice.get("text"), transcript):
            if text := as_text(spoken):
                self._say(text, out)
        # https://openrouter.ai/docs/features/multimodal/image-generation
        for one in dict_items(delta.get("images")):
            out.extend(image_from_url(as_dict(one.get("image_url")).get("url")))
        out.extend(chat_citations(delta.get("annotations")))
        if not (calls := delta.get("tool_calls")):
            return False
        for call in dict_items(calls):
            self._piece(call)
        return True

    def _cite(self, chunk: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        """Tell the sources that Perplexity and xAI repeat beside the choices of every chunk, each list once.

        https://docs.perplexity.ai/guides/chat-completions-guide
        """
        results = dict_items(chunk.get("search_results"))
        addresses = chunk.get("citations")
        listed = addresses if isinstance(addresses, list) and not results else []
        if len(results) + len(listed) > self._cited:
            found = [url_citation(one.get("url"), one.get("title"), one.get("snippet")) for one in results]
            found += [url_citation(one) for one in listed if isinstance(one, str)]
            out.extend(one for one in found[self._cited : MAX_CITATIONS] if one.url)
            self._cited = len(results) + len(listed)

    def _say(self, text: str, out: list[ProviderEvent]) -> None:
        if new := self._text.feed(text) if self._text else text:
            out.append(TextDelta(new))

    def _say_parts(self, parts: list[Mapping[str, Any]], out: list[ProviderEvent]) -> None:
        """Mistral's models write content as a list of parts, thoughts among them.

        https://docs.mistral.ai/capabilities/reasoning/
        """
        for is_thought, group in groupby(parts, lambda part: part.get("type") == "thinking"):
            if not is_thought:
                self._say(_joined(list(group)), out)
                continue
            thoughts = (part.get("thinking") for part in group)
            if text := "".join(as_text(thought) or _joined(dict_items(thought)) for thought in thoughts):
                out.append(ThoughtDelta(text))

    def _think(self, delta: Mapping[str, Any], out: list[ProviderEvent]) -> None:
        """Each server has its own name for thoughts; signed ones come as a list (OpenRouter)."""
        details = dict_items(delta.get("reasoning_details"))
        named = (text for name in _THOUGHTS if (text := as_text(delta.get(name))))
        text = next(named, "") or _joined(details)
        if text and (new := self._thought.feed(text) if self._thought else text):
            out.append(ThoughtDelta(new))
        for detail in details:
            if detail.get("signature") or detail.get("type") == "reasoning.encrypted":
                kept = {key: value for key, value in detail.items() if key != "text"}
                out.append(ThoughtDelta("", signature=tag_signature("openrouter", json.dumps(kept))))

    def _piece(self, call: Mapping[str, Any]) -> None:
        function = as_dict(call.get("function"))
        extra = as_dict(call.get("extra_content"))
        self._calls.feed(
            index=call.get("index"),
            id=as_text(call.get("id")),
            name=as_text(function.get("name")),
            arguments=function.get("arguments"),
            signature=tag_signature("google-openai", json.dumps(extra)) if extra else None,
        )

    def _end(self, reason: str, out: list[ProviderEvent]) -> None:
        """The first reason counts; a `[DONE]` or a second one adds only calls that came late."""
        if self.finish is None and (breakdown := _ABNORMAL_FINISH.get(reason)):
            raise breakdown()
        out.extend(self._calls.flush())
        ending = self.finish.reason if self.finish else _REASONS.get(reason, FinishReason.STOP)
        if ending is FinishReason.STOP and self._calls.total:
            ending = FinishReason.TOOL_CALLS  # Ollama and others call tools and then say "stop"
        elif ending is FinishReason.STOP and self._is_refused:
            ending = FinishReason.REFUSED
        self.finish = Finish(ending, self._served_by, self._stop_sequence)


def _joined(parts: list[Mapping[str, Any]]) -> str:
    return "".join(as_text(part.get("text")) for part in parts)

"""NovelAI's OpenAI-compatible completions, for its GLM models.

NovelAI documents the endpoint only by example; what is known is collected at
https://yuanhuakk.github.io/novelai-sdk-unofficial/en/text-generation/openai-compatible.html. A completion has
no messages: the conversation is written out with the model's own role tokens
(https://huggingface.co/zai-org/GLM-4.6/blob/main/chat_template.jinja), so the model continues a prefill exactly
where it ends. There are no tools and no images. The adapter was not checked against a second implementation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..._exceptions import RequestRejected
from ..prompt import AssistantMessage, Options, Prompt, PromptMessage, Text, ToolResult
from .base import Decoder, Request, drop_none, merge, text_of
from .openai_chat import ChatDecoder

_START = "[gMASK]<sop>"
_MARKS = ("<|system|>", "<|user|>", "<|assistant|>", "<|observation|>")
_NO_THOUGHT = "<think></think>"


@dataclass(frozen=True, slots=True)
class NovelAI:
    """NovelAI's OpenAI-compatible completions, for its GLM models; the model thinks only if asked to.

    NovelAI documents the endpoint only by example; what is known is collected at
    https://yuanhuakk.github.io/novelai-sdk-unofficial/en/text-generation/openai-compatible.html. A completion
    has no messages: the conversation is written out with the model's own role marks
    (https://huggingface.co/zai-org/GLM-4.6/blob/main/chat_template.jinja), so the model continues a prefill
    exactly where it ends. There are no tools and no pictures. No second implementation vouches for it.
    """

    max_tokens: int = 1024
    name: str = "novelai"
    key_header: tuple[str, str] = ("Authorization", "Bearer ")

    def encode(self, prompt: Prompt, options: Options) -> Request:
        """The request for this prompt."""
        if prompt.tools:
            raise RequestRejected(
                "NovelAI's completions cannot call tools.",
                user_message="This model cannot use tools. Leave them out or use another model.",
            )
        thinks = options.reasoning not in {None, "none"}
        stop = dict.fromkeys((*_MARKS[:2], _MARKS[3], *(() if thinks else ("</think>",)), *options.stop))
        body = drop_none(
            model=options.model,
            prompt="".join(_written(prompt, thinks=thinks)),
            stream=True,
            max_tokens=options.max_tokens or self.max_tokens,
            temperature=options.temperature,
            top_p=options.top_p,
            stop=list(stop),
        )
        return Request("completions", merge(body, options.extra))

    def decoder(self) -> Decoder:
        """A fresh reader of one answer."""
        return ChatDecoder()


def _written(prompt: Prompt, *, thinks: bool) -> Iterator[str]:
    """The conversation as the model was trained to read it."""
    hush = "" if thinks else "/nothink"
    silence = "" if thinks else f"{_NO_THOUGHT}\n"
    yield _START
    if prompt.system:
        yield f"<|system|>\n{_plain(prompt.system)}"
    for message in prompt.messages:
        yield _message(message, hush)
    yield f"<|assistant|>\n{silence}{prompt.prefill}"


def _message(message: PromptMessage, hush: str) -> str:
    if isinstance(message, AssistantMessage):
        text = "".join(part.text for part in message.parts if isinstance(part, Text))
        return f"<|assistant|>\n{_NO_THOUGHT}\n{_plain(text)}"
    if isinstance(message, ToolResult):
        return f"<|observation|>\n{_plain(text_of(message.parts))}"
    return f"<|user|>\n{_plain(text_of(message.parts))}{hush}"


def _plain(text: str) -> str:
    """Return the text without role marks, which would let it speak as another role."""
    for mark in (*_MARKS, _START):
        text = text.replace(mark, f"{mark[0]} {mark[1:]}")
    return text

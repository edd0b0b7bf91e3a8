"""Let a model that cannot call tools offer choices, by text that is taken out of its answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from .._events import Finish, FinishReason, KeepAlive, ProviderEvent, StreamPosition, TextDelta, ToolCall
from .choice_block import ChoiceBlock, ChoiceParser
from .choice_tool import CHOICES_TOOL
from .prompt import (
    AssistantMessage,
    Options,
    Prompt,
    PromptMessage,
    Provider,
    Text,
    ToolResult,
    UserMessage,
)

INSTRUCTIONS = """\
If you want the person to choose between a few options, end your answer with this block, exactly in this form:
<choices>
the question
- first option
- second option
</choices>
Each option becomes a button with at most 80 characters; write 2 to 24. With <choices several> more than one may be \
chosen, with <choices other> the person may also type. Do not repeat the options in your text, and never mention the \
block. Write it only where a choice really helps."""
CALL_ID = "choices"


class TextChoices:
    """A provider whose model offers choices as text, for models that cannot call tools.

    It calls the tool of `make_choices` for the model, and no other tool.

    Args:
        provider: The provider of the model.

    Example:
        model = TextChoices(provider)
        await say(message, with_tools(model, user("Where shall we eat?"), [make_choices()], ask=asks.ask))

    """

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def stream(self, prompt: Prompt, options: Options | None = None) -> AsyncGenerator[ProviderEvent, None]:
        """Ask the model; a block of choices becomes a call of the tool.

        Args:
            prompt: The conversation, with the tool.
            options: The options of the request.

        """
        return self._stream(as_text(prompt), options)

    async def _stream(self, prompt: Prompt, options: Options | None) -> AsyncGenerator[ProviderEvent, None]:
        parser = ChoiceParser()
        source = self._provider.stream(prompt, options) if options else self._provider.stream(prompt)
        async with aclosing(source) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, TextDelta):
                    shown = parser.feed(event.text)
                    yield TextDelta(shown) if shown else KeepAlive()
                elif isinstance(event, Finish):
                    if rest := parser.flush(is_cut=event.reason is FinishReason.LENGTH):
                        yield TextDelta(rest)
                    if parser.block is None:
                        yield event
                        return
                    yield ToolCall(CALL_ID, CHOICES_TOOL, parser.block.arguments)
                    yield replace(event, reason=FinishReason.TOOL_CALLS)
                    return
                # The stream cannot be taken up again after words that were not yielded.
                elif not (isinstance(event, StreamPosition) and (parser.is_holding or parser.block)):
                    yield event
        # Without an end it was cut off, which `say` reports.
        if rest := parser.flush(is_cut=True):
            yield TextDelta(rest)


def as_text(prompt: Prompt) -> Prompt:
    """Return a prompt without tools: the model learns the form of a block, and earlier calls become text."""
    messages = tuple(_as_text(one) for one in prompt.messages)
    has_tool = any(one.name == CHOICES_TOOL for one in prompt.tools)
    system = "\n\n".join(text for text in (prompt.system, INSTRUCTIONS if has_tool else "") if text)
    return replace(prompt, messages=messages, tools=(), system=system)


def _as_text(message: PromptMessage) -> PromptMessage:
    if isinstance(message, ToolResult):
        said = "\n".join(part.text for part in message.parts if isinstance(part, Text))
        return UserMessage((Text(said if message.failed else f"[The person chose: {said}]"),))
    if isinstance(message, AssistantMessage):
        parts = tuple(Text(_markup(one)) if isinstance(one, ToolCall) else one for one in message.parts)
        return AssistantMessage(parts)
    return message


def _markup(call: ToolCall) -> str:
    given = call.arguments
    labels = tuple(map(str, given.get("choices", ())))
    block = ChoiceBlock(
        str(given.get("question", "")), labels, bool(given.get("several")), bool(given.get("own_words"))
    )
    return f"\n\n{block.markup}"

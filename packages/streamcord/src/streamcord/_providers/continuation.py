"""Let a model continue an answer that was cut off: by a prefill if its provider continues one, else by an instruction.

Words that were shown stay. The model gets them as the beginning of its answer, or as its last message with the
instruction to continue from its last words. What it repeats of them is left out. If it answers the question once more
instead, nothing of that is shown, and the attempt has failed.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from .._events import (
    Finish,
    GeneratedImage,
    KeepAlive,
    Message,
    ProviderEvent,
    StreamPosition,
    TextDelta,
    ToolCall,
)
from .._exceptions import Truncated
from .closing import closing
from .echo_checks import Written
from .echo_filter import EchoFilter
from .prompt import Prompt, Text, UserMessage, assistant, user

MAX_PARTIAL_CHARS = 256 * 1024
"""A longer answer is not continued."""
INSTRUCTION = (
    "[Go on exactly where your last message ended, because the connection broke. The user has read it. Begin with its "
    "last words, exactly as they are, and write the rest as if nothing had happened. Do not begin anew, do not comment "
    "on this, and do not greet.]"
)
PICTURES_SENT = "[The pictures that you have made were sent. Do not make them again.]"

T = TypeVar("T", bound="ProviderEvent | Message")


@dataclass(slots=True)
class PartialAnswer:
    """What an answer has said before it was cut off."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    has_calls: bool = False
    """Whether it called tools; then it has ended, because the model waits for their results."""
    has_images: bool = False
    is_finished: bool = False

    def add(self, event: ProviderEvent) -> None:
        """Record an event that was yielded."""
        match event:
            case TextDelta(text):
                self.pieces.append(text)
                self.length += len(text)
            case ToolCall():
                self.has_calls = True
            case GeneratedImage():
                self.has_images = True
            case Finish():
                self.is_finished = True
            case _:
                pass

    def clear(self) -> None:
        """Forget everything, when the answer is begun once more."""
        self.pieces.clear()
        self.length = 0

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    @property
    def is_too_long(self) -> bool:
        """Whether it is too long to be continued."""
        return self.length > MAX_PARTIAL_CHARS


def continue_prompt(prompt: Prompt, text: str, *, exact: bool = False, notes: Sequence[str] = ()) -> Prompt:
    """Return the prompt that lets a model continue after this text.

    Args:
        prompt: The prompt of the answer.
        text: What the model wrote so far.
        exact: Whether the provider continues a prefill exactly where it ends.
        notes: What else the model should know, such as the calls of tools that were made.

    Example:
        provider.stream(continue_prompt(user("Count to ten."), "One, two, thr"))

    """
    # The answer to a prefill may repeat it or not.
    whole = text if text.startswith(prompt.prefill) else prompt.prefill + text
    if not whole.strip():
        return prompt + user("\n".join(notes)) if notes else prompt
    if exact:
        return replace(prompt + user("\n".join(notes)) if notes else prompt, prefill=whole)
    return replace(prompt, prefill="") + assistant(whole) + user("\n".join([INSTRUCTION, *notes]))


def _asked(prompt: Prompt) -> str:
    """Return the text of the last question, whose words the answer may use."""
    questions = [message for message in prompt.messages if isinstance(message, UserMessage)]
    return " ".join(part.text for part in questions[-1].parts if isinstance(part, Text)) if questions else ""


async def read_continuation(
    events: AsyncIterator[T],
    prompt: Prompt,
    text: str,
    *,
    exact: bool = False,
    echo: EchoFilter | None = None,
) -> AsyncGenerator[T | TextDelta | KeepAlive, None]:
    """Yield a continuation without what it repeats of the text before it.

    Args:
        events: The answer to `continue_prompt`.
        prompt: The prompt of the answer that was cut off.
        text: What was written before.
        exact: Whether the model was asked by a prefill.
        echo: The filter, for a caller that wants to know what was removed.

    Raises:
        Truncated: The model did not continue: it sent another answer, or nothing in the middle of a sentence.

    Example:
        prompt = continue_prompt(question, text)
        await say(channel, read_continuation(provider.stream(prompt), question, text))

    """
    echo = echo or new_filter(prompt, text, exact=exact)
    said = False
    async with closing(events) as stream:
        async for event in stream:
            if isinstance(event, TextDelta):
                shown = echo.feed(event.text)
                said = said or bool(shown)
                if shown:
                    yield TextDelta(shown)
                elif event.text:
                    yield KeepAlive(buffered=len(event.text.encode("utf-8", "replace")))
                if echo.is_another_answer:
                    raise _another_answer()
                continue
            if isinstance(event, StreamPosition) and echo.is_holding:
                # Text before this place is not passed on yet.
                continue
            if isinstance(event, ToolCall | GeneratedImage | Finish | Message):
                if shown := echo.finish():
                    said = True
                    yield TextDelta(shown)
                if isinstance(event, Finish) and (echo.is_another_answer or not (said or _may_end(text))):
                    raise _another_answer()
                # A call continues the answer, whatever was said before it.
                said = True
            yield event
    if shown := echo.finish():
        yield TextDelta(shown)
    if echo.is_another_answer:
        raise _another_answer()


def new_filter(prompt: Prompt, text: str, *, exact: bool, lenient: bool = False) -> EchoFilter:
    """Return the filter for a continuation of this text."""
    whole = text if text.startswith(prompt.prefill) else prompt.prefill + text
    return EchoFilter(whole, exact=exact, asked=_asked(prompt), lenient=lenient)


def _may_end(text: str) -> bool:
    """Whether the answer may have been complete, so that nothing follows."""
    return not Written(text).is_in_sentence


def _another_answer() -> Truncated:
    return Truncated(
        "The model was asked to continue, and answered something else.",
        user_message="The answer was cut off. Try again.",
    )

"""The provider of the demo: scripted answers to some questions, else the model.

A script says what no small model does reliably. `%name%` in it is the name of the speaking persona.
"""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from streamcord import Finish, FinishReason, ProviderError, ProviderEvent, TextDelta, ToolCall
from streamcord.providers import (
    Options,
    Prompt,
    PromptMessage,
    Provider,
    Text,
    ToolResult,
    UserMessage,
    system,
    user,
)

MAX_HISTORY_CHARS = 700
"""Characters of a conversation that a small model reads, at most: while it reads, people wait."""
ENOUGH_CHARS = 120
"""Characters after which a small model is stopped at the end of its sentence."""
_ENDS = (".", "!", "?", "…", '."', '!"', '?"', "~", ")")
_SENTENCE_END = re.compile(r"(?<!\d)[.!?…][\"')*_]{0,3}\s+|\n+")
_PIECE = re.compile(r"\s*\S{1,12}|\s+")
_NAME = re.compile(r"You are (\w+)")


class DemoProvider:
    """A provider; `pace` is seconds per piece of a scripted answer.

    A `small` model gets no tools, which would only confuse it, and a short prompt.
    """

    def __init__(
        self, model: Provider | None = None, *, small: bool = False, why: str = "", pace: float = 0.0
    ) -> None:
        self._model = model
        self._small = small
        # The message with which the last prompt of the small model began.
        self._first: PromptMessage | None = None
        # Why there is no model, for the scripted answer.
        self._why = why
        self._pace = pace

    async def warm_up(self, instructions: str) -> None:
        """Let a small model process its instructions before a user waits; its server caches them."""
        if self._small and self._model is not None:
            with suppress(ProviderError):
                async for _ in self._model.stream(
                    system(_gist(instructions)) + user("Hi"), Options(max_tokens=1)
                ):
                    pass

    async def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        """The answer to a prompt."""
        name = _find_name(prompt)
        script = find_script(_question(prompt), name)
        if script is None and self._model is not None:
            asked = self._shortened(prompt) if self._small else prompt
            async with aclosing(self._model.stream(asked, options)) as events:  # type: ignore[type-var]
                async for event in _whole_sentences(events) if self._small else events:
                    yield event
            return
        async for event in self._play(script or NO_MODEL, prompt, name):
            yield event

    def _shortened(self, prompt: Prompt) -> Prompt:
        """A short prompt that begins like the one before, since the server caches beginnings.

        The server remembers how a prompt began, so the conversation begins at the same message for as long as
        it is short, and then the last question again.
        """
        said = prompt.messages
        if self._first in said:
            said = said[said.index(self._first) :]
        if self._first not in said or _length(said) > MAX_HISTORY_CHARS:
            said = said[-3:]
            self._first = said[0] if said else None
        return replace(prompt, system=_gist(prompt.system), messages=said, tools=())

    async def _play(self, script: ScriptedAnswer, prompt: Prompt, name: str) -> AsyncIterator[ProviderEvent]:
        result = _find_result(prompt)
        # The tool may be turned off, and after its result it is not called again.
        calls = bool(script.call) and result is None and any(one.name == script.call for one in prompt.tools)
        text = script.then if script.call and not calls else script.text
        words = {"%name%": name, "%why%": self._why, "%result%": f"**{_outcome(result)}**"}
        for key, value in words.items():
            text = text.replace(key, value)
        for piece in _PIECE.findall(text):
            await asyncio.sleep(max(self._pace * 6, 0.01) if script.slow else self._pace)
            yield TextDelta(piece)
        if calls:
            yield script.tool_call()
        yield Finish(FinishReason.TOOL_CALLS if calls else FinishReason.STOP)


def _gist(instructions: str) -> str:
    """The part of the instructions that says who the persona is; a small model would only repeat the rest."""
    return instructions.partition("\n\n")[0]


async def _whole_sentences(events: AsyncIterator[ProviderEvent]) -> AsyncIterator[ProviderEvent]:
    """What a small model says, in whole sentences, until it has said enough: it rarely ends by itself."""
    said, rest = 0, ""
    async for event in events:
        if not isinstance(event, TextDelta):
            # The end is ours to decide, and is sent below.
            if not isinstance(event, Finish):
                yield event
            continue
        rest += event.text
        end = max((found.end() for found in _SENTENCE_END.finditer(rest)), default=0)
        if end:
            yield TextDelta(rest[:end])
            said, rest = said + end, rest[end:]
        if said >= ENOUGH_CHARS:
            break
    # The rest is half a sentence, unless the model ended it or said nothing else.
    if rest.strip() and (not said or rest.rstrip().endswith(_ENDS)):
        yield TextDelta(rest if rest.rstrip().endswith(_ENDS) else f"{rest.rstrip()}…")
    yield Finish(FinishReason.STOP)


def _question(prompt: Prompt) -> str:
    """The last line that people wrote."""
    said = [one for one in prompt.messages if isinstance(one, UserMessage)]
    texts = [part.text for part in said[-1].parts if isinstance(part, Text)] if said else []
    # Several questions may follow each other if the first was not answered; the last one counts.
    return "\n".join(texts).rpartition("\n")[2]


def _length(messages: Sequence[PromptMessage]) -> int:
    return sum(len(part.text) for one in messages for part in one.parts if isinstance(part, Text))


def _find_name(prompt: Prompt) -> str:
    found = _NAME.search(prompt.system)
    return found[1] if found else "Luna"


def _find_result(prompt: Prompt) -> str | None:
    """The result of a tool that was called since the question, if any."""
    if not prompt.messages or not isinstance(last := prompt.messages[-1], ToolResult):
        return None
    return "".join(part.text for part in last.parts if isinstance(part, Text))


def _outcome(result: str | None) -> str:
    return (result or "nothing at all").rpartition("= ")[2]


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """A scripted answer; `call` is a tool that is used after `text`, whose result `then` may quote."""

    cue: str
    text: str
    call: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    then: str = ""
    slow: bool = False
    """Whether it is written slowly, so that a user can stop it."""
    persona: str = ""
    """The only persona that says it; empty for all."""

    def tool_call(self) -> ToolCall:
        """The call, as a model would make it."""
        return ToolCall(f"demo-{self.call}", self.call, dict(self.arguments))


def _load_answers() -> tuple[tuple[ScriptedAnswer, ...], ScriptedAnswer]:
    """Return the answers to cues, and the one where there is no model."""
    data = tomllib.loads(files(__package__ or "").joinpath("scripted_answers.toml").read_text("utf-8"))
    return tuple(ScriptedAnswer(**one) for one in data["answers"]), ScriptedAnswer(**data["no_model"])


SCRIPTS, NO_MODEL = _load_answers()


def find_script(question: str, name: str) -> ScriptedAnswer | None:
    """The scripted answer that a question asks for, if any."""
    words = question.casefold()
    return next((one for one in SCRIPTS if one.persona in {"", name} and one.cue in words), None)

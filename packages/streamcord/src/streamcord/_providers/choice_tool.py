"""A tool by which a model offers choices: people press a button instead of typing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from .._common.control_characters import strip_controls
from .._events import AskField, AskOption
from .._events.ask import MAX_FIELD_LABEL_CHARS
from .tools import AskUser, Tool, tool

CHOICES_TOOL = "offer_choices"
"""The name of the tool by which a model offers choices."""


# What Discord would show as it is on a button, which has no Markdown, and what models mark their texts with.
_TAGS = re.compile(
    r"</?(?:think|thinking|thought|details|summary|choices?|option|answer|tool_call)\b[^<>]{0,100}>"
    r"|<[ \t]{0,3}(?:/[ \t]{0,3})?choices\b",
    re.IGNORECASE,
)
MAX_PASSES = 10
_LIST_MARK = re.compile(r"^\s{0,3}(?:[-*+]|#{1,6}|>|\d{1,2}[.)])\s+")
_PAIRS = re.compile(r"(?<!\w)(\*{1,3}|~~|\|\||`{1,3})(?=\S)([^*~|`]{1,200})(?<=\S)\1(?!\w)")
_EMOJI = re.compile(r"<a?(:\w{2,32}:)\d{1,20}>")


def without_tags(text: str) -> str:
    """Return a text without control characters and the tags with which models mark their texts."""
    cleaned = strip_controls(text)
    for _ in range(MAX_PASSES):
        plain = _TAGS.sub("", cleaned)
        if plain == cleaned:
            return plain
        # What is left may be a tag again.
        cleaned = plain
    return cleaned.replace("<", "")


def as_label(text: str) -> str:
    """Return the text of a choice for a button: without Markdown, tags, marks of lists and control characters."""
    cleaned = _EMOJI.sub(r"\1", without_tags(text))
    plain = " ".join(_PAIRS.sub(r"\2", _LIST_MARK.sub("", cleaned)).split())
    # Of a choice that is nothing but marks, such as `**`, the marks are the choice.
    return plain or " ".join(cleaned.split())


def make_choices(who: Sequence[int] = (), *, other: str = "Something else…", expires: float = 900.0) -> Tool:
    """Return the tool `offer_choices`, by which the model asks people to choose.

    Args:
        who: Ids of the people who may choose; without them anyone may.
        other: The label of the button for an answer in own words, which the model may add.
        expires: Seconds until no one can choose any more.

    Example:
        tools = [make_choices(who=[message.author.id])]
        await say(message, with_tools(provider, user("Where shall we eat?"), tools, ask=asks.ask))

    """

    @tool
    async def offer_choices(
        ask: AskUser,
        question: Annotated[str, "the question, as the person reads it"],
        choices: Annotated[list[str], "2 to 24 short labels, each at most 80 characters"],
        several: Annotated[bool, "whether more than one may be chosen"] = False,
        own_words: Annotated[bool, "whether the person may type another answer instead"] = False,
    ) -> str:
        """Ask the person to choose by pressing a button; use it instead of listing options in your text."""
        options: list[str | AskOption] = [as_label(one) for one in choices]
        if own_words and not several:
            field = AskField("text", other[:MAX_FIELD_LABEL_CHARS], long=True)
            options.append(AskOption(other, "own words", fields=(field,)))
        decision = await ask(
            without_tags(question), options, several=several, who=tuple(who), expires=expires
        )
        return decision.inputs.get("text") or ", ".join(decision.labels)

    return offer_choices

"""A tool by which a model offers choices: people press a button instead of typing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from .._events import AskField, AskOption
from .tools import AskUser, Tool, tool

__all__ = ["make_choices"]


def make_choices(who: Sequence[int] = (), *, other: str = "Something else…", expires: float = 900.0) -> Tool:
    """Return the tool `offer_choices`, by which the model asks people to choose.

    Args:
        who: Ids of the people who may choose; without them anyone may.
        other: The label of the button for an answer in own words, which the model may add.
        expires: Seconds until nobody can choose any more.

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
        options: list[str | AskOption] = [*choices]
        if own_words and not several:
            options.append(AskOption(other, "own words", fields=(AskField("text", "…", long=True),)))
        decision = await ask(question, options, several=several, who=tuple(who), expires=expires)
        return decision.inputs.get("text") or ", ".join(decision.labels)

    return offer_choices

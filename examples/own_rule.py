"""Your own rule: no "Sure!" at the start of an answer, and no shouting anywhere."""

import asyncio
from collections.abc import AsyncIterator

from streamcord import RuleText, say
from streamcord.testing import FakeChannel


def no_opening_phrase(text: RuleText) -> list[tuple[int, int, str]]:
    return text.sub(r"\A(Sure|Of course|Certainly)[!,.]\s+", "") if text.is_first else []


def one_exclamation_mark(text: RuleText) -> list[tuple[int, int, str]]:
    return text.sub(r"!!+", "!")


async def my_model() -> AsyncIterator[str]:
    for piece in ("Su", "re! Here it is!", "!!\nI am sure. Sure! `a!!`"):
        yield piece


async def main() -> None:
    channel = FakeChannel()
    result = await say(channel, my_model(), rules=[no_opening_phrase, one_exclamation_mark])
    print(channel.texts, [(edit.rule, edit.before) for edit in result.replaced])


asyncio.run(main())

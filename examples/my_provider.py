"""Your own provider: any object with a method `stream`."""

import asyncio
from collections.abc import AsyncIterator

from streamcord import Finish, Overloaded, ProviderEvent, TextDelta, say
from streamcord.providers import Options, Prompt, Text, UserMessage, user, with_fallbacks
from streamcord.testing import FakeChannel


class Echo:
    """Says again what was asked, word by word."""

    async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        last = prompt.messages[-1]
        assert isinstance(last, UserMessage)
        for part in last.parts:
            if isinstance(part, Text):
                for word in part.text.split():
                    yield TextDelta(f"{word} ")
        yield Finish()


class Broken:
    """Never answers."""

    async def stream(self, _: Prompt, __: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        raise Overloaded("out of order", retryable=False)
        yield Finish()


async def main() -> None:
    channel = FakeChannel()
    model = with_fallbacks(Broken(), Echo())
    result = await say(channel, model.stream(user("Is there anybody out there?")))
    print(channel.texts, result.ending)


asyncio.run(main())

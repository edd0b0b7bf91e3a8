"""Any async iterator of text to anything that can send."""

import asyncio
from collections.abc import AsyncIterator

from streamcord import Degree, Message, Receipt, Settings, say


class Terminal:
    async def send(self, message: Message) -> Receipt:
        print(message.content)
        return Receipt(message, id=0)

    async def typing(self) -> None:
        print("...")


async def my_model() -> AsyncIterator[str]:
    for token in ("Let me s", "ee.\nA s", "ix!"):
        yield token


result = asyncio.run(say(Terminal(), my_model(), settings=Settings(degree=Degree.LIGHT)))
print(result.ending, result.counts.messages)

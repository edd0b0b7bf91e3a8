"""Record what a model said, and see it again with other settings; no model is asked twice."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

from streamcord import Degree, Settings, say
from streamcord.testing import FakeChannel, read_recording, record, replay


async def model() -> AsyncIterator[str]:
    yield "First, boil water. Th"
    yield "en wait.\nDone!"


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tea.jsonl"
        await say(FakeChannel(), record(model(), file))
        for degree in (Degree.NONE, Degree.LIGHT, Degree.HEAVY):
            channel = FakeChannel()
            again = replay(read_recording(file), speed=0)
            # The same chance every time, so that only the degree makes a difference.
            await say(channel, again, settings=Settings(degree=degree), random=Random(1))
            print(degree.name, channel.texts)


asyncio.run(main())

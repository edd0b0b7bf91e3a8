"""What every program of this folder checks: the text arrives once, in its order, and the turn is complete."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from streamcord import Ending, Flush, Settings, TurnResult, say
from streamcord.testing import FakeChannel

BEFORE = "Let me look it up."
AFTER = """It is 42 indeed, my friend — “naïve” 🙂, 二.

```py
print("x" * 3)  # ünï
```

- one
- two

That is **all**."""

_SETTINGS = Settings(typing="off")


async def check(
    name: str, stream: Any, texts: tuple[str, ...] = (BEFORE, AFTER), ending: Ending = Ending.COMPLETED
) -> TurnResult:
    """Send a stream, and compare every character of every message with the same texts sent as they are."""
    wanted, channel = FakeChannel(), FakeChannel()
    await say(wanted, _plain(texts), settings=_SETTINGS)
    result = await say(channel, stream, settings=_SETTINGS)
    assert channel.texts == wanted.texts, (name, channel.texts, wanted.texts)
    assert result.ending is ending, (name, result.ending)
    assert result.counts.received == sum(map(len, texts)), (name, result.counts.received)
    print(f"{name}: {result.counts.received} characters")
    return result


async def _plain(texts: tuple[str, ...]) -> AsyncIterator[Any]:
    for text in texts:
        yield text
        yield Flush()

"""Fixtures for pytest, there as soon as streamcord is installed: a local Discord, and bots that live on it.

- `twin`: a `Twin` of its own for every test; `twin_switches` and `twin_clock` say how it behaves.
- `person`: somebody who acts there (`person.say("hello")`), `channel`: where they are.
- `run_bot`: `await run_bot(my_bot)` logs it in and closes it when the test is over.
- `twin_client`: a plain `discord.Client` that is logged in already.

Rate limits are off, so that no test waits for them: a fixture `twin_switches` of your own that returns
`Switches()` turns them on. Nothing heavy is imported before a fixture is used.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

try:
    from pytest_asyncio import fixture as _async_fixture
except ImportError:  # anyio runs asynchronous fixtures that are declared as any other
    _async_fixture = pytest.fixture  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .._discord.redirect import Client, RunBot
    from ..twin import ActingPerson, Channel, Clock, Switches, Twin

__all__ = ["channel", "person", "run_bot", "twin", "twin_client", "twin_clock", "twin_switches"]


@pytest.fixture
def twin_switches() -> Switches:
    """How the twin behaves: as Discord does, but without rate limits."""
    from ..twin import Switches  # noqa: PLC0415

    return Switches.without_limits()


@pytest.fixture
def twin_clock() -> Clock | None:
    """The time that the twin lives in; by default, time as it passes."""
    return None


@_async_fixture
async def twin(twin_switches: Switches, twin_clock: Clock | None) -> AsyncIterator[Twin]:
    """A local Discord with a guild, a channel, a person and a bot."""
    from ..twin import Twin  # noqa: PLC0415

    async with Twin(twin_switches, clock=twin_clock) as started:
        yield started


@pytest.fixture
def person(twin: Twin) -> ActingPerson:
    """The person who is there already; `twin.person("bob")` brings another."""
    return twin.person()


@pytest.fixture
def channel(twin: Twin) -> Channel:
    """The channel where they meet."""
    return twin.channel


@_async_fixture
async def run_bot(twin: Twin) -> AsyncIterator[RunBot]:
    """Logs a bot in on the twin and returns it when it is ready; all are closed after the test."""
    from .._discord.redirect import running  # noqa: PLC0415

    async with AsyncExitStack() as stack:
        yield lambda bot: stack.enter_async_context(running(twin, bot))


@_async_fixture
async def twin_client(run_bot: RunBot) -> Client:
    """A plain discord.py client that is logged in."""
    from .._discord.redirect import make_client  # noqa: PLC0415

    return await run_bot(make_client())

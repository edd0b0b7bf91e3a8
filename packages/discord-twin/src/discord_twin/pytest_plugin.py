"""pytest fixtures: a local Discord, and bots that run on it.

The plugin is active where a project asks for it, with `pytest_plugins = ["discord_twin.pytest_plugin"]` in its
`conftest.py` or with `pytest -p discord_twin.pytest_plugin`. Other test suites do not see its fixtures.

- `twin`: a new `Twin` for every test, configured by `twin_options` and `twin_clock`.
- `twin_user`: a user who can act (`twin_user.say("hello")`), `twin_channel`: the channel they are in.
- `run_on_twin`: `await run_on_twin(my_bot)` logs it in and closes it when the test is over.
- `twin_client`: a plain `discord.Client` that is logged in already.

`pytest --discord-api openapi.json` compares everything that a twin sends with Discord's own description.

Rate limits are off, so that no test waits for them: a fixture `twin_options` of your own that returns
`TwinOptions()` turns them on. aiohttp and discord.py are imported when a fixture is used first.
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
    from collections.abc import AsyncIterator, Iterator

    from . import Channel, Clock, FakeUser, Twin, TwinOptions
    from .discord_py import Client, RunBot

__all__ = ["run_on_twin", "twin", "twin_channel", "twin_client", "twin_clock", "twin_options", "twin_user"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--discord-api`."""
    parser.addoption(
        "--discord-api",
        metavar="FILE",
        help="Discord's OpenAPI document: fail tests in which the local Discord sends what it does not allow",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check every twin of the run, if `--discord-api` names the description."""
    if path := config.getoption("--discord-api"):
        from . import ApiDescription, Conformance, DescriptionError, Twin  # noqa: PLC0415

        try:
            Twin.conformance = Conformance(ApiDescription.read(path))
        except DescriptionError as error:
            raise pytest.UsageError(f"--discord-api: {error}") from error


@pytest.fixture(autouse=True)
def _fail_on_violations(pytestconfig: pytest.Config) -> Iterator[None]:
    """Fail the test in which a twin first sent something that Discord's description does not allow."""
    yield
    if pytestconfig.getoption("--discord-api"):
        from . import Twin  # noqa: PLC0415

        found = Twin.conformance.violations if Twin.conformance else []
        if found:
            text = "\n".join(map(str, found))
            found.clear()
            pytest.fail(f"not as in Discord's API description:\n{text}", pytrace=False)


@pytest.fixture
def twin_options() -> TwinOptions:
    """The options of `twin`: Discord's behaviour without rate limits."""
    from . import TwinOptions  # noqa: PLC0415

    return TwinOptions.without_limits()


@pytest.fixture
def twin_clock() -> Clock | None:
    """The clock of `twin`; `None` is real time."""
    return None


@_async_fixture
async def twin(twin_options: TwinOptions, twin_clock: Clock | None) -> AsyncIterator[Twin]:
    """A local Discord with a guild, a channel, a user and a bot."""
    from . import Twin  # noqa: PLC0415

    async with Twin(twin_options, clock=twin_clock) as started:
        yield started


@pytest.fixture
def twin_user(twin: Twin) -> FakeUser:
    """The first user; `twin.fake_user("bob")` adds another."""
    return twin.fake_user()


@pytest.fixture
def twin_channel(twin: Twin) -> Channel:
    """The first channel."""
    return twin.channel


@_async_fixture
async def run_on_twin(twin: Twin) -> AsyncIterator[RunBot]:
    """Logs a bot in on the twin and returns it when it is ready; all are closed after the test.

    An exception that a bot did not handle fails the test.
    """
    from .discord_py import running  # noqa: PLC0415

    async with AsyncExitStack() as stack:
        yield lambda bot: stack.enter_async_context(running(twin, bot))
    if twin.bot_errors:
        raise twin.bot_errors[0]


@_async_fixture
async def twin_client(run_on_twin: RunBot) -> Client:
    """A plain discord.py client that is logged in."""
    from .discord_py import make_client  # noqa: PLC0415

    return await run_on_twin(make_client())

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from streamcord._providers.closing import closing
from streamcord.testing import ScriptedProvider


async def test_a_source_is_closed_at_the_end_of_the_block_and_when_it_fails() -> None:
    provider = ScriptedProvider(["Hi."], ["Ho."])
    async with closing(provider):
        pass
    with pytest.raises(ZeroDivisionError):
        async with closing(provider):
            raise ZeroDivisionError

    assert provider.closed == 2


async def test_what_cannot_be_closed_is_left_alone() -> None:
    class Bare:
        def __aiter__(self) -> AsyncIterator[str]:
            return self

        async def __anext__(self) -> str:
            return "x"

    async with closing(Bare()) as events:
        assert await anext(events) == "x"

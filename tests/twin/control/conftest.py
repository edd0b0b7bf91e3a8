"""A twin with its control API."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from discord_twin import AdjustableClock, ApiDescription, ControlApi, Twin, TwinOptions
from twin.control.client import Control


@pytest.fixture
async def control() -> AsyncIterator[Control]:
    async with Twin(TwinOptions.without_limits(), clock=AdjustableClock()) as twin:
        ControlApi(twin)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{twin.base_url}/control/openapi.json") as response:
                description = ApiDescription(await response.json())
            yield Control(twin, session, description)

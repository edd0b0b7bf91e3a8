"""Both of our stores keep the contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from streamcord.store import Store, open_store
from streamcord.testing.store import STORE_CHECKS, StoreCheck

CHECKS = pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)


@CHECKS
async def test_on_sqlite(check: StoreCheck, tmp_path: Path) -> None:
    async def opener(clock: Callable[[], float]) -> Store:
        return await open_store(tmp_path / "streamcord.db", clock=clock)

    await check(opener)


@CHECKS
async def test_on_postgresql(check: StoreCheck, postgres_url: str) -> None:
    async def opener(clock: Callable[[], float]) -> Store:
        return await open_store(postgres_url, clock=clock)

    await check(opener)

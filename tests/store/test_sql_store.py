"""Both of our stores keep the contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from streamcord._testing.contracts import StoreContract
from streamcord._testing.store_checks import StoreOpener
from streamcord.store import Store, open_store


def opens(where: str | Path) -> StoreOpener:
    async def opener(clock: Callable[[], float]) -> Store:
        return await open_store(where, clock=clock)

    return opener


class TestSqlite(StoreContract):
    @pytest.fixture
    def opener(self, tmp_path: Path) -> StoreOpener:
        return opens(tmp_path / "streamcord.db")


class TestPostgresql(StoreContract):
    @pytest.fixture
    def opener(self, postgres_url: str) -> StoreOpener:
        return opens(postgres_url)

"""A path or a URL: which store it means."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from streamcord import StoreError
from streamcord._testing.store_contracts import StoreContract, StoreFactory
from streamcord.store import Place, Store, open_store

# --- A path or a URL: which store it means ---


@pytest.mark.parametrize("prefix", ["", "sqlite:///"])
async def test_a_path_is_a_file(prefix: str, tmp_path: Path) -> None:
    async with await open_store(f"{prefix}{tmp_path / 'x.db'}") as store:
        await store.change_settings(Place(1), {"a": 1})
    assert (tmp_path / "x.db").read_bytes().startswith(b"SQLite format 3")


async def test_a_relative_path_stays_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with await open_store("x.db") as store:
        await store.change_settings(Place(1), {"a": 1})
    assert (tmp_path / "x.db").is_file()

    with pytest.raises(StoreError) as caught:
        await open_store("nowhere/x.db")
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://user:s3cret@host/x", "redis://s3cret@host"])
async def test_other_databases_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(StoreError, match=r"a file, or a URL that begins with postgresql://") as caught:
        await open_store(url)
    assert "s3cret" not in str(caught.value)


async def test_without_asyncpg_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    monkeypatch.delitem(sys.modules, "streamcord._store.postgres", raising=False)

    with pytest.raises(StoreError, match=r"pip install .*\[postgres\]"):
        await open_store("postgresql://localhost/x")


# --- Both of our stores keep the contract ---


def opens(where: str | Path) -> StoreFactory:
    async def store_factory(clock: Callable[[], float]) -> Store:
        return await open_store(where, clock=clock)

    return store_factory


class TestSqlite(StoreContract):
    @pytest.fixture
    def store_factory(self, tmp_path: Path) -> StoreFactory:
        return opens(tmp_path / "streamcord.db")


class TestPostgresql(StoreContract):
    @pytest.fixture
    def store_factory(self, postgres_url: str) -> StoreFactory:
        return opens(postgres_url)

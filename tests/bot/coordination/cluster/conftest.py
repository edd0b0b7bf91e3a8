"""Bots of one cluster, on one twin and one PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from bot.stage import Stage, make_config, on_stage
from discord_twin import Twin
from store.conftest import postgres_server, postgres_url
from streamcord.providers import Provider
from streamcord.store import open_store
from streamcord_bot.coordination.cluster import Role
from streamcord_bot.coordination.cluster.coordinator import Cluster, open_cluster
from twin.conftest import FREE

__all__ = ["postgres_server", "postgres_url"]

Enter = Callable[..., AbstractAsyncContextManager[tuple[Stage, Cluster]]]


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def enter(twin: Twin, postgres_url: str) -> Enter:
    """Starts one more bot of the cluster; each has a name as if it ran on a machine of its own."""

    @asynccontextmanager
    async def start(
        name: str, model: Provider, role: Role = "all", **tables: Any
    ) -> AsyncIterator[tuple[Stage, Cluster]]:
        wanted = {"settings": {"typing": "off", "degree": 1}, "durability": {"grace": 0.3}, **tables}
        cluster_table = {"url": "store", "lease": 2.0, "identify_pause": 0.0}
        config = make_config(store=postgres_url, cluster=cluster_table, **wanted)
        store, cluster = await open_store(postgres_url), await open_cluster(config, role)
        cluster.member.name = cluster.journal.claims.owner = f"elsewhere/{name}/1#0"
        try:
            async with on_stage(model, config=config, twin=twin, store=store, coordinator=cluster) as stage:
                yield stage, cluster
        finally:
            await cluster.close()
            await store.close()

    return start

"""What an operator sees of a cluster."""

from __future__ import annotations

import pytest

from bot.coordination.cluster.conftest import Enter
from bot.models import Model
from bot.stage import make_config
from streamcord import SettingsError
from streamcord_bot.coordination.cluster import ClusterView, LeasedChannel, LeasedShard, MemberRow
from streamcord_bot.coordination.cluster.status import describe_view, read_status


def test_status_lists_processes_shards_and_lag() -> None:
    view = ClusterView(
        (
            MemberRow("a/1/2#3", 9, "all", age=1.2, turns=3),
            MemberRow("b/1/2#3", 9, "standby", ready=False, age=7.0),
            MemberRow("c/1/2#3", 9, "gateway", leaving=True),
        ),
        tuple(LeasedShard(shard, "a/1/2#3" if shard != 4 else "") for shard in (0, 1, 2, 4, 6)),
        (LeasedChannel(5, "a/1/2#3"),),
        30.0,
        "banned",
    )

    assert describe_view(7, view, 10.0).splitlines() == [
        "bot 7: 3 processes, 5 shards",
        "  a/1/2#3  all, ready; last heartbeat 1.2 s ago; shards 0-2, 6; 3 answers in 1 channels",
        "  b/1/2#3  standby, starting; last heartbeat 7.0 s ago, LATE; shards none; 0 answers in 0 channels",
        "  c/1/2#3  gateway, leaving; last heartbeat 0.0 s ago; shards none; 0 answers in 0 channels",
        "  no process listens to shards 4",
        "  Discord accepts no requests for 30 s: banned",
    ]


async def test_the_same_of_a_running_bot_also_as_metrics(enter: Enter, postgres_url: str) -> None:
    config = make_config(store=postgres_url, cluster={"url": "store"})
    assert await read_status(config) == "No process has joined this cluster yet."
    async with enter("1", Model(["x"])) as (stage, cluster):
        page = await read_status(config)
        assert f"  {cluster.member.name}  all, " in page
        assert "shards 0;" in page
        metrics = stage.app.metrics.render()
        assert "streamcord_cluster_shards_owned 1.0\n" in metrics
        assert "streamcord_cluster_valid 1.0\n" in metrics


async def test_without_a_cluster_there_is_nothing_to_show() -> None:
    with pytest.raises(SettingsError, match=r"cluster\.url"):
        await read_status(make_config())

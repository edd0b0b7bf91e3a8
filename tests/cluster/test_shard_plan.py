"""Who is dead, who holds what, who may send how much: rules, and a large cluster in virtual time."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.simulated_cluster import SimulatedCluster
from streamcord_bot.coordination.cluster.failure_detector import FailureDetector
from streamcord_bot.coordination.cluster.shard_plan import (
    MAX_MEMBERS_WITH_QUOTA,
    REQUESTS_PER_S,
    MemberRow,
    Role,
    local_quota,
    plan_shards,
    sessions_of,
    shard_of,
    shared_quota,
)


def people(*names: str, **more: bool) -> list[MemberRow]:
    return [MemberRow(name, 0, **more) for name in names]  # type: ignore[arg-type]


def test_shards_are_given_out_evenly() -> None:
    assert plan_shards(5, people("a", "b"), {}) == {0: "a", 1: "a", 2: "a", 3: "b", 4: "b"}


def test_joining_member_gets_a_share_with_minimal_moves() -> None:
    before = {0: "a", 1: "a", 2: "b", 3: "b"}

    plan = plan_shards(4, people("a", "b", "c"), before)

    assert sum(plan[shard] != holder for shard, holder in before.items()) == 1
    assert "c" in plan.values()


def test_what_the_dead_held_is_given_to_the_living() -> None:
    assert plan_shards(3, people("b"), {0: "a", 1: "b", 2: "a"}) == {0: "b", 1: "b", 2: "b"}


def test_leaving_member_gets_no_shards() -> None:
    members = [MemberRow("a", 0, leaving=True), MemberRow("b", 0)]

    assert set(plan_shards(3, members, {0: "a"}).values()) == {"b"}
    assert plan_shards(3, people("a", leaving=True), {}) == {}


def test_unready_member_gets_shards_only_if_none_is_ready() -> None:
    members = [MemberRow("a", 0, ready=False), MemberRow("b", 0)]

    assert set(plan_shards(3, members, {}).values()) == {"b"}
    assert set(plan_shards(3, members[:1], {}).values()) == {"a"}


def test_standby_gets_shards_only_without_other_members() -> None:
    members = [MemberRow("a", 0, "standby"), MemberRow("b", 0)]

    assert set(plan_shards(3, members, {0: "a"}).values()) == {"b"}
    assert set(plan_shards(3, members[:1], {0: "b"}).values()) == {"a"}


@given(
    count=st.integers(0, 40),
    names=st.sets(st.sampled_from("abcdefgh"), min_size=1),
    held=st.dictionaries(st.integers(0, 39), st.sampled_from("abcdefghxyz")),
)
def test_every_shard_has_one_owner_and_shares_are_balanced(
    count: int, names: set[str], held: dict[int, str]
) -> None:
    plan = plan_shards(count, people(*names), held)

    assert plan.keys() == set(range(count))
    sizes = [sum(one == name for one in plan.values()) for name in names]
    assert max(sizes) - min(sizes) <= 1
    # The one who plans from the plan moves nothing.
    assert plan_shards(count, people(*names), plan) == plan


@pytest.mark.parametrize(("role", "wanted"), [("all", {0, 1, 2}), ("standby", {0, 1, 2}), ("gateway", {1})])
def test_standby_connects_all_shards(role: Role, wanted: set[int]) -> None:
    assert sessions_of(role, {1}, 3) == wanted


def test_direct_messages_are_of_the_first_shard() -> None:
    assert shard_of(0, 7) == 0
    assert shard_of(5 << 22, 4) == 1
    assert shard_of(5 << 22, 0) == 0


# --- Watching ---------------------------------------------------------------------------------------------


def test_unchanged_heartbeat_counter_means_dead() -> None:
    watch = FailureDetector(10.0)

    assert [watch.find_silent([MemberRow("a", 5)], float(now)) for now in range(0, 13, 2)][:-1] == [[]] * 6
    assert watch.find_silent([MemberRow("a", 5)], 12.1) == ["a"]


def test_moving_heartbeat_counter_means_alive() -> None:
    watch = FailureDetector(10.0)

    assert [
        name for now in range(60) for name in watch.find_silent([MemberRow("a", now // 8)], float(now))
    ] == []


def test_detector_starts_over_after_being_cut_off() -> None:
    watch = FailureDetector(10.0)
    watch.find_silent([MemberRow("a", 5)], 0.0)

    assert watch.find_silent([MemberRow("a", 5)], 60.0) == []
    assert watch.find_silent([MemberRow("a", 5)], 64.0) == []


# --- Requests ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("members", [*range(1, 20), 100, 1000])
def test_all_parts_together_never_exceed_what_discord_takes_in_a_second(members: int) -> None:
    share = local_quota(members, is_new=False)
    # One at once besides the rate, and one block that falls due just then.
    burst = members if share else 0

    assert burst + members * share + shared_quota(members) + 2 <= 50
    assert members * share + shared_quota(members) == pytest.approx(REQUESTS_PER_S)
    assert (share > 0) == (members <= MAX_MEMBERS_WITH_QUOTA)


def test_new_member_has_no_local_quota() -> None:
    assert local_quota(2, is_new=True) == 0


# --- A large cluster, in virtual time --------------------------------------------------------------------


def test_two_hundred_shards_are_taken_over_quickly() -> None:
    cluster = SimulatedCluster(shards=200, guilds=1000, random=Random(18))

    report = cluster.run(members=25, minutes=8, deaths=15, joins=10, outages=1)

    assert report.doubled == 0, "two held one shard, or one sent after its death"
    assert report.unheld == 0
    assert report.takeover_p95 <= 20.0
    assert report.busiest_second <= 50
    assert report.moves_per_change <= 200 / 20

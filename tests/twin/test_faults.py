from __future__ import annotations

from streamcord._twin.faults import ACTS, BLOCKS, LOSSES, Fault, FaultKind, Faults, seeded

CREATE = "messages.create"


def strikes(faults: Faults, kinds: frozenset[FaultKind], count: int, route: str = CREATE) -> list[int]:
    """At which of so many requests something struck."""
    return [number for number in range(count) if faults.strike(route, 1, kinds)]


def test_every_kind_strikes_at_one_moment() -> None:
    assert set(FaultKind) == ACTS | BLOCKS | LOSSES
    assert not ACTS & BLOCKS
    assert not BLOCKS & LOSSES


def test_a_fault_waits_for_its_request_and_strikes_once() -> None:
    faults = Faults([Fault(FaultKind.STATUS, after=2)])

    assert strikes(faults, BLOCKS, 5) == [2]
    assert faults.fired == {FaultKind.STATUS: 1}
    assert faults.pending == []


def test_a_fault_may_strike_several_times() -> None:
    assert strikes(Faults([Fault(FaultKind.STATUS, times=3)]), BLOCKS, 5) == [0, 1, 2]


def test_a_fault_counts_only_the_requests_that_it_waits_for() -> None:
    faults = Faults([Fault(FaultKind.STATUS, routes=("messages.edit",), channel_id=7)])

    assert strikes(faults, BLOCKS, 3) == []
    assert faults.strike("messages.edit", 1, BLOCKS) == []
    assert len(faults.strike("messages.edit", 7, BLOCKS)) == 1


def test_no_routes_are_all_routes() -> None:
    assert strikes(Faults([Fault(FaultKind.STATUS, routes=())]), BLOCKS, 1, "users.own") == [0]


def test_one_answer_is_spoilt_once_and_the_next_fault_takes_the_next_request() -> None:
    faults = Faults([Fault(FaultKind.ACK_DELAY), Fault(FaultKind.ACK_TRUNCATE)])

    assert [fault.kind for fault in faults.strike(CREATE, 1, LOSSES)] == [FaultKind.ACK_DELAY]
    assert [fault.kind for fault in faults.strike(CREATE, 1, LOSSES)] == [FaultKind.ACK_TRUNCATE]


def test_acts_may_happen_together() -> None:
    faults = Faults([Fault(FaultKind.FOREIGN_MESSAGE), Fault(FaultKind.GATEWAY_DROP)])

    assert len(faults.strike(CREATE, 1, ACTS)) == 2


def test_what_still_waits_can_be_forgotten() -> None:
    faults = Faults([Fault(FaultKind.STATUS)])
    faults.clear()

    assert strikes(faults, BLOCKS, 3) == []


def test_a_seed_is_a_schedule() -> None:
    kinds = sorted(FaultKind, key=lambda kind: kind.name)

    assert seeded(7, kinds) == seeded(7, kinds)
    assert len({tuple(seeded(seed, kinds, faults=5)) for seed in range(50)}) == 50
    assert {fault.kind for seed in range(300) for fault in seeded(seed, kinds)} == set(FaultKind)


def test_a_gateway_is_dropped_with_a_code_that_allows_a_resume() -> None:
    assert {fault.status for seed in range(20) for fault in seeded(seed, [FaultKind.GATEWAY_DROP])} == {4000}

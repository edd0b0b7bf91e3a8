from __future__ import annotations

import pytest

from discord_twin import Permission, Twin
from discord_twin.faults import ACTS, BLOCKS, LOSSES, Fault, FaultKind, Faults, seeded
from twin.api import Api
from twin.wire import open_wire

# --- Faults ---

CREATE = "messages.create"


def strikes(faults: Faults, kinds: frozenset[FaultKind], count: int, route: str = CREATE) -> list[int]:
    """At which of so many requests something struck."""
    return [number for number in range(count) if faults.trigger(route, 1, kinds)]


def test_every_fault_kind_belongs_to_one_group() -> None:
    assert set(FaultKind) == ACTS | BLOCKS | LOSSES
    assert not ACTS & BLOCKS
    assert not BLOCKS & LOSSES


def test_a_fault_is_triggered_once_by_its_request() -> None:
    faults = Faults([Fault(FaultKind.STATUS, after=2)])

    assert strikes(faults, BLOCKS, 5) == [2]
    assert faults.fired == {FaultKind.STATUS: 1}
    assert faults.pending == []


def test_a_fault_may_be_triggered_several_times() -> None:
    assert strikes(Faults([Fault(FaultKind.STATUS, times=3)]), BLOCKS, 5) == [0, 1, 2]


def test_a_fault_counts_only_the_requests_that_it_waits_for() -> None:
    faults = Faults([Fault(FaultKind.STATUS, routes=("messages.edit",), channel_id=7)])

    assert strikes(faults, BLOCKS, 3) == []
    assert faults.trigger("messages.edit", 1, BLOCKS) == []
    assert len(faults.trigger("messages.edit", 7, BLOCKS)) == 1


def test_no_routes_are_all_routes() -> None:
    assert strikes(Faults([Fault(FaultKind.STATUS, routes=())]), BLOCKS, 1, "users.own") == [0]


def test_one_answer_is_spoilt_once_and_the_next_fault_takes_the_next_request() -> None:
    faults = Faults([Fault(FaultKind.ACK_DELAY), Fault(FaultKind.ACK_TRUNCATE)])

    assert [fault.kind for fault in faults.trigger(CREATE, 1, LOSSES)] == [FaultKind.ACK_DELAY]
    assert [fault.kind for fault in faults.trigger(CREATE, 1, LOSSES)] == [FaultKind.ACK_TRUNCATE]


def test_acts_may_happen_together() -> None:
    faults = Faults([Fault(FaultKind.FOREIGN_MESSAGE), Fault(FaultKind.GATEWAY_DROP)])

    assert len(faults.trigger(CREATE, 1, ACTS)) == 2


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


# --- Fault acts ---


async def strike(twin: Twin, api: Api, kind: FaultKind, **fields: object) -> int:
    """Let something happen just before a send."""
    twin.inject_fault(kind, **fields)
    return (await api.send("x")).status


async def test_the_bot_loses_one_permission_after_the_other(twin: Twin, api: Api) -> None:
    assert await strike(twin, api, FaultKind.PERM_REVOKE, permission=Permission.ATTACH_FILES) == 200
    assert await strike(twin, api, FaultKind.PERM_REVOKE) == 403
    granted = twin.state.permissions(twin.bot.user, twin.channel)
    assert not granted & (Permission.ATTACH_FILES | Permission.SEND_MESSAGES)


async def test_the_channel_is_deleted(twin: Twin, api: Api) -> None:
    assert await strike(twin, api, FaultKind.DELETE_CHANNEL) == 404
    assert (await api.send()).code == 10003


async def test_the_bots_last_message_is_deleted(twin: Twin, api: Api) -> None:
    twin.say(twin.channel, twin.user, "person")
    await api.send("old")
    await strike(twin, api, FaultKind.DELETE_MESSAGE)

    assert twin.channel.texts == ["person", "x"]


async def test_a_moderator_also_deletes_what_the_bots_webhook_wrote(twin: Twin, api: Api) -> None:
    await api.post(await api.hook(), {"content": "persona"})
    await strike(twin, api, FaultKind.DELETE_MESSAGE)

    assert twin.channel.texts == ["x"]


async def test_a_thread_is_archived_or_locked(twin: Twin, api: Api) -> None:
    thread = twin.add_thread("talk")
    twin.inject_fault(FaultKind.THREAD_ARCHIVE)
    assert (await api.send(channel=thread)).status == 200
    twin.inject_fault(FaultKind.THREAD_LOCK)
    assert (await api.send(channel=thread)).code == 160005


async def test_a_person_writes_in_between(twin: Twin, api: Api) -> None:
    await api.send("a")
    await strike(twin, api, FaultKind.FOREIGN_MESSAGE)

    assert [message.by_machine for message in twin.channel.messages.values()] == [True, False, True]


async def test_webhooks_are_deleted_moved_or_get_another_token(twin: Twin, api: Api) -> None:
    for kind, status in (
        (FaultKind.WEBHOOK_MOVE, 204),
        (FaultKind.WEBHOOK_RETOKEN, 401),
        (FaultKind.WEBHOOK_DELETE, 404),
    ):
        hook = await api.hook()
        twin.inject_fault(kind)
        assert (await api.post(hook, {"content": "x"})).status == status

    assert twin.channel.texts == []


async def test_a_foreign_webhook_bears_our_name(twin: Twin, api: Api) -> None:
    await api.hook("luna")
    await strike(twin, api, FaultKind.FOREIGN_WEBHOOK)
    own, foreign = twin.state.webhooks_of(twin.channel)

    assert own.name == foreign.name
    assert foreign.application_id is None


async def test_all_webhook_slots_are_taken(twin: Twin, api: Api) -> None:
    await strike(twin, api, FaultKind.FILL_WEBHOOKS)

    assert (await api.post(f"/channels/{twin.channel.id}/webhooks", {"name": "luna"})).code == 30007


async def test_nonces_are_forgotten(twin: Twin, api: Api) -> None:
    first = await api.send("a", nonce="n", enforce_nonce=True)
    twin.inject_fault(FaultKind.NONCE_FORGET)

    assert (await api.send("a", nonce="n", enforce_nonce=True)).json["id"] != first.json["id"]


async def test_bucket_hashes_change(twin: Twin, api: Api) -> None:
    before = (await api.send()).headers["X-RateLimit-Bucket"]
    twin.inject_fault(FaultKind.BUCKET_HASH_CHANGE)

    assert (await api.send()).headers["X-RateLimit-Bucket"] != before


@pytest.mark.parametrize(("kind", "op"), [(FaultKind.GATEWAY_RECONNECT, 7), (FaultKind.GATEWAY_INVALID, 9)])
async def test_the_gateway_asks_for_something(twin: Twin, api: Api, kind: FaultKind, op: int) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
        await strike(twin, api, kind)
        await wire.op(op)


@pytest.mark.parametrize(
    ("kind", "codes"), [(FaultKind.GATEWAY_DROP, {4009}), (FaultKind.GATEWAY_ABORT, {None, 1006})]
)
async def test_the_gateway_goes(twin: Twin, api: Api, kind: FaultKind, codes: set[int | None]) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
        await strike(twin, api, kind, status=4009)

        assert await wire.close_code() in codes


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind in ACTS])
async def test_every_act_can_happen_anywhere(twin: Twin, api: Api, kind: FaultKind) -> None:
    for channel in (twin.dm(), twin.add_thread("talk"), twin.channel):
        twin.inject_fault(kind)
        await api.send(channel=channel)
    twin.inject_fault(kind, "users.own")

    assert (await api.get("/users/@me")).status == 200
    assert twin.faults.fired[kind] == 4

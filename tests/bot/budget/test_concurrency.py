"""Concurrency limits and cooldowns; the test passes the time."""

from __future__ import annotations

from streamcord_bot.budget.concurrency import UNTIL_FREED, SlotLimits, TurnSlots
from streamcord_bot.config import BudgetConfig

ALICE, BOB, EVE = 1, 2, 3


def test_user_limit_counts_answers_in_all_servers() -> None:
    slots = TurnSlots(SlotLimits(person=2))

    assert [slots.begin(ALICE, server, 0.0) for server in (7, 8, 9)] == [0.0, 0.0, UNTIL_FREED]
    assert slots.begin(BOB, 7, 0.0) == 0.0
    assert slots.running == 3
    slots.end(ALICE, 8)
    assert slots.begin(ALICE, 9, 0.0) == 0.0


def test_server_limit_does_not_apply_to_direct_messages() -> None:
    slots = TurnSlots(SlotLimits(server=1))

    assert [slots.begin(one, 7, 0.0) for one in (ALICE, BOB)] == [0.0, UNTIL_FREED]
    assert [slots.begin(one, 0, 0.0) for one in (ALICE, BOB, EVE)] == [0.0, 0.0, 0.0]


def test_process_limit_counts_all_answers() -> None:
    slots = TurnSlots(SlotLimits(all=2))

    assert [slots.begin(one, one, 0.0) for one in (ALICE, BOB, EVE)] == [0.0, 0.0, UNTIL_FREED]


def test_ended_answer_calls_on_freed() -> None:
    slots, freed = TurnSlots(SlotLimits(person=1)), list[int]()
    slots.on_freed = lambda: freed.append(slots.running)
    slots.begin(ALICE, 7, 0.0)
    slots.end(ALICE, 7)

    assert freed == [0]


def test_per_minute_limit_delays_the_next_answer() -> None:
    slots = TurnSlots(SlotLimits(per_minute=2))

    assert [slots.begin(ALICE, 7, at) for at in (0.0, 10.0, 20.0)] == [0.0, 0.0, 40.0]
    assert slots.begin(BOB, 7, 20.0) == 0.0
    assert slots.begin(ALICE, 7, 60.0) == 0.0
    assert slots.begin(ALICE, 7, 61.0) == 9.0


def test_cooldown_delays_the_next_answer() -> None:
    slots = TurnSlots(SlotLimits(cooldown=5.0))

    assert [slots.begin(ALICE, 7, at) for at in (0.0, 2.0, 5.0)] == [0.0, 3.0, 0.0]


def test_delayed_answer_is_not_recorded_as_started() -> None:
    slots = TurnSlots(SlotLimits(person=1, per_minute=2))
    slots.begin(ALICE, 7, 0.0)
    for _ in range(10):
        assert slots.begin(ALICE, 8, 1.0) == UNTIL_FREED
    slots.end(ALICE, 7)

    assert slots.begin(ALICE, 8, 1.0) == 0.0


def test_expired_users_are_removed() -> None:
    slots = TurnSlots(SlotLimits(per_minute=2))
    for person in range(1000):
        slots.begin(person, 7, 0.0)
        slots.end(person, 7)
    slots.begin(ALICE, 7, 100.0)

    assert len(slots._starts) == 1


def test_no_limits_record_nothing() -> None:
    slots = TurnSlots()

    assert [slots.begin(ALICE, 7, 0.0) for _ in range(100)] == [0.0] * 100
    assert slots._starts == {}


def test_limits_come_from_the_configuration() -> None:
    config = BudgetConfig(
        person_running=1, server_running=2, all_running=3, per_minute=4, cooldown=5, person_waiting=6
    )

    assert SlotLimits.of(config) == SlotLimits(1, 2, 3, 4, 5.0, 6)


def test_left_counts_free_slots_and_forget_start_returns_one() -> None:
    slots = TurnSlots(SlotLimits(person=2, server=3, per_minute=2))
    slots.begin(ALICE, 7, 0.0)

    assert slots.left(ALICE, 7, 1.0) == (1, 2, -1, 1)
    assert slots.left(ALICE, 0, 61.0) == (1, -1, -1, 2)
    slots.forget_start(ALICE)
    slots.forget_start(EVE)
    assert slots.left(ALICE, 7, 1.0) == (1, 2, -1, 2)
    assert slots.begin(BOB, 7, 2.0) == 0.0
    assert slots.begin(ALICE, 7, 2.0) == 0.0

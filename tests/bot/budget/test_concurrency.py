"""How many answers at once, and how soon the next; the time is handed in."""

from __future__ import annotations

from streamcord_bot.budget.concurrency import FOREVER, SlotLimits, TurnSlots
from streamcord_bot.config.budget import BudgetConfig

ALICE, BOB, EVE = 1, 2, 3


def test_a_person_has_so_many_answers_at_once_wherever_they_ask() -> None:
    slots = TurnSlots(SlotLimits(person=2))

    assert [slots.begin(ALICE, server, 0.0) for server in (7, 8, 9)] == [0.0, 0.0, FOREVER]
    assert slots.begin(BOB, 7, 0.0) == 0.0
    assert slots.running == 3
    slots.end(ALICE, 8)
    assert slots.begin(ALICE, 9, 0.0) == 0.0


def test_a_server_has_so_many_and_direct_messages_are_no_server() -> None:
    slots = TurnSlots(SlotLimits(server=1))

    assert [slots.begin(one, 7, 0.0) for one in (ALICE, BOB)] == [0.0, FOREVER]
    assert [slots.begin(one, 0, 0.0) for one in (ALICE, BOB, EVE)] == [0.0, 0.0, 0.0]


def test_the_process_has_so_many() -> None:
    slots = TurnSlots(SlotLimits(all=2))

    assert [slots.begin(one, one, 0.0) for one in (ALICE, BOB, EVE)] == [0.0, 0.0, FOREVER]


def test_whoever_waits_hears_of_a_free_place() -> None:
    slots, heard = TurnSlots(SlotLimits(person=1)), list[int]()
    slots.freed = lambda: heard.append(slots.running)
    slots.begin(ALICE, 7, 0.0)
    slots.end(ALICE, 7)

    assert heard == [0]


def test_within_a_minute_so_many_begin() -> None:
    slots = TurnSlots(SlotLimits(per_minute=2))

    assert [slots.begin(ALICE, 7, at) for at in (0.0, 10.0, 20.0)] == [0.0, 0.0, 40.0]
    assert slots.begin(BOB, 7, 20.0) == 0.0
    assert slots.begin(ALICE, 7, 60.0) == 0.0
    assert slots.begin(ALICE, 7, 61.0) == 9.0


def test_after_a_beginning_comes_a_pause() -> None:
    slots = TurnSlots(SlotLimits(cooldown=5.0))

    assert [slots.begin(ALICE, 7, at) for at in (0.0, 2.0, 5.0)] == [0.0, 3.0, 0.0]


def test_who_is_refused_has_not_begun() -> None:
    slots = TurnSlots(SlotLimits(person=1, per_minute=2))
    slots.begin(ALICE, 7, 0.0)
    for _ in range(10):
        assert slots.begin(ALICE, 8, 1.0) == FOREVER
    slots.end(ALICE, 7)

    assert slots.begin(ALICE, 8, 1.0) == 0.0


def test_people_of_long_ago_are_forgotten() -> None:
    slots = TurnSlots(SlotLimits(per_minute=2))
    for person in range(1000):
        slots.begin(person, 7, 0.0)
        slots.end(person, 7)
    slots.begin(ALICE, 7, 100.0)

    assert len(slots._begun) == 1


def test_without_limits_nobody_waits_and_nothing_is_kept() -> None:
    slots = TurnSlots()

    assert [slots.begin(ALICE, 7, 0.0) for _ in range(100)] == [0.0] * 100
    assert slots._begun == {}


def test_the_limits_are_those_of_the_file() -> None:
    config = BudgetConfig(
        person_running=1, server_running=2, all_running=3, per_minute=4, cooldown=5, person_waiting=6
    )

    assert SlotLimits.of(config) == SlotLimits(1, 2, 3, 4, 5.0, 6)


def test_what_is_left_is_told_for_other_processes_and_a_beginning_is_taken_back() -> None:
    slots = TurnSlots(SlotLimits(person=2, server=3, per_minute=2))
    slots.begin(ALICE, 7, 0.0)

    assert slots.left(ALICE, 7, 1.0) == (1, 2, -1, 1)
    assert slots.left(ALICE, 0, 61.0) == (1, -1, -1, 2)
    slots.take_back(ALICE)
    slots.take_back(EVE)
    assert slots.left(ALICE, 7, 1.0) == (1, 2, -1, 2)
    assert slots.begin(BOB, 7, 2.0) == 0.0
    assert slots.begin(ALICE, 7, 2.0) == 0.0

"""Questions, channels and the lease."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from streamcord._journal.ownership import ActiveChannel, OpenQuestion, Ownership, is_dead, process_name
from streamcord._store.database import Database
from streamcord._store.sql_store import open_database


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(str(tmp_path / "s.db"))
    yield opened
    await opened.close()


def claims(database: Database, owner: str, clock: Clock | None = None) -> Ownership:
    made = Ownership(database, clock or Clock())
    made.owner = owner
    return made


async def test_a_question_is_answered_once(database: Database) -> None:
    one, two = claims(database, "one"), claims(database, "two")

    assert await one.claim([5, 6], 2, 7)
    assert await one.answered([4, 5, 6]) == {5, 6}
    assert await two.answered([5]) == set()
    assert await two.open_questions(0.0) == [
        OpenQuestion(6, 2, 7, "one", 1000.0),
        OpenQuestion(5, 2, 7, "one", 1000.0),
    ]
    # The one who took it is gone: another one may.
    assert await two.claim([5, 6], 2, 7)
    await two.finish([5, 6])
    await two.finish([])
    assert not await one.claim([5, 6], 2, 7)
    assert await one.answered([5, 6]) == {5, 6}
    assert await one.open_questions(0.0) == []


async def test_answered_question_is_recorded_although_its_claim_was_not_written(database: Database) -> None:
    await claims(database, "one").finish([5])

    assert await claims(database, "two").answered([5]) == {5}
    assert not await claims(database, "two").claim([5], 2, 7)


async def test_answered_questions_are_forgotten_after_a_day(database: Database) -> None:
    clock = Clock()
    one = claims(database, "one", clock)
    await one.claim([5], 2, 7)
    await one.finish([5])

    clock.now += 90_000
    await one.claim([6], 2, 7)
    await one.finish([6])

    assert await one.answered([5, 6]) == {6}


async def test_active_channels_are_written_with_the_next_heartbeat(database: Database) -> None:
    one = claims(database, "one")
    for message in [5, 6]:
        one.record_activity(2, 0, message)
    assert await one.channels(0.0) == []

    await one.renew_lease(9)

    assert await one.channels(0.0) == [ActiveChannel(2, 0, 6, 1000.0)]
    assert await one.channels(1001.0) == []


async def test_the_lease_is_held_by_one_until_it_is_released_or_silent(database: Database) -> None:
    clock = Clock()
    one, two = claims(database, "far/1/1", clock), claims(database, "far/2/2", clock)

    assert await one.last_heartbeat(9) == 0.0
    assert [await one.renew_lease(9), await two.renew_lease(9), await one.renew_lease(9)] == ["far/1/1"] * 3
    assert await two.last_heartbeat(9) == 1000.0
    clock.now += 16
    assert await two.renew_lease(9) == "far/2/2"
    await one.release(9)
    assert await one.renew_lease(9) == "far/2/2"
    await two.release(9)
    assert await one.renew_lease(9) == "far/1/1"


async def test_a_clock_that_was_set_back_keeps_nobody_quiet(database: Database) -> None:
    clock = Clock()
    one, two = claims(database, "far/1/1", clock), claims(database, "far/2/2", clock)
    await one.renew_lease(9)

    clock.now -= 3600

    assert await two.renew_lease(9) == "far/2/2"


async def test_lease_of_a_dead_process_is_taken_over_at_once(database: Database) -> None:
    dead = f"{socket.gethostname()}/{os.getpid()}/never"
    await claims(database, dead).renew_lease(9)

    assert await claims(database, "me").renew_lease(9) == "me"


def test_who_is_alive_is_known_on_this_machine_only() -> None:
    assert not is_dead(process_name())
    assert is_dead(f"{socket.gethostname()}/999999999/5")
    assert not is_dead("elsewhere/1/5")
    assert not is_dead("")

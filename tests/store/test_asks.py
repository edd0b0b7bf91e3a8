from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from streamcord import Ask, AskOption, StoreError
from streamcord._store.database import Database
from streamcord._store.sql_store import SqlStore, open_database
from streamcord.store import AskRow, AskState, Change, Place


def row(id_: str = "ab", **about: object) -> AskRow:
    options = (AskOption("yes", "y", style="good"), "no")
    return AskRow(Ask("Go?", options, who=(7,), id=id_), Place(1, 2), 7, 9, about)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    return ":memory:" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = await open_database(url)
    yield opened
    await opened.close()


@pytest.fixture
async def store(database: Database) -> SqlStore:
    return SqlStore(database, lambda: 1000.0)


async def test_row_comes_back_as_it_was_kept(store: SqlStore) -> None:
    await store.open_ask(row(call={"x": [1, "ü\0"]}))
    found = await store.find_ask("ab")
    assert found is not None
    assert found.ask == row().ask
    assert (found.place, found.owner, found.bot) == (Place(1, 2), 7, 9)
    assert found.about == {"call": {"x": [1, "ü\0"]}}
    assert (found.created_at, found.expires_at) == (1000.0, 1900.0)
    assert await store.find_ask("cd") is None


async def test_one_of_many_presses_decides_and_one_of_many_turns_acts(store: SqlStore) -> None:
    await store.open_ask(row())
    decided = await asyncio.gather(
        *(store.decide_ask("ab", row().ask.choose([one % 2], user=7, at=1.0)) for one in range(8))
    )
    taken = await asyncio.gather(*(store.take_ask("ab", f"turn {one}") for one in range(8)))
    assert (sum(decided), sum(taken)) == (1, 1)
    found = await store.find_ask("ab")
    assert found is not None
    assert found.turn == f"turn {taken.index(True)}"
    assert not await store.take_ask("ab", "other", before="")
    assert await store.take_ask("ab", "successor", before=found.turn)
    await store.close_ask("ab", about={"result": "done"})
    assert not await store.take_ask("ab", "late", before="successor")
    found = await store.find_ask("ab")
    assert found is not None
    assert (found.state, found.about) == (AskState.DONE, {"result": "done"})


async def test_decision_and_its_entry_of_the_audit_log_are_written_together(store: SqlStore) -> None:
    await store.open_ask(row())
    decided = await asyncio.gather(
        *(
            store.decide_ask(
                "ab",
                row().ask.choose([one % 2], user=one, at=1.0),
                change=Change(Place(1, 2), one, "allow x"),
            )
            for one in range(8)
        )
    )
    [change] = await store.changes(1)
    assert change.user == decided.index(True)
    assert (change.action, sum(decided)) == ("allow x", 1)


async def test_expired_or_withdrawn_question_cannot_be_decided(database: Database) -> None:
    now = 1000.0
    store = SqlStore(database, lambda: now)
    decision = row().ask.choose([0], user=7, at=1.0)
    await store.open_ask(row("a1"))
    await store.open_ask(row("a2"))
    await store.close_ask("a2")
    assert not await store.decide_ask("a2", decision)
    now = 1900.0
    assert not await store.decide_ask("a1", decision)
    assert [one.id for one in await store.asks(9, AskState.OPEN, AskState.CLOSED)] == ["a1", "a2"]
    assert await store.asks(8, AskState.OPEN) == ()


async def test_decision_allows_from_then_on_in_its_channel(store: SqlStore) -> None:
    await store.open_ask(row())
    await store.decide_ask("ab", row().ask.choose([0], user=7, at=1.0), allows="tool:deploy")
    assert await store.is_allowed(2, "tool:deploy", 0.0)
    assert not await store.is_allowed(3, "tool:deploy", 0.0)
    assert not await store.is_allowed(2, "tool:deploy", 1000.0)
    assert not await store.is_allowed(2, "", 0.0)


async def test_person_and_channel_can_be_forgotten_with_their_questions(store: SqlStore) -> None:
    for id_ in ("a1", "a2"):
        await store.open_ask(row(id_))
        await (store.forget_person(7) if id_ == "a1" else store.forget_place(Place(1, 2)))
        assert await store.find_ask(id_) is None


async def test_row_of_a_megabyte_is_refused_in_words(store: SqlStore) -> None:
    with pytest.raises(StoreError, match="too much data"):
        await store.open_ask(row(state="x" * 1024 * 1024))
    assert await store.find_ask("ab") is None

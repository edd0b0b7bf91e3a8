"""The journal and the claims of members."""

from __future__ import annotations

import asyncio

import pytest

from cluster.conftest import BOT, Join
from streamcord import Settings, StoreError
from streamcord._journal.protocol import JournalRow
from streamcord._journal.sql_journal import GROUP_COMMIT_S
from streamcord_bot.coordination.cluster.cluster_rows import ClusterRows, LeaseLost
from streamcord_bot.coordination.cluster.journal import CONCURRENCY_PAUSE_S, ClusterJournal


def turn(name: str, channel: int) -> JournalRow:
    return JournalRow(name, 0, "turn", {"about": {"channel": channel}}, 1.0)


async def test_what_one_member_wrote_another_reads_unless_it_speaks_there(join: Join) -> None:
    one, two = await join("1"), await join("2")
    mine, theirs = ClusterJournal(one), ClusterJournal(two)
    mine.write(turn("t", 5))
    mine.write(turn("u", 6))
    assert await mine.flush()
    await one.rows.lease_channel(one.name, BOT, 5, 0)

    assert [row.turn for row in await theirs.entries()] == ["u"]
    assert [row.turn for row in await mine.entries()] == ["t", "u"]
    await two.rows.evict(one.name)
    assert [row.turn for row in await theirs.entries()] == ["t", "u"]


async def test_evicted_member_writes_nothing_and_does_not_wait(join: Join) -> None:
    one, two = await join("1"), await join("2")
    mine, theirs = ClusterJournal(one), ClusterJournal(two)
    mine.write(turn("t", 5))
    await mine.flush()
    await two.rows.evict(one.name)

    mine.forget("t")
    mine.write(turn("u", 5))
    waiting = asyncio.create_task(mine.flush())
    await one.tick()

    assert not await waiting
    assert [row.turn for row in await theirs.entries()] == ["t"]


async def test_whose_row_is_refused_as_that_of_a_dead_one_knows_it_at_once(
    join: Join, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = await join("1"), await join("2")
    journal = ClusterJournal(one)
    await two.rows.evict(one.name)

    journal.write(turn("t", 5))

    assert not await journal.flush()
    assert one.is_evicted
    journal.write(turn("u", 5))
    assert not await journal.flush(), "what nobody wrote is not kept"
    assert "answers continue without it" not in caplog.text


async def test_a_message_waits_for_its_row_as_long_as_the_database_is_away(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await join("1")
    journal, keep, failed = ClusterJournal(one), ClusterRows.write_journal, asyncio.Event()

    async def away(*_: object) -> None:
        failed.set()
        raise StoreError("away")

    with monkeypatch.context() as patched:
        patched.setattr(ClusterRows, "write_journal", away)
        journal.write(turn("t", 5))
        waiting = asyncio.create_task(journal.flush())
        await failed.wait()
        assert not waiting.done()
    assert ClusterRows.write_journal is keep
    assert await waiting


async def test_a_turn_is_gone_on_with_once(join: Join) -> None:
    one = await join("1")
    journal = ClusterJournal(one)
    begun = journal.begin(channel=5)
    begun.begin(Settings(), None, None)
    await journal.flush()
    (found,) = await journal.unfinished()
    assert await journal.is_unchanged(found)

    (again,) = await journal.unfinished()
    again.stop("now")
    await journal.flush()
    assert not await journal.is_unchanged(found), "somebody else has gone on"
    again.close()
    await journal.flush()
    assert not await journal.is_unchanged(again), "it is over"


async def test_rows_written_after_the_end_of_a_turn_are_removed(join: Join) -> None:
    one = await join("1")
    journal = ClusterJournal(one)
    journal.write(JournalRow("t", 4, "received", {"events": []}, 1.0))
    await journal.flush()

    assert await journal.entries() == []
    await journal.flush()
    assert await one.rows.entries(one.name) == ([], set())


async def test_a_question_is_taken_once_and_only_from_the_dead(join: Join) -> None:
    one, two = await join("1"), await join("2")
    mine, theirs = ClusterJournal(one).claims, ClusterJournal(two).claims

    assert await mine.claim([1, 2], 5, 9)
    assert not await theirs.claim([1, 2], 5, 9)
    assert await theirs.claim_some([2, 3], 5, 9) == {3}
    assert await theirs.answered([1, 2, 3, 4]) == {1, 2, 3}
    assert await theirs.answered([]) == set()
    await mine.finish([1])
    await two.rows.evict(one.name)

    assert [one.message for one in await theirs.open_questions(0)] == [2]
    assert await theirs.claim_some([1, 2], 5, 9) == {2}


async def test_question_with_an_interrupted_answer_is_not_claimed_again(join: Join) -> None:
    one, two = await join("1"), await join("2")
    mine, theirs = ClusterJournal(one), ClusterJournal(two)
    await mine.claims.claim([100, 101], 5, 9)
    mine.write(JournalRow("t", 0, "turn", {"about": {"channel": 5, "asked": [100]}}, 1.0))
    await mine.flush()
    await two.rows.evict(one.name)

    assert await theirs.claims.answered([100, 101]) == {100}
    assert await theirs.claims.claim_some([100, 101], 5, 9) == {101}


async def test_channel_activity_is_written(join: Join) -> None:
    claims = ClusterJournal(await join("1")).claims
    claims.record_activity(5, 1, 100)
    await claims.write_cursors()
    await claims.write_cursors()

    assert [(one.channel, one.guild, one.message) for one in await claims.channels(0)] == [(5, 1, 100)]
    await claims.claim([1], 5, 9)
    await claims.forget_old(-10.0)
    assert await claims.answered([1]) == set()


async def test_a_claim_waits_for_the_database_and_ends_with_the_member(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await join("1")
    claims = ClusterJournal(one).claims
    one.is_evicted = True

    async def away(*_: object) -> None:
        raise StoreError("away")

    monkeypatch.setattr(one.rows.database, "read", away)
    with pytest.raises(LeaseLost):
        await claims.claim([1], 5, 9)
    with pytest.raises(LeaseLost):
        await claims.finish([1])
    monkeypatch.undo()
    one.is_evicted = False


async def test_what_was_answered_is_written_with_the_end_of_its_turn(join: Join) -> None:
    one = await join("1")
    journal = ClusterJournal(one)
    await journal.claims.claim([100], 5, 9)
    begun = journal.begin(channel=5, asked=[100])
    begun.begin(Settings(), None, None)
    await journal.flush()
    journal.mark_answered([100])
    assert journal.was_answered(100)
    assert not journal.was_answered(101)
    assert await journal.claims.claimed_elsewhere([100]) == set()
    begun.close()

    assert await journal.unfinished() == [], "whatever still stands in the table"
    await journal.flush()
    assert await one.rows.entries(one.name) == ([], set())
    assert await journal.claims.claim_some([100], 5, 9) == set()


async def test_what_was_answered_is_written_later_if_the_database_is_away(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await join("1")
    journal, failed = ClusterJournal(one), asyncio.Event()
    await journal.claims.claim([100], 5, 9)
    journal.write(turn("t", 5))
    await journal.flush()

    async def away(*_: object) -> None:
        failed.set()
        raise StoreError("away")

    with monkeypatch.context() as patched:
        patched.setattr(ClusterRows, "write_journal", away)
        journal.mark_answered([100])
        journal.forget("t")
        await failed.wait()
    assert await journal.flush()
    assert await journal.claims.claim_some([100], 5, 9) == set()


async def test_only_unanswered_questions_of_other_members_are_released(
    join: Join,
) -> None:
    one, two = await join("1"), await join("2")
    mine, theirs = ClusterJournal(one).claims, ClusterJournal(two).claims
    await mine.claim([1, 2], 5, 9)
    await mine.finish([1])

    assert await theirs.claim_some([1, 2, 3], 5, 9) == {3}
    assert await theirs.claimed_elsewhere([1, 2]) == {2}
    assert await theirs.claim_some([], 5, 9) == set()


async def test_rows_without_a_waiter_are_written_with_the_next_urgent_row(join: Join) -> None:
    one = await join("1")
    journal = ClusterJournal(one)
    journal.write(turn("t", 5))
    loop = asyncio.get_running_loop()
    assert journal._timer is not None
    assert journal._timer.when() - loop.time() > GROUP_COMMIT_S
    journal.write(JournalRow("t", 1, "ended", {}, 1.0))
    assert journal._timer.when() - loop.time() <= GROUP_COMMIT_S
    assert await journal.flush()


async def test_answers_to_a_person_and_on_a_server_count_over_all_members(join: Join) -> None:
    one, two = await join("1"), await join("2")
    mine, theirs = ClusterJournal(one).claims, ClusterJournal(two).claims
    await one.rows.lease_channel(one.name, BOT, 5, 0, 9)
    assert await mine.claim_within_limits([1], 5, 9, guild=7) == ({1}, 0.0)
    await two.rows.lease_channel(two.name, BOT, 6, 0, 9)

    for left in ((0, -1, -1, -1), (-1, 0, -1, -1), (-1, -1, 0, -1)):
        taken, pause = await theirs.claim_within_limits([2], 6, 9, 7, left)
        assert (taken, pause) == (set(), CONCURRENCY_PAUSE_S)
    assert await theirs.claim_within_limits([2], 6, 8, 3, (0, 0, -1, -1)) == ({2}, 0.0), (
        "somebody else, elsewhere"
    )
    await one.rows.release_channels(one.name, one.topic, [5])
    assert await theirs.claim_within_limits([3], 6, 9, 7, (0, 0, 0, -1)) == ({3}, 0.0)


async def test_answers_that_began_in_a_minute_count_over_all_members(join: Join) -> None:
    one, two = await join("1"), await join("2")
    mine, theirs = ClusterJournal(one).claims, ClusterJournal(two).claims
    await mine.claim_within_limits([1, 2], 5, 9)
    await mine.claim_within_limits([3], 5, 9)

    taken, pause = await theirs.claim_within_limits([4], 6, 9, 0, (-1, -1, -1, 1))
    assert not taken
    assert 55 < pause <= 60
    assert not (await theirs.claim_within_limits([4], 6, 9, 0, cooldown=30.0))[0]
    assert (await theirs.claim_within_limits([4], 6, 9, 0, (-1, -1, -1, 2)))[0] == {4}

"""How long what a struck process held waits for someone else, seen from outside."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress

import asyncpg  # type: ignore[import-untyped]

TAKEOVER_TIMEOUT_S = 60.0
LOOK = 0.1
_HELD = """
SELECT s.shard, s.owner FROM cluster_shards s JOIN cluster_members m ON m.name = s.owner ORDER BY s.shard
"""
_SPOKEN = "SELECT channel FROM cluster_channels WHERE owner = $1"
# A channel is kept for a moment after its answer, of which the journal then has no row.
_SPEAKING = """
SELECT owner FROM cluster_channels c WHERE
    EXISTS (SELECT 1 FROM journal j WHERE j.number = 0 AND strpos(j.body, c.channel::text) > 0)
"""


class Takeovers:
    """Watches the tables for new holders of shards, and the channels for answers that go on."""

    def __init__(self, url: str, last_message: Callable[[int], tuple[bool, int]]) -> None:
        self.shards: dict[str, list[float]] = defaultdict(list)
        """Seconds until somebody else held a shard, by what had happened."""
        self.answers: dict[str, list[float]] = defaultdict(list)
        """Seconds until an answer that broke off went on."""
        self.standstill = 0.0
        """How long this process had no time for anything: what it received then seems to come at once."""
        self._url = url
        self._last_message = last_message
        self._tasks: list[asyncio.Task[None]] = []

    async def watch(self, kind: str, member: str) -> None:
        """A member is about to be struck."""
        connection = await self._connect()
        held = {row["shard"] for row in await connection.fetch(_HELD) if row["owner"] == member}
        spoken = [row["channel"] for row in await connection.fetch(_SPOKEN, member)]
        await connection.close()
        last = {one: self._last_message(one)[1] for one in spoken if self._last_message(one)[0]}
        self._tasks.append(asyncio.create_task(self._watch_shards(kind, member, held)))
        self._tasks.append(asyncio.create_task(self._watch_answers(kind, last)))

    async def speaking(self, seconds: float = 60.0) -> Counter[str]:
        """Wait until anybody writes an answer; in how many channels each member does."""
        connection = await self._connect()
        try:
            async with asyncio.timeout(seconds):
                while not (spoken := await connection.fetch(_SPEAKING)):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
                return Counter(row["owner"] for row in spoken)
        finally:
            await connection.close()

    async def over(self) -> None:
        """Wait until all that was watched has happened."""
        await asyncio.gather(*self._tasks)

    def report(self) -> str:
        """The slowest of what was watched, for every kind."""
        parts = [
            f"{kind} {_describe(self.shards[kind])} (answers {_describe(self.answers[kind])})"
            for kind in sorted(self.shards)
        ]
        return f"takeover p95 {self.p95():.1f} s; shards: " + "; ".join(parts)

    def p95(self) -> float:
        """Seconds within which 95 of 100 shards were held by someone else."""
        return _p95(one for some in self.shards.values() for one in some)

    async def _watch_shards(self, kind: str, member: str, left: set[int]) -> None:
        loop = asyncio.get_running_loop()
        begun, connection = loop.time(), None
        while left and loop.time() - begun < TAKEOVER_TIMEOUT_S:
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
                connection = connection or await self._connect()
                try:
                    rows = await connection.fetch(_HELD)
                except BaseException:
                    connection.terminate()
                    connection = None
                    raise
                taken = {row["shard"] for row in rows if row["owner"] != member} & left
                self.shards[kind] += [loop.time() - begun] * len(taken)
                left -= taken
            await asyncio.sleep(LOOK)
        self.shards[kind] += [math.inf] * len(left)
        if connection is not None:
            await connection.close()

    async def _watch_answers(self, kind: str, last: dict[int, int]) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        while last and loop.time() - begun < TAKEOVER_TIMEOUT_S:
            gone_on = [one for one, before in last.items() if self._last_message(one)[1] > before]
            self.answers[kind] += [loop.time() - begun] * len(gone_on)
            last = {one: before for one, before in last.items() if one not in gone_on}
            before = loop.time()
            await asyncio.sleep(LOOK)
            self.standstill = max(self.standstill, loop.time() - before - LOOK)
        self.answers[kind] += [math.inf] * len(last)

    async def _connect(self) -> asyncpg.Connection:
        return await asyncpg.connect(self._url, timeout=5.0)


def _p95(values: Iterable[float]) -> float:
    ordered = sorted(values) or [0.0]
    return ordered[math.ceil(len(ordered) * 0.95) - 1]


def _describe(values: list[float]) -> str:
    return f"{len(values)}, p95 {_p95(values):.1f} s, longest {max(values):.1f} s" if values else "none"

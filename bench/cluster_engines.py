"""What it adds to the first message to put a turn on an engine: job queues on PostgreSQL against lease rows.

Each question is written down by one process and begun by another (a worker), except for *lease row, same
process*, where who hears a question takes the lease of its channel and answers it. Prints, for each engine,
how long a question waits until it is begun (p50, p95), processor time of both processes per question, and
how many statements PostgreSQL ran. `procrastinate` and `pgqueuer` are measured if they are installed (pip
install procrastinate pgqueuer); they are no dependency of ours.

    python bench/cluster_engines.py [--count 200] [--rate 20]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from store.server import running_postgres

CHANNELS = 60
Hand = Callable[[int, float], Coroutine[Any, Any, None]]


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def pace(count: int, rate: float, hand: Hand) -> None:
    """Hand over `count` questions at a fixed rate, without waiting for earlier ones."""
    begun = time.monotonic()
    tasks: list[asyncio.Task[None]] = []
    for number in range(count):
        await asyncio.sleep(max(0.0, begun + number / rate - time.monotonic()))
        tasks.append(asyncio.create_task(hand(number % CHANNELS, time.monotonic())))
    await asyncio.gather(*tasks)


# --- Lease rows ---------------------------------------------------------------------------------------

TABLES = """
DROP TABLE IF EXISTS bench_leases, bench_questions;
CREATE TABLE bench_leases (channel BIGINT PRIMARY KEY, owner TEXT, fence BIGINT);
CREATE TABLE bench_questions (id BIGSERIAL PRIMARY KEY, channel BIGINT, at DOUBLE PRECISION);
"""
TAKE = """
INSERT INTO bench_leases VALUES ($1, $2, 1) ON CONFLICT (channel) DO UPDATE
SET owner = excluded.owner, fence = bench_leases.fence + 1
WHERE bench_leases.owner IN ('', excluded.owner) RETURNING fence
"""
GIVE = "UPDATE bench_leases SET owner = '' WHERE channel = $1 AND owner = $2 AND fence = $3"
NEXT = """
DELETE FROM bench_questions WHERE id = (
    SELECT id FROM bench_questions ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1
) RETURNING channel, at
"""


async def lease_same(url: str, count: int, rate: float, pipe: Any) -> None:
    waits: list[float] = []
    async with asyncpg.create_pool(url, min_size=2, max_size=4) as pool:

        async def hand(channel: int, at: float) -> None:
            fence = await pool.fetchval(TAKE, channel, "me")
            waits.append(time.monotonic() - at)
            await pool.execute(GIVE, channel, "me", fence)

        before = cpu()
        await pace(count, rate, hand)
        pipe.send((waits, cpu() - before))


async def lease_worker(url: str, count: int, pipe: Any) -> None:
    waits: list[float] = []
    listener = await asyncpg.connect(url)
    news = asyncio.Event()
    await listener.add_listener("bench", lambda *_: news.set())
    async with asyncpg.create_pool(url, min_size=2, max_size=4) as pool:
        pipe.send("ready")
        before = cpu()
        while len(waits) < count:
            row = await pool.fetchrow(NEXT)
            if row is None:
                news.clear()
                try:
                    async with asyncio.timeout(1.0):
                        await news.wait()
                except TimeoutError:
                    pass
                continue
            fence = await pool.fetchval(TAKE, row[0], "worker")
            waits.append(time.monotonic() - row[1])
            await pool.execute(GIVE, row[0], "worker", fence)
        pipe.send((waits, cpu() - before))
    await listener.close()


async def lease_other(url: str, count: int, rate: float) -> float:
    async with asyncpg.create_pool(url, min_size=2, max_size=4) as pool:

        async def hand(channel: int, at: float) -> None:
            sql = "WITH put AS (INSERT INTO bench_questions (channel, at) VALUES ($1, $2)) "
            await pool.execute(sql + "SELECT pg_notify('bench', '')", channel, at)

        before = cpu()
        await pace(count, rate, hand)
        return cpu() - before


# --- procrastinate ------------------------------------------------------------------------------------


def procrastinate_app(url: str, waits: list[float], done: asyncio.Event | None, count: int) -> Any:
    procrastinate = import_module("procrastinate")
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))

    @app.task(name="turn")
    async def turn(at: float) -> None:
        waits.append(time.monotonic() - at)
        if len(waits) >= count and done is not None:
            done.set()

    return app


async def procrastinate_worker(url: str, count: int, pipe: Any) -> None:
    waits: list[float] = []
    done = asyncio.Event()
    app = procrastinate_app(url, waits, done, count)
    async with app.open_async():
        worker = asyncio.create_task(
            app.run_worker_async(concurrency=20, install_signal_handlers=False, delete_jobs="always")
        )
        await asyncio.sleep(1.0)
        pipe.send("ready")
        before = cpu()
        await done.wait()
        pipe.send((waits, cpu() - before))
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)


async def procrastinate_other(url: str, count: int, rate: float) -> float:
    app = procrastinate_app(url, [], None, count)
    async with app.open_async():

        async def hand(channel: int, at: float) -> None:
            await app.configure_task("turn", lock=f"channel {channel}").defer_async(at=at)

        before = cpu()
        await pace(count, rate, hand)
        return cpu() - before


async def procrastinate_schema(url: str) -> None:
    app = procrastinate_app(url, [], None, 0)
    async with app.open_async():
        await app.schema_manager.apply_schema_async()


# --- pgqueuer -----------------------------------------------------------------------------------------


async def pgqueuer_queue(url: str) -> tuple[Any, Any]:
    connection = await asyncpg.connect(url)
    driver = import_module("pgqueuer.db").AsyncpgDriver(connection)
    return import_module("pgqueuer").PgQueuer(driver), connection


async def pgqueuer_worker(url: str, count: int, pipe: Any) -> None:
    waits: list[float] = []
    done = asyncio.Event()
    queue, connection = await pgqueuer_queue(url)

    @queue.entrypoint("turn")
    async def turn(job: Any) -> None:
        waits.append(time.monotonic() - float(job.payload.decode()))
        if len(waits) >= count:
            done.set()

    worker = asyncio.create_task(queue.run())
    await asyncio.sleep(1.0)
    pipe.send("ready")
    before = cpu()
    await done.wait()
    pipe.send((waits, cpu() - before))
    queue.shutdown.set()
    await asyncio.wait({worker}, timeout=5)
    await connection.close()


async def pgqueuer_other(url: str, count: int, rate: float) -> float:
    queue, connection = await pgqueuer_queue(url)
    queries = import_module("pgqueuer.queries").Queries(queue.connection)
    lock = asyncio.Lock()

    async def hand(_channel: int, at: float) -> None:
        async with lock:
            await queries.enqueue("turn", str(at).encode())

    before = cpu()
    await pace(count, rate, hand)
    used = cpu() - before
    await connection.close()
    return used


async def pgqueuer_schema(url: str) -> None:
    queue, connection = await pgqueuer_queue(url)
    await import_module("pgqueuer.queries").Queries(queue.connection).install()
    await connection.close()


# --- The table ----------------------------------------------------------------------------------------


def start(work: Callable[..., Awaitable[Any]], *arguments: Any) -> tuple[Any, Any]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_run, args=(work, *arguments, theirs))
    process.start()
    return process, ours


def _run(work: Callable[..., Awaitable[Any]], *arguments: Any) -> None:
    asyncio.run(work(*arguments))  # type: ignore[arg-type]


async def calls(url: str) -> int:
    connection = await asyncpg.connect(url)
    found = await connection.fetchval("SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database")
    await connection.close()
    return int(found)


def row(name: str, waits: list[float], seconds: float, count: int, transactions: float) -> None:
    p50, p95 = statistics.median(waits) * 1000, statistics.quantiles(waits, n=20)[-1] * 1000
    costs = f"{seconds / count * 1000:.2f} ms | {transactions / count:.1f}"
    print(f"| {name} | {p50:.1f} ms | {p95:.1f} ms | {costs} |", flush=True)


def measure(name: str, url: str, worker: Any, other: Any, count: int, rate: float) -> None:
    process, pipe = start(worker, url, count)
    assert pipe.recv() == "ready"
    before = asyncio.run(calls(url))
    used = asyncio.run(other(url, count, rate))
    waits, theirs = pipe.recv()
    time.sleep(1.5)  # the server counts transactions late
    row(name, waits, used + theirs, count, asyncio.run(calls(url)) - before)
    process.join(10)
    if process.is_alive():
        process.kill()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--rate", type=float, default=20.0)
    given = parser.parse_args()
    with running_postgres() as url:

        async def prepare() -> None:
            connection = await asyncpg.connect(url)
            await connection.execute(TABLES)
            await connection.close()

        asyncio.run(prepare())
        print(f"{given.count} questions, {given.rate:g} in a second, {os.cpu_count()} cores\n")
        print("| engine | wait p50 | wait p95 | processor time | transactions |\n|---|--:|--:|--:|--:|")
        process, pipe = start(lease_same, url, given.count, given.rate)
        before = asyncio.run(calls(url))
        waits, used = pipe.recv()
        process.join()
        time.sleep(1.5)
        row("lease row, same process", waits, used, given.count, asyncio.run(calls(url)) - before)
        measure("lease row, another process", url, lease_worker, lease_other, given.count, given.rate)
        if find_spec("procrastinate"):
            asyncio.run(procrastinate_schema(url))
            measure("procrastinate", url, procrastinate_worker, procrastinate_other, given.count, given.rate)
        if find_spec("pgqueuer"):
            asyncio.run(pgqueuer_schema(url))
            measure("pgqueuer", url, pgqueuer_worker, pgqueuer_other, given.count, given.rate)


if __name__ == "__main__":
    main()

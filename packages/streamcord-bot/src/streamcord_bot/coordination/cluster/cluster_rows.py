"""The tables of a cluster and every statement on them, each a single round trip.

A name that is not in `cluster_members` owns nothing, even if other tables still list it as an owner. So one
`DELETE` frees everything that a dead member owned.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import Any

from streamcord import StoreError
from streamcord.databases import PostgresDatabase, Row, skip_reset, translate_errors
from streamcord.utils import install_line

from .shard_plan import ClusterView, LeasedChannel, LeasedShard, MemberRow

try:
    import asyncpg  # type: ignore[import-untyped]
except ImportError as error:  # pragma: no cover
    raise ImportError(f"A cluster needs asyncpg: {install_line('postgres')}") from error

VERSION = 1
# Key of the advisory lock that serializes the creation of tables; any constant will do.
_LOCK = 91_759_600_558_446
# Updates our row and our shards, and returns the whole cluster in the same round trip.
_AGE_S = "coalesce(extract(epoch FROM clock_timestamp() - {}.heartbeat_at), 0)"
_HEARTBEAT = f"""
WITH me AS (
    UPDATE cluster_members SET heartbeats = heartbeats + 1, heartbeat_at = clock_timestamp(), ready = $3,
        leaving = $4, turns = $5
    WHERE name = $1 RETURNING heartbeats
), sessions AS (
    UPDATE cluster_shards s SET heartbeat_at = clock_timestamp(), session = n.session, sequence = n.sequence,
        gateway = n.gateway
    FROM unnest($6::int[], $7::text[], $8::bigint[], $9::text[]) AS n (shard, session, sequence, gateway)
    WHERE s.bot = $2 AND s.owner = $1 AND s.shard = n.shard
)
SELECT (SELECT heartbeats FROM me),
    (SELECT json_agg(json_build_array(name, heartbeats, role, ready, leaving, {_AGE_S.format("m")}, turns))
        FROM cluster_members m WHERE bot = $2),
    (SELECT json_agg(json_build_array(shard, owner, fence, {_AGE_S.format("s")}, session, sequence, gateway))
        FROM cluster_shards s WHERE bot = $2),
    (SELECT json_agg(json_build_array(channel, owner, fence, shard)) FROM cluster_channels
        WHERE bot = $2 AND (owner = $1 OR shard = ANY($6::int[]))),
    (SELECT json_build_array(extract(epoch FROM stopped_until - clock_timestamp()), reason)
        FROM clusters WHERE bot = $2 AND stopped_until > clock_timestamp())
"""  # noqa: S608 - no word of it comes from outside
# The counter is compared, so that a member whose heartbeat arrived in the meantime survives.
_EVICT = """
WITH dead AS (DELETE FROM cluster_members WHERE name = $1 AND ($2::bigint < 0 OR heartbeats = $2) RETURNING name),
    shards AS (UPDATE cluster_shards SET owner = '' WHERE owner IN (SELECT name FROM dead)),
    channels AS (DELETE FROM cluster_channels WHERE owner IN (SELECT name FROM dead))
SELECT name FROM dead
"""
# A shard is free if it has no owner, or an owner that is no member any more.
_ACQUIRE_SHARDS = f"""
UPDATE cluster_shards s SET owner = $1, fence = nextval('cluster_fence')
WHERE bot = $2 AND shard = ANY($3::int[]) AND EXISTS (SELECT 1 FROM cluster_members WHERE name = $1)
    AND (owner = '' OR NOT EXISTS (SELECT 1 FROM cluster_members m WHERE m.name = s.owner))
RETURNING shard, CASE WHEN heartbeat_at IS NULL THEN -1 ELSE {_AGE_S.format("s")} END, session, sequence, gateway
"""  # noqa: S608
# `FOR KEY SHARE` makes an eviction wait for this statement: an evicted member cannot lease a channel.
_LEASE_CHANNEL = """
INSERT INTO cluster_channels AS c (channel, bot, shard, owner, fence, user_id)
SELECT $1, $2, $3, $4, nextval('cluster_fence'), $5 WHERE EXISTS (
    SELECT 1 FROM cluster_members WHERE name = $4 FOR KEY SHARE)
ON CONFLICT (channel) DO UPDATE SET
    owner = CASE WHEN EXISTS (SELECT 1 FROM cluster_members m WHERE m.name = c.owner)
        THEN c.owner ELSE excluded.owner END,
    fence = CASE WHEN EXISTS (SELECT 1 FROM cluster_members m WHERE m.name = c.owner)
        THEN c.fence ELSE excluded.fence END,
    user_id = CASE WHEN EXISTS (SELECT 1 FROM cluster_members m WHERE m.name = c.owner)
        THEN c.user_id ELSE excluded.user_id END,
    wanted = EXISTS (SELECT 1 FROM cluster_members m WHERE m.name = c.owner AND m.name <> excluded.owner)
RETURNING owner, fence
"""
# Only members that wait for a channel (`wanted`) are notified.
_RELEASE_CHANNELS = """
WITH gone AS (
    DELETE FROM cluster_channels WHERE channel = ANY($1::bigint[]) AND owner = $2 RETURNING channel, wanted
)
SELECT pg_notify($3, json_build_object('free', channel)::text) FROM gone WHERE wanted
"""
# `fence` is empty after an eviction; then nothing is written. Rows, deletions and answered questions are
# written together, so that other members see all of them or none.
_WRITE_JOURNAL = """
WITH fence AS MATERIALIZED (SELECT 1 FROM cluster_members WHERE name = $1 FOR KEY SHARE),
    gone AS (DELETE FROM journal WHERE turn = ANY($2::text[]) AND EXISTS (SELECT 1 FROM fence)),
    done AS (
        UPDATE cluster_questions SET done = TRUE WHERE message = ANY($8::bigint[]) AND EXISTS (SELECT 1 FROM fence)
    ),
    kept AS (
        INSERT INTO journal (turn, number, kind, body, written_at)
        SELECT * FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::float8[])
        WHERE EXISTS (SELECT 1 FROM fence)
        ON CONFLICT (turn, number) DO UPDATE
        SET kind = excluded.kind, body = excluded.body, written_at = excluded.written_at
    )
SELECT 1 FROM fence
"""
# The channels of other members come in the same statement as the rows, so that both are from one moment.
_ENTRIES = """
SELECT '' AS turn, c.channel AS number, 'lease' AS kind, '' AS body, 0 AS written_at FROM cluster_channels c
    JOIN cluster_members m ON m.name = c.owner WHERE m.name <> $1
UNION ALL SELECT turn, number, kind, body, written_at FROM journal ORDER BY turn, number
"""
# A leaky bucket as one timestamp: `spent_until` is when everything that was given out is paid for.
_BLOCK = """
UPDATE clusters SET spent_until =
    greatest(spent_until, clock_timestamp()) + make_interval(secs => $2::float8 / $3::float8)
WHERE bot = $1 AND spent_until < clock_timestamp() + make_interval(secs => $4::float8)
RETURNING extract(epoch FROM spent_until - clock_timestamp())
"""
# Discord allows one identify per `max_concurrency` key in five seconds; each caller books the next moment.
_IDENTIFY = """
INSERT INTO cluster_identifies AS i VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3::float8))
ON CONFLICT (bot, key) DO UPDATE
SET free_at = greatest(i.free_at, clock_timestamp()) + make_interval(secs => $3::float8)
RETURNING extract(epoch FROM free_at - clock_timestamp()) - $3::float8
"""


class LeaseLost(StoreError):
    """The member was evicted: all that it owned belongs to others."""


async def open_rows(url: str, lease_seconds: float) -> ClusterRows:
    """Connect and create missing tables.

    Args:
        url: address of the PostgreSQL database.
        lease_seconds: how long a member may be silent; timeouts of statements follow from it.

    """
    with translate_errors(url):
        pool = await asyncpg.create_pool(
            url,
            min_size=0,
            max_size=6,
            timeout=max(5.0, lease_seconds / 2),
            command_timeout=max(1.0, lease_seconds / 2),
            reset=skip_reset,
        )
    database = PostgresDatabase(pool, url)
    try:
        await database.prepare(None)
        async with database.connection() as connection, connection.transaction():
            await connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
            await connection.execute(files(__package__ or "").joinpath("tables.sql").read_text("utf-8"))
    except BaseException:
        await database.close()
        raise
    return ClusterRows(database, url)


class ClusterRows:
    """Statements on the tables of a cluster."""

    def __init__(self, database: PostgresDatabase, url: str) -> None:
        self.database = database
        self.url = url

    async def close(self) -> None:
        """Close the connections."""
        await self.database.close()

    # --- Members --------------------------------------------------------------------------------

    async def negotiate_shards(self, bot: int, wanted: int, advised: int) -> int:
        """Return the shard count of the cluster: that of the other members, else `wanted`, else `advised`.

        Raises:
            StoreError: the cluster has another shard count, or was written by a newer version.

        """
        found = await self._run(
            "INSERT INTO clusters (bot, version, shards, spent_until) VALUES ($1, $2, $3, clock_timestamp()) "
            "ON CONFLICT (bot) DO UPDATE SET version = clusters.version "
            "RETURNING version, shards, (SELECT count(*) FROM cluster_members WHERE bot = $1)",
            bot,
            VERSION,
            wanted or advised,
        )
        version, shards, others = found[0]
        if version > VERSION:
            raise StoreError(
                f"The cluster was created by a newer streamcord (version {version}, this one supports {VERSION}): "
                "update this process."
            )
        if wanted not in {0, shards} and others:
            raise StoreError(
                f"The cluster has {shards} shards, but this process is configured for {wanted}: stop all processes, "
                "then start them with the new number."
            )
        # The first member may change the count of an earlier run.
        if not others:
            shards = wanted or max(advised, 1)
        sql = """
            WITH old AS (DELETE FROM cluster_shards WHERE bot = $1 AND shard >= $2),
renumbered AS (UPDATE clusters SET shards = $2, version = $3 WHERE bot = $1)
            INSERT INTO cluster_shards (bot, shard, owner, fence)
            SELECT $1, generate_series(0, $2 - 1), '', 0 ON CONFLICT DO NOTHING
        """
        await self._run(sql, bot, shards, VERSION)
        return int(shards)

    async def join(self, name: str, bot: int, role: str) -> None:
        """Add the row of a new member."""
        sql = "INSERT INTO cluster_members VALUES ($1, $2, $3, 0, FALSE, FALSE, 0, clock_timestamp())"
        await self._run(sql, name, bot, role)

    async def heartbeat(
        self,
        name: str,
        bot: int,
        *,
        ready: bool,
        leaving: bool,
        turns: int,
        shards: Mapping[int, tuple[str, int, str]],
    ) -> ClusterView:
        """Send a heartbeat and return the current cluster view.

        Args:
            name: our own name.
            bot: id of the bot.
            ready: whether we have connected the shards that we may be given.
            leaving: whether we are shutting down and take no more shards.
            turns: number of running answers, for status reports.
            shards: session id, sequence and gateway of each shard that we own.

        Raises:
            LeaseLost: this member was evicted.

        """
        columns = [list(column) for column in zip(*shards.values(), strict=True)] or [[], [], []]
        rows = await self._run(_HEARTBEAT, name, bot, ready, leaving, turns, list(shards), *columns)
        heartbeats, *view = rows[0]
        if heartbeats is None:
            raise LeaseLost("this process was evicted from the cluster")
        return _as_view(*view)

    async def evict(self, name: str, heartbeats: int = -1) -> bool:
        """Delete a member and free all that it owns, if its counter is still `heartbeats` (-1: always).

        Returns:
            Whether the member was evicted by this call.

        """
        return bool(await self._run(_EVICT, name, heartbeats))

    async def view(self, bot: int) -> ClusterView:
        """Return the current cluster view without being a member."""
        # The heartbeat statement with an empty name changes nothing and returns the same view.
        rows = await self._run(_HEARTBEAT, "", bot, False, False, 0, list(range(1000)), *_nothing(1000))
        return _as_view(*rows[0][1:])

    async def bots(self) -> list[int]:
        """Return the ids of all bots that have a cluster in this database."""
        return [row[0] for row in await self._run("SELECT bot FROM clusters ORDER BY bot")]

    # --- Shards ---------------------------------------------------------------------------------

    async def acquire_shards(self, name: str, bot: int, shards: Collection[int]) -> list[LeasedShard]:
        """Acquire those of these shards that are free and return them; an age of -1 means never owned before."""
        rows = await self._run(_ACQUIRE_SHARDS, name, bot, list(shards))
        return [LeasedShard(row[0], name, 0, float(row[1]), *row[2:]) for row in rows]

    async def release_shards(self, name: str, bot: int, shards: Collection[int]) -> None:
        """Release shards and delete their sessions: we still listen, so no other process may resume them."""
        sql = """
            UPDATE cluster_shards SET owner = '', session = ''
            WHERE bot = $1 AND owner = $2 AND shard = ANY($3::int[])
        """
        await self._run(sql, bot, name, list(shards))

    async def reserve_identify(self, bot: int, key: int, pause: float) -> float:
        """Reserve the next moment at which a shard of this key may identify and return the seconds until then."""
        return max(0.0, float((await self._run(_IDENTIFY, bot, key, pause))[0][0]))

    # --- Channels -------------------------------------------------------------------------------

    async def lease_channel(
        self, name: str, bot: int, channel: int, shard: int, person: int = 0
    ) -> tuple[str, int]:
        """Lease a channel to answer a person, if it is free, and return its owner and fence number.

        Raises:
            LeaseLost: this member was evicted.

        """
        rows = await self._run(_LEASE_CHANNEL, channel, bot, shard, name, person)
        if not rows:
            raise LeaseLost("this process was evicted from the cluster")
        return str(rows[0][0]), int(rows[0][1])

    async def release_channels(self, name: str, topic: str, channels: Collection[int]) -> None:
        """Release channels and notify the members that wait for them."""
        await self._run(_RELEASE_CHANNELS, list(channels), name, topic)

    async def notify(self, topic: str, message: Mapping[str, Any]) -> None:
        """Send a message to all members that listen on a topic."""
        await self._run("SELECT pg_notify($1, $2)", topic, json.dumps(message, separators=(",", ":")))

    # --- Requests -------------------------------------------------------------------------------

    async def acquire_block(self, bot: int, count: int, rate: float, ahead: float) -> float | None:
        """Acquire `count` requests of the shared rate.

        Returns:
            Seconds until the first of them may be sent; `None` if more than `ahead` seconds are booked already.

        """
        rows = await self._run(_BLOCK, bot, float(count), rate, ahead)
        return max(0.0, float(rows[0][0]) - count / rate) if rows else None

    async def stop_all(self, bot: int, seconds: float, reason: str) -> None:
        """Block the requests of all members for `seconds`."""
        sql = """
            UPDATE clusters SET reason = $3,
                stopped_until = clock_timestamp() + make_interval(secs => $2::float8)
            WHERE bot = $1
        """
        await self._run(sql, bot, min(seconds, 86_400.0), reason)

    # --- The journal ----------------------------------------------------------------------------

    async def write_journal(
        self, name: str, rows: Sequence[Row], gone: Collection[str], answered: Collection[int] = ()
    ) -> None:
        """Write journal rows, delete the turns in `gone` and mark questions as answered.

        Raises:
            LeaseLost: this member was evicted; nothing was written.

        """
        columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], [], []]
        if not await self._run(_WRITE_JOURNAL, name, list(gone), *columns, list(answered)):
            raise LeaseLost("this process was evicted from the cluster")

    async def entries(self, name: str) -> tuple[list[Row], set[int]]:
        """Return the rows of all turns and the channels that other members lease, as of one moment."""
        rows = await self._run(_ENTRIES, name)
        return [row for row in rows if row[0]], {row[1] for row in rows if not row[0]}

    async def _run(self, sql: str, *arguments: object) -> list[Row]:
        return await self.database.read(sql, *arguments)


def _nothing(count: int) -> tuple[list[str], list[int], list[str]]:
    return [""] * count, [0] * count, [""] * count


def _as_view(members: str | None, shards: str | None, channels: str | None, stop: str | None) -> ClusterView:
    stopped, reason = json.loads(stop) if stop else (0.0, "")
    return ClusterView(
        tuple(MemberRow(*row) for row in json.loads(members or "[]")),
        tuple(LeasedShard(*row) for row in sorted(json.loads(shards or "[]"))),
        tuple(LeasedChannel(*row) for row in json.loads(channels or "[]")),
        float(stopped),
        str(reason),
    )

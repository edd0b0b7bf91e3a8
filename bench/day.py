"""A day in five minutes: 200 people on 50 servers, 20 of them hostile, and a budget that must hold.

    python bench/day.py [seconds of play]

The real bot and the twin with Discord's rate limits, on time that jumps while everybody waits: what is
measured is who waits for whom, and not how busy this machine is. The same questions of the same honest people
are played twice, without and with the hostile ones, who do what they can all day long: press buttons, edit,
ask in sixty threads at once, flood direct messages, import huge cards, send the longest messages there are. A
third, shorter day has too little money for everybody.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections import Counter, defaultdict
from typing import Any

from day_clock import DayLoop
from day_people import HOSTILE, PEOPLE, PRICE, SECONDS, SERVERS, Day, Model, now
from event_loop_steps import LIMIT_S, is_of_others, measured_steps

from discord_twin import RealClock, Twin
from discord_twin.discord_py import running
from streamcord._store.database import Statement
from streamcord._store.sql_store import SqlStore
from streamcord._store.sqlite import _connect, _prepare, _run, _write
from streamcord.store import Account
from streamcord_bot.app import build_bot
from streamcord_bot.client import Bot
from streamcord_bot.config import read_config

MAX_TOKENS = 200
CONTEXT = 2000
BAR = 1.2
CARD_TOKENS = 12_000
"""The dearest prompt: a card of 30 000 characters."""
MIDNIGHT = 20_000 * 86_400.0
BUDGET = {
    "person_requests": 12,
    "person_tokens": 100_000,
    "server_requests": 50,
    "server_money": 0.15,
    "person_running": 3,
    "person_waiting": 3,
    "server_running": 10,
}
MODEL = {"provider": "custom", "base_url": "http://127.0.0.1:9/v1", "price": PRICE}


# --- The bot ----------------------------------------------------------------------------------------------


class InlineDatabase:
    """SQLite without threads: while a thread works, time would jump."""

    def __init__(self):
        self._connection = _connect(":memory:", 5.0, {}, creates=True)
        _prepare(self._connection, None)

    async def read(self, sql, *arguments):
        return _run(self._connection, Statement(sql, arguments))

    async def write(self, *statements, independent=False):  # noqa: ARG002 - one connection, one transaction
        return _write(self._connection, statements)

    async def close(self):
        self._connection.close()


class PatientBot(Bot):
    """Does not wait five seconds before it identifies."""

    async def before_identify_hook(self, shard_id, *, initial=False):
        pass


async def run_day(seconds, hostile, budget):
    table = {
        "personas": {"Luna": {"prompt": "You are Luna."}},
        "budget": {**BUDGET, **budget},
        "context": {"tokens": CONTEXT},
        "models": {"main": {**MODEL, "options": {"max_tokens": MAX_TOKENS}}},
    }
    began = now()
    model, store = Model(), SqlStore(InlineDatabase(), lambda: MIDNIGHT + now() - began)
    app = build_bot(
        read_config(table, {}),
        model,
        store,
        bot_type=PatientBot,
        guild_ready_timeout=0.5,
        heartbeat_timeout=1e9,
    )
    loop: Any = asyncio.get_running_loop()
    loop.outside = lambda: app.files._waiting
    app.budget._clock = lambda: MIDNIGHT + now() - began
    async with Twin(clock=RealClock(now)) as twin:
        day = Day(twin, seconds, hostile=hostile)
        async with running(twin, app.bot):
            watch = Watch(app)
            watching = asyncio.create_task(watch.look())
            cpu = time.process_time()
            with measured_steps(is_of_others) as steps:
                measured = await day.play()
            measured["cpu"] = time.process_time() - cpu
            measured["steps"] = steps
            await app.dispatcher.close(5)
            watching.cancel()
            accounts = [Account("person", id_) for id_ in measured["ids"]]
            accounts += [Account("server", id_) for id_ in measured["guilds"]] + [Account("all")]
            measured["spent"] = await store.spending(20_000, accounts)
    return {**measured, "model": model, "queue": watch.queue, "waiting": watch.waiting}


class Watch:
    """The longest queue, and the most questions of one person that wait."""

    def __init__(self, app):
        self.app, self.queue, self.waiting = app, 0, 0

    async def look(self):
        while True:
            await asyncio.sleep(0.05)
            waits = Counter()
            for queue in list(self.app.dispatcher._queues.values()):
                self.queue = max(self.queue, len(queue.waiting))
                waits.update(question.payer for question in queue.waiting)
            self.waiting = max([self.waiting, *waits.values()])


def play(seconds, *, hostile, **budget):
    with asyncio.Runner(loop_factory=DayLoop) as runner:
        return runner.run(run_day(seconds, hostile, budget))


# --- What came of it --------------------------------------------------------------------------------------


def percentile(values, share):
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def check(quiet, loud, poor, money):
    """Rows of the table: what was looked at, what it should be, what it was, and whether that is right."""
    model, spent = loud["model"], loud["spent"]
    persons = {account.id: one for account, one in spent.items() if account.kind == "person"}
    servers = [one for account, one in spent.items() if account.kind == "server"]
    total = spent[Account("all")]
    bad = loud["ids"][PEOPLE - HOSTILE :]
    max_requests = max(one.requests for one in persons.values())
    used_up = sum(persons[id_].requests == BUDGET["person_requests"] for id_ in bad)
    # Who is answered and writes on waits again, without a question more.
    max_waiting = BUDGET["person_waiting"] + BUDGET["person_running"]
    ratio = percentile(loud["waits"], 0.95) / percentile(quiet["waits"], 0.95)
    cost = {"requests": total.requests, "tokens": total.tokens, "money": total.money}
    output = MAX_TOKENS * PRICE["output"]
    estimate, dearest = CONTEXT * 2 * PRICE["input"] + output, CARD_TOKENS * PRICE["input"] + output
    max_money = max(one.money for one in servers)
    server_left = BUDGET["server_money"] * 1e6 - max_money
    left = money * 1_000_000 - poor["spent"][Account("all")].money
    notices = defaultdict(int)
    for key, count in loud["notices"].items():
        who, _, words = key.partition("|")
        notices[who, re.sub(r"<t:\d+:R>", "", words)] += count
    yield (
        "requests that the model saw, and that were counted",
        "equal",
        (f"{model.requests.total()}, {cost['requests']}"),
        model.requests.total() == cost["requests"],
    )
    yield (
        "most requests of one person",
        f"{BUDGET['person_requests']}",
        max_requests,
        max_requests == BUDGET["person_requests"],
    )
    yield "hostile people who got exactly that", "-", f"{used_up} of {HOSTILE}", True
    worst = max(one.requests for one in servers)
    yield (
        "most requests of one server",
        f"{BUDGET['server_requests']}",
        worst,
        worst == BUDGET["server_requests"],
    )
    deep = max(one.tokens for one in persons.values())
    yield "most tokens of one person", f"<= {BUDGET['person_tokens']}", deep, deep <= BUDGET["person_tokens"]
    yield (
        "tokens that were billed, and that were counted",
        "not more",
        (f"{model.tokens}, {cost['tokens']}"),
        model.tokens <= cost["tokens"],
    )
    yield (
        "money that was billed, and that was counted",
        "not more",
        (f"{model.money / 1e6:.4f}, {cost['money'] / 1e6:.4f}"),
        model.money <= cost["money"],
    )
    yield (
        f"a server with {BUDGET['server_money']:g} in the same day: money left",
        f">= 0, < {dearest / 1e6:.4f}",
        f"{server_left / 1e6:.4f}",
        0 <= server_left < dearest,
    )
    yield (
        "most answers to one person at once",
        f"<= {BUDGET['person_running']}",
        max(model.max_running.values()),
        (max(model.max_running.values()) <= BUDGET["person_running"]),
    )
    yield "longest queue of a channel", "<= 8", loud["queue"], loud["queue"] <= 8
    yield (
        "most questions of one person that wait, restarted ones included",
        f"<= {max_waiting}",
        loud["waiting"],
        (loud["waiting"] <= max_waiting),
    )
    yield (
        "most notices of one refusal to one person",
        "1",
        max(notices.values(), default=0),
        (max(notices.values(), default=0) == 1),
    )
    yield "people who were notified of a refusal", "-", len({who for who, _ in notices}), True
    yield (
        "honest questions without an answer, without and with the hostile",
        "0, 0",
        f"{quiet['unanswered']}, {loud['unanswered']}",
        not quiet["unanswered"] and not loud["unanswered"],
    )
    yield (
        "honest first message, median",
        "-",
        (f"{percentile(quiet['waits'], 0.5):.2f} s, {percentile(loud['waits'], 0.5):.2f} s"),
        True,
    )
    yield (
        "honest first message, p95, without and with the hostile",
        f"<= {BAR:g} x",
        (
            f"{percentile(quiet['waits'], 0.95):.2f} s, {percentile(loud['waits'], 0.95):.2f} s "
            f"({ratio:.2f} x)"
        ),
        ratio <= BAR,
    )
    steps = loud["steps"]
    yield (
        f"longest step of the bot's event loop, of {steps.count:,}",
        f"<= {LIMIT_S * 1000:.0f} ms",
        f"{steps.longest_s * 1000:.1f} ms",
        steps.longest_s <= LIMIT_S,
    )
    near = [percentile(day["near"], 0.95) for day in (quiet, loud)]
    yield (
        "the same in channels that hostile people use",
        "-",
        f"{near[0]:.2f} s, {near[1]:.2f} s ({near[1] / near[0]:.2f} x)",
        True,
    )
    yield (
        "the same, the longest of all",
        "-",
        f"{quiet['waits'][-1]:.2f} s, {loud['waits'][-1]:.2f} s",
        True,
    )
    yield (
        f"a day with {money:g} for everybody: money left",
        f">= 0, < {estimate / 1e6:.4f}",
        (f"{left / 1e6:.4f}"),
        0 <= left < estimate,
    )
    yield (
        "the same: billed beyond",
        "0",
        f"{max(0, poor['model'].money / 1e6 - money):.4f}",
        (poor["model"].money <= money * 1_000_000),
    )


def main() -> int:
    seconds = float(sys.argv[1]) if sys.argv[1:] else SECONDS
    quiet = play(seconds, hostile=False)
    loud = play(seconds, hostile=True)
    money = 0.1
    poor = play(seconds / 4, hostile=True, all_money=money)
    acts = ", ".join(f"{name} {count}" for name, count in sorted(loud["acts"].items()))
    print(f"{PEOPLE} people on {SERVERS} servers, {HOSTILE} hostile; a day of {seconds:g} s")
    print(f"questions: {quiet['asked']} without, {loud['asked']} with the hostile; rounds of attack: {acts}")
    print(f"processor time of bot and twin: {quiet['cpu']:.0f} s, {loud['cpu']:.0f} s\n")
    print("| what | should be | was | |\n|---|---|---|---|")
    failed = 0
    for what, wanted, was, right in check(quiet, loud, poor, money):
        failed += not right
        print(f"| {what} | {wanted} | {was} | {'ok' if right else 'MISSED'} |")
    print(f"\nthe longest step was that of {loud['steps'].longest[:400]}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

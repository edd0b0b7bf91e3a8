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
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import looptime

from streamcord import Finish, TextDelta, Usage
from streamcord._bot.budget.spending_rules import input_tokens
from streamcord._bot.client import Bot
from streamcord._bot.config import read_config
from streamcord._discord.redirect import running
from streamcord._store import SqlStore
from streamcord._store.database import Statement
from streamcord._store.sqlite import _connect, _prepare, _run, _write
from streamcord.providers import Text, UserMessage
from streamcord.store import Account
from streamcord.twin import RealClock, Twin

PEOPLE, SERVERS, HOSTILE = 200, 50, 20
QUESTIONS = 8
"""Of each honest person, in a whole day."""
SECONDS = 300.0
FIRST_WORD = 0.25
MOST_TOKENS = 200
PATIENCE = 30.0
BAR = 1.2
PACE = 1.5
"""Seconds between two acts of somebody hostile."""
MIDNIGHT = 20_000 * 86_400.0
BUDGET = {
    "person_requests": 12,
    "person_tokens": 30_000,
    "server_requests": 50,
    "person_running": 3,
    "person_waiting": 3,
    "server_running": 10,
}
PRICE = {"input": 1.0, "output": 10.0}
MODEL = {"provider": "custom", "base_url": "http://127.0.0.1:9/v1", "price": PRICE}
CARD_BYTES = 6_000_000
_MARK = re.compile(r"mark ([ph]\d+)")


def now():
    """Seconds of the play."""
    return asyncio.get_running_loop().time()


# --- The model --------------------------------------------------------------------------------------------


@dataclass
class Model:
    """Says one line, and keeps a bill of its own."""

    requests: Counter = field(default_factory=Counter)
    running: Counter = field(default_factory=Counter)
    most: Counter = field(default_factory=Counter)
    most_at_once: int = 0
    tokens: int = 0
    money: float = 0.0

    async def stream(self, prompt, _=None, /):
        last = next(one for one in reversed(prompt.messages) if isinstance(one, UserMessage))
        text = "\n".join(part.text for part in last.parts if isinstance(part, Text))
        who = (_MARK.findall(text) or ["?"])[-1]
        mark = text.rpartition(" mark ")[2].split()[0] if " mark " in text else "?"
        self.requests[who] += 1
        self.running[who] += 1
        self.most[who] = max(self.most[who], self.running[who])
        self.most_at_once = max(self.most_at_once, self.running.total())
        # A provider bills what it has read and said, also of an answer that is cut off.
        read, said = round(input_tokens(prompt) * 0.8), 0
        try:
            await asyncio.sleep(FIRST_WORD)
            for piece in (f"{mark} is", " answered", " here.", "\nThat", " is", " all."):
                said += len(piece) // 3
                yield TextDelta(piece)
                await asyncio.sleep(0.03)
            yield Usage(read, said)
            yield Finish()
        finally:
            self.running[who] -= 1
            self.tokens += read + said
            self.money += read * PRICE["input"] + said * PRICE["output"]


# --- The people -------------------------------------------------------------------------------------------


class Day:
    """The twin's world, and what its people saw."""

    def __init__(self, twin, seconds, *, hostile):
        self.twin, self.seconds, self.hostile = twin, seconds, hostile
        self.random = random.Random(20)
        self.asked = Counter()
        self.acts = Counter()
        self.waits, self.unanswered = [], 0
        self.awaited = {}
        state, bot = twin.state, twin.bot.user
        self.people = [state.add_user(f"person-{number}") for number in range(PEOPLE)]
        self.rooms = []
        for number in range(SERVERS):
            # The last people are hostile; some of them own a server.
            owner = self.people[PEOPLE - 1 - number] if number < 2 else self.people[number]
            guild = state.add_guild(f"server-{number}", owner)
            state.add_member(guild, bot)
            self.rooms.append(state.add_channel(guild, "general"))
        for number, person in enumerate(self.people):
            guild = state.guilds[self.room_of(number).guild_id]
            if person.id not in guild.members:
                state.add_member(guild, person)

    def room_of(self, number):
        """Honest people live on servers 5 to 49, with most hostile ones; thread makers all on server 2."""
        if number < PEOPLE - HOSTILE:
            return self.rooms[5 + number % (SERVERS - 5)]
        bad = PEOPLE - 1 - number
        return self.rooms[bad] if bad < 2 else self.rooms[2] if bad < 7 else self.rooms[bad]

    async def play(self):
        self.twin.state.observe(self.hear)
        self.end = now() + self.seconds
        honest = [self.live(number) for number in range(PEOPLE - HOSTILE)]
        bad = [self.attack(number) for number in range(PEOPLE - HOSTILE, PEOPLE)] if self.hostile else []
        await asyncio.gather(*honest, *bad)
        return self.report()

    def hear(self, event):
        """See every event of the twin; a message of the bot may be the answer that somebody waits for."""
        if event.name == "MESSAGE_CREATE" and event.message is not None and event.message.by_machine:
            mark = event.message.content.partition(" ")[0]
            if mark in self.awaited:
                asked, told = self.awaited.pop(mark)
                self.waits.append(now() - asked)
                told.set()

    async def live(self, number):
        """Somebody honest asks now and then, and waits for an answer before the next question."""
        count = max(1, round(QUESTIONS * self.seconds / SECONDS))
        times = sorted(self.random.uniform(0, self.seconds - 5) for _ in range(count))
        began = now()
        for turn, at in enumerate(times):
            await asyncio.sleep(max(0.0, began + at - now()))
            if now() > self.end:
                return
            mark, told = f"p{number}-{turn}", asyncio.Event()
            self.awaited[mark] = (now(), told)
            self.say(number, self.room_of(number), f"please mark {mark} now")
            try:
                async with asyncio.timeout(min(PATIENCE, self.seconds / 4)):
                    await told.wait()
            except TimeoutError:
                self.unanswered += 1

    def say(self, number, room, text):
        self.asked[number] += 1
        return self.twin.say(room, self.people[number], f"<@{self.twin.bot.id}> {text}")

    async def attack(self, number):
        bad = PEOPLE - 1 - number
        kinds = [self.cards] * 2 + [self.threads] * 5 + [self.buttons] * 4 + [self.edits] * 4
        kinds += [self.messages] * 3 + [self.floods] * 2
        await kinds[bad](number, self.room_of(number))

    async def until_night(self, what):
        count = 0
        while now() < self.end:
            self.acts[what] += 1
            yield count
            count += 1
            await asyncio.sleep(PACE)

    async def cards(self, number, room):
        """An own server, full of the largest cards, and questions in it."""
        async for count in self.until_night("cards"):
            if count % 20 == 0 and count < 80:
                book = [{"keys": ["x"], "content": "y" * 60_000}] * (CARD_BYTES // 60_000)
                card = {
                    "name": f"card {count}",
                    "description": "z" * 1000,
                    "character_book": {"entries": book},
                }
                content = json.dumps(card).encode()
                person = self.people[number]
                self.twin.slash("persona import", room, person, file=("card.json", content))
            self.say(number, room, f"card {count} mark h{number}-{count}")

    async def threads(self, number, room):
        """One question in each of sixty threads, again and again."""
        owner = self.people[number]
        threads = [self.twin.state.add_thread(room, f"thread-{number}-{one}", owner) for one in range(60)]
        async for count in self.until_night("threads"):
            for one in range(4):
                self.say(number, threads[(4 * count + one) % 60], f"mark h{number}-{count}")

    async def buttons(self, number, room):
        """Every button below an answer to them, twice, for ever."""
        self.say(number, room, f"mark h{number}-0")
        own = f":{self.people[number].id}:"
        async for _ in self.until_night("buttons"):
            for message in list(room.messages.values())[-20:]:
                rows = [row.get("components", ()) for row in message.draft.components]
                ids = [one["custom_id"] for row in rows for one in row if own in one["custom_id"]]
                for id_ in [one for one in ids if ":stop:" not in one] * 2:
                    self.twin.press(message, id_, self.people[number])

    async def edits(self, number, room):
        """One question, edited twice a second; a new one when nobody listens to the old one any more."""
        async for count in self.until_night("edits"):
            if count % 10 == 0:
                question = self.say(number, room, f"mark h{number}-{count}")
            else:
                self.twin.edit(question, f"<@{self.twin.bot.id}> now mark h{number}-{count}")

    async def messages(self, number, _):
        """Direct messages without an end."""
        room = self.twin.dm(self.people[number])
        async for count in self.until_night("direct messages"):
            self.asked[number] += 1
            self.twin.say(room, self.people[number], f"more mark h{number}-{count}")

    async def floods(self, number, room):
        """The longest messages that Discord takes."""
        async for count in self.until_night("floods"):
            self.say(number, room, f"{'word ' * 370} mark h{number}-{count}")

    def report(self):
        notices = Counter()
        for channel in self.twin.state.channels.values():
            for message in channel.messages.values():
                embeds = message.draft.embeds
                if message.is_ephemeral and message.interaction is not None and "<t:" in message.content:
                    notices[message.interaction.user.id, message.content] += 1
                elif embeds and "<t:" in str(embeds[0]) and message.draft.reply_to is not None:
                    notices[message.draft.reply_to.author.id, embeds[0]["description"]] += 1
        ids = {person.id: number for number, person in enumerate(self.people)}
        return {
            "waits": sorted(self.waits),
            "unanswered": self.unanswered,
            "asked": sum(self.asked.values()),
            "acts": dict(self.acts),
            "notices": {f"{ids.get(who, who)}|{words}": count for (who, words), count in notices.items()},
            "ids": [person.id for person in self.people],
            "guilds": [room.guild_id for room in self.rooms],
            "refused": self.twin.log.count(status=429),
        }


# --- The bot ----------------------------------------------------------------------------------------------


class InlineDatabase:
    """SQLite without threads: while a thread works, time would jump."""

    def __init__(self):
        self._connection = _connect(":memory:", 5.0, {})
        _prepare(self._connection, None)

    async def read(self, sql, *arguments):
        return _run(self._connection, Statement(sql, arguments))

    async def write(self, *statements):
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
        "models": {"main": {**MODEL, "options": {"max_tokens": MOST_TOKENS}}},
    }
    began = now()
    model, store = Model(), SqlStore(InlineDatabase(), lambda: MIDNIGHT + now() - began)
    bot = PatientBot(read_config(table, {}), model, store, guild_ready_timeout=0.5, heartbeat_timeout=1e9)
    bot.services.budget._clock = lambda: MIDNIGHT + now() - began
    async with Twin(clock=RealClock(now)) as twin:
        day = Day(twin, seconds, hostile=hostile)
        async with running(twin, bot):
            watch = Watch(bot)
            watching = asyncio.create_task(watch.look())
            cpu = time.process_time()
            told = await day.play()
            told["cpu"] = time.process_time() - cpu
            await bot.services.dispatcher.close(5)
            watching.cancel()
            accounts = [Account("person", id_) for id_ in told["ids"]]
            accounts += [Account("server", id_) for id_ in told["guilds"]] + [Account("all")]
            told["spent"] = await store.spending(20_000, accounts)
    return {**told, "model": model, "queue": watch.queue, "waiting": watch.waiting}


class Watch:
    """The longest queue, and the most questions of one person that wait."""

    def __init__(self, bot):
        self.bot, self.queue, self.waiting = bot, 0, 0

    async def look(self):
        while True:
            await asyncio.sleep(0.05)
            waits = Counter()
            for queue in list(self.bot.services.dispatcher._queues.values()):
                self.queue = max(self.queue, len(queue.waiting))
                waits.update(question.payer for question in queue.waiting)
            self.waiting = max([self.waiting, *waits.values()])


def play(seconds, *, hostile, **budget):
    with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(noop_cycles=4)) as runner:
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
    most = max(one.requests for one in persons.values())
    used_up = sum(persons[id_].requests == BUDGET["person_requests"] for id_ in bad)
    # Who is answered and writes on waits again, without a question more.
    most_waiting = BUDGET["person_waiting"] + BUDGET["person_running"]
    ratio = percentile(loud["waits"], 0.95) / percentile(quiet["waits"], 0.95)
    cost = {"requests": total.requests, "tokens": total.tokens, "money": total.money}
    estimate = input_cap() + MOST_TOKENS * PRICE["output"]
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
        most,
        most == BUDGET["person_requests"],
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
        "most answers to one person at once",
        f"<= {BUDGET['person_running']}",
        max(model.most.values()),
        (max(model.most.values()) <= BUDGET["person_running"]),
    )
    yield "longest queue of a channel", "<= 8", loud["queue"], loud["queue"] <= 8
    yield (
        "most questions of one person that wait, begun anew included",
        f"<= {most_waiting}",
        loud["waiting"],
        (loud["waiting"] <= most_waiting),
    )
    yield (
        "most notices of one refusal to one person",
        "1",
        max(notices.values(), default=0),
        (max(notices.values(), default=0) == 1),
    )
    yield "people who were told of a refusal", "-", len({who for who, _ in notices}), True
    yield (
        "honest questions without an answer",
        f"{quiet['unanswered']}",
        loud["unanswered"],
        (loud["unanswered"] <= quiet["unanswered"]),
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


def input_cap():
    """About the dearest prompt that was sent: the longest context there is."""
    return 6000 * PRICE["input"]


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
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""The people of a day, and the model that answers them: what they do, and what they saw."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field

from streamcord import Finish, TextDelta, Usage
from streamcord.providers import Text, UserMessage
from streamcord_bot.budget.pricing import input_tokens

PEOPLE, SERVERS, HOSTILE = 200, 50, 20
QUESTIONS = 8
"""Of each honest person, in a whole day."""
SECONDS = 1800.0
FIRST_WORD = 0.25
ANSWER_TIMEOUT_S = 30.0
PACE = 5.0
"""Seconds between two rounds of a hostile user."""
WAVES = 4
"""They begin in so many waves, so that there is trouble all day long."""
PRICE = {"input": 1.0, "output": 10.0}
CARD_BYTES = 1_800_000, 6_000_000
"""As much as a card may hold, and more."""
_MARK = re.compile(r"mark ([ph]\d+)")

BOOK_WORDS = [f"w{number}" for number in range(60)]


def hostile_book(random):
    """Return a card whose book takes long to search: 50 000 pairs of words that are all in the text, and a chain."""
    entries = [
        {
            "keys": [*(" ".join(random.sample(BOOK_WORDS, 2)) for _ in range(50)), f"link {number}"],
            "content": f"link {number + 1} " + " ".join(BOOK_WORDS),
        }
        for number in range(990)
    ]
    book = {"entries": entries, "recursive_scanning": True, "scan_depth": 50}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "lore", "character_book": book}}


def now():
    """Seconds of the play."""
    return asyncio.get_running_loop().time()


# --- The model --------------------------------------------------------------------------------------------


@dataclass
class Model:
    """Says one line, and keeps a bill of its own."""

    requests: Counter = field(default_factory=Counter)
    running: Counter = field(default_factory=Counter)
    max_running: Counter = field(default_factory=Counter)
    max_at_once: int = 0
    tokens: int = 0
    money: float = 0.0

    async def stream(self, prompt, _=None, /):
        last = next(one for one in reversed(prompt.messages) if isinstance(one, UserMessage))
        text = "\n".join(part.text for part in last.parts if isinstance(part, Text))
        who = (_MARK.findall(text) or ["?"])[-1]
        mark = text.rpartition(" mark ")[2].split()[0] if " mark " in text else "?"
        self.requests[who] += 1
        self.running[who] += 1
        self.max_running[who] = max(self.max_running[who], self.running[who])
        self.max_at_once = max(self.max_at_once, self.running.total())
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
        self.waits, self.waits_near, self.unanswered = [], [], []
        self.awaited = {}
        state, bot = twin.state, twin.bot.user
        self.people = [state.add_user(f"person-{number}") for number in range(PEOPLE)]
        self.channels = []
        for number in range(SERVERS):
            # The last one is hostile and owns a server.
            owner = self.people[-1] if number == 0 else self.people[number]
            guild = state.add_guild(f"server-{number}", owner)
            state.add_member(guild, bot)
            self.channels.append(state.add_channel(guild, "general"))
        self.near = {self.channel_of(number).id for number in range(PEOPLE - HOSTILE, PEOPLE)}
        """Channels in which a hostile user writes."""
        for number, person in enumerate(self.people):
            guild = state.guilds[self.channel_of(number).guild_id]
            if person.id not in guild.members:
                state.add_member(guild, person)

    def channel_of(self, number):
        """Honest people live on servers 5 to 49, with most hostile ones; these fill servers 0 and 2 alone."""
        if number < PEOPLE - HOSTILE:
            return self.channels[5 + number % (SERVERS - 5)]
        bad = PEOPLE - 1 - number
        return self.channels[0] if bad < 2 else self.channels[2] if bad < 7 else self.channels[bad]

    async def play(self):
        self.twin.state.observe(self.on_event)
        self.end = now() + self.seconds
        honest = [self.live(number) for number in range(PEOPLE - HOSTILE)]
        bad = [self.attack(number) for number in range(PEOPLE - HOSTILE, PEOPLE)] if self.hostile else []
        await asyncio.gather(*honest, *bad)
        return self.report()

    def on_event(self, event):
        """See every event of the twin; a message of the bot may be the answer that a user waits for."""
        if event.name == "MESSAGE_CREATE" and event.message is not None and event.message.by_machine:
            mark = event.message.content.partition(" ")[0]
            if mark in self.awaited:
                asked, answered = self.awaited.pop(mark)
                self.waits.append(now() - asked)
                if event.message.channel_id in self.near:
                    self.waits_near.append(self.waits[-1])
                answered.set()

    async def live(self, number):
        """An honest user asks now and then, and waits for an answer before the next question."""
        count = max(1, round(QUESTIONS * self.seconds / SECONDS))
        times = sorted(self.random.uniform(0, self.seconds - 5) for _ in range(count))
        began = now()
        for turn, at in enumerate(times):
            await asyncio.sleep(max(0.0, began + at - now()))
            if now() > self.end:
                return
            mark, answered = f"p{number}-{turn}", asyncio.Event()
            self.awaited[mark] = (now(), answered)
            self.say(number, self.channel_of(number), f"please mark {mark} now")
            try:
                async with asyncio.timeout(ANSWER_TIMEOUT_S):
                    await answered.wait()
            except TimeoutError:
                self.unanswered.append(mark)

    def say(self, number, channel, text):
        self.asked[number] += 1
        return self.twin.say(channel, self.people[number], f"<@{self.twin.bot.id}> {text}")

    async def attack(self, number):
        bad = PEOPLE - 1 - number
        kinds = [self.cards] * 2 + [self.threads] * 5 + [self.buttons] * 4 + [self.edits] * 4
        kinds += [self.messages] * 3 + [self.floods] * 2
        await asyncio.sleep(bad % WAVES * self.seconds / WAVES)
        await kinds[bad](number, self.channel_of(number))

    async def until_night(self, what):
        count = 0
        while now() < self.end:
            self.acts[what] += 1
            yield count
            count += 1
            await asyncio.sleep(PACE)

    async def cards(self, number, channel):
        """An own server, full of the largest cards, and questions to the dearest of them, or to a hostile book."""
        person, has_book = self.people[number], number % 2
        name, words = ("lore", " ".join(BOOK_WORDS)) if has_book else ("card 0", "")
        if has_book:
            file = ("card.json", json.dumps(hostile_book(self.random)).encode())
            self.twin.slash("persona import", channel, person, file=file)
        async for count in self.until_night("cards"):
            if count % 20 == 0 and count < 80:
                book = [{"keys": ["x"], "content": "y" * 60_000}] * (CARD_BYTES[count // 20 % 2] // 60_000)
                card = {
                    "name": f"card {count}",
                    "description": "word " * 6000,
                    "character_book": {"entries": book},
                }
                content = json.dumps(card).encode()
                self.twin.slash("persona import", channel, person, file=("card.json", content))
            if count == 2:
                self.twin.slash("persona switch", channel, person, name=name, where="server")
            self.say(number, channel, f"{words} card {count} mark h{number}-{count}")

    async def threads(self, number, channel):
        """One question in each of sixty threads, again and again."""
        owner = self.people[number]
        threads = [self.twin.state.add_thread(channel, f"thread-{number}-{one}", owner) for one in range(60)]
        async for count in self.until_night("threads"):
            for one in range(4):
                self.say(number, threads[(4 * count + one) % 60], f"mark h{number}-{count}")

    async def buttons(self, number, channel):
        """Every button below an answer to them, twice, for ever."""
        self.say(number, channel, f"mark h{number}-0")
        own = f":{self.people[number].id}:"
        async for _ in self.until_night("buttons"):
            for message in list(channel.messages.values())[-20:]:
                rows = [row.get("components", ()) for row in message.draft.components]
                ids = [one["custom_id"] for row in rows for one in row if own in one["custom_id"]]
                for id_ in [one for one in ids if ":stop:" not in one] * 2:
                    self.twin.press(message, id_, self.people[number])

    async def edits(self, number, channel):
        """One question, edited again and again; a new one when the old one is no longer watched."""
        async for count in self.until_night("edits"):
            if count % 10 == 0:
                question = self.say(number, channel, f"mark h{number}-{count}")
            else:
                self.twin.edit(question, f"<@{self.twin.bot.id}> now mark h{number}-{count}")

    async def messages(self, number, _):
        """Direct messages without an end."""
        channel = self.twin.dm(self.people[number])
        async for count in self.until_night("direct messages"):
            self.asked[number] += 1
            self.twin.say(channel, self.people[number], f"more mark h{number}-{count}")

    async def floods(self, number, channel):
        """The longest messages that Discord takes."""
        async for count in self.until_night("floods"):
            self.say(number, channel, f"{'word ' * 370} mark h{number}-{count}")

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
            "near": sorted(self.waits_near),
            "unanswered": len(self.unanswered),
            "asked": sum(self.asked.values()),
            "acts": dict(self.acts),
            "notices": {f"{ids.get(who, who)}|{words}": count for (who, words), count in notices.items()},
            "ids": [person.id for person in self.people],
            "guilds": [channel.guild_id for channel in self.channels],
            "refused": self.twin.log.count(status=429),
        }

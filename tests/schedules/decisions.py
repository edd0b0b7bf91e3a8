"""Seeded schedules of decisions: one number is one question with buttons, who presses what and when, and each kill.

The bot is the real one on the local Discord, in time that jumps. A kill comes before or after one of the steps of a
decision: a write to the store, the effect of the tool, a request to the model. From then on the process reaches
neither Discord nor the database; its successor starts from the files as they were at that moment.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import looptime

from bot.models import Model
from bot.stage import Stage, make_config, on_stage
from discord_twin import Interaction, Message, Twin, User
from streamcord import StoreError, ToolCall
from streamcord._journal.sql_journal import SqlJournal
from streamcord._journal.write_ahead_file import WriteAheadFile
from streamcord._store.database import WRITE_AHEAD_SUFFIX
from streamcord._store.sql_store import open_database
from streamcord.providers import AskUser, Prompt, tool
from streamcord.store import AskState, Store, open_store
from streamcord_bot.coordination.single_process import SingleProcess
from streamcord_bot.ops.connectivity import DiscordClock
from twin.conftest import FREE

__all__ = ["Outcome", "play"]

START = 1_800_000_000.0
MAX_LIVES = 6
MAX_ACTIONS = 8
EXPIRY_S = 900.0
KINDS = ("deploy", "restart", "order", "choices")
WRITTEN_SHARE = 0.5
"""Of the schedules with choices, those whose model cannot call tools and writes them as text."""
LIVE_SHARE = 0.5
INTRO = "Let me see. "
LONG_INTRO = "Let me see what is there for you today.\nThis takes a moment, because I look at all of it.\n"
WRITTEN = "<choices>\nWhich?\n- tea\n- coffee\n</choices>"
APPROVE = {"deploy": "always", "restart": "first"}
PLAIN_MODEL = {"provider": "custom", "base_url": "http://127.0.0.1:9/v1", "tools": False}
_STEPS = frozenset({"open_ask", "place_ask", "decide_ask", "take_ask", "act_on_ask", "close_ask"})


class Killed(StoreError):
    """The process is dead."""

    def __init__(self) -> None:
        super().__init__("killed")


@dataclass(slots=True)
class Outcome:
    """What came of one schedule."""

    seed: int
    kind: str
    wrong: str = ""
    """What is wrong; empty is good."""
    kills: int = 0
    presses: Counter[str] = field(default_factory=Counter)
    """How often which press was made."""
    ending: str = ""
    """How the question ended."""


class Life:
    """One process, from its start to its end, or to the step at which it is killed."""

    def __init__(self, file: Path, kill_at: int, decided: Counter[str]) -> None:
        self.file = file
        self.decided = decided
        """How often each question was decided."""
        self.is_dead = False
        self.died = asyncio.Event()
        self._left = kill_at

    def step(self) -> None:
        """Pass one place at which the process may be killed."""
        if self.is_dead:
            raise Killed
        self._left -= 1
        if self._left == 0:
            self.is_dead = True
            _copy(self.file, self.next_file)
            self.died.set()
            raise Killed

    @property
    def next_file(self) -> Path:
        """The database of the successor."""
        return self.file.with_name(f"{self.file.stem}x.db") if self.is_dead else self.file

    def trace(self) -> aiohttp.TraceConfig:
        """Return a trace by which no request of a dead process is sent."""
        config = aiohttp.TraceConfig()

        async def check(*_: object) -> None:
            if self.is_dead:
                raise aiohttp.ClientConnectionError("killed")

        config.on_request_start.append(check)
        return config


def _copy(file: Path, copy: Path) -> None:
    """Copy what is written so far; first the log of the journal, whose lines move into the database later."""
    log = Path(f"{file}{WRITE_AHEAD_SUFFIX}")
    if log.exists():
        Path(f"{copy}{WRITE_AHEAD_SUFFIX}").write_bytes(log.read_bytes())
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


class MortalStore:
    """A store whose process may be killed before and after each write to a question."""

    def __init__(self, store: Store, life: Life) -> None:
        self._store = store
        self._life = life

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found
        if name not in _STEPS:
            return self._alive(found)

        async def step(*arguments: Any, **more: Any) -> Any:
            self._life.step()
            result = await found(*arguments, **more)
            # What a dead process still writes is in a file that no successor reads.
            if name == "decide_ask" and result and not self._life.is_dead:
                self._life.decided[arguments[0]] += 1
            self._life.step()
            return result

        return step

    def _alive(self, method: Any) -> Any:
        def call(*arguments: Any, **more: Any) -> Any:
            if self._life.is_dead:
                raise Killed
            return method(*arguments, **more)

        return call


class MortalProcess(SingleProcess):
    """The coordinator of a process that may be killed."""

    def __init__(self, life: Life, *arguments: Any) -> None:
        self.life = life
        super().__init__(*arguments)

    def request_trace(self) -> aiohttp.TraceConfig:
        """Check each request."""
        return self.life.trace()


class Schedule:
    """One question, and all that happens to it."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = Random(seed)
        self.outcome = Outcome(seed, self.random.choice(KINDS))
        # Drawn apart, so that the other draws of a seed stay what they were.
        how = Random(f"{seed} delivery")
        self.delivery = "live" if how.random() < LIVE_SHARE else "messages"
        self.intro = how.choice([INTRO, LONG_INTRO])
        self.is_written = self.outcome.kind == "choices" and how.random() < WRITTEN_SHARE
        self.effects: list[str] = []
        self.decided: Counter[str] = Counter()
        self.skew = 0.0
        self.file = folder / "s.db"
        self.cut = False
        """Whether a process was killed after a call had begun, so that nobody can know whether it was done."""
        self.told: list[tuple[str, Interaction]] = []
        self.life = Life(self.file, 0, Counter())
        self.is_deleted = False
        self.is_calm = False
        self.has_old_buttons = False

    # --- The bot and its tools -------------------------------------------------------------------

    def _tools(self, life: Life) -> list[Any]:
        def effect(name: str) -> str:
            self.cut = True
            life.step()
            self.effects.append(name)
            life.step()
            self.cut = False
            return f"{name} done"

        @tool
        async def deploy(version: str) -> str:
            return effect(f"deploy {version}")

        @tool
        async def restart() -> str:
            return effect("restart")

        @tool
        async def order(ask: AskUser) -> str:
            size = await ask("Size?", ("small", "large"))
            milk = await ask("Milk?", ("yes", "no"))
            return effect(f"{size.value} {milk.value}")

        return [deploy, restart, order]

    def _answer(self, prompt: Prompt) -> list[Any]:
        """The model calls the tool once, and then says what it gave."""
        said = str(prompt)
        if "gave:" in said or "was interrupted" in said or "Error:" in said:
            return ["It is over."]
        calls = {
            "deploy": ToolCall("7", "deploy", {"version": "1"}),
            "restart": ToolCall("7", "restart", {}),
            "order": ToolCall("7", "order", {}),
            "choices": ToolCall("7", "offer_choices", {"question": "Which?", "choices": ["tea", "coffee"]}),
        }
        return [*self.intro, *WRITTEN] if self.is_written else [self.intro, calls[self.outcome.kind]]

    @asynccontextmanager
    async def _live(self, twin: Twin) -> AsyncIterator[Stage]:
        kill_at = 0 if self.is_calm else self.random.choice([0, *range(1, 16)])
        life = self.life = Life(self.file, kill_at, self.decided)
        clock = DiscordClock(lambda: START + asyncio.get_running_loop().time() + self.skew)
        store = await open_store(self.file, timeout=0.2, clock=clock)
        log = WriteAheadFile(f"{self.file}{WRITE_AHEAD_SUFFIX}")
        journal = SqlJournal(await open_database(str(self.file), timeout=0.2), clock, log)
        journal.acquire_write_ahead_file()
        mortal: Any = MortalStore(store, life)
        config = make_config(
            settings={"typing": "off", "degree": 1, "delivery": self.delivery},
            durability={"grace": 0.3},
            tools={"approve": APPROVE, "ask_timeout": EXPIRY_S},
            models={"one": PLAIN_MODEL} if self.is_written else {},
        )
        model = Model(self._answer)
        try:
            async with on_stage(
                {"one": model} if self.is_written else model,
                config=config,
                twin=twin,
                store=mortal,
                coordinator=MortalProcess(life, journal, str(self.file)),
                clock=clock,
                tools=self._tools(life),
            ) as stage:
                scan = stage.bot.recovery.scan_task
                if scan is not None:
                    await asyncio.wait({scan})
                yield stage
        finally:
            self.outcome.kills += life.is_dead
            self.file = life.next_file
            await journal.close()
            await store.close()

    # --- What happens ----------------------------------------------------------------------------

    async def run(self) -> Outcome:
        """Play the schedule and judge it."""
        async with Twin(FREE) as twin:
            people = (twin.user, twin.add_user("mallory"))
            for number in range(MAX_LIVES):
                if self.random.random() < 0.5:
                    # The successor starts later than Discord remembers nonces.
                    twin.state.nonces.forget()
                self.is_calm = number == MAX_LIVES - 1 or (number > 0 and self.random.random() < 0.25)
                async with self._live(twin) as stage:
                    if not number:
                        stage.ask("please")
                    await self._act(stage, people)
                    if self.is_calm:
                        await self._end(stage, people)
                        break
            self.outcome.wrong = await self._judge(twin)
        return self.outcome

    async def _pause(self, seconds: float) -> None:
        """Let the bot work for some time, or until it is killed."""
        waiting = [
            asyncio.ensure_future(self.life.died.wait()),
            asyncio.ensure_future(asyncio.sleep(seconds)),
        ]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for one in waiting:
            one.cancel()

    async def _act(self, stage: Stage, people: tuple[User, User]) -> None:
        for _ in range(self.random.randint(1, MAX_ACTIONS)):
            await self._pause(self.random.choice([0.01, 0.1, 1.0, 5.0, 25.0]))
            if self.life.is_dead:
                return
            actions = ["wait", "wrong", "right", "right", "double", "twice", "stop"]
            if self.random.random() < 0.06:
                actions = ["expire", "delete"]
            action = self.random.choice(actions)
            if action == "stop":
                return
            self._do(action, stage, people)

    def _do(self, action: str, stage: Stage, people: tuple[User, User]) -> None:
        owner, mallory = people
        cards = _cards(stage)
        if action == "expire":
            self.skew += 2 * EXPIRY_S
        elif not cards or action == "wait":
            return
        elif action == "delete":
            self.is_deleted = True
            stage.twin.delete(cards[-1])
        elif action == "wrong":
            self._press(stage, cards[-1], mallory, "wrong")
        else:
            self._press(stage, cards[-1], owner, "right")
            if action in {"double", "twice"}:
                self._press(stage, cards[-1], owner if action == "double" else mallory, action)
        self.outcome.presses[action] += 1

    def _press(self, stage: Stage, card: Message, user: User, what: str) -> None:
        ids = _custom_ids(card)
        # The last button of an approval opens a form, which the schedules of forms press.
        usable = ids[:-1] if self.outcome.kind in APPROVE else ids
        self.told.append((what, stage.twin.press(card, self.random.choice(usable), user)))

    async def _end(self, stage: Stage, people: tuple[User, User]) -> None:
        """Answer what is still asked, and wait until all is over."""
        for number in range(4):
            await self._pause(30.0)
            await stage.quiet()
            if not number:
                self.has_old_buttons = await self._find_old_buttons(stage)
            if cards := _cards(stage):
                self._press(stage, cards[-1], people[0], "last")
        await self._pause(60.0)
        await stage.quiet()
        self.rows = await stage.store.asks(stage.twin.bot.id, *AskState)
        self.changes = await stage.store.changes(stage.twin.guild.id)
        self.cards = _cards(stage)

    async def _find_old_buttons(self, stage: Stage) -> bool:
        """Whether a restart has left the buttons of a question that was decided, and whose message is known."""
        rows = await stage.store.asks(stage.twin.bot.id, *AskState)
        over = {one.id for one in rows if one.decision is not None and one.message}
        return any(id_.split(":")[2] in over for card in _cards(stage) for id_ in _custom_ids(card))

    # --- The judge -------------------------------------------------------------------------------

    async def _judge(self, twin: Twin) -> str:
        kind = self.outcome.kind
        decided = [one for one in self.rows if one.decision is not None]
        self.outcome.ending = ", ".join(sorted(one.state for one in self.rows)) or "none"
        if any(one.decision and one.decision.user != twin.user.id for one in self.rows):
            return "decided by the wrong person"
        if max(self.decided.values(), default=0) > 1:
            return "decided twice"
        if len(self.effects) > 1:
            return f"{len(self.effects)} effects"
        stuck = [one.state for one in self.rows if one.state in {"decided", "taken", "acting"}]
        if stuck:
            return f"stuck: {stuck[0]}"
        is_told = any("cannot tell" in _all_text(one) for one in twin.channel.messages.values())
        allowed = [one for one in decided if one.decision and one.decision.value in {"once", "here"}]
        if kind in APPROVE:
            if self.effects and not allowed:
                return "an effect that nobody allowed"
            if allowed and not self.effects and not (self.cut or is_told):
                return "allowed, but never done"
            if len(self.changes) != len(decided):
                return f"{len(decided)} decisions, but {len(self.changes)} entries in the audit log"
        said = [one for one in twin.channel.messages.values() if one.by_machine and one.interaction is None]
        texts = [one.content for one in said]
        if any("choices>" in one for one in texts):
            return "the markup of choices was shown"
        doubled = [one for one in set(texts) if one and texts.count(one) > 1]
        if doubled and len(self.rows) < 2:
            return f"said twice: {doubled[0]!r}"
        shown = [f"{one.content}{[embed['description'] for embed in one.draft.embeds]}" for one in said]
        if any(sum(one.ask.question[:40] in text for text in shown) > len(self.rows) for one in self.rows):
            return "a question was sent twice"
        if self.cards or self.has_old_buttons:
            return f"buttons are left on a question that is {self.outcome.ending}"
        for what, interaction in self.told:
            words = str((interaction.callback or {}).get("data", {}))
            if what == "wrong" and interaction.responded and "others" not in words:
                return f"a wrong person was told {words[:80]}"
        # A second question that expired ends the answer, too.
        has_ended = self.is_deleted or is_told or any(one.state is AskState.CLOSED for one in self.rows)
        if not any("It is over." in one for one in texts) and decided and not has_ended:
            return "the answer never went on"
        return ""


def _cards(stage: Stage) -> list[Message]:
    return [one for one in stage.said() if _custom_ids(one)]


def _custom_ids(message: Message) -> list[str]:
    ids = [one["custom_id"] for row in message.draft.components for one in row.get("components", ())]
    return [one for one in ids if one.startswith("sc:ask:")]


def _all_text(message: Message) -> str:
    return f"{message.content} {message.draft.embeds}"


def play(seed: int) -> Outcome:
    """Play one schedule."""
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=looptime.new_event_loop) as runner,
    ):
        return runner.run(Schedule(seed, Path(folder)).run())

"""A random walk of five people on two servers, with restarts: nothing private leaks, no one gets what is not theirs.

Every question carries its number, its author and its server; every answer names the question. So each prompt and each
message says by itself whether it breaks an invariant:

- nothing of a private question or answer is in a public message, another prompt, or a stored row;
- no one answers a blocked person, and nothing they do asks the model;
- no one deletes or changes an answer to another person, unless they manage the messages there;
- the prompt of a person without Read Message History holds only their own messages;
- a prompt holds only messages of its own server;
- a tool that needs approval runs only after the person who asked allowed this call, or the tool in their conversation;
- someone who manages another server changes nothing here.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from bot.models import Cue, Model, asked
from bot.recovery.again import life, recovered
from bot.stage import Stage
from discord_twin import Channel, Interaction, Message, Permission, Twin, User
from discord_twin.users.fake_user import ActionUnavailable
from streamcord import ThoughtDelta, ToolCall
from streamcord.providers import Prompt, Tool, tool
from streamcord.store import Place

GOES_ON = "[Go on exactly where your last message ended"
"""How the instruction begins by which an answer is continued."""
_QUESTION = re.compile(r"Q(\d+)_(\w+?)_([AB])_")
_PRIVATE = re.compile(r"PRIV\d+")
STORED = (
    "memories", "memory_variants", "table_sources", "settings", "audit_log", "personas", "message_labels", "asks",
)  # fmt: skip
RESTART_EVERY = 60
MODAL = 9
"""The type of a response that opens a form."""


@dataclass(slots=True)
class Walk:
    """One walk by its seed."""

    twin: Twin
    file: Path
    seed: int
    violations: list[str] = field(default_factory=list)
    acts: Counter[str] = field(default_factory=Counter)
    people: dict[str, User] = field(default_factory=dict)
    places: dict[str, Channel] = field(default_factory=dict)
    random: Random = field(init=False)
    marks: Channel = field(init=False)
    thoughts: Channel = field(init=False)
    number: int = 0
    askers: dict[int, str] = field(default_factory=dict)
    """Who asked each question."""
    asked_in: dict[int, str] = field(default_factory=dict)
    """The server of each question."""
    hangs: bool = False
    """Whether the next answer stops in the middle until the bot is restarted."""
    checked: int = 0
    """Prompts that were checked."""
    actor: str = ""
    """Who did the last act."""
    before: tuple[int, dict[int, str]] = (0, {})
    """The prompts and the answers before the last act."""
    allowed: set[tuple[str, str]] = field(default_factory=set)
    """Who allowed the tool for which question; no number means every question of theirs in this channel."""
    edit: Interaction | None = None
    """The command `/edit` of the last act, which may have opened a form."""

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        twin, state = self.twin, self.twin.state
        self.people = {name: twin.add_user(name) for name in ("alice", "bob", "nora", "mona")}
        eve = self.people["eve"] = state.add_user("eve")
        state.add_member(twin.guild, eve, [state.add_role(twin.guild, "banned")])
        other = state.add_guild("B", self.people["mona"])
        state.add_member(other, twin.bot.user)
        for name in ("bob", "nora", "alice"):
            state.add_member(other, self.people[name])
        self.places = {"A": twin.channel, "B": state.add_channel(other, "general")}
        state.overwrite(twin.channel, self.people["nora"], deny=Permission.READ_MESSAGE_HISTORY)
        self.marks = state.add_channel(twin.guild, "marks")
        self.thoughts = state.add_channel(twin.guild, "thoughts")

    @property
    def config(self) -> dict[str, Any]:
        banned = next(one.id for one in self.twin.guild.roles.values() if one.name == "banned")
        return {
            "access": {"block": {"roles": [banned]}},
            "answer": {"debounce": 0.01, "buttons": True},
            "budget": {"footer": True, "person_requests": 100_000, "per_minute": 100_000},
            "tools": {"approve": {"note_down": "first"}},
        }

    def tools(self) -> list[Tool]:
        """Return the tool that needs approval: its argument names the question that it is called for."""

        @tool
        async def note_down(text: str) -> str:
            """Note something down."""
            number = text.split(maxsplit=1)[0]
            asker = self.askers[int(number)]
            self.acts["noted down"] += 1
            if not self.allowed & {(asker, number), (f"{asker} in {self.asked_in[int(number)]}", "")}:
                self._fail(f"the tool ran for question {text!r} of {asker}, who did not allow it")
            return f"Noted: {text}"

        return [note_down]

    # --- The model ----------------------------------------------------------------------------

    def answer(self, prompt: Prompt) -> list[Cue]:
        """Check a prompt, and answer with its number."""
        self.checked += 1
        text = "\n".join(repr(one) for one in prompt.messages)
        is_continued = GOES_ON in text
        questions = _QUESTION.findall(text if is_continued else asked(prompt))
        number, who, place = questions[-1] if questions else ("0", "", "")
        private = set(_PRIVATE.findall(text))
        if is_continued and len(private) == 1:
            # A private question that continues after a decision stands before what was asked meanwhile. If this is
            # another one, its answer brings the private word into a public message.
            number, who, place = next(iter(private))[4:], "alice", "A"
        own = f"PRIV{number}"
        if private - {own}:
            self._fail(f"a prompt of {who} holds {sorted(private - {own})}")
        if who == "eve":
            self._fail(f"question {number} of the blocked person was answered")
        authors = {(author, where) for _, author, where in _QUESTION.findall(text)}
        if who == "nora" and place == "A" and {one for one, _ in authors} - {"nora"}:
            self._fail(f"question {number} without history reads {sorted(authors)}")
        if len({where for _, where in authors}) > 1:
            self._fail(f"a prompt of server {place} reads {sorted(authors)}")
        secret = f" PRIV{number}" if f"PRIV{number}" in private else ""
        table = f"\n\n| a | b |\n|---|---|\n| x{secret} | 2 |\n" if self.random.random() < 0.1 else ""
        cues: list[Cue] = [ThoughtDelta(f"thought{secret}"), f"Answer {number}{secret}.\n\n"]
        if self.hangs:
            self.hangs = False
            return [*cues, asyncio.Event()]
        if not private and self.random.random() < 0.1 and "ToolResult" not in text:
            return [ToolCall("1", "show_table_source", {})]
        if self.random.random() < 0.1 and "ToolResult" not in text and not is_continued:
            return [*cues, ToolCall("3", "note_down", {"text": f"{number}{secret}"})]
        if self.random.random() < 0.15 and "offer_choices(" not in text and not is_continued:
            choices = {"question": f"Answer {number}{secret}?", "choices": [f"yes{secret}", "no"]}
            return [*cues, ToolCall("2", "offer_choices", choices)]
        return [*cues, f"More{secret}.{table}<details>note{secret}</details>"]

    def _fail(self, what: str) -> None:
        self.violations.append(f"seed {self.seed}, act {self.acts.total()}: {what}")

    # --- Acts ---------------------------------------------------------------------------------

    def _question(self, who: str, place: str, *, private: bool = False) -> str:
        self.number += 1
        self.askers[self.number] = who
        self.asked_in[self.number] = place
        return f"Q{self.number}_{who}_{place}_" + (f" PRIV{self.number}" if private else "")

    def act(self) -> None:
        """Do one random thing as one random person."""
        random, twin = self.random, self.twin
        who = random.choice(list(self.people))
        place = random.choice("AAAB") if who != "eve" else "A"
        user, channel = self.people[who], self.places[place]
        kind = random.choices(
            (
                "ask",
                "say",
                "private",
                "public",
                "again",
                "menu",
                "edit",
                "delete",
                "read",
                "manage",
                "join",
                "rewrite",
                "decide",
            ),
            (20, 12, 10, 6, 20, 8, 5, 3, 10, 8, 4, 6, 20),
        )[0]
        self.acts[kind] += 1
        self.actor = {"private": "alice", "join": "alice", "manage": "mona"}.get(kind, who)
        self.before = self.checked, self._answers()
        self.edit = None
        messages = list(channel.messages.values())[-12:]
        mine = [one for one in messages if one.author is user and "Q" in one.content]
        try:
            if kind == "ask":
                self._ask(who, place)
            elif kind == "say":
                twin.say(channel, user, self._question(who, place))
            elif kind == "private":
                self._ask_privately()
            elif kind == "join":
                # The private asker writes on in the channel, which once made the private question public.
                self._ask_privately()
                self._ask("alice", "A")
            elif kind == "public":
                twin.users.slash(channel, user, "ask", question=self._question(who, place))
            elif kind == "again":
                self._press(random.choice(messages), user)
            elif kind == "menu":
                name = random.choice(("Continue", "Why?", "Continue"))
                twin.users.menu(random.choice(messages), user, name, channel)
            elif kind == "edit" and mine:
                twin.edit(mine[-1], f"<@{twin.bot.id}> {self._question(who, place)}")
            elif kind == "delete" and mine:
                twin.delete(mine[-1])
            elif kind == "read":
                name = random.choice(("why", "memory show", "privacy show", "privacy export", "persona list"))
                given = (
                    {"message": str(random.choice(messages).id)}
                    if name == "why" and random.random() < 0.7
                    else {}
                )
                twin.users.slash(channel, user, name, **given)
            elif kind == "decide":
                self._decide(messages, user)
            elif kind == "rewrite":
                self.edit = twin.users.slash(channel, user, "edit")
            elif kind == "manage":
                self._manage()
        except (ActionUnavailable, LookupError, ValueError):
            self.acts["unavailable"] += 1

    def _ask(self, who: str, place: str) -> None:
        text = f"<@{self.twin.bot.id}> {self._question(who, place)}"
        self.twin.say(self.places[place], self.people[who], text)

    def _ask_privately(self) -> None:
        channel, alice = self.places["A"], self.people["alice"]
        question = self._question("alice", "A", private=True)
        self.twin.users.slash(channel, alice, "ask", question=question, private=True)

    def _press(self, message: Message, user: User) -> None:
        buttons = list(_buttons(message))
        if not buttons:
            return
        label, pressed = self.random.choice(buttons)
        self.twin.press(message, pressed, user)
        self.acts[f"pressed {pressed.split(':')[1]}"] += 1
        if number := re.search(r'"text": "(\d+)', message.content + repr(message.draft.embeds)):
            name = next(name for name, one in self.people.items() if one is user)
            if label == "Once":
                self.allowed.add((name, number[1]))
            elif label == "For this conversation":
                place = next(place for place, one in self.places.items() if one.id == message.channel_id)
                self.allowed.add((f"{name} in {place}", ""))

    def _decide(self, messages: list[Message], user: User) -> None:
        """Press a button of an open question: often as the person whom it is for."""
        cards = [one for one in messages if any(":ask:" in pressed for _, pressed in _buttons(one))]
        if cards:
            card = self.random.choice(cards)
            if card.is_ephemeral and card.interaction:
                user = card.interaction.user
                self.actor = next(name for name, one in self.people.items() if one is user)
            self._press(card, user)

    def _manage(self) -> None:
        """Let the manager of the other server try to change this one."""
        name, options = self.random.choice((
            ("settings set", {"name": "degree", "value": "3"}), ("memory clear", {}),
            ("persona remove", {"name": "Luna"}),
            ("settings reset", {"name": "degree"}), ("persona create", {"name": "Mine"}),
        ))  # fmt: skip
        self.twin.users.slash(self.places["A"], self.people["mona"], name, **options)

    # --- The walk itself ----------------------------------------------------------------------

    async def run(self, acts: int) -> None:
        """Do so many acts, with a restart now and then, and check everything that is shown and stored."""
        done = 0
        while done < acts:
            model = Model(self.answer)
            async with life(self.twin, self.file, model, registered=self.tools(), **self.config) as stage:
                log = {"thought_log": self.thoughts.id}
                await stage.store.change_settings(Place(self.twin.guild.id, self.twin.channel.id), log)
                await recovered(stage)
                await stage.quiet()
                for _ in range(min(RESTART_EVERY, acts - done)):
                    self.act()
                    done += 1
                    await self._settle(stage)
                    self._check_act()
                await self._check_changes(stage)
                # One answer is interrupted by the restart.
                self.hangs = True
                if self.random.random() < 0.3:
                    prompts = len(model.prompts)
                    self._ask_privately()
                    await model.called(prompts + 1)
                    self.acts["private cut off"] += 1
                else:
                    self._ask(self.random.choice(("nora", "bob", "alice")), "A")
                await self._arrived(stage)
            self.hangs = False
            self._check_shown()
            self._check_stored()
            # While the bot is away.
            for who in ("eve", "nora", "bob"):
                self._ask(who, "A")
                self.acts["away"] += 1

    async def _settle(self, stage: Stage) -> None:
        await self._arrived(stage)
        await stage.quiet()
        if self.edit is not None and (self.edit.callback or {}).get("type") == MODAL:
            self.acts["rewritten"] += 1
            field = (self.edit.callback or {})["data"]["components"][0]["components"][0]
            values = {field["custom_id"]: f"{field['value']} Changed."}
            self.twin.users.submit(self.edit, self.people[self.actor], values)
            await self._arrived(stage)
            await stage.quiet()

    async def _arrived(self, stage: Stage) -> None:
        """Wait until the bot has received everything that happened so far."""
        waiting = asyncio.ensure_future(
            stage.bot.wait_for("message", check=lambda one: one.channel.id == self.marks.id, timeout=20)
        )
        await asyncio.sleep(0)
        self.twin.say(self.marks, self.people["bob"], "a mark")
        await waiting

    def _answers(self) -> dict[int, str]:
        """All answers that are shown, by their ids."""
        shown = [one for channel in self.places.values() for one in channel.messages.values()]
        return {one.id: one.content for one in shown if one.by_machine and not one.is_ephemeral}

    def _check_act(self) -> None:
        """Check that the last act asked nothing for a blocked person and deleted no answers to others."""
        prompts, answers = self.before
        if self.actor == "eve" and self.checked > prompts:
            self._fail("the model was asked for the blocked person")
        now = self._answers()
        changed = answers.keys() - now.keys()
        if self.edit is not None:
            changed |= {id_ for id_ in answers.keys() & now.keys() if answers[id_] != now[id_]}
        for id_ in changed:
            number = re.search(r"Answer (\d+)", answers[id_])
            asker = self.askers.get(int(number[1])) if number else None
            # Mona owns the other server, so she manages its messages.
            is_managed = self.actor == "mona" and number and self.asked_in[int(number[1])] == "B"
            if asker not in {self.actor, None} and not is_managed:
                self._fail(f"{self.actor} changed or deleted the answer {answers[id_][:40]!r} to {asker}")

    def _check_shown(self) -> None:
        alice = self.people["alice"]
        for channel in self.twin.state.channels.values():
            for one in channel.messages.values():
                is_hers = one.is_ephemeral and one.interaction is not None and one.interaction.user is alice
                is_question = any(one.author is user for user in self.people.values())
                if not (is_hers or is_question) and _PRIVATE.search(one.content + repr(one.draft)):
                    self._fail(f"message {one.id} shows {one.content[:80]!r}")

    def _check_stored(self) -> None:
        with sqlite3.connect(self.file) as database:
            lines = [line for line in database.iterdump() if any(f'"{name}"' in line for name in STORED)]
        if found := _PRIVATE.search("\n".join(lines)):
            self._fail(f"the database holds {found[0]}")

    async def _check_changes(self, stage: Stage) -> None:
        guild = self.twin.guild.id
        here = await stage.store.settings(Place(guild, self.twin.channel.id))
        if await stage.store.settings(Place(guild)) or here.keys() - {"thought_log"}:
            self._fail("the manager of another server changed settings")
        if any(one.guild == guild for one in await stage.store.personas(guild)):
            self._fail("the manager of another server changed personas")


def _buttons(message: Message) -> Iterator[tuple[str, str]]:
    """Yield label and id of each button that can be pressed."""
    for row in message.draft.components:
        for one in row.get("components", ()):
            if "custom_id" in one and not one.get("disabled"):
                yield one.get("label", ""), one["custom_id"]


async def walk(file: Path, seed: int, acts: int, options: Any) -> Walk:
    """Walk on a local Discord of its own."""
    async with Twin(options) as twin:
        one = Walk(twin, file, seed)
        await one.run(acts)
    return one

"""The client matrix: what a client that someone else wrote must be able to do here, and whether it can.

A peer is a program in an environment of its own. It logs in, registers its commands, and does what a person
says: "send", "file", "thread"... This side plays the person and judges by the twin's own state.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from discord_twin import (
    DEFAULT_BUCKETS,
    ChannelType,
    FakeUser,
    Interaction,
    Message,
    Permission,
    ScaledClock,
    Twin,
    TwinOptions,
)

FOLDER = Path(__file__).parent
SPEED = 5.0
STEP_TIMEOUT_S = 15.0


class Judge:
    """One peer on one twin."""

    def __init__(self, twin: Twin, login_within: float) -> None:
        self.twin = twin
        self.login_within = login_within
        self.person: FakeUser = twin.fake_user()
        self.bob = twin.fake_user("bob")
        self.forum = twin.add_channel("forum", ChannelType.FORUM)
        role = twin.guild.roles[twin.guild.members[twin.bot.user.id].role_ids[0]]
        role.permissions |= Permission.ADMINISTRATOR

    async def told(self, words: str) -> Message:
        """Say something; the next message of the peer."""
        self.person.say(words)
        return await self.twin.next_message(timeout=STEP_TIMEOUT_S)

    async def answered(self, interaction: Interaction) -> Message:
        """The message that answers an interaction."""
        found = await self.twin.until(
            lambda: interaction.original if _is_done(interaction.original) else None, STEP_TIMEOUT_S
        )
        await self.twin.next_message(timeout=STEP_TIMEOUT_S)
        return found


def _is_done(message: Message | None) -> bool:
    return message is not None and not message.draft.flags & (1 << 7)


async def login(judge: Judge) -> None:
    await judge.twin.ready(judge.login_within)
    twin = judge.twin

    def commands() -> int:
        local = twin.state.guild_commands.get((twin.bot.id, twin.guild.id), {})
        return len({*twin.bot.commands, *local})

    await twin.until(lambda: commands() >= 4, judge.login_within)
    await judge.told("ready?")


async def send_edit_delete(judge: Judge) -> None:
    first = await judge.told("send")
    await judge.twin.until(lambda: first.content == "two", STEP_TIMEOUT_S)
    gone = await judge.twin.next_message(timeout=STEP_TIMEOUT_S)
    await judge.twin.until(lambda: gone.id not in judge.twin.channel.messages, STEP_TIMEOUT_S)


async def files(judge: Judge) -> None:
    reply = await judge.told("file")
    (file,) = reply.attachments
    assert (file.filename, file.content) == ("notes.txt", b"file content")
    assert reply.draft.reply_ids is not None


async def embeds(judge: Judge) -> None:
    (embed,) = (await judge.told("embed")).draft.embeds
    assert (embed["title"], embed["fields"][0]["value"]) == ("Title", "value")


async def reactions(judge: Judge) -> None:
    said = judge.person.say("react")
    await judge.twin.until(lambda: said.reactions, STEP_TIMEOUT_S)
    assert said.reactions == {"👍": [judge.twin.bot.user.id]}


async def threads(judge: Judge) -> None:
    said = judge.person.say("thread")
    thread = await judge.twin.until(lambda: judge.twin.state.channels.get(said.id), STEP_TIMEOUT_S)
    await judge.twin.until(lambda: thread.texts == ["inside"], STEP_TIMEOUT_S)
    assert thread.name == "talk"


async def forum(judge: Judge) -> None:
    judge.person.say(f"forum {judge.forum.id}")
    state, forum_id = judge.twin.state, judge.forum.id
    post = await judge.twin.until(
        lambda: next((one for one in state.channels.values() if one.parent_id == forum_id), None),
        STEP_TIMEOUT_S,
    )
    await judge.twin.until(lambda: post.texts == ["first"], STEP_TIMEOUT_S)


async def webhooks(judge: Judge) -> None:
    said = await judge.told("webhook")
    assert said.webhook is not None
    assert (said.shown_name, said.content) == ("Luna", "as Luna")


async def commands(judge: Judge) -> None:
    used = judge.person.slash("ask", question="why", who=judge.bob.user)
    assert (await judge.answered(used)).content == "answer to why for bob"


async def menus(judge: Judge) -> None:
    greeted = await judge.answered(judge.person.menu("Greet", judge.bob))
    assert greeted.content == "hello bob"
    quoted = await judge.answered(judge.person.menu("Quote", judge.bob.say("words!")))
    assert quoted.content == "quote: words!"
    shown = await judge.told("menu")
    custom_id = shown.draft.components[0]["components"][0]["custom_id"]
    chosen = judge.person.choose(shown, custom_id, "b")
    assert (await judge.answered(chosen)).content == "picked b"


async def modals(judge: Judge) -> None:
    asked = judge.person.slash("form")
    callback = await judge.twin.until(lambda: asked.callback, STEP_TIMEOUT_S)
    row = callback["data"]["components"][0]
    field = row["component"] if "component" in row else row["components"][0]
    sent = judge.person.submit(asked, **{field["custom_id"]: "Ada"})
    assert (await judge.answered(sent)).content == "hello Ada"


async def resume(judge: Judge) -> None:
    twin, before = judge.twin, judge.twin.gateway.identifies
    twin.gateway.drop(4000)
    await twin.until(
        lambda: not any(one.connection for one in twin.gateway.sessions.values()), STEP_TIMEOUT_S
    )
    judge.person.say("file")
    await twin.until(lambda: twin.gateway.resumes, 30)
    assert (await twin.next_message(timeout=STEP_TIMEOUT_S)).attachments
    assert twin.gateway.identifies == before


async def rate_limits(judge: Judge) -> None:
    twin = judge.twin
    twin.configure(buckets=DEFAULT_BUCKETS, global_rps=50)
    twin.log.clear()
    judge.person.say("burst")
    texts = [(await twin.next_message(timeout=STEP_TIMEOUT_S)).content for _ in range(12)]
    assert sorted(texts, key=int) == [str(number) for number in range(12)]
    assert len(twin.log.invalid) <= 4


Feature = Callable[[Judge], Awaitable[None]]
FEATURES: dict[str, Feature] = {
    "login": login,
    "send, edit, delete": send_edit_delete,
    "files": files,
    "embeds": embeds,
    "reactions": reactions,
    "threads": threads,
    "forum": forum,
    "webhooks": webhooks,
    "commands": commands,
    "menus": menus,
    "modals": modals,
    "resume": resume,
    "rate limits": rate_limits,
}


@asynccontextmanager
async def _running(twin: Twin, program: Sequence[str], environment: dict[str, str]) -> AsyncIterator[None]:
    known = {
        **os.environ, **environment, "TWIN_ROOT": twin.base_url, "TWIN_API": twin.api_url,
        "TWIN_GATEWAY": twin.gateway_url, "TWIN_TOKEN": twin.token, "PYTHONUNBUFFERED": "1",
    }  # fmt: skip
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *program, env=known, stdin=pipe, stdout=asyncio.subprocess.DEVNULL, stderr=None, cwd=FOLDER
    )
    try:
        yield
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def judge_peer(
    program: Sequence[str], login_within: float = 30.0, **environment: str
) -> dict[str, str]:
    """Run a peer through all features: "" where it did well, else what went wrong."""
    options = TwinOptions.without_limits(interaction_deadline_s=60.0, interaction_ttl_s=9000.0)
    results: dict[str, str] = {}
    async with Twin(options, clock=ScaledClock(SPEED)) as twin:
        judge = Judge(twin, login_within)
        async with _running(twin, program, environment):
            for name, feature in FEATURES.items():
                results[name] = await _tried(feature, judge)
                if name == "login" and results[name]:
                    break
        unknown = ", ".join(twin.log.unknown)
        refused = {
            f"{one.route} {one.code} {one.why}" for one in twin.log.requests if 400 <= one.status < 429
        }
        results["nothing refused"] = "; ".join(filter(None, (unknown, *sorted(refused))))
    return results


async def _tried(feature: Feature, judge: Judge) -> str:
    try:
        await feature(judge)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    return ""

"""The same requests of one discord.py client on simcord, a Discord that someone else wrote, and on the twin.

Where the two answer differently, the difference is named with its source.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import discord
import pytest

from discord_twin import Permission, Twin
from twin.test_discord_py import running

simcord = pytest.importorskip("simcord")
DOCS = "https://docs.discord.com/developers"
Act = Callable[[discord.TextChannel], Awaitable[object]]


def poll(answers: int) -> discord.Poll:
    made = discord.Poll("q", timedelta(hours=1))
    for number in range(answers):
        made.add_answer(text=str(number))
    return made


def button(label: str) -> discord.ui.View:
    view = discord.ui.View()
    view.add_item(discord.ui.Button(label=label))
    return view


def fields(count: int) -> discord.Embed:
    embed = discord.Embed(title="t")
    for _ in range(count):
        embed.add_field(name="n", value="v")
    return embed


async def react(channel: discord.TextChannel, emoji: str) -> None:
    await (await channel.send("x")).add_reaction(emoji)


def reply_to_nothing(channel: discord.TextChannel) -> Awaitable[object]:
    return channel.send("x", reference=discord.MessageReference(message_id=1, channel_id=channel.id))


THREAD: Any = 7  # a duration that does not exist
SAME: dict[str, Act] = {
    "2000 characters": lambda channel: channel.send("x" * 2000),
    "2001 characters": lambda channel: channel.send("x" * 2001),
    "a title of 257": lambda channel: channel.send(embed=discord.Embed(title="x" * 257)),
    "6002 in two embeds": lambda channel: channel.send(embeds=[discord.Embed(description="x" * 3001)] * 2),
    "26 fields": lambda channel: channel.send(embed=fields(26)),
    "an unknown message": lambda channel: channel.fetch_message(123456789012345678),
    "a reaction": lambda channel: react(channel, "👍"),
    "a label of 81": lambda channel: channel.send("x", view=button("x" * 81)),
    "a poll": lambda channel: channel.send(poll=poll(2)),
}
# What simcord answers, what the twin answers, and who says that Discord answers as the twin.
DIFFERENT: dict[str, tuple[Act, tuple[int, int], tuple[int, int], str]] = {
    "an empty message": (lambda channel: channel.send(""), (400, 50035), (400, 50006),
                         f"{DOCS}/topics/opcodes-and-status-codes#json 50006"),
    "an address that is none": (lambda channel: channel.send(embed=discord.Embed(title="t", url="nope")),
                                (200, 0), (400, 50035), f"{DOCS}/resources/message#embed-object"),
    "a reply to nothing": (reply_to_nothing, (200, 0), (400, 50035),
                           f"{DOCS}/resources/message#message-reference-structure"),
    "a word as a reaction": (lambda channel: react(channel, "hello"), (200, 0), (400, 10014),
                             f"{DOCS}/resources/message#create-reaction"),
    "a thread's name of 101": (lambda channel: channel.create_thread(name="x" * 101), (200, 0), (400, 50035),
                               f"{DOCS}/resources/channel#start-thread-without-message"),
    "an odd duration": (lambda channel: channel.create_thread(name="x", auto_archive_duration=THREAD),
                        (200, 0), (400, 50035), f"{DOCS}/resources/channel#start-thread-without-message"),
    "a webhook called clyde": (lambda channel: channel.create_webhook(name="clyde"), (200, 0), (400, 50035),
                               f"{DOCS}/resources/webhook#create-webhook"),
    "a channel's name of 101": (lambda channel: channel.edit(name="x" * 101), (200, 0), (400, 50035),
                                f"{DOCS}/resources/channel#modify-channel"),
    "eleven answers": (lambda channel: channel.send(poll=poll(11)), (200, 0), (400, 50035),
                       f"{DOCS}/resources/poll#poll-create-request-object"),
}  # fmt: skip


async def outcome(act: Awaitable[object]) -> tuple[int, int]:
    try:
        await act
    except discord.HTTPException as error:
        return error.status, error.code
    return 200, 0


async def on_simcord(acts: dict[str, Act]) -> dict[str, tuple[int, int]]:
    intents = discord.Intents.default()
    intents.message_content = True
    client = discord.Client(intents=intents)
    env = simcord.Env(client)
    await env.start()
    try:
        channel = client.get_channel(env.create_guild().create_text_channel("general").id)
        assert isinstance(channel, discord.TextChannel)
        return {name: await outcome(act(channel)) for name, act in acts.items()}
    finally:
        await env.shutdown()


async def on_twin(twin: Twin, acts: dict[str, Act]) -> dict[str, tuple[int, int]]:
    role = twin.guild.roles[twin.guild.members[twin.bot.user.id].role_ids[0]]
    role.permissions |= Permission.ADMINISTRATOR
    async with running(twin) as client:
        channel = client.get_channel(twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        return {name: await outcome(act(channel)) for name, act in acts.items()}


async def test_both_answer_alike_or_the_difference_is_named(twin: Twin) -> None:
    acts = SAME | {name: row[0] for name, row in DIFFERENT.items()}
    theirs, ours = await on_simcord(acts), await on_twin(twin, acts)

    assert {name: theirs[name] for name in SAME} == {name: ours[name] for name in SAME}
    assert {name: (theirs[name], ours[name]) for name in DIFFERENT} == {
        name: (row[1], row[2]) for name, row in DIFFERENT.items()
    }
    assert [name for name, row in DIFFERENT.items() if not row[3].startswith("https://")] == []

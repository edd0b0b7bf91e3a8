from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.stage import Stage, on_stage
from discord_twin import Message
from streamcord.testing import ScriptedProvider
from streamcord_bot.messages.chat_message import AttachmentCache, FileBudget, MessageReader, people_in


async def fetched(stage: Stage, message: Message) -> discord.Message:
    channel: Any = stage.bot.get_channel(message.channel_id)
    found: discord.Message = await channel.fetch_message(message.id)
    return found


def reader(stage: Stage, **more: Any) -> MessageReader:
    assert stage.bot.user is not None
    return MessageReader(stage.bot.user, stage.bot.application_id or 0, **more)


async def test_mentions_and_emoji_are_read_as_people_read_them() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        bob = stage.twin.add_user("bob")
        said = stage.twin.say(stage.twin.channel, stage.twin.user, f"<@{bob.id}> look <:cat:123> <a:run:5>")
        chat_message = reader(stage).read(await fetched(stage, said))

    assert chat_message.text == "@bob look :cat: :run:"
    assert (chat_message.name, chat_message.own, chat_message.bot, chat_message.mentions_us) == (
        "alice",
        False,
        False,
        False,
    )


async def test_reply_target_is_read() -> None:
    async with on_stage(ScriptedProvider(["Hello."])) as stage:
        stage.ask("hi")
        ours = await stage.twin.next_message()
        await stage.quiet()
        reply = stage.twin.say(stage.twin.channel, stage.twin.user, "you?", reply_to=ours)
        other = stage.twin.say(stage.twin.channel, stage.twin.user, "me?", reply_to=reply)
        first = reader(stage).read(await fetched(stage, reply))
        second = reader(stage).read(await fetched(stage, other))
        own = reader(stage).read(await fetched(stage, ours))

    assert (first.reply_to, first.replies_to_us, first.mentions_us) == (ours.id, True, False)
    assert (second.reply_to, second.replies_to_us) == (reply.id, False)
    assert own.own


async def test_webhooks_of_others_are_machines_and_ours_are_we() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        twin = stage.twin
        theirs = twin.state.add_webhook(twin.channel, "news", twin.user)
        channel: Any = stage.bot.get_channel(twin.channel.id)
        ours = await channel.create_webhook(name="streamcord")
        mine = await ours.send("as Luna", username="Luna", wait=True)
        foreign = discord.Webhook.partial(theirs.id, theirs.token, client=stage.bot)
        news = await foreign.send("news", wait=True)
        read = [reader(stage).read(await channel.fetch_message(one.id)) for one in (mine, news)]

    assert [(one.own, one.bot) for one in read] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("notes.md", "\ufeffgrüße".encode(), "grüße"),
        ("code.py", b"print(1)", "print(1)"),
        ("fake.txt", b"\0\1\2", ""),
        ("bytes.txt", b"\xff\xfe", "��"),
        ("app.exe", b"MZ", ""),
        ("long.txt", b"x" * 100, "x" * 10),
    ],
)
async def test_text_files_are_read_up_to_a_length(name: str, content: bytes, text: str) -> None:
    async with on_stage(ScriptedProvider()) as stage:
        said = stage.twin.say(stage.twin.channel, stage.twin.user, "look", files={name: content})
        message = await fetched(stage, said)
        who = reader(stage)
        chat_message = await who.read_files(message, who.read(message), FileBudget(4, 4), 10)

    assert [(file.name, file.text) for file in chat_message.files] == [(name, text)]


async def test_files_are_fetched_once_and_only_so_many_bytes_are_kept() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        files, attachments = AttachmentCache(cap=15), []
        for name in ("a.txt", "b.txt"):
            said = stage.twin.say(stage.twin.channel, stage.twin.user, "look", files={name: b"0123456789"})
            attachments += (await fetched(stage, said)).attachments
        for attachment in attachments:
            assert await files.read(attachment) == b"0123456789"
        await stage.twin.go_offline()
        assert await files.read(attachments[-1]) == b"0123456789"
        assert await files.read(attachments[0]) == b""
        await stage.twin.go_online()


async def test_people_are_the_authors_that_can_be_mentioned() -> None:
    async with on_stage(ScriptedProvider(["Hello."])) as stage:
        stage.ask("hi")
        ours = await stage.twin.next_message()
        await stage.quiet()
        said = stage.twin.say(stage.twin.channel, stage.twin.user, "again")
        messages = [await fetched(stage, one) for one in (ours, said)]
        (person,) = people_in(messages, reader(stage).is_own)

    assert (person.id, person.handle) == (stage.twin.user.id, "alice")

"""However many files lie in a channel, one answer downloads only a few."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.stage import Stage, on_stage
from streamcord import SettingsError
from streamcord.testing import ScriptedProvider
from streamcord_bot.config import ContextConfig
from streamcord_bot.messages.chat_message import AttachmentCache, ChatMessage, MessageReader
from streamcord_bot.messages.question import Question
from streamcord_bot.prompt.channel_history import ChannelHistory, Conversation

MESSAGES, FILES = 39, 10


class CountingCache(AttachmentCache):
    """The real one, which counts what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def read(self, attachment: discord.Attachment) -> bytes:
        self.asked.append(attachment.filename)
        return await super().read(attachment)


async def read_channel(
    stage: Stage, cache: AttachmentCache, config: ContextConfig, kind: type[MessageReader] = MessageReader
) -> Conversation:
    assert stage.bot.user is not None
    reader = kind(stage.bot.user, stage.bot.application_id or 0, cache)
    channel: Any = stage.bot.get_channel(stage.twin.channel.id)
    last = stage.twin.say(stage.twin.channel, stage.twin.user, "read all that")
    question = Question(stage.twin.user.id, [reader.read(await channel.fetch_message(last.id))])
    return await ChannelHistory(reader, stage.store).read_conversation(channel, question, config)


async def test_a_channel_full_of_text_files_costs_a_few_downloads() -> None:
    cache = CountingCache()
    async with on_stage(ScriptedProvider()) as stage:
        for number in range(MESSAGES):
            files = {f"{number}-{file}.txt": b"words" for file in range(FILES)}
            stage.twin.say(stage.twin.channel, stage.twin.user, "sprite", files=files)
        conversation = await read_channel(stage, cache, ContextConfig())

    # The newest first, and never all of them from one message.
    assert cache.asked == [*(f"38-{file}.txt" for file in range(4)), "37-0.txt", "37-1.txt"]
    assert sum(bool(file.text) for one in conversation.messages for file in one.files) == 6
    assert sum(len(one.files) for one in conversation.messages) == MESSAGES * FILES


async def test_downloads_that_fail_count_too() -> None:
    cache = CountingCache()
    async with on_stage(ScriptedProvider()) as stage:
        for number in range(MESSAGES):
            files = {f"{number}.png": b""}
            stage.twin.say(stage.twin.channel, stage.twin.user, "sprite", files=files)
        await read_channel(stage, cache, ContextConfig(images=3))

    assert len(cache.asked) == 3


async def test_a_message_that_cannot_be_read_silences_no_channel() -> None:
    class Stumbling(MessageReader):
        def read(self, message: discord.Message) -> ChatMessage:
            if "stone" in message.content:
                raise ValueError("what nobody thought of")
            return super().read(message)

    async with on_stage(ScriptedProvider()) as stage:
        twin = stage.twin
        twin.say(twin.channel, twin.user, "a stone", files={"a.txt": b"x"})
        twin.users.speak(twin.channel, twin.user, b"OggS", 1e300)
        conversation = await read_channel(stage, CountingCache(), ContextConfig(), Stumbling)

    assert [one.text for one in conversation.messages] == ["", "read all that"]
    assert [file.name for file in conversation.messages[0].files] == ["86400 s"]


@pytest.mark.parametrize("name", ["images", "files"])
def test_nobody_sets_more_than_a_few(name: str) -> None:
    values: Any = {name: 1000}
    with pytest.raises(SettingsError):
        ContextConfig(**values)

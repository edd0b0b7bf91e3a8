from __future__ import annotations

from bot.stage import on_stage
from streamcord.testing import ScriptedProvider
from streamcord_bot.answering.answer_memory import MAX_TABLES, AnswerMemory
from streamcord_bot.messages.chat_message import MessageReader
from streamcord_bot.policy.permissions import PermissionChecker
from streamcord_bot.prompt.channel_history import ChannelHistory


async def test_of_a_channels_tables_the_newest_can_be_asked_for() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        memory = AnswerMemory(
            stage.bot,
            stage.store,
            ChannelHistory(MessageReader(), stage.store),
            stage.app.editor,
            PermissionChecker(),
            (),
        )
        for number in range(MAX_TABLES + 5):
            memory._remember_table(1, f"| {number} |")
        memory._remember_table(2, "| elsewhere |")

        assert memory.tables_of(1) == [f"| {number} |" for number in range(5, MAX_TABLES + 5)]
        assert memory.tables_of(2) == ["| elsewhere |"]
        assert memory.tables_of(3) == []

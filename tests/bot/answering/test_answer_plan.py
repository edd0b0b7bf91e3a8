from __future__ import annotations

from bot.stage import on_stage
from streamcord import Ending, ThoughtLog, TurnResult
from streamcord.testing import ScriptedProvider
from streamcord_bot.answering.answer_plan import (
    MAX_EMBED_CHARS,
    MAX_EMBEDS,
    MAX_TABLES,
    AnswerMemory,
    thought_embeds,
)
from streamcord_bot.messages.chat_message import MessageReader
from streamcord_bot.policy.permissions import PermissionChecker
from streamcord_bot.prompt.channel_history import ChannelHistory


def result(summary: str = "", raw: str = "", duration: float = 0.0, served_by: str = "") -> TurnResult:
    thoughts = ThoughtLog(summary, raw, duration, served_by or None)
    return TurnResult(Ending.COMPLETED, thoughts=thoughts, first_url="https://discord.com/channels/1/2/3")


def test_no_thoughts_no_embed() -> None:
    assert thought_embeds(result(), "Luna", "en") == []


def test_summary_and_raw_thoughts_with_a_link_and_how_long() -> None:
    (embed,) = thought_embeds(
        result(summary="short", raw="long", duration=2.5, served_by="tiny"), "Luna", "de"
    )

    assert embed.title == "Gedanken: Luna"
    assert embed.description == "short\n\nlong"
    assert embed.url == "https://discord.com/channels/1/2/3"
    assert embed.footer.text == "2.5 s nachgedacht · tiny"


def test_long_thoughts_are_cut_at_lines_into_parts_that_discord_takes() -> None:
    lines = "\n".join("word " * 100 for _ in range(30))
    embeds = thought_embeds(result(raw=lines), "Luna", "en")

    assert len(embeds) == 4
    assert all(len(embed.description or "") <= MAX_EMBED_CHARS for embed in embeds)
    assert "".join(embed.description or "" for embed in embeds).split() == lines.split()


def test_thoughts_are_cut_between_words_after_an_early_newline() -> None:
    text = "A title\n" + "deep " * 1500
    parts = [embed.description or "" for embed in thought_embeds(result(text), "Luna", "en")]

    assert all(len(part) <= 4096 for part in parts)
    assert " ".join(parts).split() == text.split()


def test_endless_thoughts_end() -> None:
    assert len(thought_embeds(result(raw="x" * 1_000_000), "Luna", "en")) == MAX_EMBEDS


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

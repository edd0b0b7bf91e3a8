"""Descriptions of commands: Discord gets every one of them in every language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bot.commands.using import with_commands
from streamcord_bot.i18n import LOCALES, read_command_texts

LONGEST_CHARS = 100
"""https://docs.discord.com/developers/interactions/application-commands#application-command-object"""
DISCORD_TAGS = {"es": "es-ES", "pt": "pt-BR", "zh": "zh-CN"}


def texts_of(command: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Each text of a registered command that is translated, with its translations."""
    if command.get("type", 1) in {2, 3}:
        yield command["name"], command.get("name_localizations") or {}
        return
    yield command["description"], command.get("description_localizations") or {}
    for option in command.get("options") or ():
        yield from texts_of({**option, "type": 1})


async def test_every_command_is_described_in_every_language() -> None:
    async with with_commands() as people:
        commands = people.stage.twin.bot.commands.values()
        registered = [text for one in commands for text in texts_of(one)]
        english = {text for text, _ in registered}
        missing = [
            (language, text)
            for text, translations in registered
            for language in LOCALES[1:]
            if not translations.get(DISCORD_TAGS.get(language, language))
        ]

        assert len(english) > 80
        assert missing == []
        # A text that was changed in the code leaves its translations behind.
        assert [text for text in read_command_texts("de") if text not in english] == []


@pytest.mark.parametrize("language", LOCALES[1:])
def test_no_description_is_too_long_for_discord(language: str) -> None:
    texts = read_command_texts(language)

    assert texts.keys() == read_command_texts("de").keys()
    assert [text for text in texts.values() if not 1 <= len(text) <= LONGEST_CHARS] == []


async def test_help_is_in_the_language_of_its_reader() -> None:
    async with with_commands() as people:
        people.stage.twin.user.locale = "ko"
        shown = await people.says("help")

        assert "`/stop` 여기서 쓰고 있는 답변 멈추기" in shown
        assert "Stop the answer" not in shown

"""Descriptions of slash commands in the language of each reader.

Discord chooses by the reader's own language:
https://docs.discord.com/developers/interactions/application-commands#localization .
The names stay English, because guides, answers and people name commands by them.
"""

from __future__ import annotations

from typing import Any

from discord import Locale, app_commands
from discord.app_commands import TranslationContextLocation as Where

from ..i18n import read_command_texts, translate_command

_TRANSLATED = frozenset({Where.command_description, Where.group_description, Where.parameter_description})


class CommandTranslator(app_commands.Translator):
    """Gives discord.py the translations when it registers the commands."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: Locale,
        context: app_commands.TranslationContext[Any, Any],
    ) -> str | None:
        """Return a text in a language; `None` if it stays English."""
        # The name of a menu entry is all that people see of it, so it is translated, too.
        is_menu = isinstance(context.data, app_commands.ContextMenu)
        if not is_menu and context.location not in _TRANSLATED:
            return None
        translated = translate_command(locale.value, string.message)
        return translated if read_command_texts(locale.value.partition("-")[0]) else None

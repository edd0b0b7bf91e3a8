"""The bot's slash commands."""

from __future__ import annotations

from ..asking.ask_command import build_ask
from ..budget.usage_command import build_usage
from ..conversation.chat_message import MessageReader
from ..safety.change_log import build_changes
from ..safety.privacy_command import PrivacyCommands
from ..services import Services
from .basic_commands import MemoryCommands, build_help, build_model, build_stop, build_why
from .command_base import AnyCommand
from .persona_command import PersonaCommands
from .settings_command import SettingsCommands

__all__ = ["build_commands"]


def build_commands(services: Services, reader: MessageReader) -> list[AnyCommand]:
    """All commands of one bot, in the order in which `/help` lists them."""
    return [
        *build_ask(services, reader),
        build_stop(services),
        PersonaCommands(services),
        SettingsCommands(services),
        build_model(services),
        MemoryCommands(services),
        build_usage(services),
        PrivacyCommands(services),
        build_changes(services),
        *build_why(services),
        build_help(services),
    ]

"""Keep the buttons of answers on the newest answer of each channel only."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import discord

from ..messages.chat_message import MessageReader
from ..prompt.channel_history import MessageCache
from .buttons import AnswerButton
from .message_editor import MessageEditor

MAX_REMOVED = 5
"""Messages whose buttons are removed after one answer."""
_LASTING = frozenset({"again", "more", "show"})
"""Actions of buttons that stay below a complete answer."""


@dataclass(eq=False, repr=False)
class NewestButtons:
    """Removes the buttons of older answers."""

    cache: MessageCache
    reader: MessageReader
    editor: MessageEditor

    async def remove_older(self, channel: discord.abc.MessageableChannel, newest: Collection[int]) -> None:
        """Remove the buttons of all answers that are known in a channel, except for the newest one's messages."""
        older = [
            one for one in self.cache.messages(channel.id) if one.id < min(newest) and self._has_buttons(one)
        ]
        for message in older[-MAX_REMOVED:]:
            by_webhook = message.webhook_id is not None
            await self.editor.set_buttons(channel, message.id, None, by_webhook=by_webhook, shown=message)

    def _has_buttons(self, message: discord.Message) -> bool:
        return self.reader.is_own(message) and any(action in _LASTING for action in _actions(message))


def _actions(message: discord.Message) -> Iterator[str]:
    """Return the actions of the answer buttons of a message."""
    template = AnswerButton.__discord_ui_compiled_template__
    for row in message.components:
        for button in getattr(row, "children", ()):
            if match := template.fullmatch(getattr(button, "custom_id", None) or ""):
                yield match["action"]

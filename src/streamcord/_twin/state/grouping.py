"""Which messages a reader sees as one block, as Discord's client draws them.

Messages of one author join until seven minutes pass between two of them
(https://github.com/Tyrrrz/DiscordChatExporter/issues/152); those of a webhook also need the same *name*,
the avatar does not matter (same repository, 290). A reply always starts a new block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import MessageType
from .snowflakes import snowflake_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .model import Message

__all__ = ["group_messages"]


def group_messages(messages: Iterable[Message], window: float = 420.0) -> list[list[Message]]:
    """Split messages, in order, into the blocks that are drawn under one heading."""
    groups: list[list[Message]] = []
    for message in messages:
        if groups and _joins(groups[-1][-1], message, window):
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def _joins(last: Message, message: Message, window: float) -> bool:
    same_author = (last.author.id, last.shown_name) == (message.author.id, message.shown_name)
    plain = message.type is MessageType.DEFAULT and message.draft.reply_ids is None
    return same_author and plain and snowflake_time(message.id) - snowflake_time(last.id) < window

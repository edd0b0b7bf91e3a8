"""The rest of an answer as a file, where Discord lets no further message be sent.

An application that only the user has installed may send five follow-ups and cannot write to the channel
(https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages). Edits are not
limited, so the rest is kept in a file of the last message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import discord

from .._delivery.outgoing import OutgoingMessage
from .._events import Attachment
from .attachments import describe_files, with_safe_names

__all__ = ["FOLLOW_UPS", "Overflow", "is_user_install_only"]

FOLLOW_UPS = 5
"""Messages after the first, where only a person let the application in."""
FILE_CAP = 10
"""Files of one message."""
_NAME = "rest.md"


def is_user_install_only(interaction: discord.Interaction[Any]) -> bool:
    """Whether the bot was installed by the person who asks alone, and so may not write into the channel."""
    if interaction.guild_id is not None:
        return not interaction.is_guild_integration()
    return interaction.context.private_channel


class Overflow:
    """What did not fit into the messages of one answer, as the files of its last message."""

    def __init__(self) -> None:
        self.message_id = 0
        """The last message; 0 if there is none yet."""
        self._kept: list[Mapping[str, Any]] = []
        self._texts: dict[str, str] = {}
        self._pictures: dict[str, list[Attachment]] = {}

    def note(self, message_id: int, files: Sequence[Mapping[str, Any]]) -> None:
        """Note which files the last message has, after it was sent or edited."""
        self.message_id = message_id
        self._kept = [one for one in files if not str(one.get("filename", "")).endswith(_NAME)]
        self._pictures.clear()

    def add(self, outgoing: OutgoingMessage) -> None:
        """Take one message more; the same one twice counts once."""
        self._pictures.pop(outgoing.key, None)
        files = [one for one in outgoing.message.files if isinstance(one, Attachment)]
        free = FILE_CAP - 1 - len(self._kept) - sum(map(len, self._pictures.values()))
        self._pictures[outgoing.key] = files[: max(0, free)]
        left = [one.alt for one in files[max(0, free) :] if one.alt]
        self._texts[outgoing.key] = "\n".join([outgoing.message.content, *left])

    @property
    def uploads(self) -> list[Attachment]:
        """The files that are sent with the next edit."""
        text = "\n".join(self._texts.values())
        # Text that was hidden in the message must not be readable by accident.
        pictures = [one for files in self._pictures.values() for one in files]
        content = text.encode("utf-8", "replace")
        return with_safe_names([Attachment(_NAME, content, spoiler="||" in text), *pictures])

    def body(self, uploads: Sequence[Attachment]) -> dict[str, Any]:
        """The edit: all files that stay, and the new ones."""
        kept = ({"id": str(one["id"])} for one in self._kept)
        return {"attachments": [*kept, *describe_files(uploads)]}

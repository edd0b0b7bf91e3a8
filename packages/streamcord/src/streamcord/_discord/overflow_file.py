"""Keep the rest of an answer in a file where Discord accepts no further message.

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

MAX_FOLLOW_UPS = 5
"""Follow-up messages that Discord accepts if only a user installed the application."""
MAX_FILES = 10
"""Files that Discord accepts in one message."""
_NAME = "rest.md"


def is_user_install_only(interaction: discord.Interaction[Any]) -> bool:
    """Return whether only the asking user installed the bot, so that it may not write into the channel.

    Args:
        interaction: The interaction of discord.py.

    Example:
        if is_user_install_only(interaction):
            settings = replace(settings, message_cap=5)

    """
    if interaction.guild_id is not None:
        return not interaction.is_guild_integration()
    return interaction.context.private_channel


class Overflow:
    """The text that did not fit into the messages of one answer, as a file of its last message."""

    def __init__(self) -> None:
        self.message_id = 0
        """The last message; 0 if there is none yet."""
        # Other files of the last message, which an edit must keep.
        self._kept: list[Mapping[str, Any]] = []
        # Text and images of the messages in the file, by message key.
        self._texts: dict[str, str] = {}
        self._images: dict[str, list[Attachment]] = {}

    def record_files(self, message_id: int, files: Sequence[Mapping[str, Any]]) -> None:
        """Record the files of the last message, after it was sent or edited."""
        self.message_id = message_id
        self._kept = [one for one in files if not str(one.get("filename", "")).endswith(_NAME)]
        self._images.clear()

    def add(self, outgoing: OutgoingMessage) -> None:
        """Add a message; adding the same one again replaces it."""
        self._images.pop(outgoing.key, None)
        files = [one for one in outgoing.message.files if isinstance(one, Attachment)]
        free = MAX_FILES - 1 - len(self._kept) - sum(map(len, self._images.values()))
        self._images[outgoing.key] = files[: max(0, free)]
        # Images that do not fit are replaced by their alternative text.
        left = [one.alt for one in files[max(0, free) :] if one.alt]
        self._texts[outgoing.key] = "\n".join([outgoing.message.content, *left])

    @property
    def uploads(self) -> list[Attachment]:
        """The files to send with the next edit."""
        text = "\n".join(self._texts.values())
        # A file with hidden text is a spoiler itself.
        pictures = [one for files in self._images.values() for one in files]
        content = text.encode("utf-8", "replace")
        return with_safe_names([Attachment(_NAME, content, spoiler="||" in text), *pictures])

    def body(self, uploads: Sequence[Attachment]) -> dict[str, Any]:
        """Return the body of the edit: all files that stay, and the new ones."""
        kept = ({"id": str(one["id"])} for one in self._kept)
        return {"attachments": [*kept, *describe_files(uploads)]}

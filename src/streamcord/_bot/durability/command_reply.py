"""The reply to a command, which another process can go on with: as long as Discord knows the command.

What Discord gave with it stands in the journal, its token for fifteen minutes included, and is made into an
interaction again. After that the rest of the answer are messages of the channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

import discord

from streamcord import Uncertain
from streamcord._delivery import Seen
from streamcord.discord import DiscordInteraction

from ..conversation.channel_queue import Question
from ..conversation.chat_message import ChatMessage
from ..notices import REQUEST_ERRORS

__all__ = ["CommandReply", "describe_command", "read_asked", "revive_command"]

READ_CAP = 100
"""Messages behind the command that are looked through."""


def describe_command(question: Question) -> dict[str, Any]:
    """What is needed to go on with the reply to a command, and to ask its question again."""
    interaction, asked = question.reply, question.messages[-1]
    assert interaction is not None
    channel: Any = interaction.channel
    context = interaction.context
    kind = 0 if context.guild else 1 if context.dm_channel else 2
    return {
        "id": interaction.id,
        "token": interaction.token,
        "application": interaction.application_id,
        "guild": interaction.guild_id,
        "channel": {"id": interaction.channel_id, "type": channel.type.value},
        "locale": str(interaction.locale),
        "context": kind,
        "owners": {str(key): str(value) for key, value in interaction._integration_owners.items()},  # noqa: SLF001
        "asks": asked.id == interaction.id,
        "text": asked.text,
        "name": asked.name,
        "roles": sorted(asked.roles),
    }


def read_asked(body: Mapping[str, Any], owner: int, *, dm: bool) -> ChatMessage | None:
    """What was asked with the command, as a message; `None` if it was about a message alone."""
    if not body["asks"]:
        return None
    channel, roles = body["channel"]["id"], frozenset(map(int, body["roles"]))
    return ChatMessage(body["id"], owner, body["name"], body["text"], channel=channel, dm=dm, roles=roles)


def revive_command(client: discord.Client, body: Mapping[str, Any], *, filled: bool) -> Any:  # noqa: ANN401
    """The interaction as it was; `filled` if its first message stands there already."""
    payload = {
        "id": str(body["id"]),
        "type": discord.InteractionType.application_command.value,
        "token": str(body["token"]),
        "version": 1,
        "application_id": str(body["application"]),
        "channel": {**body["channel"], "id": str(body["channel"]["id"])},
        "locale": body["locale"],
        "context": body["context"],
        "attachment_size_limit": 10 * 1024 * 1024,
        "authorizing_integration_owners": body["owners"],
        **({"guild_id": str(body["guild"])} if body["guild"] else {}),
    }
    made: Any = discord.Interaction(data=cast("Any", payload), state=client._connection)  # noqa: SLF001
    kinds = discord.InteractionResponseType
    made.response._response_type = kinds.channel_message if filled else kinds.deferred_channel_message  # noqa: SLF001
    return made


class CommandReply(DiscordInteraction):
    """The reply to a command as a transport that can be read back."""

    has_keys = False
    """Follow-ups know no nonce: what is in doubt must be looked for."""

    def __init__(self, interaction: discord.Interaction[Any], **more: Any) -> None:  # noqa: ANN401
        super().__init__(interaction, **more)
        self.anchor = interaction.id
        # A clock that is wrong must not make it live longer.
        age = max(0.0, (datetime.now(UTC) - interaction.created_at).total_seconds())
        self._until = min(self._until, self._until - age)

    async def read_back(self, after: int) -> list[Seen]:
        """Our own messages behind this one, oldest first: of the command, and of our webhooks."""
        if self._ephemeral or self._overflow is not None:
            raise Uncertain("this reply cannot be read back")
        channel: Any = self._interaction.channel
        try:
            read = channel.history(limit=READ_CAP, after=discord.Object(after), oldest_first=True)
            messages = [one async for one in read]
        except REQUEST_ERRORS as error:
            raise Uncertain("the channel cannot be read back") from error
        replies = [one for one in messages if self._is_reply(one) and not one.flags.loading]
        for one in replies:
            # Filled again, it would lose what it says.
            self._waiting = (
                self._waiting and one.interaction_metadata.original_response_message_id is not None
            )
            self._channel.know(one.id)
        others = await self._channel.read_back(after)
        seen = [Seen(one.id, one.content, len(one.attachments), url=one.jump_url) for one in replies]
        return sorted([*seen, *others], key=lambda one: one.id)

    def _is_reply(self, message: Any) -> bool:  # noqa: ANN401 - discord.Message
        metadata = message.interaction_metadata
        return metadata is not None and metadata.id == self._interaction.id

"""Store and restore the interaction of a command, so that another process can finish its reply.

The journal holds what Discord sent with the command, including its token, which is valid for 15 minutes. A
restored interaction works like the original. After that, the rest of the answer is sent as channel messages.
https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import discord

from ..messages.chat_message import AttachedFile, ChatMessage
from ..messages.question import Question

MAX_FILE_CHARS = 32 * 1024
"""Longer text files are not recorded; the model gets a note that they cannot be read."""


def describe_command(question: Question) -> dict[str, Any]:
    """Return what another process needs to finish the reply to a command, and to ask its question again."""
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
        # After a decision the reply is that of the press, while the question is still that of the command.
        "asks": asked.id == interaction.id or bool(question.ask),
        "late": question.is_late,
        "text": asked.text,
        "name": asked.name,
        "roles": sorted(asked.roles),
        "reads_back": asked.reads_back,
        "files": _describe_files(asked),
    }


def _describe_files(asked: ChatMessage) -> list[dict[str, str]]:
    """Return the attachments of a command, which cannot be fetched again: text files whole, others by name."""
    texts = [
        {"name": one.name, "kind": one.kind, "text": one.text if len(one.text) <= MAX_FILE_CHARS else ""}
        for one in asked.files
    ]
    return texts + [{"name": "", "kind": "picture", "text": ""} for _ in asked.images]


def restore_question(body: Mapping[str, Any], owner: int, *, dm: bool) -> ChatMessage | None:
    """Return the question of a command as a message; `None` if the command was used on a message."""
    if not body["asks"]:
        return None
    return ChatMessage(
        body["id"],
        owner,
        body["name"],
        body["text"],
        channel=body["channel"]["id"],
        dm=dm,
        roles=frozenset(map(int, body["roles"])),
        reads_back=body.get("reads_back", True),
        # Files without text become a note that they cannot be read.
        files=tuple(AttachedFile(**one) for one in body.get("files", ())),
    )


def restore_interaction(client: discord.Client, body: Mapping[str, Any], *, filled: bool) -> Any:  # noqa: ANN401
    """Return the interaction as it was; `filled` if its first message was already sent."""
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

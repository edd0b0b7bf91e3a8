"""Read the messages to which a question links, as replies are read.

A link must not show more than the asker can see: the message is read only in the same server, in a channel whose
history both the asker and the bot may read, and nothing is carried out of an age-restricted channel. The asker is
not always the author: a command may be about a message of someone else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import discord

from streamcord import Moderator, check_text
from streamcord.discord import RequestPriority, wait_for_request_slot

from ..discord_requests import REQUEST_ERRORS
from ..messages.chat_message import ChatMessage, MessageReader
from ..messages.message_parts import MessagePart
from ..messages.question import Question
from .channel_history import Conversation

MAX_LINKS = 3
"""Links of one question that are read."""
MAX_LINKED_CHARS = 4000
_LINK = re.compile(
    r"https?://(?:\w+\.)?discord(?:app)?\.com/channels/(\d{1,20}|@me)/(\d{1,20})/(\d{1,20})", re.ASCII
)


_Readable: TypeAlias = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
_READABLE = (discord.TextChannel, discord.VoiceChannel, discord.StageChannel, discord.Thread)


@dataclass(eq=False, repr=False)
class MessageLinks:
    """Adds linked messages to the questions of one bot."""

    reader: MessageReader
    moderators: Sequence[Moderator]

    async def add(
        self,
        conversation: Conversation,
        question: Question,
        channel: discord.abc.MessageableChannel,
    ) -> Conversation:
        """Return the conversation; each message of the question has the messages to which it links as parts."""
        asked = {one.id for one in question.messages}
        left = MAX_LINKS
        messages: list[ChatMessage] = []
        for message in conversation.messages:
            # A persona may be talked into a link to a channel that only the asker may read.
            is_read = message.id in asked and not message.own
            links = list(dict.fromkeys(_LINK.findall(message.text)))[:left] if is_read else []
            parts: list[MessagePart] = []
            for guild_id, channel_id, message_id in links:
                left -= 1
                target = await _find_channel(guild_id, int(channel_id), channel, question)
                text = await self._read(target, int(message_id)) if target else ""
                parts.append(MessagePart("linked message", text or "it cannot be read"))
            messages.append(replace(message, parts=(*message.parts, *parts)) if parts else message)
        return replace(conversation, messages=tuple(messages))

    async def _read(self, target: discord.abc.MessageableChannel, message_id: int) -> str:
        try:
            await wait_for_request_slot(target, RequestPriority.CONTEXT)
            linked = self.reader.read(await target.fetch_message(message_id))
        except REQUEST_ERRORS:
            return ""
        said = "\n".join([linked.text, *(f"[{part.kind}: {part.text}]" for part in linked.parts)])
        text = f"{linked.name}: {said}".strip()[:MAX_LINKED_CHARS]
        # It is as much a part of the question as its own words.
        return "" if await check_text(self.moderators, text, "question") else text


async def _find_channel(
    guild_id: str, channel_id: int, here: discord.abc.MessageableChannel, question: Question
) -> discord.abc.MessageableChannel | None:
    """Return the channel of a link, if the asker and the bot may read its history."""
    guild: discord.Guild | None = getattr(here, "guild", None)
    if guild_id != (str(guild.id) if guild else "@me"):
        return None
    if channel_id == here.id:
        return here if question.messages[-1].reads_back else None
    target = guild.get_channel_or_thread(channel_id) if guild else None
    if guild is None or not isinstance(target, _READABLE):
        return None
    # A private thread is for its members, whatever the permissions of its channel say.
    is_private = isinstance(target, discord.Thread) and target.is_private()
    if is_private or (_is_restricted(target) and not _is_restricted(here)):
        return None
    return target if await _may_read(guild, question.owner, target) else None


async def _may_read(guild: discord.Guild, user: int, channel: _Readable) -> bool:
    """Return whether a user and the bot may read the history of a channel."""
    try:
        member = guild.get_member(user) or await guild.fetch_member(user)
    except REQUEST_ERRORS:
        return False
    rights = [channel.permissions_for(one) for one in (member, guild.me)]
    return all(one.view_channel and one.read_message_history for one in rights)


def _is_restricted(channel: object) -> bool:
    is_nsfw = getattr(channel, "is_nsfw", None)
    return bool(is_nsfw and is_nsfw())

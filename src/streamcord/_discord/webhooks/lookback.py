"""Did it arrive? Webhooks have no key that makes a repeat harmless, so what is uncertain is looked up.

The channel is read from the last message that we knew before we sent. A message of our webhook that we cannot
explain is ours if it reads like ours; if it does not, or if the channel cannot be read, it stays uncertain:
then nothing is sent again. A channel that was read and holds nothing strange proves that it did not arrive.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Container, Iterable
from dataclasses import dataclass
from typing import Any

import discord

from ..._errors import DeliveryError, Uncertain
from .webhook_cache import Hook

__all__ = ["Attempt", "Sighting", "describe", "find_arrived", "sight"]

READ_CAP = 300
"""Messages that are read back at most."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A message that may have arrived: through which webhook, behind which message, and how it reads."""

    hook: Hook
    channel_id: int
    after: int
    body: str


@dataclass(frozen=True, slots=True)
class Sighting:
    """A message of a webhook as somebody saw it; the body is empty if it could not be read."""

    id: int
    channel_id: int
    hook_id: int
    body: str = ""


def describe(name: str, content: str, embeds: Iterable[dict[str, Any]], files: int) -> str:
    """What two messages must share to be taken for one.

    Discord trims, strips what it cannot show, and adds embeds for links; those never stand without a text.
    """
    text = content or next((str(embed.get("description") or "") for embed in embeds), "")
    return json.dumps([_visible(name), _visible(text), files])


def sight(message: discord.Message) -> Sighting:
    """A message of discord.py, reduced to what tells it apart."""
    embeds = [embed.to_dict() for embed in message.embeds]
    body = ""
    if message.content or embeds or message.attachments:
        body = describe(message.author.name, message.content, embeds, len(message.attachments))  # type: ignore[arg-type]
    return Sighting(message.id, message.channel.id, message.webhook_id or 0, body)


async def find_arrived(
    channel: discord.abc.Messageable,
    attempt: Attempt,
    explained: Container[int],
    sighted: Iterable[Sighting],
    rivals: int = 0,
) -> int | None:
    """The id under which it arrived, or `None` if it did not; raises `Uncertain` if nobody can tell.

    `explained` are messages that have receipts, `sighted` those that the gateway told of; `rivals` counts
    other uncertain messages that read the same.
    """
    found = {one.id: one for one in sighted if _may_be(one, attempt, explained)}
    doubt: Uncertain | None = None
    try:
        async for message in _read(channel, attempt):
            one = sight(message)
            if _may_be(one, attempt, explained) and (one.body or one.id not in found):
                found[one.id] = one
    except Uncertain as error:
        doubt = error
    strange = [one if one.body else await _ask_webhook(one, channel, attempt.hook) for one in found.values()]
    same = [one.id for one in strange if one.body == attempt.body]
    if len(same) > rivals:
        return max(same)
    if strange:
        raise Uncertain("a message in the channel may be this one")
    if doubt is not None:
        raise doubt
    return None


def _may_be(one: Sighting, attempt: Attempt, explained: Container[int]) -> bool:
    here = (one.channel_id, one.hook_id) == (attempt.channel_id, attempt.hook.id)
    return here and one.id > attempt.after and one.id not in explained


async def _read(channel: Any, attempt: Attempt) -> AsyncIterator[discord.Message]:  # noqa: ANN401 - of many kinds
    allowed = channel.permissions_for(channel.guild.me)
    if not (allowed.read_message_history and allowed.view_channel):
        # Discord would answer with an empty list, which proves nothing.
        raise Uncertain("the channel's history may not be read")
    count = 0
    behind = discord.Object(attempt.after)
    try:
        async for message in channel.history(limit=READ_CAP, after=behind, oldest_first=True):
            count += 1
            yield message
    except Exception as error:
        # What is forbidden stays so; everything else may pass.
        later = not isinstance(error, discord.Forbidden | discord.NotFound)
        raise Uncertain(f"the channel could not be read ({type(error).__name__})", retryable=later) from error
    if count == READ_CAP:
        raise Uncertain("too much was written since")


async def _ask_webhook(one: Sighting, channel: object, hook: Hook) -> Sighting:
    """A webhook sees its own messages, also where the bot lacks the message content intent."""
    params = {"thread_id": str(one.channel_id)} if isinstance(channel, discord.Thread) else None
    try:
        answer = await hook.wire.ask("GET", f"{hook.path}/messages/{one.id}", params=params)
    except DeliveryError:
        return one
    if not answer.is_done:
        return one
    told = answer.body
    name = str((told.get("author") or {}).get("username"))
    files = len(told.get("attachments") or ())
    body = describe(name, str(told.get("content") or ""), told.get("embeds") or (), files)
    return Sighting(one.id, one.channel_id, one.hook_id, body)


def _visible(text: str) -> str:
    return "".join(one for one in text if one.isprintable() and not one.isspace())

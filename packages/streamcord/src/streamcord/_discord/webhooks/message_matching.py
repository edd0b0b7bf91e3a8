"""How a webhook's message is recognized in a channel: by its tag, or by its name, text and number of files.

Webhooks have no nonce, so a lost message is compared with what the channel shows. Two messages are the same if
`describe` returns equal texts for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import discord

from ..._exceptions import DeliveryError
from ..edits import content_in, content_of, tag_in, tag_of

if TYPE_CHECKING:
    from .cache import CachedWebhook


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message of a webhook that was seen in a channel; its body is empty if it could not be read."""

    id: int
    channel_id: int
    hook_id: int
    body: str = ""


def describe(name: str, content: str, embeds: Iterable[dict[str, Any]], files: int) -> str:
    """Return a text for comparing messages: equal texts count as the same message.

    Discord trims text, strips invisible characters, and adds embeds for links; the latter always have text.
    """
    text = content or next((str(embed.get("description") or "") for embed in embeds), "")
    return json.dumps([_visible(name), _visible(text), files])


def describe_tag(tag: int) -> str:
    """Return the text for comparing a message with a tag; `describe` never returns such a text."""
    return f"#{tag}"


def seen_message(message: discord.Message) -> SeenMessage:
    """Convert a discord.py message for the comparison."""
    embeds = [embed.to_dict() for embed in message.embeds]
    words = content_of(message)
    body = describe_tag(tag) if (tag := tag_of(message)) else ""
    if not body and (words or embeds or message.attachments):
        body = describe(message.author.name, words, embeds, len(message.attachments))  # type: ignore[arg-type]
    return SeenMessage(message.id, message.channel.id, message.webhook_id or 0, body)


async def fetch_seen(one: SeenMessage, channel: object, hook: CachedWebhook) -> SeenMessage:
    """Read the message through its webhook, which also works without the message content intent."""
    params = {"thread_id": str(one.channel_id)} if isinstance(channel, discord.Thread) else None
    try:
        answer = await hook.http.request("GET", f"{hook.path}/messages/{one.id}", params=params)
    except DeliveryError:
        return one
    if not answer.ok:
        return one
    body = answer.body
    name = str((body.get("author") or {}).get("username"))
    files = len(body.get("attachments") or ())
    tag = tag_in(body)
    words = describe(name, content_in(body) or "", body.get("embeds") or (), files)
    return SeenMessage(one.id, one.channel_id, one.hook_id, describe_tag(tag) if tag else words)


def _visible(text: str) -> str:
    return "".join(one for one in text if one.isprintable() and not one.isspace())

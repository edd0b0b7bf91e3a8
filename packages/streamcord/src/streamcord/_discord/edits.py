"""Edits of live messages: plain text, or Components V2 if a plain message cannot hold it.

A message is created plain, so that its push notification has text. An edit converts it to Components V2 when
it exceeds the limit of a plain message. The flag cannot be removed again: all later edits must use components
(https://docs.discord.com/developers/components/reference).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import aiohttp
import discord

from .._delivery.outgoing import MESSAGE_TAG_BASE, OutgoingMessage
from .._delivery.transport import FetchedMessage
from .._events import Message, Receipt
from .._exceptions import Uncertain
from .._settings import DISCORD_LIMIT
from .attachments import as_files, describe_files, with_safe_names
from .components import as_card, as_card_json, needs_frames
from .discord_internals import GRACE, find_client

__all__ = [
    "as_fetched",
    "content_in",
    "content_of",
    "edit_and_confirm",
    "edit_arguments",
    "edit_payload",
    "fetch_own_message",
    "find_reader",
    "is_own",
    "is_rich",
    "record_components_v2",
    "sent_by_webhook",
    "tag_in",
    "tag_of",
]

V2_FLAG = 1 << 15
TEXT_DISPLAY = 10
LINK = "-# ↩ ["
"""How the line begins with which a webhook links what it answers."""


def sent_by_webhook(receipt: Receipt) -> bool:
    """Whether a message was sent under another name than the bot's."""
    return receipt.message.speaker is not None and "no_webhook" not in receipt.changes


def is_rich(receipt: Receipt, content: str, message: Message) -> bool:
    """Whether a message uses Components V2, or must: it is too long, or its files need frames."""
    return "v2" in receipt.changes or len(content) > DISCORD_LIMIT or needs_frames(message)


def record_components_v2(receipt: Receipt, content: str, message: Message) -> Receipt:
    """The receipt after an edit to this text and these files; it notes the use of Components V2."""
    rich = is_rich(receipt, content, message)
    news = [name for name, is_so in {"v2": rich, "card": rich and message.files}.items() if is_so]
    return replace(receipt, changes=tuple(dict.fromkeys((*receipt.changes, *news))))


def edit_arguments(
    content: str, outgoing: OutgoingMessage, *, rich: bool, dress: bool = False
) -> dict[str, Any]:
    """The arguments of discord.py's `edit`.

    With Components V2 (`rich`) everything is sent again, buttons included; a plain message gets new buttons
    only with `dress`. Files that it has stay unless the outgoing message has others.
    https://docs.discord.com/developers/components/reference#text-display
    """
    changes: dict[str, Any] = {"attachments": files} if (files := as_files(outgoing.message)) else {}
    if rich:
        return changes | {"content": None, "embeds": [], "view": as_card(content, outgoing)}
    return changes | {"content": content} | ({"view": outgoing.view} if dress else {})


def edit_payload(
    content: str, outgoing: OutgoingMessage, *, rich: bool, dress: bool = False
) -> dict[str, Any]:
    """The same as the body of a request."""
    files = with_safe_names(outgoing.message.files)
    changes: dict[str, Any] = {"attachments": describe_files(files)} if files else {}
    if rich:
        return changes | as_card_json(content, outgoing) | {"flags": V2_FLAG}
    rows = outgoing.view.to_components() if outgoing.view is not None else []
    return changes | {"content": content} | ({"components": rows} if dress else {})


# --- An edit has two witnesses: the answer to its request, and the gateway --------------------------------


async def edit_and_confirm(
    channel: Any,  # noqa: ANN401 - of many kinds
    message_id: int,
    content: str,
    changes: Mapping[str, Any],
    allowed: discord.AllowedMentions,
) -> None:
    """Edit one of the bot's own messages; an edit that the gateway shows was made, whatever the answer says.

    discord.py repeats what Discord did not answer, so an error says nothing about the tries before it.
    """
    files = len(changes.get("attachments") or ())
    shown = _wait_for_gateway(find_client(channel), message_id, content.strip(), files)
    try:
        await channel.get_partial_message(message_id).edit(**changes, allowed_mentions=allowed)
    except Exception:
        await asyncio.wait({shown}, timeout=GRACE)
        if not shown.done() or shown.exception() is not None:
            raise
    finally:
        shown.cancel()


def _wait_for_gateway(
    client: discord.Client | None, message_id: int, content: str, files: int
) -> asyncio.Future[Any]:
    """A future for when the gateway shows the message with this text and so many files; maybe never."""
    if client is None or client.is_closed():
        return asyncio.get_running_loop().create_future()

    def is_shown(event: discord.RawMessageUpdateEvent) -> bool:
        has = len(event.data.get("attachments") or ())
        return event.message_id == message_id and content_in(event.data) == content and has >= files

    return asyncio.ensure_future(client.wait_for("raw_message_edit", check=is_shown))


async def fetch_own_message(channel: Any, message_id: int) -> FetchedMessage | None:  # noqa: ANN401 - of many kinds
    """Fetch one of the bot's own messages; return `None` if it cannot be read."""
    try:
        said = await channel.fetch_message(message_id)
    except (discord.HTTPException, aiohttp.ClientError, OSError, KeyError, TypeError, ValueError):
        return None
    words = content_of(said)
    files, rich = len(said.attachments), said.flags.components_v2
    return FetchedMessage(message_id, words, files, rich=rich) if words else None


def content_of(message: discord.Message) -> str:
    """Return the text of a message, plain or Components V2; text in a container belongs to an image."""
    texts = (one.content for one in message.components if isinstance(one, discord.TextDisplay))
    return message.content or "".join(texts)


def find_reader(channel: Any) -> discord.Client:  # noqa: ANN401 - of many kinds
    """The client that reads a channel back; `Uncertain` if it may not.

    Discord would answer with an empty list then, which proves nothing.
    """
    client = find_client(channel)
    me = getattr(getattr(channel, "guild", None), "me", None)
    allowed = me is None or channel.permissions_for(me).read_message_history
    if client is None or client.user is None or not allowed:
        raise Uncertain("the channel cannot be read back")
    return client


def is_own(message: discord.Message, client: discord.Client) -> bool:
    """Whether it is a part of an answer: ours, or of our webhooks, and not the answer to a command."""
    if message.interaction_metadata is not None:
        return False
    if message.webhook_id is not None:
        return message.application_id == client.application_id
    return message.author == client.user


def as_fetched(message: discord.Message) -> FetchedMessage:
    """A message for comparing; what has no words of a model is a notice."""
    words, files = content_of(message), len(message.attachments)
    if words.startswith(LINK):
        # A webhook cannot reply: above its words stands whom it answers.
        words = words.partition("\n")[2]
    notice = words.startswith("-# ") or not (words or files)
    return FetchedMessage(
        message.id, words, files, notice, message.jump_url, tag_of(message), message.flags.components_v2
    )


def tag_of(message: discord.Message) -> int:
    """Return the tag of one of our messages; 0 if it has none."""
    ids = (one.id or 0 for one in message.components if isinstance(one, discord.TextDisplay))
    return max((one for one in ids if one >= MESSAGE_TAG_BASE), default=0)


def tag_in(body: Mapping[str, Any]) -> int:
    """Return the tag of a message in the JSON of Discord; 0 if it has none."""
    ids = (one.get("id") or 0 for one in body.get("components") or () if one.get("type") == TEXT_DISPLAY)
    return max((int(one) for one in ids if int(one) >= MESSAGE_TAG_BASE), default=0)


def content_in(body: Mapping[str, Any]) -> str | None:
    """Return the text of a message in the JSON of Discord; `None` if it has none."""
    texts = (
        one.get("content", "") for one in body.get("components") or () if one.get("type") == TEXT_DISPLAY
    )
    return body.get("content") or "".join(texts) or None

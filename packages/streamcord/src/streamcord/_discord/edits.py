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
from .._exceptions import DeliveryUncertain
from .._settings import DISCORD_LIMIT
from .ask_components import embed_text, find_ask_id
from .attachments import as_files, describe_files, with_safe_names
from .components_v2 import as_card, as_card_json, needs_frames
from .discord_internals import GRACE_S, find_client

V2_FLAG = 1 << 15
TEXT_DISPLAY = 10
LINK = "-# ↩ ["
"""Start of the line with which a webhook message links the message that it answers."""


def sent_by_webhook(receipt: Receipt) -> bool:
    """Whether a message was sent under another name than the bot's."""
    return receipt.message.speaker is not None and "no_webhook" not in receipt.changes


def is_rich(receipt: Receipt, content: str, message: Message) -> bool:
    """Whether a message uses Components V2, or must: it is too long, or its files need frames."""
    return "v2" in receipt.changes or len(content) > DISCORD_LIMIT or needs_frames(message)


def record_components_v2(receipt: Receipt, content: str, message: Message) -> Receipt:
    """Return the receipt after an edit to this text and these files, with the use of Components V2."""
    rich = is_rich(receipt, content, message)
    changes = [name for name, is_so in {"v2": rich, "card": rich and message.files}.items() if is_so]
    return replace(receipt, changes=tuple(dict.fromkeys((*receipt.changes, *changes))))


def edit_arguments(
    content: str, outgoing: OutgoingMessage, *, rich: bool, with_view: bool = False
) -> dict[str, Any]:
    """Return the arguments of discord.py's `edit`.

    With Components V2 (`rich`) everything is sent again, buttons included; a plain message gets new buttons
    only with `with_view`. Existing files stay unless the outgoing message has others.
    https://docs.discord.com/developers/components/reference#text-display
    """
    changes: dict[str, Any] = {"attachments": files} if (files := as_files(outgoing.message)) else {}
    if rich:
        return changes | {"content": None, "embeds": [], "view": as_card(content, outgoing)}
    return changes | {"content": content} | ({"view": outgoing.view} if with_view else {})


def edit_payload(
    content: str, outgoing: OutgoingMessage, *, rich: bool, with_view: bool = False
) -> dict[str, Any]:
    """Return the same as the body of a request."""
    files = with_safe_names(outgoing.message.files)
    changes: dict[str, Any] = {"attachments": describe_files(files)} if files else {}
    if rich:
        return changes | as_card_json(content, outgoing) | {"flags": V2_FLAG}
    rows = outgoing.view.to_components() if outgoing.view is not None else []
    return changes | {"content": content} | ({"components": rows} if with_view else {})


# --- An edit is confirmed by the response or by the gateway -----------------------------------------------


async def edit_and_confirm(
    channel: Any,  # noqa: ANN401 - of many kinds
    message_id: int,
    content: str,
    changes: Mapping[str, Any],
    allowed: discord.AllowedMentions,
) -> None:
    """Edit one of the bot's own messages; an edit that the gateway shows succeeded, even after an error.

    discord.py repeats unanswered requests, so an error says nothing about the attempts before it.
    """
    files = len(changes.get("attachments") or ())
    shown = _wait_for_gateway(find_client(channel), message_id, content.strip(), files)
    try:
        edited = await channel.get_partial_message(message_id).edit(**changes, allowed_mentions=allowed)
    except Exception:
        await asyncio.wait({shown}, timeout=GRACE_S)
        if not shown.done() or shown.exception() is not None:
            raise
    else:
        if edited.id != message_id:
            # Editing again is harmless.
            raise DeliveryUncertain("the answer to an edit was another message", retryable=True)
    finally:
        shown.cancel()


def _wait_for_gateway(
    client: discord.Client | None, message_id: int, content: str, files: int
) -> asyncio.Future[Any]:
    """Return a future that resolves when the gateway shows the message with this text and number of files."""
    if client is None or client.is_closed():
        return asyncio.get_running_loop().create_future()

    def is_shown(event: discord.RawMessageUpdateEvent) -> bool:
        has = len(event.data.get("attachments") or ())
        return event.message_id == message_id and content_in(event.data) == content and has >= files

    return asyncio.ensure_future(client.wait_for("raw_message_edit", check=is_shown))


async def fetch_own_message(channel: Any, message_id: int) -> FetchedMessage | None:  # noqa: ANN401 - of many kinds
    """Fetch one of the bot's own messages; return `None` if it cannot be read."""
    try:
        message = await channel.fetch_message(message_id)
    except (discord.HTTPException, aiohttp.ClientError, OSError, KeyError, TypeError, ValueError):
        return None
    text = content_of(message)
    files, rich = len(message.attachments), message.flags.components_v2
    return FetchedMessage(message_id, text, files, rich=rich) if text else None


def content_of(message: discord.Message) -> str:
    """Return the text of a message, plain or Components V2; text in a container belongs to an image."""
    texts = (one.content for one in message.components if isinstance(one, discord.TextDisplay))
    return message.content or "".join(texts)


def find_reader(channel: Any) -> discord.Client:  # noqa: ANN401 - of many kinds
    """Return the client that can read a channel back.

    Raises:
        DeliveryUncertain: it may not read the history. Discord would return an empty list, which proves nothing.

    """
    client = find_client(channel)
    me = getattr(getattr(channel, "guild", None), "me", None)
    allowed = me is None or channel.permissions_for(me).read_message_history
    if client is None or client.user is None or not allowed:
        raise DeliveryUncertain("the bot may not read the message history of this channel")
    return client


def is_own(message: discord.Message, client: discord.Client) -> bool:
    """Whether a message was sent by the bot or its webhooks, and not as the reply to a command."""
    if message.interaction_metadata is not None:
        return False
    if message.webhook_id is not None:
        return message.application_id == client.application_id
    return message.author == client.user


def as_fetched(message: discord.Message) -> FetchedMessage:
    """Convert a message for the comparison with the plan; one without text of a model is a notice."""
    text, files = content_of(message), len(message.attachments)
    if text.startswith(LINK):
        # A webhook cannot reply, so the first line links the message that it answers.
        text = text.partition("\n")[2]
    notice = text.startswith("-# ") or not (text or files)
    return FetchedMessage(
        message.id,
        text,
        files,
        notice,
        message.jump_url,
        tag_of(message),
        find_ask_id(message),
        embed_text(message),
        message.flags.components_v2,
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

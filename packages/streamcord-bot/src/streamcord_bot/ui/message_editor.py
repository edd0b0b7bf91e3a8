"""Edit and delete messages that the bot sent, itself or through its webhooks.

A bot cannot edit messages of its webhook as itself; the webhook can.
https://docs.discord.com/developers/resources/webhook#edit-webhook-message
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from enum import Enum
from http import HTTPStatus
from typing import Any

import discord

from streamcord.discord import (
    RequestPriority,
    find_ask_id,
    is_refusal,
    wait_for_request_slot,
    with_buttons,
)
from streamcord.utils import BoundedCache

from ..discord_requests import NO_PINGS, REQUEST_ERRORS

MAX_WEBHOOKS = 1000
"""Channels whose webhook is remembered; it can be looked up again."""
_log = logging.getLogger(__name__)


class EditOutcome(Enum):
    """What became of a change of a message; true if it was made."""

    DONE = "done"
    REFUSED = "refused"
    """Discord refuses it, or the message is gone: a second attempt would end the same way."""
    FAILED = "failed"
    """Discord could not be reached: try again later."""
    BLOCKED = "blocked"
    """The bot is not allowed to, which may change: a permission, a locked thread."""

    def __bool__(self) -> bool:
        return self is EditOutcome.DONE

    @property
    def is_final(self) -> bool:
        """Whether another attempt would change nothing."""
        return self in {EditOutcome.DONE, EditOutcome.REFUSED}


def _as_layout(words: str, view: discord.ui.View | None) -> discord.ui.LayoutView:
    """Return a Components V2 layout of a text with buttons below it."""
    layout = discord.ui.LayoutView(timeout=None)
    layout.add_item(discord.ui.TextDisplay(words))
    if view is not None:
        layout.add_item(discord.ui.ActionRow(*view.children))
    return layout


class MessageEditor:
    """Edits and deletes messages that the bot sent, itself or through its webhooks."""

    def __init__(self, max_webhooks: int = MAX_WEBHOOKS) -> None:
        # Our webhook of each channel, so that it is not listed for every edit.
        self._webhooks: BoundedCache[int, discord.Webhook] = BoundedCache(max_webhooks)

    async def set_buttons(
        self,
        channel: discord.abc.Messageable,
        id_: int,
        view: discord.ui.View | None,
        *,
        by_webhook: bool = False,
        words: str = "",
        card: bool = False,
        shown: discord.Message | None = None,
    ) -> EditOutcome:
        """Set the buttons of a message.

        An edit of a Components V2 message replaces all of its components, so its text must be sent again.

        Args:
            channel: where the message is.
            id_: the message.
            view: the buttons; `None` removes them.
            by_webhook: whether a webhook sent the message.
            words: the text of a Components V2 message; empty if it is not known.
            card: whether the message may contain more than this text, so that it is read first.
            shown: the message, if it was fetched before.

        Returns:
            Whether the message was edited, and whether another attempt could succeed.

        """
        if not _may_see(channel):
            return EditOutcome.BLOCKED
        if not await wait_for_request_slot(channel, RequestPriority.COURTESY):
            return EditOutcome.FAILED
        rich: Any = _as_layout(words, view) if words and not card else view
        more: Any = {"thread": channel} if isinstance(channel, discord.Thread) else {}

        async def edit_by_webhook(webhook: discord.Webhook) -> None:
            # A webhook reads its own messages without the permission to read the history.
            before = shown or (await webhook.fetch_message(id_, **more) if card else None)
            layout = with_buttons(before, view) if before and before.flags.components_v2 else rich
            # Only a decision removes the buttons of a question.
            if before is None or not find_ask_id(before):
                await webhook.edit_message(id_, view=layout, allowed_mentions=NO_PINGS, **more)

        try:
            if by_webhook:
                return await self._call_webhook(channel, edit_by_webhook)
            if card and shown is None:
                shown = (
                    await channel.fetch_message(id_)
                    if _may_read(channel)
                    else _find_cached(channel, id_, words)
                )
                if shown is None:
                    return EditOutcome.BLOCKED
            if shown is not None and shown.flags.components_v2:
                rich = with_buttons(shown, view)
            # Only a decision removes the buttons of a question.
            if shown is None or not find_ask_id(shown):
                message = channel.get_partial_message(id_)  # type: ignore[attr-defined]
                await message.edit(view=rich, allowed_mentions=NO_PINGS)
        except (*REQUEST_ERRORS, *_BAD_ANSWERS) as error:
            # The webhook may have been deleted: look it up again next time.
            self._forget_webhook(channel)
            _log.debug("could not edit buttons of message %s: %s", id_, type(error).__name__)
            return _outcome_of(error)
        return EditOutcome.DONE

    async def delete_messages(self, channel: discord.abc.Messageable, ids: Iterable[int]) -> EditOutcome:
        """Delete messages of the bot or of its webhooks.

        Returns:
            `FAILED` or `BLOCKED` if any of them has to be tried again.

        """
        outcome = EditOutcome.DONE
        for id_ in ids:
            await wait_for_request_slot(channel, RequestPriority.COURTESY)
            one = await self._delete_message(channel, id_)
            outcome = outcome if one.is_final or outcome is EditOutcome.FAILED else one
        return outcome

    async def _delete_message(self, channel: discord.abc.Messageable, id_: int) -> EditOutcome:
        try:
            try:
                await channel.get_partial_message(id_).delete()  # type: ignore[attr-defined]
            except discord.Forbidden as error:
                if not is_refusal(error):
                    raise
                # A bot without the permission to manage messages can still delete through its webhook.
                more: Any = {"thread": channel} if isinstance(channel, discord.Thread) else {}
                return await self._call_webhook(channel, lambda webhook: webhook.delete_message(id_, **more))
        except (*REQUEST_ERRORS, *_BAD_ANSWERS) as error:
            _log.debug("could not delete message %s: %s", id_, type(error).__name__)
            return _outcome_of(error)
        return EditOutcome.DONE

    async def _call_webhook(
        self, channel: discord.abc.Messageable, call: Callable[[discord.Webhook], Awaitable[None]]
    ) -> EditOutcome:
        """Let the webhook that sent a message change it: the known one, or else each of ours in the channel.

        A channel has several webhooks of ours if one was moved there or if its webhook was replaced.
        """
        home: Any = channel.parent if isinstance(channel, discord.Thread) else channel
        if home is None:
            # The parent of a thread is unknown while the bot may not see it.
            return EditOutcome.BLOCKED
        if not hasattr(home, "webhooks"):
            return EditOutcome.REFUSED
        known = self._webhooks.find(home.id)
        # Whether Discord refused the token of the known webhook.
        is_refused = False
        if known is not None:
            try:
                await call(known)
            except discord.HTTPException as error:
                # It was moved or deleted, it has a new token, or it did not send this message.
                if not is_refusal(error) or error.status not in _NOT_ITS_OWN:
                    raise
                self._webhooks.drop(home.id)
                is_refused = error.status == HTTPStatus.UNAUTHORIZED
            else:
                return EditOutcome.DONE
        outcome = EditOutcome.REFUSED
        for webhook in await _own_webhooks(home):
            if known is not None and (webhook.id, webhook.token) == (known.id, known.token):
                # Its token is right after all: another attempt may be allowed.
                outcome = EditOutcome.FAILED if is_refused else outcome
                continue
            try:
                await call(webhook)
            except discord.NotFound as error:
                if not is_refusal(error):
                    raise
            else:
                self._webhooks.keep(home.id, webhook)
                return EditOutcome.DONE
        return outcome

    def _forget_webhook(self, channel: discord.abc.Messageable) -> None:
        home: Any = channel.parent if isinstance(channel, discord.Thread) else channel
        self._webhooks.drop(getattr(home, "id", 0))


async def _own_webhooks(channel: Any) -> list[discord.Webhook]:  # noqa: ANN401 - the kinds that have webhooks
    """Return the webhooks of a channel that the bot has made and can use."""
    me = channel.guild.me.id
    return [one for one in await channel.webhooks() if one.token and one.user and one.user.id == me]


# What discord.py raises when it reads an answer that is not Discord's, such as the page of a proxy.
_BAD_ANSWERS = (ValueError, TypeError, KeyError, AttributeError)

_NOT_ITS_OWN = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND})
"""What Discord answers to a webhook with a wrong token, and to one that is gone or has not sent the message."""


# Missing access, missing permissions, archived thread: https://docs.discord.com/developers/topics/opcodes-and-status-codes
_MAY_COME_BACK = frozenset({50001, 50013, 50083})


def _outcome_of(error: Exception) -> EditOutcome:
    """Return whether an error is final: only Discord's own refusal is."""
    if not (isinstance(error, discord.HTTPException) and is_refusal(error)):
        return EditOutcome.FAILED
    if error.code in _MAY_COME_BACK:
        return EditOutcome.BLOCKED
    # Discord checks the token by itself; an edit that it refuses with 401 may be allowed a moment later.
    return EditOutcome.FAILED if error.status == HTTPStatus.UNAUTHORIZED else EditOutcome.REFUSED


def _permissions_in(channel: object) -> discord.Permissions | None:
    """Return what the bot may do, as far as is known; `None` in direct messages."""
    me = getattr(getattr(channel, "guild", None), "me", None)
    find = getattr(channel, "permissions_for", None)
    return find(me) if me is not None and find is not None else None


def _may_see(channel: object) -> bool:
    """Return whether an edit is possible; each attempt without the right counts against the bot's limits."""
    allowed = _permissions_in(channel)
    return allowed is None or allowed.view_channel


def _may_read(channel: object) -> bool:
    allowed = _permissions_in(channel)
    return allowed is None or allowed.read_message_history


def _find_cached(channel: Any, id_: int, words: str) -> discord.Message | None:  # noqa: ANN401
    """Return a message as the gateway has shown it, if that is certainly its newest text."""
    seen: discord.Message | None = channel._state._get_message(id_)  # noqa: SLF001
    if seen is None or not words:
        return None
    texts = "".join(one.content for one in seen.components if isinstance(one, discord.TextDisplay))
    return seen if words in (texts or seen.content) else None

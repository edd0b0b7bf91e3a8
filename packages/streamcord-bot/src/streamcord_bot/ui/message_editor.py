"""Edit and delete messages that the bot sent, itself or through its webhooks.

A bot cannot edit messages of its webhook as itself; the webhook can.
https://docs.discord.com/developers/resources/webhook#edit-webhook-message
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from enum import Enum
from http import HTTPStatus
from typing import Any

import discord

from streamcord.discord import RequestPriority, is_refusal, wait_for_request_slot
from streamcord.utils import BoundedCache

from ..discord_requests import NO_PINGS, REQUEST_ERRORS

__all__ = ["EditOutcome", "MessageEditor", "with_buttons"]

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


def with_buttons(message: discord.Message, view: discord.ui.View | None) -> discord.ui.LayoutView:
    """Return the layout of a Components V2 message with its buttons replaced."""
    layout = discord.ui.LayoutView.from_message(message, timeout=None)
    for item in [*layout.children]:
        if isinstance(item, discord.ui.ActionRow):
            layout.remove_item(item)
    for item in layout.walk_children():
        if isinstance(item, discord.ui.MediaGallery):
            item.items = [_as_own_file(one, message) for one in item.items]
    if view is not None:
        layout.add_item(discord.ui.ActionRow(*view.children))
    return layout


def _as_own_file(item: discord.MediaGalleryItem, message: discord.Message) -> discord.MediaGalleryItem:
    """Return a gallery picture by its file name, because Discord's attachment URLs expire.

    https://docs.discord.com/developers/reference#signed-attachment-cdn-urls
    """
    place = item.media.url.partition("?")[0]
    name = next((one.filename for one in message.attachments if one.url.partition("?")[0] == place), "")
    if not name:
        return item
    return discord.MediaGalleryItem(
        f"attachment://{name}", description=item.description, spoiler=item.spoiler
    )


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
        try:
            webhook = await self._find_webhook(channel) if by_webhook else None
            if by_webhook and webhook is None:
                return EditOutcome.REFUSED
            more: Any = {"thread": channel} if isinstance(channel, discord.Thread) else {}
            if card and shown is None:
                # A webhook reads its own messages without the permission to read the history.
                is_read = webhook is not None or _may_read(channel)
                source: Any = channel if webhook is None else webhook
                shown = (
                    await source.fetch_message(id_, **(more if webhook else {}))
                    if is_read
                    else _find_cached(channel, id_, words)
                )
                if shown is None:
                    return EditOutcome.BLOCKED
            if shown is not None and shown.flags.components_v2:
                rich = with_buttons(shown, view)
            if webhook is None:
                message = channel.get_partial_message(id_)  # type: ignore[attr-defined]
                await message.edit(view=rich, allowed_mentions=NO_PINGS)
            else:
                await webhook.edit_message(id_, view=rich, allowed_mentions=NO_PINGS, **more)
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
                webhook = await self._find_webhook(channel)
                if webhook is not None:
                    more: Any = {"thread": channel} if isinstance(channel, discord.Thread) else {}
                    await webhook.delete_message(id_, **more)
        except (*REQUEST_ERRORS, *_BAD_ANSWERS) as error:
            _log.debug("could not delete message %s: %s", id_, type(error).__name__)
            return _outcome_of(error)
        return EditOutcome.DONE

    async def _find_webhook(self, channel: discord.abc.Messageable) -> discord.Webhook | None:
        home: Any = channel.parent if isinstance(channel, discord.Thread) else channel
        if home is None or not hasattr(home, "webhooks"):
            return None
        if (known := self._webhooks.find(home.id)) is not None:
            return known
        me = home.guild.me
        own = [one for one in await home.webhooks() if one.token and one.user and one.user.id == me.id]
        return self._webhooks.keep(home.id, own[0]) if own else None

    def _forget_webhook(self, channel: discord.abc.Messageable) -> None:
        home: Any = channel.parent if isinstance(channel, discord.Thread) else channel
        self._webhooks.drop(getattr(home, "id", 0))


# What discord.py raises when it reads an answer that is not Discord's, such as the page of a proxy.
_BAD_ANSWERS = (ValueError, TypeError, KeyError, AttributeError)


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

"""Channels, threads and direct messages of discord.py as transports.

    await say(DiscordChannel(message.channel, reply_to=message), my_model(message.content))

discord.py repeats requests by itself when Discord fails, so every message carries an enforced nonce: a
repeated request does not create a second message. A message that the gateway shows has arrived, even if the
HTTP response is late or lost. Every request states its allowed mentions, because Discord's default is to
notify everyone whom the text mentions
(https://docs.discord.com/developers/resources/message#allowed-mentions-object).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import replace
from typing import Any, cast

import aiohttp
import discord

from .._delivery.error_codes import ErrorCode
from .._delivery.outgoing import NO_MENTIONS, AllowedMentions, OutgoingMessage, build_outgoing
from .._delivery.transport import FetchedMessage
from .._events import Message, Receipt
from .._exceptions import DeliveryUnavailable, DeliveryUncertain, MessageRefused, WebhookUnavailable
from .._settings import DISCORD_LIMIT, LIVE_LIMIT
from .ask_components import ask_view, shows_ask
from .attachments import as_files
from .components_v2 import as_card
from .content import content_with_name, prefix_name, to_discord_mentions
from .discord_internals import find_http, releasing_global_lock, send_and_confirm
from .edits import (
    as_fetched,
    content_of,
    edit_and_confirm,
    edit_arguments,
    fetch_own_message,
    find_reader,
    is_own,
    is_rich,
    record_components_v2,
    sent_by_webhook,
)
from .errors import delivery_error
from .global_rate_limit import GLOBAL_INTERVAL_S, RequestPriority
from .protocols import EditableWebhookSender, WebhookSender
from .rate_limits import limits_of

_NOT_EDITABLE = frozenset({ErrorCode.UNKNOWN_MESSAGE, ErrorCode.TOO_MANY_EDITS})
FILE_CAP = 10
TYPING_SHOWN_S = 8.0
"""Seconds after a typing request in which no other is sent; Discord shows typing for ten seconds."""
READ_BACK_MESSAGES = 100
"""Messages that are read back to look for a lost message."""
READ_CAP = 500
"""Messages that are read back to resume an answer."""


class DiscordChannel:
    """A text channel, thread or direct message as a transport; make one for each turn.

    It implements the protocols `ReliableTransport`, `ReadableTransport` and `LiveTransport` at once, hence
    more than 15 attributes.

    Args:
        channel: where to send.
        reply_to: the message that the first message replies to.
        webhooks: sends the messages of personas. Without it, or if it cannot, the bot sends them itself with
            the name in front.
        mentions: whom messages may notify, instead of what the settings say.
        view: buttons of the first message.
        last_view: buttons of the last message.
        table_view: buttons below the image of a table that is a card.
        edit: a message of the bot, such as "One moment…", that becomes the first message of the answer. It is
            deleted if a persona answers by a webhook.

    Example:
        @client.event
        async def on_message(message):
            channel = DiscordChannel(message.channel, reply_to=message, webhooks=webhooks)
            await say(channel, my_model(message.content), context=AnswerContext(persona=luna))

    """

    takes_files = True
    message_limit = DISCORD_LIMIT

    def __init__(  # noqa: PLR0913
        self,
        channel: discord.abc.Messageable,
        *,
        reply_to: discord.Message | None = None,
        webhooks: WebhookSender | None = None,
        mentions: AllowedMentions | None = None,
        view: discord.ui.View | None = None,
        last_view: discord.ui.View | None = None,
        table_view: discord.ui.View | None = None,
        edit: discord.Message | discord.PartialMessage | None = None,
    ) -> None:
        self.channel = channel
        # The message that the next one of the bot itself replaces.
        self._placeholder = edit
        self._view = view
        self._last_view = last_view
        self._table_view = table_view
        self.ended = 0
        """Id of the message that has `last_view`; 0 if there is none yet."""
        self.begun = 0
        """Id of the message that has `view`; 0 if there is none yet."""
        # Key of the message that was last sent with `view`.
        self._view_key = ""
        self.reply_to = reply_to
        self._webhooks = webhooks
        self._mentions = mentions
        # Part of the keys of messages that are sent with `send`; a journal has an id of its own.
        self._turn = secrets.token_hex(8)
        # Messages sent with `send`.
        self._sent = 0
        # Name in front of the last message that the bot sent for a persona: it is not repeated.
        self._last_name: str | None = None
        # Names in front of messages that the bot sent itself, by message id.
        self._name_prefixes: dict[int, str] = {}
        # Text of messages of another process, by id, to find out their name prefix.
        self._read: dict[int, str] = {}
        # Key of the message that the bot may have sent itself: a webhook must not repeat it.
        self._sent_as_bot_key = ""
        # Whether the last attempt to use a webhook failed.
        self._webhooks_unavailable = False
        self._id: int = getattr(channel, "id", 0) or getattr(getattr(channel, "channel", None), "id", 0)
        self._http = find_http(channel)
        self._limits = limits_of(self._http)
        self._limit = self._limits.channel(self._id)
        self._last_known_id: int = reply_to.id if reply_to else getattr(channel, "last_message_id", None) or 0

    # --- What every transport does --------------------------------------------------------------

    async def send(self, message: Message) -> Receipt:
        """Send one message and return once it is acknowledged."""
        receipt = await self.deliver(build_outgoing(self._turn, self._sent, message))
        self._sent += 1
        return receipt

    async def typing(self) -> None:
        """Show the bot as typing for ten seconds; skipped if it is, or while more important requests wait."""
        now = asyncio.get_running_loop().time()
        if now < self._limit.typing_until or not self._limits.take_if_idle(RequestPriority.TYPING):
            return
        try:
            with releasing_global_lock(self._http):
                await self.channel.typing()
        except Exception as error:
            raise delivery_error(error) from error
        self._limit.typing_until = now + TYPING_SHOWN_S

    async def edit(
        self, receipt: Receipt, content: str, allowed_mentions: AllowedMentions = NO_MENTIONS
    ) -> Receipt:
        """Edit a message that the bot sent.

        If it cannot be edited any more (deleted, or edited too often), the text that was added is sent as a
        new message.
        """
        message = replace(receipt.message, content=content)
        place: Any = self.channel
        try:
            await self._limits.wait(place=self.channel)
            await place.get_partial_message(receipt.id).edit(
                content=content, allowed_mentions=to_discord_mentions(self._mentions or allowed_mentions)
            )
        except Exception as error:
            if getattr(error, "code", 0) not in _NOT_EDITABLE:
                raise delivery_error(error) from error
            return await self._send_added_text(receipt, content, allowed_mentions)
        return replace(receipt, message=message)

    async def _send_added_text(
        self, receipt: Receipt, content: str, allowed_mentions: AllowedMentions
    ) -> Receipt:
        shown = receipt.message.content
        rest = content[len(shown) :].strip() if content.startswith(shown) else content
        if not rest:
            return receipt
        outgoing = build_outgoing(self._turn, self._sent, Message(rest), allowed_mentions)
        self._sent += 1
        return await self.deliver(outgoing)

    def partial_message(self, receipt: Receipt) -> discord.PartialMessage | None:
        """Return a sent message as an object of discord.py; `None` in a group, for which it has none."""
        place: Any = self.channel
        # A context of a command and a user have their channel in an attribute.
        channel = place if hasattr(place, "get_partial_message") else getattr(place, "channel", None)
        find = getattr(channel, "get_partial_message", None)
        return find(receipt.id) if find else None

    # --- What a reliable transport does ---------------------------------------------------------

    async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
        """Send an outgoing message; sent again, it is still one message."""
        outgoing = replace(outgoing, below=self._table_view)
        if outgoing.message.ask is not None:
            return await self._deliver(replace(outgoing, view=ask_view(outgoing.message.ask)))
        if outgoing.last and self._last_view is not None:
            receipt = await self._deliver(replace(outgoing, view=self._last_view))
            self.ended = receipt.id
        elif self._view is None or self.begun:
            receipt = await self._deliver(outgoing)
        else:
            self._view_key = outgoing.key
            receipt = await self._deliver(replace(outgoing, view=self._view))
            self.begun = receipt.id
        return receipt

    async def _deliver(self, outgoing: OutgoingMessage) -> Receipt:
        speaker = outgoing.message.speaker
        if speaker is None:
            return await self._post(outgoing)
        # A webhook must not repeat what the bot may have sent already.
        if self._webhooks is None or outgoing.key == self._sent_as_bot_key:
            return await self._post(outgoing, speaker.name)
        try:
            reply_to = self.reply_to if outgoing.message.reply else None
            allowed = replace(outgoing, allowed_mentions=self._mentions or outgoing.allowed_mentions)
            receipt = await self._webhooks.deliver(self.channel, allowed, reply_to=reply_to)
        except WebhookUnavailable:
            self._sent_as_bot_key, self._webhooks_unavailable = outgoing.key, True
            return await self._post(outgoing, speaker.name)
        self._last_name, self._webhooks_unavailable = None, False
        self.mark_confirmed(receipt.id)
        await self._delete_placeholder()
        return receipt

    async def find(self, outgoing: OutgoingMessage) -> Receipt | None:
        """Read the channel back for a message of the bot with this text that has no receipt yet."""
        found = await self._find(outgoing)
        if found is not None and outgoing.key == self._view_key:
            # It arrived with its buttons, although the response was lost: the next message must not have them, too.
            self.begun = found.id
        return found

    async def _find(self, outgoing: OutgoingMessage) -> Receipt | None:
        if (
            outgoing.message.speaker is not None
            and self._webhooks is not None
            and outgoing.key != self._sent_as_bot_key
        ):
            return await self._webhooks.find(self.channel, outgoing)
        me = find_reader(self.channel).user
        wanted = {outgoing.message.content.strip(), self._content_with_name(outgoing).strip()}
        try:
            messages = await self._history(READ_BACK_MESSAGES, self._last_known_id)
        except Exception as error:
            raise DeliveryUnavailable("the channel cannot be read back now") from error
        for seen in messages:
            new = seen.author == me and seen.id not in self._limit.known
            if new and (content_of(seen).strip() in wanted or shows_ask(seen, outgoing.message)):
                return self._receipt(outgoing.message, seen)
        return None

    async def _history(self, count: int, after: int) -> list[discord.Message]:
        """Return up to `count` messages after this one, oldest first."""
        start = discord.Object(after) if after else None
        with releasing_global_lock(self._http):
            read = self.channel.history(limit=count, after=start, oldest_first=True)
            return [seen async for seen in read]

    @property
    def last_known_id(self) -> int:
        """Id of the newest message that is known in the channel."""
        return self._last_known_id

    async def read_back(self, after: int) -> list[FetchedMessage]:
        """Return our own messages after this one, oldest first, also those of our webhooks."""
        client = find_reader(self.channel)
        try:
            await self._limits.wait(RequestPriority.CONTEXT, self.channel)
            messages = await self._history(READ_CAP, after)
        except Exception as error:
            raise DeliveryUncertain("the channel cannot be read back") from error
        if len(messages) == READ_CAP:
            raise DeliveryUncertain("too many messages were written since")
        # Messages with a receipt in this process belong to other turns.
        own = [one for one in messages if is_own(one, client) and one.id not in self._limit.known]
        for seen in own:
            self.mark_confirmed(seen.id)
            if seen.webhook_id is None:
                self._read[seen.id] = content_of(seen)
        return [as_fetched(seen) for seen in own]

    def mark_confirmed(self, message_id: int) -> None:
        """Record a message as confirmed; lost messages are searched among the later ones."""
        self._limit.confirm(message_id)
        self._last_known_id = max(self._last_known_id, message_id)

    @property
    def has_webhooks(self) -> bool:
        """Whether persona messages are sent through webhooks here."""
        return self._webhooks is not None and not self._webhooks_unavailable

    def pause(self, message: Message) -> float:
        """Return the seconds until the rate limit allows this message."""
        if message.speaker is not None and self._webhooks is not None and not self._webhooks_unavailable:
            return self._webhooks.pause(self.channel, message)
        return self._limit.pause(asyncio.get_running_loop().time())

    def lock(self) -> AbstractAsyncContextManager[object]:
        """Allow one message at a time in this channel, also of other turns."""
        return self._limit.lock

    # --- Live messages --------------------------------------------------------------------------

    async def edit_message(self, receipt: Receipt, outgoing: OutgoingMessage) -> Receipt:
        """Edit a live message; above 2000 characters it becomes a Components V2 message."""
        ask = outgoing.message.ask
        ends = ask is None and outgoing.last and self._last_view is not None
        view = self._last_view if ends else self._view if receipt.id == self.begun else None
        outgoing = replace(outgoing, view=ask_view(ask) if ask else view, below=self._table_view)
        await self._limits.wait(RequestPriority.EDIT, self.channel)
        self._limit.take_edit(asyncio.get_running_loop().time())
        changed = await self._edit(receipt, outgoing, with_view=ends or ask is not None)
        self.ended = receipt.id if ends else self.ended
        return changed

    async def _edit(self, receipt: Receipt, outgoing: OutgoingMessage, *, with_view: bool) -> Receipt:
        """Edit a message; a plain one keeps its buttons unless `with_view`."""
        allowed_mentions = self._mentions or outgoing.allowed_mentions
        if sent_by_webhook(receipt):
            webhooks = cast("EditableWebhookSender", self._webhooks)
            # A webhook sender sets the buttons of a plain message with its last edit only.
            wanted = replace(outgoing, allowed_mentions=allowed_mentions, last=with_view)
            return await webhooks.edit_message(self.channel, receipt, wanted)
        content = prefix_name(self._name_prefix(receipt), outgoing.message.content)
        rich = is_rich(receipt, content, outgoing.message)
        changes = edit_arguments(content, outgoing, rich=rich, with_view=with_view)
        try:
            with releasing_global_lock(self._http):
                await edit_and_confirm(
                    self.channel, receipt.id, content, changes, to_discord_mentions(allowed_mentions)
                )
        except Exception as error:
            status = getattr(error, "status", 0)
            raise await self._limits.check_error(delivery_error(error), status, self._http) from error
        return record_components_v2(receipt, content, outgoing.message)

    def may_attach(self, message: Message) -> bool:
        """Whether an edit of a message like this may bring files."""
        if message.speaker is not None and self.has_webhooks:
            return bool(getattr(self._webhooks, "attaches", False))
        return _may_attach(self.channel)

    async def fetch_live(self, receipt: Receipt) -> FetchedMessage | None:
        """Fetch a message and strip its name prefix; return `None` if it cannot be read."""
        if sent_by_webhook(receipt):
            fetched = await cast("EditableWebhookSender", self._webhooks).fetch_live(self.channel, receipt)
            if fetched is not None:
                return fetched
        with releasing_global_lock(self._http):
            said = await fetch_own_message(self.channel, receipt.id)
        front = prefix_name(self._name_prefix(receipt), "x")[:-1]
        return said and replace(said, content=said.content.removeprefix(front))

    def _name_prefix(self, receipt: Receipt) -> str:
        """Return the name in front of a message; another process may have put it there."""
        speaker = receipt.message.speaker
        if speaker is not None and self._read.pop(receipt.id, "").startswith(prefix_name(speaker.name, "")):
            self._name_prefixes[receipt.id] = speaker.name
        return self._name_prefixes.get(receipt.id, "")

    def edit_pause(self, _: Receipt) -> float:
        """Seconds until the rate limit allows an edit and still a message besides."""
        busy = GLOBAL_INTERVAL_S if self._limits.is_busy else 0.0
        return max(busy, self._limit.edit_pause(asyncio.get_running_loop().time()))

    @contextmanager
    def track_live(self) -> Iterator[Callable[[], int]]:
        """Count one more live message in this channel."""
        self._limit.live_messages += 1
        try:
            yield lambda: self._limit.live_messages
        finally:
            self._limit.live_messages -= 1

    def live_length_limit(self, message: Message) -> int:
        """Return how many characters a live message may have; 0 if its sender cannot edit."""
        voiced = message.speaker is not None and self._webhooks is not None and not self._webhooks_unavailable
        return 0 if voiced and not isinstance(self._webhooks, EditableWebhookSender) else LIVE_LIMIT

    # --- As the bot itself ----------------------------------------------------------------------

    async def _post(self, outgoing: OutgoingMessage, name: str = "") -> Receipt:
        """Send as the bot; a `name` is put in front whenever the speaker changes."""
        message = outgoing.message
        if outgoing.message_tag:
            # The bot's own messages have a nonce and need no tag.
            outgoing = replace(outgoing, card=False, message_tag=0)
        content = content_with_name(name if name != self._last_name else "", message.content)
        if len(message.files) > FILE_CAP or (message.files and not _may_attach(self.channel)):
            # Raised before sending: Discord's own error for a missing permission would end the turn.
            raise MessageRefused("no files here, or too many", code=ErrorCode.TOO_MANY_ATTACHMENTS)
        if self._placeholder is not None and (
            filled := await self._fill(self._placeholder, outgoing, content)
        ):
            self._placeholder = None
            if name and name != self._last_name:
                self._name_prefixes[filled.id] = name
            self._last_name = name or None
            return replace(filled, changes=(*filled.changes, "no_webhook")) if name else filled
        rank = RequestPriority.FIRST if message.reply else RequestPriority.USUAL
        await self._limits.wait(rank, self.channel)
        loop = asyncio.get_running_loop()
        self._limit.rate.take(loop.time())
        newest_id = max(self._limit.newest_id, self.reply_to.id if self.reply_to else 0)
        try:
            sent = await send_and_confirm(self._request(outgoing, content), self.channel, outgoing.key)
        except Exception as error:
            status = getattr(error, "status", 0)
            raise await self._limits.check_error(delivery_error(error), status, self._http) from error
        finally:
            self._limit.learn(self._http, self._id, loop.time())
        is_ours = str(sent.nonce) == outgoing.key if sent.nonce is not None else sent.id > newest_id
        # A question was perhaps sent before a restart, and answered since.
        is_ours = is_ours or shows_ask(sent, outgoing.message)
        if not is_ours:
            # A proxy answered with another message, such as one from its cache.
            raise DeliveryUncertain("the answer was another message", retryable=True)
        if name and name != self._last_name:
            self._name_prefixes[sent.id] = name
        self._last_name, self._limit.typing_until = name or None, 0.0
        changes = {"no_webhook": name, "card": outgoing.card}
        return self._receipt(message, sent, *(change for change, applies in changes.items() if applies))

    async def _fill(
        self, placeholder: discord.Message | discord.PartialMessage, outgoing: OutgoingMessage, content: str
    ) -> Receipt | None:
        """Make the placeholder the first message; `None` if it is gone. Done twice, it is still one message."""
        message = outgoing.message
        receipt = Receipt(message, placeholder.id, placeholder.jump_url)
        rich = outgoing.card or is_rich(receipt, content, message)
        changes = {"embeds": [], "attachments": []} | edit_arguments(
            content, outgoing, rich=rich, with_view=True
        )
        allowed_mentions = to_discord_mentions(self._mentions or outgoing.allowed_mentions)
        await self._limits.wait(RequestPriority.FIRST, self.channel)
        try:
            with releasing_global_lock(self._http):
                await edit_and_confirm(self.channel, placeholder.id, content, changes, allowed_mentions)
        except Exception as error:
            failure = await self._limits.check_error(
                delivery_error(error), getattr(error, "status", 0), self._http
            )
            if isinstance(failure, MessageRefused) and failure.code in _NOT_EDITABLE:
                self._placeholder = None
                return None
            if isinstance(failure, DeliveryUncertain):
                failure = DeliveryUncertain(str(failure), retryable=True)
            raise failure from error
        self.mark_confirmed(placeholder.id)
        return record_components_v2(receipt, content, message) if rich else receipt

    async def _delete_placeholder(self) -> None:
        """Remove a placeholder that a persona's message cannot replace."""
        placeholder, self._placeholder = self._placeholder, None
        if placeholder is not None:
            with suppress(discord.HTTPException, aiohttp.ClientError, OSError):
                await placeholder.delete()

    def _request(self, outgoing: OutgoingMessage, content: str) -> Coroutine[Any, Any, discord.Message]:
        options: dict[str, Any] = {}
        allowed_mentions = self._mentions or outgoing.allowed_mentions
        if outgoing.message.reply and self.reply_to is not None:
            options["reference"] = self.reply_to.to_reference(fail_if_not_exists=False)
            # discord.py omits `replied_user=False` unless `mention_author` is given.
            options["mention_author"] = allowed_mentions.replied_user
        if outgoing.view is not None:
            options["view"] = outgoing.view
        if files := as_files(outgoing.message):
            options["files"] = files
        if outgoing.card:
            options["view"], content = as_card(content, outgoing), ""
        elif outgoing.message.notice and self._shows_embeds():
            options["embed"] = discord.Embed(description=content.removeprefix("-# "))
            content = ""
        return self.channel.send(
            content or None,
            nonce=outgoing.key,
            allowed_mentions=to_discord_mentions(allowed_mentions),
            suppress_embeds=not outgoing.previews,
            silent=outgoing.silent,
            **options,
        )

    def _shows_embeds(self) -> bool:
        """Whether an embed is sure to be shown; in direct messages it always is."""
        guild = getattr(self.channel, "guild", None)
        allowed = getattr(self.channel, "permissions_for", None)
        return guild is None or (allowed is not None and allowed(guild.me).embed_links)

    def _content_with_name(self, outgoing: OutgoingMessage) -> str:
        speaker = outgoing.message.speaker
        return prefix_name(speaker.name if speaker else "", outgoing.message.content)

    def _receipt(self, message: Message, sent: discord.Message, *changes: str) -> Receipt:
        self.mark_confirmed(sent.id)
        return Receipt(message, sent.id, sent.jump_url, changes=changes)


def _may_attach(channel: Any) -> bool:  # noqa: ANN401 - of many kinds
    """Whether a file may be sent, as far as is known."""
    me = getattr(getattr(channel, "guild", None), "me", None)
    allowed = getattr(channel, "permissions_for", None)
    return me is None or allowed is None or bool(allowed(me).attach_files)

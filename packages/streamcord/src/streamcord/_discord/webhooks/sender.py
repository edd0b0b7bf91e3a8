"""Send persona messages through webhooks: at most once, and never in the wrong channel.

    webhooks = Webhooks(client)                              # one for the whole bot
    await say(DiscordChannel(channel, webhooks=webhooks), source, context=AnswerContext(persona=luna))

A webhook's message is sent at most once. If the response is lost, the channel is read; a message that can be
neither found nor ruled out is reported as `DeliveryUncertain` and not repeated.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import discord

from ..._common.bounded_cache import BoundedCache
from ..._delivery.error_codes import ErrorCode
from ..._delivery.outgoing import OutgoingMessage
from ..._delivery.transport import FetchedMessage
from ..._events import Boundary, Message, Receipt, Speaker
from ..._exceptions import DeliveryError, DeliveryUnavailable, DeliveryUncertain, WebhookUnavailable
from ..._settings import LIVE_LIMIT
from ..attachments import with_safe_names
from ..content import to_discord_mentions
from ..discord_internals import find_http
from ..edits import V2_FLAG, content_in, edit_payload, is_rich, record_components_v2
from ..errors import webhook_error
from ..global_rate_limit import RequestPriority
from ..rate_limits import limits_of
from ..raw_http import Response
from .appearance import (
    DEFAULT_NAME,
    Avatars,
    add_notice,
    build_appearance,
    notice_in,
    notice_key,
    notice_line,
    sanitize_name,
)
from .cache import NAME, CachedWebhook, WebhookCache, WebhookChannel, WebhookEvents
from .duplicates import DuplicateRemover
from .impersonation import ImpersonationGuard, ImpersonationPolicy
from .message import WebhookMessage, delete_message, delete_misplaced
from .message_matching import SeenMessage
from .pending_messages import PendingMessages
from .rate_limits import WebhookLimits

MAX_WAIT_S = 60.0
"""A webhook that has to pause longer is not waited for."""
CONFIRM_DELAY_S = 1.0
"""Seconds to wait after a lost response before the channel is read."""
_MOVED_REPEATEDLY = "the webhook was moved repeatedly"
_MAX_REMEMBERED = 10_000
_UNNAMED = Speaker(DEFAULT_NAME)
_log = logging.getLogger(__name__)


class Webhooks:
    """Sends messages under other names and avatars, in all channels of a bot.

    Args:
        client: the discord.py client whose gateway events are used: a webhook that was moved or deleted is
            noticed before the next message, and a message that the gateway shows is known to have arrived.
        name: name of the webhooks that are created.
        impersonation: how to handle a persona that could be mistaken for a member of the server.
        clock: returns seconds; the event loop's clock by default.

    Example:
        webhooks = Webhooks(client)
        await say(DiscordChannel(channel, webhooks=webhooks), source, context=AnswerContext(persona=luna))

    """

    attaches = True
    """Whether `edit_message` can attach files."""

    def __init__(
        self,
        client: discord.Client | None = None,
        *,
        name: str = NAME,
        impersonation: ImpersonationPolicy = "mark",
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._client = client
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._cache = WebhookCache(name, self._clock)
        self._events = WebhookEvents(self._cache)
        self._pending = PendingMessages(lambda: self._events.seen_messages)
        self._duplicates = DuplicateRemover(self._pending)
        self._events.on_message = self._duplicates.see
        self._avatars = Avatars()
        self._impersonation = ImpersonationGuard(impersonation, self._clock)
        self._limits = WebhookLimits(self._clock)
        # By message: the line that links the answered message, and whether the text contains it.
        self._notices: BoundedCache[int, tuple[str, bool]] = BoundedCache(_MAX_REMEMBERED)
        # Keys of reply notices that were sent as messages of their own.
        self._sent_notices: BoundedCache[str, None] = BoundedCache(_MAX_REMEMBERED)
        # One lock per parent channel; dropped when no message uses it.
        self._locks: weakref.WeakValueDictionary[int, asyncio.Lock] = weakref.WeakValueDictionary()

    def attach(self, client: discord.Client) -> None:
        """Use the gateway events of a running client; its own event handlers stay as they are."""
        self._events.attach(client)

    def detach(self) -> None:
        """Stop listening to the client."""
        self._client = None
        self._duplicates.stop()
        self._events.detach()

    @property
    def duplicates_removed(self) -> int:
        """Number of duplicate messages that were deleted."""
        return self._duplicates.count

    def forget(self, channel_id: int) -> None:
        """Check a channel's webhook before its next use; for WEBHOOKS_UPDATE, if no client is attached."""
        self._cache.recheck(channel_id)

    def pause(self, channel: discord.abc.Messageable, message: Message) -> float:  # noqa: ARG002
        """Return the seconds until the rate limit allows another message in this channel."""
        seconds = self._limit_of(channel)
        # A message does not wait longer: the bot sends it itself.
        return seconds if seconds <= MAX_WAIT_S else 0.0

    def _limit_of(self, channel: discord.abc.Messageable) -> float:
        home_id = channel.parent_id if isinstance(channel, discord.Thread) else getattr(channel, "id", 0)
        return self._limits.pause(home_id)

    async def deliver(
        self,
        channel: discord.abc.Messageable,
        outgoing: OutgoingMessage,
        *,
        reply_to: discord.Message | None = None,
    ) -> Receipt:
        """Send `outgoing.message` under its speaker's name, once, however often this is called."""
        webhook_message = await self._build_message(channel, outgoing, reply_to)
        if self._client is not None:
            self.attach(self._client)
        # One message at a time per webhook: rate limit headers stay valid, and only the last message can have
        # an unknown outcome.
        async with self._locks.setdefault(webhook_message.parent.id, asyncio.Lock()):
            if reply_to is not None and outgoing.reply_notice == "message":
                await self._deliver_notice(webhook_message, reply_to)
            return await self._find(webhook_message) or await self._post(webhook_message)

    async def _deliver_notice(self, webhook_message: WebhookMessage, reply_to: discord.Message) -> None:
        """Send a message that links the answered one, before the first message of an answer, once."""
        key = notice_key(webhook_message.key)
        if key in self._sent_notices:
            return
        speaker = webhook_message.outgoing.message.speaker or _UNNAMED
        message = Message("", speaker=speaker, boundary=Boundary.ATTACHMENT, notice=True)
        appearance = replace(webhook_message.appearance, content="")
        notice = WebhookMessage(
            webhook_message.channel,
            webhook_message.parent,
            OutgoingMessage(message, key, silent=True),
            add_notice(appearance, reply_to) or appearance,
        )
        await self._find(notice) or await self._post(notice)
        self._sent_notices.keep(key, None)

    async def _build_message(
        self, channel: discord.abc.Messageable, outgoing: OutgoingMessage, reply_to: discord.Message | None
    ) -> WebhookMessage:
        parent, message = _parent_of(channel), outgoing.message
        appearance = build_appearance(message, message.speaker or _UNNAMED)
        name = await self._impersonation.resolve_name(sanitize_name(appearance.name), parent.guild)
        appearance = replace(appearance, name=name)
        if reply_to is None or outgoing.reply_notice == "message":
            return WebhookMessage(channel, parent, outgoing, appearance)
        noticed = add_notice(appearance, reply_to, embeds=outgoing.previews and not outgoing.message_tag)
        if noticed is None:
            return WebhookMessage(channel, parent, outgoing, appearance, ("no_reply",))
        return WebhookMessage(channel, parent, outgoing, noticed, notice=notice_line(reply_to))

    async def find(self, channel: discord.abc.Messageable, outgoing: OutgoingMessage) -> Receipt | None:
        """Return the receipt of a message that was delivered, or `None` if it certainly was not."""
        webhook_message = await self._build_message(channel, outgoing, None)
        async with self._locks.setdefault(webhook_message.parent.id, asyncio.Lock()):
            return await self._find(webhook_message)

    async def edit_message(
        self, channel: discord.abc.Messageable, receipt: Receipt, outgoing: OutgoingMessage
    ) -> Receipt:
        """Edit a message that was sent under another name; repeating the edit is harmless."""
        parent, message = _parent_of(channel), outgoing.message
        hook, query = await self._cache.get(parent), _thread_of(channel, parent)
        line, in_text = await self._find_notice(hook, receipt, query)
        content = build_appearance(message, message.speaker or _UNNAMED).content
        if (in_text or is_rich(receipt, content, message)) and len(line + content) <= LIVE_LIMIT:
            content = line + content
        rich = is_rich(receipt, content, message)
        with_view = outgoing.view is not None and (outgoing.last or message.ask is not None)
        body = edit_payload(content, outgoing, rich=rich, with_view=with_view)
        body["allowed_mentions"] = to_discord_mentions(
            replace(outgoing.allowed_mentions, replied_user=False)
        ).to_dict()
        answer = await hook.http.request(
            "PATCH",
            f"{hook.path}/messages/{receipt.id}",
            body,
            with_safe_names(message.files),
            {**query, "with_components": "true"} if rich or with_view else query,
        )
        if answer.is_ambiguous:
            raise DeliveryUncertain(f"Discord failed ({answer.status})", retryable=True)
        self._forget_deleted(hook, answer)
        if not answer.ok:
            raise webhook_error(answer)
        if not _is_message(answer) or int(answer.body["id"]) != receipt.id:
            # Editing again is harmless.
            raise DeliveryUncertain("the answer to an edit was not the message", retryable=True)
        return record_components_v2(receipt, content, message)

    async def _find_notice(
        self, hook: CachedWebhook, receipt: Receipt, query: dict[str, str]
    ) -> tuple[str, bool]:
        """Return the line that links the answered message, and whether the text contains it already.

        A Components V2 message has no embed for it. A message of another process is fetched first.
        """
        known = self._notices.find(receipt.id)
        if known is not None or not receipt.message.reply:
            return known or ("", False)
        answer = await self._fetch(hook, receipt, query)
        if answer.is_ambiguous:
            raise DeliveryUnavailable(f"Discord failed ({answer.status})")
        if not answer.ok:
            raise webhook_error(answer)
        return self._notices.keep(receipt.id, notice_in(answer.body))

    async def _fetch(self, hook: CachedWebhook, receipt: Receipt, query: dict[str, str]) -> Response:
        answer = await hook.http.request("GET", f"{hook.path}/messages/{receipt.id}", params=query)
        self._forget_deleted(hook, answer)
        return answer

    def _forget_deleted(self, hook: CachedWebhook, answer: Response) -> None:
        """Forget a deleted webhook: Discord bans clients that keep calling one."""
        if answer.code == ErrorCode.UNKNOWN_WEBHOOK:
            self._cache.mark_deleted(hook)
        elif answer.code == ErrorCode.INVALID_WEBHOOK_TOKEN:
            self._cache.forget(hook)

    async def fetch_live(self, channel: discord.abc.Messageable, receipt: Receipt) -> FetchedMessage | None:
        """Return a live message as it is now; `None` if that is unknown."""
        parent = _parent_of(channel)
        try:
            answer = await self._fetch(await self._cache.get(parent), receipt, _thread_of(channel, parent))
        except DeliveryError:
            return None
        said = content_in(answer.body) if answer.ok else None
        if not said:
            return None
        files, rich = len(answer.body.get("attachments") or ()), int(answer.body.get("flags") or 0) & V2_FLAG
        return FetchedMessage(
            receipt.id, said.removeprefix(notice_in(answer.body)[0]), files, rich=bool(rich)
        )

    # --- Sending ----------------------------------------------------------------------------------

    async def _post(self, webhook_message: WebhookMessage) -> Receipt:
        """Send until it is accepted or no remedy is left; only a certainly refused message is sent again."""
        while True:
            hook = await self._cache.get(webhook_message.parent)
            seconds = self._limit_of(webhook_message.channel)
            if seconds > MAX_WAIT_S and self._pending.find_hook(webhook_message.key) is None:
                raise WebhookUnavailable("the webhook has to pause for too long")
            if seconds > 0:
                raise DeliveryUnavailable("the webhook's limit is reached", retry_after=seconds)
            place = webhook_message.channel
            newest_id = limits_of(find_http(place)).channel(getattr(place, "id", 0)).newest_id
            answer = await self._ask(webhook_message, hook)
            if answer is None or answer.is_ambiguous:
                return await self._resolve(webhook_message)
            if answer.ok and not _is_message(answer):
                # It was perhaps accepted, and the body was cut off; or a proxy answered in Discord's place.
                return await self._identify(webhook_message)
            if answer.ok:
                if receipt := await self._accept(webhook_message, hook, answer, newest_id):
                    return receipt
            elif not await self._try_remedy(webhook_message, hook, answer):
                raise webhook_error(answer)

    async def _ask(self, webhook_message: WebhookMessage, hook: CachedWebhook) -> Response | None:
        """Send one request and return its response; `None` if it was lost."""
        rank = RequestPriority.FIRST if webhook_message.outgoing.message.reply else RequestPriority.USUAL
        await limits_of(find_http(webhook_message.channel)).wait(rank, webhook_message.channel)
        avatar = await self._choose_avatar(webhook_message, hook)
        earlier = self._pending.begin(
            webhook_message.key, webhook_message.channel, hook, webhook_message.body
        )
        query = {"wait": "true", **webhook_message.thread, **webhook_message.query}
        try:
            answer = await hook.http.request(
                "POST", hook.path, webhook_message.payload(avatar), webhook_message.files, query
            )
        except DeliveryUnavailable:
            self._pending.withdraw(webhook_message.key, earlier)
            raise
        except DeliveryUncertain:
            return None
        if not (answer.ok or answer.is_ambiguous):
            self._pending.withdraw(webhook_message.key, earlier)
        elif earlier is not None:
            self._duplicates.watch(earlier, webhook_message.thread)
        self._limits.record_response(webhook_message.channel, webhook_message.parent.id, answer)
        return answer

    async def _choose_avatar(self, webhook_message: WebhookMessage, hook: CachedWebhook) -> str | None:
        if "avatar" in webhook_message.tried:
            return None
        spare = webhook_message.parent.guild.me.display_avatar.url
        return await self._avatars.resolve(hook, webhook_message.appearance.avatar, spare)

    async def _accept(
        self, webhook_message: WebhookMessage, hook: CachedWebhook, answer: Response, newest_id: int
    ) -> Receipt | None:
        """Return the receipt, or `None` if the webhook was moved and the message must be sent again."""
        message_id, channel_id = int(answer.body["id"]), int(answer.body["channel_id"])
        if str(answer.body.get("webhook_id", hook.id)) != str(hook.id) or message_id <= newest_id:
            # A proxy answered with another message, such as one from its cache.
            return await self._identify(webhook_message)
        if channel_id == webhook_message.channel.id:
            return self._receipt(webhook_message, message_id)
        if await self._cache.find_channel_id(hook) != channel_id:
            # The webhook is not there, so the message is not ours: deleting it would delete someone else's.
            return await self._resolve(webhook_message)
        self._cache.forget(hook)
        self._pending.withdraw(webhook_message.key, None)
        if not await delete_message(hook, message_id, webhook_message.parent.guild, channel_id):
            _log.warning(
                "webhook was moved: message %d was posted to channel %d and could not be deleted",
                message_id,
                channel_id,
            )
        if not webhook_message.try_once("move"):
            raise WebhookUnavailable(_MOVED_REPEATEDLY)
        return None

    async def _try_remedy(
        self, webhook_message: WebhookMessage, hook: CachedWebhook, answer: Response
    ) -> bool:
        """React to a refusal; return whether the message can be sent again."""
        match answer.code:
            case ErrorCode.UNKNOWN_WEBHOOK | ErrorCode.INVALID_WEBHOOK_TOKEN:
                self._forget_deleted(hook, answer)
                return webhook_message.try_once("webhook")
            case ErrorCode.UNKNOWN_CHANNEL if webhook_message.thread:
                self._cache.forget(hook)
                if await self._cache.find_channel_id(hook) == webhook_message.parent.id:
                    return False
                # The webhook was moved: the thread exists, but not for this webhook.
                if not webhook_message.try_once("move"):
                    raise WebhookUnavailable(_MOVED_REPEATEDLY)
                return True
            case ErrorCode.INVALID_FORM_BODY if "username" in answer.fields and webhook_message.try_once(
                "name"
            ):
                webhook_message.appearance = replace(webhook_message.appearance, name=DEFAULT_NAME)
            case ErrorCode.INVALID_FORM_BODY if "avatar_url" in answer.fields and webhook_message.try_once(
                "avatar"
            ):
                pass
            case _:
                return False
        webhook_message.changes += ("identity",)
        return True

    # --- Lost responses --------------------------------------------------------------------------

    async def _resolve(self, webhook_message: WebhookMessage) -> Receipt:
        """Find out whether the message arrived.

        Raises:
            DeliveryUnavailable: it did not arrive and may be sent again.

        """
        await asyncio.sleep(CONFIRM_DELAY_S)
        if receipt := await self._find(webhook_message):
            return receipt
        raise DeliveryUnavailable("the message did not arrive")

    async def _identify(self, webhook_message: WebhookMessage) -> Receipt:
        """Find the message after a success whose body was not a message.

        Raises:
            DeliveryUnavailable: it did not arrive and may be sent again.
            DeliveryUncertain: the channel cannot be read, so that it is not known.

        """
        await asyncio.sleep(CONFIRM_DELAY_S)
        if receipt := await self._find(webhook_message):
            return receipt
        if self._pending.find_hook(webhook_message.key) is None:
            # It was found in the channel that the webhook was moved to, and deleted there.
            return await self._resend(webhook_message)
        raise DeliveryUnavailable("Discord's success did not name the message, and it did not arrive")

    async def _resend(self, webhook_message: WebhookMessage) -> Receipt:
        """Send a message again that was deleted from the wrong channel."""
        if not webhook_message.try_once("move"):
            raise WebhookUnavailable(_MOVED_REPEATEDLY)
        return await self._post(webhook_message)

    async def _find(self, webhook_message: WebhookMessage) -> Receipt | None:
        """Return the receipt of an earlier attempt, or `None` if there was none or it did not arrive."""
        hook = self._pending.find_hook(webhook_message.key)
        if hook is None:
            return None
        try:
            found = await self._pending.find_in_channel(webhook_message.key, webhook_message.channel)
        except DeliveryUncertain:
            with suppress(DeliveryUncertain):
                if await delete_misplaced(webhook_message, hook, self._cache, self._pending):
                    return None
            raise
        if found is not None:
            return self._receipt(webhook_message, found)
        await delete_misplaced(webhook_message, hook, self._cache, self._pending)
        return None

    def _receipt(self, webhook_message: WebhookMessage, message_id: int) -> Receipt:
        channel_id = webhook_message.channel.id
        hook = self._pending.find_hook(webhook_message.key)
        self._pending.resolve(webhook_message.key, channel_id, message_id)
        if webhook_message.is_tagged and hook is not None:
            seen = SeenMessage(message_id, channel_id, hook.id, webhook_message.body)
            self._duplicates.record_tagged(seen, hook, webhook_message.thread, self._events.seen_messages)
        if webhook_message.outgoing.message.reply:
            in_text = bool(webhook_message.notice) and webhook_message.appearance.content.startswith(
                webhook_message.notice
            )
            self._notices.keep(message_id, (webhook_message.notice, in_text))
        url = f"https://discord.com/channels/{webhook_message.parent.guild.id}/{channel_id}/{message_id}"
        changes = (*webhook_message.changes, "card") if webhook_message.is_card else webhook_message.changes
        changes = (*changes, "v2") if webhook_message.is_tagged else changes
        return Receipt(webhook_message.outgoing.message, message_id, url, changes=changes)


def _is_message(answer: Response) -> bool:
    return all(str(answer.body.get(name, "")).isdecimal() for name in ("id", "channel_id"))


def _thread_of(channel: discord.abc.Messageable, parent: WebhookChannel) -> dict[str, str]:
    """Return the query parameters for a message in a thread."""
    place = getattr(channel, "id", 0)
    return {} if place == parent.id else {"thread_id": str(place)}


def _parent_of(channel: discord.abc.Messageable) -> WebhookChannel:
    """Return the channel whose webhooks serve this one; direct messages have none."""
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    if isinstance(parent, WebhookChannel):
        return parent
    raise WebhookUnavailable("this kind of channel has no webhooks")

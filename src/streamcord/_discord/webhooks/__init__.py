"""Speaks as others through webhooks: never twice, never in the wrong place, and says so when it cannot.

    webhooks = Webhooks(client)                              # one for the whole bot
    await say(DiscordChannel(channel, webhooks=webhooks), source, settings=Settings(persona=luna))

A webhook's message is sent at most once. If its answer is lost, the channel is read; what can be neither
found nor ruled out is reported as `Uncertain` and not repeated.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import discord

from ..._delivery import Seen
from ..._delivery.error_codes import ErrorCode
from ..._delivery.outbox import Parcel
from ..._errors import DeliveryError, NoVoice, Unavailable, Uncertain
from ..._events import Message, Receipt, Speaker
from ..._settings import LIVE_LIMIT
from ..._shared.bounded_cache import BoundedCache
from ..api_errors import webhook_error
from ..plain_http import Answer
from ..request import as_allowed, as_named_files, find_http
from ..request_limits import RequestPriority, WebhookLimit, limits_of
from ..revisions import V2_FLAG, as_revision_json, is_rich, note_rich, words_in
from .appearance import ORDINARY, Avatars, Look, NameAndAvatar, add_notice, make_safe, notice_in, notice_line
from .late_twins import LateTwins
from .namesakes import Namesakes, Policy
from .unconfirmed import SeenMessage, Unconfirmed
from .webhook_cache import NAME, CachedWebhook, WebhookCache, WebhookChannel, WebhookEvents
from .webhook_message import WebhookMessage, recall, take_back

__all__ = ["Webhooks"]

SETTLE = 1.0
"""Seconds that Discord is given to finish what it did not answer, before the channel is read."""
_RESTLESS = "the webhook is moved again and again"
_CAP = 10_000
_USUAL = NameAndAvatar()
_NOBODY = Speaker(ORDINARY)
_LOGGER = logging.getLogger(__name__)


class Webhooks:
    """Sends messages under other names and avatars, in all channels of a bot.

    With a `client`, the gateway's news are used: a webhook that was moved or deleted is noticed before the
    next message, and a message that the gateway shows has arrived, whatever became of its answer. `look` says
    how a speaker is shown, `namesakes` what becomes of one who could be taken for a moderator.
    """

    attaches = True
    """`revise` brings files along."""

    def __init__(
        self,
        client: discord.Client | None = None,
        *,
        name: str = NAME,
        look: Look = _USUAL,
        namesakes: Policy = "mark",
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._client = client
        self._look = look
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._cache = WebhookCache(name, self._clock)
        self._events = WebhookEvents(self._cache)
        self._unconfirmed = Unconfirmed(lambda: self._events.seen_messages)
        self._twins = LateTwins(self._unconfirmed)
        self._events.told = self._twins.see
        self._avatars = Avatars()
        self._namesakes = Namesakes(namesakes, self._clock)
        self._limits: BoundedCache[int, WebhookLimit] = BoundedCache(_CAP)
        self._notices: BoundedCache[int, tuple[str, bool]] = BoundedCache(_CAP)
        self._locks: weakref.WeakValueDictionary[int, asyncio.Lock] = weakref.WeakValueDictionary()

    def attach(self, client: discord.Client) -> None:
        """Use the gateway events of a running client; its own event handlers stay as they are."""
        self._events.attach(client)

    def detach(self) -> None:
        """Stop listening to the client."""
        self._client = None
        self._twins.stop()
        self._events.detach()

    @property
    def late_twins(self) -> int:
        """How many messages arrived late and twice, and were deleted."""
        return self._twins.count

    def forget(self, channel_id: int) -> None:
        """Check a channel's webhook before its next use; for WEBHOOKS_UPDATE, if no client is attached."""
        self._cache.recheck(channel_id)

    def pause(self, channel: discord.abc.Messageable, message: Message) -> float:  # noqa: ARG002
        """Seconds until the rate limit allows another message in this channel."""
        home_id = channel.parent_id if isinstance(channel, discord.Thread) else getattr(channel, "id", 0)
        limit = self._limits.find(home_id)
        return limit.pause() if limit else 0.0

    async def deliver(
        self, channel: discord.abc.Messageable, parcel: Parcel, *, reply_to: discord.Message | None = None
    ) -> Receipt:
        """Send `parcel.message` under its speaker's name, once, however often this is called."""
        outgoing = await self._dress(channel, parcel, reply_to)
        if self._client is not None:
            self.attach(self._client)
        # One at a time through one webhook: headers stay true, and whatever is in doubt is the last message.
        async with self._locks.setdefault(outgoing.home.id, asyncio.Lock()):
            return await self._find(outgoing) or await self._post(outgoing)

    async def _dress(
        self, channel: discord.abc.Messageable, parcel: Parcel, reply_to: discord.Message | None
    ) -> WebhookMessage:
        home, message = _find_home(channel), parcel.message
        appearance = self._look.dress(message, message.speaker or _NOBODY)
        name = await self._namesakes.settle(make_safe(appearance.name), home.guild)
        appearance = replace(appearance, name=name)
        if reply_to is None:
            return WebhookMessage(channel, home, parcel, appearance)
        noticed = add_notice(appearance, reply_to, embeds=parcel.previews and not parcel.name)
        if noticed is None:
            return WebhookMessage(channel, home, parcel, appearance, ("no_reply",))
        return WebhookMessage(channel, home, parcel, noticed, notice=notice_line(reply_to))

    async def find(self, channel: discord.abc.Messageable, parcel: Parcel) -> Receipt | None:
        """The receipt of a parcel that was delivered, or `None` if it certainly was not."""
        outgoing = await self._dress(channel, parcel, None)
        async with self._locks.setdefault(outgoing.home.id, asyncio.Lock()):
            return await self._find(outgoing)

    async def revise(self, channel: discord.abc.Messageable, receipt: Receipt, parcel: Parcel) -> Receipt:
        """Make a message that was sent under another name say this; done twice, it is the same."""
        home, message = _find_home(channel), parcel.message
        hook, query = await self._cache.take(home), _thread_of(channel, home)
        line, in_text = await self._find_notice(hook, receipt, query)
        content = self._look.dress(message, message.speaker or _NOBODY).content
        if (in_text or is_rich(receipt, content, message)) and len(line + content) <= LIVE_LIMIT:
            content = line + content
        rich = is_rich(receipt, content, message)
        dress = parcel.last and parcel.view is not None
        body = as_revision_json(content, parcel, rich=rich, dress=dress)
        body["allowed_mentions"] = as_allowed(replace(parcel.pings, replied_user=False)).to_dict()
        answer = await hook.http.request(
            "PATCH",
            f"{hook.path}/messages/{receipt.id}",
            body,
            as_named_files(message.files),
            {**query, "with_components": "true"} if rich or dress else query,
        )
        if answer.is_unclear:
            raise Uncertain(f"Discord failed ({answer.status})", retryable=True)
        self._note_gone(hook, answer)
        if not answer.is_done:
            raise webhook_error(answer)
        return note_rich(receipt, content, message)

    async def _find_notice(
        self, hook: CachedWebhook, receipt: Receipt, query: dict[str, str]
    ) -> tuple[str, bool]:
        """The line with a link to the message that is answered, and whether the text has it already.

        A message of Components V2 has no embeds that could hold it. What another process sent is read first.
        """
        known = self._notices.find(receipt.id)
        if known is not None or not receipt.message.reply:
            return known or ("", False)
        answer = await self._fetch(hook, receipt, query)
        if answer.is_unclear:
            raise Unavailable(f"Discord failed ({answer.status})")
        if not answer.is_done:
            raise webhook_error(answer)
        return self._notices.keep(receipt.id, notice_in(answer.body))

    async def _fetch(self, hook: CachedWebhook, receipt: Receipt, query: dict[str, str]) -> Answer:
        answer = await hook.http.request("GET", f"{hook.path}/messages/{receipt.id}", params=query)
        self._note_gone(hook, answer)
        return answer

    def _note_gone(self, hook: CachedWebhook, answer: Answer) -> None:
        """A webhook that is no more is not asked again: Discord bans whoever does."""
        if answer.code == ErrorCode.UNKNOWN_WEBHOOK:
            self._cache.mark_deleted(hook)
        elif answer.code == ErrorCode.INVALID_WEBHOOK_TOKEN:
            self._cache.forget(hook)

    async def read_growth(self, channel: discord.abc.Messageable, receipt: Receipt) -> Seen | None:
        """Such a message as it is now; `None` if nobody can tell."""
        home = _find_home(channel)
        try:
            answer = await self._fetch(await self._cache.take(home), receipt, _thread_of(channel, home))
        except DeliveryError:
            return None
        said = words_in(answer.body) if answer.is_done else None
        if not said:
            return None
        files, rich = len(answer.body.get("attachments") or ()), int(answer.body.get("flags") or 0) & V2_FLAG
        return Seen(receipt.id, said.removeprefix(notice_in(answer.body)[0]), files, rich=bool(rich))

    # --- Sending it -------------------------------------------------------------------------------

    async def _post(self, outgoing: WebhookMessage) -> Receipt:
        """Send until it is accepted or no remedy is left; only what was certainly refused is sent again."""
        while True:
            hook = await self._cache.take(outgoing.home)
            if (seconds := self.pause(outgoing.channel, outgoing.parcel.message)) > 0:
                raise Unavailable("the webhook's limit is reached", retry_after=seconds)
            answer = await self._ask(outgoing, hook)
            if answer is None or answer.is_unclear:
                return await self._settle(outgoing)
            if answer.is_done and not _is_message(answer):
                return await self._identify(outgoing, hook)
            if answer.is_done:
                if receipt := await self._accept(outgoing, hook, answer):
                    return receipt
            elif not await self._remedy(outgoing, hook, answer):
                raise webhook_error(answer)

    async def _ask(self, outgoing: WebhookMessage, hook: CachedWebhook) -> Answer | None:
        """Send one request; `None` if its answer was lost."""
        rank = RequestPriority.FIRST if outgoing.parcel.message.reply else RequestPriority.USUAL
        await limits_of(find_http(outgoing.channel)).wait(rank, outgoing.channel)
        avatar = await self._choose_avatar(outgoing, hook)
        earlier = self._unconfirmed.begin(outgoing.key, outgoing.channel, hook, outgoing.body)
        query = {"wait": "true", **outgoing.thread, **outgoing.query}
        try:
            answer = await hook.http.request(
                "POST", hook.path, outgoing.payload(avatar), outgoing.files, query
            )
        except Unavailable:
            self._unconfirmed.withdraw(outgoing.key, earlier)
            raise
        except Uncertain:
            return None
        if not (answer.is_done or answer.is_unclear):
            self._unconfirmed.withdraw(outgoing.key, earlier)
        elif earlier is not None:
            self._twins.watch(earlier, outgoing.thread)
        self._note(outgoing, answer)
        return answer

    def _note(self, outgoing: WebhookMessage, answer: Answer) -> None:
        """Learn from an answer when the next request is allowed, here and everywhere."""
        home_id = outgoing.home.id
        limit = self._limits.find(home_id) or self._limits.keep(home_id, WebhookLimit(self._clock))
        limit.note(answer)
        if answer.is_from_cloudflare or answer.body.get("global") is True:
            error = Unavailable(str(webhook_error(answer)))
            limits_of(find_http(outgoing.channel)).block(error, limit.pause())

    async def _choose_avatar(self, outgoing: WebhookMessage, hook: CachedWebhook) -> str | None:
        if "avatar" in outgoing.tried:
            return None
        spare = outgoing.home.guild.me.display_avatar.url
        return await self._avatars.settle(hook, outgoing.appearance.avatar, spare)

    async def _accept(self, outgoing: WebhookMessage, hook: CachedWebhook, answer: Answer) -> Receipt | None:
        """The receipt, or `None` if the webhook had been moved and the message must be sent again."""
        message_id, channel_id = int(answer.body["id"]), int(answer.body["channel_id"])
        if channel_id == outgoing.channel.id:
            return self._receipt(outgoing, message_id)
        self._cache.forget(hook)
        self._unconfirmed.withdraw(outgoing.key, None)
        if not await take_back(hook, message_id, outgoing.home.guild, channel_id):
            _LOGGER.warning("message %d stands in channel %d, where it must not", message_id, channel_id)
        if not outgoing.tries("move"):
            raise NoVoice(_RESTLESS)
        return None

    async def _remedy(self, outgoing: WebhookMessage, hook: CachedWebhook, answer: Answer) -> bool:
        """Do something about a refusal; says whether it is worth another try."""
        match answer.code:
            case ErrorCode.UNKNOWN_WEBHOOK | ErrorCode.INVALID_WEBHOOK_TOKEN:
                self._note_gone(hook, answer)
                return outgoing.tries("webhook")
            case ErrorCode.UNKNOWN_CHANNEL if outgoing.thread:
                self._cache.forget(hook)
                if await self._cache.find_place(hook) == outgoing.home.id:
                    return False
                # It was moved: the thread is there, but not for this webhook.
                if not outgoing.tries("move"):
                    raise NoVoice(_RESTLESS)
                return True
            case ErrorCode.INVALID_FORM_BODY if "username" in answer.fields and outgoing.tries("name"):
                outgoing.appearance = replace(outgoing.appearance, name=ORDINARY)
            case ErrorCode.INVALID_FORM_BODY if "avatar_url" in answer.fields and outgoing.tries("avatar"):
                pass
            case _:
                return False
        outgoing.changes += ("identity",)
        return True

    # --- When the answer is lost ------------------------------------------------------------------

    async def _settle(self, outgoing: WebhookMessage) -> Receipt:
        """Find out what became of it; raises `Unavailable` if it did not arrive and may be sent again."""
        await asyncio.sleep(SETTLE)
        if receipt := await self._find(outgoing):
            return receipt
        raise Unavailable("the message did not arrive")

    async def _identify(self, outgoing: WebhookMessage, hook: CachedWebhook) -> Receipt:
        """The receipt of a message that certainly arrived, although the answer did not tell its id."""
        try:
            receipt = await self._find(outgoing)
        except Uncertain:
            if await self._cache.find_place(hook) not in {None, outgoing.home.id}:
                raise
            receipt = None
        if receipt is not None:
            return receipt
        if self._unconfirmed.find_hook(outgoing.key) is None:
            return await self._say_again(outgoing)
        self._unconfirmed.withdraw(outgoing.key, None)
        return Receipt(outgoing.parcel.message, 0, changes=(*outgoing.changes, "unseen"))

    async def _say_again(self, outgoing: WebhookMessage) -> Receipt:
        """Send again what was deleted from the wrong channel."""
        if not outgoing.tries("move"):
            raise NoVoice(_RESTLESS)
        return await self._post(outgoing)

    async def _find(self, outgoing: WebhookMessage) -> Receipt | None:
        """The receipt of an earlier attempt, or `None` if there was none or it did not arrive."""
        hook = self._unconfirmed.find_hook(outgoing.key)
        if hook is None:
            return None
        try:
            found = await self._unconfirmed.look(outgoing.key, outgoing.channel)
        except Uncertain:
            with suppress(Uncertain):
                if await recall(outgoing, hook, self._cache, self._unconfirmed):
                    return None
            raise
        if found is not None:
            return self._receipt(outgoing, found)
        await recall(outgoing, hook, self._cache, self._unconfirmed)
        return None

    def _receipt(self, outgoing: WebhookMessage, message_id: int) -> Receipt:
        channel_id = outgoing.channel.id
        hook = self._unconfirmed.find_hook(outgoing.key)
        self._unconfirmed.resolve(outgoing.key, channel_id, message_id)
        if outgoing.is_named and hook is not None:
            seen = SeenMessage(message_id, channel_id, hook.id, outgoing.body)
            self._twins.know(seen, hook, outgoing.thread, self._events.seen_messages)
        if outgoing.parcel.message.reply:
            in_text = bool(outgoing.notice) and outgoing.appearance.content.startswith(outgoing.notice)
            self._notices.keep(message_id, (outgoing.notice, in_text))
        url = f"https://discord.com/channels/{outgoing.home.guild.id}/{channel_id}/{message_id}"
        changes = (*outgoing.changes, "card") if outgoing.is_card else outgoing.changes
        changes = (*changes, "v2") if outgoing.is_named else changes
        return Receipt(outgoing.parcel.message, message_id, url, changes=changes)


def _is_message(answer: Answer) -> bool:
    return all(str(answer.body.get(name, "")).isdecimal() for name in ("id", "channel_id"))


def _thread_of(channel: discord.abc.Messageable, home: WebhookChannel) -> dict[str, str]:
    """What a request must say besides, if it is about a message in a thread."""
    place = getattr(channel, "id", 0)
    return {} if place == home.id else {"thread_id": str(place)}


def _find_home(channel: discord.abc.Messageable) -> WebhookChannel:
    """The channel whose webhooks serve this one; direct messages have none."""
    home = channel.parent if isinstance(channel, discord.Thread) else channel
    if isinstance(home, WebhookChannel):
        return home
    raise NoVoice("this kind of channel has no webhooks")

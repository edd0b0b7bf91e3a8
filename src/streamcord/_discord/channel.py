"""Channels, threads and direct messages of discord.py as transports.

    await say(DiscordChannel(message.channel, reply_to=message), my_model(message.content))

discord.py sends a request again by itself when Discord fails, so every message carries a nonce that Discord
enforces: sent twice, it is there once. The gateway is a second witness: a message that we hear has arrived,
even if its answer is late or lost. Whom a message may ping is said with every request: Discord's default is
everybody it names.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import discord

from .._delivery.error_codes import ErrorCode
from .._delivery.transport import NOBODY, Parcel, Pings, seal
from .._errors import NoVoice, Refused, Uncertain
from .._events import Message, Receipt
from .api_errors import delivery_error
from .library_internals import find_client, find_http, reopen, reopening
from .request import as_allowed, as_files, content_with_name, put_name
from .request_limits import RequestPriority, limits_of
from .voices import Voices

__all__ = ["DiscordChannel"]

ATTEMPT_TIMEOUT = 90.0
"""An answer that takes longer is lost; discord.py waits for rate limits within this time."""
GRACE = 0.25
"""What an answer may take once the gateway has shown the message."""
_NOT_EDITABLE = frozenset({ErrorCode.UNKNOWN_MESSAGE, ErrorCode.TOO_MANY_EDITS})
FILE_CAP = 10
HISTORY = 100
"""Messages that are read back to look for one."""

_LEFT: set[asyncio.Future[Any]] = set()
"""Requests that nobody waits for any more; discord.py may hold them until their bucket has drained."""


class DiscordChannel:
    """A text channel, thread or direct message; one serves one turn.

    `reply_to` is what the first message replies to. `webhooks` speak for everybody but the bot itself;
    without them, and where they cannot, the bot puts the name in front. `mentions` replaces what the settings
    say about pings.
    """

    def __init__(
        self,
        channel: discord.abc.Messageable,
        *,
        reply_to: discord.Message | None = None,
        webhooks: Voices | None = None,
        mentions: Pings | None = None,
    ) -> None:
        self.channel = channel
        self.reply_to = reply_to
        self._voices = webhooks
        self._mentions = mentions
        self._turn = secrets.token_hex(8)
        self._sent = 0
        self._named: str | None = None
        self._own = ""
        self._mute = False
        self._id: int = getattr(channel, "id", 0) or getattr(getattr(channel, "channel", None), "id", 0)
        self._http = find_http(channel)
        self._limits = limits_of(self._http)
        self._limit = self._limits.channel(self._id)
        self._anchor: int = reply_to.id if reply_to else getattr(channel, "last_message_id", None) or 0

    # --- What every transport does --------------------------------------------------------------

    async def send(self, message: Message) -> Receipt:
        """Send one message, and come back once it is acknowledged."""
        receipt = await self.deliver(seal(self._turn, self._sent, message))
        self._sent += 1
        return receipt

    async def typing(self) -> None:
        """Show the bot as typing for ten seconds; left out while requests that matter more wait."""
        if self._limits.is_busy:
            return
        try:
            await self._limits.wait()
            with reopening(self._http):
                await self.channel.typing()
        except Exception as error:
            raise delivery_error(error) from error

    async def edit(self, receipt: Receipt, content: str, pings: Pings = NOBODY) -> Receipt:
        """Change the words of a message that was sent as the bot.

        Where it cannot be changed any more (deleted, or too often), what is new behind the old words is sent
        as a message of its own; the old ones are not repeated.
        """
        message = replace(receipt.message, content=content)
        place: Any = self.channel
        try:
            await self._limits.wait()
            await place.get_partial_message(receipt.id).edit(
                content=content, allowed_mentions=as_allowed(self._mentions or pings)
            )
        except Exception as error:
            if getattr(error, "code", 0) not in _NOT_EDITABLE:
                raise delivery_error(error) from error
            return await self._go_on(receipt, content, pings)
        return replace(receipt, message=message)

    async def _go_on(self, receipt: Receipt, content: str, pings: Pings) -> Receipt:
        shown = receipt.message.content
        rest = content[len(shown) :].strip() if content.startswith(shown) else content
        if not rest:
            return receipt
        parcel = seal(self._turn, self._sent, Message(rest), pings)
        self._sent += 1
        return await self.deliver(parcel)

    # --- What a reliable transport does ---------------------------------------------------------

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send a parcel; again, and it is still one message."""
        speaker = parcel.message.speaker
        if speaker is None:
            return await self._post(parcel)
        # What the bot may have said itself already must not be said by another voice.
        if self._voices is None or parcel.key == self._own:
            return await self._post(parcel, speaker.name)
        try:
            reply_to = self.reply_to if parcel.message.reply else None
            allowed = replace(parcel, pings=self._mentions or parcel.pings)
            receipt = await self._voices.deliver(self.channel, allowed, reply_to=reply_to)
        except NoVoice:
            self._own, self._mute = parcel.key, True
            return await self._post(parcel, speaker.name)
        self._named, self._mute = None, False
        return receipt

    async def find(self, parcel: Parcel) -> Receipt | None:
        """Read the channel back: a message of ours with these words that we do not know yet."""
        if parcel.message.speaker is not None and self._voices is not None and parcel.key != self._own:
            return await self._voices.find(self.channel, parcel)
        client = find_client(self.channel)
        # Without the permission Discord answers with an empty list, which proves nothing.
        if client is None or client.user is None or not _may_read(self.channel):
            raise Uncertain("the channel cannot be read back")
        after = discord.Object(self._anchor) if self._anchor else None
        wanted = parcel.message.content.strip()
        try:
            with reopening(self._http):
                read = self.channel.history(limit=HISTORY, after=after, oldest_first=True)
                messages = [seen async for seen in read]
        except Exception as error:
            raise Uncertain("the channel cannot be read back") from error
        for seen in messages:
            if seen.author.id != client.user.id or seen.id in self._limit.known:
                continue
            if seen.content.strip() in {wanted, self._voiced(parcel).strip()}:
                return self._receipt(parcel.message, seen)
        return None

    def know(self, message_id: int) -> None:
        """A message that is accounted for: whoever looks for a lost one looks behind it."""
        self._limit.known.keep(message_id, None)
        self._anchor = max(self._anchor, message_id)

    def pause(self, message: Message) -> float:
        """Seconds until one more message of its speaker is welcome."""
        if message.speaker is not None and self._voices is not None and not self._mute:
            return self._voices.pause(self.channel, message)
        return self._limit.pause(asyncio.get_running_loop().time())

    def lock(self) -> AbstractAsyncContextManager[object]:
        """One message at a time in this channel, whoever sends it."""
        return self._limit.lock

    # --- As the bot itself ----------------------------------------------------------------------

    async def _post(self, parcel: Parcel, name: str = "") -> Receipt:
        """As the bot; somebody else's name stands in front, where the voice changes."""
        message = parcel.message
        content = content_with_name(name if name != self._named else "", message.content)
        if len(message.files) > FILE_CAP:
            raise Refused("too many files", code=ErrorCode.TOO_MANY_ATTACHMENTS)
        await self._limits.wait(RequestPriority.FIRST if message.reply else RequestPriority.USUAL)
        loop = asyncio.get_running_loop()
        self._limit.rate.take(loop.time())
        try:
            sent = await self._ask(self._request(parcel, content), parcel.key)
        except Exception as error:
            status = getattr(error, "status", 0)
            raise self._limits.note_error(delivery_error(error), status) from error
        finally:
            self._limit.learn(self._http, self._id, loop.time())
        self._named = name or None
        return self._receipt(message, sent, *(["no_voice"] if name else []))

    def _request(self, parcel: Parcel, content: str) -> Coroutine[Any, Any, discord.Message]:
        options: dict[str, Any] = {}
        pings = self._mentions or parcel.pings
        if parcel.message.reply and self.reply_to is not None:
            options["reference"] = self.reply_to.to_reference(fail_if_not_exists=False)
            # discord.py leaves a "no" out of the field unless it is told in this way.
            options["mention_author"] = pings.replied_user
        if files := as_files(parcel.message):
            options["files"] = files
        if parcel.message.notice and self._shows_embeds():
            options["embed"] = discord.Embed(description=content.removeprefix("-# "))
            content = ""
        return self.channel.send(
            content or None,
            nonce=parcel.key,
            allowed_mentions=as_allowed(pings),
            suppress_embeds=not parcel.previews,
            **options,
        )

    def _shows_embeds(self) -> bool:
        """Whether an embed is sure to be taken; in direct messages it always is."""
        guild = getattr(self.channel, "guild", None)
        allowed = getattr(self.channel, "permissions_for", None)
        return guild is None or (allowed is not None and allowed(guild.me).embed_links)

    async def _ask(self, request: Coroutine[Any, Any, discord.Message], key: str) -> discord.Message:
        """The message from its answer or from the gateway, whichever comes first."""
        asking = asyncio.ensure_future(request)
        hearing = self._hear(key)
        try:
            async with asyncio.timeout(ATTEMPT_TIMEOUT):
                await asyncio.wait({asking, hearing}, return_when=asyncio.FIRST_COMPLETED)
                if not asking.done():
                    # A gateway that went away has heard nothing: then only the answer counts.
                    await asyncio.wait({asking}, timeout=None if _failed(hearing) else GRACE)
            return asking.result() if asking.done() and not _failed(asking) else _heard(hearing, asking)
        finally:
            hearing.cancel()
            _leave(asking, self._http)

    def _hear(self, key: str) -> asyncio.Future[discord.Message]:
        """What the gateway says of a message with this key; it may say nothing."""
        client = find_client(self.channel)
        if client is None or client.is_closed():
            return asyncio.get_running_loop().create_future()
        return asyncio.ensure_future(client.wait_for("message", check=lambda seen: str(seen.nonce) == key))

    def _voiced(self, parcel: Parcel) -> str:
        speaker = parcel.message.speaker
        return put_name(speaker.name if speaker else "", parcel.message.content)

    def _receipt(self, message: Message, sent: discord.Message, *changes: str) -> Receipt:
        self.know(sent.id)
        return Receipt(message, sent.id, sent.jump_url, changes=changes)


def _may_read(channel: Any) -> bool:  # noqa: ANN401 - of many kinds
    me = getattr(getattr(channel, "guild", None), "me", None)
    return me is None or bool(channel.permissions_for(me).read_message_history)


def _failed(asking: asyncio.Future[discord.Message]) -> bool:
    return asking.cancelled() or asking.exception() is not None


def _heard(
    hearing: asyncio.Future[discord.Message], asking: asyncio.Future[discord.Message]
) -> discord.Message:
    """What the gateway showed, or the failure of the request."""
    if hearing.done() and not _failed(hearing):
        return hearing.result()
    return asking.result()


def _leave(asking: asyncio.Future[discord.Message], http: object) -> None:
    """Let go of a request; discord.py may take its time to notice."""
    if asking.done():
        return
    asking.cancel()
    _LEFT.add(asking)
    asking.add_done_callback(_forget)
    asking.add_done_callback(lambda _: reopen(http))


def _forget(asking: asyncio.Future[Any]) -> None:
    _LEFT.discard(asking)
    if not asking.cancelled():
        asking.exception()

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
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import replace
from typing import Any, cast

import discord

from .._delivery import Seen
from .._delivery.error_codes import ErrorCode
from .._delivery.outbox import NOBODY, Parcel, Pings, seal
from .._errors import NoVoice, Refused, Unavailable, Uncertain
from .._events import Message, Receipt
from .._settings import LIVE_LIMIT
from . import GrowingVoices, Voices
from .api_errors import delivery_error
from .component_cards import as_card
from .request import as_allowed, as_files, content_with_name, find_http, put_name, reopening, send_and_confirm
from .request_limits import GLOBAL_SECONDS, RequestPriority, limits_of
from .revisions import (
    as_revision,
    as_seen,
    edit_and_confirm,
    find_reader,
    is_own,
    is_rich,
    is_voiced,
    note_rich,
    read_words,
    spoken_words,
)

__all__ = ["DiscordChannel"]


_NOT_EDITABLE = frozenset({ErrorCode.UNKNOWN_MESSAGE, ErrorCode.TOO_MANY_EDITS})
FILE_CAP = 10
TYPING_SHOWN = 8.0
"""Seconds for which people need not be shown again that the bot types; Discord shows it for ten."""
HISTORY = 100
"""Messages that are read back to look for one."""
READ_CAP = 500
"""Messages that are read back to go on with an answer."""


class DiscordChannel:
    """A text channel, thread or direct message as a transport; make one for each turn.

    `reply_to` is what the first message replies to. `webhooks` speak for everybody but the bot itself;
    without them, and where they cannot, the bot puts the name in front. `mentions` replaces what the settings
    say about pings. `view` are buttons that the first message is made with, `last_view` those of the last,
    `table_view` those below the picture of a table that is a card.
    """

    def __init__(
        self,
        channel: discord.abc.Messageable,
        *,
        reply_to: discord.Message | None = None,
        webhooks: Voices | None = None,
        mentions: Pings | None = None,
        view: discord.ui.View | None = None,
        last_view: discord.ui.View | None = None,
        table_view: discord.ui.View | None = None,
    ) -> None:
        self.channel = channel
        self._view, self._last_view, self._table_view = view, last_view, table_view
        self.ended = 0
        """The message that has the buttons of the last one."""
        self._dressed = 0  # the message that has the view
        self.reply_to = reply_to
        self._voices = webhooks
        self._mentions = mentions
        self._turn = secrets.token_hex(8)
        self._sent = 0
        self._named: str | None = None
        self._fronts: dict[int, str] = {}  # names that stand before messages
        self._read: dict[int, str] = {}  # what messages of another process said
        self._own = ""
        self._mute = False
        self._id: int = getattr(channel, "id", 0) or getattr(getattr(channel, "channel", None), "id", 0)
        self._http = find_http(channel)
        self._limits = limits_of(self._http)
        self._limit = self._limits.channel(self._id)
        self._anchor: int = reply_to.id if reply_to else getattr(channel, "last_message_id", None) or 0

    # --- What every transport does --------------------------------------------------------------

    async def send(self, message: Message) -> Receipt:
        """Send one message and return once it is acknowledged."""
        receipt = await self.deliver(seal(self._turn, self._sent, message))
        self._sent += 1
        return receipt

    async def typing(self) -> None:
        """Show the bot as typing for ten seconds; skipped if it is, or while more important requests wait."""
        now = asyncio.get_running_loop().time()
        if self._limits.is_busy or now < self._limit.typing_until:
            return
        try:
            await self._limits.wait(place=self.channel)
            with reopening(self._http):
                await self.channel.typing()
        except Exception as error:
            raise delivery_error(error) from error
        self._limit.typing_until = now + TYPING_SHOWN

    async def edit(self, receipt: Receipt, content: str, pings: Pings = NOBODY) -> Receipt:
        """Change the words of a message that was sent as the bot.

        Where it cannot be changed any more (deleted, or too often), what is new behind the old words is sent
        as a message of its own; the old ones are not repeated.
        """
        message = replace(receipt.message, content=content)
        place: Any = self.channel
        try:
            await self._limits.wait(place=self.channel)
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
        """Send a parcel; sent again, it is still one message."""
        parcel = replace(parcel, below=self._table_view)
        if parcel.last and self._last_view is not None:
            receipt = await self._deliver(replace(parcel, view=self._last_view))
            self.ended = receipt.id
        elif self._view is None or self._dressed:
            receipt = await self._deliver(parcel)
        else:
            receipt = await self._deliver(replace(parcel, view=self._view))
            self._dressed = receipt.id
        return receipt

    async def _deliver(self, parcel: Parcel) -> Receipt:
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
        self.know(receipt.id)
        return receipt

    async def find(self, parcel: Parcel) -> Receipt | None:
        """Read the channel back for a message of the bot with this text that has no receipt yet."""
        if parcel.message.speaker is not None and self._voices is not None and parcel.key != self._own:
            return await self._voices.find(self.channel, parcel)
        me = find_reader(self.channel).user
        wanted = {parcel.message.content.strip(), self._voiced(parcel).strip()}
        try:
            messages = await self._history(HISTORY, self._anchor)
        except Exception as error:
            raise Unavailable("the channel cannot be read back now") from error
        for seen in messages:
            new = seen.author == me and seen.id not in self._limit.known
            if new and spoken_words(seen).strip() in wanted:
                return self._receipt(parcel.message, seen)
        return None

    async def _history(self, count: int, after: int) -> list[discord.Message]:
        """Up to `count` messages after this one, oldest first."""
        behind = discord.Object(after) if after else None
        with reopening(self._http):
            read = self.channel.history(limit=count, after=behind, oldest_first=True)
            return [seen async for seen in read]

    @property
    def anchor(self) -> int:
        """The newest message that is known here."""
        return self._anchor

    async def read_back(self, after: int) -> list[Seen]:
        """Our own messages after this one, oldest first, also those of our webhooks."""
        client = find_reader(self.channel)
        try:
            await self._limits.wait(RequestPriority.FIRST, self.channel)
            messages = await self._history(READ_CAP, after)
        except Exception as error:
            raise Uncertain("the channel cannot be read back") from error
        if len(messages) == READ_CAP:
            raise Uncertain("too much was written since")
        # What this process has a receipt for belongs to other turns.
        own = [one for one in messages if is_own(one, client) and one.id not in self._limit.known]
        for seen in own:
            self.know(seen.id)
            if seen.webhook_id is None:
                self._read[seen.id] = spoken_words(seen)
        return [as_seen(seen) for seen in own]

    def know(self, message_id: int) -> None:
        """Note a message that was confirmed; a lost one is looked for among those after it."""
        self._limit.known.keep(message_id, None)
        self._anchor = max(self._anchor, message_id)

    @property
    def has_voices(self) -> bool:
        """Whether others than the bot speak here by webhooks."""
        return self._voices is not None and not self._mute

    def pause(self, message: Message) -> float:
        """Seconds until the rate limit allows this message."""
        if message.speaker is not None and self._voices is not None and not self._mute:
            return self._voices.pause(self.channel, message)
        return self._limit.pause(asyncio.get_running_loop().time())

    def lock(self) -> AbstractAsyncContextManager[object]:
        """One message at a time in this channel, whoever sends it."""
        return self._limit.lock

    # --- Messages that grow ---------------------------------------------------------------------

    async def revise(self, receipt: Receipt, parcel: Parcel) -> Receipt:
        """Make a message say this; from 2000 characters on it is one of Components V2."""
        pings = self._mentions or parcel.pings
        ends = parcel.last and self._last_view is not None
        view = self._last_view if ends else self._view if receipt.id == self._dressed else None
        parcel = replace(parcel, pings=pings, view=view, below=self._table_view)
        await self._limits.wait(RequestPriority.COURTESY, self.channel)
        self._limit.take_edit(asyncio.get_running_loop().time())
        if is_voiced(receipt):
            voices = cast("GrowingVoices", self._voices)
            changed = await voices.revise(self.channel, receipt, parcel)
            self.ended = receipt.id if ends else self.ended
            return changed
        content = put_name(self._front(receipt), parcel.message.content)
        rich = is_rich(receipt, content, parcel.message)
        changes = as_revision(content, parcel, rich=rich, dress=ends)
        try:
            with reopening(self._http):
                await edit_and_confirm(self.channel, receipt.id, content, changes, as_allowed(pings))
        except Exception as error:
            raise self._limits.note_error(delivery_error(error), getattr(error, "status", 0)) from error
        self.ended = receipt.id if ends else self.ended
        return note_rich(receipt, content, parcel.message)

    def may_attach(self, message: Message) -> bool:
        """Whether an edit of a message like this may bring files."""
        if message.speaker is not None and self.has_voices:
            return bool(getattr(self._voices, "attaches", False))
        return _may_attach(self.channel)

    async def read_growth(self, receipt: Receipt) -> Seen | None:
        """A message as it is now, without a name in front of it; `None` if nobody can tell."""
        if is_voiced(receipt):
            told = await cast("GrowingVoices", self._voices).read_growth(self.channel, receipt)
            if told is not None:
                return told
        with reopening(self._http):
            said = await read_words(self.channel, receipt.id)
        front = put_name(self._front(receipt), "x")[:-1]
        return said and replace(said, content=said.content.removeprefix(front))

    def _front(self, receipt: Receipt) -> str:
        """The name that stands in front of a message; another process may have put it there."""
        speaker = receipt.message.speaker
        if speaker is not None and self._read.pop(receipt.id, "").startswith(put_name(speaker.name, "")):
            self._fronts[receipt.id] = speaker.name
        return self._fronts.get(receipt.id, "")

    def edit_pause(self, _: Receipt) -> float:
        """Seconds until the rate limit allows an edit and still a message besides."""
        busy = GLOBAL_SECONDS if self._limits.is_busy else 0.0
        return max(busy, self._limit.edit_pause(asyncio.get_running_loop().time()))

    @contextmanager
    def watch_growth(self) -> Iterator[Callable[[], int]]:
        """Count one more message that grows in this channel."""
        self._limit.growing += 1
        try:
            yield lambda: self._limit.growing
        finally:
            self._limit.growing -= 1

    def growth_limit(self, message: Message) -> int:
        """Characters up to which a message can be made to grow; none if its voice cannot edit."""
        voiced = message.speaker is not None and self._voices is not None and not self._mute
        return 0 if voiced and not isinstance(self._voices, GrowingVoices) else LIVE_LIMIT

    # --- As the bot itself ----------------------------------------------------------------------

    async def _post(self, parcel: Parcel, name: str = "") -> Receipt:
        """Send as the bot; with a `name`, that name stands in front whenever the speaker changes."""
        message = parcel.message
        if parcel.name:
            # The bot has a key for what it says itself, and needs no name for it.
            parcel = replace(parcel, card=False, name=0)
        content = content_with_name(name if name != self._named else "", message.content)
        if len(message.files) > FILE_CAP or (message.files and not _may_attach(self.channel)):
            # Words stand for what is refused: a right that is missing would end the turn.
            raise Refused("no files here, or too many", code=ErrorCode.TOO_MANY_ATTACHMENTS)
        rank = RequestPriority.FIRST if message.reply else RequestPriority.USUAL
        await self._limits.wait(rank, self.channel)
        loop = asyncio.get_running_loop()
        self._limit.rate.take(loop.time())
        try:
            sent = await send_and_confirm(self._request(parcel, content), self.channel, parcel.key)
        except Exception as error:
            status = getattr(error, "status", 0)
            raise self._limits.note_error(delivery_error(error), status) from error
        finally:
            self._limit.learn(self._http, self._id, loop.time())
        if name and name != self._named:
            self._fronts[sent.id] = name
        self._named, self._limit.typing_until = name or None, 0.0
        changes = {"no_voice": name, "card": parcel.card}
        return self._receipt(message, sent, *(change for change, applies in changes.items() if applies))

    def _request(self, parcel: Parcel, content: str) -> Coroutine[Any, Any, discord.Message]:
        options: dict[str, Any] = {}
        pings = self._mentions or parcel.pings
        if parcel.message.reply and self.reply_to is not None:
            options["reference"] = self.reply_to.to_reference(fail_if_not_exists=False)
            # discord.py leaves a "no" out of the field unless it is told in this way.
            options["mention_author"] = pings.replied_user
        if parcel.view is not None:
            options["view"] = parcel.view
        if files := as_files(parcel.message):
            options["files"] = files
        if parcel.card:
            options["view"], content = as_card(content, parcel), ""
        elif parcel.message.notice and self._shows_embeds():
            options["embed"] = discord.Embed(description=content.removeprefix("-# "))
            content = ""
        return self.channel.send(
            content or None,
            nonce=parcel.key,
            allowed_mentions=as_allowed(pings),
            suppress_embeds=not parcel.previews,
            silent=parcel.silent,
            **options,
        )

    def _shows_embeds(self) -> bool:
        """Whether an embed is sure to be shown; in direct messages it always is."""
        guild = getattr(self.channel, "guild", None)
        allowed = getattr(self.channel, "permissions_for", None)
        return guild is None or (allowed is not None and allowed(guild.me).embed_links)

    def _voiced(self, parcel: Parcel) -> str:
        speaker = parcel.message.speaker
        return put_name(speaker.name if speaker else "", parcel.message.content)

    def _receipt(self, message: Message, sent: discord.Message, *changes: str) -> Receipt:
        self.know(sent.id)
        return Receipt(message, sent.id, sent.jump_url, changes=changes)


def _may_attach(channel: Any) -> bool:  # noqa: ANN401 - of many kinds
    """Whether a file may be sent, as far as anybody knows."""
    me = getattr(getattr(channel, "guild", None), "me", None)
    allowed = getattr(channel, "permissions_for", None)
    return me is None or allowed is None or bool(allowed(me).attach_files)

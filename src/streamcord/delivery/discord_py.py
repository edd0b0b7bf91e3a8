"""Channels, threads and direct messages of discord.py as transports.

    await say(DiscordChannel(message.channel, reply_to=message), my_model(message.content))

Whom a message may ping is said with every request, since Discord's default is everybody it names.
"""

from __future__ import annotations

import asyncio
import io
import secrets
import weakref
from contextlib import AbstractAsyncContextManager

import discord

from ..errors import NoVoice
from ..events import Attachment, Message, Receipt
from .complaints import complaint
from .parcel import NOBODY, Parcel, Pings, seal
from .voices import Voices

__all__ = ["DiscordChannel"]

MENTION_CAP = 100
"""People that Discord lets one message allow to be pinged, at most."""

_LANES: weakref.WeakValueDictionary[tuple[int, int], asyncio.Lock] = weakref.WeakValueDictionary()


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
        self._lane = self._find_lane()

    async def send(self, message: Message) -> Receipt:
        """Send one message, and come back once it is acknowledged."""
        receipt = await self.deliver(seal(self._turn, self._sent, message))
        self._sent += 1
        return receipt

    async def typing(self) -> None:
        """Show the bot as typing for ten seconds."""
        try:
            await self.channel.typing()
        except Exception as error:
            raise complaint(error) from error

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send a parcel; again, and it is still one message."""
        speaker = parcel.message.speaker
        if speaker is None or self._voices is None:
            return await self._post(parcel, "" if speaker is None else speaker.name)
        try:
            reply_to = self.reply_to if parcel.message.reply else None
            return await self._voices.deliver(self.channel, parcel, reply_to=reply_to)
        except NoVoice:
            return await self._post(parcel, speaker.name)

    def pause(self, message: Message) -> float:
        """Seconds until one more message of its speaker is welcome."""
        if message.speaker is not None and self._voices is not None:
            return self._voices.pause(self.channel, message)
        return 0.0

    def lane(self) -> AbstractAsyncContextManager[object]:
        """One message at a time in this channel, whoever sends it."""
        return self._lane

    def _find_lane(self) -> asyncio.Lock:
        place = id(asyncio.get_running_loop()), getattr(self.channel, "id", id(self.channel))
        return _LANES.setdefault(place, asyncio.Lock())

    async def _post(self, parcel: Parcel, name: str = "") -> Receipt:
        """As the bot itself; somebody else's name stands in front."""
        message = parcel.message
        content = f"**{discord.utils.escape_markdown(name)}:** {message.content}" if name else message.content
        reference = None
        if message.reply and self.reply_to is not None:
            reference = self.reply_to.to_reference(fail_if_not_exists=False)
        try:
            sent = await self.channel.send(
                content or None,
                files=[as_file(file) for file in message.files if isinstance(file, Attachment)],
                nonce=parcel.key,
                allowed_mentions=as_allowed(self._mentions or parcel.pings),
                reference=reference,  # type: ignore[arg-type]
                suppress_embeds=not parcel.previews,
            )
        except Exception as error:
            raise complaint(error) from error
        return Receipt(message, sent.id, sent.jump_url, changes=("no_voice",) if name else ())


def as_file(file: Attachment) -> discord.File:
    """The file as discord.py takes it, with its alt text."""
    return discord.File(io.BytesIO(file.content), file.name, description=file.alt or None)


def as_allowed(pings: Pings = NOBODY) -> discord.AllowedMentions:
    """Every field said, so that no default of the client or of Discord fills a gap."""
    users: bool | list[discord.Object]
    if isinstance(pings.users, bool):
        users = pings.users
    else:
        users = [discord.Object(user) for user in dict.fromkeys(pings.users)][:MENTION_CAP]
    return discord.AllowedMentions(
        everyone=False, users=users, roles=pings.roles, replied_user=pings.replied_user
    )

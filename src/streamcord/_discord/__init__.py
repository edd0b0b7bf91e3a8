"""The way out into Discord, with discord.py, and what it asks of those who speak for others.

Messages under other names than the bot's are sent by `Voices`: `Webhooks`, or a class of your own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .._shared.setup import require

if TYPE_CHECKING:
    import discord

    from .._delivery import Seen
    from .._delivery.outbox import Parcel
    from .._events import Message, Receipt

__all__ = ["GrowingVoices", "Voices"]

require("discord", "streamcord.discord needs discord.py", "discord")


class Voices(Protocol):
    """Sends messages under other names than the bot's; one object may serve all channels of a bot.

    A `DiscordChannel` calls it for every message whose `speaker` is not `None`, one at a time per channel.
    """

    async def deliver(
        self, channel: discord.abc.Messageable, parcel: Parcel, *, reply_to: discord.Message | None = None
    ) -> Receipt:
        """Send `parcel.message` under its speaker's name and return once Discord has acknowledged it.

        `reply_to` is given with the first message of a turn only. The parcel may come again after an error,
        with the same key: nothing may be said twice. What may be raised, and what the courier then does:

        - `NoVoice`: nothing was sent; the bot says it itself, with the name in front.
        - `Unavailable`: certainly not sent; the same parcel comes again after `retry_after` or a pause.
        - `Uncertain`: it may have arrived; if `retryable`, the parcel comes again, and whoever delivers it
          looks first; else the part is reported, not sent again.
        - `Refused`: by Discord's code: split again, without its files, its fallback, or given up.
        - `ChannelGone`, `NotAllowed`: the turn ends.
        """
        ...

    async def find(self, channel: discord.abc.Messageable, parcel: Parcel) -> Receipt | None:
        """The receipt of a parcel that arrived after all, or `None`; `Uncertain` if nobody can tell."""
        ...

    def pause(self, channel: discord.abc.Messageable, message: Message) -> float:
        """Seconds until the rate limit allows another message of this speaker; 0 means now."""
        ...


@runtime_checkable
class GrowingVoices(Protocol):
    """Voices whose messages can grow."""

    async def revise(self, channel: discord.abc.Messageable, receipt: Receipt, parcel: Parcel) -> Receipt:
        """Make a message that was sent under another name say this."""
        ...

    async def read_growth(self, channel: discord.abc.Messageable, receipt: Receipt) -> Seen | None:
        """Such a message as it is now; `None` if nobody can tell."""
        ...

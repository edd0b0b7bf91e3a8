"""Who speaks when it is not the bot itself: the seam between a channel and its webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import discord

    from .._delivery.transport import Parcel
    from .._events import Message, Receipt

__all__ = ["Voices"]


class Voices(Protocol):
    """Speaks as others in a channel; one object may serve all channels of a bot.

    A `DiscordChannel` calls it for every message whose `speaker` is not `None`, one at a time per channel.
    """

    async def deliver(
        self, channel: discord.abc.Messageable, parcel: Parcel, *, reply_to: discord.Message | None = None
    ) -> Receipt:
        """Say `parcel.message` as its speaker and return once Discord has acknowledged it.

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
        """The receipt of a parcel that arrived after all; nothing if it did not, `Uncertain` if unknown."""
        ...

    def pause(self, channel: discord.abc.Messageable, message: Message) -> float:
        """Seconds until Discord takes another message of this speaker without a refusal; 0 is now."""
        ...

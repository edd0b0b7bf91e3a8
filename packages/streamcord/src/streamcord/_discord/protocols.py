"""Protocols for senders of persona messages: implemented by `Webhooks`, or by a class of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import discord

    from .._delivery.outgoing import OutgoingMessage
    from .._delivery.transport import FetchedMessage
    from .._events import Message, Receipt

__all__ = ["EditableWebhookSender", "WebhookSender"]


class WebhookSender(Protocol):
    """Sends messages under other names than the bot's; one object may serve all channels of a bot.

    A `DiscordChannel` calls it for every message whose `speaker` is not `None`, one at a time per channel.
    """

    async def deliver(
        self,
        channel: discord.abc.Messageable,
        outgoing: OutgoingMessage,
        *,
        reply_to: discord.Message | None = None,
    ) -> Receipt:
        """Send `outgoing.message` under its speaker's name and return once Discord has acknowledged it.

        `reply_to` is given with the first message of a turn only. The message may be passed again after an error,
        with the same key: nothing may be said twice. What may be raised, and what the sender then does:

        - `WebhookUnavailable`: nothing was sent; the bot says it itself, with the name in front.
        - `Unavailable`: certainly not sent; the same message is passed again after `retry_after` or a pause.
        - `Uncertain`: it may have arrived; if `retryable`, the message is passed again, and the implementation
          looks first; else the part is reported, not sent again.
        - `Refused`: by Discord's code: split again, without its files, its fallback, or given up.
        - `ChannelGone`, `NotAllowed`: the turn ends.
        """
        ...

    async def find(self, channel: discord.abc.Messageable, outgoing: OutgoingMessage) -> Receipt | None:
        """The receipt of a message that arrived after all, or `None`; `Uncertain` if that is unknown."""
        ...

    def pause(self, channel: discord.abc.Messageable, message: Message) -> float:
        """Seconds until the rate limit allows another message of this speaker; 0 means now."""
        ...


@runtime_checkable
class EditableWebhookSender(Protocol):
    """A webhook sender whose messages can be edited, for live delivery."""

    async def edit_message(
        self, channel: discord.abc.Messageable, receipt: Receipt, outgoing: OutgoingMessage
    ) -> Receipt:
        """Make a message that was sent under another name say this."""
        ...

    async def fetch_live(self, channel: discord.abc.Messageable, receipt: Receipt) -> FetchedMessage | None:
        """Such a message as it is now; `None` if that is unknown."""
        ...

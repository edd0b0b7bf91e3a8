"""Protocols for senders of persona messages: implemented by `Webhooks`, or by a class of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import discord

    from .._delivery.outgoing import OutgoingMessage
    from .._delivery.transport import FetchedMessage
    from .._events import Message, Receipt


class WebhookSender(Protocol):
    """Protocol: sends messages under other names than the bot's; one object may serve all channels of a bot.

    A `DiscordChannel` calls it for every message whose `speaker` is not `None`, one at a time per channel.
    `Webhooks` is the implementation of this package.

    Example:
        class Proxy:
            async def deliver(self, channel, outgoing, *, reply_to=None):
                message = outgoing.message
                return Receipt(message, await self.post(channel.id, message.speaker.name, message.content))

            async def find(self, channel, outgoing):
                raise DeliveryUncertain("this proxy keeps no history")

            def pause(self, channel, message):
                return 0.0

        DiscordChannel(channel, webhooks=Proxy())

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
        - `DeliveryUnavailable`: certainly not sent; the same message is passed again after `retry_after` or a pause.
        - `DeliveryUncertain`: it may have arrived; if `retryable`, the message is passed again, and the implementation
          looks first; else the part is reported, not sent again.
        - `MessageRefused`: by Discord's code: split again, without its files, its fallback, or given up.
        - `ChannelGone`, `NotAllowed`: the turn ends.
        """

    async def find(self, channel: discord.abc.Messageable, outgoing: OutgoingMessage) -> Receipt | None:
        """Return the receipt of a message that arrived after all, or `None` if it certainly did not.

        Raises:
            DeliveryUncertain: That cannot be known.

        """

    def pause(self, channel: discord.abc.Messageable, message: Message) -> float:
        """Return the seconds until the rate limit allows another message of this speaker; 0 means now."""


@runtime_checkable
class EditableWebhookSender(Protocol):
    """A webhook sender whose messages can be edited, for live delivery."""

    async def edit_message(
        self, channel: discord.abc.Messageable, receipt: Receipt, outgoing: OutgoingMessage
    ) -> Receipt:
        """Edit a message that was sent under another name; repeating the edit is harmless."""

    async def fetch_live(self, channel: discord.abc.Messageable, receipt: Receipt) -> FetchedMessage | None:
        """Return such a message as it is now; `None` if that is unknown."""

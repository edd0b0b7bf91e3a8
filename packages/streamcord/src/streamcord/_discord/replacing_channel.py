"""A channel in which a new answer takes the place of an earlier one: its messages are edited, not sent again.

A message can be edited into another one if the same speaker says both and neither has files: Discord changes the
text of a message, but not the name and avatar of a webhook's message. From the first message that does not fit, the
answer is sent as usual, because later messages must be below earlier ones.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import discord

from .._delivery.outgoing import OutgoingMessage
from .._events import Receipt
from .._exceptions import MessageRefused, NotAllowed, WebhookUnavailable
from .channel import DiscordChannel
from .edits import sent_by_webhook
from .protocols import EditableWebhookSender

_LASTING_CHANGES = frozenset({"v2", "no_reply", "identity"})
"""Changes of a receipt that an edit does not undo."""


class ReplacingChannel(DiscordChannel):
    """A channel in which messages of an earlier answer become those of the new one.

    Args:
        channel: where to send.
        replaced: the receipts of the earlier answer, in order.
        **options: those of `DiscordChannel`.

    Example:
        channel = ReplacingChannel(message.channel, replaced=result.receipts, reply_to=message)
        again = await say(channel, my_model(message.content))
        for id_ in channel.unused:
            await message.channel.get_partial_message(id_).delete()

    """

    def __init__(
        self,
        channel: discord.abc.Messageable,
        *,
        replaced: Sequence[Receipt],
        **options: Any,  # noqa: ANN401 - those of the class above
    ) -> None:
        super().__init__(channel, **options)
        # Messages that may still become messages of the new answer, in order.
        self._earlier = deque(receipt for receipt in replaced if receipt.id)
        # Messages of the earlier answer that the new one does not use (so far).
        self._unused = [receipt.id for receipt in self._earlier]

    @property
    def unused(self) -> tuple[int, ...]:
        """Ids of messages of the earlier answer that the new answer did not need: delete them at its end."""
        return tuple(self._unused)

    async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
        """Edit the next message of the earlier answer, or send a new one."""
        if not (self._earlier and self._fits(self._earlier[0], outgoing)):
            self._earlier.clear()
            return await super().deliver(outgoing)
        earlier = self._earlier[0]
        try:
            receipt = await self._replace(earlier, outgoing)
        except (MessageRefused, NotAllowed, WebhookUnavailable):
            # It was deleted, or cannot be edited any more.
            self._earlier.clear()
            return await super().deliver(outgoing)
        # After any other error the same message is delivered again, and finds the same place.
        self._earlier.popleft()
        self._unused.remove(receipt.id)
        return receipt

    async def _replace(self, earlier: Receipt, outgoing: OutgoingMessage) -> Receipt:
        ends = outgoing.last and self._last_view is not None
        begins = not ends and self._view is not None and not self.begun
        view = self._last_view if ends else self._view if begins else None
        await self._limits.wait(place=self.channel)
        self._limit.take_edit(asyncio.get_running_loop().time())
        changes = tuple(one for one in earlier.changes if one in _LASTING_CHANGES)
        receipt = replace(earlier, message=outgoing.message, changes=changes, frames=())
        edited = await self._edit(
            receipt, replace(outgoing, view=view, below=self._table_view), with_view=True
        )
        self.ended = edited.id if ends else self.ended
        self.begun = edited.id if begins else self.begun
        self._limit.typing_until = 0.0
        self.mark_confirmed(edited.id)
        return edited

    def _fits(self, earlier: Receipt, outgoing: OutgoingMessage) -> bool:
        """Whether an edit can make this message of it."""
        message = outgoing.message
        if earlier.message.files or message.files or message.notice or "no_webhook" in earlier.changes:
            return False
        if earlier.message.speaker != message.speaker:
            return False
        return not sent_by_webhook(earlier) or (
            self.has_webhooks and isinstance(self._webhooks, EditableWebhookSender)
        )

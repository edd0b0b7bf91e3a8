"""Find out whether only the user who asked may see the replies to an interaction.

Discord decides it for each follow-up by a flag of its own: a follow-up without the flag is public even if the first
reply is ephemeral (https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages).
discord.py does not keep how it acknowledged an interaction, so the first reply is fetched once. Until the answer is
known, it counts as private.
"""

from __future__ import annotations

from typing import Any

import discord

from .._exceptions import DeliveryError
from .raw_http import RawHttp

EPHEMERAL = 1 << 6
"""The message flag: https://docs.discord.com/developers/resources/message#message-object-message-flags"""

_WITH_REPLY = {
    discord.InteractionResponseType.channel_message,
    discord.InteractionResponseType.deferred_channel_message,
}


class ReplyPrivacy:
    """Whether the replies to one interaction are private.

    Args:
        interaction: The interaction.
        wanted: What the caller asked for; None inherits it from the first reply, or from the message whose button
            was pressed.

    """

    def __init__(self, interaction: discord.Interaction[Any], wanted: bool | None) -> None:
        self._interaction = interaction
        pressed = interaction.message is not None and interaction.message.flags.ephemeral
        self.wanted = pressed if wanted is None else wanted
        """What our own acknowledgement asks for."""
        # None until it is known.
        self._private = wanted
        # Whether other code acknowledged the interaction in a way that discord.py does not know.
        self._answered = False

    @property
    def assumed(self) -> bool:
        """Whether replies are private, as far as is known now."""
        if self._private is not None:
            return self._private
        return self.wanted or self._answered or self._interaction.response.is_done()

    def decide(self) -> None:
        """Record that the interaction was acknowledged as `wanted`."""
        if self._private is None:
            self._private = self.wanted

    def on_answered_elsewhere(self) -> None:
        """Record that other code has acknowledged the interaction."""
        self._answered = True

    async def learn(self) -> bool:
        """Return whether replies are private; asks Discord once if other code acknowledged the interaction."""
        if self._private is None and (self._answered or self._interaction.response.is_done()):
            self._private = await self._inherit()
        return self.assumed

    async def _inherit(self) -> bool | None:
        """Return what the first reply says; None if that cannot be known now."""
        if not self._answered and self._interaction.response.type not in _WITH_REPLY:
            # A form or a changed message is no reply of its own.
            return self.wanted
        webhook = self._interaction.followup
        http = RawHttp(webhook.session, webhook.proxy, webhook.proxy_auth)
        path = f"/webhooks/{self._interaction.application_id}/{self._interaction.token}/messages/@original"
        try:
            answer = await http.request("GET", path)
        except DeliveryError:
            return None
        flags = answer.body.get("flags", 0)
        if not (
            answer.ok and answer.is_message_of(self._interaction.channel_id or 0) and isinstance(flags, int)
        ):
            return None
        return bool(flags & EPHEMERAL)

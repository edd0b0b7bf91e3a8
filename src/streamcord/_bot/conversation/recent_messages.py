"""The last messages of the channels in which the bot speaks, kept as the gateway tells of them.

A channel is read from Discord once; from then on the gateway says what is new, changed or gone, so that no
answer has to wait for a request. After a session that was not resumed something may be missing, and all is
forgotten.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

import discord

__all__ = ["MESSAGE_CAP", "Recollection"]

MESSAGE_CAP = 100
CHANNEL_CAP = 500


class Recollection:
    """Messages by channel and id; only of channels that somebody asked for."""

    def __init__(self, message_cap: int = MESSAGE_CAP, channel_cap: int = CHANNEL_CAP) -> None:
        self._message_cap = message_cap
        self._channel_cap = channel_cap
        self._channels: OrderedDict[int, dict[int, discord.Message]] = OrderedDict()
        self._read: set[int] = set()

    def open(self, channel: int) -> None:
        """Listen to a channel, before it is read, so that nothing falls in between."""
        self._channels.setdefault(channel, {})
        self._channels.move_to_end(channel)
        if len(self._channels) > self._channel_cap:
            oldest, _ = self._channels.popitem(last=False)
            self._read.discard(oldest)

    def fill(self, channel: int, messages: Iterable[discord.Message]) -> None:
        """What Discord said were the newest messages of a channel that was opened."""
        if channel in self._channels:
            told = self._channels[channel]
            # What the gateway told meanwhile is newer than what was read.
            self._channels[channel] = {**{one.id: one for one in messages}, **told}
            self._read.add(channel)
            self._trim(channel)

    def find(self, channel: int, last: int, count: int) -> list[discord.Message] | None:
        """So many messages up to this one, the newest first; nothing if the channel was not read."""
        if channel not in self._read or count > self._message_cap:
            return None
        self._channels.move_to_end(channel)
        known = self._channels[channel]
        return [known[id_] for id_ in sorted(known, reverse=True) if id_ <= last][:count]

    def note(self, message: discord.Message) -> None:
        """A message is new, or was changed."""
        if message.channel.id in self._channels:
            self._channels[message.channel.id][message.id] = message
            self._trim(message.channel.id)

    def change(self, message: discord.Message) -> None:
        """A message was changed; one that we do not have stays unknown."""
        if message.id in self._channels.get(message.channel.id, {}):
            self._channels[message.channel.id][message.id] = message

    def drop(self, channel: int, ids: Iterable[int]) -> None:
        """Messages are gone."""
        known = self._channels.get(channel, {})
        for id_ in ids:
            known.pop(id_, None)

    def forget(self) -> None:
        """Something may have happened that nobody told us."""
        self._channels.clear()
        self._read.clear()

    def _trim(self, channel: int) -> None:
        known = self._channels[channel]
        for id_ in sorted(known)[: max(0, len(known) - self._message_cap)]:
            del known[id_]

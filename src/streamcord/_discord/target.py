"""Which transport a channel, message, interaction or command context of discord.py is."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import discord

from .._delivery.transport import Transport
from .._errors import DeliveryError
from .channel import DiscordChannel
from .interaction import DiscordInteraction
from .library_internals import find_client

__all__ = ["Target", "find_transport"]

Target: TypeAlias = Transport | discord.abc.Messageable | discord.Message | discord.Interaction[Any]
"""Where `say` can send to: a transport, or an object of discord.py as it is."""


def find_transport(target: object) -> Transport | None:
    """The transport for an object of discord.py; none if it is something else."""
    if isinstance(target, discord.Interaction):
        return DiscordInteraction(_open(target))
    if isinstance(target, discord.Message | discord.PartialMessage):
        return DiscordChannel(_open(target.channel), reply_to=cast("discord.Message", target))
    if not isinstance(target, discord.abc.Messageable):
        _refuse(target)
        return None
    if isinstance(target, discord.abc.User):
        raise TypeError(
            f"say() cannot send to a {type(target).__name__}, who has no channel yet: "
            "write `say(await user.create_dm(), ...)`"
        )
    if isinstance(message := getattr(target, "message", None), discord.Message):
        # A context of discord.ext.commands: of a slash command, or of a message that called one.
        return find_transport(getattr(target, "interaction", None) or message)
    return DiscordChannel(_open(target))


def _refuse(target: object) -> None:
    """Other objects of discord.py people cannot be answered in; what is none of them is not our matter."""
    kind = type(target)
    if kind.__module__.partition(".")[0] != "discord":
        return
    advice = "give it a text channel, thread, message or interaction"
    if hasattr(target, "create_thread"):
        advice = "it holds threads: give it one of them"
    if isinstance(target, discord.Webhook):
        advice = "give it the channel: `DiscordChannel(channel, webhooks=Webhooks(client))` speaks by webhook"
    raise TypeError(f"say() cannot send to a discord.{kind.__name__}: {advice}")


def _open(place: Any) -> Any:  # noqa: ANN401 - of many kinds
    """The place, if its client can still send."""
    client = find_client(place)
    if client is not None and client.is_closed():
        raise DeliveryError(
            "this channel belongs to a discord.py client that is closed: use one of a running client"
        )
    return place

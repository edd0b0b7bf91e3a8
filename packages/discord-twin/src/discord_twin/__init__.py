"""A local Discord server for tests: REST, gateway, webhooks, interactions, rate limits and injected faults.

`Client`, `RunBot`, `connect_discord_py`, `make_client` and `running` need discord.py, which is imported when
one of them is used first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .clock import Clock, DrivenClock, RealClock, ScaledClock
from .faults import ACTS, BLOCKS, LOSSES, Fault, FaultKind, Faults, seeded
from .options import DEFAULT_BUCKETS, Limit, TwinOptions
from .request_log import Log, Ping, Push, Record, TypingCall
from .server import Twin, serve
from .state.message_serializers import group_messages
from .state.models import Channel, ChannelType, Interaction, Message, MessageFlag, Role, User, Webhook
from .state.permissions import Permission
from .state.state import Event, State
from .users.fake_user import ActionUnavailable, FakeUser
from .web_ui.app import WebUI

if TYPE_CHECKING:
    from .discord_py import Client, RunBot, connect_discord_py, make_client, running

__version__ = "0.1.0"

__all__ = [
    "ACTS",
    "BLOCKS",
    "DEFAULT_BUCKETS",
    "LOSSES",
    "ActionUnavailable",
    "Channel",
    "ChannelType",
    "Client",
    "Clock",
    "DrivenClock",
    "Event",
    "FakeUser",
    "Fault",
    "FaultKind",
    "Faults",
    "Interaction",
    "Limit",
    "Log",
    "Message",
    "MessageFlag",
    "Permission",
    "Ping",
    "Push",
    "RealClock",
    "Record",
    "Role",
    "RunBot",
    "ScaledClock",
    "State",
    "Twin",
    "TwinOptions",
    "TypingCall",
    "User",
    "WebUI",
    "Webhook",
    "connect_discord_py",
    "group_messages",
    "make_client",
    "running",
    "seeded",
    "serve",
]

# discord.py is an optional dependency, so these names are imported on first use.
_NEED_DISCORD_PY = frozenset({"Client", "RunBot", "connect_discord_py", "make_client", "running"})


def __getattr__(name: str) -> object:
    if name not in _NEED_DISCORD_PY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import discord_py  # noqa: PLC0415 - discord.py is optional

    return getattr(discord_py, name)

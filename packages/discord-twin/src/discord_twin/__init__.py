"""A local Discord server for tests: REST, gateway, webhooks, interactions, rate limits and injected faults.

The names that need discord.py are in `discord_twin.discord_py`: `Client`, `RunBot`, `connect_discord_py`,
`make_client` and `running`.
"""

from __future__ import annotations

from .clock import AdjustableClock, Clock, DrivenClock, RealClock, ScaledClock
from .context import BotError
from .control import ControlApi
from .dated_changes import CHANGES, Change
from .faults import ACTS, BLOCKS, LOSSES, Fault, FaultKind, Faults, seeded
from .openapi import ApiDescription, Conformance, DescriptionError, Violation
from .options import DEFAULT_BUCKETS, Limit, TwinOptions
from .request_log import Log, Ping, Push, Record, SentEvent, TypingCall
from .server import Twin, serve
from .state.enums import ChannelType, MessageFlag
from .state.message_serializers import group_messages
from .state.models import Channel, Interaction, Message, Role, User, Webhook
from .state.permissions import Permission
from .state.state import Event, State
from .users.fake_user import ActionUnavailable, FakeUser
from .web_ui.app import WebUI

__version__ = "0.1.0"

__all__ = [
    "ACTS",
    "BLOCKS",
    "CHANGES",
    "DEFAULT_BUCKETS",
    "LOSSES",
    "ActionUnavailable",
    "AdjustableClock",
    "ApiDescription",
    "BotError",
    "Change",
    "Channel",
    "ChannelType",
    "Clock",
    "Conformance",
    "ControlApi",
    "DescriptionError",
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
    "ScaledClock",
    "SentEvent",
    "State",
    "Twin",
    "TwinOptions",
    "TypingCall",
    "User",
    "Violation",
    "WebUI",
    "Webhook",
    "group_messages",
    "seeded",
    "serve",
]

"""A local Discord on loopback: REST, gateway, webhooks, interactions, rate limits and faults on demand."""

from __future__ import annotations

from .clock import Clock, DrivenClock, RealClock, ScaledClock
from .faults import ACTS, BLOCKS, LOSSES, Fault, FaultKind, Faults, seeded
from .grouping import group_messages
from .log import Log, Ping, Record, TypingCall
from .model import Channel, ChannelType, Interaction, Message, User, Webhook
from .page import Page
from .permissions import Permission
from .server import Twin, serve
from .state import Event, State
from .switches import DEFAULT_BUCKETS, Limit, Switches

__all__ = [
    "ACTS",
    "BLOCKS",
    "DEFAULT_BUCKETS",
    "LOSSES",
    "Channel",
    "ChannelType",
    "Clock",
    "DrivenClock",
    "Event",
    "Fault",
    "FaultKind",
    "Faults",
    "Interaction",
    "Limit",
    "Log",
    "Message",
    "Page",
    "Permission",
    "Ping",
    "RealClock",
    "Record",
    "ScaledClock",
    "State",
    "Switches",
    "Twin",
    "TypingCall",
    "User",
    "Webhook",
    "group_messages",
    "seeded",
    "serve",
]

"""A local Discord on loopback: REST, gateway, webhooks, interactions, rate limits and faults on demand."""

from __future__ import annotations

from ._twin.clock import Clock, DrivenClock, RealClock, ScaledClock
from ._twin.faults import ACTS, BLOCKS, LOSSES, Fault, FaultKind, Faults, seeded
from ._twin.log import Log, Ping, Push, Record, TypingCall
from ._twin.page import Page
from ._twin.people.acting_person import ActingPerson, NotOffered
from ._twin.server import Twin, serve
from ._twin.state import Event, State
from ._twin.state.message_shapes import group_messages
from ._twin.state.model import Channel, ChannelType, Interaction, Message, MessageFlag, Role, User, Webhook
from ._twin.state.permissions import Permission
from ._twin.switches import DEFAULT_BUCKETS, Limit, Switches

__all__ = [
    "ACTS",
    "BLOCKS",
    "DEFAULT_BUCKETS",
    "LOSSES",
    "ActingPerson",
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
    "MessageFlag",
    "NotOffered",
    "Page",
    "Permission",
    "Ping",
    "Push",
    "RealClock",
    "Record",
    "Role",
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

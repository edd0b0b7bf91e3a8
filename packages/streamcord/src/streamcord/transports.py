"""Protocols for your own transport: what a class may have beside `send` and `typing`, and what it gets for it.

`Transport` is enough to send messages. `EditableTransport` adds live messages, `LiveTransport` live messages with
limits of their own, `ReliableTransport` repeated requests without duplicates, and `ReadableTransport` recovery
after a restart. A class needs no base class: its methods decide.
"""

from ._delivery.clock import Sleep
from ._delivery.outgoing import AllowedMentions, OutgoingMessage
from ._delivery.transport import (
    AttachingTransport,
    Clocked,
    EditableTransport,
    FetchedMessage,
    LiveTransport,
    PlaceholderTransport,
    PrivateTransport,
    ReadableTransport,
    ReliableTransport,
    Transport,
)

__all__ = [
    "AllowedMentions",
    "AttachingTransport",
    "Clocked",
    "EditableTransport",
    "FetchedMessage",
    "LiveTransport",
    "OutgoingMessage",
    "PlaceholderTransport",
    "PrivateTransport",
    "ReadableTransport",
    "ReliableTransport",
    "Sleep",
    "Transport",
]

"""The history of one message: every request and every event that was about it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from .views import event_view, request_view

if TYPE_CHECKING:
    from ..request_log import Record
    from ..server import Twin
    from ..state.models import Json

MAX_SCANNED_REQUESTS = 20_000
"""Newest requests that are searched for those about one message."""


def message_history(twin: Twin, message_id: int) -> Json:
    """Return the requests and events that were about one message, oldest first; it may be gone."""
    named = f"/{message_id}"
    newest = islice(reversed(twin.log.requests), MAX_SCANNED_REQUESTS)
    requests = [one for one in newest if _is_about(one, message_id, named)]
    events = [one for one in twin.log.events if one.message_id == message_id]
    return {
        "requests": [request_view(one) for one in reversed(requests)],
        "events": [event_view(one) for one in events],
    }


def _is_about(record: Record, message_id: int, named: str) -> bool:
    if record.message is not None and record.message.id == message_id:
        return True
    return f"{named}/" in record.path or record.path.partition("?")[0].endswith(named)

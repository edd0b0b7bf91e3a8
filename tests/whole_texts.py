"""What a text becomes, through the whole core: the same whole and per character, and nothing is lost."""

from __future__ import annotations

from typing import Any

from conservation import conserve
from streamcord import Message, Pipeline
from streamcord.settings import read_settings

__all__ = ["messages_of"]


def messages_of(text: str, **settings: Any) -> list[str]:
    """The messages of a text, as they are sent."""
    ways = []
    for size in (len(text) or 1, 1):
        chosen, context = read_settings({"humanize": False, "message_cap": 0, **settings})
        pipeline = Pipeline(chosen, context=context)
        events = [event for at in range(0, len(text), size) for event in pipeline.feed(text[at : at + size])]
        events += pipeline.flush()
        assert conserve(text, events).violations == []
        ways.append([event.content for event in events if isinstance(event, Message)])
    assert ways[0] == ways[1]
    return ways[0]

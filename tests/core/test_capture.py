"""Thoughts and details leave the answer, however the stream cuts their tags, and nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from streamcord.core.capture import TAG_HOLD, BlockCapture
from streamcord.core.fences import FENCED
from streamcord.core.lines import WHITE_HOLD
from streamcord.events import Captured, Dropped, Visible
from streamcord.settings import Settings

T = "```"
Event = Visible | Captured | Dropped


def run(text: str, pieces: list[str] | None = None, **settings: Any) -> list[Event]:
    capture = BlockCapture(Settings(**settings))
    events: list[Event] = []
    for piece in [text] if pieces is None else pieces:
        events += capture.feed(piece)
    return events + capture.flush()


def shown(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Visible))


def taken(events: list[Event]) -> list[tuple[str, str]]:
    return [(event.kind, event.text) for event in events if isinstance(event, Captured)]


def check(text: str, visible: str, captured: list[tuple[str, str]], **settings: Any) -> None:
    for pieces in ([text], list(text), [text[:7], text[7:]]):
        events = run(text, pieces, **settings)
        assert (shown(events), taken(events)) == (visible, captured)
        assert account(events) == text


def account(events: list[Event]) -> str:
    """The source, from what is said about its characters; unknown ones (tags) are not spelt out."""
    source: dict[int, str] = {}
    for event in events:
        spans = ((event.start, event.start + len(event.text)),) if isinstance(event, Visible) else event.spans
        places = [at for start, end in spans for at in range(start, end)]
        assert not source.keys() & set(places)
        told = event.text if not isinstance(event, Captured) else ""
        source |= dict(zip(places, told or SOURCE.from_places(places), strict=True))
    assert sorted(source) == list(range(len(source)))
    return "".join(source[at] for at in sorted(source))


class Source:
    """The text of the running test: captured blocks do not repeat their tags."""

    text = ""

    def from_places(self, places: list[int]) -> str:
        return "".join(self.text[at] for at in places)


SOURCE = Source()

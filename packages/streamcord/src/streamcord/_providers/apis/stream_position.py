"""Follow the ids of a stream's events, so that the stream can be taken up again after the last one.

OpenAI numbers the events of a response, Google gives them opaque ids. A server that takes a stream up again may repeat
events, begin from the start or leave some out. What is repeated is skipped. If events are missing, or belong to another
answer, the stream has failed: words would be lost.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from ..._events import StreamPosition
from ..tool_calls import CallAssembler
from .base import Decoder, Request, truncated

MAX_ID_CHARS = 1024

_NUMBER = re.compile(r"(.*?)(\d{1,18})")


class StreamPositionTracker:
    """Where the reader of a stream is.

    Args:
        resumed: The position at which the stream was taken up again; None if it is the first one.

    """

    def __init__(self, resumed: StreamPosition | None = None) -> None:
        self._resumed = resumed
        self._response = resumed.response if resumed else ""
        self._last = resumed.after if resumed else ""
        # Whether each id so far was the number after the one before.
        self._is_counted = resumed.is_counted if resumed else True
        self._events = 0
        # Whether the server has begun from the start, and the last event that we know is still to come.
        self._skips = False
        # The event that is read now, and the last one after which the stream can be taken up.
        self._current = ""
        self._safe = self._last

    def accept(self, event: str, response: str = "", *, is_start: bool = False) -> bool:
        """Begin to read an event; return whether it is new.

        Args:
            event: The id of the event; empty if it has none.
            response: The id of the answer, if the event names it.
            is_start: Whether such an event comes only at the start of a stream.

        Raises:
            Truncated: The stream was taken up at another place, or it is another answer.

        """
        if response and self._response and response != self._response:
            raise truncated("The provider continued with another answer.")
        self._response = self._response or response[: MAX_ID_CHARS + 1]
        self._current = event
        self._events += 1
        if self._resumed is None or not event:
            return not self._skips
        if self._is_counted:
            return self._is_next(event)
        if self._events == 1 and is_start and event != self._resumed.after:
            self._skips = True
        if event == self._resumed.after:
            self._skips = False
            return False
        return not self._skips

    def _is_next(self, event: str) -> bool:
        step = _distance(self._last, event)
        if step is None or step > 1:
            raise truncated("The provider took its stream up again at the wrong place.")
        return step == 1

    def advance(self, *, is_safe: bool = True) -> None:
        """End reading the event.

        Args:
            is_safe: Whether everything that the event said was passed on, no call of a tool is half read, and more
                follows.

        """
        if not self._current:
            return
        if self._resumed is None and self._last and _distance(self._last, self._current) != 1:
            self._is_counted = False
        self._last = self._current
        self._safe = self._last if is_safe else self._safe

    def take_up(self) -> StreamPosition | None:
        """Return the last event that was read, if the reader itself reads on after it; None if it has no id."""
        if not (self._response and self._last) or max(len(self._response), len(self._last)) > MAX_ID_CHARS:
            return None
        self._is_counted = self._is_counted and (self._events > 1 or self._resumed is not None)
        self._resumed = StreamPosition(self._response, self._last, is_counted=self._is_counted)
        self._events = 0
        self._skips = False
        return self._resumed

    def position(self, *, has_deltas: bool = False) -> StreamPosition | None:
        """Return the last place from which nothing would be lost or said twice; None if there is none."""
        if not self._response or not self._safe or max(len(self._response), len(self._safe)) > MAX_ID_CHARS:
            return None
        is_counted = self._is_counted and (self._events > 1 or self._resumed is not None)
        return StreamPosition(self._response, self._safe, has_deltas=has_deltas, is_counted=is_counted)


def _distance(before: str, after: str) -> int | None:
    """Return how much greater the number of one id is; None if they are no numbers of one kind."""
    one, other = _NUMBER.fullmatch(before), _NUMBER.fullmatch(after)
    if one is None or other is None or one[1] != other[1]:
        return None
    return int(other[2]) - int(one[2])


class ResumableDecoder(Decoder):
    """Reads a stream that the provider keeps; `resumed` is where an earlier decoder has stopped."""

    def __init__(self, resumed: StreamPosition | None = None) -> None:
        super().__init__()
        self._place = StreamPositionTracker(resumed)
        self._calls = CallAssembler()

    def take_up(self) -> StreamPosition | None:
        """Return the last event that was read, if this decoder can read on after it on another connection."""
        return None if self.ended or self.finishing else self._place.take_up()

    @property
    def position(self) -> StreamPosition | None:
        """The place from which another decoder can take up the stream."""
        return self._place.position()


def reopen_request(folder: str, position: StreamPosition, *, after: str) -> Request:
    """Return the request that takes a stream up again; `after` is the API's name for the last known event."""
    query = urlencode({"stream": "true", after: position.after})
    return Request(f"{folder}/{quote(position.response, safe='')}?{query}", method="GET")


def cancel_request(folder: str, position: StreamPosition) -> Request:
    """Return the request that ends an answer which would be generated to its end without a reader."""
    return Request(f"{folder}/{quote(position.response, safe='')}/cancel")

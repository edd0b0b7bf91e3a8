"""Decode a byte stream into server-sent events. No I/O.

A line ends at CR, LF or CRLF and at nothing else: U+2028 and similar characters are text
(https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). A network read may
end anywhere, even inside a UTF-8 sequence or between CR and LF, so lines are split as bytes and each complete
line is decoded. There is one difference from the standard: an event that lacks only its final blank line is
returned by `flush`, because some servers end their streams this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .._exceptions import ProviderError
from .apis.base import ServerEvent

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A picture of 10 MB has 14 MB in base64."""
MAX_EVENT_CHARS = 16 * 1024 * 1024
MAX_TOO_LONG_EVENTS = 100

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment line; servers send them as keep-alives."""

    text: str


Frame: TypeAlias = ServerEvent | Comment


class SSEDecoder:
    """Incremental decoder of server-sent events; the result does not depend on how the bytes are sliced.

    An event that is too long is returned without its data. After many of them the next call raises `ProviderError`.
    """

    def __init__(
        self, *, max_line_bytes: int = MAX_LINE_BYTES, max_event_chars: int = MAX_EVENT_CHARS
    ) -> None:
        self._max_line_bytes = max_line_bytes
        self._max_event_chars = max_event_chars
        self._failure: ProviderError | None = None
        self._reset()

    def _reset(self) -> None:
        # The beginning of a line whose end has not arrived. A list of pieces, so that a long line that comes in
        # small reads costs linear time.
        self._partial: list[bytes] = []
        self._partial_length = 0
        # Whether the last chunk ended with CR: an LF at the start of the next one belongs to it.
        self._after_cr = False
        # Whether the next line is the first one, which may begin with a byte order mark.
        self._at_start = True
        # The fields of the event that is being read.
        self._event_name = ""
        self._data: list[str] = []
        self._data_length = 0
        # Whether the data of the event, and the line that is being read, are left out because of their length.
        self._is_too_long = False
        self._skips_line = False
        self._too_long_events = 0

    def feed(self, chunk: bytes) -> list[Frame]:
        """Return the events and comments that these bytes complete.

        Raises:
            ProviderError: Too many events were too long.

        """
        if self._failure:
            raise self._failure
        if self._after_cr and chunk.startswith(b"\n"):
            self._after_cr = False
            chunk = chunk[1:]
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        lines = chunk.splitlines()  # on bytes, this splits at CR, LF and CRLF only
        rest = b"" if chunk.endswith((b"\r", b"\n")) else lines.pop()
        frames: list[Frame] = []
        for line in lines:
            self._end_line(line, frames)
        self._keep_partial(rest)
        return frames

    def flush(self) -> list[Frame]:
        """Return the event that the end of the stream completes, and reset the decoder.

        Raises:
            ProviderError: Too many events were too long.

        """
        if self._failure:
            raise self._failure
        frames: list[Frame] = []
        if self._partial:
            self._end_line(b"", frames)
        self._dispatch(frames)
        self._reset()
        if self._failure:
            raise self._failure
        return frames

    def _keep_partial(self, rest: bytes) -> None:
        """Keep the beginning of a line until its end arrives."""
        if rest and not (self._failure or self._skips_line):
            self._partial.append(rest)
            self._partial_length += len(rest)
            if self._partial_length > self._max_line_bytes:
                self._skips_line = True
                self._leave_out()

    def _end_line(self, line: bytes, frames: list[Frame]) -> None:
        """Process a complete line, the beginning of which may be in `_partial`."""
        if self._failure:
            return
        if self._skips_line:
            # The rest of a line of which the beginning was left out.
            self._skips_line = False
            return
        if self._partial:
            self._partial.append(line)
            line = b"".join(self._partial)
            self._partial = []
            self._partial_length = 0
        if len(line) > self._max_line_bytes:
            self._leave_out()
            return
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if not line:
            # A blank line ends the event.
            self._dispatch(frames)
        elif line.startswith(b":"):
            frames.append(Comment(_decode(line[1:])))
        else:
            self._field(line)

    def _field(self, line: bytes) -> None:
        """Process a `name: value` line; other names, such as `id` and `retry`, are ignored."""
        name, _, value = line.partition(b":")
        if name == b"data":
            text = _decode(value)
            self._data_length += len(text) + 1
            if self._data_length > self._max_event_chars:
                self._leave_out()
            elif not self._is_too_long:
                self._data.append(text)
        elif name == b"event":
            self._event_name = _decode(value)

    def _dispatch(self, frames: list[Frame]) -> None:
        """Add the current event to `frames`; an event without data is ignored, as the standard says."""
        name = self._event_name or "message"
        if self._is_too_long and not self._failure:
            frames.append(ServerEvent(name, "", is_too_long=True))
        elif self._data and not self._failure:
            frames.append(ServerEvent(name, "\n".join(self._data)))
        self._data = []
        self._data_length = 0
        self._is_too_long = False
        self._event_name = ""

    def _leave_out(self) -> None:
        """Drop the data of the event that is being read: it is larger than a picture that could be shown."""
        self._partial = []
        self._partial_length = 0
        self._data = []
        if not self._is_too_long:
            self._is_too_long = True
            self._too_long_events += 1
        if self._too_long_events > MAX_TOO_LONG_EVENTS:
            self._failure = ProviderError(
                f"The server sent more than {MAX_TOO_LONG_EVENTS} events that are too large to be read.",
                user_message="The provider's answer cannot be read. Try another model.",
            )


def _decode(value: bytes) -> str:
    """Decode a field's value without the one space that may follow the colon."""
    return value.removeprefix(b" ").decode("utf-8", "replace")

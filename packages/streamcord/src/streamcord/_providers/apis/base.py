"""What every API adapter has in common: a request to send, and a decoder for what comes back.

An API adapter is a frozen value that does no I/O. Its decoder never raises while it is fed: words that came with a
failure must reach the reader before the failure does, so `flush` raises it.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from ..._events import Finish, GeneratedImage, KeepAlive, ProviderEvent, StreamPosition, Usage
from ..._exceptions import ProviderError, Truncated
from ..prompt import Options, Part, Prompt, Text

KEEP_ALIVE = KeepAlive()
PDF = "application/pdf"
TOO_LARGE = "is larger than 10 MB and cannot be sent"
"""What is wrong with a picture that Discord would refuse."""

_CUT_OFF = "The answer was cut off. Try again."


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name (`message` unless the server says otherwise) and its lines of data."""

    event: str
    data: str
    is_too_long: bool = False
    """Whether its data was left out, because it is larger than anything that can be shown."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is posted: a path below the base URL, headers without secrets, and a JSON body."""

    path: str
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"


class ApiAdapter(Protocol):
    """How one family of APIs is spoken."""

    @property
    def name(self) -> str:
        """Its name in tables and settings."""

    @property
    def key_header(self) -> tuple[str, str]:
        """The header that carries the key, and the prefix of the key in it."""

    def encode(self, prompt: Prompt, options: Options) -> Request:
        """The request for this prompt."""

    def decoder(self) -> Decoder:
        """A fresh reader of one answer."""


class Decoder(ABC):
    """Reads the events of one answer; a subclass reads those of one API.

    `feed` returns what an event said: `[]` if it was only a part of something, a `KeepAlive` if it was
    nothing at all. Once `ended` is true nothing more can follow. `flush` returns the terminal event, or
    raises why there is none.
    """

    sends_pictures: ClassVar[bool] = False
    """Whether an event that is too long to be read can only be a picture."""

    def __init__(self) -> None:
        self.ended = False
        """Whether reading on is of no use."""
        self.finish: Finish | None = None
        """How the provider says that the answer ended, once it has."""
        self._failure: ProviderError | None = None
        self._flushed = False

    @abstractmethod
    def read(self, event: ServerEvent, out: list[ProviderEvent]) -> None:
        """Add what the event says to `out`; raise `ProviderError` to end the answer."""

    def read_too_long(self, name: str) -> bool:  # noqa: ARG002 - some APIs tell by it what the event was
        """Read the name of an event whose data was left out; return whether a picture is lost.

        APIs that send no pictures end the answer, because no one knows what is missing.
        """
        if self.sends_pictures:
            return True
        raise ProviderError(
            "The server sent an event that is too large to be read.",
            user_message="The provider's answer cannot be read. Try another model.",
        )

    @property
    def finishing(self) -> bool:
        """Whether the provider has said how the answer ended; only formalities can follow."""
        return self.finish is not None

    @property
    def continuation(self) -> Sequence[Mapping[str, Any]]:
        """What must be sent back so that a paused answer continues; empty if it is complete."""
        return ()

    def take_up(self) -> StreamPosition | None:
        """Return the last event that was read, if this decoder can read on after it on another connection."""
        return None

    @property
    def position(self) -> StreamPosition | None:
        """The place from which another decoder can take up the stream, if there is one."""
        return None

    def feed(self, event: ServerEvent) -> list[ProviderEvent]:
        """What this event says."""
        if self.ended:
            return []
        out: list[ProviderEvent] = []
        try:
            if not event.is_too_long:
                self.read(event, out)
            elif self.read_too_long(event.event):
                # The words before and after it are shown.
                out.append(GeneratedImage(problem=TOO_LARGE))
        except ProviderError as error:
            self._failure = error
            self.ended = True
        return out

    def flush(self, why: str = "The stream ended") -> list[ProviderEvent]:
        """The terminal event; raises what went wrong, or `Truncated` with the reason `why`."""
        if self._flushed:
            return []
        self._flushed = self.ended = True
        if self.finish is None:
            raise self._failure or truncated(f"{why} before the answer was complete.")
        return [self.finish]


class CumulativeTextDiffer:
    """Turns a sender that repeats everything so far into one that says only what is new.

    Nothing is guessed: a text that does not begin with the one before it ends the answer.
    """

    def __init__(self) -> None:
        self._seen = ""

    def feed(self, whole: str) -> str:
        """What `whole` adds; an empty text is silence, not a rewind."""
        if not whole:
            return ""
        if not whole.startswith(self._seen):
            raise truncated("The provider took back words that it had already sent.")
        new = whole[len(self._seen) :]
        self._seen = whole
        return new


def truncated(message: str) -> Truncated:
    """A `Truncated` with the advice that fits all of them."""
    return Truncated(message, user_message=_CUT_OFF)


# --- Reading what a server sent: nothing about its shape may be taken for granted ---------------------


def parse(data: str) -> dict[str, Any]:
    """The JSON object in an event."""
    try:
        payload = json.loads(data)
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise truncated("The provider sent something that is not a JSON object")
    return payload


def as_dict(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def dict_items(value: object) -> list[Mapping[str, Any]]:
    """The objects in an array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def count(usage: Mapping[str, Any], *paths: str) -> int:
    """The first number of tokens found at one of the dotted paths."""
    for path in paths:
        value: object = usage
        for key in path.split("."):
            value = as_dict(value).get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return 0


def read_usage(usage: Mapping[str, Any], paths: Mapping[str, tuple[str, ...]]) -> Usage:
    """Usage by an API's table of paths."""
    return Usage(**{name: count(usage, *where) for name, where in paths.items()})


# --- Writing a request ---------------------------------------------------------------------------------


def merge(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """`body` with `extra` laid over it, objects key by key; a `None` removes what is there."""
    merged = dict(body)
    for key, value in extra.items():
        if isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = merge(merged[key], value)
        elif value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    return merged


def drop_none(**values: object) -> dict[str, Any]:
    """The values that were set."""
    return {key: value for key, value in values.items() if value is not None and value != ()}


def text_of(parts: tuple[Part, ...]) -> str:
    """The text of some parts."""
    return "".join(part.text for part in parts if isinstance(part, Text))

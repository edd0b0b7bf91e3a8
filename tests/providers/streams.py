"""Runs recorded streams through the real parts, whole or in slices."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from typing import Any

from hypothesis import settings

from streamcord._events import ProviderEvent
from streamcord._exceptions import ProviderError
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.apis.registry import Decoder
from streamcord._providers.sse import Frame, SSEDecoder


def share(part: int) -> settings:
    """A part of the examples that the profile asks for: some properties are dear, or simple."""
    return settings(max_examples=max(10, settings().max_examples // part))


def whole(content: bytes) -> list[bytes]:
    return [content]


def bytewise(content: bytes) -> list[bytes]:
    return [content[at : at + 1] for at in range(len(content))]


def slices(seed: int, longest: int = 40) -> Callable[[bytes], list[bytes]]:
    def cut(content: bytes) -> list[bytes]:
        dice = random.Random(seed)
        pieces = []
        while content:
            length = dice.randint(1, longest)
            pieces.append(content[:length])
            content = content[length:]
        return pieces

    return cut


def frames(pieces: Iterable[bytes], **caps: int) -> list[Frame]:
    reader = SSEDecoder(**caps)
    return [frame for piece in pieces for frame in reader.feed(piece)] + reader.flush()


def decoded(decoder: Decoder, pieces: Iterable[bytes]) -> tuple[list[ProviderEvent], ProviderError | None]:
    """Everything that a stream says, and the error it ends with."""
    events: list[ProviderEvent] = []
    try:
        events += (said for frame in frames(pieces) for said in _feed(decoder, frame))
        events += decoder.flush()
    except ProviderError as error:
        return events, error
    return events, None


def _feed(decoder: Decoder, frame: Frame) -> Iterator[ProviderEvent]:
    if isinstance(frame, ServerEvent):
        yield from decoder.feed(frame)


def as_json(event: ProviderEvent) -> dict[str, Any]:
    """An event as the fixtures write it: its name, and the fields that are not the default."""
    written: dict[str, Any] = {"event": type(event).__name__}
    for spec in fields(event):
        value = getattr(event, spec.name)
        default = spec.default_factory() if spec.default_factory is not MISSING else spec.default
        if value != default:
            written[spec.name] = base64.b64encode(value).decode() if isinstance(value, bytes) else value
    return written

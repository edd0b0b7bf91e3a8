"""Attach the table images that follow a live message to the edit that finalizes it.

That saves one message per table. If Discord refuses the edit, the images are sent as messages, as planned.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from ..._events import Attachment, Message, Table
from ..._settings import DISCORD_LIMIT, Settings
from ..clock import DeliveryClock
from ..outbox import Outbox
from .message import Edits

MAX_IMAGES = 10
"""Files that Discord accepts in one message."""


class TrailingImages:
    """The images that wait after the first message of an outbox."""

    def __init__(
        self,
        outbox: Outbox,
        edits: Edits,
        clock: DeliveryClock,
        draw: Callable[[Message], Awaitable[list[Message]]],
        settings: Settings,
    ) -> None:
        self._outbox = outbox
        self._edits = edits
        self._clock = clock
        self._draw = draw
        self._is_rich = settings.live_limit > DISCORD_LIMIT
        # Edits cause no push notification, so with notify="last" an image may have to be a message.
        self._enabled = settings.notify != "last"

    def find(self, message: Message, max_chars: int) -> tuple[Message, ...]:
        """Return the images that an edit of the first message may attach, if it fits `max_chars` characters."""
        able = self._enabled and not (self._clock.expedited or message.files)
        if not able or len(message.content) > max_chars or not self._edits.may_attach(message):
            return ()
        # Only a Components V2 message shows several images below each other.
        rich = self._is_rich and max_chars > DISCORD_LIMIT
        return find_images(self._outbox.waiting, MAX_IMAGES if rich else 1)

    async def draw(self, planned: Sequence[Message]) -> Message | None:
        """Render a message and its images as one; return `None` if an image cannot be rendered."""
        drawn = await draw_images(with_images(planned[0], planned[1:]), self._draw)
        self._enabled = drawn is not None
        return drawn

    def join(self, planned: Sequence[Message]) -> Message | None:
        """Merge a message and its images in the outbox; return `None` if they do not wait any more."""
        if self._outbox.waiting[: len(planned)] != (*planned,):
            return None
        joined = with_images(planned[0], planned[1:])
        self._outbox.replace_first([joined], len(planned))
        return joined

    def part(self, joined: Message, planned: Sequence[Message]) -> None:
        """Undo `join` after a refusal, and do not try again in this turn."""
        if self._outbox.find_first() is joined:
            self._enabled = False
            self._outbox.unmerge_first(planned)


def find_images(waiting: Sequence[Message], max_count: int) -> tuple[Message, ...]:
    """Return the tables after the first message that have the same speaker and no text."""
    found: list[Message] = []
    for message in waiting[1 : max_count + 1]:
        is_picture = not message.content and any(isinstance(file, Table) for file in message.files)
        if not is_picture or message.speaker != waiting[0].speaker:
            break
        found.append(message)
    return tuple(found)


def with_images(message: Message, images: Sequence[Message]) -> Message:
    """Merge a message and the images after it."""
    together = (message, *images)
    return replace(
        message,
        files=tuple(file for one in together for file in one.files),
        spans=tuple(span for one in together for span in one.spans),
        edits=tuple(edit for one in together for edit in one.edits),
        added=tuple(added for one in together for added in one.added),
        fallback="\n".join([message.content, *(one.fallback or "" for one in images)]),
    )


async def draw_images(
    message: Message, draw: Callable[[Message], Awaitable[list[Message]]]
) -> Message | None:
    """Render the images under unique file names; return `None` if one cannot be rendered."""
    drawn = await draw(replace(message, content=""))
    files = [file for one in drawn for file in one.files if isinstance(file, Attachment)]
    if len(files) != len(message.files):
        return None
    return replace(message, files=tuple(map(_numbered, files, range(1, len(files) + 1))))


def _numbered(file: Attachment, number: int) -> Attachment:
    """Number the file name: components refer to files by name, so names must be unique."""
    stem, _, ending = file.name.rpartition(".")
    return file if number == 1 else replace(file, name=f"{stem}-{number}.{ending}")

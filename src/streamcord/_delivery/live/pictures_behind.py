"""Pictures of tables right behind a message that grew: the edit that completes it brings them along.

So a table costs an answer one message less, and none if nothing follows it. Where the edit is refused, the
pictures are messages of their own, as they were planned.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from ..._events import Attachment, Message, Table
from ..._settings import DISCORD_LIMIT, Delivering
from ..outbox import Outbox, Pace
from .growing_message import Edits

__all__ = ["PicturesBehind", "draw_pictures", "find_pictures", "with_pictures"]

PICTURES = 10
"""Files of one message."""


class PicturesBehind:
    """The pictures that wait behind the first message of an outbox."""

    def __init__(
        self,
        outbox: Outbox,
        edits: Edits,
        pace: Pace,
        draw: Callable[[Message], Awaitable[list[Message]]],
        settings: Delivering,
    ) -> None:
        self._outbox = outbox
        self._edits = edits
        self._pace = pace
        self._draw = draw
        self._is_rich = settings.live_limit > DISCORD_LIMIT
        # An edit rings nowhere: where the last message is to ring, a picture may be that one.
        self._able = settings.notify != "last"

    def find(self, message: Message, most: int) -> tuple[Message, ...]:
        """Those that an edit of the first message may bring, if it may have so many characters."""
        able = self._able and not (self._pace.hurried or message.files)
        if not able or len(message.content) > most or not self._edits.may_attach(message):
            return ()
        # Several stand one below the other in a message of Components V2, and only there.
        rich = self._is_rich and most > DISCORD_LIMIT
        return find_pictures(self._outbox.waiting, PICTURES if rich else 1)

    async def draw(self, planned: Sequence[Message]) -> Message | None:
        """A message and its pictures as one that can be sent; `None` if one of them cannot be drawn."""
        drawn = await draw_pictures(with_pictures(planned[0], planned[1:]), self._draw)
        self._able = drawn is not None
        return drawn

    def join(self, planned: Sequence[Message]) -> Message | None:
        """A message and its pictures as one, which is the first from now on; `None` if they wait no more."""
        if self._outbox.waiting[: len(planned)] != (*planned,):
            return None
        joined = with_pictures(planned[0], planned[1:])
        self._outbox.replace_first([joined], len(planned))
        return joined

    def part(self, joined: Message, planned: Sequence[Message]) -> None:
        """They could not be sent as one: each is a message again, and so are all that come."""
        if self._outbox.find_first() is joined:
            self._able = False
            self._outbox.part_first(planned)


def find_pictures(waiting: Sequence[Message], most: int) -> tuple[Message, ...]:
    """The tables that wait behind the first message, in the same voice and without words of their own."""
    found: list[Message] = []
    for message in waiting[1 : most + 1]:
        is_picture = not message.content and any(isinstance(file, Table) for file in message.files)
        if not is_picture or message.speaker != waiting[0].speaker:
            break
        found.append(message)
    return tuple(found)


def with_pictures(message: Message, pictures: Sequence[Message]) -> Message:
    """Words and the pictures behind them as one message."""
    together = (message, *pictures)
    return replace(
        message,
        files=tuple(file for one in together for file in one.files),
        spans=tuple(span for one in together for span in one.spans),
        edits=tuple(edit for one in together for edit in one.edits),
        added=tuple(added for one in together for added in one.added),
        fallback="\n".join([message.content, *(one.fallback or "" for one in pictures)]),
    )


async def draw_pictures(
    message: Message, draw: Callable[[Message], Awaitable[list[Message]]]
) -> Message | None:
    """The message as it is sent, each picture under a name of its own; `None` if one cannot be drawn."""
    drawn = await draw(replace(message, content=""))
    files = [file for one in drawn for file in one.files if isinstance(file, Attachment)]
    if len(files) != len(message.files):
        return None
    return replace(message, files=tuple(map(_numbered, files, range(1, len(files) + 1))))


def _numbered(file: Attachment, number: int) -> Attachment:
    """Components of a message know its files by their names."""
    stem, _, ending = file.name.rpartition(".")
    return file if number == 1 else replace(file, name=f"{stem}-{number}.{ending}")

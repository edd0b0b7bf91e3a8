"""Which message an author made with which nonce, for as long as Discord would remember it.

`nonce` with `enforce_nonce` is Discord's only key against doubles, for bot messages only
(https://github.com/discord/discord-api-docs/issues/6647).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamcord._shared.bounded_cache import BoundedCache

if TYPE_CHECKING:
    from .model import Message

__all__ = ["Nonces"]


class Nonces:
    """Remembers messages by author and nonce, also those that were deleted since."""

    def __init__(self, kept: int = 100_000) -> None:
        self._kept = kept
        self.forget()

    def remember(self, message: Message, now: float) -> None:
        """Keep a message that was made with a nonce."""
        if message.draft.nonce is None:
            return
        self._seen.keep((message.author.id, str(message.draft.nonce)), (message, now))

    def find(self, author_id: int, nonce: str | int, since: float) -> Message | None:
        """The message that this author made with this nonce after `since`."""
        message, at = self._seen.find((author_id, str(nonce))) or (None, 0.0)
        return message if at > since else None

    def forget(self) -> None:
        """As if the window had passed for all."""
        self._seen: BoundedCache[tuple[int, str], tuple[Message, float]] = BoundedCache(self._kept)

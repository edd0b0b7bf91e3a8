"""Pictures over a webhook's messages: an address that Discord fetches, or bytes that the webhook wears.

A message can only name an address. Bytes (a `data:` address) are put on the webhook before the message is
sent, which costs a request whenever they change; if Discord does not take them, the bot's own picture is
shown. We never fetch anything ourselves.
"""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING

from ..._cache import Recent
from ..._errors import DeliveryError
from ..._image_kinds import image_kind, read_data_uri

if TYPE_CHECKING:
    from .webhook_cache import Hook

__all__ = ["PICTURE_LENGTH", "Avatars", "find_avatar_url"]

URL_LENGTH = 2048
PICTURE_LENGTH = 8 * 1024 * 1024
"""Bytes of a picture at most."""
_LOGGER = logging.getLogger(__name__)


def find_avatar_url(avatar: str | None) -> str | None:
    """The avatar as an address that Discord takes; what is none is no avatar."""
    usable = avatar and len(avatar) <= URL_LENGTH and avatar.startswith(("https://", "http://"))
    return avatar if usable and avatar and avatar.isascii() and avatar.isprintable() else None


class Avatars:
    """Knows what each webhook wears."""

    def __init__(self) -> None:
        self._worn: Recent[int, str] = Recent(10_000)
        self._refused: Recent[str, None] = Recent(1000)

    async def settle(self, hook: Hook, avatar: str | None, spare: str) -> str | None:
        """The address that a message must name; none, if the webhook wears the right picture by then."""
        if url := find_avatar_url(avatar):
            return url
        if avatar and _is_picture(avatar):
            return None if await self._put_on(hook, avatar) else spare
        # Without an address the message would show what the webhook wore last.
        return spare if hook.dressed or hook.id in self._worn else None

    async def _put_on(self, hook: Hook, avatar: str) -> bool:
        digest = hashlib.blake2b(avatar.encode()).hexdigest()
        if digest in self._refused:
            return False
        if self._worn.find(hook.id) == digest:
            return True
        try:
            answer = await hook.wire.ask("PATCH", hook.path, {"avatar": avatar})
        except DeliveryError:
            # It may be dressed now.
            self._worn.keep(hook.id, "")
            return False
        if answer.is_done or answer.is_unclear:
            self._worn.keep(hook.id, digest if answer.is_done else "")
        elif answer.status == 400:
            self._refused.keep(digest, None)
            _LOGGER.warning("Discord does not take a picture of %d characters", len(avatar))
        return answer.is_done


def _is_picture(avatar: str) -> bool:
    """Whether it is a picture of a size that may be sent; one that is too large is not even read."""
    if len(avatar) > PICTURE_LENGTH * 4 // 3 + 64:
        return False
    head, comma, encoded = avatar[:64].partition(",")
    # Sixteen characters are the twelve bytes by which a picture is known.
    start = read_data_uri(head + comma + encoded[:16])
    return start is not None and image_kind(start) is not None

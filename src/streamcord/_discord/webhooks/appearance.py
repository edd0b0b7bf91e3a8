"""How somebody who is not the bot looks in a channel: name, avatar, text, and the line of a reply.

A `Look` turns a message into an `Appearance`. Write your own to show a persona in another way; names and
avatars are made safe behind it.

A message can only name the address of an avatar. Bytes (a `data:` address) are put on the webhook before the
message is sent, which costs a request whenever they change; if Discord does not take them, the bot's own
picture is shown. We never fetch anything ourselves.

Webhooks cannot reply, so a line says to whom a message answers. It travels with the first message, as an
embed: one request, and no notice is ever left alone in the channel.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from ..._errors import DeliveryError
from ..._shared.bounded_cache import BoundedCache
from ..._shared.image_kinds import image_kind, read_data_uri

if TYPE_CHECKING:
    import discord

    from ..._events import Message, Speaker
    from .webhook_cache import CachedWebhook

__all__ = [
    "PICTURE_LENGTH",
    "Appearance",
    "Avatars",
    "CardLook",
    "Look",
    "NameAndAvatar",
    "add_notice",
    "find_avatar_url",
]

URL_LENGTH = 2048
PICTURE_LENGTH = 8 * 1024 * 1024
"""Bytes of a picture at most."""
_LOGGER = logging.getLogger(__name__)


def find_avatar_url(avatar: str | None) -> str | None:
    """The avatar if it is an http(s) address that Discord accepts, else `None`."""
    usable = avatar and len(avatar) <= URL_LENGTH and avatar.startswith(("https://", "http://"))
    return avatar if usable and avatar and avatar.isascii() and avatar.isprintable() else None


class Avatars:
    """Knows which picture each webhook has now, and changes it when needed."""

    def __init__(self) -> None:
        self._worn: BoundedCache[int, str] = BoundedCache(10_000)
        self._refused: BoundedCache[str, None] = BoundedCache(1000)

    async def settle(self, hook: CachedWebhook, avatar: str | None, spare: str) -> str | None:
        """The avatar address for a message; `None` if the webhook itself shows the right picture."""
        if url := find_avatar_url(avatar):
            return url
        if avatar and _is_picture(avatar):
            return None if await self._put_on(hook, avatar) else spare
        # Without an address the message would show what the webhook wore last.
        return spare if hook.dressed or hook.id in self._worn else None

    async def _put_on(self, hook: CachedWebhook, avatar: str) -> bool:
        digest = hashlib.blake2b(avatar.encode()).hexdigest()
        if digest in self._refused:
            return False
        if self._worn.find(hook.id) == digest:
            return True
        try:
            answer = await hook.http.request("PATCH", hook.path, {"avatar": avatar})
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
    """Whether it is a picture, as a `data:` address, that is small enough to be sent."""
    if len(avatar) > PICTURE_LENGTH * 4 // 3 + 64:
        return False
    head, comma, encoded = avatar[:64].partition(",")
    # Sixteen characters are the twelve bytes by which a picture is known.
    start = read_data_uri(head + comma + encoded[:16])
    return start is not None and image_kind(start) is not None


_CARD_LENGTH = 4096
_AUTHOR_LENGTH = 256


@dataclass(frozen=True, slots=True)
class Appearance:
    """What one message of a webhook shows: name, text, avatar, embeds."""

    name: str
    content: str
    avatar: str | None = None
    """An address that Discord will fetch, or a picture as a `data:` address."""
    embeds: tuple[dict[str, Any], ...] = ()


class Look(Protocol):
    """Decides how a speaker's messages look."""

    def dress(self, message: Message, speaker: Speaker) -> Appearance:
        """How a message of this speaker looks."""
        ...


class NameAndAvatar:
    """The usual look: the speaker's name and picture over the text."""

    def dress(self, message: Message, speaker: Speaker) -> Appearance:
        """The text as it is, under the speaker's name."""
        return Appearance(speaker.name, message.content, speaker.avatar)


class CardLook:
    """Shows the text on a coloured card headed by the speaker; all cards are sent under one name.

    Mentions on a card never ping.
    """

    def __init__(self, presenter: str, colour: int = 0x5865F2, avatar: str | None = None) -> None:
        self._presenter = presenter
        self._colour = colour
        self._avatar = avatar

    def dress(self, message: Message, speaker: Speaker) -> Appearance:
        """A card, unless there is no text to put on it."""
        if not message.content or len(message.content) > _CARD_LENGTH:
            return Appearance(self._presenter, message.content, self._avatar)
        author = {"name": speaker.name[:_AUTHOR_LENGTH]}
        if url := find_avatar_url(speaker.avatar):
            author["icon_url"] = url
        card = {"author": author, "description": message.content, "color": self._colour}
        return Appearance(self._presenter, "", self._avatar, (card,))


CONTENT_LENGTH = 2000
_NAME_LENGTH = 200


def add_notice(appearance: Appearance, target: discord.Message, *, embeds: bool = True) -> Appearance | None:
    """The appearance with a link to the message that is answered, or `None` if there is no room for one.

    Where embeds are hidden, it is a small line above the text.
    """
    name = " ".join(target.author.display_name.split())[:_NAME_LENGTH]
    if embeds:
        author = {"name": f"↩ {name}", "url": target.jump_url, "icon_url": target.author.display_avatar.url}
        return replace(appearance, embeds=(*appearance.embeds, {"author": author}))
    content = f"-# ↩ [{_plain(name)}](<{target.jump_url}>)\n{appearance.content}"
    return replace(appearance, content=content) if len(content) <= CONTENT_LENGTH else None


def _plain(name: str) -> str:
    """The name without characters that would end its link or line, or mention somebody."""
    return "".join(one for one in name if one.isalnum() or one in " _-.") or "message"

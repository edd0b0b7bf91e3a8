"""How somebody who is not the bot looks in a channel.

A `Look` turns a message into a `Costume`: the name and avatar over it, its text, its embeds. Write your own
to show a persona in another way; names and avatars are made safe behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .avatars import find_avatar_url

if TYPE_CHECKING:
    from ..._events import Message, Speaker

__all__ = ["Card", "Costume", "Look", "NameAndAvatar"]

_CARD_LENGTH = 4096
_AUTHOR_LENGTH = 256


@dataclass(frozen=True, slots=True)
class Costume:
    """What one webhook message shows."""

    name: str
    content: str
    avatar: str | None = None
    """An address that Discord will fetch, or a picture as a `data:` address."""
    embeds: tuple[dict[str, Any], ...] = ()


class Look(Protocol):
    """How a message is shown as somebody's."""

    def dress(self, message: Message, speaker: Speaker) -> Costume:
        """The costume for a message of this speaker."""
        ...


class NameAndAvatar:
    """The speaker's name and picture over plain text: the usual look."""

    def dress(self, message: Message, speaker: Speaker) -> Costume:
        """The text as it is."""
        return Costume(speaker.name, message.content, speaker.avatar)


class Card:
    """The text on a coloured card, the speaker at its head, over the name of somebody who presents them all.

    Mentions on a card never ping.
    """

    def __init__(self, presenter: str, colour: int = 0x5865F2, avatar: str | None = None) -> None:
        self._presenter = presenter
        self._colour = colour
        self._avatar = avatar

    def dress(self, message: Message, speaker: Speaker) -> Costume:
        """A card, unless there is no text to put on it."""
        if not message.content or len(message.content) > _CARD_LENGTH:
            return Costume(self._presenter, message.content, self._avatar)
        author = {"name": speaker.name[:_AUTHOR_LENGTH]}
        if url := find_avatar_url(speaker.avatar):
            author["icon_url"] = url
        card = {"author": author, "description": message.content, "color": self._colour}
        return Costume(self._presenter, "", self._avatar, (card,))

"""One message as it is handed to a transport: its text, its key, and whom it may notify.

The key is sent as Discord's `nonce`, so a repeated request does not create a second message
(https://docs.discord.com/developers/resources/message#create-message, `enforce_nonce`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from .._events import Attachment, Message

KEY_LENGTH = 25
"""Characters of a key: the maximum length of a Discord nonce."""


@dataclass(frozen=True, slots=True)
class AllowedMentions:
    """Whom a message may notify; never @everyone or @here.

    Example:
        DiscordChannel(channel, mentions=AllowedMentions(users=(message.author.id,)))

    """

    users: bool | tuple[int, ...] = ()
    """Ids of the users, or `True` for all users whom the message mentions."""
    roles: bool = False
    """Whether mentioned roles are notified."""
    replied_user: bool = False
    """Whether the author of the message that is replied to is notified."""


# Sent explicitly: without `allowed_mentions` Discord notifies everyone whom the text mentions.
# https://docs.discord.com/developers/resources/message#allowed-mentions-object
NO_MENTIONS = AllowedMentions()


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A message with everything that a transport needs to send it.

    The key is the same at every attempt, so that the transport can recognize a repeated message.

    Example:
        async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
            sent = await self.api.post(outgoing.message.content, idempotency_key=outgoing.key)
            return Receipt(outgoing.message, sent.id)

    """

    message: Message
    key: str
    """Identifies the message across attempts; sent as the nonce."""
    allowed_mentions: AllowedMentions = NO_MENTIONS
    previews: bool = True
    """Whether links show a preview."""
    silent: bool = False
    """Whether it is sent without a push notification."""
    view: Any = None
    """Buttons of the message, as an object of the transport's library."""
    last: bool = False
    """Whether it is the last message of the answer, as far as is known now."""
    card: bool = False
    """Whether it is created as a Components V2 message; its push notification then shows no text."""
    below: Any = None
    """Buttons below the image of a card, like `view`."""
    message_tag: int = 0
    """Component id by which the message is recognized when the channel is read back; 0 for none."""
    reply_notice: str = "embed"
    """How a webhook's message links to what it answers: by an `embed` of its own, or by a `message` before it."""


MESSAGE_TAG_BASE = 1 << 30
"""Component ids from here on are message tags; Discord assigns its own ids counting from 1.

https://docs.discord.com/developers/components/reference#anatomy-of-a-component
"""
# A component id is a signed 32-bit number: bit 30 marks a tag, and 30 bits are left for turn and part.
_PART_BITS, _TURN_BITS = 12, 18


def make_message_tag(turn: str, part: int) -> int:
    """Return the tag of a message: bits of the turn's hash, then the number of the part."""
    digest = hashlib.blake2b(turn.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    bits = int.from_bytes(digest) >> (32 - _TURN_BITS)
    return MESSAGE_TAG_BASE | bits << _PART_BITS | part % (1 << _PART_BITS)


def is_same_turn(tag: int, other: int) -> bool:
    """Whether two tags belong to the same turn, as far as their hash bits tell."""
    return tag >> _PART_BITS == other >> _PART_BITS


def build_outgoing(  # noqa: PLR0913
    turn: str,
    part: int,
    message: Message,
    allowed_mentions: AllowedMentions = NO_MENTIONS,
    *,
    previews: bool = True,
    silent: bool = False,
    last: bool = False,
    card: bool = False,
    tagged: bool = False,
    reply_notice: str = "embed",
) -> OutgoingMessage:
    """Build the outgoing form of one message; its key is a hash of the turn, the part and the contents.

    The reply is not hashed: a message that is sent again without its reply keeps its key, so that an earlier
    copy is still recognized.
    """
    digest = hashlib.blake2b(f"{turn}\0{part}\0{message.content}".encode("utf-8", "surrogatepass"))
    if message.speaker is not None:
        digest.update(f"\0{message.speaker.name}".encode("utf-8", "surrogatepass"))
    if message.ask is not None:
        digest.update(f"\0{message.ask.id}".encode())
    for file in message.files:
        digest.update(file.name.encode("utf-8", "surrogatepass"))
        digest.update(file.content if isinstance(file, Attachment) else file.source.encode())
    key, message_tag = digest.hexdigest()[:KEY_LENGTH], make_message_tag(turn, part) if tagged else 0
    return OutgoingMessage(
        message,
        key,
        allowed_mentions,
        previews,
        silent,
        last=last,
        card=card or tagged,
        message_tag=message_tag,
        reply_notice=reply_notice,
    )

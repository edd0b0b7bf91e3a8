"""What a client lets a person do: the checks before an act is sent, and how it reads what people write."""

from __future__ import annotations

import mimetypes
from dataclasses import replace
from typing import TYPE_CHECKING

from streamcord._shared.image_kinds import image_size

from ..rest.allowed_mentions import scan_mentions
from ..rest.validation import safe_filename
from ..state.model import Attachment
from ..state.permissions import Permission

if TYPE_CHECKING:
    from ..state.model import Channel, Draft, User
    from ..state.state import State
    from ..world import World

__all__ = ["NotOffered", "make_attachment", "need_right", "need_to_write", "with_mentions"]


class NotOffered(LookupError):
    """A client would not let a person do this: the button is grey, a field is empty, the door is shut."""


def need_right(state: State, user: User, channel: Channel, permission: Permission, what: str) -> None:
    """Refuse what the person may not do in this channel."""
    granted = state.permissions(user, channel)
    if not granted & Permission.VIEW_CHANNEL:
        raise NotOffered(f"{user.name} does not see #{channel.name or channel.id}")
    if not granted & permission:
        raise NotOffered(f"{user.name} may not {what} in #{channel.name or channel.id}")


def need_to_write(state: State, user: User, channel: Channel) -> None:
    """Refuse a message where there is no field to write it into."""
    if channel.is_forum:
        raise NotOffered("a forum holds posts only: start one, then write into it")
    right = Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    need_right(state, user, channel, right, "write")
    if channel.locked:
        need_right(state, user, channel, Permission.MANAGE_THREADS, "write into a locked thread")


def make_attachment(world: World, name: str, content: bytes, *, duration: float | None = None) -> Attachment:
    """A file, as it is after the upload; one with a duration is a voice note."""
    width, height = image_size(content) or (None, None)
    filename = safe_filename(name)
    kind = "image/png" if width else mimetypes.guess_type(filename)[0] or "application/octet-stream"
    kind = "audio/ogg" if duration is not None else kind
    waveform = "AAAA" if duration is not None else None
    return Attachment(world.state.make_id(), filename, content, kind, None, width, height, duration, waveform)


def with_mentions(world: World, channel: Channel, draft: Draft) -> Draft:
    """The draft with those whom it mentions; a reply mentions whom it answers."""
    said = scan_mentions(draft.content, world.switches)
    users = [user_id for user_id in said.users if user_id in world.state.users]
    target = draft.reply_to.author if draft.reply_to else None
    if target is not None and target.id in world.state.users and target.id not in users:
        users.append(target.id)
    guild = world.state.guilds.get(channel.guild_id or 0)
    roles = [role_id for role_id in said.roles if guild and role_id in guild.roles]
    return replace(draft, mentions=tuple(users), mention_roles=tuple(roles))

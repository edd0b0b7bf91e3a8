"""What a person writes: files and mentions, read as Discord's client reads them."""

from __future__ import annotations

import mimetypes
from dataclasses import replace
from typing import TYPE_CHECKING

from streamcord._shared.image_kinds import image_size

from ..rest.allowed_mentions import scan_mentions
from ..rest.validation import safe_filename
from ..state.model import Attachment

if TYPE_CHECKING:
    from ..state.model import Channel, Draft
    from ..world import World

__all__ = ["make_attachment", "with_mentions"]


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

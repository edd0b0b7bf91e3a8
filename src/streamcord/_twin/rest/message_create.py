"""From a request to a message: the rules in the order in which Discord applies them, then the commit.

Bot messages, webhooks and interaction answers share this; what differs is who may mention whom by default.
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamcord._shared.image_kinds import image_size

from ..log import Ping
from ..state.model import Attachment, Draft, MessageFlag, MessageType
from ..state.permissions import Permission
from .allowed_mentions import Mentions, allow, read_allowed, scan_mentions
from .refusals import Refusal, invalid_form
from .validation import (
    check_components,
    check_moderation,
    component_texts,
    read_content,
    read_embeds,
    safe_filename,
)

if TYPE_CHECKING:
    from ..state.model import Channel, Guild, Interaction, Json, Message, User, Webhook
    from ..world import World
    from .form import Upload
    from .routing import Call

__all__ = ["Author", "compose", "recompose", "say_pings", "write"]

_MOST_FILES = 10
_ALT_TEXT_LIMIT = 1024
_SETTABLE = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.SUPPRESS_NOTIFICATIONS | MessageFlag.IS_COMPONENTS_V2


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes: a user, and by which way."""

    user: User
    kind: str = "message"
    """message, webhook or interaction: decides the default of `allowed_mentions`."""
    webhook: Webhook | None = None
    interaction: Interaction | None = None


def compose(
    call: Call, channel: Channel, author: Author, payload: Json, reply_to: Message | None = None
) -> Draft:
    """Apply all rules for a new message."""
    flags = MessageFlag(int(payload.get("flags") or 0))
    settable = _SETTABLE | MessageFlag.EPHEMERAL if author.kind == "interaction" else _SETTABLE
    draft = Draft(
        content=read_content(payload.get("content"), call.switches),
        embeds=read_embeds(payload.get("embeds"), call.switches),
        components=tuple(payload.get("components") or ()),
        attachments=_read_attachments(call, (), payload.get("attachments")),
        flags=flags & settable,
        tts=bool(payload.get("tts")),
        reply_to=reply_to,
    )
    return _checked(call, channel, author, draft, payload)


def recompose(call: Call, channel: Channel, author: Author, message: Message) -> Draft:
    """Apply all rules for an edit; what it does not name stays."""
    payload, draft = call.payload, message.draft
    if "content" in payload:
        draft = replace(draft, content=read_content(payload["content"], call.switches))
    if "embeds" in payload:
        draft = replace(draft, embeds=read_embeds(payload["embeds"], call.switches))
    if "components" in payload:
        draft = replace(draft, components=tuple(payload["components"] or ()))
    if payload.get("flags") is not None:
        kept = draft.flags & ~(MessageFlag.SUPPRESS_EMBEDS | MessageFlag.LOADING)
        draft = replace(draft, flags=kept | MessageFlag(int(payload["flags"])) & _SETTABLE)
    named = payload.get("attachments", [{"id": str(one.id)} for one in draft.attachments])
    draft = replace(draft, attachments=_read_attachments(call, draft.attachments, named))
    return _checked(call, channel, author, draft, payload)


def _checked(call: Call, channel: Channel, author: Author, draft: Draft, payload: Json) -> Draft:
    check_components(draft.components, draft.flags, payload)
    shown = draft.content or draft.embeds or draft.components or draft.attachments
    if not shown and not payload.get("poll") and not payload.get("sticker_ids"):
        raise Refusal(50006)
    if draft.attachments and not _may(call, channel, author, Permission.ATTACH_FILES):
        raise Refusal(50013)
    if draft.embeds and not _may(call, channel, author, Permission.EMBED_LINKS):
        raise Refusal(50013)
    check_moderation("\n".join([draft.content, *component_texts(draft.components)]), call.switches)
    return _with_mentions(call, channel, author, draft, payload)


def _may(call: Call, channel: Channel, author: Author, permission: Permission) -> bool:
    # A webhook may do all of this whoever made it.
    return author.kind != "message" or bool(call.state.permissions(author.user, channel) & permission)


def _with_mentions(call: Call, channel: Channel, author: Author, draft: Draft, payload: Json) -> Draft:
    allowed = read_allowed(payload.get("allowed_mentions"), author.kind, call.switches)
    text = "\n".join([draft.content, *component_texts(draft.components)])
    left = allow(scan_mentions(text, call.switches), allowed)
    users = [user_id for user_id in left.users if user_id in call.state.users]
    target = draft.reply_to.author if draft.reply_to else None
    replied = allowed.replied_user and target is not None and target.id in call.state.users
    if replied and target is not None and target.id not in users:
        users.append(target.id)
    broad = _may(call, channel, author, Permission.MENTION_EVERYONE)
    guild = call.state.guilds.get(channel.guild_id or 0)
    roles = [one for one in left.roles if guild and _may_ping_role(guild, one, broad=broad)]
    everyone = broad and guild is not None and (left.everyone or left.here)
    return replace(draft, mentions=tuple(users), mention_roles=tuple(roles), mention_everyone=everyone)


def _may_ping_role(guild: Guild, role_id: int, *, broad: bool) -> bool:
    role = guild.roles.get(role_id)
    return role is not None and (broad or role.mentionable)


def _read_attachments(call: Call, kept: tuple[Attachment, ...], named: object) -> tuple[Attachment, ...]:
    described = (
        {str(one.get("id")): one for one in named or ()} if isinstance(named, list | type(None)) else {}
    )
    files = [one for one in kept if str(one.id) in described]
    files += [_store(call, upload, described.get(str(upload.index), {})) for upload in call.form.uploads]
    if len(files) > _MOST_FILES:
        raise Refusal(30015)
    return tuple(files)


def _store(call: Call, upload: Upload, described: Json) -> Attachment:
    if len(upload.content) > call.switches.file_limit:
        raise Refusal(40005)
    description = described.get("description")
    if description is not None and len(description) > _ALT_TEXT_LIMIT:
        message = f"Must be {_ALT_TEXT_LIMIT} or fewer in length."
        raise invalid_form(f"attachments.{upload.index}.description", "BASE_TYPE_MAX_LENGTH", message)
    filename = safe_filename(str(described.get("filename") or upload.filename))
    guessed = mimetypes.guess_type(filename)[0] or upload.content_type
    width, height = image_size(upload.content) or (None, None)
    return Attachment(call.state.make_id(), filename, upload.content, guessed, description, width, height)


def write(
    call: Call, channel: Channel, author: Author, draft: Draft, type_: MessageType = MessageType.DEFAULT
) -> Message:
    """Commit a new message and note who would be pinged."""
    message = call.state.post(
        channel, author.user, draft, type_=type_, webhook=author.webhook, interaction=author.interaction
    )
    call.record.message, call.record.created = message, True
    say_pings(call.world, channel, message)
    return message


def say_pings(world: World, channel: Channel, message: Message, earlier: Draft | None = None) -> None:
    """Write who would be notified into the log; for an edit, only what was not mentioned before."""
    draft, before = message.draft, earlier or Draft()
    silent = bool(draft.flags & MessageFlag.SUPPRESS_NOTIFICATIONS)
    replied = draft.reply_to.author.id if draft.reply_to else None
    new = [user_id for user_id in draft.mentions if user_id not in before.mentions]
    found = [("reply" if user_id == replied else "user", user_id, {user_id}) for user_id in new]
    guild = world.state.guilds.get(channel.guild_id or 0)
    if guild is not None:
        found += _broad_pings(guild, draft, before, scan_mentions(draft.content, world.switches))
    for kind, target, people in found:
        seen = frozenset(_who_sees(world, channel, people, message.author.id))
        world.log.pings.append(
            Ping(message.id, channel.id, kind, target, seen, by_edit=earlier is not None, silent=silent)
        )


def _broad_pings(
    guild: Guild, draft: Draft, before: Draft, said: Mentions
) -> list[tuple[str, int, set[int]]]:
    found = []
    for role_id in draft.mention_roles:
        if role_id not in before.mention_roles:
            holders = {user_id for user_id, member in guild.members.items() if role_id in member.role_ids}
            found.append(("role", role_id, holders))
    if draft.mention_everyone and not before.mention_everyone:
        kind = "here" if said.here and not said.everyone else "everyone"
        found.append((kind, guild.id, set(guild.members)))
    return found


def _who_sees(world: World, channel: Channel, people: set[int], author_id: int) -> set[int]:
    state = world.state
    users = [state.users[user_id] for user_id in people if user_id in state.users and user_id != author_id]
    return {user.id for user in users if state.permissions(user, channel) & Permission.VIEW_CHANNEL}

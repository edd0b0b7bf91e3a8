"""From a request to a message: the rules in the order in which Discord applies them, then the commit.

Bot messages, webhooks and interaction answers share this; what differs is who may mention whom by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form, nested
from ..state.enums import MessageFlag, MessageType
from ..state.models import Draft
from ..state.permissions import Permission
from ..validation.components import component_texts, walk_paths
from ..validation.messages import EMBEDS, MESSAGE, POLL
from ..validation.schema import Problem, TextField
from ..validation.table import check_components, measure, refuse
from .allowed_mentions import allow, read_allowed, record_pings, scan_mentions
from .request_body import check_moderation, clean_content, clean_embeds, read_attachments

if TYPE_CHECKING:
    from ..state.models import Channel, Guild, Interaction, Json, Message, User, Webhook
    from .routing import Call

__all__ = ["Author", "compose", "recompose", "record_pings", "write"]

# Flags that a bot may set on create; all other bits are ignored.
_SETTABLE = (
    MessageFlag.SUPPRESS_EMBEDS
    | MessageFlag.SUPPRESS_NOTIFICATIONS
    | MessageFlag.IS_VOICE_MESSAGE
    | MessageFlag.IS_COMPONENTS_V2
)
# Fields that a V2 message may not have.
_LEGACY = ("content", "embeds", "poll", "sticker_ids")


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes: a user, and by which way."""

    user: User
    kind: str = "message"
    """message, webhook or interaction: decides the default of `allowed_mentions`."""
    webhook: Webhook | None = None
    interaction: Interaction | None = None


def compose(
    call: Call,
    channel: Channel,
    author: Author,
    payload: Json,
    reply_to: Message | None = None,
    *,
    under: tuple[str, ...] = (),
) -> Draft:
    """Apply all rules for a new message; `under` names the field of the body that it is in."""
    try:
        return _compose(call, channel, author, payload, reply_to)
    except ApiError as error:
        raise nested(error, *under) from None


def _compose(call: Call, channel: Channel, author: Author, payload: Json, reply_to: Message | None) -> Draft:
    refuse(_body_problems(call, payload))
    # Only answers to interactions can be ephemeral.
    settable = _SETTABLE | MessageFlag.EPHEMERAL if author.kind == "interaction" else _SETTABLE
    flags = MessageFlag(int(payload.get("flags") or 0)) & settable
    check_components(payload.get("components") or [], call.options, v2=_is_v2(flags))
    draft = Draft(
        content=clean_content(payload.get("content"), call.options),
        embeds=clean_embeds(payload.get("embeds") or ()),
        components=_with_ids(payload.get("components") or ()),
        attachments=read_attachments(call, (), payload.get("attachments")),
        flags=flags,
        tts=bool(payload.get("tts")),
        poll=payload.get("poll"),
        sticker_ids=tuple(int(one) for one in payload.get("sticker_ids") or ()),
        reply_to=reply_to,
    )
    # Only a create can make a voice message or add stickers.
    _check_voice(draft)
    _check_stickers(call, channel, draft)
    return _checked(call, channel, author, draft, payload)


def recompose(
    call: Call, channel: Channel, author: Author, message: Message, *, under: tuple[str, ...] = ()
) -> Draft:
    """Apply all rules for an edit; what it does not name stays."""
    try:
        return _recompose(call, channel, author, message)
    except ApiError as error:
        raise nested(error, *under) from None


def _recompose(call: Call, channel: Channel, author: Author, message: Message) -> Draft:
    payload, draft = call.payload, message.draft
    refuse(_body_problems(call, payload))
    # 50162: voice messages cannot be edited.
    if draft.flags & MessageFlag.IS_VOICE_MESSAGE:
        raise ApiError(50162)
    draft = replace(draft, flags=_edited_flags(draft.flags, payload))
    if "content" in payload:
        draft = replace(draft, content=clean_content(payload["content"], call.options))
    if "embeds" in payload:
        draft = replace(draft, embeds=clean_embeds(payload["embeds"] or ()))
    if "components" in payload:
        check_components(payload["components"] or [], call.options, v2=_reads_v2(call, draft, payload))
        draft = replace(draft, components=_with_ids(payload["components"] or ()))
    # An edit that does not name attachments keeps them all.
    named = payload.get("attachments", [{"id": str(one.id)} for one in draft.attachments])
    draft = replace(draft, attachments=read_attachments(call, draft.attachments, named))
    return _checked(call, channel, author, draft, payload)


def _edited_flags(old: MessageFlag, payload: Json) -> MessageFlag:
    if payload.get("flags") is None:
        return old
    # V2 can be set by an edit and never be taken away.
    kept = old & ~(MessageFlag.SUPPRESS_EMBEDS | MessageFlag.LOADING)
    settable = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.IS_COMPONENTS_V2
    return kept | MessageFlag(int(payload["flags"])) & settable


def _reads_v2(call: Call, draft: Draft, payload: Json) -> bool:
    # Reports disagree on whether an edit has to repeat the flag.
    if not call.options.edit_keeps_v2:
        return _is_v2(MessageFlag(int(payload.get("flags") or 0)))
    return _is_v2(draft.flags)


def _is_v2(flags: MessageFlag) -> bool:
    return bool(flags & MessageFlag.IS_COMPONENTS_V2)


# Rules about the body


def _body_problems(call: Call, payload: Json) -> Iterator[Problem]:
    def size(text: str) -> int:
        return measure(text, call.options)

    content = payload.get("content")
    # Discord accepts numbers as text, but not lists and objects.
    if isinstance(content, list | dict):
        yield from TextField().validate(content, ("content",), size)
    elif size(clean_content(content, call.options)) > call.options.content_limit:
        message = f"Must be {call.options.content_limit} or fewer in length."
        yield Problem(("content",), "BASE_TYPE_MAX_LENGTH", message)
    yield from MESSAGE.validate(payload, (), size)
    if payload.get("embeds"):
        yield from EMBEDS.validate({"embeds": payload["embeds"]}, (), size)
    if payload.get("poll") is not None:
        yield from POLL.validate(payload["poll"], ("poll",), size)


def _check_voice(draft: Draft) -> None:
    if not draft.flags & MessageFlag.IS_VOICE_MESSAGE:
        return
    # 50159: a voice message has no other content.
    if draft.content or draft.embeds or draft.components or draft.poll or draft.sticker_ids:
        raise ApiError(50159)
    # 50160: it has exactly one file, and that is audio.
    if len(draft.attachments) != 1 or not draft.attachments[0].content_type.startswith("audio/"):
        raise ApiError(50160)
    # 50161: clients draw the waveform, so the sender has to supply it.
    if draft.attachments[0].duration is None or draft.attachments[0].waveform is None:
        raise ApiError(50161)


def _check_stickers(call: Call, channel: Channel, draft: Draft) -> None:
    guild = call.state.guilds.get(channel.guild_id or 0)
    # 50081: a bot may use the stickers of the same guild only.
    if draft.sticker_ids and (guild is None or not set(draft.sticker_ids) <= set(guild.stickers)):
        raise ApiError(50081)


def _check_v2(draft: Draft, payload: Json) -> None:
    """Refuse legacy fields in a V2 message; an edit to V2 must send `content: null` and `embeds: []`.

    https://docs.discord.com/developers/components/reference
    """
    if not _is_v2(draft.flags):
        return
    still = {"content": draft.content, "embeds": draft.embeds, "poll": draft.poll}
    for name in _LEGACY:
        if payload.get(name) or still.get(name):
            message = f"The '{name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
            raise invalid_form(name, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message)


def _check_files(draft: Draft) -> None:
    """Return a component that shows a file of the message needs one of that name."""
    names = {f"attachment://{one.filename}" for one in draft.attachments}
    refuse(
        Problem((*path, "url"), "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "No such attachment")
        for path, url in _media(draft.components)
        if url.startswith("attachment://") and url not in names
    )


def _media(components: tuple[Json, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for path, one in walk_paths(components, ("components",)):
        for name in ("file", "media"):
            if one.get(name):
                yield (*path, name), str(one[name].get("url"))
        for index, item in enumerate(one.get("items") or ()):
            yield (*path, "items", str(index), "media"), str(item["media"].get("url"))


def _with_ids(components: list[Json] | tuple[Json, ...]) -> tuple[Json, ...]:
    """Number the components that have no id of their own, as Discord does."""
    taken = {one.get("id") for _, one in walk_paths(components, ())}
    numbers = (number for number in range(1, 1000) if number not in taken)

    def number(component: Json) -> Json:
        numbered = {**component, "id": component.get("id") or next(numbers)}
        if component.get("components"):
            numbered["components"] = [number(one) for one in component["components"]]
        if component.get("accessory"):
            numbered["accessory"] = number(component["accessory"])
        return numbered

    return tuple(number(one) for one in components)


def _checked(call: Call, channel: Channel, author: Author, draft: Draft, payload: Json) -> Draft:
    _check_v2(draft, payload)
    _check_files(draft)
    shown = draft.content or draft.embeds or draft.components or draft.poll or draft.sticker_ids
    # A V2 message shows files through components only.
    if not shown and (not draft.attachments or _is_v2(draft.flags)):
        raise ApiError(50006)
    needed = {
        Permission.ATTACH_FILES: draft.attachments,
        Permission.EMBED_LINKS: draft.embeds,
        Permission.SEND_POLLS: draft.poll,
    }
    if any(used and not _may(call, channel, author, one) for one, used in needed.items()):
        raise ApiError(50013)
    # A permission of its own, with an error of its own: 50173.
    voice = draft.flags & MessageFlag.IS_VOICE_MESSAGE
    if voice and not _may(call, channel, author, Permission.SEND_VOICE_MESSAGES):
        raise ApiError(50173)
    check_moderation("\n".join([draft.content, *component_texts(draft.components)]), call.options)
    return _with_mentions(call, channel, author, draft, payload)


def _may(call: Call, channel: Channel, author: Author, permission: Permission) -> bool:
    # Webhooks and interactions are not limited by the permissions of the bot in the channel.
    return author.kind != "message" or bool(call.state.permissions(author.user, channel) & permission)


def _with_mentions(call: Call, channel: Channel, author: Author, draft: Draft, payload: Json) -> Draft:
    allowed = read_allowed(payload.get("allowed_mentions"), author.kind, call.options)
    text = "\n".join([draft.content, *component_texts(draft.components)])
    left = allow(scan_mentions(text, call.options), allowed)
    # Mentions of unknown users stay in the text and ping no user.
    users = [user_id for user_id in left.users if user_id in call.state.users]
    target = draft.reply_to.author if draft.reply_to else None
    replied = allowed.replied_user and target is not None and target.id in call.state.users
    # The author of the message is pinged once, also if the text mentions them.
    if replied and target is not None and target.id not in users:
        users.append(target.id)
    broad = _may(call, channel, author, Permission.MENTION_EVERYONE)
    guild = call.state.guilds.get(channel.guild_id or 0)
    roles = [one for one in left.roles if guild and _may_ping_role(guild, one, broad=broad)]
    # Without the permission @everyone is plain text.
    everyone = broad and guild is not None and (left.everyone or left.here)
    return replace(draft, mentions=tuple(users), mention_roles=tuple(roles), mention_everyone=everyone)


def _may_ping_role(guild: Guild, role_id: int, *, broad: bool) -> bool:
    role = guild.roles.get(role_id)
    return role is not None and (broad or role.mentionable)


def write(
    call: Call, channel: Channel, author: Author, draft: Draft, type_: MessageType = MessageType.DEFAULT
) -> Message:
    """Commit a new message and log who would be pinged."""
    message = call.state.post(
        channel, author.user, draft, type_=type_, webhook=author.webhook, interaction=author.interaction
    )
    call.record.message, call.record.created = message, True
    record_pings(call.context, channel, message)
    return message

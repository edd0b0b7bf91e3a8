"""One message as a plain value for the web UI: all that a reader sees of it, and what they can do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state.enums import SYSTEM_TYPES, MessageFlag, MessageType
from ..state.message_serializers import reaction_emoji, serialize_poll
from ..state.permissions import Permission
from ..state.snowflakes import snowflake_time
from .component_views import components_view
from .text_views import avatar_view, blocks_view, emoji_view, message_avatar, shown

if TYPE_CHECKING:
    from ..state.models import Attachment, Json, Message, User
    from ..state.state import State

# Characters of the original above a reply.
_QUOTE_CHARS = 120


def is_seen(message: Message, viewer: User) -> bool:
    """Return whether a user sees a message: an ephemeral one is for the user who asked."""
    asker = message.interaction.user if message.interaction else None
    return not message.is_ephemeral or asker is viewer


def message_view(state: State, message: Message, viewer: User) -> Json:
    """Return a message, as the viewer sees it."""
    draft = message.draft
    view: Json = {
        "id": str(message.id),
        "channel": str(message.channel_id),
        "at": round(snowflake_time(message.id) * 1000),
        "author": _author(state, message),
        "system": _system(message),
        "plain": message.type is MessageType.DEFAULT and draft.reply_ids is None,
        # Edits of components alone leave no mark: https://github.com/discord/discord-api-docs/issues/3134
        "edited": message.is_rewritten,
        "text": blocks_view(state, message.content),
        "raw": message.content,
        "embeds": [_embed(state, message, embed) for embed in draft.embeds],
        "files": [_file(message, file) for file in _loose_files(message)],
        "parts": components_view(state, message, viewer),
        "reactions": [_reaction(state, key, users, viewer) for key, users in message.reactions.items()],
        "only_you": message.is_ephemeral,
        "loading": _is_loading(message),
        "pinned": message.pinned_at is not None,
        "mine": message.author is viewer and message.webhook is None,
        "to_me": _is_for(state, message, viewer),
    }
    return view | _context(state, message, viewer) | _rights(state, message, viewer)


def _author(state: State, message: Message) -> Json:
    return {
        "id": str(message.author.id),
        "name": shown(message.shown_name),
        "machine": message.by_machine,
        "webhook": message.webhook is not None,
        "avatar": message_avatar(state, message),
    }


def _is_loading(message: Message) -> bool:
    return bool(message.draft.flags & MessageFlag.LOADING)


def _is_for(state: State, message: Message, viewer: User) -> bool:
    """Return whether Discord would light the message up as a mention."""
    # Your own messages never mention you.
    if message.author is viewer and message.webhook is None:
        return False
    channel = state.channels[message.channel_id]
    guild = state.guilds.get(channel.guild_id or 0)
    member = guild.members.get(viewer.id) if guild else None
    roles = set(message.draft.mention_roles) & set(member.role_ids if member else ())
    return viewer.id in message.draft.mentions or message.draft.mention_everyone or bool(roles)


def _rights(state: State, message: Message, viewer: User) -> Json:
    channel = state.channels[message.channel_id]
    granted = state.permissions(viewer, channel)
    mine = message.author is viewer and message.webhook is None
    # Threads cannot be nested, and a message has at most one.
    can_thread = not (channel.is_thread or message.thread_id or channel.guild_id is None)
    return {
        "can_edit": mine and message.type not in SYSTEM_TYPES,
        "can_delete": not message.is_ephemeral and (mine or bool(granted & Permission.MANAGE_MESSAGES)),
        "can_thread": can_thread and bool(granted & Permission.CREATE_PUBLIC_THREADS),
        "can_pin": not message.is_ephemeral and bool(granted & Permission.PIN_MESSAGES),
    }


def _context(state: State, message: Message, viewer: User) -> Json:
    """Return the surroundings of a message: the reply, the command, the thread and the poll."""
    context: Json = {}
    if message.draft.snapshot is not None:
        context["forwarded"] = blocks_view(state, str(message.draft.snapshot.get("content") or ""))
    elif message.draft.reply_ids is not None:
        context["reply"] = _reply(state, message)
    started = message.interaction
    if started is not None and message.type in {
        MessageType.CHAT_INPUT_COMMAND,
        MessageType.CONTEXT_MENU_COMMAND,
    }:
        slash = "/" if message.type is MessageType.CHAT_INPUT_COMMAND else ""
        avatar = avatar_view(state, started.user)
        context["used"] = {
            "name": shown(started.user.name),
            "avatar": avatar,
            "command": slash + shown(started.name),
        }
    thread = state.channels.get(message.thread_id or 0)
    if thread is not None:
        context["thread"] = {
            "id": str(thread.id),
            "name": shown(thread.name),
            "count": len(thread.messages),
        }
    if message.draft.poll is not None:
        context["poll"] = _poll(message, viewer)
    return context


def _reply(state: State, message: Message) -> Json:
    channel_id, message_id = message.draft.reply_ids or (0, 0)
    original = state.find_message(channel_id, message_id)
    if original is None:
        return {"gone": True}
    line = _first_line(blocks_view(state, original.content[:_QUOTE_CHARS])) or "(no text)"
    avatar = message_avatar(state, original)
    return {"id": str(original.id), "name": shown(original.shown_name), "avatar": avatar, "text": shown(line)}


def _first_line(blocks: list[Json]) -> str:
    """Return the first words of a text, without its markup."""
    for block in blocks:
        if "code" in block:
            return str(block["code"]).partition("\n")[0]
        words = _first_line(block["quote"]) if "quote" in block else "".join(map(_unhidden, block["runs"]))
        if words:
            return words
    return ""


def _unhidden(run: Json) -> str:
    """Return the words of a run; those of a spoiler stay hidden where no one can open it."""
    return "(spoiler)" if "spoiler" in run["styles"] else str(run["text"])


def _poll(message: Message, viewer: User) -> Json:
    shape = serialize_poll(message, viewer.id)
    counts = {one["id"]: one for one in shape["results"]["answer_counts"]}
    answers = [
        {
            "number": one["answer_id"],
            "text": shown(one["poll_media"].get("text") or ""),
            "count": counts.get(one["answer_id"], {}).get("count", 0),
            "me": counts.get(one["answer_id"], {}).get("me_voted", False),
        }
        for one in shape["answers"]
    ]
    return {
        "question": shown(shape["question"]["text"]),
        "answers": answers,
        "over": shape["results"]["is_finalized"],
    }


def _system(message: Message) -> str:
    """Return the text of a system message, or nothing for any other message."""
    if message.type not in SYSTEM_TYPES:
        return ""
    words = {
        MessageType.PINNED_MESSAGE: "pinned a message to this channel.",
        MessageType.USER_JOIN: "joined the server.",
        MessageType.THREAD_CREATED: f"started a thread: {message.content}",
        MessageType.CHANNEL_NAME_CHANGE: f"changed the name: {message.content}",
        MessageType.THREAD_STARTER_MESSAGE: "began this thread at a message.",
        MessageType.POLL_RESULT: "ended a poll.",
    }
    return shown(words[MessageType(message.type)])


# Reactions, files and embeds


def _reaction(state: State, key: str, users: list[int], viewer: User) -> Json:
    emoji = reaction_emoji(key)
    names = [shown(state.users[one].name) for one in users if one in state.users]
    view: Json = {"key": key, "text": shown(emoji["name"]), "count": len(users), "me": viewer.id in users}
    return {**view, "names": names[:20], **((emoji["id"] and emoji_view(state, key)) or {})}


def _loose_files(message: Message) -> list[Attachment]:
    """Return the files that are shown below a message; V2 and embeds show theirs where they name them."""
    if message.draft.flags & MessageFlag.IS_COMPONENTS_V2:
        return []
    named = {
        str((embed.get(place) or {}).get("url"))
        for embed in message.draft.embeds
        for place in ("image", "thumbnail")
    }
    return [one for one in message.attachments if f"attachment://{one.filename}" not in named]


def _file(message: Message, file: Attachment) -> Json:
    return {
        "name": shown(file.filename),
        "at": f"/cdn/attachments/{message.channel_id}/{file.id}/{shown(file.filename)}",
        "size": len(file.content),
        "picture": bool(file.width) and file.content_type.startswith("image/"),
        "width": file.width or 0,
        "height": file.height or 0,
        "about": shown(file.description or ""),
        "voice": file.duration or 0,
        "spoiler": file.spoiler or file.filename.startswith("SPOILER_"),
    }


def _embed(state: State, message: Message, embed: Json) -> Json:
    author, footer = embed.get("author") or {}, embed.get("footer") or {}
    # `bool` is an `int`, but no colour.
    colour = embed.get("color")
    return {
        "colour": colour if isinstance(colour, int) and not isinstance(colour, bool) else None,
        "author": shown(author.get("name") or ""),
        "title": shown(embed.get("title") or ""),
        "text": blocks_view(state, str(embed.get("description") or "")),
        "fields": [
            {
                "name": shown(field.get("name") or ""),
                "text": blocks_view(state, str(field.get("value") or "")),
                "inline": bool(field.get("inline")),
            }
            for field in embed.get("fields") or ()
        ],
        "footer": shown(footer.get("text") or ""),
        "picture": _own_picture(message, (embed.get("image") or {}).get("url")),
        "thumbnail": _own_picture(message, (embed.get("thumbnail") or {}).get("url")),
    }


def _own_picture(message: Message, url: object) -> Json | None:
    found = (one for one in message.attachments if f"attachment://{one.filename}" == url)
    return next((_file(message, one) for one in found), None)

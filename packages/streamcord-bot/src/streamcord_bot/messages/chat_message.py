"""Discord's messages as plain values: who spoke, whether it was us, what the model can read of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import discord

from streamcord import Person
from streamcord.providers import Image
from streamcord.utils import BoundedCache

from ..discord_requests import REQUEST_ERRORS
from ..policy.permissions import may_ping_roles, may_read_back
from .message_parts import (
    MessagePart,
    all_attachments,
    component_text,
    duration_of,
    is_voice_message,
    read_note,
    read_parts,
)
from .transcriber import Pay, Transcriber

__all__ = [
    "PLURALKIT",
    "AttachedFile",
    "AttachmentCache",
    "ChatMessage",
    "FileRoom",
    "MessageReader",
    "people_in",
]


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file attached to a message; `text` is empty if the model cannot read this kind of file."""

    name: str
    text: str = ""
    kind: str = "file"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a channel; `own` if the bot wrote it, also through a webhook."""

    id: int
    author: int
    name: str
    text: str
    channel: int = 0
    own: bool = False
    bot: bool = False
    """Written by another bot, or by a webhook that speaks for nobody."""
    dm: bool = False
    parent: int = 0
    """The channel or forum that its thread belongs to."""
    in_own_thread: bool = False
    """Whether the bot began the thread that it stands in."""
    mentions_us: bool = False
    reply_to: int = 0
    replies_to_us: bool = False
    label: str = ""
    """How the model itself wrote who spoke: `Luna (mad): `."""
    images: tuple[Image, ...] = ()
    files: tuple[AttachedFile, ...] = ()
    parts: tuple[MessagePart, ...] = ()
    """What it shows besides words and files: a forward, a poll, a sticker, ..."""
    is_note: bool = False
    """Written by Discord itself (somebody joined, a message was pinned): nobody waits for an answer."""
    roles: frozenset[int] = frozenset()
    """Roles of its author in the server, as far as Discord told them with the message."""
    pings_roles: bool = False
    """Whether its author may ping every role there."""
    reads_back: bool = True
    """Whether its author may read what was written there before."""
    has_table: bool = False
    """Whether it shows a table of ours as a picture."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that a model could read."""
        return not (self.text.strip() or self.images or self.files or self.parts)

    @property
    def words(self) -> str:
        """Everything in it that a model reads as text, its author's name included."""
        files = (f"{file.name}\n{file.text}" for file in self.files)
        return "\n".join([self.name, self.text, *(part.text for part in self.parts), *files])

    def with_text(self, text: str) -> ChatMessage:
        """The same message after an edit."""
        return replace(self, text=text)


@dataclass(slots=True)
class FileRoom:
    """How many files may still be downloaded for one answer; one that fails counts too."""

    images: int
    texts: int
    voices: int = 2
    pay: Pay | None = None
    """Asked before a voice message is written down for money."""


MESSAGE_FILES = 4
"""Text files of one message that are read."""
PLURALKIT = 466378653216014359
"""An application whose webhooks speak for people: https://pluralkit.me ."""
IMAGE_BYTES = 4 * 1024 * 1024
TEXT_BYTES = 256 * 1024
TABLE_NAME = "table.png"
KEPT_BYTES = 32 * 1024 * 1024

_EMOJI = re.compile(r"<a?:(\w{1,64}):\d{1,24}>", re.ASCII)
_PICTURES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_TEXTS = (
    *(".txt", ".md", ".json", ".csv", ".tsv", ".log", ".toml", ".yaml", ".yml", ".xml", ".html", ".css"),
    *(".ini", ".tex", ".py", ".js", ".ts", ".java", ".c", ".h", ".cpp", ".cs", ".go", ".rs", ".rb", ".php"),
    *(".sh", ".sql"),
)
_SPOKEN = frozenset({discord.MessageType.default, discord.MessageType.reply})
_COMMANDS = frozenset({discord.MessageType.chat_input_command, discord.MessageType.context_menu_command})


class AttachmentCache:
    """Downloads attachments and keeps the last ones; what cannot be downloaded is empty."""

    def __init__(self, cap: int = KEPT_BYTES) -> None:
        self._kept: BoundedCache[int, bytes] = BoundedCache(cap, size=len)

    async def read(self, attachment: discord.Attachment) -> bytes:
        """The content of an attachment."""
        known = self._kept.find(attachment.id)
        if known is not None:
            return known
        try:
            return self._kept.keep(attachment.id, await attachment.read())
        except REQUEST_ERRORS:
            return b""


class MessageReader:
    """Turns Discord's messages into `ChatMessage`; `me` is the bot, `application` owns its webhooks."""

    def __init__(
        self,
        me: discord.ClientUser | None = None,
        application: int = 0,
        files: AttachmentCache | None = None,
        transcriber: Transcriber | None = None,
    ) -> None:
        # Known after the login; no message arrives before.
        self._me: discord.ClientUser
        self._application = application
        if me is not None:
            self._me = me
        self._files = files or AttachmentCache()
        self._transcriber = transcriber

    def identify(self, me: discord.ClientUser, application: int) -> None:
        """Set who the bot is, after its login."""
        self._me, self._application = me, application

    def is_own(self, message: discord.Message) -> bool:
        """Whether the bot wrote it, itself or through a webhook."""
        if message.webhook_id is not None and message.interaction_metadata is None:
            return message.application_id == self._application
        return message.author.id == self._me.id

    def read(self, message: discord.Message) -> ChatMessage:
        """A message without the content of its files."""
        own = self.is_own(message)
        reference = message.reference
        resolved = reference.resolved if reference else None
        note = read_note(message)
        spoken = message.type in _SPOKEN or (message.type in _COMMANDS and not own)
        return ChatMessage(
            message.id,
            message.author.id,
            message.author.display_name,
            self._text(message, own=own) if spoken else note,
            channel=message.channel.id,
            own=own,
            bot=message.author.bot and not own and message.application_id != PLURALKIT,
            dm=message.guild is None,
            parent=getattr(message.channel, "parent_id", 0) or 0,
            in_own_thread=getattr(message.channel, "owner_id", 0) == self._me.id,
            mentions_us=self._is_mentioned(message),
            reply_to=(reference.message_id or 0) if reference and _is_reply(message) else 0,
            replies_to_us=isinstance(resolved, discord.Message) and self.is_own(resolved),
            files=tuple(map(_unread, message.attachments)) if not own else (),
            parts=read_parts(message) if spoken and not own else (),
            is_note=bool(note),
            roles=frozenset(role.id for role in getattr(message.author, "roles", ())),
            pings_roles=may_ping_roles(message.author, message.channel),
            reads_back=may_read_back(message.author, message.channel),
            has_table=own and any(file.filename == TABLE_NAME for file in message.attachments),
        )

    async def read_files(
        self, message: discord.Message, chat_message: ChatMessage, room: FileRoom, length: int
    ) -> ChatMessage:
        """The message with its pictures and so much of its text files, as far as there is room."""
        if chat_message.own:
            return chat_message
        return await self.read_attachments(all_attachments(message), chat_message, room, length)

    async def read_attachments(
        self,
        attachments: Iterable[discord.Attachment],
        chat_message: ChatMessage,
        room: FileRoom,
        length: int,
    ) -> ChatMessage:
        """The message with the content of these files."""
        pictures: list[Image] = []
        files: list[AttachedFile] = []
        texts = min(room.texts, MESSAGE_FILES)
        for attachment in attachments:
            if room.images and _is_picture(attachment):
                room.images -= 1
                if content := await self._files.read(attachment):
                    pictures.append(Image(content, _kind(attachment)))
                    continue
            text = ""
            if length and texts and _is_text(attachment):
                texts, room.texts = texts - 1, room.texts - 1
                text = await self._read_text(attachment)
            elif self._transcriber and room.voices and is_voice_message(attachment):
                room.voices -= 1
                content = await self._files.read(attachment)
                text = await self._transcriber.transcribe(attachment.id, content, _kind(attachment), room.pay)
            files.append(replace(_unread(attachment), text=text[:length]))
        return replace(chat_message, images=tuple(pictures), files=tuple(files))

    async def _read_text(self, attachment: discord.Attachment) -> str:
        content = await self._files.read(attachment)
        return "" if b"\0" in content[:1024] else content.decode("utf-8-sig", "replace")

    def _text(self, message: discord.Message, *, own: bool) -> str:
        text = _EMOJI.sub(r":\1:", message.clean_content)
        if message.flags.components_v2:
            text = component_text(message.components)
        if own:
            # What we showed as a picture; the model must know what it said.
            shown = [file.description for file in message.attachments if file.description]
            text = "\n".join([text, *(f"[table: {alt}]" for alt in shown)]).strip()
        return text

    def _is_mentioned(self, message: discord.Message) -> bool:
        if self._me.id in message.raw_mentions:
            return True
        # People also pick the role that Discord makes for a bot: it has the same name.
        return any(
            role.tags is not None and role.tags.bot_id == self._me.id for role in message.role_mentions
        )


def people_in(
    messages: Iterable[discord.Message], is_own: Callable[[discord.Message], bool]
) -> tuple[Person, ...]:
    """The people who can be mentioned: all authors but ourselves and webhooks."""
    found: dict[int, Person] = {}
    for message in messages:
        author = message.author
        if message.webhook_id is None and not is_own(message):
            names = dict.fromkeys(filter(None, (author.display_name, author.global_name)))
            found[author.id] = Person(author.id, author.name, tuple(names), author.display_avatar.url)
    return tuple(found.values())


def _unread(attachment: discord.Attachment) -> AttachedFile:
    if is_voice_message(attachment):
        return AttachedFile(f"{duration_of(attachment)} s", kind="voice message")
    return AttachedFile(attachment.filename)


def _is_reply(message: discord.Message) -> bool:
    return message.type is discord.MessageType.reply


def _kind(attachment: discord.Attachment) -> str:
    return (attachment.content_type or "").partition(";")[0].strip().lower()


def _is_picture(attachment: discord.Attachment) -> bool:
    return _kind(attachment) in _PICTURES and attachment.size <= IMAGE_BYTES


def _is_text(attachment: discord.Attachment) -> bool:
    named = attachment.filename.lower().endswith(_TEXTS)
    return attachment.size <= TEXT_BYTES and (named or _kind(attachment).startswith("text/"))

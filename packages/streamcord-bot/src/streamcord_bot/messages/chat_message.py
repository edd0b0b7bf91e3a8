"""Read Discord messages as plain values: the author, whether it was the bot, and the text for the model."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import discord

from streamcord import Person
from streamcord.providers import File, Image
from streamcord.utils import BoundedCache

from ..discord_requests import REQUEST_ERRORS
from ..policy.addressing import split_name_prefix, without_quotations
from ..policy.permissions import HIDDEN_NAME, may_ping_roles, may_read_back
from .documents import DOCUMENT_ENDINGS, MAX_DOCUMENT_BYTES
from .message_parts import (
    MessagePart,
    all_attachments,
    component_text,
    duration_of,
    is_voice_message,
    read_parts,
    system_text,
)
from .transcriber import Pay, Transcriber


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
    """Written by another bot, or by a webhook that does not stand for a user."""
    dm: bool = False
    parent: int = 0
    """The channel or forum that its thread belongs to."""
    in_own_thread: bool = False
    """Whether the bot opened the thread that contains it."""
    mentions_us: bool = False
    reply_to: int = 0
    replies_to_us: bool = False
    calls_others: bool = False
    """Whether it mentions people or replies to someone other than the bot."""
    shown_as: str = ""
    """The name over a message of ours, if it is not the bot's own."""
    reply_shown_as: str = ""
    """The same of the message that it replies to."""
    label: str = ""
    """The speaker label as the model wrote it: `Luna (mad): `."""
    images: tuple[Image | File, ...] = ()
    """Pictures, and files that the model reads itself."""
    files: tuple[AttachedFile, ...] = ()
    parts: tuple[MessagePart, ...] = ()
    """Its content besides text and files: a forward, a poll, a sticker, ..."""
    is_system_message: bool = False
    """Written by Discord itself (a member joined, a message was pinned); it is never answered."""
    roles: frozenset[int] = frozenset()
    """Roles of its author in the server, as far as Discord sent them with the message."""
    pings_roles: bool = False
    """Whether its author may mention every role there."""
    reads_back: bool = True
    """Whether its author may read the message history there."""
    has_table: bool = False
    """Whether it shows a table of ours as a picture."""
    calling: str | None = None
    """The part of the text in which names call a persona; `None` is all of it."""

    @property
    def is_empty(self) -> bool:
        """Whether it contains nothing that a model could read."""
        return not (self.text.strip() or self.images or self.files or self.parts)

    @property
    def words(self) -> str:
        """All text of it that a model reads, including the author's name."""
        files = (f"{file.name}\n{file.text}" for file in self.files)
        return "\n".join([self.name, self.text, *(part.text for part in self.parts), *files])

    @property
    def calling_text(self) -> str:
        """The text in which names and trigger words call a persona."""
        return self.text if self.calling is None else self.calling

    def with_text(self, text: str) -> ChatMessage:
        """Return the same message after an edit."""
        return replace(self, text=text, calling=None)


@dataclass(slots=True)
class FileBudget:
    """How many files may still be downloaded for one answer; failed downloads count, too."""

    images: int
    texts: int
    voice_messages: int = 2
    pay: Pay | None = None
    """Called before a paid transcription of a voice message."""
    native: tuple[str, ...] = ()
    """Beginnings of the kinds of files that the model reads itself: `application/pdf`, `audio/`, ..."""
    native_files: int = 2
    """How many of them it is given, the newest first: a page of PDF costs as much as a picture."""


ReadDocument: TypeAlias = Callable[[bytes, int], Awaitable[str]]
"""Returns up to this many characters of a document; empty if it cannot be read."""
MAX_DOCUMENT_TEXTS = 64
MAX_FILE_NAME_CHARS = 200
MAX_TEXT_FILES = 4
"""Further text files of a message are not read."""
PLURALKIT = 466378653216014359
"""Application id of PluralKit, whose webhooks stand for users: https://pluralkit.me ."""
MAX_IMAGE_BYTES = 4 * 1024 * 1024
MAX_TEXT_BYTES = 256 * 1024
_FIGURE_NAMES = frozenset({"table.png", "diagram.png", "formula.png"})
CACHE_BYTES = 32 * 1024 * 1024

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
    """Downloads attachments and caches the last ones; a failed download is empty."""

    def __init__(self, cap: int = CACHE_BYTES) -> None:
        self._kept: BoundedCache[int, bytes] = BoundedCache(cap, size=len)

    async def read(self, attachment: discord.Attachment) -> bytes:
        """Return the content of an attachment; empty if it cannot be downloaded."""
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
        documents: ReadDocument | None = None,
    ) -> None:
        # Known after the login; no message arrives before.
        self._me: discord.ClientUser
        self._application = application
        if me is not None:
            self._me = me
        self._files = files or AttachmentCache()
        self._transcriber = transcriber
        self._documents = documents
        # Texts of the last documents, by attachment and length.
        self._document_texts: BoundedCache[tuple[int, int], str] = BoundedCache(MAX_DOCUMENT_TEXTS)

    def identify(self, me: discord.ClientUser, application: int) -> None:
        """Set who the bot is, after its login."""
        self._me, self._application = me, application

    def is_own(self, message: discord.Message) -> bool:
        """Return whether the bot wrote a message, itself or through a webhook."""
        # A reply to a command has a webhook id, too, but the bot as its author.
        if message.webhook_id is not None and message.interaction_metadata is None:
            return message.application_id == self._application
        return message.author.id == self._me.id

    def read(self, message: discord.Message) -> ChatMessage:
        """Return a message without the content of its files."""
        own = self.is_own(message)
        reference = message.reference
        resolved = reference.resolved if reference else None
        replies_to_us = isinstance(resolved, discord.Message) and self.is_own(resolved)
        system = system_text(message)
        # The reply to a command of another bot has its own type, but people read it as a message.
        spoken = message.type in _SPOKEN or (message.type in _COMMANDS and not own)
        return ChatMessage(
            message.id,
            message.author.id,
            message.author.display_name,
            self._text(message, own=own) if spoken else system,
            channel=message.channel.id,
            own=own,
            # PluralKit posts for users, so its messages count as theirs.
            bot=message.author.bot and not own and message.application_id != PLURALKIT,
            dm=message.guild is None,
            parent=getattr(message.channel, "parent_id", 0) or 0,
            in_own_thread=getattr(message.channel, "owner_id", 0) == self._me.id,
            mentions_us=self._is_mentioned(message),
            reply_to=(reference.message_id or 0) if reference and _is_reply(message) else 0,
            replies_to_us=replies_to_us,
            calls_others=bool(set(message.raw_mentions) - {self._me.id})
            or (reference is not None and _is_reply(message) and not replies_to_us),
            shown_as=_shown_as(message) if own else "",
            reply_shown_as=_shown_as(resolved)
            if isinstance(resolved, discord.Message) and replies_to_us
            else "",
            # Own files are tables and overflow files, whose text the model wrote itself.
            files=tuple(map(_unread, message.attachments)) if not own else (),
            parts=read_parts(message) if spoken and not own else (),
            is_system_message=bool(system),
            roles=frozenset(role.id for role in getattr(message.author, "roles", ())),
            pings_roles=may_ping_roles(message.author, message.channel),
            reads_back=may_read_back(message.author, message.channel),
            has_table=own and any(file.filename in _FIGURE_NAMES for file in message.attachments),
            calling=without_quotations(message.content) if spoken and not own else None,
        )

    async def read_files(
        self, message: discord.Message, chat_message: ChatMessage, budget: FileBudget, length: int
    ) -> ChatMessage:
        """Return the message with its pictures and up to `length` characters of each text file, within the budget."""
        if chat_message.own:
            return chat_message
        return await self.read_attachments(all_attachments(message), chat_message, budget, length)

    async def read_attachments(
        self,
        attachments: Iterable[discord.Attachment],
        chat_message: ChatMessage,
        budget: FileBudget,
        length: int,
    ) -> ChatMessage:
        """Return the message with the content of these files, within the budget."""
        pictures: list[Image | File] = []
        files: list[AttachedFile] = []
        # One message with many files must not use up the budget of the others.
        texts = min(budget.texts, MAX_TEXT_FILES)
        for attachment in attachments:
            if budget.images and _is_picture(attachment):
                budget.images -= 1
                if content := await self._files.read(attachment):
                    pictures.append(Image(content, _kind(attachment)))
                    continue
            if budget.native_files and _is_read_by(attachment, budget.native):
                budget.native_files -= 1
                if content := await self._files.read(attachment):
                    pictures.append(
                        File(content, _kind(attachment), attachment.filename[:MAX_FILE_NAME_CHARS])
                    )
                    continue
            text = ""
            if length and texts and self._documents and _is_document(attachment):
                texts, budget.texts = texts - 1, budget.texts - 1
                text = await self._read_document(self._documents, attachment, length)
            elif length and texts and _is_text(attachment):
                texts, budget.texts = texts - 1, budget.texts - 1
                text = await self._read_text(attachment)
            elif self._transcriber and budget.voice_messages and is_voice_message(attachment):
                budget.voice_messages -= 1
                content = await self._files.read(attachment)
                text = await self._transcriber.transcribe(
                    attachment.id, content, _kind(attachment), budget.pay
                )
            files.append(replace(_unread(attachment), text=text[:length]))
        return replace(chat_message, images=tuple(pictures), files=tuple(files))

    async def _read_document(self, extract: ReadDocument, attachment: discord.Attachment, length: int) -> str:
        key = (attachment.id, length)
        known = self._document_texts.find(key)
        if known is not None:
            return known
        content = await self._files.read(attachment)
        return self._document_texts.keep(key, await extract(content, length) if content else "")

    async def _read_text(self, attachment: discord.Attachment) -> str:
        content = await self._files.read(attachment)
        # A NUL byte means that it is not text, whatever its name says.
        return "" if b"\0" in content[:1024] else content.decode("utf-8-sig", "replace")

    def _text(self, message: discord.Message, *, own: bool) -> str:
        text = _EMOJI.sub(r":\1:", message.clean_content)
        # A link to a channel that the bot may not see: its name says nothing, and is not that of the channel.
        text = text.replace(f"#{HIDDEN_NAME}", "#no-access")
        if message.flags.components_v2:
            text = component_text(message.components)
        if own:
            # Tables that we sent as pictures: the model must know what it said.
            shown = [file.description for file in message.attachments if file.description]
            text = "\n".join([text, *(f"[table: {alt}]" for alt in shown)]).strip()
        return text

    def _is_mentioned(self, message: discord.Message) -> bool:
        if self._me.id in message.raw_mentions:
            return True
        # Users also pick the managed role of the bot, which has the same name.
        return any(
            role.tags is not None and role.tags.bot_id == self._me.id for role in message.role_mentions
        )


def people_in(
    messages: Iterable[discord.Message], is_own: Callable[[discord.Message], bool]
) -> tuple[Person, ...]:
    """Return the people who can be mentioned: all authors except the bot and webhooks."""
    found: dict[int, Person] = {}
    for message in messages:
        author = message.author
        if message.webhook_id is None and not is_own(message):
            # A user may be mentioned by display name or global name; without duplicates, in this order.
            names = dict.fromkeys(filter(None, (author.display_name, author.global_name)))
            found[author.id] = Person(author.id, author.name, tuple(names), author.display_avatar.url)
    return tuple(found.values())


def _shown_as(message: discord.Message) -> str:
    """Return the persona's name over a message of ours: that of the webhook, or the one in front of the text."""
    if message.webhook_id is not None and message.interaction_metadata is None:
        return message.author.display_name
    return split_name_prefix(message.content)[0]


def _unread(attachment: discord.Attachment) -> AttachedFile:
    if is_voice_message(attachment):
        return AttachedFile(f"{duration_of(attachment)} s", kind="voice message")
    return AttachedFile(attachment.filename)


def _is_reply(message: discord.Message) -> bool:
    return message.type is discord.MessageType.reply


def _kind(attachment: discord.Attachment) -> str:
    return (attachment.content_type or "").partition(";")[0].strip().lower()


def _is_picture(attachment: discord.Attachment) -> bool:
    return _kind(attachment) in _PICTURES and attachment.size <= MAX_IMAGE_BYTES


def _is_read_by(attachment: discord.Attachment, native: tuple[str, ...]) -> bool:
    kind = _kind(attachment)
    return bool(native) and attachment.size <= MAX_DOCUMENT_BYTES and kind.startswith(native)


def _is_document(attachment: discord.Attachment) -> bool:
    return attachment.size <= MAX_DOCUMENT_BYTES and attachment.filename.lower().endswith(DOCUMENT_ENDINGS)


def _is_text(attachment: discord.Attachment) -> bool:
    # Discord's content type is missing for many source files, so the extension counts, too.
    named = attachment.filename.lower().endswith(_TEXTS)
    return attachment.size <= MAX_TEXT_BYTES and (named or _kind(attachment).startswith("text/"))

"""Read the messages of a channel before a question, as the model sees them.

A channel is fetched from Discord once. From then on, gateway events keep the cache current, so that answers do not
wait for a request. After a session that could not be resumed, events may be missing, so the cache is cleared.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import discord

from streamcord import Moderator, Person, StoreError, check_text
from streamcord.discord import RequestPriority, wait_for_request_slot
from streamcord.store import Store
from streamcord.utils import BoundedCache

from ..budget.limits import Payer
from ..config import ContextConfig
from ..discord_requests import REQUEST_ERRORS
from ..messages.chat_message import ChatMessage, FileBudget, MessageReader, people_in
from ..messages.message_parts import all_attachments
from ..messages.question import AnswerKind, Question
from ..policy.addressing import find_writer, split_name_prefix
from ..policy.channel_config import ChannelConfig
from .context_window import span_of

MAX_LABELS = 20_000
"""Own messages whose speaker labels are cached."""

NEWEST = 1 << 63
"""Greater than every id."""
# Answers that follow a message of the bot, which belongs to the conversation.
_FOLLOWS = frozenset({AnswerKind.CONTINUE, AnswerKind.DECIDED})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages that the model reads, the people in them, and the message that is answered."""

    messages: tuple[ChatMessage, ...]
    people: tuple[Person, ...] = ()
    last_message: discord.Message | None = None

    def recent(self, count: int) -> tuple[str, ...]:
        """Return our own last `count` messages, the newest last."""
        own = [chat_message.text for chat_message in self.messages if chat_message.own]
        return tuple(own[-count:]) if count else ()


class ChannelHistory:
    """Reads the messages of a channel, with speaker labels and table sources from the store."""

    def __init__(
        self,
        reader: MessageReader,
        store: Store,
        message_cache: MessageCache | None = None,
        spend: Callable[[Payer, float], Awaitable[bool]] | None = None,
    ) -> None:
        self._reader = reader
        self._spend = spend
        self._store = store
        self._message_cache = message_cache or MessageCache()
        # Speaker labels of our own messages; empty for messages without one.
        self._labels: BoundedCache[int, str] = BoundedCache(MAX_LABELS)

    def record_labels(self, labels: Mapping[int, str]) -> None:
        """Cache the labels of messages that this process sent (empty for none)."""
        for id_, label in labels.items():
            self._labels.keep(id_, label)

    def is_newest(self, channel: int, id_: int) -> bool:
        """Return whether no message that we know of is newer than this one."""
        return self._message_cache.newest_id(channel) <= id_

    async def read_conversation(
        self,
        channel: discord.abc.Messageable,
        question: Question,
        config: ContextConfig,
        native: tuple[str, ...] = (),
    ) -> Conversation:
        """Return the conversation up to the question, or up to the answer that is continued.

        The model reads files of the kinds `native` itself.
        """
        last_message = question.messages[-1]
        last = max(question.replaces, default=0) if question.kind in _FOLLOWS else 0
        last = max(last, last_message.id)
        reads_on = question.waited and config.source != "replies"
        messages = await self._fetch(channel, NEWEST if reads_on else last, config)
        if reads_on:
            # The answers that it waited for are newer than it.
            messages = [one for one in messages if one.id <= last or self._reader.is_own(one)]
        known = {message.id: message for message in messages}
        chat_messages = {one.id: one for message in messages if (one := self._read(message))}
        for one in question.messages:
            chat_messages.setdefault(one.id, one)
        guild: discord.Guild | None = getattr(channel, "guild", None)
        payer = Payer(question.payer, guild.id if guild else 0)
        budget = FileBudget(
            config.images,
            config.files,
            pay=partial(self._spend, payer) if self._spend else None,
            native=native,
        )
        # The author may not read the history, so the model must not repeat it to them.
        if not last_message.reads_back:
            chat_messages = _between(chat_messages, question)
            messages = [message for message in messages if message.id in chat_messages]
        chat_messages = await self._with_files(chat_messages, known, config.file_length, budget, question)
        chat_messages = await self._with_labels(chat_messages)
        return Conversation(
            tuple(chat_messages[id_] for id_ in sorted(chat_messages)),
            people_in(messages, self._reader.is_own),
            known.get(last_message.id),
        )

    async def read_follow_ups(
        self,
        channel: discord.abc.Messageable,
        question: Question,
        messages: Sequence[ChatMessage],
        config: ContextConfig,
        native: tuple[str, ...] = (),
    ) -> list[ChatMessage]:
        """Return follow-ups of a question with the content of their files."""
        guild: discord.Guild | None = getattr(channel, "guild", None)
        payer = Payer(question.payer, guild.id if guild else 0)
        pay = partial(self._spend, payer) if self._spend else None
        budget = FileBudget(config.images, config.files, pay=pay, native=native)
        read = []
        for one in messages:
            source = self._message_cache.find_message(channel.id, one.id)  # type: ignore[attr-defined]
            if source is None and one.files:
                with suppress(*REQUEST_ERRORS):
                    source = await self._find_message(channel, one.id)
            length = config.file_length
            read.append(await self._reader.read_files(source, one, budget, length) if source else one)
        return read

    def _read(self, message: discord.Message) -> ChatMessage | None:
        """Return a message as the model reads it; a message that fails is left out instead of failing the answer."""
        try:
            return self._reader.read(message)
        except Exception:
            _log.exception("reading message %s failed, leaving it out", message.id)
            return None

    async def _fetch(
        self, channel: discord.abc.Messageable, last: int, config: ContextConfig
    ) -> list[discord.Message]:
        try:
            if config.source == "replies":
                return await self._fetch_chain(channel, last, config.messages)
            return await self._fetch_newest(channel, last, min(MAX_MESSAGES, span_of(config)))
        except REQUEST_ERRORS as error:
            # Without the permission to read the history, the question itself is all that we know.
            _log.debug("reading the history failed, answering without it: %s", type(error).__name__)
            return []

    async def _fetch_newest(
        self, channel: discord.abc.Messageable, last: int, count: int
    ) -> list[discord.Message]:
        """Return the newest `count` messages up to `last`, from the cache if the channel was read before."""
        id_: int = channel.id  # type: ignore[attr-defined]
        known = self._message_cache.find(id_, last, count)
        if known is not None:
            return known
        # Opened before the request, so that events that arrive during it are recorded.
        self._message_cache.open(id_)
        await wait_for_request_slot(channel, RequestPriority.CONTEXT)
        newest = [one async for one in channel.history(limit=min(MAX_MESSAGES, max(count, 1)))]
        self._message_cache.fill(id_, newest)
        return [one for one in newest if one.id <= last][:count]

    async def _fetch_chain(
        self, channel: discord.abc.Messageable, last: int, cap: int
    ) -> list[discord.Message]:
        self._message_cache.open(channel.id)  # type: ignore[attr-defined]
        chain = [await self._find_message(channel, last)]
        while len(chain) < cap and (before := await self._find_target(channel, chain[-1])):
            chain.append(before)
        return chain

    async def _find_message(self, channel: discord.abc.Messageable, id_: int) -> discord.Message:
        """Return a message that the gateway delivered; others are fetched when it is this server's turn."""
        known = self._message_cache.find_message(channel.id, id_)  # type: ignore[attr-defined]
        if known is not None:
            return known
        await wait_for_request_slot(channel, RequestPriority.CONTEXT)
        return await channel.fetch_message(id_)

    async def _find_target(
        self, channel: discord.abc.Messageable, message: discord.Message
    ) -> discord.Message | None:
        """Return the message that a message replies to: included by Discord, cached, or fetched."""
        reference = message.reference
        if reference is None or not _is_reply(message):
            return None
        resolved = reference.resolved
        # A reply that Discord includes in a reply may lack its own reference; fetch it then.
        if isinstance(resolved, discord.Message) and (resolved.reference or not _is_reply(resolved)):
            return resolved
        if isinstance(resolved, discord.DeletedReferencedMessage) or reference.message_id is None:
            return None
        try:
            return await self._find_message(channel, reference.message_id)
        except REQUEST_ERRORS:
            return None

    async def _with_files(
        self,
        chat_messages: dict[int, ChatMessage],
        known: dict[int, discord.Message],
        length: int,
        budget: FileBudget,
        question: Question,
    ) -> dict[int, ChatMessage]:
        """Add the newest pictures and the texts of attached files.

        The model itself reads only documents that the question brings or replies to: a document of hundreds of pages
        that someone else sends would cost everybody who asks in the channel.
        """
        meant = {id_ for one in question.messages for id_ in (one.id, one.reply_to)}
        native = budget.native
        for id_ in sorted(known, reverse=True):
            if id_ in chat_messages and all_attachments(known[id_]):
                is_meant = id_ in meant or chat_messages[id_].author == question.payer
                budget.native = native if is_meant else ()
                chat_messages[id_] = await self._reader.read_files(
                    known[id_], chat_messages[id_], budget, length
                )
        return chat_messages

    async def _with_labels(self, chat_messages: dict[int, ChatMessage]) -> dict[int, ChatMessage]:
        """Add the labels of our own messages, and the Markdown of tables that were sent as pictures."""
        own = [id_ for id_, chat_message in chat_messages.items() if chat_message.own]
        try:
            labels = await self._find_labels(own)
            tables = {id_: await self._store.find_table(id_) for id_ in own if chat_messages[id_].has_table}
        except StoreError as error:
            _log.warning("could not load speaker labels of recent messages: %s", error)
            return chat_messages
        for id_ in own:
            changes: dict[str, Any] = {"label": labels.get(id_, "")}
            if table := tables.get(id_):
                changes["text"] = table
            chat_messages[id_] = replace(chat_messages[id_], **changes)
        return chat_messages

    async def _find_labels(self, own: list[int]) -> dict[int, str]:
        """Return the labels of our messages; other processes may write labels at any time."""
        unknown = [id_ for id_ in own if id_ not in self._labels]
        found = await self._store.labels(unknown) if unknown else {}
        self.record_labels(found)
        return {**found, **{id_: self._labels.find(id_) or "" for id_ in own if id_ not in found}}


def _between(chat_messages: dict[int, ChatMessage], question: Question) -> dict[int, ChatMessage]:
    """Keep messages of the requester and replies to them: the requester may not read earlier ones of others."""
    kept = {one.id for one in question.messages} | set(question.replaces)
    for id_ in sorted(chat_messages):
        one = chat_messages[id_]
        if one.author == question.owner or (one.own and one.reply_to in kept):
            kept.add(id_)
    return {id_: one for id_, one in chat_messages.items() if id_ in kept}


def attribute_messages(conversation: Conversation, config: ChannelConfig) -> Conversation:
    """Return the conversation as the speaking persona sees it: messages of other personas are not its own.

    A name that the bot put in front of a message, because no webhook was available, is removed.
    """
    messages = tuple(_attributed(one, config) if one.own else one for one in conversation.messages)
    return replace(conversation, messages=messages)


def _attributed(message: ChatMessage, config: ChannelConfig) -> ChatMessage:
    personas = (config.persona, *config.answer_context.personas)
    prefix, text = split_name_prefix(message.text)
    if prefix and find_writer(prefix, personas):
        message = replace(message, text=text)
    # The bot's own account speaks for the persona of the channel.
    writer = find_writer(message.shown_as, personas) if message.shown_as else config.chosen
    # A persona that was renamed or deleted is unknown: its messages stay ours.
    if not writer or writer.casefold() == config.persona.name.casefold():
        return message
    return replace(message, own=False, name=writer)


class HistoryScreen:
    """Removes messages before a question that a moderator blocks.

    A text that has passed is not checked again until it is edited.
    """

    def __init__(self) -> None:
        # Digests of texts that have passed, by message.
        self._passed: BoundedCache[int, bytes] = BoundedCache(MAX_SCREENED)
        # The same of texts that were blocked and logged. They are checked again, since a moderator may have failed.
        self._blocked: BoundedCache[int, bytes] = BoundedCache(MAX_SCREENED)

    async def screen(
        self, conversation: Conversation, asked: Collection[int], moderators: Sequence[Moderator]
    ) -> Conversation:
        """Return the conversation without blocked messages; the messages in `asked` are checked elsewhere."""
        if not moderators:
            return conversation
        texts = {one.id: one.words for one in conversation.messages if not one.own and one.id not in asked}
        new = {id_: text for id_, text in texts.items() if self._passed.find(id_) != _digest(text)}
        # Usually all messages pass: check them together first.
        reason = await check_text(moderators, "\n".join(new.values()), "question")
        blocked = {
            id_ for id_, text in new.items() if reason and await self._is_blocked(id_, text, moderators)
        }
        for id_ in new.keys() - blocked:
            self._passed.keep(id_, _digest(new[id_]))
        messages = tuple(one for one in conversation.messages if one.id not in blocked)
        return replace(conversation, messages=messages)

    async def _is_blocked(self, id_: int, text: str, moderators: Sequence[Moderator]) -> bool:
        reason = await check_text(moderators, text, "question")
        if reason and self._blocked.find(id_) != _digest(text):
            self._blocked.keep(id_, _digest(text))
            _log.info("a moderator blocked message %s, leaving it out: %s", id_, reason)
        return bool(reason)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _is_reply(message: discord.Message) -> bool:
    return message.type is discord.MessageType.reply


MAX_MESSAGES = 100
MAX_CHANNELS = 500
MAX_SCREENED = 10_000


@dataclass(slots=True)
class _Channel:
    """The messages of a channel by id; `is_read` once its history was fetched."""

    messages: dict[int, discord.Message] = field(default_factory=dict)
    is_read: bool = False


class MessageCache:
    """The last messages of the channels in which the bot answers, updated by gateway events."""

    def __init__(self, max_messages: int = MAX_MESSAGES, max_channels: int = MAX_CHANNELS) -> None:
        self._message_cap = max_messages
        self._channels: BoundedCache[int, _Channel] = BoundedCache(max_channels)

    def open(self, channel: int) -> None:
        """Record events of a channel from now on; call it before fetching its history."""
        self._channels.find_or_make(channel, _Channel)

    def fill(self, channel: int, messages: Iterable[discord.Message]) -> None:
        """Add the fetched history of a channel that was opened."""
        known = self._channels.peek(channel)
        if known is not None:
            # Messages that the gateway delivered meanwhile are newer than the fetched ones.
            known.messages = {**{one.id: one for one in messages}, **known.messages}
            known.is_read = True
            self._trim(known)

    def find(self, channel: int, last: int, count: int) -> list[discord.Message] | None:
        """Return `count` messages up to `last`, the newest first; `None` if the channel was not read."""
        known = self._channels.find(channel)
        if known is None or not known.is_read or count > self._message_cap:
            return None
        ids = sorted((id_ for id_ in known.messages if id_ <= last), reverse=True)
        return [known.messages[id_] for id_ in ids[:count]]

    def messages(self, channel: int) -> list[discord.Message]:
        """Return all cached messages of a channel, the oldest first."""
        known = self._channels.peek(channel)
        return [known.messages[id_] for id_ in sorted(known.messages)] if known is not None else []

    def find_message(self, channel: int, id_: int) -> discord.Message | None:
        """Return one message of a channel, if it is cached."""
        known = self._channels.find(channel)
        return known.messages.get(id_) if known is not None else None

    def add(self, message: discord.Message) -> None:
        """Add a new message."""
        known = self._channels.peek(message.channel.id)
        if known is not None:
            known.messages[message.id] = message
            self._trim(known)

    def update(self, message: discord.Message) -> None:
        """Replace an edited message, if it is cached."""
        known = self._channels.peek(message.channel.id)
        if known is not None and message.id in known.messages:
            known.messages[message.id] = message

    def newest_id(self, channel: int) -> int:
        """Return the id of the newest message of a channel; 0 if none is cached."""
        known = self._channels.peek(channel)
        return max(known.messages, default=0) if known is not None else 0

    def remove(self, channel: int, ids: Iterable[int]) -> None:
        """Remove deleted messages."""
        known = self._channels.peek(channel)
        for id_ in ids:
            if known is not None:
                known.messages.pop(id_, None)

    def forget(self) -> None:
        """Clear the cache, because events may have been missed."""
        self._channels.clear()

    def _trim(self, known: _Channel) -> None:
        surplus = max(0, len(known.messages) - self._message_cap)
        for id_ in sorted(known.messages)[:surplus]:
            del known.messages[id_]

"""What was said in a channel before a question, as the model is shown it.

A channel is read from Discord once; from then on the gateway says what is new, changed or gone, so that no
answer has to wait for a request. After a session that was not resumed something may be missing, and all is
forgotten.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import discord

from streamcord import Moderator, Person, StoreError, check_text
from streamcord.discord import RequestPriority, wait_for_request_slot
from streamcord.store import Store
from streamcord.utils import BoundedCache

from ..budget.limits import Payer
from ..config.sections import ContextConfig
from ..discord_requests import REQUEST_ERRORS
from ..messages.chat_message import ChatMessage, FileRoom, MessageReader, people_in
from ..messages.message_parts import all_attachments
from ..messages.question import AnswerKind, Question
from .context_window import span_of

__all__ = ["MESSAGE_CAP", "ChannelHistory", "Conversation", "HistoryScreen", "MessageCache"]

LABEL_CAP = 20_000
"""Messages of ours of which is remembered under which label they were sent."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the model reads, who took part, and the message that is answered."""

    messages: tuple[ChatMessage, ...]
    people: tuple[Person, ...] = ()
    last_message: discord.Message | None = None

    def recent(self, count: int) -> tuple[str, ...]:
        """Our own last messages, the newest last."""
        own = [chat_message.text for chat_message in self.messages if chat_message.own]
        return tuple(own[-count:]) if count else ()


class ChannelHistory:
    """Reads what was said in a channel, with what the store knows about our own messages."""

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
        self._labels: BoundedCache[int, str] = BoundedCache(LABEL_CAP)

    def note_labels(self, labels: Mapping[int, str]) -> None:
        """Labels under which this process sent messages (empty for none), so the store need not be asked."""
        for id_, label in labels.items():
            self._labels.keep(id_, label)

    async def read_conversation(
        self, channel: discord.abc.Messageable, question: Question, config: ContextConfig
    ) -> Conversation:
        """The conversation up to the question, or up to the answer that is to be continued."""
        last_message = question.messages[-1]
        last = max(question.replaces, default=0) if question.kind is AnswerKind.CONTINUE else 0
        messages = await self._fetch(channel, max(last, last_message.id), config)
        known = {message.id: message for message in messages}
        chat_messages = {one.id: one for message in messages if (one := self._read(message))}
        for one in question.messages:
            chat_messages.setdefault(one.id, one)
        guild: discord.Guild | None = getattr(channel, "guild", None)
        payer = Payer(question.payer, guild.id if guild else 0)
        budget = FileRoom(
            config.images, config.files, pay=partial(self._spend, payer) if self._spend else None
        )
        if not last_message.reads_back:
            chat_messages = _between(chat_messages, question)
            messages = [message for message in messages if message.id in chat_messages]
        chat_messages = await self._with_files(chat_messages, known, config.file_length, budget)
        chat_messages = await self._with_labels(chat_messages)
        return Conversation(
            tuple(chat_messages[id_] for id_ in sorted(chat_messages)),
            people_in(messages, self._reader.is_own),
            known.get(last_message.id),
        )

    def _read(self, message: discord.Message) -> ChatMessage | None:
        """A message as the model reads it; one that cannot be read does not hide the others."""
        try:
            return self._reader.read(message)
        except Exception:
            _log.exception("message %s cannot be read, and is left out", message.id)
            return None

    async def _fetch(
        self, channel: discord.abc.Messageable, last: int, config: ContextConfig
    ) -> list[discord.Message]:
        try:
            if config.source == "replies":
                return await self._fetch_chain(channel, last, config.messages)
            return await self._fetch_newest(channel, last, min(MESSAGE_CAP, span_of(config)))
        except REQUEST_ERRORS as error:
            # Without the right to read back, the question itself is all that we know.
            _log.debug("no history: %s", type(error).__name__)
            return []

    async def _fetch_newest(
        self, channel: discord.abc.Messageable, last: int, count: int
    ) -> list[discord.Message]:
        """The newest messages up to one, from the cache if the channel was read before."""
        id_: int = channel.id  # type: ignore[attr-defined]
        known = self._message_cache.find(id_, last, count)
        if known is not None:
            return known
        self._message_cache.open(id_)
        await wait_for_request_slot(channel, RequestPriority.FIRST)
        newest = [one async for one in channel.history(limit=min(MESSAGE_CAP, max(count, 1)))]
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
        await wait_for_request_slot(channel, RequestPriority.FIRST)
        return await channel.fetch_message(id_)

    async def _find_target(
        self, channel: discord.abc.Messageable, message: discord.Message
    ) -> discord.Message | None:
        """The message that a message replies to, as sent along by Discord, known or fetched."""
        reference = message.reference
        if reference is None or not _is_reply(message):
            return None
        resolved = reference.resolved
        # A reply that comes along with a reply may not say what it replies to itself.
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
        budget: FileRoom,
    ) -> dict[int, ChatMessage]:
        """Add the newest pictures and the texts of attached files."""
        for id_ in sorted(known, reverse=True):
            if id_ in chat_messages and all_attachments(known[id_]):
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
            _log.warning("labels cannot be read: %s", error)
            return chat_messages
        for id_ in own:
            changes: dict[str, Any] = {"label": labels.get(id_, "")}
            if table := tables.get(id_):
                changes["text"] = table
            chat_messages[id_] = replace(chat_messages[id_], **changes)
        return chat_messages

    async def _find_labels(self, own: list[int]) -> dict[int, str]:
        """The labels of our messages; those of other processes may be written any moment."""
        unknown = [id_ for id_ in own if id_ not in self._labels]
        found = await self._store.labels(unknown) if unknown else {}
        self.note_labels(found)
        return {**found, **{id_: self._labels.find(id_) or "" for id_ in own if id_ not in found}}


def _between(chat_messages: dict[int, ChatMessage], question: Question) -> dict[int, ChatMessage]:
    """Keep messages of the requester and replies to them: the requester may not read earlier ones of others."""
    kept = {one.id for one in question.messages} | set(question.replaces)
    for id_ in sorted(chat_messages):
        one = chat_messages[id_]
        if one.author == question.owner or (one.own and one.reply_to in kept):
            kept.add(id_)
    return {id_: one for id_, one in chat_messages.items() if id_ in kept}


class HistoryScreen:
    """Keeps from the model what a moderator holds back of the messages before a question.

    A text that has passed is not looked at again, unless it is edited.
    """

    def __init__(self) -> None:
        self._passed: BoundedCache[int, bytes] = BoundedCache(SCREENED_CAP)

    async def screen(
        self, conversation: Conversation, asked: Collection[int], moderators: Sequence[Moderator]
    ) -> Conversation:
        """The conversation without what is held back; what is `asked` is looked at elsewhere."""
        if not moderators:
            return conversation
        texts = {one.id: one.words for one in conversation.messages if not one.own and one.id not in asked}
        new = {id_: text for id_, text in texts.items() if self._passed.find(id_) != _digest(text)}
        # Most often all of it passes: then one look is enough.
        reason = await check_text(moderators, "\n".join(new.values()), "question")
        held = {id_ for id_, text in new.items() if reason and await _is_held(id_, text, moderators)}
        for id_ in new.keys() - held:
            self._passed.keep(id_, _digest(new[id_]))
        messages = tuple(one for one in conversation.messages if one.id not in held)
        return replace(conversation, messages=messages)


async def _is_held(id_: int, text: str, moderators: Sequence[Moderator]) -> bool:
    reason = await check_text(moderators, text, "question")
    if reason:
        _log.info("message %s is kept from the model: %s", id_, reason)
    return bool(reason)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _is_reply(message: discord.Message) -> bool:
    return message.type is discord.MessageType.reply


MESSAGE_CAP = 100
CHANNEL_CAP = 500
SCREENED_CAP = 10_000


@dataclass(slots=True)
class _Channel:
    """The messages of a channel by id; `is_read` once they were also asked for."""

    messages: dict[int, discord.Message] = field(default_factory=dict)
    is_read: bool = False


class MessageCache:
    """The last messages of the channels in which the bot speaks, as the gateway tells of them."""

    def __init__(self, message_cap: int = MESSAGE_CAP, channel_cap: int = CHANNEL_CAP) -> None:
        self._message_cap = message_cap
        self._channels: BoundedCache[int, _Channel] = BoundedCache(channel_cap)

    def open(self, channel: int) -> None:
        """Note from now on what happens in a channel; call it before reading, so that nothing is missed."""
        self._channels.find_or_make(channel, _Channel)

    def fill(self, channel: int, messages: Iterable[discord.Message]) -> None:
        """Add what Discord says were the newest messages of a channel that was opened."""
        known = self._channels.peek(channel)
        if known is not None:
            # What the gateway delivered meanwhile is newer than what was fetched.
            known.messages = {**{one.id: one for one in messages}, **known.messages}
            known.is_read = True
            self._trim(known)

    def find(self, channel: int, last: int, count: int) -> list[discord.Message] | None:
        """So many messages up to this one, the newest first; `None` if the channel was not read."""
        known = self._channels.find(channel)
        if known is None or not known.is_read or count > self._message_cap:
            return None
        ids = sorted((id_ for id_ in known.messages if id_ <= last), reverse=True)
        return [known.messages[id_] for id_ in ids[:count]]

    def find_message(self, channel: int, id_: int) -> discord.Message | None:
        """One message of a channel in which the bot speaks, if it is among the last ones."""
        known = self._channels.find(channel)
        return known.messages.get(id_) if known is not None else None

    def note(self, message: discord.Message) -> None:
        """A message is new, or was changed."""
        known = self._channels.peek(message.channel.id)
        if known is not None:
            known.messages[message.id] = message
            self._trim(known)

    def change(self, message: discord.Message) -> None:
        """A message was changed; one that we do not have stays unknown."""
        known = self._channels.peek(message.channel.id)
        if known is not None and message.id in known.messages:
            known.messages[message.id] = message

    def drop(self, channel: int, ids: Iterable[int]) -> None:
        """Messages were deleted."""
        known = self._channels.peek(channel)
        for id_ in ids:
            if known is not None:
                known.messages.pop(id_, None)

    def forget(self) -> None:
        """Forget all channels: something may have happened that the gateway did not tell."""
        self._channels.clear()

    def _trim(self, known: _Channel) -> None:
        surplus = max(0, len(known.messages) - self._message_cap)
        for id_ in sorted(known.messages)[:surplus]:
            del known.messages[id_]

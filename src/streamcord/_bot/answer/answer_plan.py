"""Everything around an answer: what is decided before its first word, and what stays after its last.

Before: speaker, settings, conversation, prompt. After: labels of looks, sources of tables, memory, thoughts.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import discord

from streamcord import (
    Degree,
    Emoji,
    Settings,
    SettingsError,
    Speaker,
    StoreError,
    Table,
    TurnResult,
    check_text,
)
from streamcord._shared.bounded_cache import BoundedCache
from streamcord.discord import is_guest
from streamcord.providers import Prompt, user
from streamcord.store import Memory

from ..conversation.build_prompt import (
    CONTINUE,
    Window,
    build_prompt,
    chain_of,
    write_instructions,
    write_reminders,
)
from ..conversation.channel_config import ChannelConfig, place_of
from ..conversation.channel_history import ChannelHistory, Conversation, HistoryScreen
from ..conversation.channel_queue import AnswerKind, Question
from ..conversation.chat_message import ChatMessage
from ..notices import NO_PINGS, REQUEST_ERRORS, send_notice, translate
from ..reading.window import WindowStarts
from ..rights.access import is_open
from ..rights.answer_rights import asker_in, check_answer
from ..services import Services
from ..story.greeting import greet, is_first_meeting
from ..story.lorebook import find_lore

__all__ = ["AnswerMemory", "AnswerPlan", "AnswerPlanner", "or_default", "post_thoughts", "thought_embeds"]

LOOK_AGE = 600.0
"""Seconds for which the last look is handed on to the next answer."""
LOOK_CAP = 1000

_log = logging.getLogger("streamcord.bot")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """Everything decided for one answer; settings that change later count for the next one."""

    turn: str
    question: Question
    channel: discord.abc.MessageableChannel
    channel_config: ChannelConfig
    conversation: Conversation
    settings: Settings
    prompt: Prompt
    locale: str


class AnswerPlanner:
    """Plans the answers of one bot."""

    def __init__(self, services: Services, history: ChannelHistory) -> None:
        self._services = services
        self._history = history
        self._screen = HistoryScreen()
        self._windows = WindowStarts()
        self._looks: BoundedCache[int, tuple[float, Speaker | None]] = BoundedCache(LOOK_CAP)

    def note_look(self, channel: int, speaker: Speaker | None) -> None:
        """Remember the look of the last message in a channel."""
        self._looks.keep(channel, (asyncio.get_running_loop().time(), speaker))

    async def plan(
        self, turn: str, question: Question, channel: discord.abc.MessageableChannel
    ) -> AnswerPlan:
        """Read the channel and decide everything; tells people if the store cannot be reached."""
        place, parent = place_of(channel)
        guild = getattr(channel, "guild", None)
        locale = self._services.locale(guild)
        visitor = asker_in(question, channel)
        models = self._services.config.models
        channel_config, stored = await self._services.channel_configs.find_or_default(
            place, parent, lambda name: is_open(models[name].open_to, visitor)
        )
        if not stored:
            look = self._services.notice_look
            await send_notice(channel, translate(locale, "store"), look=look)
        check_answer(self._services.config, channel_config, visitor, channel)
        conversation = await self._history.read_conversation(channel, question, channel_config.context)
        asked = {one.id for one in question.messages}
        conversation = await self._screen.screen(conversation, asked, self._services.moderators)
        settings = self._settings(channel_config, conversation, guild, question)
        settings = await self._tame(settings, channel_config, question, channel)
        greeted = await self._greet(question, channel, channel_config, conversation)
        prompt = await self._prompt(question, channel_config, conversation, settings, greeted)
        return AnswerPlan(turn, question, channel, channel_config, conversation, settings, prompt, locale)

    def _settings(
        self,
        channel_config: ChannelConfig,
        conversation: Conversation,
        guild: discord.Guild | None,
        question: Question,
    ) -> Settings:
        """The settings of the channel, with the people, emoji and last messages of this conversation."""
        settings = channel_config.settings
        if question.reply is not None and is_guest(question.reply):
            # Six messages are all that there can be.
            settings = replace(settings, degree=Degree(0))
        return replace(
            settings,
            people=conversation.people,
            emoji=_emoji_of(guild),
            recent_messages=conversation.recent(settings.emoji_unique_lookback),
            last_look=self._last_look(question),
            secrets=self._services.config.secrets,
        )

    async def _tame(
        self,
        settings: Settings,
        channel_config: ChannelConfig,
        question: Question,
        channel: discord.abc.MessageableChannel,
    ) -> Settings:
        """Let roles be pinged only if who asks may ping them, and whoever allowed it still may."""
        if settings.mentions != "users_and_roles":
            return settings
        if question.messages[-1].pings_roles and await self._services.powers.holds(
            channel_config.set_by, "mentions", settings.mentions, channel
        ):
            return settings
        return replace(settings, mentions="users")

    def _last_look(self, question: Question) -> Speaker | None:
        at, speaker = self._looks.find(question.channel) or (0.0, None)
        fresh = asyncio.get_running_loop().time() - at < LOOK_AGE
        # Whoever asks wrote in between; only what is continued follows our own message.
        return speaker if fresh and question.kind is AnswerKind.CONTINUE else None

    async def _prompt(
        self,
        question: Question,
        channel_config: ChannelConfig,
        conversation: Conversation,
        settings: Settings,
        greeted: str = "",
    ) -> Prompt:
        asked = [message.id for message in question.messages]
        messages = list(conversation.messages)
        if channel_config.context.source == "replies" and question.kind is AnswerKind.ANSWER:
            known = {message.id: message for message in messages}
            messages = [*(known[id_] for id_ in asked), *chain_of(known[asked[-1]], messages)]
        # Of this channel alone: what was said in a closed one must not come up in another.
        memories = await or_default(
            self._services.store.recall(channel_config.persona.name, channel_config.place), ()
        )
        wanted = channel_config.context.memory if question.messages[-1].reads_back else 0
        memories = memories[-wanted:] if wanted else ()
        # An answer that is replaced is as good as gone.
        shown = {message.id for message in messages} | set(question.replaces)
        prompt = build_prompt(
            messages,
            asked,
            channel_config.context,
            write_instructions(channel_config.persona, channel_config.speaker.prompt, settings.emoji),
            reminders=write_reminders(memories, shown, *await self._story(channel_config, messages, greeted)),
            window=self._window(question, channel_config),
        )
        if question.kind is AnswerKind.CONTINUE:
            prompt += user(CONTINUE)
        key = f"{channel_config.place.channel or channel_config.place.guild}:{channel_config.persona.name}"
        return replace(prompt, prefill=settings.prefill or prompt.prefill, cache_key=_short_key(key))

    async def _greet(
        self,
        question: Question,
        channel: discord.abc.MessageableChannel,
        channel_config: ChannelConfig,
        conversation: Conversation,
    ) -> str:
        """Let a persona greet where it was never met; gives what it said, if it did."""
        spoke = any(message.own for message in conversation.messages)
        if question.kind is not AnswerKind.ANSWER or spoke or question.reply is not None:
            return ""
        text = channel_config.speaker.greeting
        first = await is_first_meeting(self._services, channel_config)
        return text if first and await greet(self._services, channel, channel_config, text) else ""

    async def _story(
        self, channel_config: ChannelConfig, messages: Sequence[ChatMessage], greeted: str
    ) -> list[str]:
        """Lore of the persona's card that fits the conversation, what it greeted with, and its note."""
        story = await self._services.stories.find(channel_config.speaker)
        said = [f"You have just greeted everybody with these words:\n{greeted}"] if greeted else []
        lore = await asyncio.to_thread(find_lore, story.book, [message.text for message in messages])
        told = ["\n".join([f"What {channel_config.persona.name} knows of this:", *lore])] if lore else []
        return [*told, *said, story.note]

    def _window(self, question: Question, channel_config: ChannelConfig) -> Window | None:
        """Chooses which messages of the channel the model reads, so that a provider's cache stays of use.

        `None` for a chain of replies, which is read whole.
        """
        if channel_config.context.source == "replies" or not question.messages[-1].reads_back:
            return None
        asked = frozenset(message.id for message in question.messages)

        def choose(ordered: Sequence[ChatMessage], cost: Callable[[ChatMessage], int]) -> list[ChatMessage]:
            return self._windows.choose(question.channel, ordered, asked, channel_config.context, cost)

        return choose


def _short_key(text: str) -> str:
    """A name for a provider's cache that says nothing about the server or the persona."""
    return hashlib.blake2s(text.encode(), digest_size=16).hexdigest()


def _emoji_of(guild: discord.Guild | None) -> tuple[Emoji, ...]:
    found = []
    for one in guild.emojis if guild else ():
        try:
            found.append(Emoji(one.name, one.id, one.animated))
        except SettingsError:
            continue
    return tuple(found)


async def or_default(action: Awaitable[T], otherwise: T) -> T:
    """The result of a call to the store, or a default if the store fails."""
    try:
        return await action
    except StoreError as error:
        _log.warning("the store failed: %s", error)
        return otherwise


# --- What stays of an answer ----------------------------------------------------------------------------


TABLE_CAP = 20
"""Tables of a channel whose source can be asked for."""
CHANNEL_CAP = 1000


class AnswerMemory:
    """Stores what later answers need to know of an answer."""

    def __init__(self, services: Services, history: ChannelHistory | None = None) -> None:
        self._services = services
        self._history = history
        self._tables: BoundedCache[int, list[str]] = BoundedCache(CHANNEL_CAP)

    def tables_of(self, channel: int) -> list[str]:
        """The sources of the tables that were shown in a channel, the newest last."""
        return self._tables.peek(channel) or []

    async def keep(self, plan: AnswerPlan, result: TurnResult) -> None:
        """Store labels, tables and memory, and post the thoughts; an error here never fails the answer."""
        if plan.question.discarded:
            await self._services.editor.delete_messages(plan.channel, [one.id for one in result.receipts])
            return
        await or_default(self._store(plan, result), None)
        thoughts = plan.channel_config.thought_log
        if (
            thoughts
            and plan.channel_config.place.guild
            and thoughts != plan.question.channel
            and await self._services.powers.holds(
                plan.channel_config.set_by, "thought_log", thoughts, plan.channel
            )
        ):
            await self._post_thoughts(thoughts, plan, result)

    async def _post_thoughts(self, channel: int, plan: AnswerPlan, result: TurnResult) -> None:
        """Post the thoughts, unless a moderator holds them back: people read them like any other text."""
        text = _thoughts(result)[: EMBED_CAP * EMBED_LENGTH]
        if reason := await check_text(self._services.moderators, text, "answer"):
            _log.info("turn %s: its thoughts are held back: %s", plan.turn, reason)
            return
        name = plan.channel_config.persona.name
        await post_thoughts(self._services.client, channel, result, name, plan.locale)

    async def _store(self, plan: AnswerPlan, result: TurnResult) -> None:
        # One that was deleted in the moment when it came has no id.
        store, receipts = self._services.store, [one for one in result.receipts if one.id]
        labels = {
            one.id: one.message.speaker.label
            for one in receipts
            if one.message.speaker and one.message.speaker.label and "no_voice" not in one.changes
        }
        if labels:
            await store.label_messages(labels)
        if self._history is not None:
            self._history.note_labels({one.id: labels.get(one.id, "") for one in receipts})
        if await store.refuses_memory(plan.question.owner):
            return
        for one in receipts:
            for table in one.message.files:
                if isinstance(table, Table):
                    self._note_table(plan.question.channel, table.source)
                    await store.keep_table(one.id, table.source)
        if receipts:
            ids = tuple(one.id for one in receipts)
            name, place = plan.channel_config.persona.name, plan.channel_config.place
            await store.remember(Memory(name, place, result.text, ids, result.details, plan.question.owner))

    def _note_table(self, channel: int, source: str) -> None:
        known = self._tables.find_or_make(channel, list)
        known.append(source)
        del known[:-TABLE_CAP]


EMBED_LENGTH = 4096
"""https://docs.discord.com/developers/resources/message#embed-object-embed-limits ."""
EMBED_CAP = 8
"""A model that thinks longer is cut; nobody reads further."""


def thought_embeds(result: TurnResult, name: str, locale: str) -> list[discord.Embed]:
    """The thoughts of an answer as embeds, split at Discord's limit."""
    thoughts, text = result.thoughts, _thoughts(result)
    if not text:
        return []
    parts = _parts(text)
    title = f"{translate(locale, 'thoughts')}: {name}"[:256]
    embeds = [discord.Embed(title=title, description=parts[0], url=result.first_url or None)]
    embeds += [discord.Embed(description=part) for part in parts[1:EMBED_CAP]]
    footer = (
        [translate(locale, "thought_for", seconds=f"{thoughts.duration:.1f}")] if thoughts.duration else []
    )
    footer += [thoughts.served_by] if thoughts.served_by else []
    if footer:
        embeds[-1].set_footer(text=" · ".join(footer)[:2048])
    return embeds


def _thoughts(result: TurnResult) -> str:
    return "\n\n".join(part for part in (result.thoughts.summary, result.thoughts.raw) if part)


async def post_thoughts(
    client: discord.Client, channel_id: int, result: TurnResult, name: str, locale: str
) -> None:
    """Post the thoughts of an answer in a channel; does nothing if the channel is gone or closed to us."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, discord.abc.Messageable):
        return
    try:
        for embed in thought_embeds(result, name, locale):
            await channel.send(embed=embed, silent=True, allowed_mentions=NO_PINGS)
    except REQUEST_ERRORS as error:
        _log.warning("the thought log in channel %s was refused: %s", channel_id, type(error).__name__)


def _parts(text: str) -> list[str]:
    """Split a text into pieces that fit an embed, at a newline or a space if there is one."""
    parts = []
    while len(text) > EMBED_LENGTH:
        cut = max(text.rfind("\n", 1, EMBED_LENGTH), 0) or text.rfind(" ", 1, EMBED_LENGTH)
        cut = cut if cut > EMBED_LENGTH // 2 else EMBED_LENGTH
        parts.append(text[:cut])
        text = text[cut:].lstrip("\n ")
    return [*parts, text] if text else parts

"""Plan an answer before its first word, and store what later answers need after its last.

Before: speaker, settings, conversation, prompt. After: labels, table sources, memory, thoughts.
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
    AnswerContext,
    Degree,
    Emoji,
    Moderator,
    Persona,
    Receipt,
    Settings,
    SettingsError,
    Speaker,
    StoreError,
    Table,
    TurnResult,
    check_text,
)
from streamcord.discord import is_user_install_only
from streamcord.providers import Prompt, user
from streamcord.store import Memory, Store
from streamcord.utils import BoundedCache

from ..config import BotConfig
from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate
from ..messages.chat_message import ChatMessage
from ..messages.question import AnswerKind, Question
from ..policy.access import is_open
from ..policy.channel_config import ChannelConfig, ChannelConfigs, place_of
from ..policy.permissions import PermissionChecker
from ..prompt.channel_history import ChannelHistory, Conversation, HistoryScreen
from ..prompt.context_window import WindowStarts
from ..prompt.lorebook import LorebookCache, find_lore
from ..prompt.prompt_builder import (
    CONTINUE,
    Window,
    build_prompt,
    chain_of,
    write_instructions,
    write_reminders,
)
from ..ui.message_editor import MessageEditor
from ..ui.notices import NoticeStyle, send_notice
from .answer_checks import check_answer, requester_in
from .greeting import Greeter

__all__ = [
    "AnswerMemory",
    "AnswerPlan",
    "AnswerPlanner",
    "PromptComposer",
    "or_default",
    "post_thoughts",
    "thought_embeds",
]

SPEAKER_MAX_AGE_S = 600.0
"""The next answer is told the speaker of our last message if that message is younger than this."""
MAX_SPEAKERS = 1000

_log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """Everything decided for one answer; settings that change later apply to the next one."""

    turn: str
    question: Question
    channel: discord.abc.MessageableChannel
    channel_config: ChannelConfig
    conversation: Conversation
    settings: Settings
    answer_context: AnswerContext
    prompt: Prompt
    locale: str


class PromptComposer:
    """Writes the prompt of an answer: instructions, memories, lore and the conversation."""

    def __init__(self, store: Store, lorebooks: LorebookCache) -> None:
        self._store = store
        self._lorebooks = lorebooks
        # Where the window of each channel begins, so that a provider's cache stays valid.
        self._windows = WindowStarts()

    async def compose(
        self,
        question: Question,
        channel_config: ChannelConfig,
        conversation: Conversation,
        context: AnswerContext,
        greeted: str = "",
    ) -> Prompt:
        """Write the prompt; `greeted` is the greeting that was sent just before."""
        asked = [message.id for message in question.messages]
        messages = list(conversation.messages)
        # In a chain of replies, messages beside the chain are not part of the conversation.
        if channel_config.context.source == "replies" and question.kind is AnswerKind.ANSWER:
            known = {message.id: message for message in messages}
            messages = [*(known[id_] for id_ in asked), *chain_of(known[asked[-1]], messages)]
        # Only memories of this channel: text of a private channel must not come up in another one.
        memories = await or_default(self._store.recall(channel_config.persona.name, channel_config.place), ())
        wanted = channel_config.context.memory if question.messages[-1].reads_back else 0
        memories = memories[-wanted:] if wanted else ()
        # Messages of a replaced answer are about to be deleted: treat them as shown, so that they are not recalled.
        shown = {message.id for message in messages} | set(question.replaces)
        prompt = build_prompt(
            messages,
            asked,
            channel_config.context,
            write_instructions(channel_config.persona, channel_config.speaker.prompt, context.emoji),
            reminders=write_reminders(
                memories, shown, *await self._lore_sections(channel_config, messages, greeted)
            ),
            window=self._window(question, channel_config),
        )
        if question.kind is AnswerKind.CONTINUE:
            prompt += user(CONTINUE)
        key = f"{channel_config.place.channel or channel_config.place.guild}:{channel_config.persona.name}"
        return replace(prompt, prefill=context.prefill or prompt.prefill, cache_key=_short_key(key))

    async def _lore_sections(
        self, channel_config: ChannelConfig, messages: Sequence[ChatMessage], greeted: str
    ) -> list[str]:
        """Return matching lore of the persona's card, the greeting that was just sent, and the author's note."""
        story = await self._lorebooks.find(channel_config.speaker)
        said = [f"You have just greeted everybody with these words:\n{greeted}"] if greeted else []
        # A large lorebook takes long to search, so it runs in a thread.
        lore = await asyncio.to_thread(find_lore, story.book, [message.text for message in messages])
        lore_section = (
            ["\n".join([f"What {channel_config.persona.name} knows of this:", *lore])] if lore else []
        )
        return [*lore_section, *said, story.author_note]

    def _window(self, question: Question, channel_config: ChannelConfig) -> Window | None:
        """Return a function that chooses the messages the model reads, so that a provider's cache stays useful.

        Returns `None` for a chain of replies, which the model reads as a whole.
        """
        if channel_config.context.source == "replies" or not question.messages[-1].reads_back:
            return None
        asked = frozenset(message.id for message in question.messages)

        def choose(ordered: Sequence[ChatMessage], cost: Callable[[ChatMessage], int]) -> list[ChatMessage]:
            return self._windows.choose(question.channel, ordered, asked, channel_config.context, cost)

        return choose


class AnswerPlanner:
    """Plans the answers of one bot."""

    def __init__(  # noqa: PLR0913, PLR0917 - each decision about an answer asks one of these
        self,
        config: BotConfig,
        channel_configs: ChannelConfigs,
        history: ChannelHistory,
        moderators: tuple[Moderator, ...],
        permissions: PermissionChecker,
        greeter: Greeter,
        prompts: PromptComposer,
        style: NoticeStyle,
    ) -> None:
        self._config = config
        self._channel_configs = channel_configs
        self._history = history
        self._moderators = moderators
        self._permissions = permissions
        self._greeter = greeter
        self._prompts = prompts
        self._style = style
        # Remembers which old messages moderators have let through.
        self._screen = HistoryScreen()
        # Time and receipt of our last message in each channel.
        self._last_messages: BoundedCache[int, tuple[float, Receipt]] = BoundedCache(MAX_SPEAKERS)

    def record_last_message(self, channel: int, receipt: Receipt) -> None:
        """Remember our last message in a channel, so that the next answer knows its appearance."""
        self._last_messages.keep(channel, (asyncio.get_running_loop().time(), receipt))

    async def plan(
        self, turn: str, question: Question, channel: discord.abc.MessageableChannel
    ) -> AnswerPlan:
        """Read the channel and decide everything; sends a notice if the store cannot be reached.

        Raises:
            AnswerRefused: the person may not use a model here, or the persona may not speak here.

        """
        place, parent = place_of(channel)
        guild = getattr(channel, "guild", None)
        locale = self._style.locale(guild)
        requester = requester_in(question, channel)
        models = self._config.models
        channel_config, stored = await self._channel_configs.find_or_default(
            place, parent, lambda name: is_open(models[name].allow, requester)
        )
        if not stored and not question.private:
            await send_notice(channel, translate(locale, "store"), layout=self._style.layout)
        check_answer(self._config, channel_config, requester, channel)
        conversation = await self._history.read_conversation(channel, question, channel_config.context)
        asked = {one.id for one in question.messages}
        conversation = await self._screen.screen(conversation, asked, self._moderators)
        settings = self._settings(channel_config, question)
        context = self._context(channel_config, conversation, guild, question)
        # Permissions are checked per answer, since roles may have changed since the setting was made.
        settings = await self._restrict_mentions(settings, channel_config, question, channel)
        # The greeting is sent before the prompt is composed, so that the model knows of it.
        greeted = await self._greet(question, channel, channel_config, conversation)
        prompt = await self._prompts.compose(question, channel_config, conversation, context, greeted)
        return AnswerPlan(
            turn, question, channel, channel_config, conversation, settings, context, prompt, locale
        )

    def _settings(self, channel_config: ChannelConfig, question: Question) -> Settings:
        """Return the settings of the channel, adapted to the kind of question."""
        settings = channel_config.settings
        if question.reply is not None and is_user_install_only(question.reply):
            # Where only the user installed the bot, Discord allows six messages per command: do not split.
            settings = replace(settings, degree=Degree(0))
        return replace(settings, secrets=self._config.secrets)

    def _context(
        self,
        channel_config: ChannelConfig,
        conversation: Conversation,
        guild: discord.Guild | None,
        question: Question,
    ) -> AnswerContext:
        """Return the personas of the channel with the people, emoji and last messages of this conversation."""
        context = channel_config.answer_context
        return replace(
            context,
            persona=self._with_bot_names(context, conversation, guild),
            people=conversation.people,
            emoji=_emoji_of(guild),
            recent_messages=conversation.recent(channel_config.settings.emoji_unique_lookback),
            previous_speaker=self._previous_speaker(question),
        )

    def _with_bot_names(
        self, context: AnswerContext, conversation: Conversation, guild: discord.Guild | None
    ) -> Persona | None:
        """Return the speaking persona with the bot's own names as aliases.

        Models also begin lines with the name that people mention, so `streamcord: ` is a label of the persona, too.
        """
        if context.persona is None:
            return None
        # A name that belongs to another persona or a person is theirs.
        taken = {one.casefold() for other in context.personas for one in (other.name, *other.aliases)}
        taken |= {one.casefold() for person in conversation.people for one in (person.handle, *person.names)}
        names = [*self._channel_configs.bot_names, guild.me.display_name if guild else ""]
        aliases = (*context.persona.aliases, *(one for one in names if one and one.casefold() not in taken))
        return replace(context.persona, aliases=tuple(dict.fromkeys(aliases)))

    async def _restrict_mentions(
        self,
        settings: Settings,
        channel_config: ChannelConfig,
        question: Question,
        channel: discord.abc.MessageableChannel,
    ) -> Settings:
        """Allow role mentions only if the requester may mention roles, and the user who allowed it still may."""
        if settings.mentions != "users_and_roles":
            return settings
        if question.messages[-1].pings_roles and await self._permissions.holds(
            channel_config.set_by, "mentions", settings.mentions, channel
        ):
            return settings
        return replace(settings, mentions="users")

    def _previous_speaker(self, question: Question) -> Speaker | None:
        """Return the speaker of our last message, if it is recent and still the newest of the channel.

        Discord groups consecutive webhook messages of one name and shows the avatar of the first only. So an answer
        that directly follows ours must know its appearance: a continued one, or one whose question waited.
        """
        at, receipt = self._last_messages.find(question.channel) or (0.0, None)
        if receipt is None or asyncio.get_running_loop().time() - at >= SPEAKER_MAX_AGE_S:
            return None
        # The bot sent it itself, so it is not grouped with messages of a webhook.
        if "no_webhook" in receipt.changes:
            return None
        # Messages of a replaced answer are about to be deleted.
        is_replaced = question.kind is AnswerKind.REGENERATE and receipt.id in question.replaces
        is_newest = self._history.is_newest(question.channel, receipt.id)
        return receipt.message.speaker if is_newest and not is_replaced else None

    async def _greet(
        self,
        question: Question,
        channel: discord.abc.MessageableChannel,
        channel_config: ChannelConfig,
        conversation: Conversation,
    ) -> str:
        """Send the greeting if the persona never spoke in this place, and return it; empty if it was not sent."""
        spoke = any(message.own for message in conversation.messages)
        if question.kind is not AnswerKind.ANSWER or spoke or question.reply is not None:
            return ""
        text = channel_config.speaker.greeting
        first = await self._greeter.is_first_meeting(channel_config)
        return text if first and await self._greeter.greet(channel, channel_config, text) else ""


def _short_key(text: str) -> str:
    """Return a provider's cache key that reveals nothing about the server or the persona."""
    return hashlib.blake2s(text.encode(), digest_size=16).hexdigest()


def _emoji_of(guild: discord.Guild | None) -> tuple[Emoji, ...]:
    found = []
    for one in guild.emojis if guild else ():
        try:
            found.append(Emoji(one.name, one.id, one.animated))
        except SettingsError:
            # An emoji with a name that the library does not accept is simply not offered.
            continue
    return tuple(found)


async def or_default(action: Awaitable[T], otherwise: T) -> T:
    """Return the result of a call to the store, or a default if the store fails."""
    try:
        return await action
    except StoreError as error:
        _log.warning("a store call for an answer failed, continuing without it: %s", error)
        return otherwise


# --- Memory of answers ----------------------------------------------------------------------------------


MAX_TABLES = 20
"""Tables per channel whose source the tool `show_table_source` can post."""
MAX_CHANNELS = 1000


class AnswerMemory:
    """Stores what later answers need to know of an answer."""

    def __init__(
        self,
        client: discord.Client,
        store: Store,
        history: ChannelHistory,
        editor: MessageEditor,
        permissions: PermissionChecker,
        moderators: tuple[Moderator, ...],
    ) -> None:
        self._client = client
        self._store = store
        self._history = history
        self._editor = editor
        self._permissions = permissions
        self._moderators = moderators
        # Sources of the last tables of each channel.
        self._tables: BoundedCache[int, list[str]] = BoundedCache(MAX_CHANNELS)

    def tables_of(self, channel: int) -> list[str]:
        """Return the sources of the tables that were shown in a channel, the newest last."""
        return self._tables.peek(channel) or []

    async def keep(self, plan: AnswerPlan, result: TurnResult) -> None:
        """Store labels, tables and memory, and post the thoughts; an error here never fails the answer."""
        if plan.question.discarded:
            # The question was edited: remove the messages that answer its old text.
            await self._editor.delete_messages(plan.channel, [one.id for one in result.receipts])
            return
        await or_default(self._write(plan, result), None)
        thoughts = plan.channel_config.thought_log
        if (
            thoughts
            and plan.channel_config.place.guild
            and thoughts != plan.question.channel
            and await self._permissions.holds(
                plan.channel_config.set_by, "thought_log", thoughts, plan.channel
            )
        ):
            await self._post_thoughts(thoughts, plan, result)

    async def _post_thoughts(self, channel: int, plan: AnswerPlan, result: TurnResult) -> None:
        """Post the thoughts, unless a moderator blocks them; people read them like any other text."""
        text = _thoughts(result)[: MAX_EMBEDS * MAX_EMBED_CHARS]
        if reason := await check_text(self._moderators, text, "answer"):
            _log.info("turn %s: a moderator blocked its thoughts: %s", plan.turn, reason)
            return
        name = plan.channel_config.persona.name
        await post_thoughts(self._client, channel, result, name, plan.locale)

    async def _write(self, plan: AnswerPlan, result: TurnResult) -> None:
        # A message that was deleted while it was sent has no id.
        store, receipts = self._store, [one for one in result.receipts if one.id]
        labels = {
            one.id: one.message.speaker.label
            for one in receipts
            if one.message.speaker and one.message.speaker.label and "no_webhook" not in one.changes
        }
        if labels:
            await store.label_messages(labels)
        self._history.record_labels({one.id: labels.get(one.id, "") for one in receipts})
        # The user opted out: labels are kept, since they hold no text.
        if await store.refuses_memory(plan.question.owner):
            return
        for one in receipts:
            for table in one.message.files:
                if isinstance(table, Table):
                    self._remember_table(plan.question.channel, table.source)
                    await store.save_table(one.id, table.source)
        if receipts:
            ids = tuple(one.id for one in receipts)
            name, place = plan.channel_config.persona.name, plan.channel_config.place
            # Moderators have seen the answer only; `/memory show` shows its notes to everybody.
            notes = [one for one in result.details if not await check_text(self._moderators, one, "answer")]
            await store.remember(Memory(name, place, result.text, ids, tuple(notes), plan.question.owner))

    def _remember_table(self, channel: int, source: str) -> None:
        known = self._tables.find_or_make(channel, list)
        known.append(source)
        del known[:-MAX_TABLES]


MAX_EMBED_CHARS = 4096
"""https://docs.discord.com/developers/resources/message#embed-object-embed-limits ."""
MAX_EMBEDS = 8
"""Longer thoughts are cut."""


def thought_embeds(result: TurnResult, name: str, locale: str) -> list[discord.Embed]:
    """Return the thoughts of an answer as embeds, split at Discord's limit."""
    thoughts, text = result.thoughts, _thoughts(result)
    if not text:
        return []
    parts = _parts(text)
    title = f"{translate(locale, 'thoughts')}: {name}"[:256]
    embeds = [discord.Embed(title=title, description=parts[0], url=result.first_url or None)]
    embeds += [discord.Embed(description=part) for part in parts[1:MAX_EMBEDS]]
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
    """Post the thoughts of an answer in a channel; does nothing if the channel is gone or not accessible."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, discord.abc.Messageable):
        return
    try:
        for embed in thought_embeds(result, name, locale):
            await channel.send(embed=embed, silent=True, allowed_mentions=NO_PINGS)
    except REQUEST_ERRORS as error:
        _log.warning("posting thoughts in channel %s failed: %s", channel_id, type(error).__name__)


def _parts(text: str) -> list[str]:
    """Split a text into pieces that fit an embed, at a newline, else at a space, else anywhere."""
    parts = []
    while len(text) > MAX_EMBED_CHARS:
        # A break in the first half would leave the embed mostly empty, so it does not count.
        half = MAX_EMBED_CHARS // 2
        cuts = (text.rfind(mark, half, MAX_EMBED_CHARS + 1) for mark in ("\n", " "))
        cut = next((at for at in cuts if at > 0), MAX_EMBED_CHARS)
        parts.append(text[:cut])
        text = text[cut:].lstrip("\n ")
    return [*parts, text] if text else parts

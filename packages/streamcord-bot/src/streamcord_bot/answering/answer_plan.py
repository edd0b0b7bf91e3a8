"""Plan an answer before its first word: speaker, settings, conversation and prompt."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

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
)
from streamcord.discord import is_user_install_only
from streamcord.providers import Prompt
from streamcord.utils import BoundedCache

from ..config import BotConfig
from ..config.trigger_words import short_names_of
from ..i18n import translate
from ..messages.question import AnswerKind, Question
from ..policy.access import is_open
from ..policy.channel_config import ChannelConfig, ChannelConfigs, place_of
from ..policy.permissions import PermissionChecker
from ..prompt.channel_history import ChannelHistory, Conversation, HistoryScreen, attribute_messages
from ..prompt.message_links import MessageLinks
from ..ui.notices import NoticeStyle, send_notice
from .answer_checks import check_answer, requester_in
from .answer_prompt import PromptComposer
from .greeting import Greeter, Greeting

SPEAKER_MAX_AGE_S = 600.0
"""The next answer learns the speaker of our last message if that message is younger than this."""
MAX_SPEAKERS = 1000


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
    native_files: tuple[str, ...] = ()
    """Beginnings of the kinds of files that the model reads itself."""


@dataclass(eq=False, repr=False)
class AnswerPlanner:
    """Plans the answers of one bot."""

    config: BotConfig
    channel_configs: ChannelConfigs
    history: ChannelHistory
    moderators: tuple[Moderator, ...]
    permissions: PermissionChecker
    greeter: Greeter
    prompts: PromptComposer
    links: MessageLinks
    style: NoticeStyle

    # Remembers which old messages moderators have let through.
    _screen: HistoryScreen = field(default_factory=HistoryScreen, init=False)
    # Time and receipt of our last message in each channel.
    _last_messages: BoundedCache[int, tuple[float, Receipt]] = field(
        default_factory=lambda: BoundedCache(MAX_SPEAKERS), init=False
    )

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
        locale = self.style.locale(guild)
        requester = requester_in(question, channel)
        models = self.config.models
        channel_config, stored = await self.channel_configs.find_or_default(
            place,
            parent,
            lambda name: is_open(models[name].allow, requester),
            persona=question.persona,
        )
        if not stored and not question.private:
            await send_notice(channel, translate(locale, "store"), layout=self.style.layout)
        check_answer(self.config, channel_config, requester, channel)
        model = self.config.model(channel_config.model) if self.config.models else None
        if model is not None and not model.images:
            channel_config = replace(channel_config, context=replace(channel_config.context, images=0))
        native = model.native_files if model else ()
        conversation = await self.history.read_conversation(channel, question, channel_config.context, native)
        asked = {one.id for one in question.messages}
        conversation = await self._screen.screen(conversation, asked, self.moderators)
        conversation = await self.links.add(conversation, question, channel)
        conversation = attribute_messages(conversation, channel_config)
        settings = self._settings(channel_config, question)
        context = self._context(channel_config, conversation, guild, question)
        # Permissions are checked per answer, since roles may have changed since the setting was made.
        settings = await self._restrict_mentions(settings, channel_config, question, channel)
        # The greeting is sent before the prompt is composed, so that the model knows of it.
        greeting = await self._greet(question, channel, channel_config, conversation)
        if greeting.last is not None:
            # The answer follows it directly, so it must not share a name with another picture.
            context = replace(context, previous_speaker=_speaker_of(greeting.last))
        prompt = await self.prompts.compose(question, channel_config, conversation, context, greeting.text)
        question.follow_up = channel_config.answer.follow_up
        return AnswerPlan(
            turn, question, channel, channel_config, conversation, settings, context, prompt, locale, native
        )

    def _settings(self, channel_config: ChannelConfig, question: Question) -> Settings:
        """Return the settings of the channel, adapted to the kind of question."""
        settings = channel_config.settings
        if question.reply is not None and is_user_install_only(question.reply):
            # Where only the user installed the bot, Discord allows six messages per command: do not split.
            settings = replace(settings, degree=Degree(0))
        return replace(settings, secrets=self.config.secrets)

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
            asker=question.messages[-1].name,
            people=conversation.people,
            emoji=_emoji_of(guild),
            recent_messages=conversation.recent(channel_config.settings.emoji_unique_lookback),
            previous_speaker=self._previous_speaker(question),
        )

    def _with_bot_names(
        self, context: AnswerContext, conversation: Conversation, guild: discord.Guild | None
    ) -> Persona | None:
        """Return the speaking persona with the bot's own names and parts of its name as aliases.

        Models also begin lines with the name that people mention, so `streamcord: ` is a label of the persona, too,
        and `Isolde: ` one of Captain Isolde Marrow.
        """
        if context.persona is None:
            return None
        # A name that belongs to another persona or a person is theirs.
        taken = {one.casefold() for other in context.personas for one in (other.name, *other.aliases)}
        taken |= {one.casefold() for person in conversation.people for one in (person.handle, *person.names)}
        names = [*self.channel_configs.bot_names, guild.me.display_name if guild else ""]
        names += short_names_of(context.persona.name)
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
        if question.messages[-1].pings_roles and await self.permissions.holds(
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
        # Messages of a replaced answer are about to be deleted.
        is_replaced = question.kind is AnswerKind.REGENERATE and receipt.id in question.replaces
        is_newest = self.history.is_newest(question.channel, receipt.id)
        return _speaker_of(receipt) if is_newest and not is_replaced else None

    async def _greet(
        self,
        question: Question,
        channel: discord.abc.MessageableChannel,
        channel_config: ChannelConfig,
        conversation: Conversation,
    ) -> Greeting:
        """Send the greeting if the persona never spoke in this place, and return it; empty if it was not sent."""
        # The bot's own lines, such as replies to commands, are no words of a persona with a name of its own.
        alter = channel_config.persona.alter
        spoke = any(message.own and (message.shown_as or not alter) for message in conversation.messages)
        if question.kind is not AnswerKind.ANSWER or spoke or question.reply is not None:
            return Greeting()
        text = channel_config.speaker.greeting
        first = await self.greeter.is_first_meeting(channel_config)
        user = question.messages[-1].name
        return await self.greeter.greet(channel, channel_config, text, user) if first else Greeting()


def _speaker_of(receipt: Receipt) -> Speaker | None:
    """Return the speaker with whose message Discord groups the next one."""
    # The bot sent it itself, so it is not grouped with messages of a webhook.
    return None if "no_webhook" in receipt.changes else receipt.message.speaker


def _emoji_of(guild: discord.Guild | None) -> tuple[Emoji, ...]:
    found = []
    for one in guild.emojis if guild else ():
        try:
            found.append(Emoji(one.name, one.id, one.animated))
        except SettingsError:
            # An emoji with a name that the library does not accept is simply not offered.
            continue
    return tuple(found)

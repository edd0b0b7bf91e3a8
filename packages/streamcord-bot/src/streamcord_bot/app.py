"""The composition root: the one module that knows all parts of a bot and how they fit together.

Every object gets what it uses through its constructor. The `_…Parts` classes below exist only between the builders of
this module; they are never passed to a part. `run.py` opens the store, the providers and the journal, and runs the bot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from streamcord import Moderator
from streamcord.discord import Webhooks, WebhookSender, find_request_figures
from streamcord.providers import Provider, Tool
from streamcord.store import Store

from .alarms import Alarms
from .answering.answer_checks import RefusalNotifier
from .answering.answer_ending import AnswerFinisher
from .answering.answer_journal import AnswerJournal
from .answering.answer_memory import AnswerMemory
from .answering.answer_plan import AnswerPlanner
from .answering.answer_prompt import PromptComposer
from .answering.answer_source import AnswerSources
from .answering.answerer import Answerer
from .answering.ask_store import BotAskStore
from .answering.builtin_tools import Tools, make_dice, make_time
from .answering.delivery import AnswerDelivery, AnswerSender
from .answering.edited_questions import EditedQuestions
from .answering.greeting import Greeter
from .answering.mcp_tools import McpToolbox
from .answering.message_receiver import MessageReceiver, ThreadStarter
from .answering.reactions import Reactions
from .answering.recent_answers import RecentAnswers
from .answering.steering import FollowUps
from .answering.tool_asks import AnswerAsks
from .answering.variants import AnswerVariants
from .budget.budget import Budget
from .budget.concurrency import SlotLimits, TurnSlots
from .client import Bot, EventHandlers
from .commands.ask import AskService, ContinueService, build_ask
from .commands.ask_presses import AskPresses
from .commands.audit_log import build_changes
from .commands.base import AnyCommand
from .commands.button_presses import ButtonPresses
from .commands.edit import build_edit
from .commands.help import build_help
from .commands.lore import LoreCommands
from .commands.memory import MemoryCommands
from .commands.model import build_model
from .commands.persona import PersonaCommands
from .commands.persona_editor import PersonaEditor
from .commands.privacy import PrivacyCommands
from .commands.settings import SettingsCommands
from .commands.stop import build_stop
from .commands.tools import build_tools
from .commands.usage import build_usage
from .commands.why import build_why
from .config import BotConfig
from .coordination.base import Coordinator
from .coordination.single_process import SingleProcess
from .listening.dispatcher import Dispatcher
from .messages.chat_message import MessageReader
from .messages.transcriber import HttpTranscriber
from .ops.connectivity import DiscordClock
from .ops.metrics import Metrics
from .personas.avatar_emoji import AvatarEmoji, publish_shared_pictures
from .personas.server_profile import ServerProfile
from .policy.access import ShownRefusals
from .policy.channel_config import ChannelConfigs
from .policy.permissions import PermissionChecker
from .policy.write_access import WriteAccess
from .privacy.retention import Retention
from .prompt.channel_history import ChannelHistory, MessageCache
from .prompt.lorebook import LorebookCache
from .prompt.message_links import MessageLinks
from .recovery.manager import RecoveryManager
from .recovery.missed_messages import MissedMessages
from .recovery.resume_answers import AnswerResumer
from .recovery.resume_asks import AskResumer
from .sandbox.client import SandboxClient
from .shutdown import Shutdown
from .state import BotState
from .ui.message_editor import MessageEditor
from .ui.newest_buttons import NewestButtons
from .ui.notices import NoticeStyle

BUDGET_WRITE_DELAY_S = 0.5
"""Members of a cluster collect what was used for this long before they write it."""


@dataclass(frozen=True, slots=True)
class BotApp:
    """A bot and the parts that are of use from outside: for metrics, the demo and tests."""

    bot: Bot
    config: BotConfig
    store: Store
    coordinator: Coordinator
    state: BotState
    dispatcher: Dispatcher
    channel_configs: ChannelConfigs
    budget: Budget
    metrics: Metrics
    recent_answers: RecentAnswers
    editor: MessageEditor
    tools: Tools
    providers: Mapping[str, Provider]
    avatar_emoji: AvatarEmoji
    files: SandboxClient
    commands: Sequence[AnyCommand]
    alarms: Alarms


def build_bot(  # noqa: PLR0913 - the one place that knows how the parts fit together
    config: BotConfig,
    provider: Provider | Mapping[str, Provider],
    store: Store,
    *,
    tools: Iterable[Tool] = (),
    moderators: Iterable[Moderator] = (),
    webhooks: WebhookSender | None = None,
    random: Random | None = None,
    coordinator: Coordinator | None = None,
    clock: DiscordClock | None = None,
    bot_type: type[Bot] = Bot,
    **client: Any,  # noqa: ANN401 - what discord.py takes
) -> BotApp:
    """Build a bot and connect its parts; further keyword arguments go to discord.py's client.

    Args:
        config: the configuration file.
        provider: the model, or models by their name in the configuration.
        store: where personas, settings and memories are kept.
        tools: functions that models may call, besides the built-in ones.
        moderators: check questions before the model reads them and answers before people do.
        webhooks: sends messages as personas.
        random: the source of dice.
        coordinator: decides which process answers; without one, answers are not resumed after a restart.
        clock: the time, corrected by Discord's.
        bot_type: the class of the client.
        **client: arguments of `discord.AutoShardedClient`.

    Example:
        async with build_bot(config, provider, store).bot as bot:
            await bot.start(config.token)

    """
    clock = clock or DiscordClock()
    coordinator = coordinator or SingleProcess()
    providers = provider if isinstance(provider, Mapping) else {"": provider}
    # First the client, since several parts send through it; it gets its handlers last.
    bot = bot_type(config, coordinator, **client)
    shared = _build_shared(bot, config, store, coordinator, clock, webhooks, moderators)
    answering = _build_answering(shared, providers, Tools(make_dice(random or Random()), make_time(), *tools))
    # Everything that users can do: messages, commands, and buttons further down.
    receiver = _build_receiver(shared, answering)
    commands = _build_commands(shared, answering)
    resumer, asks = _build_resumers(shared, answering)
    recovery = _build_recovery(shared, receiver, resumer, asks)
    alarms = Alarms(config, bot, store, shared.budget, shared.state, clock)
    shared.metrics.gauges.append(partial(_read_gauges, bot, answering.dispatcher))
    # The handlers need the client, and the client needs the handlers: so they are set afterwards.
    retention = Retention(
        config.privacy, store, shared.channel_configs, shared.avatar_emoji, shared.state, clock
    )
    bot.set_handlers(
        EventHandlers(
            shared.reader,
            receiver,
            answering.dispatcher,
            _build_presses(shared, answering),
            EditedQuestions(
                shared.recent_answers, shared.channel_configs, answering.memory, shared.editor, shared.style
            ),
            AskPresses(shared.ask_store, asks, shared.clock, config.secrets),
            commands,
            shared.message_cache,
            shared.recent_answers,
            store,
            shared.state,
            recovery,
            retention,
            alarms,
            answering.mcp,
            Shutdown(
                coordinator,
                answering.dispatcher,
                recovery,
                retention,
                alarms,
                shared.state,
                shared.files,
                answering.mcp,
            ),
            partial(_on_login, shared, answering.dispatcher, recovery),
            partial(publish_shared_pictures, shared.avatar_emoji, store),
        )
    )
    return BotApp(
        bot,
        config,
        store,
        coordinator,
        shared.state,
        answering.dispatcher,
        shared.channel_configs,
        shared.budget,
        shared.metrics,
        shared.recent_answers,
        shared.editor,
        answering.tools,
        providers,
        shared.avatar_emoji,
        shared.files,
        commands,
        alarms,
    )


@dataclass(frozen=True, slots=True)
class _SharedParts:
    """Parts that are independent of questions and answers, and that several builders use."""

    bot: Bot
    config: BotConfig
    store: Store
    coordinator: Coordinator
    clock: DiscordClock
    state: BotState
    style: NoticeStyle
    metrics: Metrics
    files: SandboxClient
    webhooks: WebhookSender
    budget: Budget
    # Moderators of the caller and of the configuration file, in the order in which they are asked.
    moderators: tuple[Moderator, ...]
    channel_configs: ChannelConfigs
    permissions: PermissionChecker
    write_access: WriteAccess
    refusals: ShownRefusals
    reader: MessageReader
    message_cache: MessageCache
    editor: MessageEditor
    recent_answers: RecentAnswers
    lorebooks: LorebookCache
    avatar_emoji: AvatarEmoji
    ask_store: BotAskStore
    reactions: Reactions


def _build_shared(
    bot: Bot,
    config: BotConfig,
    store: Store,
    coordinator: Coordinator,
    clock: DiscordClock,
    webhooks: WebhookSender | None,
    moderators: Iterable[Moderator],
) -> _SharedParts:
    files, state = SandboxClient(), BotState()
    # Members of a cluster collect what was used for a moment, instead of writing it for every request.
    write_delay_s = BUDGET_WRITE_DELAY_S if coordinator.has_peers else 0.0
    transcriber = HttpTranscriber(config.voice) if config.voice.model else None
    shared = _SharedParts(
        bot=bot,
        config=config,
        store=store,
        coordinator=coordinator,
        clock=clock,
        state=state,
        style=NoticeStyle.of(config),
        metrics=Metrics(),
        files=files,
        webhooks=webhooks or Webhooks(bot),
        budget=Budget(config.budget, store, clock, key=config.token, write_delay=write_delay_s),
        moderators=(*moderators, *config.moderation.moderators()),
        channel_configs=ChannelConfigs(config, store),
        permissions=PermissionChecker(),
        write_access=WriteAccess(clock),
        refusals=ShownRefusals(),
        reader=MessageReader(transcriber=transcriber, documents=files.read_document),
        message_cache=MessageCache(),
        editor=MessageEditor(),
        recent_answers=RecentAnswers(),
        lorebooks=LorebookCache(),
        avatar_emoji=AvatarEmoji(bot, files, store),
        ask_store=BotAskStore(store, clock),
        reactions=Reactions(bot, coordinator, state),
    )
    # Gauges are read when Prometheus asks for them.
    shared.metrics.running = lambda: len(shared.state.running_turns)
    shared.metrics.budget = shared.budget.used_by_all
    shared.metrics.open_circuits = lambda: len(shared.budget.paused_models)
    shared.metrics.discord_requests = partial(find_request_figures, bot)
    # A sender of the caller's own need not count duplicates.
    shared.metrics.duplicates_removed = lambda: getattr(shared.webhooks, "duplicates_removed", 0)
    return shared


@dataclass(frozen=True, slots=True)
class _AnsweringParts:
    """Parts that write answers, as far as other builders use them."""

    dispatcher: Dispatcher
    journal: AnswerJournal
    greeter: Greeter
    tools: Tools
    memory: AnswerMemory
    variants: AnswerVariants
    mcp: McpToolbox


def _build_answering(
    shared: _SharedParts, providers: Mapping[str, Provider], tools: Tools
) -> _AnsweringParts:
    """Build the way from a question to its answer: plan, source, delivery, ending, and the queue before them."""
    config, store, budget, state = shared.config, shared.store, shared.budget, shared.state
    metrics, style, editor, moderators = shared.metrics, shared.style, shared.editor, shared.moderators
    permissions, recent_answers = shared.permissions, shared.recent_answers
    history = ChannelHistory(shared.reader, store, shared.message_cache, budget.spend)
    # Each part below uses only parts above it.
    journal = AnswerJournal(shared.bot, shared.coordinator, state, metrics, style)
    greeter = Greeter(store, shared.webhooks, moderators, config.secrets)
    refusal_notifier = RefusalNotifier(budget, moderators, metrics, shared.refusals, journal, style)
    prompts = PromptComposer(store, shared.lorebooks)
    links = MessageLinks(shared.reader, moderators)
    planner = AnswerPlanner(
        config, shared.channel_configs, history, moderators, permissions, greeter, prompts, links, style
    )
    # Before an answer: who may ask, and what the model is asked. From here on: the answer and what follows it.
    memory = AnswerMemory(shared.bot, store, history, editor, permissions, moderators)
    asks = AnswerAsks(shared.ask_store, journal, state, permissions)
    mcp = McpToolbox(config.tools.mcp)
    follow_ups = FollowUps(shared.bot, history, moderators, journal, shared.reactions)
    sources = AnswerSources(
        config, providers, tools, budget, state, metrics, shared.clock, asks, mcp, follow_ups
    )
    # The planner learns our last message, for the appearance of the next answer.
    finisher = AnswerFinisher(
        config,
        metrics,
        recent_answers,
        memory,
        refusal_notifier,
        state,
        NewestButtons(shared.message_cache, shared.reader, editor),
        planner.record_last_message,
    )
    variants = AnswerVariants(
        store,
        shared.channel_configs,
        shared.webhooks,
        moderators,
        editor,
        memory,
        recent_answers,
        config.secrets,
    )
    sender = AnswerSender(shared.webhooks, moderators, recent_answers, editor, state, memory, asks)
    delivery = AnswerDelivery(sources, sender, finisher, journal, editor, state, shared.write_access)
    answerer = Answerer(
        shared.bot,
        state,
        refusal_notifier,
        planner,
        journal,
        delivery,
        style,
        shared.write_access,
        asks,
        shared.reactions,
    )
    # How many answers run at once, for a person, a server and the process.
    slots = TurnSlots(SlotLimits.of(config.budget))
    dispatcher = Dispatcher(answerer.run, answerer.show, shared.coordinator.stops, slots)
    finisher.on_answer = dispatcher.record_answer
    # The queues report what waits, and answers take it over from the queues.
    dispatcher.listener, follow_ups.dispatcher = follow_ups, dispatcher
    return _AnsweringParts(dispatcher, journal, greeter, tools, memory, variants, mcp)


def _build_receiver(shared: _SharedParts, answering: _AnsweringParts) -> MessageReceiver:
    """Build what decides whether a message is a question."""
    # With `answer.threads` a mention begins a thread.
    threads = ThreadStarter(shared.bot, answering.dispatcher, shared.budget, shared.moderators)
    return MessageReceiver(
        shared.reader,
        shared.config.access,
        shared.channel_configs,
        answering.dispatcher,
        shared.budget,
        shared.refusals,
        shared.permissions,
        threads,
        shared.style,
        shared.write_access,
        shared.reactions,
    )


def _build_presses(shared: _SharedParts, answering: _AnsweringParts) -> ButtonPresses:
    return ButtonPresses(
        shared.reader,
        shared.coordinator,
        shared.state,
        answering.dispatcher,
        shared.channel_configs,
        shared.recent_answers,
        shared.store,
        shared.budget,
        shared.metrics,
        shared.editor,
        answering.variants,
    )


def _build_commands(shared: _SharedParts, answering: _AnsweringParts) -> Sequence[AnyCommand]:
    config, store, channel_configs = shared.config, shared.store, shared.channel_configs
    budget, metrics, recent_answers = shared.budget, shared.metrics, shared.recent_answers
    ask = AskService(
        config,
        shared.reader,
        channel_configs,
        answering.dispatcher,
        answering.journal,
        budget,
        metrics,
        shared.write_access,
    )
    continue_ = ContinueService(ask, shared.reader, recent_answers, shared.state)
    # Used by `/persona` and by its form.
    personas = PersonaEditor(config, store, channel_configs, shared.avatar_emoji, shared.files)
    # `/help` lists all commands, itself included, in this order: so it gets the list that is filled below.
    commands: list[AnyCommand] = []
    commands += [
        *build_ask(ask, continue_, user_install=config.discord.user_install),
        build_stop(answering.dispatcher, channel_configs),
        build_edit(recent_answers, answering.variants),
        PersonaCommands(
            config,
            store,
            channel_configs,
            personas,
            shared.lorebooks,
            answering.greeter,
            ServerProfile(store, enabled=config.discord.server_profile),
        ),
        LoreCommands(store, channel_configs, personas, shared.files),
        SettingsCommands(config, store, channel_configs),
        build_model(config, store, channel_configs),
        MemoryCommands(config, store, channel_configs, recent_answers),
        build_tools(config, channel_configs, answering.tools, answering.mcp),
        build_usage(config.budget, budget, metrics),
        PrivacyCommands(config.privacy, store, budget, recent_answers),
        build_changes(store),
        *build_why(recent_answers),
        build_help(channel_configs, commands),
    ]
    return commands


def _build_resumers(shared: _SharedParts, answering: _AnsweringParts) -> tuple[AnswerResumer, AskResumer]:
    """Build what resumes interrupted answers, and answers that waited for a decision."""
    resumer = AnswerResumer(
        shared.bot,
        shared.reader,
        shared.coordinator,
        shared.state,
        answering.dispatcher,
        shared.config.access,
        shared.permissions,
        shared.channel_configs,
        shared.editor,
        shared.clock,
        shared.metrics,
        shared.style,
        shared.write_access,
    )
    asks = AskResumer(
        shared.bot,
        shared.ask_store,
        shared.coordinator,
        answering.dispatcher,
        shared.channel_configs,
        resumer,
        shared.clock,
        shared.style,
    )
    return resumer, asks


def _build_recovery(
    shared: _SharedParts, receiver: MessageReceiver, resumer: AnswerResumer, asks: AskResumer
) -> RecoveryManager:
    """Build what resumes answers, and finds questions that were asked during an outage."""
    missed = MissedMessages(
        shared.bot,
        shared.reader,
        shared.coordinator,
        shared.state,
        receiver.receive,
        shared.clock,
        shared.metrics,
        shared.style,
        shared.config.durability.catch_up,
    )
    return RecoveryManager(shared.coordinator, shared.state, shared.clock, resumer, missed, asks)


def _read_gauges(bot: Bot, dispatcher: Dispatcher) -> Iterator[tuple[str, str, float]]:
    yield "servers", "Servers that this process listens to.", len(bot.guilds)
    yield "questions_waiting", "Questions that wait for an answer.", dispatcher.waiting
    # Before the first heartbeat there is no latency, and discord.py says that it is not a number.
    if math.isfinite(latency := bot.latency):
        yield "gateway_latency_seconds", "Time between a heartbeat and Discord's reply, on average.", latency


def _on_login(shared: _SharedParts, dispatcher: Dispatcher, recovery: RecoveryManager) -> None:
    """Tell the parts who the bot is: it knows its own id only after the login."""
    bot = shared.bot
    assert bot.user is not None
    assert bot.application_id is not None
    shared.reader.identify(bot.user, bot.application_id)
    shared.channel_configs.name = bot.user.display_name
    shared.channel_configs.bot_names = (bot.user.name, bot.user.display_name)
    shared.coordinator.attach(dispatcher, shared.state, shared.metrics, recovery.recover)

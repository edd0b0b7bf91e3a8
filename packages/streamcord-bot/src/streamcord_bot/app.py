"""The composition root: build a bot from its parts and run it until Ctrl-C or SIGTERM."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import aiohttp
import discord

from streamcord import Moderator, StoreError, StreamcordError
from streamcord.discord import Webhooks, WebhookSender, on_token_refused, share_requests
from streamcord.providers import Provider, Tool
from streamcord.store import Store, open_store
from streamcord.utils import LogLines

from .answering.answer_checks import RefusalNotifier
from .answering.answer_ending import AnswerFinisher
from .answering.answer_journal import AnswerJournal
from .answering.answer_plan import AnswerMemory, AnswerPlanner, PromptComposer
from .answering.answer_source import AnswerSources
from .answering.answerer import Answerer
from .answering.builtin_tools import Tools, make_dice, make_time
from .answering.delivery import AnswerDelivery, AnswerSender
from .answering.greeting import Greeter
from .answering.message_receiver import MessageReceiver, ThreadStarter
from .answering.recent_answers import RecentAnswers
from .budget.budget import Budget
from .budget.concurrency import SlotLimits, TurnSlots
from .client import Bot, EventHandlers
from .commands.ask import AskService, ContinueService, build_ask
from .commands.audit_log import build_changes
from .commands.base import AnyCommand
from .commands.basic import MemoryCommands, build_help, build_model, build_stop, build_why
from .commands.button_presses import ButtonPresses
from .commands.persona import PersonaCommands
from .commands.persona_editor import PersonaEditor
from .commands.privacy import PrivacyCommands
from .commands.settings import SettingsCommands
from .commands.usage import build_usage
from .config import BotConfig, LogConfig, open_providers
from .coordination.base import Coordinator
from .coordination.journal import open_bot_journal
from .coordination.rest_proxy import redirect_requests
from .coordination.single_process import SingleProcess
from .listening.dispatcher import Dispatcher
from .messages.chat_message import MessageReader
from .messages.transcriber import HttpTranscriber
from .ops.connectivity import DiscordClock, set_clock, wait_for_discord
from .ops.health import describe_health
from .ops.json_log import JsonLogLines
from .ops.metrics import Metrics, serve_metrics
from .personas.server_personas import AvatarEmoji, publish_shared_pictures, seed_personas
from .policy.access import ShownRefusals
from .policy.channel_config import ChannelConfigs
from .policy.permissions import PermissionChecker
from .privacy.retention import Retention
from .prompt.channel_history import ChannelHistory, MessageCache
from .prompt.lorebook import LorebookCache
from .recovery.manager import RecoveryManager
from .recovery.missed_messages import MissedMessages
from .recovery.resume_answers import AnswerResumer
from .sandbox.client import SandboxClient
from .state import BotState
from .ui.message_editor import MessageEditor
from .ui.notices import NoticeStyle

if TYPE_CHECKING:
    from .coordination.cluster import Role
    from .coordination.cluster.coordinator import Cluster

__all__ = ["BotApp", "build_bot", "run", "run_bot", "set_up_logs"]

BUDGET_WRITE_DELAY_S = 0.5
"""Members of a cluster collect what was used for this long before they write it."""
REJOIN_PAUSE_S = 2.0
"""Pause before the cluster is joined again after an eviction, if its database is still away."""
CONFIG_ERROR_STATUS = 2
"""Exit status of errors that a restart cannot fix; a supervisor should not restart the bot then."""
_log = logging.getLogger(__name__)


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


def build_bot(  # noqa: PLR0913, PLR0915 - the one place that knows how the parts fit together
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
    bot = bot_type(config, coordinator, **client)

    # Parts that are independent of questions and answers.
    state, style, metrics, files = BotState(), NoticeStyle.of(config), Metrics(), SandboxClient()
    persona_webhooks = webhooks or Webhooks(bot)
    # Members of a cluster collect what was used for a moment, instead of writing it for every request.
    budget_delay_s = BUDGET_WRITE_DELAY_S if coordinator.has_peers else 0.0
    budget = Budget(config.budget, store, clock, key=config.token, write_delay=budget_delay_s)
    checks = (*moderators, *config.moderation.moderators())
    channel_configs, permissions, refusals = (
        ChannelConfigs(config, store),
        PermissionChecker(),
        ShownRefusals(),
    )
    editor, recent_answers, lorebooks = MessageEditor(), RecentAnswers(), LorebookCache()
    avatar_emoji = AvatarEmoji(bot, files)
    metrics.running = lambda: len(state.running_turns)
    metrics.open_circuits = lambda: len(budget.paused_models)
    metrics.duplicates_removed = lambda: getattr(persona_webhooks, "duplicates_removed", 0)

    # Answering.
    transcriber = HttpTranscriber(config.voice) if config.voice.model else None
    reader, message_cache = MessageReader(transcriber=transcriber), MessageCache()
    history = ChannelHistory(reader, store, message_cache, budget.spend)
    journal = AnswerJournal(bot, coordinator, state, metrics, style)
    greeter = Greeter(store, persona_webhooks, checks, config.secrets)
    refuser = RefusalNotifier(budget, checks, metrics, refusals, journal, style)
    prompts = PromptComposer(store, lorebooks)
    planner = AnswerPlanner(config, channel_configs, history, checks, permissions, greeter, prompts, style)
    memory = AnswerMemory(bot, store, history, editor, permissions, checks)
    all_tools = Tools(make_dice(random or Random()), make_time(), *tools)
    sources = AnswerSources(config, providers, all_tools, budget, state, metrics, clock)
    finisher = AnswerFinisher(
        config, metrics, recent_answers, memory, refuser, state, planner.record_last_message
    )
    sender = AnswerSender(persona_webhooks, checks, recent_answers, editor, state)
    delivery = AnswerDelivery(sources, sender, finisher, journal, editor, state)
    answerer = Answerer(bot, state, refuser, planner, journal, delivery, style)
    slots = TurnSlots(SlotLimits.of(config.budget))
    dispatcher = Dispatcher(answerer.run, answerer.show, coordinator.stops, slots)

    # User actions: messages, buttons and commands.
    threads = ThreadStarter(bot, dispatcher, budget, checks)
    receiver = MessageReceiver(
        reader,
        config.access,
        channel_configs,
        dispatcher,
        budget,
        refusals,
        permissions,
        threads,
        style,
    )
    presses = ButtonPresses(
        reader,
        coordinator,
        state,
        dispatcher,
        channel_configs,
        recent_answers,
        store,
        budget,
        metrics,
        editor,
    )
    ask_service = AskService(config, reader, channel_configs, dispatcher, journal, budget, metrics)
    continue_service = ContinueService(ask_service, reader, recent_answers, state)
    personas = PersonaEditor(config, store, channel_configs, avatar_emoji, files)
    # `/help` lists all commands, itself included, in this order.
    commands: list[AnyCommand] = []
    commands += [
        *build_ask(ask_service, continue_service, user_install=config.discord.user_install),
        build_stop(dispatcher, channel_configs),
        PersonaCommands(config, store, channel_configs, personas, lorebooks, greeter),
        SettingsCommands(config, store, channel_configs),
        build_model(config, store, channel_configs),
        MemoryCommands(config, store, channel_configs, recent_answers),
        build_usage(config.budget, budget, metrics),
        PrivacyCommands(config.privacy, store, budget, recent_answers),
        build_changes(store),
        *build_why(recent_answers),
        build_help(channel_configs, commands),
    ]

    # Recovery and retention.
    resumer = AnswerResumer(
        bot,
        reader,
        coordinator,
        state,
        dispatcher,
        config.access,
        permissions,
        channel_configs,
        editor,
        clock,
        metrics,
        style,
    )
    missed = MissedMessages(
        bot,
        reader,
        coordinator,
        state,
        receiver.receive,
        clock,
        metrics,
        style,
        config.durability.catch_up,
    )
    recovery = RecoveryManager(coordinator, state, clock, resumer, missed)
    retention = Retention(config.privacy, store, channel_configs, avatar_emoji, state, clock)

    # The bot knows its own id only after the login.
    def on_login() -> None:
        assert bot.user is not None
        assert bot.application_id is not None
        reader.identify(bot.user, bot.application_id)
        channel_configs.name = bot.user.display_name
        channel_configs.bot_names = (bot.user.name, bot.user.display_name)
        coordinator.attach(dispatcher, state, metrics, recovery.recover)

    bot.set_handlers(
        EventHandlers(
            reader,
            receiver,
            dispatcher,
            presses,
            commands,
            message_cache,
            recent_answers,
            store,
            state,
            files,
            recovery,
            retention,
            on_login,
            partial(publish_shared_pictures, avatar_emoji, store),
        )
    )
    return BotApp(
        bot,
        config,
        store,
        coordinator,
        state,
        dispatcher,
        channel_configs,
        budget,
        metrics,
        recent_answers,
        editor,
        all_tools,
        providers,
        avatar_emoji,
        files,
        commands,
    )


def run(config: BotConfig, role: Role = "all") -> int:
    """Run the bot and return the exit status; errors are printed in one line."""
    set_up_logs(config.log, config.secrets)
    # The bot does not use voice channels: silence discord.py's warnings about missing voice libraries.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    try:
        restart = asyncio.run(run_bot(config, role))
        while restart:
            restart = _run_again(config, role)
    except discord.LoginFailure:
        return _fail(
            f"Discord refused the token in {config.discord.token_name}: copy it again", CONFIG_ERROR_STATUS
        )
    except discord.PrivilegedIntentsRequired:
        return _fail(
            "turn on the Message Content intent of the bot on discord.com/developers", CONFIG_ERROR_STATUS
        )
    except (StreamcordError, discord.DiscordException, aiohttp.ClientError, OSError) as error:
        return _fail(f"{error}; `streamcord-bot check` says more")
    except KeyboardInterrupt:
        return 130
    return 0


def _run_again(config: BotConfig, role: Role) -> bool:
    """Run the bot again after an eviction; false if it must not be restarted once more."""
    try:
        return asyncio.run(run_bot(config, role))
    except StoreError as error:
        _log.warning("joining the cluster failed, retrying in %g s: %s", REJOIN_PAUSE_S, error)
        time.sleep(REJOIN_PAUSE_S)
        return True


async def run_bot(config: BotConfig, role: Role = "all") -> bool:
    """Open everything, run the bot until it is asked to end, and close everything.

    Returns:
        Whether the bot must be started again, because the cluster evicted it.

    """
    async with AsyncExitStack() as stack:
        clock, server = DiscordClock(), config.discord.rest or config.discord.server
        # Discord's clock decides how old a message is, so ours is compared with it now and then.
        clock.ask = partial(set_clock, server, clock)
        cluster = await _open_cluster(config, role, clock)
        if cluster is not None:
            stack.push_async_callback(cluster.close)
        # The stack closes everything in reverse order, also if a later step fails.
        providers = await stack.enter_async_context(open_providers(config))
        store = await (open_store(config.store, clock=clock) if cluster is None else cluster.open_store())
        stack.push_async_callback(store.close)
        await seed_personas(config, store)
        coordinator: Coordinator
        if cluster is None:
            journal = await open_bot_journal(config, clock)
            stack.push_async_callback(journal.close)
            coordinator = SingleProcess(journal, config.store)
        else:
            coordinator = cluster
        if config.discord.server or config.discord.rest:
            stack.enter_context(redirect_requests(config.discord.server, config.discord.rest))
        app = build_bot(config, providers, store, coordinator=coordinator, clock=clock)
        bot = app.bot
        if config.discord.rest:
            # A proxy keeps the rate limits of all processes.
            share_requests(bot, None, lambda *_: None)
        if config.log.metrics_port:
            await stack.enter_async_context(_metrics_of(app, config.log))
        # Entered, so that it can be closed even before it has ever connected.
        await stack.enter_async_context(bot)
        stack.enter_context(_on_signals(lambda: asyncio.ensure_future(bot.close())))
        if cluster is not None:
            stack.enter_context(cluster.guard_wake_up(bot))
        token_refused = end_on_refused_token(bot)
        if await wait_for_discord(server, bot.ending, clock):
            await bot.start(config.token)
        if token_refused.is_set():
            raise discord.LoginFailure("the token was revoked while the bot was running")
        # A bot that was asked to end is not started again.
        return cluster is not None and cluster.was_evicted and not bot.ending.is_set()


def end_on_refused_token(bot: Bot) -> asyncio.Event:
    """Close a bot whose token Discord refuses while it runs; returns an event that is set then."""
    refused = asyncio.Event()
    # The task that closes the bot: asyncio itself holds tasks only weakly.
    closing: list[asyncio.Future[None]] = []

    def end() -> None:
        if not refused.is_set():
            refused.set()
            closing.append(asyncio.ensure_future(bot.close()))

    on_token_refused(bot, end)
    return refused


@asynccontextmanager
async def _metrics_of(app: BotApp, log: LogConfig) -> AsyncIterator[None]:
    """Serve the metrics and the health of a bot, for as long as the block runs."""
    health = partial(describe_health, app.bot)
    async with AsyncExitStack() as stack:
        try:
            serving = serve_metrics(app.metrics, log.metrics_port, log.metrics_host, health)
            port = await stack.enter_async_context(serving)
        except OSError as error:
            where, why = f"{log.metrics_host}:{log.metrics_port}", os.strerror(error.errno or 0)
            raise StreamcordError(f"cannot listen on {where} for metrics: {why}") from None
        _log.info("metrics at http://%s:%d/metrics, and /health", log.metrics_host, port)
        yield


async def _open_cluster(config: BotConfig, role: Role, clock: DiscordClock) -> Cluster | None:
    if not config.cluster.url:
        return None
    from .coordination.cluster.coordinator import open_cluster  # noqa: PLC0415  (needs an extra)

    return await open_cluster(config, role, clock)


@contextmanager
def _on_signals(act: Callable[[], object]) -> Iterator[None]:
    """Call `act` on SIGINT and SIGTERM; where event loops have no signals, Ctrl-C raises as usual."""
    loop = asyncio.get_running_loop()
    caught = []
    for one in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(one, act)
            caught.append(one)
    try:
        yield
    finally:
        for one in caught:
            loop.remove_signal_handler(one)


def _fail(message: str, status: int = 1) -> int:
    sys.stderr.write(f"streamcord-bot: {message}\n")
    return status


_VERBOSE_LOGGERS = ("discord", "aiohttp", "asyncio")


def set_up_logs(config: LogConfig, secrets: Iterable[str] = ()) -> None:
    """Log to standard error from the configured level on, redacted, as text or JSON."""
    level = logging.getLevelNamesMapping()[config.level.upper()]
    formatter = JsonLogLines if config.format == "json" else LogLines
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(secrets, text=config.text))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in _VERBOSE_LOGGERS:
        # These libraries log every request at DEBUG, including tokens in URLs.
        logging.getLogger(name).setLevel(max(level, logging.INFO))

"""The bot's Discord client: receives events and passes them on. `app.build_bot` connects it to its parts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import discord

from streamcord import StoreError
from streamcord.discord import block_requests, check_responses
from streamcord.store import Store

from .alarms import Alarms
from .answering.edited_questions import EditedQuestions
from .answering.mcp_tools import McpToolbox
from .answering.message_receiver import MessageReceiver
from .answering.recent_answers import RecentAnswers
from .commands.ask_presses import AskPresses
from .commands.audit_log import audit_command
from .commands.base import AnyCommand, allow_installs
from .commands.button_presses import ButtonPresses
from .commands.command_tree import CommandTree, refusal_of
from .commands.translator import CommandTranslator
from .config import BotConfig
from .coordination.base import CoordinatedClient, Coordinator
from .i18n import translate
from .listening.channel_queue import QueueResult
from .listening.dispatcher import Dispatcher
from .messages.chat_message import MessageReader
from .ops.connectivity import leave_discord
from .ops.unreadable_events import skip_unreadable_events
from .policy.access import is_server_open
from .privacy.retention import Retention
from .prompt.channel_history import MessageCache
from .recovery.gateway_resume import find_shard, preserve_session
from .recovery.manager import RecoveryManager
from .shutdown import Shutdown
from .state import BotState
from .ui.buttons import AnswerButton
from .ui.notices import reply_privately

MAX_RATE_LIMIT_PAUSE_S = 60.0
"""A request that would have to wait longer fails at once, and is sent again later."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EventHandlers:
    """The parts of a bot to which the client passes its events."""

    reader: MessageReader
    receiver: MessageReceiver
    dispatcher: Dispatcher
    presses: ButtonPresses
    edited_questions: EditedQuestions
    ask_presses: AskPresses
    commands: Sequence[AnyCommand]
    message_cache: MessageCache
    recent_answers: RecentAnswers
    store: Store
    state: BotState
    recovery: RecoveryManager
    retention: Retention
    alarms: Alarms
    mcp: McpToolbox
    shutdown: Shutdown
    on_login: Callable[[], None]
    """Called when the bot knows its own id, before any event arrives."""
    publish_pictures: Callable[[], Coroutine[Any, Any, None]]
    """Uploads the pictures of shared personas; runs in the background after the login."""


class Bot(CoordinatedClient):
    """The Discord client of the bot; further keyword arguments go to discord.py's client."""

    def __init__(self, config: BotConfig, coordinator: Coordinator, **client: Any) -> None:  # noqa: ANN401 - what discord.py takes
        intents = discord.Intents.default()
        intents.message_content = config.discord.message_content
        client.setdefault("http_trace", coordinator.request_trace())
        # discord.py would sleep inside of a request for as long as a response asks for, and be it a year.
        client.setdefault("max_ratelimit_timeout", MAX_RATE_LIMIT_PAUSE_S)
        super().__init__(
            intents=intents,
            shard_count=config.discord.shard_count or None,
            # Messages ping only the people that their sender lists.
            allowed_mentions=discord.AllowedMentions.none(),
            **client,
        )
        skip_unreadable_events(self)
        # A success of a proxy must not be read as one of Discord.
        check_responses(self)
        # Set when the bot was asked to end.
        self.ending = asyncio.Event()
        # Checks who may use commands before they run.
        self.tree = CommandTree(self, config.access, coordinator)
        self._config = config
        self._coordinator = coordinator
        self._parts: EventHandlers
        # Whether the login is over, so that there is something to hand over at the end.
        self._has_started = False
        coordinator.bind(self)

    def set_handlers(self, handlers: EventHandlers) -> None:
        """Set the parts that need the client themselves, before it connects."""
        self._parts = handlers

    @property
    def recovery(self) -> RecoveryManager:
        """Resumes answers and finds missed messages."""
        return self._parts.recovery

    # --- Start and end ---------------------------------------------------------------------------

    async def setup_hook(self) -> None:
        """Register the commands and start recovery, after the login and before the first event."""
        handlers = self._parts
        handlers.on_login()
        for command in handlers.commands:
            self.tree.add_command(command)
        await self.tree.set_translator(CommandTranslator())
        self.add_dynamic_items(AnswerButton)
        await self._sync()
        self._has_started = True
        handlers.mcp.start()
        await handlers.recovery.start()
        handlers.state.run_later(handlers.publish_pictures())
        handlers.retention.start()
        handlers.alarms.start()

    async def _sync(self, *, as_member: bool = False) -> None:
        guild = self._config.discord.test_guild
        try:
            if guild:
                self.tree.copy_global_to(guild=discord.Object(guild))
            await self.tree.sync(guild=discord.Object(guild) if guild else None)
        except (discord.HTTPException, discord.RateLimited) as error:
            if self._config.discord.user_install and not as_member:
                _log.warning(
                    "users cannot install the bot: turn on User Install in Discord's developer portal"
                )
                commands = self._parts.commands
                allow_installs([one for one in commands if one.allowed_installs is not None], users=False)
                await self._sync(as_member=True)
                return
            # The bot is useful without commands: mentions and replies still work.
            _log.warning("registering the commands failed, continuing without new ones: %s", error)

    async def on_ready(self) -> None:
        """Forget cached messages: after a new connection some events may have been missed."""
        self._parts.message_cache.forget()
        self._parts.recovery.on_ready()
        _log.info("ready: servers %d, shards %d", len(self.guilds), self.shard_count or 1)
        for guild in self.guilds:
            await self._leave_if_closed(guild)

    async def launch_shard(self, gateway: Any, shard_id: int, *, initial: bool = False) -> None:  # noqa: ANN401
        """Connect a shard that resumes its session after an outage."""
        if self._parts.shutdown.has_begun:
            # discord.py would retry for ever.
            return
        await super().launch_shard(gateway, shard_id, initial=initial)
        if shard := find_shard(self, shard_id):
            preserve_session(shard)

    async def launch_shards(self) -> None:
        """Connect the shards of this process: all, or those that a cluster gives it."""
        if not await self._coordinator.launch_shards():
            await super().launch_shards()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until Discord accepts one more identify, counted over all processes."""
        pause = await self._coordinator.identify_pause_of(shard_id or 0)
        if pause is None:
            await super().before_identify_hook(shard_id, initial=initial)
        else:
            await asyncio.sleep(pause)

    async def on_shard_ready(self, shard_id: int) -> None:
        """Report to the coordinator that the servers of a shard are known."""
        self._coordinator.on_shard_ready(shard_id)

    async def on_disconnect(self) -> None:
        """Remember that the gateway connection was lost."""
        self._parts.recovery.on_disconnect()

    async def on_resumed(self) -> None:
        """Deliver what waited for the gateway session, which was resumed."""
        await self._parts.recovery.on_resumed()

    async def close(self) -> None:
        """Let running answers deliver what they have, then disconnect."""
        self.ending.set()
        await self._parts.shutdown.drain(self._config.durability.grace, has_started=self._has_started)
        await leave_discord(self.http, super().close())

    async def abandon(self) -> None:
        """Stop at once and send nothing more: another process resumes everything."""
        block_requests(self, float("inf"), "this process was evicted from the cluster")
        if await self._parts.shutdown.abandon():
            await leave_discord(self.http, super().close())

    # --- Events -----------------------------------------------------------------------------------

    async def on_message(self, message: discord.Message) -> None:
        """Pass a new message to the dispatcher."""
        self._parts.message_cache.add(message)
        guild = message.guild.id if message.guild else 0
        # Recorded for every message, so that a successor knows where to search for missed ones.
        self._coordinator.journal.claims.record_activity(message.channel.id, guild, message.id)
        if self._coordinator.owns_guild(guild):
            result = await self._parts.receiver.receive(message)
            if result is QueueResult.QUEUED:
                # Another process may be answering an earlier message of this author.
                self._coordinator.follow_up(message.channel.id, message.author.id, message.id)

    async def receive_missed(self, message: discord.Message) -> None:
        """Handle a message that another process received no more."""
        if self._coordinator.owns_guild(message.guild.id if message.guild else 0):
            await self._parts.receiver.receive(message)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Leave a server at once if the configuration does not allow it."""
        await self.on_guild_available(guild)
        await self._leave_if_closed(guild)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Continue answers of a server that has invited the bot again, or that is back after an outage."""
        # At the start every server becomes available.
        if self._parts.state.has_pending_recovery:
            self._parts.recovery.on_access_change(guild.id)

    async def _leave_if_closed(self, guild: discord.Guild) -> None:
        """Leave a server at once if the configuration does not allow it."""
        access = self._config.access
        if access.leave_servers and not is_server_open(access, guild.id):
            _log.info("leaving server %s, which is not allowed", guild.id)
            with suppress(discord.HTTPException):
                await guild.leave()

    async def on_guild_channel_update(
        self, _before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        """Pass on that the bot may have got a permission in a channel."""
        self._parts.recovery.on_access_change(after.guild.id)

    async def on_guild_role_update(self, _before: discord.Role, after: discord.Role) -> None:
        """Pass on that the bot may have got a permission on a server."""
        self._parts.recovery.on_access_change(after.guild.id)

    async def on_member_update(self, _before: discord.Member, after: discord.Member) -> None:
        """Pass on that the bot may have got a role, or that a timeout of it is over."""
        if self.user is not None and after.id == self.user.id:
            self._parts.recovery.on_access_change(after.guild.id)

    async def on_raw_thread_update(self, event: discord.RawThreadUpdateEvent) -> None:
        """Pass on that a thread may have been opened again."""
        self._parts.recovery.on_access_change(event.guild_id)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Pass on an edit; Discord also sends this event when it adds a link preview."""
        self._parts.message_cache.update(event.message)
        text = self._parts.reader.read(event.message).text
        changed = self._parts.dispatcher.edit(event.channel_id, event.message_id, text)
        if not changed:
            self._coordinator.forward("edit", event.channel_id, id=event.message_id, text=text)
            await self._parts.edited_questions.offer(event)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """Forget a deleted message."""
        await self._forget(event.channel_id, {event.message_id})

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Forget several deleted messages."""
        await self._forget(event.channel_id, event.message_ids)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Delete the data of a server that the bot was removed from."""
        await self._parts.retention.forget_server(guild)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Delete the data of a deleted channel."""
        await self._parts.retention.forget_channel(channel.guild.id, channel.id)

    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        """Delete the data of a deleted thread."""
        await self._parts.retention.forget_channel(event.guild_id, event.thread_id)

    async def on_app_command_completion(
        self, interaction: discord.Interaction[Any], command: AnyCommand
    ) -> None:
        """Record a command that changed something in the audit log."""
        await audit_command(self._parts.store, self._config.secrets, interaction, command)

    async def press(
        self, interaction: discord.Interaction[Any], action: str, owner: int, target: str, number: int = 0
    ) -> None:
        """Handle a press of a button below an answer."""
        # The process that owns the shard receives the same interaction.
        if not self._coordinator.owns_guild(interaction.guild_id or 0):
            return
        if refusal := refusal_of(self._config.access, interaction):
            await reply_privately(interaction, translate(str(interaction.locale), refusal))
            return
        await self._parts.presses.press(interaction, action, owner, target, number)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Handle an answer to a question with buttons; other interactions are dispatched by discord.py."""
        if self._parts.ask_presses.is_ask(interaction) and self._coordinator.owns_guild(
            interaction.guild_id or 0
        ):
            if refusal := refusal_of(self._config.access, interaction):
                await reply_privately(interaction, translate(str(interaction.locale), refusal))
                return
            await self._parts.ask_presses.press(interaction)

    async def _forget(self, channel: int, ids: set[int]) -> None:
        """Forget deleted messages everywhere, and drop the questions they asked."""
        self._parts.message_cache.remove(channel, ids)
        for id_ in ids:
            changed = self._parts.dispatcher.delete(channel, id_)
            if not changed:
                self._coordinator.forward("delete", channel, id=id_)
            self._parts.recent_answers.forget(id_)
        try:
            await self._parts.store.forget_messages(ids)
        except StoreError as error:
            _log.warning(
                "channel %s: forgetting deleted messages failed, their memories stay stored: %s",
                channel,
                error,
            )

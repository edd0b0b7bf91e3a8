"""The bot's Discord client: receives events and passes them on.

async with Bot(config, provider, store) as bot:
    await bot.start(config.token)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import discord

from streamcord import StopMode, StoreError, check_text
from streamcord.discord import Voices, Webhooks, block_requests
from streamcord.providers import Provider, Tool
from streamcord.store import SqlJournal, Store

from .answer.answering import Answerer
from .answer.builtin_tools import Tools, make_dice, make_time
from .answer.buttons import AnswerButton, ButtonPresses
from .asking.conversation_thread import make_title, open_thread
from .budget.budget import Budget
from .budget.spending_rules import Payer
from .budget.turn_slots import SlotLimits, TurnSlots
from .commands import CommandTree, build_commands, refusal_of
from .commands.command_base import AnyCommand, allow_installs
from .config import BotConfig
from .conversation.channel_config import ChannelConfig, ChannelConfigs, place_of
from .conversation.channel_history import ChannelHistory, MessageCache
from .conversation.channel_queue import QueueResult
from .conversation.chat_message import ChatMessage, MessageReader
from .conversation.dispatcher import Dispatcher, Reason, find_reason
from .durability.continuity import Continuity
from .durability.resuming import find_shard, keep_session
from .notices import reply_privately, send_notice, translate
from .operating.reaching import DiscordClock, leave_discord
from .persona.server_personas import publish_shared_looks
from .reading.transcriber import HttpTranscriber
from .rights.access import ClosedTo, Visitor, find_refusal, is_server_open, visitor_of
from .safety.change_log import note_command
from .safety.retention import Retention
from .services import Services

if TYPE_CHECKING:
    from .cluster.bot_cluster import BotCluster

__all__ = ["Bot"]

GATHER = 0.5
"""Seconds for which members of a cluster gather what was used before they write it down."""
_log = logging.getLogger("streamcord.bot")


class Bot(discord.AutoShardedClient):
    """A bot that answers with a language model; further keyword arguments go to discord.py's client."""

    def __init__(  # noqa: PLR0913 - what a bot is made of
        self,
        config: BotConfig,
        provider: Provider | Mapping[str, Provider],
        store: Store,
        *,
        tools: Iterable[Tool] = (),
        webhooks: Voices | None = None,
        random: Random | None = None,
        journal: SqlJournal | None = None,
        cluster: BotCluster | None = None,
        clock: DiscordClock | None = None,
        **client: Any,  # noqa: ANN401 - what discord.py takes
    ) -> None:
        intents = discord.Intents.default()
        intents.message_content = config.discord.message_content
        if cluster is not None:
            client.setdefault("http_trace", cluster.guard())
        super().__init__(
            intents=intents,
            shard_count=config.discord.shard_count or None,
            # Whoever forgets to say whom a message may ping pings nobody.
            allowed_mentions=discord.AllowedMentions.none(),
            **client,
        )
        clock = clock or DiscordClock()
        self.services = Services(
            config,
            store,
            self,
            provider if isinstance(provider, Mapping) else {"": provider},
            ChannelConfigs(config, store),
            Tools(make_dice(random or Random()), make_time(), *tools),
            Budget(config.budget, store, clock, key=config.token, gather=0.0 if cluster is None else GATHER),
            webhooks or Webhooks(self),
        )
        self.services.journal, self.services.clock = journal, clock
        if cluster is not None:
            self.services.cluster, self.services.stops = cluster, cluster.stops
            self.services.journal = cluster.journal
            cluster.bind(self)
        self.services.metrics.running = lambda: len(self.services.turns)
        self.services.metrics.resting = lambda: len(self.services.budget.resting_models)
        self.services.metrics.late_twins = lambda: getattr(self.services.webhooks, "late_twins", 0)
        self.tree = CommandTree(self)
        self._reader: MessageReader
        self._presses: ButtonPresses
        self._message_cache: MessageCache
        self._retention = Retention(self.services, clock)
        self._closing = False
        self.ending = asyncio.Event()
        self.continuity: Continuity

    # --- Beginning and end -----------------------------------------------------------------------

    async def setup_hook(self) -> None:
        """Set up what needs the bot's own id, and register the commands."""
        assert self.user is not None
        assert self.application_id is not None
        services = self.services
        services.channel_configs.name = self.user.display_name
        voice = services.config.voice
        self._reader = MessageReader(
            self.user, self.application_id, transcriber=HttpTranscriber(voice) if voice.model else None
        )
        self._presses = ButtonPresses(services, self._reader)
        self._message_cache = MessageCache()
        history = ChannelHistory(self._reader, services.store, self._message_cache, services.budget.spend)
        answerer = Answerer(services, history)
        slots = TurnSlots(SlotLimits.of(services.config.budget))
        services.dispatcher = Dispatcher(answerer.run, answerer.show, services.stops, slots)
        services.commands = build_commands(services, self._reader)
        for command in services.commands:
            self.tree.add_command(command)
        self.add_dynamic_items(AnswerButton)
        await self._sync()
        self.continuity = Continuity(services, self._reader, self.user.id, self._hear)
        await self.continuity.start()
        services.run_later(publish_shared_looks(services.avatar_emoji, services.store))
        self._retention.start()

    async def _sync(self, *, as_member: bool = False) -> None:
        guild = self.services.config.discord.test_guild
        try:
            if guild:
                self.tree.copy_global_to(guild=discord.Object(guild))
            await self.tree.sync(guild=discord.Object(guild) if guild else None)
        except discord.HTTPException as error:
            if self.services.config.discord.user_install and not as_member:
                _log.warning("people cannot install the bot: turn User Install on in Discord's portal")
                commands = self.services.commands
                allow_installs([one for one in commands if one.allowed_installs is not None], users=False)
                await self._sync(as_member=True)
                return
            # An answer to a mention is worth more than a command.
            _log.warning("the commands were not registered: %s", error)

    async def on_ready(self) -> None:
        """Forget cached messages: after a new connection some events may have been missed."""
        self._message_cache.forget()
        self.continuity.note_ready()
        _log.info("ready: servers %d, shards %d", len(self.guilds), self.shard_count or 1)
        for guild in self.guilds:
            await self.on_guild_join(guild)

    async def launch_shard(self, gateway: Any, shard_id: int, *, initial: bool = False) -> None:  # noqa: ANN401
        """Connect a shard that resumes its session after an outage."""
        if self._closing:
            # discord.py would try for ever.
            return
        await super().launch_shard(gateway, shard_id, initial=initial)
        if shard := find_shard(self, shard_id):
            keep_session(shard)

    async def launch_shards(self) -> None:
        """Connect the shards of this process: all, or those that a cluster gives it."""
        if self.services.cluster is None:
            await super().launch_shards()
        else:
            await self.services.cluster.shards.open()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until Discord takes one more login, of whichever process."""
        if self.services.cluster is None:
            await super().before_identify_hook(shard_id, initial=initial)
        else:
            await asyncio.sleep(await self.services.cluster.identify_pause_of(shard_id or 0))

    async def on_shard_ready(self, shard_id: int) -> None:
        """The servers of a shard are known."""
        if self.services.cluster is not None:
            self.services.cluster.shards.note_ready(shard_id)

    async def on_disconnect(self) -> None:
        self.continuity.note_lost()

    async def on_resumed(self) -> None:
        """The session goes on."""
        await self.continuity.note_resumed()

    async def close(self) -> None:
        """Let running answers deliver what they have, then disconnect."""
        self.ending.set()
        if not self._closing:
            self._closing = True
            self._retention.stop()
            if hasattr(self, "continuity"):
                await self.continuity.lease.retire()
                durable = self.services.journal is not None
                mode = StopMode.HAND_OVER if durable else StopMode.FLUSH
                await self.services.dispatcher.close(self.services.config.durability.grace, mode)
                await self.continuity.stop()
            await self.services.finish_tasks(1.0)
            await self.services.file_reader.close()
        await leave_discord(self.http, super().close())

    async def abandon(self) -> None:
        """Stop at once, without a word: another process goes on with everything."""
        block_requests(self, float("inf"), "this process was taken for dead")
        if not self._closing:
            self._closing = True
            self._retention.stop()
            await self.continuity.drop()
            await leave_discord(self.http, super().close())

    # --- What people do --------------------------------------------------------------------------

    async def on_message(self, message: discord.Message) -> None:
        """Pass a new message to the dispatcher."""
        self._message_cache.note(message)
        if self.services.journal is not None:
            guild = message.guild.id if message.guild else 0
            self.services.journal.claims.hear(message.channel.id, guild, message.id)
        if self.continuity.lease.covers(message.guild.id if message.guild else 0):
            heard = await self._hear(message)
            if self.services.cluster is not None and heard is QueueResult.TAKEN:
                self.services.cluster.follow_up(message.channel.id, message.author.id, message.id)

    async def hear_missed(self, message: discord.Message) -> None:
        """Take a message that another process did not live to hear."""
        if self.continuity.lease.covers(message.guild.id if message.guild else 0):
            await self._hear(message)

    async def _hear(self, message: discord.Message) -> QueueResult:
        """Take a message, new or missed, if nobody has."""
        chat_message = self._reader.read(message)
        if not self.services.dispatcher.claim(chat_message):
            return QueueResult.IGNORED
        channel_config = await self.services.channel_configs.find_cached(*place_of(message.channel))
        visitor = visitor_of(message.author.id, chat_message.roles, message.channel)
        if refusal := find_refusal(self.services.config.access, visitor):
            if find_reason(chat_message, channel_config.listening):
                await self._refuse(message, refusal, visitor)
            return QueueResult.IGNORED
        chat_message = await self._in_thread(message, chat_message, channel_config)
        heard = self.services.dispatcher.hear(chat_message, channel_config)
        locale, look = self.services.locale(message.guild), self.services.notice_look
        if heard is QueueResult.FULL:
            await send_notice(message.channel, translate(locale, "full"), message, look)
        elif heard is QueueResult.CROWDED and self.services.budget.should_tell_briefly(
            chat_message.author, "crowded"
        ):
            await send_notice(message.channel, translate(locale, "crowded"), message, look)
        return heard

    async def _in_thread(
        self, message: discord.Message, chat_message: ChatMessage, config: ChannelConfig
    ) -> ChatMessage:
        """The message as the first one of a thread of its own, where the bot's file wants that."""
        calls = find_reason(chat_message, config.listening) in {Reason.MENTION, Reason.TRIGGER}
        if not config.answer.threads or not calls or chat_message.bot:
            return chat_message
        payer = Payer(chat_message.author, config.place.guild)
        # Who gets no answer needs no thread for it, and no name of one.
        if (
            self.services.dispatcher.is_crowded(payer.person)
            or await self.services.budget.check(payer)
            or await check_text(self.services.moderators, chat_message.text, "question")
        ):
            return chat_message
        title = make_title(chat_message.text, config.persona.name)
        thread = await open_thread(self, message, title)
        return replace(chat_message, channel=thread.id) if thread else chat_message

    async def _refuse(self, message: discord.Message, refusal: ClosedTo, visitor: Visitor) -> None:
        """Say once that the bot is not for somebody; bots are not told."""
        if not message.author.bot and self.services.refusals.is_first(refusal, visitor):
            locale = self.services.locale(message.guild)
            look = self.services.notice_look
            await send_notice(message.channel, translate(locale, refusal), message, look)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was invited; it goes again if the file wants that."""
        access = self.services.config.access
        if access.leave_servers and not is_server_open(access, guild.id):
            _log.info("leaving server %s, which is not allowed", guild.id)
            with suppress(discord.HTTPException):
                await guild.leave()

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """A message was edited, or Discord added a preview to it."""
        self._message_cache.change(event.message)
        text = self._reader.read(event.message).text
        changed = self.services.dispatcher.edit(event.channel_id, event.message_id, text)
        if self.services.cluster is not None and not changed:
            self.services.cluster.pass_on("edit", event.channel_id, id=event.message_id, text=text)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """A message was deleted."""
        await self._forget(event.channel_id, {event.message_id})

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Several messages were deleted."""
        await self._forget(event.channel_id, event.message_ids)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed from a server."""
        await self._retention.forget_server(guild)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel was deleted."""
        await self._retention.forget_channel(channel.guild.id, channel.id)

    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        """A thread was deleted."""
        await self._retention.forget_channel(event.guild_id, event.thread_id)

    async def on_app_command_completion(
        self, interaction: discord.Interaction[Any], command: AnyCommand
    ) -> None:
        """A command has done its work."""
        await note_command(self.services, interaction, command)

    async def press(
        self, interaction: discord.Interaction[Any], action: str, owner: int, target: str
    ) -> None:
        """Somebody pressed a button below an answer."""
        if not self.continuity.lease.covers(interaction.guild_id or 0):
            return
        if refusal := refusal_of(self.services.config.access, interaction):
            await reply_privately(interaction, translate(str(interaction.locale), refusal))
            return
        await self._presses.press(interaction, action, owner, target)

    async def _forget(self, channel: int, ids: set[int]) -> None:
        """Forget deleted messages everywhere, and what they asked for."""
        self._message_cache.drop(channel, ids)
        for id_ in ids:
            changed = self.services.dispatcher.delete(channel, id_)
            if self.services.cluster is not None and not changed:
                self.services.cluster.pass_on("delete", channel, id=id_)
            self.services.recent_answers.forget(id_)
        try:
            await self.services.store.forget_messages(ids)
        except StoreError as error:
            _log.warning("deleted messages are still remembered: %s", error)

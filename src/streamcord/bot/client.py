"""The bot itself: hears what Discord says, decides whom to answer, and lets lanes do the rest.

async with Bot(config, provider, store) as bot:
    await bot.start(config.token)
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import discord
from discord import app_commands

from streamcord import Asker, StopAnswer, StopMode
from streamcord.delivery.voices import Voices
from streamcord.errors import StoreError
from streamcord.providers import Provider, Tool
from streamcord.store import Store

from .answering import Answerer
from .buttons import TurnButton
from .claims import Claims
from .commands import build_commands
from .config import BotConfig
from .lane import Ask, Heard, Kind, Lane, Patience
from .listening import Listener
from .notices import word
from .reading import Reader
from .scenes import Scene, Scenes, place_of
from .services import Services
from .summons import find_reason
from .telling import answer_quietly, tell
from .tools import Tools, make_dice, make_time

__all__ = ["Bot"]

DRAIN_SECONDS = 10.0
"""What running answers have at a shutdown."""
CHANNEL_CAP = 10_000
GATHER_FACTOR = 5
"""A question is answered after so many times the gathering time, however quickly its author goes on."""

_log = logging.getLogger("streamcord.bot")


class Bot(discord.AutoShardedClient):
    """A persona on Discord."""

    def __init__(
        self,
        config: BotConfig,
        provider: Provider | Mapping[str, Provider],
        store: Store,
        *,
        tools: Iterable[Tool] = (),
        webhooks: Voices | None = None,
        random: Random | None = None,
        **client: Any,  # noqa: ANN401 - what discord.py takes
    ) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(
            intents=intents,
            shard_count=config.discord.shard_count or None,
            allowed_mentions=discord.AllowedMentions.none(),
            **client,
        )
        providers = provider if isinstance(provider, Mapping) else {"": provider}
        self.services = Services(
            config,
            store,
            self,
            providers,
            Scenes(config, store),
            Tools(make_dice(random or Random()), make_time(), *tools),
            webhooks,
        )
        self.tree = app_commands.CommandTree(self)
        self._claims = Claims()
        self._lanes: dict[int, Lane] = {}
        self._rounds: OrderedDict[int, int] = OrderedDict()
        self._reader: Reader
        self._answerer: Answerer
        self._closing = False

    # --- Beginning and end -----------------------------------------------------------------------

    async def setup_hook(self) -> None:
        """Everything that needs to know who we are, and the commands."""
        assert self.user is not None
        assert self.application_id is not None
        services = self.services
        services.scenes.name = self.user.display_name
        self._reader = Reader(self.user, self.application_id)
        self._answerer = Answerer(services, Listener(self._reader, services.store))
        self.add_dynamic_items(TurnButton)
        for command in build_commands(services):
            self.tree.add_command(command)
        await self._sync()

    async def _sync(self) -> None:
        guild = self.services.config.discord.test_guild
        try:
            if guild:
                self.tree.copy_global_to(guild=discord.Object(guild))
                await self.tree.sync(guild=discord.Object(guild))
            else:
                await self.tree.sync()
        except discord.HTTPException as error:
            # An answer to a mention is worth more than a command.
            _log.warning("the commands were not registered: %s", error)

    async def on_ready(self) -> None:
        """Said once per connection that is not a resume."""
        _log.info("ready: %d servers, %d shards", len(self.guilds), self.shard_count or 1)

    async def close(self) -> None:
        """Let running answers say what they have, then go."""
        if not self._closing:
            self._closing = True
            await self._drain(DRAIN_SECONDS)
        await super().close()

    async def _drain(self, seconds: float) -> None:
        running = self.services.stops.stop_all(StopMode.FLUSH)
        if running:
            _log.info("shutting down: %d answers are finished first", running)
        lanes = list(self._lanes.values())
        if lanes:
            resting = [asyncio.ensure_future(lane.rest()) for lane in lanes]
            await asyncio.wait(resting, timeout=seconds)
            for task in resting:
                task.cancel()
            await asyncio.gather(*(lane.close() for lane in lanes), *resting, return_exceptions=True)
        await self.services.rest(1.0)

    @property
    def is_quiet(self) -> bool:
        """Nobody is answered and nobody waits."""
        return all(lane.is_idle for lane in self._lanes.values())

    # --- What is said ----------------------------------------------------------------------------

    async def on_message(self, message: discord.Message) -> None:
        """Somebody said something."""
        remark = self._reader.read(message)
        if remark.own or not self._claims.claim(message.id) or self._closing:
            return
        lane = self._lanes.get(remark.channel)
        rounds = self._count_rounds(remark.channel, bot=remark.bot)
        scene = await self.services.scenes.glance(*place_of(message.channel))
        reason = find_reason(remark, scene.listening, rounds)
        lane = lane or self._find_lane(remark.channel, scene)
        heard = lane.hear(remark, called=reason is not None)
        if heard is Heard.FULL:
            await tell(message.channel, word(self.services.locale(message.guild), "full"), message)
        elif reason is not None and remark.bot:
            self._rounds[remark.channel] = rounds + 1
        self._sweep()

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Somebody changed a message."""
        lane = self._lanes.get(event.channel_id)
        if lane is not None and event.message is not None:
            lane.edit(event.message_id, self._reader.read(event.message).text)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """A message is gone."""
        await self._forget(event.channel_id, {event.message_id})

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Many messages are gone."""
        await self._forget(event.channel_id, event.message_ids)

    async def _forget(self, channel: int, ids: set[int]) -> None:
        """What was deleted never happened."""
        lane = self._lanes.get(channel)
        for id_ in ids:
            if lane is not None:
                lane.delete(id_)
            self.services.archive.forget(id_)
        try:
            await self.services.store.forget_messages(ids)
        except StoreError as error:
            _log.warning("deleted messages are still remembered: %s", error)

    def _count_rounds(self, channel: int, *, bot: bool) -> int:
        """How often we just answered machines here; a person's word ends it."""
        if not bot:
            self._rounds.pop(channel, None)
        if len(self._rounds) > CHANNEL_CAP:
            self._rounds.popitem(last=False)
        return self._rounds.get(channel, 0)

    def _find_lane(self, channel: int, scene: Scene) -> Lane:
        gather = scene.answer.gather
        return self._lanes.setdefault(
            channel,
            Lane(
                channel,
                self._answerer.run,
                self._answerer.show,
                self.services.stops,
                Patience(gather, gather * GATHER_FACTOR),
            ),
        )

    def _sweep(self) -> None:
        """Lanes in which nobody is are not kept."""
        if len(self._lanes) > 100:
            self._lanes = {id_: lane for id_, lane in self._lanes.items() if not lane.is_idle}

    # --- Buttons and /stop -----------------------------------------------------------------------

    async def press(self, interaction: discord.Interaction[Any], act: str, owner: int, mark: str) -> None:
        """Somebody pressed a button below an answer."""
        locale = str(interaction.locale)
        asker = asker_of(interaction)
        if act == "stop":
            await self._press_stop(interaction, asker, mark, locale)
        elif asker.id != owner and not asker.moderator:
            await answer_quietly(interaction, word(locale, "not_yours", owner=f"<@{owner}>"))
        else:
            await interaction.response.defer()
            await self._ask_again(interaction, act, owner, int(mark, 16), locale)

    async def _press_stop(
        self, interaction: discord.Interaction[Any], asker: Asker, mark: str, locale: str
    ) -> None:
        channel, token = self.services.turns.get(mark, (0, 0))
        answer = await self.services.stops.ask(channel, asker, token=token)
        if answer is StopAnswer.ACCEPTED:
            await interaction.response.defer()
        else:
            key = "nothing" if answer is StopAnswer.NOTHING else "not_yours"
            await answer_quietly(interaction, word(locale, key, owner="whoever asked"))

    async def stop_in(self, channel: int, asker: Asker) -> StopAnswer:
        """End what is said in a channel, or what this person waits for."""
        answer = await self.services.stops.ask(channel, asker)
        lane = self._lanes.get(channel)
        if answer is not StopAnswer.ACCEPTED and lane is not None and lane.forget(asker.id):
            return StopAnswer.ACCEPTED
        return answer

    async def _ask_again(
        self, interaction: discord.Interaction[Any], act: str, owner: int, question: int, locale: str
    ) -> None:
        channel, pressed = interaction.channel, interaction.message
        if not isinstance(channel, discord.abc.Messageable) or pressed is None:
            return
        try:
            message = await channel.fetch_message(question)
        except discord.HTTPException:
            await answer_quietly(interaction, word(locale, "no_question"))
            return
        answered = self.services.archive.find(pressed.id)
        ids = answered.ids if answered else await self._find_answer(channel, question, pressed.id)
        scene = await self.services.scenes.glance(*place_of(channel))
        kind = Kind.REGENERATE if act == "again" else Kind.CONTINUE
        await self.services.hand.dress(channel, pressed.id, None, voiced=pressed.webhook_id is not None)
        ask = Ask(owner, [self._reader.read(message)], kind, replaces=ids)
        self._find_lane(channel.id, scene).put(ask)

    async def _find_answer(
        self, channel: discord.abc.Messageable, question: int, last: int
    ) -> tuple[int, ...]:
        """The messages of an answer that we do not remember: all of ours between the question and its end."""
        after, before = discord.Object(question), discord.Object(last + 1)
        between = [one async for one in channel.history(limit=50, after=after, before=before)]
        return tuple(one.id for one in between if self._reader.is_own(one) and one.content)


def asker_of(interaction: discord.Interaction[Any]) -> Asker:
    """Who used a command or a button, and what they may do."""
    person = interaction.user
    roles = frozenset(role.id for role in person.roles) if isinstance(person, discord.Member) else frozenset()
    return Asker(person.id, interaction.permissions.manage_messages, roles, person.bot)

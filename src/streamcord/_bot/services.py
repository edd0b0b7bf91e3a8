"""The parts of a running bot that its other parts need."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import discord

from streamcord import Moderator, Stops, StoreError
from streamcord.discord import Voices
from streamcord.providers import Provider
from streamcord.store import SqlJournal, Store

from .answer.builtin_tools import Tools
from .answer.metrics import Metrics
from .answer.recent_answers import RecentAnswers
from .budget.budget import Budget
from .config import BotConfig
from .conversation.channel_config import ChannelConfigs
from .conversation.dispatcher import Dispatcher, SeenMessages
from .intake.file_reader import FileReader
from .notices import MessageEditor, NoticeLook
from .operating.reaching import DiscordClock
from .persona.server_personas import AvatarEmoji
from .rights.access import Refusals
from .rights.powers import Powers
from .story.lorebook import Stories

if TYPE_CHECKING:
    from .cluster.bot_cluster import BotCluster
    from .commands.command_base import AnyCommand

__all__ = ["Services"]

T = TypeVar("T")
_log = logging.getLogger("streamcord.bot")


@dataclass(slots=True, eq=False)
class Services:
    """What the parts of one bot share."""

    config: BotConfig
    store: Store
    client: discord.Client
    providers: Mapping[str, Provider]
    channel_configs: ChannelConfigs
    tools: Tools
    budget: Budget
    webhooks: Voices | None = None
    moderators: tuple[Moderator, ...] = ()
    """Who looks at questions before the model reads them, and at answers before people do."""
    stops: Stops = field(default_factory=Stops)
    recent_answers: RecentAnswers = field(default_factory=RecentAnswers)
    editor: MessageEditor = field(default_factory=MessageEditor)
    powers: Powers = field(default_factory=Powers)
    refusals: Refusals = field(default_factory=Refusals)
    file_reader: FileReader = field(default_factory=FileReader)
    stories: Stories = field(default_factory=Stories)
    metrics: Metrics = field(default_factory=Metrics)
    dispatcher: Dispatcher = field(init=False)
    commands: Sequence[AnyCommand] = ()
    avatar_emoji: AvatarEmoji = field(init=False)
    pressed: SeenMessages = field(default_factory=SeenMessages)
    """The last messages of answers that are made again or continued already: once is enough."""
    turns: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The channel and the stop's token of every turn that runs, by the turn's id."""
    journal: SqlJournal | None = None
    """Keeps what is needed to go on after the death of this process; `None` if that is not wanted."""
    cluster: BotCluster | None = None
    """The other processes of this bot; `None` if there are none."""
    clock: DiscordClock = field(default_factory=DiscordClock)
    """What time it is, for whatever depends on how long ago something was."""
    live_turns: set[str] = field(default_factory=set)
    """The turns of the journal that this process is busy with."""
    left_turns: bool = False
    """Whether this process has left a turn that somebody must go on with."""
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.avatar_emoji = AvatarEmoji(self.client, self.file_reader)
        self.moderators += self.config.moderation.moderators()

    def covers(self, guild: int) -> bool:
        """Whether this process answers on a server; 0 is direct messages."""
        return self.cluster is None or self.cluster.covers(guild)

    def provider(self, model: str = "") -> Provider:
        """The provider of a model, or of the first one."""
        return self.providers.get(model) or next(iter(self.providers.values()))

    def run_later(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a task that nobody waits for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def note_store_error(self, error: StoreError) -> None:
        """Log that the store could not keep or tell something about questions and answers."""
        _log.warning("the store failed: %s", error)

    async def finish_tasks(self, seconds: float) -> None:
        """Wait so many seconds for tasks of `run_later`, then cancel them."""
        if self._tasks:
            _, left = await asyncio.wait(set(self._tasks), timeout=seconds)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    @property
    def notice_look(self) -> NoticeLook:
        """How the bot's notices look, as the file says."""
        return "card" if self.config.settings.get("notices") == "card" else "embed"

    def locale(self, guild: discord.Guild | None) -> str:
        """The language of a server, or the configured one."""
        # Discord says en-US for every server whose owner never chose.
        chosen = str(guild.preferred_locale) if guild is not None else ""
        return self.config.locale if chosen in {"", "en-US"} else chosen

"""The interface between the bot and its coordinator, which decides which process answers.

A bot runs as one process (`SingleProcess`) or as several that share its shards and channels (`Cluster`).
The rest of the bot uses this interface and does not know which of the two it talks to.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

import aiohttp
import discord

from streamcord import RunningTurns, StopMode, StopOutcome, StopRequester
from streamcord.store import TurnJournal

from ..listening.dispatcher import Dispatcher
from ..messages.question import Question
from ..ops.metrics import Metrics
from ..state import BotState
from .journal import BotJournal

Recover: TypeAlias = Callable[[float, Callable[[], Awaitable[None]]], Awaitable[None]]
"""Resumes answers, then calls its second argument, then searches for questions missed since its first argument."""


class CoordinatedClient(discord.AutoShardedClient):
    """A Discord client that a coordinator can stop, and give messages of other processes to."""

    async def abandon(self) -> None:
        """Stop at once and send nothing more: another process resumes everything."""
        raise NotImplementedError

    async def receive_missed(self, message: discord.Message) -> None:
        """Handle a message that another process received no more."""
        raise NotImplementedError


class Coordinator(Protocol):
    """Decides which process answers what."""

    @property
    def journal(self) -> BotJournal:
        """The journal of this process."""

    @property
    def stops(self) -> RunningTurns:
        """The running answers that can be stopped."""

    @property
    def last_heartbeat(self) -> float:
        """When an earlier process of this bot was last alive; 0 if there was none."""

    @property
    def has_peers(self) -> bool:
        """Whether other processes may be answering for this bot right now."""

    # --- Life cycle ------------------------------------------------------------------------------

    def request_trace(self) -> aiohttp.TraceConfig | None:
        """Return a trace that checks every request of the client before it is sent."""

    def bind(self, bot: CoordinatedClient) -> None:
        """Set the client, before it connects."""

    def attach(self, dispatcher: Dispatcher, state: BotState, metrics: Metrics, recover: Recover) -> None:
        """Set the parts of the bot that exist after its login."""

    async def begin(self) -> None:
        """Acquire the right to answer if it is free."""

    async def run(self) -> None:
        """Send heartbeats until cancelled."""

    async def wait(self) -> None:
        """Wait until this process may answer."""

    async def retire(self) -> None:
        """Accept no more questions; running answers continue."""

    async def release(self) -> None:
        """Release the right to answer, so that the next process need not wait for a timeout."""

    # --- Shards ----------------------------------------------------------------------------------

    def on_ready(self) -> None:
        """Handle that all shards of this process are connected."""

    def on_shard_ready(self, shard: int) -> None:
        """Handle that the guilds of a shard are known."""

    async def launch_shards(self) -> bool:
        """Connect the shards of this process; false if discord.py should connect all of them."""

    async def identify_pause_of(self, shard: int) -> float | None:
        """Return the seconds to wait before a shard identifies; `None` leaves it to discord.py."""

    def owns_guild(self, guild: int) -> bool:
        """Return whether this process answers on a server; 0 is direct messages."""

    def is_assigned(self, guild: int) -> bool:
        """Return whether recovering the answers of a server is up to this process."""

    def may_have_missed(self, guild: int) -> bool:
        """Return whether messages of a server may have been missed before this recovery."""

    # --- Questions and answers -------------------------------------------------------------------

    async def claim(self, ids: list[int], question: Question) -> bool:
        """Claim the messages of a question; false if another process has claimed or answered them.

        Raises:
            Deferred: the person or server has too many answers in other processes.

        """

    async def may_resume(self, turn: TurnJournal) -> bool:
        """Return whether no other process has resumed this turn."""

    async def mark_answered(self, ids: list[int], timeout_s: float | None = None) -> None:
        """Record that these messages are answered; after the timeout it is finished in the background."""

    async def stop_elsewhere(
        self,
        channel: int,
        asker: StopRequester,
        mode: StopMode = StopMode.AFTER_THIS,
    ) -> StopOutcome:
        """Stop an answer that another process writes."""

    def follow_up(self, channel: int, author: int, message: int) -> None:
        """Notify the process that answers in this channel that the author wrote again."""

    def forward(self, kind: str, channel: int, **message: Any) -> None:  # noqa: ANN401 - JSON
        """Forward an edit or a deletion to the process that answers in this channel."""

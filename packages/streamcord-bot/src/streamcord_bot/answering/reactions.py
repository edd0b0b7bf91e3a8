"""Small reactions on the messages of people: heard, waiting, and taken over by a running answer.

A reaction that has to go away again is recorded before it is set, in a row of its own. So a process that takes over
removes it, whatever became of the question.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import discord

from streamcord import Settings
from streamcord.discord import RequestPriority, is_refusal, wait_for_request_slot
from streamcord.store import TurnJournal

from ..coordination.base import Coordinator
from ..discord_requests import REQUEST_ERRORS
from ..state import BotState
from .answer_journal import retry_chores

ACKNOWLEDGED = "👀"
"""The question was accepted, and its answer has not begun."""
WAITING = "⏳"
"""The follow-up waits for its turn."""
HEARD = "✏️"
"""The follow-up has reached the running answer; this one stays."""
REACTION = "reaction"
"""Kind of the journal rows about a reaction."""
REACTIONS = "reactions"
"""The key of a journal turn that is about a reaction only."""
MAX_IN_CHANNEL = 12
"""Reactions to remove in one channel at a time: Discord accepts about four a second. Further ones are left out."""

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _ShownReaction:
    """One reaction that is to be removed again."""

    channel: Any
    message: int
    emoji: str
    turn: TurnJournal | None
    # Set when it has to go away.
    is_over: asyncio.Event = field(default_factory=asyncio.Event)


class Reactions:
    """Sets reactions, and removes them again."""

    def __init__(self, client: discord.Client, coordinator: Coordinator, state: BotState) -> None:
        self._client = client
        self._coordinator = coordinator
        self._state = state
        # Reactions that are shown or being set, by message and emoji.
        self._shown: dict[tuple[int, str], _ShownReaction] = {}

    def add(self, channel: Any, message: int, emoji: str) -> None:  # noqa: ANN401 - of any kind
        """Set a reaction, which `remove` takes away again."""
        is_busy = sum(one.channel.id == channel.id for one in self._shown.values()) >= MAX_IN_CHANNEL
        if (message, emoji) in self._shown or is_busy or not _may_react(channel):
            return
        shown = _ShownReaction(channel, message, emoji, self._record(channel, message, emoji))
        self._shown[message, emoji] = shown
        self._state.run_later(self._show(shown))

    def remove(self, messages: Iterable[int], *emoji: str) -> None:
        """Remove reactions that `add` has set, also those that are being set right now; by default all of them."""
        for message in messages:
            for one in emoji or (ACKNOWLEDGED, WAITING):
                if (shown := self._shown.pop((message, one), None)) is not None:
                    shown.is_over.set()

    def mark_heard(self, channel: Any, messages: Iterable[int]) -> None:  # noqa: ANN401 - of any kind
        """Set the reaction of follow-ups that have reached an answer; it stays."""
        if _may_react(channel):
            for message in [*messages][:MAX_IN_CHANNEL]:
                self._state.run_later(self._set(channel, message, HEARD))

    def _record(self, channel: Any, message: int, emoji: str) -> TurnJournal | None:  # noqa: ANN401
        guild = getattr(channel, "guild", None)
        about = {
            "bot": self._client.user.id if self._client.user else 0,
            "turn": "",
            "channel": channel.id,
            "dm": guild is None,
            "guild": guild.id if guild else 0,
            "asked": [],
            REACTIONS: True,
        }
        turn = self._coordinator.journal.begin(held=True, **about)
        if turn is not None:
            self._state.owned_turn_ids.add(turn.id)
            turn.begin(Settings(), None, None)
            turn.mark(REACTION, message, emoji=emoji)
        return turn

    async def _show(self, shown: _ShownReaction) -> None:
        """Set a reaction and remove it when it is over; of one that is over already nothing is shown."""
        if shown.turn is not None:
            await shown.turn.flush()
        if not shown.is_over.is_set() and await self._set(shown.channel, shown.message, shown.emoji):
            await shown.is_over.wait()
            take = partial(remove_reaction, self._client, shown.channel, shown.message, shown.emoji)
            if not await take():
                await retry_chores([take])
        if self._shown.get((shown.message, shown.emoji)) is shown:
            del self._shown[shown.message, shown.emoji]
        if shown.turn is not None:
            shown.turn.close()
            self._state.owned_turn_ids.discard(shown.turn.id)

    async def _set(self, channel: Any, message: int, emoji: str) -> bool:  # noqa: ANN401 - of any kind
        """Set a reaction; false if Discord refuses it. After a lost connection it may be there."""
        if not await wait_for_request_slot(channel, RequestPriority.COURTESY):
            return False
        try:
            await channel.get_partial_message(message).add_reaction(emoji)
        except REQUEST_ERRORS as error:
            # It is an extra: people may have blocked the bot, or deleted the message.
            _log.debug("reacting to message %s failed: %s", message, type(error).__name__)
            return not (isinstance(error, discord.HTTPException) and is_refusal(error))
        return True


async def remove_reaction(client: discord.Client, channel: Any, message: int, emoji: str) -> bool:  # noqa: ANN401
    """Remove a reaction of ours; false if Discord could not be reached, so that it must be tried again."""
    assert client.user is not None
    try:
        if not await wait_for_request_slot(channel, RequestPriority.COURTESY):
            return False
        await channel.get_partial_message(message).remove_reaction(emoji, client.user)
    except REQUEST_ERRORS as error:
        # The message or the reaction is gone, or the bot may not see the channel any more.
        return isinstance(error, discord.HTTPException) and is_refusal(error)
    return True


def shown_reactions(turn: TurnJournal) -> list[tuple[int, str]]:
    """Return the reactions that a dead process has set or was setting: messages and emoji."""
    marks = turn.saved.marks if turn.saved else ()
    return [(one.message, str(one.more.get("emoji"))) for one in marks if one.kind == REACTION]


def _may_react(channel: Any) -> bool:  # noqa: ANN401 - of any kind
    """Return whether the bot may react; a refused request would count against its address."""
    me = getattr(getattr(channel, "guild", None), "me", None)
    if me is None:
        return True
    try:
        permissions = channel.permissions_for(me)
    except discord.ClientException:
        # The parent of a thread is not known.
        return False
    return bool(permissions.add_reactions and permissions.read_message_history)

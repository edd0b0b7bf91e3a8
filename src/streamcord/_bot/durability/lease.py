"""One process answers for a bot; a second one with the same store says so, stays quiet, and takes over."""

from __future__ import annotations

import asyncio
import logging

from streamcord import StoreError

from ..services import Services

__all__ = ["Lease"]

BEAT = 5.0
"""Seconds between two signs of life."""

_log = logging.getLogger("streamcord.bot")


class Lease:
    """The right to answer."""

    def __init__(self, services: Services, bot: int) -> None:
        self.is_ours = True
        self.last_sign = 0.0
        """When a process of this bot last lived before this one; 0 if none ever did."""
        self._services = services
        self._bot = bot
        self._taken = asyncio.Event()
        self._told = self._told_of_loss = False

    def covers(self, _guild: int) -> bool:
        """Whether this process answers on a server: on all of them, or on none."""
        return self.is_ours

    def note_ready(self) -> None:
        """Nothing depends on it."""

    async def retire(self) -> None:
        """Nobody else hears before this process has ended."""

    async def begin(self) -> None:
        """Take the place if it is free."""
        journal = self._services.journal
        if journal is None:
            return
        journal.claims.bot = self._bot
        try:
            self.last_sign = await journal.claims.last_sign(self._bot)
        except StoreError as error:
            self._services.note_store_error(error)
        await self._beat()

    async def run(self) -> None:
        """Give signs of life for ever."""
        while True:
            await asyncio.sleep(BEAT)
            await self._beat()

    async def wait(self) -> None:
        """Wait until the place is ours."""
        await self._taken.wait()

    async def release(self) -> None:
        """Give the place up, so that the next process need not wait."""
        journal = self._services.journal
        if journal is not None and self.is_ours:
            # Whoever takes over must find what is not over, and nothing else.
            await journal.settled()
            await journal.hand_over()
            try:
                await journal.claims.release(self._bot)
            except StoreError as error:
                self._services.note_store_error(error)

    async def _beat(self) -> None:
        journal = self._services.journal
        assert journal is not None
        if not journal.is_in_place and not self._told_of_loss:
            self._told_of_loss = True
            _log.error(
                "the database %s was deleted or moved while it was in use: put it back or restart the bot, "
                "what is written now is lost",
                self._services.config.store,
            )
        try:
            holder = await journal.claims.hold(self._bot)
        except StoreError as error:
            # A database that does not answer says nothing about others.
            self._services.note_store_error(error)
            holder = journal.claims.owner if self.is_ours else "?"
        self.is_ours = journal.is_heir = holder == journal.claims.owner
        if self.is_ours:
            self._taken.set()
            if self._told:
                _log.warning("the other process is gone: this one answers now")
        elif not self._told:
            _log.warning(
                "another process (%s) answers for this bot: this one stays quiet until it ends", holder
            )
            self._taken.clear()
        self._told = not self.is_ours

"""A line in the channel while a tool runs; it is removed when the answer goes on."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import discord

from streamcord import TextDelta, ToolCall

from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..texts import translate

__all__ = ["ToolProgress"]

PATIENCE = 1.0
"""A tool that is quicker than this is not worth a line."""
BREAK = 0.2
NAME_LENGTH = 40


class ToolProgress:
    """Shows a line when a tool of one answer takes more than a second, and removes it when text comes.

    No request of it is ever cancelled: discord.py does not take that well while it waits for a rate limit.
    """

    def __init__(self, channel: discord.abc.Messageable, locale: str, patience: float = PATIENCE) -> None:
        self._channel = channel
        self._locale = locale
        self._patience = patience
        self._tool = ""
        self._over = False
        self._news = asyncio.Event()
        self._line: discord.Message | None = None
        self._worker: asyncio.Task[None] | None = None

    def note(self, event: object) -> None:
        """Note an event of the model."""
        match event:
            case ToolCall(name=name):
                self._want(name)
            case TextDelta(text) if self._tool and text.strip():
                self._want("")
            case _:
                pass

    async def close(self) -> None:
        """Remove the line: the answer is over."""
        if self._worker is not None:
            self._over = True
            self._news.set()
            await self._worker

    def _want(self, tool: str) -> None:
        self._tool = tool
        self._news.set()
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while await self._is_wanted():
            # Whatever changes soon is not shown at all.
            if not await self._changes_within(BREAK if self._line else self._patience):
                await (self._show(self._tool) if self._tool else self._remove())
        await self._remove()

    async def _is_wanted(self) -> bool:
        """Wait for a change; false once the answer is over."""
        await self._news.wait()
        self._news.clear()
        return not self._over

    async def _changes_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        return self._news.is_set()

    async def _show(self, tool: str) -> None:
        name = "".join(letter for letter in tool if letter.isalnum() or letter in "_- ")[:NAME_LENGTH]
        text = f"-# {translate(self._locale, 'tool', tool=name)}"
        with suppress(*REQUEST_ERRORS):
            if self._line is None:
                self._line = await self._channel.send(text, silent=True, allowed_mentions=NO_PINGS)
            else:
                await self._line.edit(content=text, allowed_mentions=NO_PINGS)

    async def _remove(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            with suppress(*REQUEST_ERRORS):
                await line.delete()

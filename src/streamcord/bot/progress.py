"""One quiet line while tools run, which goes away by itself."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import discord

from streamcord import TextDelta, ToolCall

from .hand import NOBODY
from .notices import word

__all__ = ["Progress"]

PATIENCE = 1.0
"""A tool that is quicker than this is not worth a line."""
NAME_LENGTH = 40


class Progress:
    """Watches one answer; a line appears when a tool takes its time, and goes when words come."""

    def __init__(self, channel: discord.abc.Messageable, locale: str, patience: float = PATIENCE) -> None:
        self._channel = channel
        self._locale = locale
        self._patience = patience
        self._tool = ""
        self._news = asyncio.Event()
        self._line: discord.Message | None = None
        self._worker: asyncio.Task[None] | None = None

    def note(self, event: object) -> None:
        """Something that the model said."""
        match event:
            case ToolCall(name=name):
                self._want(name)
            case TextDelta(text) if self._tool and text.strip():
                self._want("")
            case _:
                pass

    async def close(self) -> None:
        """The answer is over."""
        if self._worker is None:
            return
        self._worker.cancel()
        with suppress(asyncio.CancelledError):
            await self._worker
        await self._remove()

    def _want(self, tool: str) -> None:
        self._tool = tool
        self._news.set()
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                # Whatever changes soon is not shown at all.
                async with asyncio.timeout(self._patience if self._line is None else 0.2):
                    await self._news.wait()
            except TimeoutError:
                with suppress(discord.HTTPException):
                    await (self._show(self._tool) if self._tool else self._remove())

    async def _show(self, tool: str) -> None:
        name = "".join(letter for letter in tool if letter.isalnum() or letter in "_- ")[:NAME_LENGTH]
        text = f"-# {word(self._locale, 'tool', tool=name)}"
        if self._line is None:
            self._line = await self._channel.send(text, silent=True, allowed_mentions=NOBODY)
        else:
            await self._line.edit(content=text, allowed_mentions=NOBODY)

    async def _remove(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            with suppress(discord.HTTPException):
                await line.delete()

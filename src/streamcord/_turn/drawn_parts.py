"""Draws what a message carries as values: tables become pictures, in a thread, or words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from .._core.layout.splitter import Splitter
from .._events import Message, Table
from .._render.renderer import Renderer, draw_files, find_renderers
from .._settings import Settings

__all__ = ["Studio"]


class Studio:
    """What is installed draws, unless other renderers are given."""

    def __init__(self, settings: Settings, renderers: Sequence[Renderer] | None) -> None:
        self._settings = settings
        self._renderers = renderers

    async def draw(self, message: Message) -> list[Message]:
        """The message as it is sent; several, if its words are too many for one."""
        if not any(isinstance(file, Table) for file in message.files):
            return [message]
        renderers = find_renderers() if self._renderers is None else self._renderers
        drawn = await asyncio.to_thread(draw_files, message, renderers)
        if len(drawn.content) <= self._settings.message_length:
            return [drawn]
        parts = Splitter(self._settings).split(drawn.content)
        return [
            replace(drawn, content=parts[0]),
            *(Message(part, speaker=drawn.speaker) for part in parts[1:]),
        ]

"""Draws what a message carries: tables and code blocks become pictures, in a thread, or stay words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from .._core.layout.splitter import Splitter
from .._events import Message, Table
from .._render.renderer import Renderer, draw_files
from .._settings import Settings

__all__ = ["PictureDrawer"]


class PictureDrawer:
    """Draws with the renderers that were given, then with what is installed."""

    def __init__(self, settings: Settings, renderers: Sequence[Renderer] | None) -> None:
        self._settings = settings
        self._renderers = renderers

    async def draw(self, message: Message) -> list[Message]:
        """The message as it is sent; several, if its words are too many for one."""
        has_table = any(isinstance(file, Table) for file in message.files)
        # Code is drawn only by renderers that somebody gave.
        if not (has_table or (self._renderers and message.content.startswith("```"))):
            return [message]
        drawn = await asyncio.to_thread(draw_files, message, self._renderers)
        if len(drawn.content) <= self._settings.message_length:
            return [drawn]
        parts = Splitter(self._settings).split(drawn.content)
        return [
            replace(drawn, content=parts[0]),
            *(Message(part, speaker=drawn.speaker) for part in parts[1:]),
        ]

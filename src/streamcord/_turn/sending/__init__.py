"""Who sends the messages of a turn, and what may be done to them on their way.

Tables and code blocks become pictures, drawn in a thread, or stay words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..._core.layout.reshape import join, resplit
from ..._core.layout.splitter import Splitter
from ..._delivery import Transport
from ..._delivery.courier import Courier, MessageTools
from ..._delivery.live.live_courier import LiveCourier
from ..._delivery.outbox import Pace
from ..._events import Message, Table
from ..._moderation.moderators import Moderator, check_text, words_of
from ..._render import Renderer, draw_files
from ..._settings import Settings
from ..event_router import EventRouter

if TYPE_CHECKING:
    from ..._journal.turn_journal import TurnJournal

__all__ = ["PictureDrawer", "make_courier", "message_tools"]


def make_courier(
    target: Transport,
    router: EventRouter,
    pace: Pace,
    settings: Settings,
    tools: MessageTools,
    *,
    typing: bool,
    journal: TurnJournal | None,
) -> Courier:
    """The courier for this kind of delivery; what somebody must see first is not shown while it grows."""
    kind = LiveCourier if settings.delivery == "live" and tools.screen is None else Courier
    typing = typing and settings.typing != "off"
    return kind(target, router.outbox, pace, router, tools, settings, typing=typing, journal=journal)


def message_tools(
    settings: Settings, renderers: Sequence[Renderer] | None, moderators: Sequence[Moderator] = ()
) -> MessageTools:
    """What the courier may need of the core, the renderers and the moderators, as plain functions."""

    async def screen(message: Message) -> str:
        return await check_text(moderators, words_of(message), "answer")

    return MessageTools(
        screen=screen if moderators else None,
        draw=PictureDrawer(settings, renderers).draw,
        resplit=lambda message, limit: resplit(message, limit, settings),
        join=lambda first, second: join(first, second, settings.message_length, settings),
    )


class PictureDrawer:
    """Draws with the renderers that were given, then with what is installed."""

    def __init__(self, settings: Settings, renderers: Sequence[Renderer] | None) -> None:
        self._settings = settings
        self._renderers = renderers

    async def draw(self, message: Message) -> list[Message]:
        """The message as it is sent; several, if its words are too many for one."""
        has_table = any(isinstance(file, Table) for file in message.files)
        # Code is drawn only by renderers that somebody gave.
        if not (has_table or (self._renderers and message.content.endswith("```"))):
            return [message]
        drawn = await asyncio.to_thread(
            draw_files, message, self._renderers, cards=self._settings.tables == "card"
        )
        if len(drawn.content) <= self._settings.message_length:
            return [drawn]
        parts = Splitter(self._settings).split(drawn.content)
        return [
            replace(drawn, content=parts[0]),
            *(Message(part, speaker=drawn.speaker) for part in parts[1:]),
        ]

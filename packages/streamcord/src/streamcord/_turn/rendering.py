"""Build the sender of a turn and the functions that it uses to render, split, join and moderate messages.

Tables, drawings and code blocks are rendered as images in a thread, or stay text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from .._delivery.clock import DeliveryClock
from .._delivery.live.sender import LiveSender
from .._delivery.sender import MessageSender, MessageTools
from .._delivery.transport import Transport
from .._events import Attachment, Message
from .._moderation import Moderator, check_text, readable_text
from .._render.drawing_renderer import drawable_kinds
from .._render.renderer import Renderer, draw_files
from .._settings import AnswerContext, Person, Persona, Settings
from .._text.layout.resplit_and_join import join, resplit
from .._text.layout.splitter import Splitter
from .event_router import EventRouter

if TYPE_CHECKING:
    from .._journal.turn_journal import TurnJournal

DrawingMode: TypeAlias = Literal["auto", "picture", "code"]


def choose_drawings(settings: Settings, renderers: Sequence[Renderer] | None = None) -> Settings:
    """Return the settings with `auto` decided: what can be drawn here is drawn."""
    if "auto" not in (settings.diagrams, settings.formulas):
        return settings
    able = frozenset[str]() if renderers is not None and not renderers else drawable_kinds()
    return replace(
        settings,
        diagrams=_choose(settings.diagrams, drawable="diagram" in able),
        formulas=_choose(settings.formulas, drawable="formula" in able),
    )


def _choose(setting: DrawingMode, *, drawable: bool) -> DrawingMode:
    if setting != "auto":
        return setting
    return "picture" if drawable else "code"


def make_sender(  # noqa: PLR0913
    target: Transport,
    router: EventRouter,
    clock: DeliveryClock,
    settings: Settings,
    tools: MessageTools,
    *,
    typing: bool,
    journal: TurnJournal | None,
    people: Sequence[Person] = (),
) -> MessageSender:
    """Return the sender for this kind of delivery; moderated answers are never shown live."""
    kind = LiveSender if settings.delivery == "live" and tools.screen is None else MessageSender
    typing = typing and settings.typing != "off"
    return kind(
        target, router.outbox, clock, router, tools, settings, typing=typing, journal=journal, people=people
    )


def message_tools(
    settings: Settings,
    context: AnswerContext,
    renderers: Sequence[Renderer] | None,
    moderators: Sequence[Moderator] = (),
) -> MessageTools:
    """Bind the text layout, renderers and moderators into plain functions for the sender."""

    async def screen(message: Message) -> str:
        return await check_text(moderators, readable_text(message), "answer")

    return MessageTools(
        screen=screen if moderators else None,
        draw=ImageDrawer(settings, renderers, context.persona).draw,
        resplit=lambda message, limit: resplit(message, limit, settings),
        join=lambda first, second: join(first, second, settings.message_length, settings),
    )


class ImageDrawer:
    """Render images with the given renderers, or with the installed ones."""

    def __init__(
        self, settings: Settings, renderers: Sequence[Renderer] | None, persona: Persona | None = None
    ) -> None:
        self._settings = settings
        self._persona = persona
        self._renderers = renderers

    async def draw(self, message: Message) -> list[Message]:
        """Return the message with its images; several messages if the text does not fit into one."""
        has_figure = any(not isinstance(file, Attachment) for file in message.files)
        # Code blocks are rendered only by renderers that the caller passed.
        if not (has_figure or (self._renderers and message.content.endswith("```"))):
            return [message]
        drawn = await asyncio.to_thread(
            draw_files, message, self._renderers, cards=self._settings.tables == "card"
        )
        if len(drawn.content) <= self._settings.message_length:
            return [drawn]
        parts = Splitter(self._settings, persona=self._persona).split(drawn.content)
        return [
            replace(drawn, content=parts[0]),
            *(Message(part, speaker=drawn.speaker) for part in parts[1:]),
        ]

"""Show messages in a terminal as Discord shows them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._preview.plain_output import Terminal, fail, mask_controls

if TYPE_CHECKING:
    from ._preview.rich_output import COLORS, QUIET, author, draw_content
    from ._settings import AnswerContext, Settings

__all__ = ["COLORS", "QUIET", "Terminal", "author", "draw_content", "fail", "mask_controls", "preview"]


def preview(text: str, settings: Settings | None = None, context: AnswerContext | None = None) -> str:
    """Return what an answer becomes, message by message, as `streamcord preview` prints it without colours.

    Args:
        text: The answer of a model.
        settings: How it is split and changed.
        context: Persona, people and emoji.

    Returns:
        The messages as text, for a log or a test.

    Example:
        print(preview(answer, Settings(degree=3)))

    """
    from ._preview.plain_output import draw_plain  # noqa: PLC0415
    from ._preview.planned_answer import plan  # noqa: PLC0415
    from ._settings import NO_CONTEXT, Settings  # noqa: PLC0415

    context = context or NO_CONTEXT
    name = context.persona.name if context.persona else "bot"
    return "\n".join(draw_plain(plan([text], settings or Settings(), 0, context), name))


def __getattr__(name: str) -> object:
    # rich is an extra, so it is imported when it is used.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("streamcord._preview.rich_output"), name)

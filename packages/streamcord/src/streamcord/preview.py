"""Show messages in a terminal as Discord shows them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._preview.plain_output import Terminal, fail, mask_controls

if TYPE_CHECKING:
    from ._preview.rich_output import COLORS, QUIET, author, draw_content

__all__ = ["COLORS", "QUIET", "Terminal", "author", "draw_content", "fail", "mask_controls"]


def __getattr__(name: str) -> object:
    # rich is an extra, so it is imported when it is used.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("streamcord._preview.rich_output"), name)

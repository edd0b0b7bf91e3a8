"""What an edit of a message that grows is made of: plain words, or a text of Components V2 if they are more.

A message is made plain, so that its push notification has words, and an edit turns it into one of Components
V2 when it passes what a plain one may hold. There is no way back: from then on every edit must be of that
kind (https://docs.discord.com/developers/components/reference).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord

from ..._events import Receipt
from ..._settings import DISCORD_LIMIT

__all__ = ["as_layout", "as_revision", "as_revision_json", "is_rich", "note_rich"]

V2_FLAG = 1 << 15
TEXT_DISPLAY = 10


def is_rich(receipt: Receipt, content: str) -> bool:
    """Whether a message is one of Components V2, or becomes one because only such can hold so much."""
    return "v2" in receipt.changes or len(content) > DISCORD_LIMIT


def note_rich(receipt: Receipt, content: str) -> Receipt:
    """The receipt of a message that was edited to say this."""
    if "v2" in receipt.changes or not is_rich(receipt, content):
        return receipt
    return replace(receipt, changes=(*receipt.changes, "v2"))


def as_revision(content: str, view: discord.ui.View | None = None, *, rich: bool) -> dict[str, Any]:
    """What discord.py needs for an edit; what is longer than a plain message becomes a text of Components V2.

    The buttons that it has must be said again then.
    https://docs.discord.com/developers/components/reference#text-display
    """
    if not rich and len(content) <= DISCORD_LIMIT:
        return {"content": content}
    return {"content": None, "embeds": [], "view": as_layout(content, view)}


def as_layout(content: str, view: discord.ui.View | None = None) -> discord.ui.LayoutView:
    """Words as a message of Components V2, with the buttons of a view in a row below them."""
    layout = discord.ui.LayoutView(timeout=None)
    layout.add_item(discord.ui.TextDisplay(content))
    if view is not None and view.children:
        layout.add_item(discord.ui.ActionRow(*view.children))
    return layout


def as_revision_json(content: str, view: discord.ui.View | None = None, *, rich: bool) -> dict[str, Any]:
    """The same as the body of a request."""
    if not rich and len(content) <= DISCORD_LIMIT:
        return {"content": content}
    text = {"type": TEXT_DISPLAY, "content": content}
    rows = view.to_components() if view is not None else []
    return {"content": None, "embeds": [], "flags": V2_FLAG, "components": [text, *rows]}

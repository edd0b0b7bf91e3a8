"""Cards: messages that are made of Components V2 from the beginning.

A table is a frame with its picture, its rows as text and its buttons; a notice is a frame alone, which no
model can write. The words of an answer stand outside of every frame, so that whoever reads a message back can
tell them from the rest. https://docs.discord.com/developers/components/reference
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord

from .._delivery.outbox import Parcel
from .._events import ALT_LENGTH, Attachment, Message
from .._settings import LIVE_LIMIT
from .request import file_name

__all__ = ["as_card", "as_card_json", "needs_frames"]

AMBER = 0xE0A030
_FENCE = "```\n{}\n```"
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


def needs_frames(message: Message) -> bool:
    """Whether only Components V2 can lay out the files of a message as they should be.

    Rows belong below their picture; several pictures of a plain message stand side by side, too small.
    """
    return len(message.files) > 1 or any(isinstance(one, Attachment) and one.rows for one in message.files)


def as_card(content: str, parcel: Parcel) -> discord.ui.LayoutView:
    """A message as a card; `content` is what it says, with the name of its speaker if that stands in it."""
    layout = discord.ui.LayoutView(timeout=None)
    files = [file for file in parcel.message.files if isinstance(file, Attachment)]
    if parcel.message.notice:
        words: discord.ui.Item[Any] = discord.ui.TextDisplay(content.removeprefix("-# "))
        layout.add_item(discord.ui.Container(words, *map(_as_file, files), accent_colour=AMBER))
    else:
        if content:
            layout.add_item(discord.ui.TextDisplay(content, id=parcel.name or None))
        for item in _frames(files, LIVE_LIMIT - len(content), parcel.below):
            layout.add_item(item)
    if parcel.view is not None and parcel.view.children:
        layout.add_item(discord.ui.ActionRow(*parcel.view.children))
    return layout


def as_card_json(content: str, parcel: Parcel) -> dict[str, Any]:
    """The same as parts of the body of a request; the flag of Components V2 is for the caller to add."""
    layout: Any = as_card(content, parcel)
    return {"content": None, "embeds": [], "components": layout.to_components()}


def _frames(
    files: Sequence[Attachment], room: int, below: discord.ui.View | None
) -> list[discord.ui.Item[Any]]:
    """Each file as an item; the buttons stand below the last picture, since each may be there once."""
    pictures = [file for file in files if file.rows]
    items: list[discord.ui.Item[Any]] = []
    for file in files:
        if not file.rows:
            items.append(_as_file(file))
            continue
        rows = _FENCE.format(file.rows.replace("```", "`\u200b``"))
        inner: list[discord.ui.Item[Any]] = [discord.ui.MediaGallery(_as_picture(file))]
        if len(rows) <= room:
            inner.append(discord.ui.TextDisplay(rows))
            room -= len(rows)
        if below is not None and file is pictures[-1]:
            inner.append(discord.ui.ActionRow(*below.children))
        items.append(discord.ui.Container(*inner))
    return items


def _as_picture(file: Attachment) -> discord.MediaGalleryItem:
    return discord.MediaGalleryItem(
        f"attachment://{file_name(file)}", description=file.alt[:ALT_LENGTH] or None, spoiler=file.spoiler
    )


def _as_file(file: Attachment) -> discord.ui.Item[Any]:
    if file.name.lower().endswith(_PICTURES):
        return discord.ui.MediaGallery(_as_picture(file))
    return discord.ui.File(f"attachment://{file_name(file)}", spoiler=file.spoiler)

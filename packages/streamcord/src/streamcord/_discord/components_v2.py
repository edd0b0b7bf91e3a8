"""Cards: messages that are created with Components V2.

A table is a container with its image, its rows as text and its buttons; a notice is a container alone, which
a model cannot imitate. The text of an answer is outside of every container, so that it can be distinguished when
a message is read back. https://docs.discord.com/developers/components/reference
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import discord

from .._common.control_characters import break_fences
from .._common.text_size import utf8_length
from .._delivery.outgoing import OutgoingMessage
from .._events import Attachment, Message
from .._events.message import MAX_ALT_CHARS
from .._settings import DISPLAY_BYTES, LIVE_LIMIT, LIVE_LIMIT_BYTES
from .attachments import file_name

AMBER = 0xE0A030
BUTTONS_PER_ROW = 5
_FENCE = "```\n{}\n```"
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


def needs_frames(message: Message) -> bool:
    """Whether only Components V2 can lay out the files of a message as they should be.

    Rows and the button for the source belong below their image; a plain message shows several images side by side,
    too small.
    """
    return len(message.files) > 1 or any(
        isinstance(one, Attachment) and one.is_framed for one in message.files
    )


def as_card(content: str, outgoing: OutgoingMessage) -> discord.ui.LayoutView:
    """Build a Components V2 message; `content` is its text, with the speaker's name if that is part of it."""
    layout = discord.ui.LayoutView(timeout=None)
    files = [file for file in outgoing.message.files if isinstance(file, Attachment)]
    if outgoing.message.notice:
        words: discord.ui.Item[Any] = discord.ui.TextDisplay(content.removeprefix("-# "))
        layout.add_item(discord.ui.Container(words, *map(_as_file, files), accent_colour=AMBER))
    else:
        if content:
            layout.add_item(discord.ui.TextDisplay(content, id=outgoing.message_tag or None))
        for item in _frames(files, content, outgoing.below):
            layout.add_item(item)
    for row in _rows(outgoing.view):
        layout.add_item(row)
    return layout


def with_buttons(message: discord.Message, view: discord.ui.View | None) -> discord.ui.LayoutView:
    """Return the layout of a Components V2 message with its buttons replaced.

    Args:
        message: The message as it is.
        view: The new buttons; `None` for none.

    Example:
        await message.edit(view=with_buttons(message, None))

    """
    layout = discord.ui.LayoutView.from_message(message, timeout=None)
    for item in [*layout.children]:
        if isinstance(item, discord.ui.ActionRow):
            layout.remove_item(item)
    for item in layout.walk_children():
        if isinstance(item, discord.ui.MediaGallery):
            item.items = [_as_own_file(one, message) for one in item.items]
    for row in _rows(view):
        layout.add_item(row)
    return layout


def _rows(view: discord.ui.View | None) -> Iterator[discord.ui.ActionRow[Any]]:
    """Yield the rows of a view: each has five buttons, or one menu."""
    children = view.children if view is not None else []
    width = 1 if any(isinstance(one, discord.ui.Select) for one in children) else BUTTONS_PER_ROW
    for at in range(0, len(children), width):
        yield discord.ui.ActionRow(*children[at : at + width])


def _as_own_file(item: discord.MediaGalleryItem, message: discord.Message) -> discord.MediaGalleryItem:
    """Return a gallery picture by its file name, because Discord's attachment URLs expire.

    https://docs.discord.com/developers/reference#signed-attachment-cdn-urls
    """
    place = item.media.url.partition("?")[0]
    name = next((one.filename for one in message.attachments if one.url.partition("?")[0] == place), "")
    if not name:
        return item
    return discord.MediaGalleryItem(
        f"attachment://{name}", description=item.description, spoiler=item.spoiler
    )


def as_card_json(content: str, outgoing: OutgoingMessage) -> dict[str, Any]:
    """Return the same as parts of a request body; the caller adds the Components V2 flag."""
    layout: Any = as_card(content, outgoing)
    return {"content": None, "embeds": [], "components": layout.to_components()}


def _frames(
    files: Sequence[Attachment], content: str, below: discord.ui.View | None
) -> list[discord.ui.Item[Any]]:
    """Each file as an item; the buttons stand below the last picture, since each may be there once.

    Rows are left out where the message has no space for them: its texts are limited in characters and in bytes.
    """
    max_chars = LIVE_LIMIT - len(content)
    max_bytes = LIVE_LIMIT_BYTES - DISPLAY_BYTES - utf8_length(content)
    pictures = [file for file in files if file.is_framed]
    items: list[discord.ui.Item[Any]] = []
    for file in files:
        if not file.is_framed:
            items.append(_as_file(file))
            continue
        rows = _FENCE.format(break_fences(file.rows)) if file.rows else ""
        inner: list[discord.ui.Item[Any]] = [discord.ui.MediaGallery(_as_picture(file))]
        size = utf8_length(rows) + DISPLAY_BYTES
        if rows and len(rows) <= max_chars and size <= max_bytes:
            inner.append(discord.ui.TextDisplay(rows))
            max_chars -= len(rows)
            max_bytes -= size
        if below is not None and file is pictures[-1]:
            inner.append(discord.ui.ActionRow(*below.children))
        items.append(discord.ui.Container(*inner))
    return items


def _as_picture(file: Attachment) -> discord.MediaGalleryItem:
    return discord.MediaGalleryItem(
        f"attachment://{file_name(file)}", description=file.alt[:MAX_ALT_CHARS] or None, spoiler=file.spoiler
    )


def _as_file(file: Attachment) -> discord.ui.Item[Any]:
    if file.name.lower().endswith(_PICTURES):
        return discord.ui.MediaGallery(_as_picture(file))
    return discord.ui.File(f"attachment://{file_name(file)}", spoiler=file.spoiler)

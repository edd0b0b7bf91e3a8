"""The line that says to whom a webhook's message answers, since webhooks cannot reply.

It travels with the first message, as an embed: one request, and no notice is ever left alone in the channel.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .appearance import Costume

if TYPE_CHECKING:
    import discord

__all__ = ["add_notice"]

CONTENT_LENGTH = 2000
_NAME_LENGTH = 200


def add_notice(costume: Costume, target: discord.Message, *, embeds: bool = True) -> Costume | None:
    """The costume with a link to the message that is answered, or `None` if there is no room for one.

    Where embeds are hidden, it is a small line above the text.
    """
    name = " ".join(target.author.display_name.split())[:_NAME_LENGTH]
    if embeds:
        author = {"name": f"↩ {name}", "url": target.jump_url, "icon_url": target.author.display_avatar.url}
        return replace(costume, embeds=(*costume.embeds, {"author": author}))
    content = f"-# ↩ [{_plain(name)}](<{target.jump_url}>)\n{costume.content}"
    return replace(costume, content=content) if len(content) <= CONTENT_LENGTH else None


def _plain(name: str) -> str:
    """A name that can end neither its link nor its line, and mentions nobody."""
    return "".join(one for one in name if one.isalnum() or one in " _-.") or "message"

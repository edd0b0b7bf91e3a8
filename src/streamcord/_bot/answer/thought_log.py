"""The model's thoughts in a channel of their own: quiet, linked to the answer, never of direct messages."""

from __future__ import annotations

import logging

import discord

from streamcord import TurnResult

from .message_edits import NOBODY
from .notices import word
from .request_failures import TROUBLE

__all__ = ["as_embeds", "post_thoughts"]

EMBED_LENGTH = 4096
"""https://docs.discord.com/developers/resources/message#embed-object-embed-limits ."""
EMBED_CAP = 8
"""A model that thinks longer is cut; nobody reads further."""

_log = logging.getLogger("streamcord._bot")


def as_embeds(result: TurnResult, name: str, locale: str) -> list[discord.Embed]:
    """The thoughts of one answer, each part as long as Discord allows."""
    thoughts = result.thoughts
    text = "\n\n".join(part for part in (thoughts.summary, thoughts.raw) if part)
    if not text:
        return []
    parts = _parts(text)
    title = f"{word(locale, 'thoughts')}: {name}"[:256]
    embeds = [discord.Embed(title=title, description=parts[0], url=result.first_url or None)]
    embeds += [discord.Embed(description=part) for part in parts[1:EMBED_CAP]]
    footer = [word(locale, "thought_for", seconds=f"{thoughts.duration:.1f}")] if thoughts.duration else []
    footer += [thoughts.served_by] if thoughts.served_by else []
    if footer:
        embeds[-1].set_footer(text=" · ".join(footer)[:2048])
    return embeds


async def post_thoughts(
    client: discord.Client, channel_id: int, result: TurnResult, name: str, locale: str
) -> None:
    """Post them; a channel that is gone or closed to us is skipped."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, discord.abc.Messageable):
        return
    try:
        for embed in as_embeds(result, name, locale):
            await channel.send(embed=embed, silent=True, allowed_mentions=NOBODY)
    except TROUBLE as error:
        _log.warning("the thought log in channel %s was refused: %s", channel_id, type(error).__name__)


def _parts(text: str) -> list[str]:
    """Pieces of an embed's length, cut at a newline or a space if there is one."""
    parts = []
    while len(text) > EMBED_LENGTH:
        cut = max(text.rfind("\n", 1, EMBED_LENGTH), 0) or text.rfind(" ", 1, EMBED_LENGTH)
        cut = cut if cut > EMBED_LENGTH // 2 else EMBED_LENGTH
        parts.append(text[:cut])
        text = text[cut:].lstrip("\n ")
    return [*parts, text] if text else parts

"""Post the thoughts of a model in a channel of their own, as embeds."""

from __future__ import annotations

import logging

import discord

from streamcord import Settings, TurnResult
from streamcord.utils import make_links_safe

from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate

_log = logging.getLogger(__name__)

MAX_EMBED_CHARS = 4096
"""https://docs.discord.com/developers/resources/message#embed-object-embed-limits ."""
MAX_EMBEDS = 8
"""Longer thoughts are cut."""


def thought_embeds(
    result: TurnResult, name: str, locale: str, settings: Settings | None = None
) -> list[discord.Embed]:
    """Return the thoughts of an answer as embeds, split at Discord's limit; links follow the settings."""
    # Cut first: the model decides how long they are.
    thoughts, text = result.thoughts, make_links_safe(shown_thoughts(result), settings or Settings())
    if not text:
        return []
    parts = _parts(text)
    title = f"{translate(locale, 'thoughts')}: {name}"[:256]
    embeds = [discord.Embed(title=title, description=parts[0], url=result.first_url or None)]
    embeds += [discord.Embed(description=part) for part in parts[1:MAX_EMBEDS]]
    footer = (
        [translate(locale, "thought_for", seconds=f"{thoughts.duration:.1f}")] if thoughts.duration else []
    )
    footer += [thoughts.served_by] if thoughts.served_by else []
    if footer:
        embeds[-1].set_footer(text=" · ".join(footer)[:2048])
    return embeds


def shown_thoughts(result: TurnResult) -> str:
    """Return the thoughts of an answer, cut to the length that embeds can show."""
    return _thoughts(result)[: MAX_EMBEDS * MAX_EMBED_CHARS]


def _thoughts(result: TurnResult) -> str:
    return "\n\n".join(part for part in (result.thoughts.summary, result.thoughts.raw) if part)


async def post_thoughts(
    client: discord.Client, channel_id: int, result: TurnResult, name: str, locale: str, settings: Settings
) -> None:
    """Post the thoughts of an answer in a channel; does nothing if the channel is gone or not accessible."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, discord.abc.Messageable):
        return
    try:
        for embed in thought_embeds(result, name, locale, settings):
            await channel.send(embed=embed, silent=True, allowed_mentions=NO_PINGS)
    except REQUEST_ERRORS as error:
        _log.warning("posting thoughts in channel %s failed: %s", channel_id, type(error).__name__)


def _parts(text: str) -> list[str]:
    """Split a text into pieces that fit an embed, at a newline, else at a space, else anywhere."""
    parts = []
    while len(text) > MAX_EMBED_CHARS:
        # A break in the first half would leave the embed mostly empty, so it does not count.
        half = MAX_EMBED_CHARS // 2
        cuts = (text.rfind(mark, half, MAX_EMBED_CHARS + 1) for mark in ("\n", " "))
        cut = next((at for at in cuts if at > 0), MAX_EMBED_CHARS)
        parts.append(text[:cut])
        text = text[cut:].lstrip("\n ")
    return [*parts, text] if text else parts

"""What stays of an answer: labels of looks, sources of tables, memory, the thought log."""

from __future__ import annotations

import logging

import discord

from streamcord import Table, TurnResult
from streamcord._shared.bounded_cache import BoundedCache
from streamcord.store import Memory

from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..services import Services
from ..texts import translate
from .answer_plan import AnswerPlan, or_default

__all__ = ["AnswerMemory", "post_thoughts", "thought_embeds"]

TABLE_CAP = 20
"""Tables of a channel whose source can be asked for."""
CHANNEL_CAP = 1000

_log = logging.getLogger("streamcord.bot")


class AnswerMemory:
    """Stores what later answers need to know of an answer."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._tables: BoundedCache[int, list[str]] = BoundedCache(CHANNEL_CAP)

    def tables_of(self, channel: int) -> list[str]:
        """The sources of the tables that were shown in a channel, the newest last."""
        return self._tables.peek(channel) or []

    async def keep(self, plan: AnswerPlan, result: TurnResult) -> None:
        """Store labels, tables and memory, and post the thoughts; an error here never fails the answer."""
        if plan.question.discarded:
            await self._services.editor.delete_messages(plan.channel, [one.id for one in result.receipts])
            return
        await or_default(self._store(plan, result), None)
        thoughts = plan.channel_config.thought_log
        if thoughts and plan.channel_config.place.guild and thoughts != plan.question.channel:
            name = plan.channel_config.persona.name
            await post_thoughts(self._services.client, thoughts, result, name, plan.locale)

    async def _store(self, plan: AnswerPlan, result: TurnResult) -> None:
        store, receipts = self._services.store, result.receipts
        labels = {
            one.id: one.message.speaker.label
            for one in receipts
            if one.message.speaker and one.message.speaker.label and "no_voice" not in one.changes
        }
        if labels:
            await store.label_messages(labels)
        for one in receipts:
            for table in one.message.files:
                if isinstance(table, Table):
                    self._note_table(plan.question.channel, table.source)
                    await store.keep_table(one.id, table.source)
        if receipts:
            ids = tuple(one.id for one in receipts)
            name, place = plan.channel_config.persona.name, plan.channel_config.place
            await store.remember(Memory(name, place, result.text, ids, result.details, plan.question.owner))

    def _note_table(self, channel: int, source: str) -> None:
        known = self._tables.find_or_make(channel, list)
        known.append(source)
        del known[:-TABLE_CAP]


EMBED_LENGTH = 4096
"""https://docs.discord.com/developers/resources/message#embed-object-embed-limits ."""
EMBED_CAP = 8
"""A model that thinks longer is cut; nobody reads further."""


def thought_embeds(result: TurnResult, name: str, locale: str) -> list[discord.Embed]:
    """The thoughts of an answer as embeds, split at Discord's limit."""
    thoughts = result.thoughts
    text = "\n\n".join(part for part in (thoughts.summary, thoughts.raw) if part)
    if not text:
        return []
    parts = _parts(text)
    title = f"{translate(locale, 'thoughts')}: {name}"[:256]
    embeds = [discord.Embed(title=title, description=parts[0], url=result.first_url or None)]
    embeds += [discord.Embed(description=part) for part in parts[1:EMBED_CAP]]
    footer = (
        [translate(locale, "thought_for", seconds=f"{thoughts.duration:.1f}")] if thoughts.duration else []
    )
    footer += [thoughts.served_by] if thoughts.served_by else []
    if footer:
        embeds[-1].set_footer(text=" · ".join(footer)[:2048])
    return embeds


async def post_thoughts(
    client: discord.Client, channel_id: int, result: TurnResult, name: str, locale: str
) -> None:
    """Post the thoughts of an answer in a channel; does nothing if the channel is gone or closed to us."""
    channel = client.get_channel(channel_id)
    if not isinstance(channel, discord.abc.Messageable):
        return
    try:
        for embed in thought_embeds(result, name, locale):
            await channel.send(embed=embed, silent=True, allowed_mentions=NO_PINGS)
    except REQUEST_ERRORS as error:
        _log.warning("the thought log in channel %s was refused: %s", channel_id, type(error).__name__)


def _parts(text: str) -> list[str]:
    """Split a text into pieces that fit an embed, at a newline or a space if there is one."""
    parts = []
    while len(text) > EMBED_LENGTH:
        cut = max(text.rfind("\n", 1, EMBED_LENGTH), 0) or text.rfind(" ", 1, EMBED_LENGTH)
        cut = cut if cut > EMBED_LENGTH // 2 else EMBED_LENGTH
        parts.append(text[:cut])
        text = text[cut:].lstrip("\n ")
    return [*parts, text] if text else parts

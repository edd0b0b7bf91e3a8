"""What a press on a button below an answer does, and for whom."""

from __future__ import annotations

from typing import Any

import discord

from streamcord import StopAnswer

from ..conversation.channel_queue import Ask, Kind
from ..conversation.message_reader import Reader
from ..conversation.scene import place_of
from ..services import Services
from .asker import asker_of
from .notices import word
from .request_failures import TROUBLE
from .send_notice import answer_quietly

__all__ = ["Presses"]

ANSWER_CAP = 50
"""Messages that an answer from before a restart may have."""
_KINDS = {"again": Kind.REGENERATE, "more": Kind.CONTINUE}


class Presses:
    """Obeys the buttons of one bot."""

    def __init__(self, services: Services, reader: Reader) -> None:
        self._services = services
        self._reader = reader

    async def press(self, interaction: discord.Interaction[Any], act: str, owner: int, mark: str) -> None:
        """Somebody pressed; only the answer's owner and moderators may."""
        locale, asker = str(interaction.locale), asker_of(interaction)
        if act == "stop":
            await self._stop(interaction, mark, locale)
        elif asker.id != owner and not asker.moderator:
            await answer_quietly(interaction, word(locale, "not_yours", owner=f"<@{owner}>"))
        else:
            # It may take longer than Discord waits, and nothing new is to be shown.
            await interaction.response.defer()
            await self._ask(interaction, act, owner, int(mark, 16), locale)

    async def _stop(self, interaction: discord.Interaction[Any], turn: str, locale: str) -> None:
        channel, token = self._services.turns.get(turn, (0, 0))
        answer = await self._services.stops.ask(channel, asker_of(interaction), token=token)
        if answer is StopAnswer.ACCEPTED:
            await interaction.response.defer()
            return
        key = "nothing" if answer is StopAnswer.NOTHING else "not_yours"
        await answer_quietly(interaction, word(locale, key, owner=word(locale, "who_asked")))

    async def _ask(
        self, interaction: discord.Interaction[Any], act: str, owner: int, question: int, locale: str
    ) -> None:
        """Have the question answered again, or its answer continued."""
        channel, pressed = interaction.channel, interaction.message
        if not isinstance(channel, discord.abc.Messageable) or pressed is None:
            return
        try:
            message = await channel.fetch_message(question)
        except TROUBLE:
            await answer_quietly(interaction, word(locale, "no_question"))
            return
        answered = self._services.archive.find(pressed.id)
        ids = answered.ids if answered else await self._find_answer(channel, question, pressed.id)
        # Once is enough: a second press finds no button.
        await self._services.hand.dress(channel, pressed.id, None, voiced=pressed.webhook_id is not None)
        scene = await self._services.scenes.glance(*place_of(channel))
        self._services.desk.put(Ask(owner, [self._reader.read(message)], _KINDS[act], replaces=ids), scene)

    async def _find_answer(
        self, channel: discord.abc.Messageable, question: int, last: int
    ) -> tuple[int, ...]:
        """The messages of an answer that we do not remember: all of ours between the question and its end."""
        after, before = discord.Object(question), discord.Object(last + 1)
        between = [one async for one in channel.history(limit=ANSWER_CAP, after=after, before=before)]
        return tuple(one.id for one in between if self._reader.is_own(one) and one.content)

"""Messages of the bot itself beside an answer: notices and private replies.

No text quotes an error of a provider or of Discord: it may contain secrets, and does not help the readers of a channel.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from typing import Any, Literal, TypeAlias

import discord

from streamcord import (
    ChannelGone,
    ContentBlocked,
    Moderated,
    NotAllowed,
    Overloaded,
    ProviderError,
    RateLimited,
    Rejected,
    Truncated,
)
from streamcord.discord import wait_for_request_slot

from ..budget.limits import BudgetRefusal
from ..config.bot_config import BotConfig
from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate

__all__ = [
    "NoticeLook",
    "NoticeStyle",
    "as_frame",
    "find_notice",
    "refusal_text",
    "reply_privately",
    "send_notice",
    "try_notice",
    "turn_down",
]

_NOTICES: tuple[tuple[type[BaseException], str], ...] = (
    (RateLimited, "rate_limited"),
    (Overloaded, "overloaded"),
    (ContentBlocked, "blocked"),
    (Truncated, "truncated"),
    (Rejected, "rejected"),
    (ProviderError, "provider"),
    (TimeoutError, "timeout"),
    (Moderated, ""),
    (ChannelGone, ""),
    (NotAllowed, ""),
)


_REFUSALS = {
    "person": "budget_person",
    "server": "budget_server",
    "all": "budget_all",
    "model": "budget_model",
}


def refusal_text(locale: str, refusal: BudgetRefusal) -> str:
    """Why nothing is asked of the model now, and when to come back; Discord counts the time down."""
    return translate(locale, _REFUSALS[refusal.reason], when=f"<t:{ceil(refusal.until)}:R>")


def find_notice(error: BaseException) -> str:
    """The key of the text that tells people of an error; empty if there is nowhere to say it."""
    return next((key for kind, key in _NOTICES if isinstance(error, kind)), "failed")


# A notice that Discord refuses is logged and dropped: no answer may fail because of it.

AMBER = 0xE0A030
NoticeLook: TypeAlias = Literal["embed", "card"]
"""A card needs no right to embed links; where Discord refuses it, it is an embed."""


@dataclass(frozen=True, slots=True)
class NoticeStyle:
    """The language and the appearance of the bot's notices."""

    default_locale: str
    look: NoticeLook = "embed"

    @classmethod
    def of(cls, config: BotConfig) -> NoticeStyle:
        """Return the style that the configuration file asks for."""
        return cls(config.locale, "card" if config.settings.get("notices") == "card" else "embed")

    def locale(self, guild: discord.Guild | None) -> str:
        """Return the language of a server, or the configured one."""
        # Discord reports en-US for every server whose owner never chose a language.
        chosen = str(guild.preferred_locale) if guild is not None else ""
        return self.default_locale if chosen in {"", "en-US"} else chosen


_log = logging.getLogger(__name__)


async def send_notice(
    channel: discord.abc.Messageable,
    text: str,
    reply_to: discord.Message | discord.PartialMessage | None = None,
    look: NoticeLook = "embed",
) -> discord.Message | None:
    """Send a silent notice, in a frame that no model can write; `None` if Discord refused it."""
    if not await wait_for_request_slot(channel):
        return None
    try:
        return await _send_notice(channel, text, reply_to, look=look)
    except REQUEST_ERRORS as error:
        _log.warning("a notice was refused: %s", type(error).__name__)
        return None


async def try_notice(
    channel: discord.abc.Messageable,
    text: str,
    reply_to: discord.Message | discord.PartialMessage | None = None,
    nonce: str | None = None,
    look: NoticeLook = "embed",
) -> bool:
    """Send a notice; false if Discord could not be reached, so that it should be tried again later.

    Under the same nonce it is there once, however often it is tried.
    """
    try:
        if not await wait_for_request_slot(channel):
            return False
        await _send_notice(channel, text, reply_to, nonce, look)
    except REQUEST_ERRORS as error:
        status = getattr(error, "status", HTTPStatus.INTERNAL_SERVER_ERROR)
        _log.warning("a notice was not taken: %s", type(error).__name__)
        return status < HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.TOO_MANY_REQUESTS
    return True


async def _send_notice(
    channel: discord.abc.Messageable,
    text: str,
    reply_to: discord.Message | discord.PartialMessage | None,
    nonce: str | None = None,
    look: NoticeLook = "embed",
) -> discord.Message:
    more: Any = {"reference": reply_to.to_reference(fail_if_not_exists=False)} if reply_to else {}
    more |= {"nonce": nonce} if nonce else {}
    if look == "card":
        try:
            return await channel.send(view=as_frame(text), silent=True, allowed_mentions=NO_PINGS, **more)
        except discord.HTTPException as error:
            if error.status != HTTPStatus.BAD_REQUEST:
                raise
    embed = discord.Embed(description=text, colour=AMBER)
    return await channel.send(embed=embed, silent=True, allowed_mentions=NO_PINGS, **more)


def as_frame(text: str) -> discord.ui.LayoutView:
    """Words in a coloured frame of Components V2."""
    layout = discord.ui.LayoutView(timeout=None)
    layout.add_item(discord.ui.Container(discord.ui.TextDisplay(text), accent_colour=AMBER))
    return layout


async def reply_privately(interaction: discord.Interaction[Any], text: str) -> None:
    """Reply to a command or a button so that only its user sees it."""
    try:
        if interaction.response.is_done():
            await interaction.followup.send(text, ephemeral=True, allowed_mentions=NO_PINGS)
        else:
            await interaction.response.send_message(text, ephemeral=True, allowed_mentions=NO_PINGS)
    except REQUEST_ERRORS as error:
        # Too late, or answered elsewhere: nothing that a person could do about it.
        _log.info("an interaction was not answered: %s", type(error).__name__)


async def turn_down(interaction: discord.Interaction[Any], text: str) -> None:
    """Tell only its user why a command is not carried out, of which nothing was shown yet.

    What follows a deferral is as public as that was, so it goes first: else anybody could make the bot talk.
    """
    if interaction.response.is_done():
        with suppress(*REQUEST_ERRORS):
            await interaction.delete_original_response()
    await reply_privately(interaction, text)

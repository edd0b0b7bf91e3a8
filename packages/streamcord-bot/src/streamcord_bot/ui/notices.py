"""Send messages of the bot itself beside an answer: notices and private replies.

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
    RequestRejected,
    Truncated,
)
from streamcord.discord import is_refusal, wait_for_request_slot

from ..budget.limits import BudgetRefusal
from ..config import BotConfig
from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate

_NOTICES: tuple[tuple[type[BaseException], str], ...] = (
    (RateLimited, "rate_limited"),
    (Overloaded, "overloaded"),
    (ContentBlocked, "blocked"),
    (Truncated, "truncated"),
    (RequestRejected, "rejected"),
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
    """Return why the budget refuses a question and when to come back; Discord shows the time as a countdown."""
    return translate(locale, _REFUSALS[refusal.reason], when=f"<t:{ceil(refusal.until)}:R>")


def notice_key(error: BaseException) -> str:
    """Return the locale key of the notice about an error; empty if the channel cannot receive one."""
    return next((key for kind, key in _NOTICES if isinstance(error, kind)), "failed")


# A notice that Discord rejects is logged and dropped: an answer must not fail because of it.

NOTICE_COLOUR = 0xE0A030
NoticeLayout: TypeAlias = Literal["embed", "card"]
"""A card (Components V2) needs no permission to embed links; where Discord rejects it, an embed is sent."""


@dataclass(frozen=True, slots=True)
class NoticeStyle:
    """The language and the appearance of the bot's notices."""

    default_locale: str
    layout: NoticeLayout = "embed"

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
    layout: NoticeLayout = "embed",
) -> discord.Message | None:
    """Send a silent notice in a layout that a model cannot produce; `None` if Discord rejected it."""
    if not await wait_for_request_slot(channel):
        return None
    try:
        return await _send_notice(channel, text, reply_to, layout=layout)
    except REQUEST_ERRORS as error:
        _log.warning("sending a notice %s failed, giving up: %s", _where(channel), type(error).__name__)
        return None


def _where(channel: discord.abc.Messageable) -> str:
    """Return the place of a notice for the log; a command's reply has no channel id."""
    id_ = getattr(channel, "id", None)
    return f"in channel {id_}" if id_ else "as a reply"


async def try_notice(
    channel: discord.abc.Messageable,
    text: str,
    reply_to: discord.Message | discord.PartialMessage | None = None,
    nonce: str | None = None,
    layout: NoticeLayout = "embed",
) -> bool:
    """Send a notice; returns false if Discord could not be reached, so that the caller should retry later.

    Repeated attempts with the same nonce create one message only.
    """
    try:
        if not await wait_for_request_slot(channel):
            return False
        await _send_notice(channel, text, reply_to, nonce, layout)
    except REQUEST_ERRORS as error:
        # A refusal is final: a retry would fail the same way.
        is_final = isinstance(error, discord.HTTPException) and is_refusal(error)
        then = "Discord refuses it" if is_final else "retrying later"
        _log.warning("sending a notice %s failed, %s: %s", _where(channel), then, type(error).__name__)
        return is_final
    return True


async def _send_notice(
    channel: discord.abc.Messageable,
    text: str,
    reply_to: discord.Message | discord.PartialMessage | None,
    nonce: str | None = None,
    layout: NoticeLayout = "embed",
) -> discord.Message:
    # The question may have been deleted: send the notice without a reply then.
    more: Any = {"reference": reply_to.to_reference(fail_if_not_exists=False)} if reply_to else {}
    more |= {"nonce": nonce} if nonce else {}
    if layout == "card":
        try:
            return await channel.send(view=as_container(text), silent=True, allowed_mentions=NO_PINGS, **more)
        except discord.HTTPException as error:
            if error.status != HTTPStatus.BAD_REQUEST:
                raise
    # Components V2 are not possible here, or not wanted.
    embed = discord.Embed(description=text, colour=NOTICE_COLOUR)
    return await channel.send(embed=embed, silent=True, allowed_mentions=NO_PINGS, **more)


def as_container(text: str) -> discord.ui.LayoutView:
    """Return a text in a coloured container of Components V2."""
    layout = discord.ui.LayoutView(timeout=None)
    layout.add_item(discord.ui.Container(discord.ui.TextDisplay(text), accent_colour=NOTICE_COLOUR))
    return layout


async def reply_privately(interaction: discord.Interaction[Any], text: str) -> None:
    """Reply to a command or a button so that only its user sees it."""
    try:
        # An interaction has one response; after that only follow-ups are possible.
        if interaction.response.is_done():
            await interaction.followup.send(text, ephemeral=True, allowed_mentions=NO_PINGS)
        else:
            await interaction.response.send_message(text, ephemeral=True, allowed_mentions=NO_PINGS)
    except REQUEST_ERRORS as error:
        # The token has expired or the interaction was answered already; the user can do nothing about it.
        _log.info("interaction %s: sending the reply failed: %s", interaction.id, type(error).__name__)


async def refuse_privately(interaction: discord.Interaction[Any], text: str) -> None:
    """Reply privately why a command is refused, if nothing of its answer was shown yet.

    A follow-up to a deferred reply is as public as the deferral, so the deferred reply is deleted first.
    """
    if interaction.response.is_done():
        with suppress(*REQUEST_ERRORS):
            await interaction.delete_original_response()
    await reply_privately(interaction, text)

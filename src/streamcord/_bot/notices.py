"""What the bot says and does beside its answers: texts, notices, private replies, buttons, deletions.

Its texts are in the language of the people: a file each in `locales/`, English where a line is missing.
No text quotes an error of a provider or of Discord: those may hold secrets, and help nobody who reads them in
a channel.
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from math import ceil
from typing import Any, Literal, TypeAlias

import aiohttp
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
from streamcord.discord import RequestPriority, wait_for_request_slot

from .budget.spending_rules import BudgetRefusal

__all__ = [
    "LOCALES",
    "NO_PINGS",
    "REQUEST_ERRORS",
    "MessageEditor",
    "NoticeLook",
    "as_frame",
    "find_notice",
    "read_locale",
    "refusal_text",
    "reply_privately",
    "send_notice",
    "translate",
    "try_notice",
]

LOCALES = ("en", "de", "es", "fr", "ja", "pt", "zh")

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


@cache
def read_locale(language: str) -> Mapping[str, str]:
    """All texts of a language by their keys; empty if we do not have it."""
    if language not in LOCALES:
        return {}
    return tomllib.loads((files(__package__) / "locales" / f"{language}.toml").read_text(encoding="utf-8"))


def translate(locale: str, key: str, /, **values: object) -> str:
    """The text of a key in a language, or in English, with its gaps filled; `pt-BR` reads as `pt`."""
    language = locale.partition("-")[0].lower()
    return (read_locale(language).get(key) or read_locale("en")[key]).format(**values)


def refusal_text(locale: str, refusal: BudgetRefusal) -> str:
    """Why nothing is asked of the model now, and when to come back; Discord counts the time down."""
    return translate(locale, _REFUSALS[refusal.reason], when=f"<t:{ceil(refusal.until)}:R>")


def find_notice(error: BaseException) -> str:
    """The key of the text that tells people of an error; empty if there is nowhere to say it."""
    return next((key for kind, key in _NOTICES if isinstance(error, kind)), "failed")


# --- Requests beside the answers ------------------------------------------------------------------------
#
# What Discord refuses here is logged and left: no answer may fail because of it. A bot cannot edit or delete
# what its webhook said; the webhook can.
# https://docs.discord.com/developers/resources/webhook#edit-webhook-message


REQUEST_ERRORS = (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError)
"""For `except`: whatever keeps a courtesy from being done."""


AMBER = 0xE0A030
NoticeLook: TypeAlias = Literal["embed", "card"]
"""A card needs no right to embed links; where Discord refuses it, it is an embed."""

_log = logging.getLogger("streamcord.bot")


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


NO_PINGS = discord.AllowedMentions.none()


def _as_layout(words: str, view: discord.ui.View | None) -> discord.ui.LayoutView:
    """Words with buttons below them, as a message of Components V2 has them."""
    layout = discord.ui.LayoutView(timeout=None)
    layout.add_item(discord.ui.TextDisplay(words))
    if view is not None:
        layout.add_item(discord.ui.ActionRow(*view.children))
    return layout


def _with_buttons(message: discord.Message, view: discord.ui.View | None) -> discord.ui.LayoutView:
    """A message of Components V2 as it is, with these buttons below it and no others."""
    layout = discord.ui.LayoutView.from_message(message, timeout=None)
    for item in [*layout.children]:
        if isinstance(item, discord.ui.ActionRow):
            layout.remove_item(item)
    for item in layout.walk_children():
        if isinstance(item, discord.ui.MediaGallery):
            item.items = [_as_own_file(one, message) for one in item.items]
    if view is not None:
        layout.add_item(discord.ui.ActionRow(*view.children))
    return layout


def _as_own_file(item: discord.MediaGalleryItem, message: discord.Message) -> discord.MediaGalleryItem:
    """A picture of a gallery by its name: addresses that Discord hands out soon lead nowhere."""
    place = item.media.url.partition("?")[0]
    name = next((one.filename for one in message.attachments if one.url.partition("?")[0] == place), "")
    if not name:
        return item
    return discord.MediaGalleryItem(
        f"attachment://{name}", description=item.description, spoiler=item.spoiler
    )


class MessageEditor:
    """Changes and deletes messages that the bot sent, itself or through its webhooks."""

    def __init__(self) -> None:
        self._webhooks: dict[int, discord.Webhook] = {}

    async def set_buttons(
        self,
        channel: discord.abc.Messageable,
        id_: int,
        view: discord.ui.View | None,
        *,
        by_webhook: bool = False,
        words: str = "",
        card: bool = False,
        shown: discord.Message | None = None,
    ) -> bool:
        """Set or remove (`None`) the buttons of a message, sent `by_webhook` or not; false if that failed.

        A message of Components V2 is all components: its `words` must be said again, and a `card` is read
        first, unless the message is `shown`.
        """
        if not await wait_for_request_slot(channel, RequestPriority.COURTESY):
            return False
        rich: Any = _as_layout(words, view) if words and not card else view
        try:
            shown = await channel.fetch_message(id_) if card and shown is None else shown
            if shown is not None and shown.flags.components_v2:
                rich = _with_buttons(shown, view)
            if not by_webhook:
                message = channel.get_partial_message(id_)  # type: ignore[attr-defined]
                await message.edit(view=rich, allowed_mentions=NO_PINGS)
                return True
            webhook = await self._find_webhook(channel)
            if webhook is not None:
                more: Any = {"thread": channel} if isinstance(channel, discord.Thread) else {}
                await webhook.edit_message(id_, view=rich, allowed_mentions=NO_PINGS, **more)
                return True
        except (*REQUEST_ERRORS, ValueError) as error:
            self._forget_webhook(channel)
            _log.debug("no buttons on message %s: %s", id_, type(error).__name__)
        return False

    async def delete_messages(self, channel: discord.abc.Messageable, ids: Iterable[int]) -> None:
        """Delete messages of the bot or of its webhooks."""
        for id_ in ids:
            await wait_for_request_slot(channel, RequestPriority.COURTESY)
            await self._delete_message(channel, id_)

    async def _delete_message(self, channel: discord.abc.Messageable, id_: int) -> None:
        try:
            try:
                await channel.get_partial_message(id_).delete()  # type: ignore[attr-defined]
            except discord.Forbidden:
                webhook = await self._find_webhook(channel)
                if webhook is not None:
                    more: Any = {"thread": channel} if isinstance(channel, discord.Thread) else {}
                    await webhook.delete_message(id_, **more)
        except REQUEST_ERRORS as error:
            _log.debug("message %s stays: %s", id_, type(error).__name__)

    async def _find_webhook(self, channel: discord.abc.Messageable) -> discord.Webhook | None:
        home: Any = channel.parent if isinstance(channel, discord.Thread) else channel
        if home is None or not hasattr(home, "webhooks"):
            return None
        if home.id not in self._webhooks:
            me = home.guild.me
            own = [one for one in await home.webhooks() if one.token and one.user and one.user.id == me.id]
            if not own:
                return None
            self._webhooks[home.id] = own[0]
        return self._webhooks[home.id]

    def _forget_webhook(self, channel: discord.abc.Messageable) -> None:
        home: Any = channel.parent if isinstance(channel, discord.Thread) else channel
        self._webhooks.pop(getattr(home, "id", 0), None)

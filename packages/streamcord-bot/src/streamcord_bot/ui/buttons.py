"""Buttons below an answer: stop while it is written; again, continue and the choice of a variant afterwards.

The `custom_id` of a button holds all that a press needs: the action, the owner of the answer, and the turn or
question. So buttons also work after a restart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, Self, TypeAlias

import discord

from streamcord import Receipt

from ..i18n import translate
from .message_editor import MessageEditor

_EMOJI = {"stop": "⏹️", "again": "🔁", "more": "⏩", "table": "📄"}


class AnswerButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=re.compile(
        r"sc:(?P<action>stop|again|more|table|show):(?P<owner>[0-9]{1,20}):(?P<target>[0-9a-f]{1,20})"
        r"(?::(?P<number>[1-9]))?"
    ),
):
    """One button below an answer."""

    def __init__(
        self,
        action: str,
        owner: int,
        target: str,
        locale: str = "en",
        *,
        number: int = 0,
        label: str = "",
        primary: bool = False,
    ) -> None:
        self.action = action
        self.owner = owner
        self.target = target
        # The variant that `show` chooses, from 1.
        self.number = number
        style = discord.ButtonStyle.primary if primary else discord.ButtonStyle.secondary
        super().__init__(
            discord.ui.Button(
                label=label or translate(locale, action),
                emoji=_EMOJI.get(action),
                style=style,
                custom_id=f"sc:{action}:{owner}:{target}" + (f":{number}" if number else ""),
            )
        )

    @classmethod
    async def from_custom_id(
        cls, _: discord.Interaction[Any], __: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Rebuild a button from its id, after a restart too."""
        number = int(match["number"] or 0)
        return cls(match["action"], int(match["owner"]), match["target"], number=number, label="-")

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Pass the press on to the bot."""
        await interaction.client.press(interaction, self.action, self.owner, self.target, self.number)


AnyButton: TypeAlias = AnswerButton | discord.ui.Button[Any]


def answer_buttons(
    owner: int, target: str, locale: str, number: int = 0, count: int = 0, *, edited: bool = False
) -> list[AnyButton]:
    """Return the buttons below a complete answer: ◀ 2/3 ▶ if it has variants, then again and continue.

    Args:
        owner: the user who asked.
        target: the id of the question in hexadecimal.
        locale: the language of the labels.
        number: the variant that is shown, from 1.
        count: how many variants there are.
        edited: whether the question was edited, so that a new answer is offered.

    """
    label = translate(locale, "again_edited") if edited else ""
    again = AnswerButton("again", owner, target, locale, label=label, primary=edited)
    more = AnswerButton("more", owner, target, locale)
    if count < 2:
        return [again, more]
    left = AnswerButton("show", owner, target, number=number - 1, label="◀") if number > 1 else _label("◀")
    right = (
        AnswerButton("show", owner, target, number=number + 1, label="▶") if number < count else _label("▶")
    )
    return [left, _label(f"{number}/{count}"), right, again, more]


def _label(text: str) -> discord.ui.Button[Any]:
    """Return a button that cannot be pressed."""
    return discord.ui.Button(label=text, disabled=True, custom_id=f"sc:{text}")


def make_buttons(*buttons: AnyButton) -> discord.ui.View:
    """Return a row of buttons that works as long as its message exists."""
    view = discord.ui.View(timeout=None)
    for button in buttons:
        view.add_item(button)
    return view


class ButtonMark(Protocol):
    """Called with a message before it gets a stop button."""

    def __call__(self, message: int, *, by_webhook: bool) -> None:
        """Record that this message gets a stop button."""


class StopButton:
    """The buttons of one answer: the first message is sent with a stop button, which is removed at the end.

    If the last message is known to be the last when it is sent, it is sent with its final buttons. So an answer needs
    at most two extra requests for buttons, and mostly one or none.
    """

    def __init__(
        self,
        editor: MessageEditor,
        channel: discord.abc.Messageable,
        stop: AnswerButton,
        mark: ButtonMark | None = None,
        last: Sequence[AnyButton] = (),
    ) -> None:
        self._mark = mark
        # Sent with the first message.
        self.view = make_buttons(stop)
        # Sent with the last message if the answer ends well.
        self.last_view = make_buttons(*last) if last else None
        self._last_ids = _ids(last)
        # Where the answer goes; `begun` and `ended`, if it has them, are the messages that were sent with `view` and
        # `last_view`.
        self.transport: object = None
        self._editor = editor
        self._channel = channel
        self._first: Receipt | None = None
        self._last: Receipt | None = None
        # The message that shows a question, whose buttons have replaced others; 0 if there is none.
        self._asked = 0

    def on_event(self, event: object) -> None:
        """Track the messages of the turn; a receipt is a new message, or an edit of a live one."""
        # A question has buttons of its own, which the row must not replace.
        if isinstance(event, Receipt) and event.message.ask is not None:
            self._asked = event.id
        elif isinstance(event, Receipt):
            self._last = event
            # In a resumed answer, the first receipts may be those of another process, which has had its own button.
            begins = self._first is None or event.id == getattr(self.transport, "begun", 0) != self._first.id
            if begins and self._mark is not None:
                self._mark(event.id, by_webhook=_is_by_webhook(event))
            if begins or (self._first is not None and self._first.id == event.id):
                self._first = event

    async def finish(self, *buttons: AnyButton) -> bool:
        """Replace the stop button by these buttons below the complete answer; false if it must be tried again."""
        first, last = self._first, self._last
        if first is None or last is None:
            return True
        is_done = True
        ended = getattr(self.transport, "ended", 0)
        # The first message still has its stop button.
        if first.id not in {last.id, ended, self._asked}:
            is_done = await self._set_buttons(first, None)
        has = self._last_ids if ended == last.id else ["stop"] if first.id == last.id else []
        # Skip the request if the last message already has the right buttons.
        if has != _ids(buttons) and last.id != self._asked:
            is_done &= await self._set_buttons(last, make_buttons(*buttons) if buttons else None)
        return is_done

    async def _set_buttons(self, receipt: Receipt, view: discord.ui.View | None) -> bool:
        """Set the buttons of a message; false if it must be tried again."""
        changes, message = receipt.changes, receipt.message
        # A message with a speaker may contain more than its text: a name, or a link to the question.
        more = bool({"card", "unsure"} & {*changes}) or ("v2" in changes and message.speaker is not None)
        outcome = await self._editor.set_buttons(
            self._channel,
            receipt.id,
            view,
            by_webhook=_is_by_webhook(receipt),
            # An edit whose response was lost may have added text.
            words=message.content if "v2" in changes and "unsure" not in changes else "",
            card=more,
        )
        return outcome.is_final


def _ids(buttons: Iterable[AnyButton]) -> list[str]:
    return [button.custom_id or "" for button in buttons]


def _is_by_webhook(receipt: Receipt) -> bool:
    return receipt.message.speaker is not None and "no_webhook" not in receipt.changes

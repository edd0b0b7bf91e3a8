"""The buttons, the menu and the form of an `Ask`, and what a person pressed.

The `custom_id` of a component holds the id of the row that keeps the question, and the number of the option. So a
press is recognized after a restart, too. https://docs.discord.com/developers/components/reference
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import discord

from .._events import Ask, Message
from .._events.ask import MAX_FIELD_LABEL_CHARS
from .components_v2 import BUTTONS_PER_ROW

_CUSTOM_ID = re.compile(r"sc:ask:(?P<id>[0-9a-f]{1,32}):(?P<part>menu|form[0-9]{1,2}|[0-9]{1,2})")
_STYLES = {
    "plain": discord.ButtonStyle.secondary,
    "main": discord.ButtonStyle.primary,
    "good": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}


@dataclass(frozen=True, slots=True)
class AskPress:
    """What a person pressed, chose or sent."""

    id: str
    """The row of the question."""
    indexes: tuple[int, ...]
    """Numbers of the chosen options."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What was typed into a form."""
    is_form: bool = False
    """Whether a form was sent."""


def ask_view(ask: Ask) -> discord.ui.View:
    """Return the components of a question; presses arrive as interactions, not at the view."""
    view = discord.ui.View(timeout=None)
    if ask.menu:
        options = [
            discord.SelectOption(label=one.label, value=str(index), description=one.description or None)
            for index, one in enumerate(ask.options)
        ]
        most = len(options) if ask.several else 1
        view.add_item(discord.ui.Select(custom_id=f"sc:ask:{ask.id}:menu", options=options, max_values=most))
    for index, one in enumerate(() if ask.menu else ask.options):
        view.add_item(
            discord.ui.Button(
                label=one.label,
                style=_STYLES[one.style],
                custom_id=f"sc:ask:{ask.id}:{index}",
                row=index // BUTTONS_PER_ROW,
            )
        )
    # discord.py would keep a view that is not stopped until the process ends.
    view.stop()
    return view


def ask_modal(ask: Ask, index: int) -> discord.ui.Modal:
    """Return the form of an option."""
    option = ask.options[index]
    modal = discord.ui.Modal(
        title=option.label[:MAX_FIELD_LABEL_CHARS], custom_id=f"sc:ask:{ask.id}:form{index}", timeout=None
    )
    for one in option.fields:
        style = discord.TextStyle.paragraph if one.long else discord.TextStyle.short
        modal.add_item(
            discord.ui.TextInput(
                label=one.title,
                custom_id=one.name,
                style=style,
                required=one.required,
                max_length=one.max_chars,
            )
        )
    # As for the view: a form that is opened and never sent would be kept.
    modal.stop()
    return modal


def find_ask_id(message: discord.Message) -> str:
    """Return the id of the question whose buttons or menu a message has; empty without any.

    Args:
        message: The message.

    Example:
        if not find_ask_id(message):
            await message.edit(view=None)

    """
    for row in message.components:
        for one in getattr(row, "children", ()):
            if match := _CUSTOM_ID.fullmatch(str(getattr(one, "custom_id", ""))):
                return match["id"]
    return ""


def embed_text(message: discord.Message) -> str:
    """Return the text of the first embed; empty without one."""
    return next((one.description or "" for one in message.embeds), "")


def shows_ask(message: discord.Message, planned: Message) -> bool:
    """Return whether a message is that of a question, which may be answered already: then a line was added to it."""
    if planned.ask is None:
        return False
    shown = (message.content or embed_text(message)).strip()
    return find_ask_id(message) == planned.ask.id or shown.startswith(planned.content.strip())


def read_press(interaction: discord.Interaction[Any]) -> AskPress | None:
    """Return what was pressed; `None` if the interaction belongs to no question."""
    data: Mapping[str, Any] = interaction.data or {}
    match = _CUSTOM_ID.fullmatch(str(data.get("custom_id", "")))
    if match is None:
        return None
    part = match["part"]
    if interaction.type is discord.InteractionType.modal_submit:
        if not part.startswith("form"):
            return None
        inputs = dict(_inputs(data.get("components") or ()))
        return AskPress(match["id"], (int(part.removeprefix("form")),), inputs, is_form=True)
    if part == "menu":
        chosen = [str(one) for one in data.get("values") or () if str(one).isdecimal()]
        return AskPress(match["id"], tuple(int(one) for one in chosen if len(one) <= 2))
    return AskPress(match["id"], (int(part),)) if part.isdecimal() else None


def _inputs(components: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each field; Discord puts each into a row or a label."""
    for one in components:
        if not isinstance(one, Mapping):
            continue
        inner = one.get("components") or ([one["component"]] if one.get("component") else [])
        yield from _inputs(inner)
        if isinstance(one.get("value"), str):
            yield str(one.get("custom_id", "")), one["value"]

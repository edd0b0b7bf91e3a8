"""Find what a dead process left in a channel besides words: stop buttons and progress lines.

The journal records both, but a process may die between sending a message and recording it. So the channel itself is
read, from the question on.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import discord

from streamcord.discord import RequestPriority, is_refusal, wait_for_request_slot

from ..ui.buttons import AnswerButton

MAX_MESSAGES = 100
"""Messages after a question that are looked at."""


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Messages of an interrupted answer that must change before it is resumed."""

    buttons: tuple[discord.Message, ...] = ()
    """Messages with a stop button."""
    lines: tuple[int, ...] = ()
    """Progress lines."""


async def find_leftovers(
    channel: discord.abc.Messageable, asked: int, owner: int, running: Collection[str], lines: Collection[str]
) -> Leftovers:
    """Read a channel from a question on; nothing is found where the history may not be read.

    Args:
        channel: where the answer was written.
        asked: the newest message of the question.
        owner: the user who asked; their name is part of the button.
        running: turns that this process is answering: their buttons work.
        lines: the texts of progress lines that were being sent.

    """
    await wait_for_request_slot(channel, RequestPriority.CONTEXT)
    try:
        after = discord.Object(asked)
        found = [one async for one in channel.history(limit=MAX_MESSAGES, after=after, oldest_first=True)]
    except discord.HTTPException as error:
        if not is_refusal(error):
            raise
        return Leftovers()
    own = [one for one in found if one.author.bot]
    return Leftovers(
        tuple(one for one in own if _has_dead_button(one, owner, running)),
        tuple(one.id for one in own if one.content and one.content in lines),
    )


def _has_dead_button(message: discord.Message, owner: int, running: Collection[str]) -> bool:
    """Return whether a message has the stop button of an answer to this user that no one is writing."""
    for item in _components(message):
        match = AnswerButton.__discord_ui_compiled_template__.fullmatch(
            getattr(item, "custom_id", None) or ""
        )
        if match and match["action"] == "stop" and int(match["owner"]) == owner:
            return match["target"] not in running
    return False


def _components(message: discord.Message) -> list[Any]:
    """Return the components of a message, with those inside of rows."""
    rows: list[Any] = list(message.components)
    return [*rows, *(child for row in rows for child in getattr(row, "children", ()))]

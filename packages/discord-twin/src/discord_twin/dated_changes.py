"""Dated changes of Discord: which behaviour a twin has `as_of` a day.

A row says since when Discord behaves as the default of an option does, and how it behaved before. A bot is tested
before a change with the date of the day before it: `TwinOptions(as_of="2026-11-15")`.
"""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

__all__ = ["CHANGES", "Change", "behaviour_before", "parse_day"]


class Change(NamedTuple):
    """One change of Discord that bots notice.

    Attributes:
        since: The first day of the new behaviour.
        option: The field of `TwinOptions`; its default is the new behaviour.
        before: Its value before that day.
        summary: What changed, in one sentence.
        source: Where Discord or its users say so.

    Example:
        for change in CHANGES:
            print(change.since, change.summary)

    """

    since: date
    option: str
    before: Any
    summary: str
    source: str


CHANGES = (
    Change(
        date(2026, 2, 23),
        "pin_permission",
        "manage_messages",
        "Pinning needs the permission Pin Messages instead of Manage Messages.",
        "https://docs.discord.com/developers/change-log",
    ),
    Change(
        date(2026, 3, 3),
        "max_menu_commands",
        5,
        "An application may have 15 commands in the menus of messages and of users, instead of 5.",
        "https://docs.discord.com/developers/interactions/application-commands#registering-a-command",
    ),
    Change(
        date(2026, 4, 14),
        "forward_needs_content",
        False,
        "A bot cannot forward a message whose content it may not read (160014).",
        "https://docs.discord.com/developers/change-log",
    ),
    Change(
        date(2026, 6, 24),
        "max_pins",
        50,
        "A channel may have 250 pinned messages, instead of 50.",
        "https://docs.discord.com/developers/change-log",
    ),
    Change(
        date(2026, 8, 20),
        "v2_text_bytes",
        0,
        "A Components V2 message with more than about 10 170 bytes of text is refused.",
        "https://github.com/discord/discord-api-docs/issues/8554",
    ),
    Change(
        date(2026, 11, 16),
        "obfuscate_channels",
        False,
        "Channels that a bot may not view come without name, topic and last message.",
        "https://docs.discord.com/developers/resources/channel#obfuscated-channels",
    ),
)
"""All dated changes, the oldest first."""


def behaviour_before(day: date) -> dict[str, Any]:
    """Return the options that differ from the defaults on a day."""
    return {change.option: change.before for change in CHANGES if day < change.since}


def parse_day(text: str) -> date:
    """Return a day that is written as `2026-11-16`.

    Raises:
        ValueError: It is not written so.

    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no day; write it as 2026-11-16") from None

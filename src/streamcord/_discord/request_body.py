"""The parts of a request, as discord.py takes them."""

from __future__ import annotations

import io

import discord

from .._delivery.parcel import Pings
from .._events import Attachment, Message

__all__ = ["as_allowed", "as_file", "as_files", "put_name", "safe_name"]

MENTION_CAP = 100
"""People that Discord lets one message allow to be pinged, at most."""
NAME_CAP = 100
"""Characters of a file's name that are kept."""

_BLOCKS = frozenset("#>-*`|+0123456789")


def as_files(message: Message) -> list[discord.File]:
    """The files of a message, with their alt texts."""
    return [as_file(file) for file in message.files if isinstance(file, Attachment)]


def as_file(file: Attachment) -> discord.File:
    """One file; its name is a name and no path, and hides nothing."""
    return discord.File(io.BytesIO(file.content), safe_name(file.name), description=file.alt[:1024] or None)


def safe_name(name: str) -> str:
    """The last part of a path, without what Discord takes for a sign of its own."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(letter for letter in last if letter.isprintable()).lstrip(".")
    while plain.startswith("SPOILER_"):
        plain = plain.removeprefix("SPOILER_")
    stem, dot, ending = plain.rpartition(".")
    kept = f"{stem[: NAME_CAP - 1 - len(ending)]}{dot}{ending}" if len(ending) < 16 else plain[:NAME_CAP]
    return kept[-NAME_CAP:].strip() or "file"


def as_allowed(pings: Pings) -> discord.AllowedMentions:
    """Every field said, so that no default of the client or of Discord fills a gap."""
    users: bool | list[discord.Object]
    if isinstance(pings.users, bool):
        users = pings.users
    else:
        users = [discord.Object(user) for user in dict.fromkeys(pings.users)][:MENTION_CAP]
    return discord.AllowedMentions(
        everyone=False, users=users, roles=pings.roles, replied_user=pings.replied_user
    )


def put_name(name: str, content: str) -> str:
    """Who says it, in front: on a line of its own where the text needs the start of a line."""
    if not name:
        return content
    gap = "\n" if content[:1] in _BLOCKS else " "
    return f"**{discord.utils.escape_markdown(name)}:**{gap}{content}".rstrip()

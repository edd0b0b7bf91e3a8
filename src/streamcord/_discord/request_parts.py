"""The parts of a request: files and their names, who may be pinged, a name in front of the words."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import discord

from .._delivery.error_codes import ErrorCode
from .._delivery.outbox import Pings
from .._errors import Refused
from .._events import ALT_LENGTH, Attachment, Message
from .._settings import DISCORD_LIMIT

__all__ = [
    "as_allowed",
    "as_file",
    "as_files",
    "as_named_files",
    "content_with_name",
    "describe_files",
    "file_name",
    "put_name",
    "safe_name",
]


MENTION_CAP = 100
"""People that Discord lets one message allow to be pinged, at most."""
NAME_CAP = 100
"""Characters of a file's name that are kept."""
_BLOCKS = frozenset("#>-*`|+0123456789")


def as_files(message: Message) -> list[discord.File]:
    """The files of a message, with their alt texts."""
    return [as_file(file) for file in message.files if isinstance(file, Attachment)]


def as_named_files(files: Iterable[object]) -> list[Attachment]:
    """The same for a request of ours, under the names by which Discord knows them."""
    return [replace(file, name=file_name(file)) for file in files if isinstance(file, Attachment)]


def describe_files(files: Sequence[Attachment]) -> list[dict[str, Any]]:
    """What a request says about the files that it brings."""
    return [
        {"id": number, "filename": file.name} | ({"description": file.alt[:ALT_LENGTH]} if file.alt else {})
        for number, file in enumerate(files)
    ]


def as_file(file: Attachment) -> discord.File:
    """One file, under a safe name."""
    return discord.File(io.BytesIO(file.content), file_name(file), description=file.alt[:ALT_LENGTH] or None)


def file_name(file: Attachment) -> str:
    """The name that a file is sent under; Discord covers what its prefix says is a spoiler."""
    return ("SPOILER_" if file.spoiler else "") + safe_name(file.name)


def safe_name(name: str) -> str:
    """The last part of a path, without control characters and without Discord's spoiler prefix."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(letter for letter in last if letter.isprintable()).lstrip(".")
    while plain.startswith("SPOILER_"):
        plain = plain.removeprefix("SPOILER_")
    stem, dot, ending = plain.rpartition(".")
    kept = f"{stem[: NAME_CAP - 1 - len(ending)]}{dot}{ending}" if len(ending) < 16 else plain[:NAME_CAP]
    return kept[-NAME_CAP:].strip() or "file"


def as_allowed(pings: Pings) -> discord.AllowedMentions:
    """The allowed mentions with every field set, so that no default of the client or of Discord applies."""
    users: bool | list[discord.Object]
    if isinstance(pings.users, bool):
        users = pings.users
    else:
        users = [discord.Object(user) for user in dict.fromkeys(pings.users)][:MENTION_CAP]
    return discord.AllowedMentions(
        everyone=False, users=users, roles=pings.roles, replied_user=pings.replied_user
    )


def content_with_name(name: str, content: str) -> str:
    """As `put_name`; raises `Refused` with the length that fits if the name leaves too little room."""
    named = put_name(name, content)
    if len(named) > DISCORD_LIMIT:
        room = DISCORD_LIMIT - len(named) + len(content)
        raise Refused(
            "too long with its name", code=ErrorCode.INVALID_FORM_BODY, fields=("content",), limit=room
        )
    return named


def put_name(name: str, content: str) -> str:
    """The text with the speaker's name in front, on a line of its own if the text starts a block."""
    if not name:
        return content
    gap = "\n" if content[:1] in _BLOCKS else " "
    return f"**{discord.utils.escape_markdown(name)}:**{gap}{content}".rstrip()

"""Convert attachments into files of discord.py, and into the JSON of our own requests."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import discord

from .._events import Attachment, Message
from .._events.message import MAX_ALT_CHARS

NAME_CAP = 100
"""Characters of a file's name that are kept."""


def as_files(message: Message) -> list[discord.File]:
    """The files of a message, with their alt texts."""
    return [as_file(file) for file in message.files if isinstance(file, Attachment)]


def with_safe_names(files: Iterable[object]) -> list[Attachment]:
    """The same for a request of ours, under the names by which Discord knows them."""
    return [replace(file, name=file_name(file)) for file in files if isinstance(file, Attachment)]


def describe_files(files: Sequence[Attachment]) -> list[dict[str, Any]]:
    """What a request says about the files that it brings."""
    return [
        {"id": number, "filename": file.name}
        | ({"description": file.alt[:MAX_ALT_CHARS]} if file.alt else {})
        # The name begins with SPOILER_ for clients that do not know this field.
        | ({"is_spoiler": True} if file.spoiler else {})
        for number, file in enumerate(files)
    ]


def as_file(file: Attachment) -> discord.File:
    """One file, under a safe name."""
    return discord.File(
        io.BytesIO(file.content), file_name(file), description=file.alt[:MAX_ALT_CHARS] or None
    )


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

"""Read the content of a message besides its text: forwards, embeds, polls, stickers and system messages.

Each becomes a `MessagePart`, which the prompt puts into brackets. All of it comes from untrusted users and may be of
any size, so every text is cut before it is joined to another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import isfinite

import discord

MAX_DURATION_S = 24 * 3600
"""The sender sets the length of a voice message; a longer one is shown as a day."""
MAX_PART_CHARS = 4000
"""Longer parts are cut."""
MAX_PARTS = 10
"""Further parts of a message are dropped."""
MAX_DEPTH = 5
"""Discord allows components three deep."""

_EMOJI = re.compile(r"<a?:(\w{1,64}):\d{1,24}>", re.ASCII)
_SPACE = re.compile(r"\s+")
_LINK_CARDS = frozenset({"link", "article", "video", "gifv", "image"})
_SYSTEM_TYPES = frozenset({
    discord.MessageType.new_member,
    discord.MessageType.pins_add,
    discord.MessageType.recipient_add,
    discord.MessageType.recipient_remove,
    discord.MessageType.channel_name_change,
    discord.MessageType.thread_created,
    discord.MessageType.premium_guild_subscription,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class MessagePart:
    """One part of a message: its kind (`poll`) and its text."""

    kind: str
    text: str


def read_parts(message: discord.Message) -> tuple[MessagePart, ...]:
    """Return all parts of a message besides its own text and files."""
    found = (
        *_read_forwards(message),
        *_read_embeds(message.embeds),
        *_read_poll(message.poll),
        *_read_stickers(message.stickers),
    )
    return found[:MAX_PARTS]


def system_text(message: discord.Message) -> str:
    """Return the text of a system message that matters to a conversation (`alice joined`); else empty."""
    if message.type in _SYSTEM_TYPES:
        return _line(message.system_content)
    if message.type is discord.MessageType.poll_result:
        return next((_poll_result(embed) for embed in message.embeds), "")
    return ""


def all_attachments(message: discord.Message) -> list[discord.Attachment]:
    """Return the files of a message and of the messages that it forwards."""
    forwarded = (file for snapshot in message.message_snapshots for file in snapshot.attachments)
    return [*message.attachments, *forwarded]


def is_voice_message(attachment: discord.Attachment) -> bool:
    """Return whether an attachment is a voice message; discord.py recognizes it by its waveform."""
    return attachment.is_voice_message() or attachment.duration is not None


def duration_of(attachment: discord.Attachment) -> int:
    """Return the length of a voice message in seconds, between one second and a day."""
    seconds = attachment.duration or 0.0  # set by the sender, so it may be any number
    return max(1, round(min(seconds, MAX_DURATION_S))) if isfinite(seconds) else 1


def component_text(components: Iterable[object]) -> str:
    """Return the text of a Components V2 message from top to bottom."""
    lines = [text for component in components for text in _texts_in(component, 0)]
    return _cut("\n".join(lines))


# --- Kinds of parts -------------------------------------------------------------------------------------


def _read_forwards(message: discord.Message) -> Iterator[MessagePart]:
    """Yield forwarded messages; Discord does not reveal their authors."""
    for snapshot in message.message_snapshots:
        # A forwarded message is nested content: flatten it to one text.
        inner = [
            _tidy(snapshot.content),
            component_text(snapshot.components),
            *(_embed_text(embed) for embed in snapshot.embeds[:MAX_PARTS]),
            *(f"[sticker: {_line(one.name)}]" for one in getattr(snapshot, "stickers", ())),
            *(f"[file {_line(file.filename)}]" for file in snapshot.attachments),
        ]
        yield MessagePart("forwarded message", _join(inner) or "it cannot be read")


def _read_embeds(embeds: Iterable[discord.Embed]) -> Iterator[MessagePart]:
    for embed in islice(embeds, MAX_PARTS):
        if text := _embed_text(embed):
            yield MessagePart("link card" if embed.type in _LINK_CARDS else "embed", text)


def _read_poll(poll: discord.Poll | None) -> Iterator[MessagePart]:
    if poll is None:
        return
    answers = [f"- {_line(one.text)} ({one.vote_count} votes)" for one in poll.answers]
    state = "the poll is over" if poll.is_finalised() else ""
    yield MessagePart("poll", _join([_line(poll.question), *answers, state]) or "it cannot be read")


def _read_stickers(stickers: Iterable[discord.StickerItem]) -> Iterator[MessagePart]:
    for sticker in stickers:
        yield MessagePart("sticker", _line(sticker.name))


def _poll_result(embed: discord.Embed) -> str:
    fields = {field.name: _line(field.value or "") for field in embed.fields}
    question = fields.get("poll_question_text", "")
    winner = fields.get("victor_answer_text", "")
    ended = f'the poll "{question}" is over'
    return f'{ended}: most chose "{winner}"' if winner else ended


def _embed_text(embed: discord.Embed) -> str:
    fields = [f"{_line(field.name or '')}: {_tidy(field.value or '')}" for field in embed.fields]
    return _join([
        _line(embed.provider.name or ""),
        _line(embed.author.name or ""),
        _line(embed.title or ""),
        _tidy(embed.description or ""),
        *fields,
        _line(embed.footer.text or ""),
    ])  # fmt: skip


def _texts_in(component: object, depth: int) -> Iterator[str]:
    # Components may be nested deeply by a hostile sender.
    if depth > MAX_DEPTH:
        return
    if isinstance(component, discord.TextDisplay):
        yield _tidy(component.content)
    elif isinstance(component, discord.MediaGalleryComponent):
        yield from (f"[picture: {_line(item.description)}]" for item in component.items if item.description)
    for child in getattr(component, "children", ()):
        yield from _texts_in(child, depth + 1)


# --- Untrusted text -------------------------------------------------------------------------------------


def _cut(text: str) -> str:
    return text if len(text) <= MAX_PART_CHARS else text[: MAX_PART_CHARS - 1] + "…"


def _tidy(text: str) -> str:
    return _EMOJI.sub(r":\1:", _cut(text)).strip()


def _line(text: str) -> str:
    return _SPACE.sub(" ", _tidy(text))


def _join(lines: Iterable[str]) -> str:
    return _cut("\n".join(line for line in lines if line))

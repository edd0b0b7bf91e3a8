"""Messages: embeds, polls, files, stickers, and what may stand in a reaction.

https://docs.discord.com/developers/resources/message
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..state.models import Json
from .schema import (
    AnyObject,
    CrossFieldRule,
    Flag,
    Id,
    ListOf,
    Object,
    OneOf,
    Path,
    Problem,
    Required,
    TextField,
    Time,
    Url,
    WholeNumber,
)

CUSTOM_EMOJI = re.compile(r"(?:<?a?:)?(\w{1,32}):([0-9]{1,20})>?", re.ASCII)
"""`name:id`; clients also write `a:name:id`."""

_MAX_EMOJI_CODE_POINTS = 16
# Ranges of https://www.unicode.org/Public/UCD/latest/ucd/emoji/emoji-data.txt , property Emoji, made wider
# where what lies between is unused: a name or a sentence is none, and that is what matters here.
_RANGES = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139),
    (0x2194, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328), (0x23CF, 0x23FA), (0x24C2, 0x24C2),
    (0x25AA, 0x25FE), (0x2600, 0x27BF), (0x2934, 0x2935), (0x2B05, 0x2B07), (0x2B1B, 0x2B1C),
    (0x2B50, 0x2B55),    (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3299), (0x1F000, 0x1FAFF),
)  # fmt: skip
_KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
_JOINERS = frozenset({0xFE0F, 0x200D, *range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080)})


def is_unicode_emoji(text: str) -> bool:
    """Return whether a text is one emoji of Unicode, as far as a table of ranges can tell."""
    if _KEYCAP.fullmatch(text):
        return True
    points = [ord(one) for one in text]
    drawn = [one for one in points if one not in _JOINERS]
    return 0 < len(drawn) <= len(points) <= _MAX_EMOJI_CODE_POINTS and all(map(_is_drawn, drawn))


def _is_drawn(point: int) -> bool:
    return any(first <= point <= last for first, last in _RANGES)


_DOCS = "https://docs.discord.com/developers/resources/message"
_POLL_DOCS = "https://docs.discord.com/developers/resources/poll"
_EMBED_TOTAL_CHARS = 6000
_MEDIA = Url(("http", "https", "attachment"))

EMBED_MEDIA = Object("picture of an embed", f"{_DOCS}#embed-object-embed-image-structure", {"url": _MEDIA})
EMBED_FOOTER = Object(
    "footer of an embed",
    f"{_DOCS}#embed-object-embed-footer-structure",
    {"text": TextField(maximum=2048), "icon_url": _MEDIA},
)
EMBED_AUTHOR = Object(
    "author of an embed",
    f"{_DOCS}#embed-object-embed-author-structure",
    {"name": TextField(maximum=256), "url": Url(), "icon_url": _MEDIA},
)
# Both may be empty: https://github.com/discordjs/discord.js/issues/10744 ,
# https://github.com/hikari-py/hikari/pull/2105 ; neither may be missing.
EMBED_FIELD = Object(
    "field of an embed",
    f"{_DOCS}#embed-object-embed-field-structure",
    {"name": Required(TextField(0, 256)), "value": Required(TextField(0, 1024)), "inline": Flag()},
)
EMBED = Object(
    "embed",
    f"{_DOCS}#embed-object-embed-limits",
    {
        "title": TextField(maximum=256),
        "description": TextField(maximum=4096),
        "url": Url(),
        "timestamp": Time(),
        "color": WholeNumber(0, 0xFFFFFF),
        "footer": EMBED_FOOTER,
        "image": EMBED_MEDIA,
        "thumbnail": EMBED_MEDIA,
        "author": EMBED_AUTHOR,
        "fields": ListOf(EMBED_FIELD, 0, 25),
    },
)


def embed_length(embed: Json) -> int:
    """Return the characters of an embed that count for the total."""
    footer, author = embed.get("footer") or {}, embed.get("author") or {}
    texts = [embed.get("title"), embed.get("description"), footer.get("text"), author.get("name")]
    texts += [one.get(name) for one in embed.get("fields") or () for name in ("name", "value")]
    return sum(len(str(text).strip()) for text in texts if text)


def _embed_total(message: Json, path: Path) -> Iterator[Problem]:
    if sum(embed_length(embed) for embed in message["embeds"]) > _EMBED_TOTAL_CHARS:
        said = f"Embed size exceeds maximum size of {_EMBED_TOTAL_CHARS}"
        yield Problem((*path, "embeds"), "MAX_EMBED_SIZE_EXCEEDED", said)


EMBEDS = Object(
    "embeds of a message",
    f"{_DOCS}#embed-object-embed-limits",
    {"embeds": ListOf(EMBED, 0, 10)},
    (CrossFieldRule(f"at most {_EMBED_TOTAL_CHARS} characters in all embeds together", _embed_total),),
)

POLL_EMOJI = Object(
    "emoji of a poll", f"{_POLL_DOCS}#poll-media-object", {"id": Id(), "name": TextField(maximum=32)}
)
POLL_QUESTION = Object(
    "question of a poll", f"{_POLL_DOCS}#poll-media-object", {"text": Required(TextField(1, 300))}
)
POLL_TEXT = Object(
    "text of a poll answer",
    f"{_POLL_DOCS}#poll-media-object",
    {"text": Required(TextField(1, 55)), "emoji": POLL_EMOJI},
)
POLL_ANSWER = Object(
    "answer of a poll", f"{_POLL_DOCS}#poll-answer-object", {"poll_media": Required(POLL_TEXT)}
)
POLL = Object(
    "poll",
    f"{_POLL_DOCS}#poll-create-request-object",
    {
        "question": Required(POLL_QUESTION),
        "answers": Required(ListOf(POLL_ANSWER, 1, 10)),
        "duration": WholeNumber(1, 32 * 24),
        "allow_multiselect": Flag(),
        "layout_type": WholeNumber(1, 1),
    },
)
ATTACHMENT = Object(
    "file of a message",
    f"{_DOCS}#attachment-object",
    {
        "id": Required(Id()),
        "description": TextField(maximum=1024),
        "filename": TextField(maximum=1024),
        "is_spoiler": Flag(),
    },
)
VOICE_FILE = Object(
    "file of a voice message",
    f"{_DOCS}#attachment-object-voice-messages",
    {"duration_secs": Required(WholeNumber(0)), "waveform": Required(TextField(1, 400))},
)
STICKERS = ListOf(Id(), 0, 3)
ALLOWED_MENTIONS = Object(
    "allowed mentions",
    f"{_DOCS}#allowed-mentions-object",
    {"replied_user": Flag()},
)
REFERENCE = Object(
    "reference to a message",
    f"{_DOCS}#message-reference-structure",
    {
        "message_id": Id(),
        "channel_id": Id(),
        "guild_id": Id(),
        "type": OneOf((0, 1)),
        "fail_if_not_exists": Flag(),
    },
)
MESSAGE = Object(
    "message",
    f"{_DOCS}#create-message",
    {
        "tts": Flag(),
        "flags": WholeNumber(0),
        "embeds": ListOf(AnyObject(), 0, 10),
        "components": ListOf(AnyObject(), 0, 40),
        "attachments": ListOf(AnyObject(), 0, 10),
        "allowed_mentions": ALLOWED_MENTIONS,
        "message_reference": REFERENCE,
        "sticker_ids": STICKERS,
    },
)

OBJECTS = (
    MESSAGE, ALLOWED_MENTIONS, REFERENCE, EMBEDS, EMBED, EMBED_FIELD, EMBED_FOOTER, EMBED_AUTHOR, EMBED_MEDIA,
    POLL, POLL_QUESTION, POLL_ANSWER, POLL_TEXT, POLL_EMOJI, ATTACHMENT, VOICE_FILE,
)  # fmt: skip

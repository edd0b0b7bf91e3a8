"""Messages: embeds, polls, files and stickers.

https://docs.discord.com/developers/resources/message
"""

from __future__ import annotations

from collections.abc import Iterator

from ..state.model import Json
from .kinds import Flag, Id, Law, ListOf, Object, Path, Problem, Required, TextField, Time, Url, WholeNumber

__all__ = ["ATTACHMENT", "EMBEDS", "OBJECTS", "POLL", "STICKERS", "VOICE_FILE", "embed_length"]

_DOCS = "https://docs.discord.com/developers/resources/message"
_POLL_DOCS = "https://docs.discord.com/developers/resources/poll"
_EMBED_TOTAL = 6000
_MEDIA = Url(("http", "https", "attachment"))

EMBED_MEDIA = Object("picture of an embed", f"{_DOCS}#embed-object-embed-image-structure", {"url": _MEDIA})
EMBED_FOOTER = Object(
    "footer of an embed",
    f"{_DOCS}#embed-object-embed-footer-structure",
    {"text": TextField(most=2048), "icon_url": _MEDIA},
)
EMBED_AUTHOR = Object(
    "author of an embed",
    f"{_DOCS}#embed-object-embed-author-structure",
    {"name": TextField(most=256), "url": Url(), "icon_url": _MEDIA},
)
# An empty value is taken: https://github.com/discordjs/discord.js/issues/10744 ,
# https://github.com/hikari-py/hikari/issues/2105 ; an empty name is not.
EMBED_FIELD = Object(
    "field of an embed",
    f"{_DOCS}#embed-object-embed-field-structure",
    {"name": Required(TextField(1, 256)), "value": Required(TextField(0, 1024)), "inline": Flag()},
)
EMBED = Object(
    "embed",
    f"{_DOCS}#embed-object-embed-limits",
    {
        "title": TextField(most=256),
        "description": TextField(most=4096),
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
    """The characters of an embed that count for the total."""
    footer, author = embed.get("footer") or {}, embed.get("author") or {}
    texts = [embed.get("title"), embed.get("description"), footer.get("text"), author.get("name")]
    texts += [one.get(name) for one in embed.get("fields") or () for name in ("name", "value")]
    return sum(len(str(text).strip()) for text in texts if text)


def _embed_total(message: Json, path: Path) -> Iterator[Problem]:
    if sum(embed_length(embed) for embed in message["embeds"]) > _EMBED_TOTAL:
        said = f"Embed size exceeds maximum size of {_EMBED_TOTAL}"
        yield Problem((*path, "embeds"), "MAX_EMBED_SIZE_EXCEEDED", said)


EMBEDS = Object(
    "embeds of a message",
    f"{_DOCS}#embed-object-embed-limits",
    {"embeds": ListOf(EMBED, 0, 10)},
    (Law(f"at most {_EMBED_TOTAL} characters in all embeds together", _embed_total),),
)

POLL_EMOJI = Object(
    "emoji of a poll", f"{_POLL_DOCS}#poll-media-object", {"id": Id(), "name": TextField(most=32)}
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
    {"id": Required(Id()), "description": TextField(most=1024), "filename": TextField(most=1024)},
)
VOICE_FILE = Object(
    "file of a voice message",
    f"{_DOCS}#attachment-object-voice-messages",
    {"duration_secs": Required(WholeNumber(0)), "waveform": Required(TextField(1, 400))},
)
STICKERS = ListOf(Id(), 0, 3)

OBJECTS = (
    EMBEDS, EMBED, EMBED_FIELD, EMBED_FOOTER, EMBED_AUTHOR, EMBED_MEDIA, POLL, POLL_QUESTION, POLL_ANSWER,
    POLL_TEXT, POLL_EMOJI, ATTACHMENT, VOICE_FILE,
)  # fmt: skip

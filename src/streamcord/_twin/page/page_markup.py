"""One message as HTML, for the page: Discord's look, and not one character of the text as markup of its own.

Everything that comes from outside passes `escape`; classes and tags are ours alone.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING
from zlib import crc32

from streamcord._shared.message_markup import Block, MarkupCode, MarkupLine, Quote, StyledRun, read_message

from ..state.snowflakes import snowflake_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..state.model import Attachment, Json, Message

__all__ = ["message_html"]

_OWN_PICTURE = re.compile(r"http://127\.0\.0\.1:\d{1,5}(/cdn/avatars/\d{1,20}/[0-9a-f]{1,64}\.png)", re.ASCII)
_TAGS = {
    "bold": "strong",
    "italic": "em",
    "underline": "u",
    "strike": "s",
    "code": "code",
}
_CLASSES = ("link", "mention", "emoji", "spoiler")
_BAD = dict.fromkeys(
    # What could turn a line around or hide in it is drawn as a box.
    (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    0x25A1,
) | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)


def message_html(message: Message, *, heads: bool) -> str:
    """The article of one message; the first of a block carries name, avatar and time."""
    parts = [_reply(message), _head(message) if heads else "", _body(message)]
    parts += [_embed(embed) for embed in message.draft.embeds]
    parts += [_file(message, file) for file in message.attachments]
    parts += [_buttons(message)]
    if message.is_ephemeral:
        parts.append('<p class="subtext">Only you can see this</p>')
    return "".join(parts)


def _text(raw: object) -> str:
    return escape(str(raw).translate(_BAD))


def _head(message: Message) -> str:
    name, when = message.shown_name, datetime.fromtimestamp(snowflake_time(message.id), UTC)
    badge = '<b class="badge">APP</b>' if message.by_machine else ""
    return (
        f'<img class="avatar" alt="" src="{_avatar(message)}">'
        f'<i class="letter">{_text(name[:1].upper())}</i>'
        f'<header><span class="name">{_text(name)}</span>{badge}<time>{when:%H:%M:%S}</time></header>'
    )


def _avatar(message: Message) -> str:
    """The twin's own picture, or a colour for every face: an address outside is never fetched."""
    own = message.author.avatar if message.webhook is None else None
    if own is not None and own.isalnum():
        return f"/cdn/avatars/{message.author.id}/{own}.png"
    face = message.draft.avatar_url or message.shown_name
    if found := _OWN_PICTURE.fullmatch(face):
        return found[1]
    return f"/cdn/embed/avatars/{crc32(face.encode('utf-8', 'replace')):08x}.png"


def _reply(message: Message) -> str:
    if message.draft.reply_ids is None:
        return ""
    original = message.draft.reply_to
    if original is None:
        return '<p class="reply">Original message was deleted</p>'
    line = original.content.partition("\n")[0][:120]
    return f'<p class="reply"><b>@{_text(original.shown_name)}</b> {_text(line)}</p>'


def _body(message: Message) -> str:
    edited = '<span class="edited">(edited)</span>' if message.edited_at else ""
    blocks = "".join(map(_block, read_message(message.content)))
    return f'<div class="body">{blocks}{edited}</div>' if blocks or edited else ""


def _block(block: Block) -> str:
    match block:
        case MarkupCode(text, language):
            label = f' data-language="{_text(language)}"' if language else ""
            return f"<pre{label}>{_text(text)}</pre>"
        case Quote(blocks):
            return f"<blockquote>{''.join(map(_block, blocks))}</blockquote>"
        case MarkupLine(runs, kind, lead):
            tag = kind if kind in {"h1", "h2", "h3"} else "p"
            name = f' class="{kind}"' if kind in {"subtext", "item"} else ""
            return f"<{tag}{name}>{_text(lead)}{''.join(map(_run, runs)) or '<br>'}</{tag}>"


def _run(run: StyledRun) -> str:
    html = _text(run.text)
    for style in sorted(run.styles):
        if style in _TAGS:
            html = f"<{_TAGS[style]}>{html}</{_TAGS[style]}>"
        elif style in _CLASSES:
            hint = ' tabindex="0"' if style == "spoiler" else ""
            html = f'<span class="{style}"{hint}>{html}</span>'
    return html


def _embed(embed: Json) -> str:
    rows = list(_embed_rows(embed))
    return f'<aside class="embed">{"".join(rows)}</aside>' if rows else ""


def _embed_rows(embed: Json) -> Iterator[str]:
    author, footer = embed.get("author") or {}, embed.get("footer") or {}
    if author.get("name"):
        yield f"<p><b>{_text(author['name'])}</b></p>"
    if embed.get("title"):
        yield f'<p class="title">{_text(embed["title"])}</p>'
    if embed.get("description"):
        yield "".join(map(_block, read_message(str(embed["description"]))))
    for field in embed.get("fields") or ():
        yield f"<p><b>{_text(field.get('name', ''))}</b></p>"
        yield "".join(map(_block, read_message(str(field.get("value", "")))))
    if footer.get("text"):
        yield f'<p class="subtext">{_text(footer["text"])}</p>'


def _file(message: Message, file: Attachment) -> str:
    where = f"/cdn/attachments/{message.channel_id}/{file.id}/{_text(file.filename)}"
    if file.width:
        return f'<img class="picture" alt="{_text(file.description or "")}" src="{where}">'
    size = f"{len(file.content):,} bytes"
    return f'<p class="file"><a href="{where}" download>{_text(file.filename)}</a> <small>{size}</small></p>'


def _buttons(message: Message) -> str:
    labels = [
        str(part.get("label") or part.get("placeholder") or "…")
        for row in message.draft.components
        for part in row.get("components") or ()
        if isinstance(part, dict)
    ]
    return "".join(f'<span class="button">{_text(label)}</span>' for label in labels)

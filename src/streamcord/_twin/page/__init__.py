"""A page to look at a twin: its messages as Discord would show them, live, and a line to write as a person.

The page takes nothing from elsewhere, and its rules for the browser (Content-Security-Policy) say so. The
twin itself has refused every request whose `Host` or `Origin` is not loopback before it gets here.
"""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from aiohttp import web

from ..._shared.message_markup import Block, MarkupCode, MarkupLine, Quote, StyledRun, read_message
from ..state.model import ChannelType
from ..state.snowflakes import snowflake_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..server import Twin
    from ..state import Event
    from ..state.model import Attachment, Channel, Json, Message

__all__ = ["Page", "message_html"]

_FILES = {
    "": ("page.html", "text/html; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_LONGEST = 4000
"""Characters that a person may write at once."""
_SHOWN = 200
"""Messages of a channel that a page is given when it opens."""
_LISTED = {ChannelType.TEXT, ChannelType.ANNOUNCEMENT, ChannelType.PUBLIC_THREAD, ChannelType.PRIVATE_THREAD}


class Page:
    """What a browser sees of one twin; made once, before or after the twin starts."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._viewers: set[asyncio.Queue[Json | None]] = set()
        twin.state.observe(self._tell)
        twin.mount("", self._answer)
        twin.mount("page", self._answer)

    def close(self) -> None:
        """Let the open pages go."""
        for viewer in self._viewers:
            viewer.put_nowait(None)

    # Answering

    async def _answer(self, request: web.BaseRequest, rest: str) -> web.StreamResponse:
        if rest == "events":
            return await self._stream(request)
        if rest == "say" and request.method == "POST":
            return await self._say(request)
        if rest not in _FILES:
            return web.Response(status=404, text="not found")
        name, kind = _FILES[rest]
        body = Path(__file__).with_name(name).read_bytes()
        return web.Response(body=body, headers={**_HEADERS, "Content-Type": kind})

    async def _say(self, request: web.BaseRequest) -> web.Response:
        """Write as the person of this twin; a page of another origin has no `Origin` that passes."""
        try:
            asked = json.loads(await request.read())
            channel, text = self._twin.state.channels[int(asked["channel"])], str(asked["text"]).strip()
        except (KeyError, TypeError, ValueError):
            return web.Response(status=400, text="no such channel, or no text")
        if request.headers.get("Origin") is None or not 0 < len(text) <= _LONGEST:
            return web.Response(status=400, text="only the page itself may write, and not too much")
        self._twin.say(channel, self._twin.user, text)
        return web.Response(status=204)

    async def _stream(self, request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={**_HEADERS, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        viewer: asyncio.Queue[Json | None] = asyncio.Queue()
        self._viewers.add(viewer)
        try:
            await response.write(_frame(self._everything()))
            while (news := await viewer.get()) is not None:
                await response.write(_frame(news))
        except ConnectionError:
            pass  # the reader has left
        finally:
            self._viewers.discard(viewer)
        return response

    # Telling

    def _everything(self) -> Json:
        rows = [row for channel in self._channels() for row in self._rows(channel)[-_SHOWN:]]
        return {"kind": "all", **self._places(), "messages": rows}

    def _channels(self) -> list[Channel]:
        return [one for one in self._twin.state.channels.values() if one.type in _LISTED or one.recipients]

    def _places(self) -> Json:
        return {
            "me": self._twin.user.name,
            "server": self._twin.guild.name,
            "channels": [
                {"id": str(one.id), "name": one.name or "@" + one.recipients[0].name, "thread": one.is_thread}
                for one in self._channels()
            ],
        }

    def _rows(self, channel: Channel) -> list[Json]:
        return [
            _row(message, heads=message is group[0])
            for group in self._twin.groups(channel)
            for message in group
        ]

    def _row_of(self, channel: Channel, message: Message) -> Json:
        return _row(message, heads=any(group[0] is message for group in self._twin.groups(channel)))

    def _tell(self, event: Event) -> None:
        if not self._viewers:
            return
        for news in self._news(event):
            for viewer in self._viewers:
                viewer.put_nowait(news)

    def _news(self, event: Event) -> list[Json]:
        channel = event.channel
        if channel is None:
            return []
        if event.name.startswith(("CHANNEL_", "THREAD_")):
            return [{"kind": "places", **self._places()}]
        if event.name in {"MESSAGE_CREATE", "MESSAGE_UPDATE"} and event.message is not None:
            return [self._row_of(channel, event.message)]
        if event.name == "MESSAGE_DELETE":
            # The next one may stand first now.
            later = [row for row in self._rows(channel) if int(row["id"]) > int(event.payload["id"])][:1]
            return [{"kind": "drop", "id": event.payload["id"]}, *later]
        if event.name == "TYPING_START":
            user = self._twin.state.users.get(int(event.payload["user_id"]))
            return [{"kind": "typing", "channel": str(channel.id), "name": user.name}] if user else []
        return []


def _row(message: Message, *, heads: bool) -> Json:
    html = message_html(message, heads=heads)
    return {
        "kind": "put",
        "channel": str(message.channel_id),
        "id": str(message.id),
        "heads": heads,
        "html": html,
    }


def _frame(news: Json) -> bytes:
    return f"data: {json.dumps(news)}\n\n".encode()


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

"""A page to look at a twin: its messages as Discord would show them, live, and a line to write as a person.

The page takes nothing from elsewhere, and its rules for the browser (Content-Security-Policy) say so. The
twin itself has refused every request whose `Host` or `Origin` is not loopback before it gets here.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from ..state.model import ChannelType
from .page_markup import message_html

if TYPE_CHECKING:
    from ..server import Twin
    from ..state.model import Channel, Json, Message
    from ..state.state import Event

__all__ = ["Page"]

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

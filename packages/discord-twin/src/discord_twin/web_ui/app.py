"""A page to use a twin as users use Discord: see, live, what every user sees, and act as any user.

The web UI takes nothing from elsewhere, and its rules for the browser (Content-Security-Policy) say so; they
also forbid its own scripts to turn text into markup. The twin itself has refused every request whose `Host`
or `Origin` is not loopback before it gets here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from aiohttp import web

from ..users.fake_user import ActionUnavailable
from .channel_views import channels_view, command_views, does_see, list_channels, marks_since, unread_view
from .message_view import is_seen, message_view
from .ui_actions import InvalidAction, UIActions

if TYPE_CHECKING:
    from ..server import Twin
    from ..state.models import Channel, Json, Message, User
    from ..state.state import Event

Explain: TypeAlias = "Callable[[int], Json | None]"
"""Says why a message looks as it does, by its id; nothing if that is not known."""

_FOLDER = Path(__file__).with_name("static")
# Content types of the static files; no other file is served.
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_MESSAGES_PER_PAGE = 60
"""Messages that a page is given at once; older ones come when a user scrolls to them."""
_MAX_QUEUED = 2000
"""Events that may wait for a page; a page with a longer backlog is disconnected and loads again."""
_HEARTBEAT_S = 15.0
_MAX_BODY_BYTES = 150 << 20
_MAX_NAME_CHARS = 100
_MAX_ID_DIGITS = 20


class _Viewer:
    """One open page, of one user."""

    def __init__(self, user: User) -> None:
        self.user = user
        # Events for the page; `None` ends the stream.
        self.news: asyncio.Queue[Json | None] = asyncio.Queue()
        self.known: set[int] = set()
        """Ids of the channels that were sent to the page."""


class WebUI:
    """The web UI of one twin; create it once, before or after the twin starts.

    Args:
        twin: The twin to show.
        explain: Called with the id of a message when a user asks why it looks as it does.

    Example:
        async with Twin() as twin:
            page = WebUI(twin)
            print("open", twin.base_url)
            await asyncio.Event().wait()

    """

    def __init__(self, twin: Twin, explain: Explain | None = None) -> None:
        self.explain = explain
        self._twin = twin
        self._acts = UIActions(twin)
        # Pages that are open.
        self._viewers: set[_Viewer] = set()
        twin.state.observe(self._on_event)
        for prefix in ("", "page"):
            twin.mount(prefix, self._answer)
        twin.mount("favicon.ico", self._answer_icon)

    def close(self) -> None:
        """Disconnect the open pages."""
        for viewer in self._viewers:
            viewer.news.put_nowait(None)

    # Answering

    async def _answer(self, request: web.BaseRequest, rest: str) -> web.StreamResponse:
        if request.method == "POST":
            return await self._act(request, rest)
        asked = {
            "events": self._stream,
            "messages": self._older,
            "commands": self._commands,
            "why": self._why,
        }
        if rest in asked:
            try:
                return await asked[rest](request)
            except (KeyError, ValueError):
                return _failed(400, "no such channel")
        return _file(rest or "index.html")

    async def _answer_icon(self, _: web.BaseRequest, __: str) -> web.StreamResponse:
        return _file("icon.png")

    def _user(self, request: web.BaseRequest) -> User:
        """Return the user of the page: the one that `as` names, or the first one."""
        given = request.query.get("as", "")
        user = self._twin.state.users.get(int(given)) if _is_id(given) else None
        return user if user is not None and not user.bot else self._twin.user

    def _channel(self, request: web.BaseRequest, user: User) -> Channel:
        channel = self._twin.state.channels[int(request.query["channel"])]
        if not does_see(self._twin, user, channel):
            raise KeyError(channel.id)
        return channel

    async def _act(self, request: web.BaseRequest, name: str) -> web.Response:
        """Do something as a user; a page of another origin has no `Origin` that passes."""
        if name not in self._acts or request.headers.get("Origin") is None:
            return _failed(400, "only the page itself may act")
        user = self._user(request)
        try:
            asked = json.loads(await _read_body(request))
            if not isinstance(asked, dict):
                return _failed(400, "an act is an object")
            answer = await self._acts.apply(name, user, asked)
        except ActionUnavailable as error:
            # Status 200: a browser logs every error status in its console.
            return _json({"refused": str(error)})
        except (InvalidAction, ValueError, OverflowError, RecursionError) as error:
            # An infinite number, or JSON that is nested too deeply.
            return _failed(400, str(error))
        if name in {"dm", "join"}:
            self._send_channels()
        if name == "read":
            self._send_read(user, str(asked["channel"]))
        return web.Response(status=204) if answer is None else _json(answer)

    async def _older(self, request: web.BaseRequest) -> web.Response:
        user = self._user(request)
        channel = self._channel(request, user)
        return _json(self._messages(user, channel, int(request.query.get("before") or 0)))

    async def _commands(self, request: web.BaseRequest) -> web.Response:
        user = self._user(request)
        return _json({"commands": command_views(self._twin, user, self._channel(request, user))})

    async def _why(self, request: web.BaseRequest) -> web.Response:
        """Why a message looks as it does; only for who sees it."""
        user = self._user(request)
        message = self._channel(request, user).messages.get(int(request.query["message"]))
        if message is None or not is_seen(message, user) or self.explain is None:
            return _json({})
        return _json(self.explain(message.id) or {})

    async def _stream(self, request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={**_HEADERS, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        viewer = _Viewer(self._user(request))
        self._viewers.add(viewer)
        try:
            # The browser reconnects after a second, then gets everything again.
            await response.write(b"retry: 1000\n\n" + _frame(self._everything(viewer, request)))
            while (news := await _next(viewer)) is not None:
                await response.write(_frame(news) if news else b": still here\n\n")
        except ConnectionError:
            pass  # the reader has left
        finally:
            self._viewers.discard(viewer)
        return response

    # Events

    def _everything(self, viewer: _Viewer, request: web.BaseRequest) -> Json:
        channels = list_channels(self._twin, viewer.user)
        wanted = request.query.get("channel", "")
        here = next((one for one in channels if str(one.id) == wanted), channels[0] if channels else None)
        messages = self._messages(viewer.user, here) if here else {"messages": [], "more": False}
        everything: Json = {
            "kind": "all",
            "here": str(here.id) if here else "",
            "explains": bool(self.explain),
            # The page's tools for tests are buttons for the control API.
            "tools": self._twin.is_mounted("control"),
        }
        return {**everything, **self._places(viewer), **messages}

    def _places(self, viewer: _Viewer) -> Json:
        viewer.known = {one.id for one in list_channels(self._twin, viewer.user)}
        return channels_view(self._twin, viewer.user)

    def _messages(self, user: User, channel: Channel, before: int = 0) -> Json:
        """Return the newest messages of a channel, or those before one."""
        found: list[Message] = []
        more = False
        for message in reversed(channel.messages.values()):
            if (before and message.id >= before) or not is_seen(message, user):
                continue
            more = len(found) == _MESSAGES_PER_PAGE
            if more:
                break
            found.append(message)
        found.reverse()
        marks = marks_since(self._twin, user, found[0].id) if found else {}
        rows = [{**message_view(self._twin.state, one, user), "mark": marks.get(one.id, "")} for one in found]
        return {"channel": str(channel.id), "messages": rows, "more": more}

    def _on_event(self, event: Event) -> None:
        for viewer in self._viewers:
            for news in self._news(event, viewer):
                self._put(viewer, news)
        if self._viewers and event.name == "MESSAGE_CREATE":
            # Pushes and unread counts are logged after this event was dispatched.
            asyncio.get_running_loop().call_soon(self._send_marks, event)

    def _put(self, viewer: _Viewer, news: Json) -> None:
        if viewer.news.qsize() < _MAX_QUEUED:
            viewer.news.put_nowait(news)
        # End the stream once; the page reconnects.
        elif viewer.news.qsize() == _MAX_QUEUED:
            viewer.news.put_nowait(None)

    def _send_channels(self) -> None:
        for viewer in self._viewers:
            self._put(viewer, {"kind": "places", **self._places(viewer)})

    def _send_read(self, user: User, channel: str) -> None:
        """Mark a channel as read in all windows of a user."""
        read: Json = {"kind": "marks", "channel": channel, "id": "", "mark": "", "unread": 0, "mentions": 0}
        for viewer in self._viewers:
            if viewer.user is user:
                self._put(viewer, read)

    def _send_marks(self, event: Event) -> None:
        channel, message = event.channel, event.message
        if channel is None or message is None:
            return
        for viewer in self._viewers:
            if does_see(self._twin, viewer.user, channel) and is_seen(message, viewer.user):
                mark = marks_since(self._twin, viewer.user, message.id).get(message.id, "")
                news: Json = {
                    "kind": "marks",
                    "channel": str(channel.id),
                    "id": str(message.id),
                    "mark": mark,
                }
                self._put(viewer, news | unread_view(self._twin, viewer.user, channel))

    def _news(self, event: Event, viewer: _Viewer) -> list[Json]:
        channel = event.channel
        if event.name.startswith(("CHANNEL_", "THREAD_", "GUILD_MEMBER", "GUILD_ROLE", "GUILD_EMOJIS")):
            return [{"kind": "places", **self._places(viewer)}]
        if channel is None or not does_see(self._twin, viewer.user, channel):
            return []
        if event.name in {"MESSAGE_DELETE", "MESSAGE_DELETE_BULK"}:
            gone = event.payload.get("ids") or [event.payload["id"]]
            return [{"kind": "drop", "channel": str(channel.id), "id": str(one)} for one in gone]
        if event.name == "TYPING_START":
            user = self._twin.state.users[int(event.payload["user_id"])]
            news = {"kind": "typing", "channel": str(channel.id), "id": str(user.id), "name": user.name}
            return [news] if user is not viewer.user else []
        return self._message_news(event, channel, viewer) if event.name.startswith("MESSAGE_") else []

    def _message_news(self, event: Event, channel: Channel, viewer: _Viewer) -> list[Json]:
        """Return a message that is new or changed, as are its reactions and votes."""
        message = event.message or channel.messages.get(int(event.payload.get("message_id") or 0))
        if message is None or not is_seen(message, viewer.user):
            return []
        put = {"kind": "put", **message_view(self._twin.state, message, viewer.user)}
        put["new"] = event.name == "MESSAGE_CREATE"
        # A first direct message opens a channel that the page does not list yet.
        opened = [] if channel.id in viewer.known else [{"kind": "places", **self._places(viewer)}]
        return [*opened, put]


async def _next(viewer: _Viewer) -> Json | None:
    """Return the next news; after a while nothing happened, so that a reader who has left is noticed."""
    try:
        async with asyncio.timeout(_HEARTBEAT_S):
            return await viewer.news.get()
    except TimeoutError:
        return {}


async def _read_body(request: web.BaseRequest) -> bytes:
    body = bytearray()
    async for piece in request.content.iter_chunked(1 << 16):
        body += piece
        if len(body) > _MAX_BODY_BYTES:
            raise InvalidAction("too much at once")
    return bytes(body)


def _is_id(given: str) -> bool:
    # Python converts no number with thousands of digits.
    return given.isdecimal() and len(given) <= _MAX_ID_DIGITS


def _file(name: str) -> web.Response:
    path = _FOLDER / name[:_MAX_NAME_CHARS]
    # Names with a path could leave the folder.
    if "/" in name or "\\" in name or path.suffix not in {*_KINDS, ".png"} or not path.is_file():
        return web.Response(status=404, text="not found", headers=_HEADERS)
    kind = f"{_KINDS[path.suffix]}; charset=utf-8" if path.suffix in _KINDS else "image/png"
    return web.Response(body=path.read_bytes(), headers={**_HEADERS, "Content-Type": kind})


def _json(value: Json) -> web.Response:
    headers = {**_HEADERS, "Content-Type": "application/json"}
    return web.Response(body=json.dumps(value).encode(), headers=headers)


def _failed(status: int, why: str) -> web.Response:
    return web.Response(status=status, text=why, headers=_HEADERS)


def _frame(news: Json) -> bytes:
    return f"data: {json.dumps(news)}\n\n".encode()

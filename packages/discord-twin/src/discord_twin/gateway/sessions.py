"""Gateway sessions: what was sent to a client, kept so that it can be sent again.

A session outlives its connection. Events that happen in between are kept too, and a RESUME gets all after the
last sequence number that the client saw.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import deque
from enum import IntFlag
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web

    from ..state.models import Application


def frame(op: int, payload: object = None) -> str:
    """Return a frame that is no event; `s` and `t` are there, for clients that look for them."""
    return json.dumps({"t": None, "s": None, "op": op, "d": payload}, separators=(",", ":"))


class Connection:
    """One WebSocket: frames leave in order, compressed as one stream if the client asked for that."""

    def __init__(self, socket: web.WebSocketResponse, *, compressed: bool) -> None:
        self.socket = socket
        self.heartbeats = 0
        self.is_closing = False
        """The twin is closing it."""
        self.is_left = False
        """The client has closed it for good."""
        # Times of the frames that the client sent in the last minute.
        self.sends: deque[float] = deque(maxlen=120)
        # One compression context for the whole connection, as `zlib-stream` requires.
        self._zlib = zlib.compressobj() if compressed else None
        # Frames to write; a number closes with that code, `None` breaks the connection.
        self._queue: asyncio.Queue[str | int | None] = asyncio.Queue()

    def send(self, text: str) -> None:
        """Let a frame leave after those before it."""
        self._queue.put_nowait(text)

    def close(self, code: int) -> None:
        """Close with a code after the queued frames."""
        self.is_closing = True
        self._queue.put_nowait(code)

    def abort(self) -> None:
        """Break the connection without a close frame, after the queued frames."""
        self.is_closing = True
        self._queue.put_nowait(None)

    async def run(self) -> None:
        """Write until the connection is closed."""
        while True:
            item = await self._queue.get()
            if item is None:
                self._break()
                return
            if isinstance(item, int):
                await self.socket.close(code=item)
                return
            try:
                await self._write(item)
            except ConnectionError:
                return

    def _break(self) -> None:
        transport = self.socket._req.transport if self.socket._req is not None else None  # noqa: SLF001 - no public way
        if transport is not None:
            transport.abort()

    async def _write(self, text: str) -> None:
        if self._zlib is None:
            await self.socket.send_str(text)
        else:
            # A client decodes a frame when it sees the sync flush at its end.
            packed = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
            await self.socket.send_bytes(packed)


class Session:
    """What one client has identified as."""

    def __init__(self, session_id: str, application: Application, intents: Intent, kept: int = 5_000) -> None:
        self.id = session_id
        self.application = application
        self.intents = intents
        self.shard = (0, 1)
        """Shard number and number of shards."""
        self.connection: Connection | None = None
        self.sequence = 0
        # (sequence, frame) of the newest events, for RESUME.
        self._sent: deque[tuple[int, str]] = deque(maxlen=kept)

    def receives(self, guild_id: int | None) -> bool:
        """Return whether this shard receives events of a guild; direct messages go to shard 0.

        https://docs.discord.com/developers/events/gateway#sharding
        """
        number, count = self.shard
        return ((guild_id or 0) >> 22) % count == number

    def dispatch(self, name: str, payload: str, times: int = 1) -> None:
        """Number an event, keep it, and send it if a client is connected; `payload` is JSON already."""
        text = self._number(name, payload)
        self._sent.append((self.sequence, text))
        if self.connection is not None:
            for _ in range(times):
                self.connection.send(text)

    def _number(self, name: str, payload: str) -> str:
        self.sequence += 1
        return f'{{"t":"{name}","s":{self.sequence},"op":0,"d":{payload}}}'

    def can_resume(self, sequence: int) -> bool:
        """Return whether everything after this number is still kept."""
        return sequence <= self.sequence and (not self._sent or self._sent[0][0] <= sequence + 1)

    def replay(self, connection: Connection, sequence: int) -> None:
        """Continue on a new connection with all that the client has not seen."""
        self.connection = connection
        for number, text in self._sent:
            if number > sequence:
                connection.send(text)
        connection.send(self._number("RESUMED", '{"_trace":["twin"]}'))


class Intent(IntFlag):
    """The intents that the twin knows."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_MODERATION = 1 << 2
    GUILD_EXPRESSIONS = 1 << 3
    GUILD_WEBHOOKS = 1 << 5
    GUILD_INVITES = 1 << 6
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15
    GUILD_MESSAGE_POLLS = 1 << 24
    DIRECT_MESSAGE_POLLS = 1 << 25


# Events that are not listed need GUILDS.
_IN_GUILD = {
    "GUILD_MEMBER_ADD": Intent.GUILD_MEMBERS,
    "GUILD_MEMBER_UPDATE": Intent.GUILD_MEMBERS,
    "GUILD_MEMBER_REMOVE": Intent.GUILD_MEMBERS,
    "GUILD_BAN_ADD": Intent.GUILD_MODERATION,
    "GUILD_BAN_REMOVE": Intent.GUILD_MODERATION,
    "GUILD_EMOJIS_UPDATE": Intent.GUILD_EXPRESSIONS,
    "GUILD_STICKERS_UPDATE": Intent.GUILD_EXPRESSIONS,
    "INVITE_CREATE": Intent.GUILD_INVITES,
    "INVITE_DELETE": Intent.GUILD_INVITES,
    "WEBHOOKS_UPDATE": Intent.GUILD_WEBHOOKS,
    "MESSAGE_CREATE": Intent.GUILD_MESSAGES,
    "MESSAGE_UPDATE": Intent.GUILD_MESSAGES,
    "MESSAGE_DELETE": Intent.GUILD_MESSAGES,
    "MESSAGE_DELETE_BULK": Intent.GUILD_MESSAGES,
    "MESSAGE_POLL_VOTE_ADD": Intent.GUILD_MESSAGE_POLLS,
    "MESSAGE_POLL_VOTE_REMOVE": Intent.GUILD_MESSAGE_POLLS,
    "MESSAGE_REACTION_REMOVE_ALL": Intent.GUILD_MESSAGE_REACTIONS,
    "MESSAGE_REACTION_REMOVE_EMOJI": Intent.GUILD_MESSAGE_REACTIONS,
    "MESSAGE_REACTION_ADD": Intent.GUILD_MESSAGE_REACTIONS,
    "MESSAGE_REACTION_REMOVE": Intent.GUILD_MESSAGE_REACTIONS,
    "TYPING_START": Intent.GUILD_MESSAGE_TYPING,
    "INTERACTION_CREATE": Intent(0),
}
_DIRECT = {
    Intent.GUILD_MESSAGES: Intent.DIRECT_MESSAGES,
    Intent.GUILD_MESSAGE_REACTIONS: Intent.DIRECT_MESSAGE_REACTIONS,
    Intent.GUILD_MESSAGE_POLLS: Intent.DIRECT_MESSAGE_POLLS,
    Intent.GUILD_MESSAGE_TYPING: Intent.DIRECT_MESSAGE_TYPING,
}


def needed_intent(event: str, *, in_guild: bool) -> Intent:
    """Return the intent that a session must have asked for to get this event; 0 is none."""
    intent = _IN_GUILD.get(event, Intent.GUILDS)
    return intent if in_guild else _DIRECT.get(intent, Intent(0))

"""The gateway: hello, identify, ready, events, heartbeats, resume, and every way in which it may break.

https://docs.discord.com/developers/events/gateway
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

from ..message_content_intent import can_read_content, hide_content
from ..state.permissions import Permission
from ..state.serializers import (
    serialize_guild_create,
    serialize_hidden_channel,
    serialize_member,
    serialize_own_user,
)
from .sessions import Connection, Intent, Session, frame, needed_intent

if TYPE_CHECKING:
    from ..context import Context
    from ..state.models import Application, Guild, Json
    from ..state.state import Event

# Opcodes, then close codes: https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway
_DISPATCH, _HEARTBEAT, _IDENTIFY, _PRESENCE, _VOICE, _RESUME = 0, 1, 2, 3, 4, 6
_RECONNECT, _MEMBERS, _INVALID, _HELLO, _ACK, _SOUNDS = 7, 8, 9, 10, 11, 31
_UNKNOWN_OP, _UNREADABLE, _NOT_IDENTIFIED, _BAD_TOKEN, _TWICE = 4001, 4002, 4003, 4004, 4005
_BAD_SEQUENCE, _TOO_FAST, _BAD_VERSION, _DISALLOWED_INTENTS = 4007, 4008, 4012, 4014
_SENDS_PER_MINUTE = 120
_CLOSE_TIMEOUT_S = 1.0
_KEPT_SESSIONS = 100
"""Sessions without a connection that can still be resumed."""
_ONLY_JSON = "the twin's gateway speaks JSON only"
_VERSIONS = {None, "9", "10"}
_log = logging.getLogger(__name__)


class Gateway:
    """All connections and sessions."""

    def __init__(self, context: Context) -> None:
        self._context = context
        # Set when the twin starts to listen.
        self.url = ""
        self.is_down = False
        """Turn on to refuse connections."""
        self.identifies = 0
        self.resumes = 0
        # Sessions by id, also those whose connection is gone: they can be resumed.
        self.sessions: dict[str, Session] = {}
        self.connections: set[Connection] = set()
        # Times of the last identifies, for `max_concurrency`.
        self._identified_at: list[float] = []
        context.state.observe(self.dispatch)

    # Serving

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one WebSocket until it closes."""
        # An outage of the gateway alone: clients see a failed handshake, while REST goes on.
        if self.is_down:
            return web.Response(status=503)
        if request.query.get("encoding", "json") != "json":
            _log.warning("%s; the client asked for %s", _ONLY_JSON, request.query["encoding"])
            return web.Response(status=501, text=_ONLY_JSON)
        socket = web.WebSocketResponse(max_msg_size=1 << 20, timeout=_CLOSE_TIMEOUT_S)
        await socket.prepare(request)
        connection = Connection(socket, compressed=request.query.get("compress") == "zlib-stream")
        self.connections.add(connection)
        if request.query.get("v") not in _VERSIONS:
            self._close(connection, _BAD_VERSION, f"there is no gateway version {request.query['v']}")
        # Frames are written by their own task, so that a slow client does not block the state.
        writer = asyncio.create_task(connection.run())
        connection.send(
            frame(_HELLO, {"heartbeat_interval": int(self._heartbeat_interval() * 1000), "_trace": ["twin"]})
        )
        try:
            await self._listen(connection)
        finally:
            self._forget(connection)
            # A close that we asked for must still be written.
            if not connection.is_closing:
                writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
        return socket

    def _heartbeat_interval(self) -> float:
        return max(0.001, self._context.clock.to_client_seconds(self._context.options.heartbeat_interval_s))

    async def _listen(self, connection: Connection) -> None:
        while True:
            message = await connection.socket.receive()
            if message.type not in {WSMsgType.TEXT, WSMsgType.BINARY}:
                # A client that closes with 1000 or 1001 says that it will not come back.
                connection.is_left = message.type is WSMsgType.CLOSE and message.data in {1000, 1001}
                return
            try:
                received = json.loads(message.data)
                self._receive(connection, int(received["op"]), received.get("d"))
            except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
                self._close(connection, _UNREADABLE, "a frame is no JSON object with `op` and a fitting `d`")
            self._context.on_change()

    def _forget(self, connection: Connection) -> None:
        self.connections.discard(connection)
        for session in list(self.sessions.values()):
            if session.connection is connection:
                session.connection = None
                # A session whose client said goodbye cannot be resumed.
                if connection.is_left:
                    del self.sessions[session.id]
        self._context.on_change()

    def _session(self, connection: Connection) -> Session | None:
        return next((one for one in self.sessions.values() if one.connection is connection), None)

    def _receive(self, connection: Connection, op: int, payload: Any) -> None:  # noqa: ANN401 - from outside
        if self._is_too_fast(connection):
            self._close(connection, _TOO_FAST, f"more than {_SENDS_PER_MINUTE} frames in a minute")
        elif op == _HEARTBEAT:
            connection.heartbeats += 1
            if self._context.options.heartbeat_acks:
                # Never at once: a client that gets the ACK before it took the time measures a wrong latency.
                delay = self._context.options.heartbeat_ack_s
                asyncio.get_running_loop().call_later(delay, connection.send, frame(_ACK))
        elif op == _IDENTIFY:
            self._identify(connection, payload)
        elif op == _RESUME:
            self._resume(connection, payload)
        elif self._session(connection) is None:
            self._close(connection, _NOT_IDENTIFIED, f"op {op} came before IDENTIFY")
        elif op == _MEMBERS:
            self._send_members(connection, payload)
        elif op not in {_PRESENCE, _VOICE, _SOUNDS}:
            self._close(connection, _UNKNOWN_OP, f"there is no op {op} that a client sends")

    def _close(self, connection: Connection, code: int, why: str) -> None:
        """Close as Discord does, and tell the developer what was wrong."""
        _log.warning("gateway closed with %d: %s", code, why)
        connection.close(code)

    def _is_too_fast(self, connection: Connection) -> bool:
        now = self._context.clock.now()
        # The deque keeps the times of the last 120 frames.
        full = len(connection.sends) == _SENDS_PER_MINUTE and now - connection.sends[0] < 60
        connection.sends.append(now)
        return full

    # Identify and resume

    def _identify(self, connection: Connection, payload: Json) -> None:
        # A client that identifies twice has lost track of its own state, so Discord closes the connection.
        if self._session(connection) is not None:
            self._close(connection, _TWICE, "a second IDENTIFY on one connection")
            return
        application = self._context.state.find_application(str(payload.get("token", "")).removeprefix("Bot "))
        intents = Intent(int(payload.get("intents") or 0))
        # Failed attempts count against the daily budget too.
        self.identifies += 1
        if application is None or self.identifies > self._context.options.identify_budget:
            # Discord resets the token of a bot that spends its budget.
            why = "the token is of no bot here" if application is None else "no IDENTIFY is left today"
            self._close(connection, _BAD_TOKEN, why)
        elif intents & Intent.MESSAGE_CONTENT and not self._context.options.message_content_intent:
            self._close(connection, _DISALLOWED_INTENTS, "MESSAGE_CONTENT is not turned on for this bot")
        # Too many at once are answered by op 9 and not by a close: the client waits and identifies again.
        elif self._is_identify_too_soon():
            connection.send(frame(_INVALID, payload=False))
        else:
            self._welcome(connection, application, intents, payload.get("shard") or [0, 1])

    def _forget_old_sessions(self) -> None:
        left = [one.id for one in self.sessions.values() if one.connection is None]
        for session_id in left[:-_KEPT_SESSIONS]:
            del self.sessions[session_id]

    def _is_identify_too_soon(self) -> bool:
        cap, now = self._context.options.identify_per_5s, self._context.clock.now()
        self._identified_at = [at for at in self._identified_at if now - at < 5.0]
        # A refused attempt is not counted, else a client that retries at once would never get in.
        if cap and len(self._identified_at) >= cap:
            return True
        self._identified_at.append(now)
        return False

    def _welcome(
        self, connection: Connection, application: Application, intents: Intent, shard: list[int]
    ) -> None:
        state = self._context.state
        session = Session(f"{state.make_id():032x}", application, intents)
        session.connection = connection
        session.shard = (int(shard[0]), max(1, int(shard[1])))
        self._forget_old_sessions()
        self.sessions[session.id] = session
        joined = (guild for guild in state.guilds.values() if application.user.id in guild.members)
        guilds = [guild for guild in joined if session.receives(guild.id)]
        ready = {
            "v": 10,
            "user": serialize_own_user(application.user),
            # As on Discord, READY lists guilds as unavailable and GUILD_CREATE follows for each.
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "shard": list(session.shard),
            "application": {"id": str(application.id), "flags": 1 << 19},
            "private_channels": [],
            "relationships": [],
            "presences": [],
            "_trace": ["twin"],
        }
        self._send(session, "READY", json.dumps(ready))
        for guild in guilds:
            self._send_guild(session, guild)

    def _send_guild(self, session: Session, guild: Guild) -> None:
        obfuscate = self._context.options.obfuscate_channels
        shown = serialize_guild_create(self._context.state, guild, session.application, obfuscate=obfuscate)
        self._send(session, "GUILD_CREATE", json.dumps(shown))

    def _resume(self, connection: Connection, payload: Json) -> None:
        session = self.sessions.get(str(payload.get("session_id")))
        sequence = int(payload.get("seq") or 0)
        if session is None or session.application.token != str(payload.get("token", "")).removeprefix("Bot "):
            connection.send(frame(_INVALID, payload=False))
        # Only a client with a wrong counter can name an event that was never sent.
        elif sequence > session.sequence:
            why = f"RESUME names sequence {sequence}, the last one sent was {session.sequence}"
            self._close(connection, _BAD_SEQUENCE, why)
        # The events after this one are no longer kept, so nothing could be replayed without a gap.
        elif not session.can_resume(sequence):
            connection.send(frame(_INVALID, payload=False))
        else:
            self.resumes += 1
            session.replay(connection, sequence)

    def _send_members(self, connection: Connection, payload: Json) -> None:
        session = self._session(connection)
        guild = self._context.state.guilds.get(int(payload["guild_id"]))
        # Discord ignores a request for members of a guild that the bot is not in.
        if session is None or guild is None:
            return
        wanted = payload.get("user_ids")
        ids = {int(one) for one in ([wanted] if isinstance(wanted, str) else wanted or ())}
        members = [member for user_id, member in guild.members.items() if not ids or user_id in ids]
        chunk: Json = {"guild_id": str(guild.id), "members": [serialize_member(member) for member in members]}
        chunk |= {"chunk_index": 0, "chunk_count": 1, "not_found": [], "presences": []}
        if "nonce" in payload:
            chunk["nonce"] = payload["nonce"]
        self._send(session, "GUILD_MEMBERS_CHUNK", json.dumps(chunk))

    # Events

    def dispatch(self, event: Event) -> None:
        """Send an event to every session that may see it."""
        # A payload is serialized once for all sessions that may read it, and once without content.
        full = hidden = ""
        for session in list(self.sessions.values()):
            self._send_joined_guild(session, event)
            if not self._may_see(session, event):
                if event.channel is not None and self._is_obfuscated(session, event):
                    self._send(session, event.name, json.dumps(serialize_hidden_channel(event.channel)))
                continue
            # Discord delivers at least once: after a hiccup an event may arrive two times.
            twice = 1 + self._context.chance(self._context.options.gateway_dup_events_chance)
            if self._may_read(session, event):
                full = full or json.dumps(event.payload, separators=(",", ":"))
                self._send(session, event.name, full, twice, _message_id(event))
            else:
                hidden = hidden or json.dumps(hide_content(event.payload), separators=(",", ":"))
                self._send(session, event.name, hidden, twice, _message_id(event))

    def _send_joined_guild(self, session: Session, event: Event) -> None:
        """Send a bot the guild that it has just joined."""
        guild = self._context.state.guilds.get(event.guild_id or 0)
        if guild is None or event.name != "GUILD_MEMBER_ADD" or not session.receives(guild.id):
            return
        if event.payload["user"]["id"] == str(session.application.user.id):
            self._send_guild(session, guild)

    def _send(
        self, session: Session, name: str, payload: str, times: int = 1, message_id: int | None = None
    ) -> None:
        context = self._context
        # Checked here and not in tests, so that every suite that uses a twin checks what it sends.
        if context.conformance is not None:
            context.conformance.check_event(name, json.loads(payload))
        context.log.add_event(context.clock.now(), name, session.application.id, payload, message_id)
        session.dispatch(name, payload, times)

    def _is_obfuscated(self, session: Session, event: Event) -> bool:
        """Return whether a bot that may not view a channel receives its event without the channel's data."""
        return (
            self._context.options.obfuscate_channels
            and event.name in {"CHANNEL_CREATE", "CHANNEL_UPDATE"}
            and event.guild_id is not None
            and session.receives(event.guild_id)
            and bool(session.intents & Intent.GUILDS)
        )

    def _may_see(self, session: Session, event: Event) -> bool:
        # Interactions go to one application and need no intent.
        if event.application_id is not None:
            return event.application_id == session.application.id and session.receives(event.guild_id)
        if not session.receives(event.guild_id) or (event.message is not None and event.message.is_ephemeral):
            return False
        guild = self._context.state.guilds.get(event.guild_id or 0)
        if guild is not None and session.application.user.id not in guild.members:
            return False
        needed = needed_intent(event.name, in_guild=event.guild_id is not None)
        if needed and not session.intents & needed:
            return False
        # A deleted channel has no permissions any more; its DELETE event goes to all sessions.
        if event.channel is None or event.channel.id not in self._context.state.channels:
            return True
        granted = self._context.state.permissions(session.application.user, event.channel)
        return bool(granted & Permission.VIEW_CHANNEL)

    def _may_read(self, session: Session, event: Event) -> bool:
        if event.message is None or event.channel is None or session.intents & Intent.MESSAGE_CONTENT:
            return True
        return can_read_content(self._context, session.application, event.channel, event.message)

    # What tests do

    def drop(self, code: int = 4000) -> None:
        """Close all connections with a code."""
        for connection in self.connections:
            connection.close(code)

    def abort(self) -> None:
        """Break all connections without a close code."""
        for connection in self.connections:
            connection.abort()

    def ask_reconnect(self) -> None:
        """Ask all clients to reconnect and resume (op 7)."""
        for connection in self.connections:
            connection.send(frame(_RECONNECT))

    def invalidate(self, *, resumable: bool) -> None:
        """Tell all clients that their session is invalid (op 9)."""
        # Op 9 with `false`: the client must identify again.
        if not resumable:
            self.sessions.clear()
        for connection in self.connections:
            connection.send(frame(_INVALID, resumable))


def _message_id(event: Event) -> int | None:
    """Return the message that an event is about."""
    if event.message is not None:
        return event.message.id
    # Reactions and votes name their message; a deletion has its id.
    named = event.payload.get("message_id") or (
        event.payload.get("id") if event.name == "MESSAGE_DELETE" else None
    )
    return int(named) if named else None

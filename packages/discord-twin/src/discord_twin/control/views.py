"""What the control API returns: Discord's own shapes, with what a test asks for besides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..state.message_serializers import serialize_message
from ..state.serializers import serialize_channel, serialize_role, serialize_user

if TYPE_CHECKING:
    from ..faults import Fault
    from ..request_log import Record, SentEvent
    from ..server import Twin
    from ..state.models import Application, Channel, Guild, Interaction, Json, Message, Role, User

MAX_BODY_CHARS = 20_000
"""Characters of a request body that are shown; a longer one is cut."""
_SECRET_CHARS = 32
_MAX_EXACT = 1 << 53


def user_view(user: User) -> Json:
    """Show a user."""
    return serialize_user(user)


def role_view(role: Role) -> Json:
    """Show a role."""
    return serialize_role(role)


def application_view(application: Application) -> Json:
    """Show a bot with its token, which opens nothing but this twin."""
    return {"id": str(application.id), "name": application.user.name, "token": application.token}


def channel_view(channel: Channel) -> Json:
    """Show a channel or thread."""
    return serialize_channel(channel)


def guild_view(twin: Twin, guild: Guild) -> Json:
    """Show a guild with its channels, roles and members."""
    channels = twin.state.channels
    return {
        "id": str(guild.id),
        "name": guild.name,
        "owner_id": str(guild.owner_id),
        "channels": [channel_view(channels[one]) for one in guild.channel_ids if one in channels],
        "roles": [role_view(one) for one in guild.roles.values()],
        "members": [user_view(one.user) for one in guild.members.values()],
    }


def message_view(twin: Twin, message: Message) -> Json:
    """Show a message as Discord does, with the name over it and who reacted."""
    return {
        **serialize_message(twin.state, message),
        "name": message.shown_name,
        "ephemeral": message.is_ephemeral,
        "reacted": {key: [str(one) for one in people] for key, people in message.reactions.items()},
    }


def interaction_view(twin: Twin, interaction: Interaction) -> Json:
    """Show an interaction with the bot's first answer to it."""
    original = interaction.original
    return {
        "id": str(interaction.id),
        "type": int(interaction.type),
        "name": interaction.name,
        "responded": interaction.responded,
        "answer": interaction.callback,
        "message": message_view(twin, original) if original is not None else None,
    }


def request_view(record: Record) -> Json:
    """Show a request; secrets in its path are left out."""
    path = record.path.partition("?")[0]
    segments = ("…" if len(one) > _SECRET_CHARS else one for one in path.split("/"))
    return {
        "number": record.number,
        "at": record.at,
        "method": record.method,
        "path": "/".join(segments),
        "route": record.route,
        "status": record.status,
        "code": record.code,
        "why": record.why,
        "scope": record.scope,
        "faults": [one.name for one in record.faults],
        "channel_id": str(record.channel_id) if record.channel_id else None,
        "message_id": str(record.message.id) if record.message is not None else None,
        "body": _body(record),
    }


def _body(record: Record) -> object:
    """Return what the client sent: its JSON, or a line about what else it was."""
    if not record.body:
        return None
    try:
        # Bulk routes take a list.
        body = json.loads(record.body) if record.body.startswith(b"[") else record.json
    except (ValueError, RecursionError):
        return f"{len(record.body)} bytes that are no JSON object"
    body = _exact(body)
    text = json.dumps(body, ensure_ascii=False)
    return body if len(text) <= MAX_BODY_CHARS else f"{text[:MAX_BODY_CHARS]}…"


def _exact(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return JSON with ids as texts: JavaScript rounds numbers above 2^53."""
    if isinstance(value, dict):
        return {key: _exact(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_exact(one) for one in value]
    return str(value) if isinstance(value, int) and abs(value) > _MAX_EXACT else value


def event_view(event: SentEvent) -> Json:
    """Show an event as a bot got it."""
    return {
        "number": event.number,
        "at": event.at,
        "name": event.name,
        "bot_id": str(event.bot_id),
        "message_id": str(event.message_id) if event.message_id else None,
        "data": json.loads(event.payload),
    }


def fault_view(fault: Fault) -> Json:
    """Show a fault that is still to happen."""
    return {
        "kind": fault.kind.name,
        "about": fault.kind.value,
        "routes": [*fault.routes],
        "after": fault.after,
        "times": fault.times,
        "status": fault.status,
        "seconds": fault.seconds,
        "channel_id": str(fault.channel_id) if fault.channel_id else None,
    }

"""The OpenAPI document of the control API, made from its table of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .body_schema import record
from .snapshot import SCHEMA as STATE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..state.models import Json
    from .operations import Operation

VERSION = "1"
"""Of the control API; a change that breaks clients counts it up."""
_TEXT: Json = {"type": "string"}
_NUMBER: Json = {"type": "number"}
_ID: Json = {"type": "string", "description": "A snowflake."}
_OBJECT: Json = {"type": "object"}
_MAYBE_TEXT: Json = {"type": ["string", "null"]}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(name: str) -> Json:
    return {"type": "array", "items": _ref(name)}


def _shape(about: str, /, **fields: Json) -> Json:
    """Describe an object that is returned; it may have more fields."""
    return {"type": "object", "description": about, "properties": fields, "required": [*fields]}


SCHEMAS: Json = {
    "Error": _shape("Why a request was refused.", error=_TEXT),
    "User": _shape("A user, as Discord shows one.", id=_ID, username=_TEXT),
    "Role": _shape("A role, as Discord shows one.", id=_ID, name=_TEXT, permissions=_TEXT),
    "Bot": _shape("A bot and its token, which opens nothing but this twin.", id=_ID, name=_TEXT, token=_TEXT),
    "Channel": _shape("A channel or thread, as Discord shows one.", id=_ID, type=_NUMBER),
    "Guild": _shape(
        "A guild.",
        id=_ID,
        name=_TEXT,
        owner_id=_ID,
        channels=_list("Channel"),
        roles=_list("Role"),
        members=_list("User"),
    ),
    "Guilds": _shape("All guilds.", guilds=_list("Guild")),
    "Message": _shape(
        "A message as Discord shows one, with the name over it and the ids of those who reacted.",
        id=_ID,
        channel_id=_ID,
        content=_TEXT,
        author=_OBJECT,
        embeds={"type": "array"},
        components={"type": "array"},
        attachments={"type": "array"},
        name=_TEXT,
        ephemeral={"type": "boolean"},
        reacted=_OBJECT,
    ),
    "Messages": _shape("Messages, oldest first.", messages=_list("Message")),
    "Interaction": _shape(
        "A command, a press or a form; `answer` is the bot's first answer, `message` what it shows.",
        id=_ID,
        type=_NUMBER,
        name=_TEXT,
        responded={"type": "boolean"},
        answer={"type": ["object", "null"]},
        message={"anyOf": [_ref("Message"), {"type": "null"}]},
    ),
    "Request": _shape(
        "A request of a bot; `why` says what was wrong with it.",
        number=_NUMBER,
        at=_NUMBER,
        method=_TEXT,
        path=_TEXT,
        route=_TEXT,
        status=_NUMBER,
        code=_NUMBER,
        why=_TEXT,
        scope=_TEXT,
        faults={"type": "array", "items": _TEXT},
        channel_id=_MAYBE_TEXT,
        message_id=_MAYBE_TEXT,
        body={},
    ),
    "Requests": _shape("Requests, oldest first.", requests=_list("Request")),
    "Event": _shape(
        "A gateway event as one bot got it.",
        number=_NUMBER,
        at=_NUMBER,
        name=_TEXT,
        bot_id=_ID,
        message_id=_MAYBE_TEXT,
        data=_OBJECT,
    ),
    "Events": _shape("Events, oldest first.", events=_list("Event")),
    "History": _shape("What was about one message.", requests=_list("Request"), events=_list("Event")),
    "Pings": _shape("Notifications of people.", pings={"type": "array", "items": _OBJECT}),
    "Fault": _shape(
        "A fault that is still to happen.", kind=_TEXT, about=_TEXT, routes={"type": "array", "items": _TEXT}
    ),
    "Faults": _shape("Faults.", pending=_list("Fault"), fired=_OBJECT, kinds=_OBJECT),
    "Disturbed": _shape("How many connections it was.", connections=_NUMBER),
    "Outage": _shape("How long nothing answers.", seconds=_NUMBER),
    "Clock": _shape(
        "Time in seconds since 1970.", now=_NUMBER, speed={"type": ["number", "null"]}, advanced=_NUMBER
    ),
    "Options": {"type": "object", "description": "Options by the names of TwinOptions."},
    "State": STATE,
    "Loaded": _shape("The new id of each id in the document.", ids=_OBJECT, messages=_NUMBER),
    "Found": {
        "type": "object",
        "description": "A message, an interaction, lists of requests or events, or names of bots.",
    },
    "Twin": _shape(
        "The twin.",
        url=_TEXT,
        api=_TEXT,
        gateway=_TEXT,
        as_of=_TEXT,
        guild_id=_ID,
        channel=_ref("Channel"),
        user=_ref("User"),
        bots=_list("Bot"),
        connected=_NUMBER,
        unknown_routes=_OBJECT,
        conformance={"type": ["object", "null"]},
    ),
}

_ERRORS = {
    "400": "The body does not fit.",
    "404": "There is no such thing.",
    "409": "Discord would not offer this, or it cannot be done now.",
    "504": "What was waited for did not come.",
}


def describe_api(operations: Iterable[Operation]) -> Json:
    """Return the document."""
    paths: dict[str, Json] = {}
    for operation in operations:
        path = f"/{operation.path}".rstrip("/") or "/"
        paths.setdefault(path, {})[operation.method.lower()] = _describe(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "discord-twin control API",
            "version": VERSION,
            "description": "Prepare a local Discord, act as its users, inject faults and look at what a bot did.",
        },
        "servers": [{"url": "/control"}],
        "paths": paths,
        "components": {"schemas": SCHEMAS},
    }


def _describe(operation: Operation) -> Json:
    described: Json = {
        "summary": operation.summary,
        "operationId": _name(operation),
        "responses": _responses(operation),
    }
    parameters = [
        {"name": one[1:-1], "in": "path", "required": True, "schema": _TEXT}
        for one in operation.segments
        if one.startswith("{")
    ]
    parameters += [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in operation.query.items()
    ]
    if parameters:
        described["parameters"] = parameters
    schema = STATE if operation.returns == "Loaded" else record() if operation.is_any_body else None
    if operation.body:
        schema = record(operation.body, operation.required)
    if schema is not None:
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return described


def _name(operation: Operation) -> str:
    words = [one.strip("{}") for one in operation.path.replace("-", "/").split("/") if one]
    return operation.method.lower() + "".join(word.capitalize() for word in words or ["twin"])


def _responses(operation: Operation) -> Json:
    responses: Json = {
        status: {"description": about, "content": {"application/json": {"schema": _ref("Error")}}}
        for status, about in _ERRORS.items()
    }
    if not operation.returns:
        return {"204": {"description": "Done."}, **responses}
    content = {"application/json": {"schema": _ref(operation.returns)}}
    return {"200": {"description": operation.summary, "content": content}, **responses}

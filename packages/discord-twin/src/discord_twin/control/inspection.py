"""Operations that look: messages, requests, events, and waiting for any of them."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..state.enums import MessageFlag
from .body_schema import integer, number, text
from .faults import ROUTE_NAMES
from .lookup import find_channel, find_interaction, find_message, is_id
from .message_history import message_history
from .operations import ControlError, OperationList
from .user_actions import MAX_WAIT_S
from .views import event_view, interaction_view, message_view, request_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..request_log import Record, SentEvent
    from ..server import Twin
    from ..state.models import Interaction, Json, Message
    from .operations import ControlCall

operations = OperationList()
_DEFAULT_WAIT_S = 5.0
_MAX_LISTED = 1000
_LIMIT = integer("How many at most; 100 if left out.", 1, _MAX_LISTED)
_AFTER = integer("Only those with a greater number.")


def _list(call: ControlCall, found: Iterator[Any], view: Callable[[Any], Json]) -> list[Json]:
    """Return the newest of a list that is read from its end."""
    newest = [*islice(found, call.query.get("limit", 100))]
    return [view(one) for one in reversed(newest)]


def _requests(twin: Twin, given: Json) -> Iterator[Record]:
    """Yield the requests that fit, newest first."""
    for record in reversed(twin.log.requests):
        if record.number <= given.get("after", 0):
            return
        if "route" in given and record.route != given["route"]:
            continue
        if "status" in given and record.status != given["status"]:
            continue
        yield record


def _events(twin: Twin, given: Json) -> Iterator[SentEvent]:
    for event in reversed(twin.log.events):
        if event.number <= given.get("after", 0):
            return
        if given.get("name", event.name) == event.name:
            yield event


@operations.add(
    "GET",
    "requests",
    query={
        "route": text("Such as messages.create.", choices=ROUTE_NAMES),
        "status": integer("Of HTTP.", 0, 599),
        "after": _AFTER,
        "limit": _LIMIT,
    },
    returns="Requests",
)
async def _list_requests(call: ControlCall) -> Json:
    """List requests of bots, oldest first."""
    return {"requests": _list(call, _requests(call.twin, call.query), request_view)}


@operations.add(
    "GET",
    "events",
    query={"name": text("Such as MESSAGE_CREATE.", max_chars=100), "after": _AFTER, "limit": _LIMIT},
    returns="Events",
)
async def _list_events(call: ControlCall) -> Json:
    """List gateway events that bots were sent, oldest first."""
    return {"events": _list(call, _events(call.twin, call.query), event_view)}


@operations.add(
    "GET",
    "messages",
    query={
        "channel": text("Id or name; the first one if left out.", max_chars=100),
        "after": text("Only newer messages than this id.", max_chars=20),
        "limit": _LIMIT,
    },
    returns="Messages",
)
async def _list_messages(call: ControlCall) -> Json:
    """List messages of a channel, oldest first."""
    channel = find_channel(call.twin, call.query.get("channel"))
    after = call.query.get("after", "0")
    if not is_id(after):
        raise ControlError(400, "after is the id of a message")
    newest = (one for one in reversed(channel.messages.values()) if one.id > int(after))
    return {"messages": _list(call, newest, lambda one: message_view(call.twin, one))}


@operations.add("GET", "messages/{message}", returns="Message")
async def _read_message(call: ControlCall) -> Json:
    """Read a message."""
    return message_view(call.twin, find_message(call.twin, call.ids["message"]))


@operations.add("GET", "messages/{message}/history", returns="History")
async def _read_history(call: ControlCall) -> Json:
    """List the requests and events about one message."""
    given = call.ids["message"]
    if not is_id(given):
        raise ControlError(404, f"there is no message {given[:100]!r}")
    return message_history(call.twin, int(given))


@operations.add("GET", "pings", returns="Pings")
async def _list_pings(call: ControlCall) -> Json:
    """List who was notified of what."""
    pings = [
        {
            "message_id": str(one.message_id),
            "channel_id": str(one.channel_id),
            "kind": one.kind,
            "user_ids": [str(user_id) for user_id in sorted(one.user_ids)],
        }
        for one in call.twin.log.pings[-_MAX_LISTED:]
    ]
    return {"pings": pings}


# Waiting


@operations.add(
    "POST",
    "next-message",
    {
        "channel": text("Id or name; the first one if left out.", max_chars=100),
        "timeout": number("Seconds; 5 if left out.", maximum=MAX_WAIT_S),
    },
    returns="Message",
)
async def _next_message(call: ControlCall) -> Json:
    """Wait for the oldest bot message that this call has not returned yet."""
    channel = find_channel(call.twin, call.body.get("channel"))
    timeout = call.body.get("timeout", _DEFAULT_WAIT_S)
    try:
        return message_view(call.twin, await call.twin.next_message(channel, timeout))
    except TimeoutError as error:
        raise ControlError(504, str(error)) from None


async def _wait_until_quiet(call: ControlCall) -> Json:
    """Wait until the bot has made no request for some time: then it will not answer any more."""
    log, loop = call.twin.log, asyncio.get_running_loop()
    quiet, timeout = call.body.get("seconds", 0.5), call.body.get("timeout", _DEFAULT_WAIT_S)
    end = loop.time() + timeout
    seen, since = _last_number(call.twin), loop.time()
    while loop.time() - since < quiet:
        if loop.time() >= end:
            raise ControlError(504, f"the bot was never quiet for {quiet:g} s within {timeout:g} s")
        await asyncio.sleep(min(0.05, quiet))
        if _last_number(call.twin) != seen:
            seen, since = _last_number(call.twin), loop.time()
    return {"number": seen, "requests": len(log.requests)}


def _last_number(twin: Twin) -> int:
    return twin.log.requests[-1].number if twin.log.requests else 0


def _is_ready(call: ControlCall) -> Json | None:
    connected = [one for one in call.twin.gateway.sessions.values() if one.connection]
    return {"bots": [one.application.user.name for one in connected]} if connected else None


def _find_commands(call: ControlCall) -> Json | None:
    """Return the names of the commands that bots have registered, everywhere and in guilds."""
    state = call.twin.state
    own = [one for application in state.applications.values() for one in application.commands.values()]
    own += [one for commands in state.guild_commands.values() for one in commands.values()]
    names = sorted({one["name"] for one in own})
    wanted = call.body.get("name")
    return {"commands": names} if names and (wanted is None or wanted in names) else None


def _find_bot_message(call: ControlCall) -> Json | None:
    """Return the oldest message of a bot that fits."""
    body = call.body
    after = int(body["after_message"]) if is_id(body.get("after_message", "")) else 0
    channels = call.twin.state.channels.values()
    places = [find_channel(call.twin, body["channel"])] if "channel" in body else [*channels]
    found = [
        one
        for place in places
        for one in _newer(place.messages, after)
        if one.by_machine
        and not one.draft.flags & MessageFlag.LOADING
        and body.get("contains", "") in one.content
    ]
    oldest = min(found, key=lambda one: one.id, default=None)
    return message_view(call.twin, oldest) if oldest is not None else None


def _newer(messages: dict[int, Message], after: int) -> Iterator[Message]:
    for message_id in reversed(messages):
        if message_id <= after:
            return
        yield messages[message_id]


def _find_requests(call: ControlCall) -> Json | None:
    found = [*islice(_requests(call.twin, call.body), _MAX_LISTED)]
    if len(found) < call.body.get("count", 1):
        return None
    return {"requests": [request_view(one) for one in reversed(found)]}


def _find_events(call: ControlCall) -> Json | None:
    found = [*islice(_events(call.twin, call.body), _MAX_LISTED)]
    if len(found) < call.body.get("count", 1):
        return None
    return {"events": [event_view(one) for one in reversed(found)]}


def _find_answer(call: ControlCall) -> Json | None:
    """Return an interaction whose answer is there, not only announced as "is thinking"."""
    if "interaction" not in call.body:
        raise ControlError(400, "body: the field interaction is missing")
    interaction = find_interaction(call.twin, call.body["interaction"])
    return interaction_view(call.twin, interaction) if _is_answered(interaction) else None


def _is_answered(interaction: Interaction) -> bool:
    original = interaction.original
    if original is not None and original.draft.flags & MessageFlag.LOADING:
        return False
    return interaction.responded


_LOOKS: dict[str, Callable[[ControlCall], Json | None]] = {
    "ready": _is_ready,
    "commands": _find_commands,
    "message": _find_bot_message,
    "request": _find_requests,
    "event": _find_events,
    "answer": _find_answer,
}


@operations.add(
    "POST",
    "wait",
    {
        "for": text("What to wait for.", choices=(*_LOOKS, "quiet")),
        "timeout": number("Seconds; 5 if left out.", maximum=MAX_WAIT_S),
        "seconds": number("For quiet: how long no request may come; 0.5 if left out.", maximum=MAX_WAIT_S),
        "channel": text("For a message: id or name of its channel.", max_chars=100),
        "contains": text("For a message: a part of its text.", max_chars=4000),
        "after_message": text("For a message: it is newer than this id.", max_chars=20),
        "route": text("For requests: such as messages.create.", choices=ROUTE_NAMES),
        "status": integer("For requests.", 0, 599),
        "name": text("For events and commands.", max_chars=100),
        "interaction": text("For an answer: its id.", max_chars=20),
        "after": _AFTER,
        "count": integer("How many requests or events; 1 if left out.", 1, _MAX_LISTED),
    },
    required=("for",),
    returns="Found",
)
async def _wait(call: ControlCall) -> Json | None:
    """Wait for a bot, its commands, a message, requests, events, an answer, or for quiet."""
    wanted = call.body["for"]
    if wanted == "quiet":
        return await _wait_until_quiet(call)
    timeout = call.body.get("timeout", _DEFAULT_WAIT_S)
    try:
        return await call.twin.until(lambda: _LOOKS[wanted](call), timeout)
    except TimeoutError as error:
        raise ControlError(504, f"for {wanted}: {error}") from None

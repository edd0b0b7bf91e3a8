"""Operations that act as a user: write, react, press buttons, use commands, fill in forms."""

from __future__ import annotations

import base64
import binascii
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..users.interactions import OptionType, find_option_types
from .body_schema import array, boolean, integer, number, record, text
from .lookup import (
    find_channel,
    find_guild,
    find_interaction,
    find_message,
    find_person,
    find_role,
    find_user,
)
from .operations import ControlError, OperationList
from .views import channel_view, interaction_view, message_view

if TYPE_CHECKING:
    from ..state.models import Channel, Interaction, Json, User
    from .operations import ControlCall

operations = OperationList()
MAX_WAIT_S = 60.0
_NAME = text("Id or name.", max_chars=100)
_AS = {"user": text("Id or name of the user who does it; the first one if left out.", max_chars=100)}
_WHERE = {**_AS, "channel": text("Id or name; the first one if left out.", max_chars=100)}
_MESSAGE = {**_AS, "message": text("Id of a message.", max_chars=20)}
_WAIT = {"wait": number("Seconds to wait for the bot's first answer; 3 if left out.", maximum=MAX_WAIT_S)}
_FILES = array(
    record(
        {"name": text("File name.", max_chars=260), "data": text("Base64.", max_chars=40 << 20)},
        ("name", "data"),
    ),
    "Files of the message.",
    maximum=10,
)


def _user(call: ControlCall) -> User:
    return find_person(call.twin, call.body.get("user"))


def _channel(call: ControlCall) -> Channel:
    return find_channel(call.twin, call.body.get("channel"))


def _read_file(given: Json) -> tuple[str, bytes]:
    try:
        return str(given["name"]), base64.b64decode(str(given["data"]), validate=True)
    except (KeyError, TypeError, binascii.Error, ValueError):
        raise ControlError(400, 'a file is {"name": ..., "data": base64}') from None


# Messages


@operations.add(
    "POST",
    "say",
    {
        **_WHERE,
        "text": text("What is written.", max_chars=4000),
        "reply_to": text("Id of a message.", max_chars=20),
        "files": _FILES,
        "silent": boolean("Without notifications."),
    },
    returns="Message",
)
async def _say(call: ControlCall) -> Json:
    """Write a message."""
    body = call.body
    reply = find_message(call.twin, body["reply_to"]) if "reply_to" in body else None
    files = dict(map(_read_file, body.get("files", ())))
    if not body.get("text") and not files:
        raise ControlError(400, "a message has a text or files")
    message = call.twin.say(
        _channel(call), _user(call), body.get("text", ""),
        reply_to=reply, files=files, silent=body.get("silent", False),
    )  # fmt: skip
    return message_view(call.twin, message)


@operations.add(
    "POST",
    "edit",
    {"message": _MESSAGE["message"], "text": text("The new text.", max_chars=4000)},
    required=("message", "text"),
    returns="Message",
)
async def _edit(call: ControlCall) -> Json:
    """Edit a user's message."""
    message = find_message(call.twin, call.body["message"])
    if message.by_machine:
        raise ControlError(409, "users can edit messages of users only")
    call.twin.edit(message, call.body["text"])
    return message_view(call.twin, message)


@operations.add("POST", "delete", {"message": _MESSAGE["message"]}, required=("message",))
async def _delete(call: ControlCall) -> None:
    """Delete any message, as a moderator."""
    call.twin.delete(find_message(call.twin, call.body["message"]))


@operations.add(
    "POST",
    "react",
    {
        **_MESSAGE,
        "emoji": text("A character, or name:id of a custom emoji.", max_chars=100),
        "on": boolean("False takes it back."),
    },
    required=("message", "emoji"),
    returns="Message",
)
async def _react(call: ControlCall) -> Json:
    """React, or take a reaction back."""
    message = find_message(call.twin, call.body["message"])
    call.twin.users.react(message, call.body["emoji"], _user(call), on=call.body.get("on", True))
    return message_view(call.twin, message)


@operations.add(
    "POST",
    "vote",
    {**_MESSAGE, "answer": integer("Counted from 1.", 1, 10), "on": boolean("False takes it back.")},
    required=("message", "answer"),
    returns="Message",
)
async def _vote(call: ControlCall) -> Json:
    """Vote in a poll."""
    message = find_message(call.twin, call.body["message"])
    call.twin.users.vote(message, call.body["answer"], _user(call), on=call.body.get("on", True))
    return message_view(call.twin, message)


@operations.add("POST", "pin", _MESSAGE, required=("message",), returns="Message")
async def _pin(call: ControlCall) -> Json:
    """Pin a message."""
    message = find_message(call.twin, call.body["message"])
    call.twin.users.pin(message, _user(call))
    return message_view(call.twin, message)


@operations.add(
    "POST",
    "threads",
    {
        **_WHERE,
        "name": text("Its name.", max_chars=100),
        "message": text("Id of the message where it starts.", max_chars=20),
        "text": text("Its first message; a post needs one.", max_chars=4000),
    },
    required=("name",),
    returns="Channel",
)
async def _start_thread(call: ControlCall) -> Json:
    """Start a thread, or a post in a forum."""
    body = call.body
    message = find_message(call.twin, body["message"]) if "message" in body else None
    thread = call.twin.users.start_thread(
        _channel(call), _user(call), body["name"], message=message, text=body.get("text", "")
    )
    return channel_view(thread)


@operations.add("POST", "direct", _AS, returns="Channel")
async def _open_dm(call: ControlCall) -> Json:
    """Open the direct messages of a user and the bot."""
    return channel_view(call.twin.dm(_user(call)))


@operations.add("POST", "typing", _WHERE)
async def _type(call: ControlCall) -> None:
    """Be seen typing."""
    call.twin.users.type(_channel(call), _user(call))


# Interactions


@operations.add(
    "POST",
    "press",
    {
        **_MESSAGE,
        "id": text("The custom_id.", max_chars=100),
        "values": array(
            text("A value; @name and #name are users, roles and channels.", max_chars=100),
            "What is chosen.",
            25,
        ),
        **_WAIT,
    },
    required=("message", "id"),
    returns="Interaction",
)
async def _press(call: ControlCall) -> Json:
    """Press a button, or choose from a menu."""
    body = call.body
    message = find_message(call.twin, body["message"])
    values = [_named_value(call, one) for one in body["values"]] if "values" in body else None
    return await _answered(call, call.twin.press(message, body["id"], _user(call), values=values))


@operations.add(
    "POST",
    "slash",
    {
        **_WHERE,
        "name": text("Its name; sub-commands are further words.", max_chars=100),
        "options": record(
            about="Values by name. Users, roles and channels by id or name; a file as name and data."
        ),
        **_WAIT,
    },
    required=("name",),
    returns="Interaction",
)
async def _slash(call: ControlCall) -> Json:
    """Use a slash command."""
    channel, user, name = _channel(call), _user(call), call.body["name"]
    options = _options(call, channel, user, name, call.body.get("options", {}))
    return await _answered(call, call.twin.users.slash(channel, user, name, **options))


@operations.add(
    "POST",
    "complete",
    {
        **_WHERE,
        "name": text("The command.", max_chars=100),
        "typing": text("The option.", max_chars=32),
        "options": record(about="Values by name, also of the option that is being typed."),
        **_WAIT,
    },
    required=("name", "typing"),
    returns="Interaction",
)
async def _complete(call: ControlCall) -> Json:
    """Type into an option, so that the bot suggests values."""
    channel, user, name = _channel(call), _user(call), call.body["name"]
    given, typing = dict(call.body.get("options", {})), call.body["typing"]
    # What is being typed stays text; the other options have their types.
    half = str(given.pop(typing, ""))
    options = {**_options(call, channel, user, name, given), typing: half}
    return await _answered(call, call.twin.users.complete(channel, user, name, typing, **options))


@operations.add(
    "POST",
    "menu",
    {**_WHERE, "name": _NAME, "message": _MESSAGE["message"], "target": _NAME, **_WAIT},
    required=("name",),
    returns="Interaction",
)
async def _menu(call: ControlCall) -> Json:
    """Use a command from the menu of a message or a user."""
    twin, body = call.twin, call.body
    if ("message" in body) == ("target" in body):
        raise ControlError(400, "name either a message or a target user")
    if "message" in body:
        message = find_message(twin, body["message"])
        channel = twin.state.channels[message.channel_id]
        return await _answered(call, twin.users.menu(message, _user(call), body["name"], channel))
    target = find_user(twin, body["target"])
    return await _answered(call, twin.users.menu(target, _user(call), body["name"], _channel(call)))


@operations.add(
    "POST",
    "submit",
    {
        **_AS,
        "interaction": text("Id of the interaction.", max_chars=20),
        "values": record(about="Values by custom_id; fields that are left out keep what they show."),
        **_WAIT,
    },
    required=("interaction",),
    returns="Interaction",
)
async def _submit(call: ControlCall) -> Json:
    """Fill in the form that a bot answered an interaction with."""
    modal = find_interaction(call.twin, call.body["interaction"])
    user = find_person(call.twin, call.body["user"]) if "user" in call.body else modal.user
    values = {key: _field_value(value) for key, value in call.body.get("values", {}).items()}
    return await _answered(call, call.twin.users.submit(modal, user, values))


def _field_value(value: Any) -> Any:  # noqa: ANN401 - from outside
    """Return a field of a form as it was filled in; uploads come as name and content."""
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return [_read_file(one) for one in value]
    return value


def _named_value(call: ControlCall, value: str) -> str:
    """Return what was chosen in a menu; users, roles and channels may be named."""
    if value.startswith(("@", "#")):
        return str(_mentionable(call, value).id)
    return value


def _mentionable(call: ControlCall, given: str) -> Any:  # noqa: ANN401 - a user, role or channel
    if given.startswith("#"):
        return find_channel(call.twin, given)
    try:
        return find_user(call.twin, given)
    except ControlError:
        return find_role(find_guild(call.twin, None), given)


def _options(call: ControlCall, channel: Channel, user: User, name: str, given: Json) -> dict[str, Any]:
    """Return the options of a command with their types: ids and names become users, channels and roles."""
    kinds = find_option_types(call.twin.context, channel, user, name)
    return {key: _value(call, kinds.get(key), value) for key, value in given.items()}


def _value(call: ControlCall, kind: int | None, given: Any) -> object:  # noqa: ANN401 - from outside
    twin = call.twin
    if kind == OptionType.USER:
        return find_user(twin, str(given))
    if kind == OptionType.CHANNEL:
        return find_channel(twin, str(given))
    if kind == OptionType.ROLE:
        return find_role(find_guild(twin, None), str(given))
    if kind == OptionType.MENTIONABLE:
        return _mentionable(call, str(given))
    if kind == OptionType.FILE:
        return _read_file(given)
    return given


async def _answered(call: ControlCall, interaction: Interaction) -> Json:
    """Wait for the bot's first answer, as long as Discord does."""
    seconds = call.body.get("wait", call.twin.options.interaction_deadline_s)
    # `responded` says so: that a bot does not answer is something to test, too.
    with suppress(TimeoutError):
        await call.twin.until(lambda: interaction.responded, seconds)
    return interaction_view(call.twin, interaction)

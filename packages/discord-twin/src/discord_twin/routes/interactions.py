"""Answers to interactions: the first within three seconds, all others within fifteen minutes.

https://docs.discord.com/developers/interactions/receiving-and-responding
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form
from ..rest.message_create import Author, compose, recompose, record_pings, write
from ..rest.routing import NO_CONTENT, Call, Reply, Route, is_true
from ..state.enums import InteractionType, MessageFlag, MessageType
from ..state.message_serializers import serialize_message
from ..state.models import Draft
from ..state.permissions import Permission
from ..validation.commands import CHOICES
from ..validation.modals import MODAL
from ..validation.table import check

if TYPE_CHECKING:
    from ..state.models import Channel, Interaction, Json, Message

# Command types of a user menu and a message menu.
_MENUS = frozenset({2, 3})
_USER_INSTALL_FOLLOWUPS = 5
# Callback types: https://docs.discord.com/developers/interactions/receiving-and-responding
_PONG, _MESSAGE, _DEFER, _DEFER_UPDATE, _UPDATE, _CHOICES, _MODAL = 1, 4, 5, 6, 7, 8, 9


def loaded(draft: Draft) -> Draft:
    """Return a draft without "is thinking..."."""
    return replace(draft, flags=draft.flags & ~MessageFlag.LOADING)


def _author(call: Call, interaction: Interaction) -> Author:
    user = call.state.applications[interaction.application_id].user
    return Author(user, "interaction", interaction=interaction)


def _channel(call: Call, interaction: Interaction) -> Channel:
    channel = call.state.channels.get(interaction.channel_id)
    if channel is None:
        raise ApiError(10003)
    return channel


# The first answer


def respond(call: Call) -> Reply:
    """POST /interactions/{interaction_id}/{token}/callback ."""
    interaction = call.state.interactions.get(call.ids["token"])
    if interaction is None or str(interaction.id) != call.ids["interaction_id"]:
        raise ApiError(10062)
    # Checked before the deadline: a second answer is always 40060.
    if interaction.responded:
        raise ApiError(40060)
    if call.state.now() - interaction.created_at > call.options.interaction_deadline_s:
        raise ApiError(10062)
    kind = call.payload.get("type")
    message = _apply_callback(call, interaction, kind)
    interaction.responded, interaction.callback = True, dict(call.payload)
    if not is_true(call.query.get("with_response")):
        return NO_CONTENT
    return Reply(_serialize_callback(call, interaction, message, kind))


def _apply_callback(call: Call, interaction: Interaction, kind: object) -> Message | None:
    channel = _channel(call, interaction)
    said: Json = call.payload.get("data") or {}
    if interaction.type is InteractionType.AUTOCOMPLETE and kind not in {_PONG, _CHOICES}:
        raise _wrong_type("a half-typed option is answered with choices only")
    if kind == _MESSAGE:
        draft = compose(call, channel, _author(call, interaction), said, under=("data",))
        interaction.original = _write(call, interaction, _with_user_install_flags(call, interaction, draft))
        return interaction.original
    if kind == _DEFER:
        ephemeral = MessageFlag(int(said.get("flags") or 0)) & MessageFlag.EPHEMERAL
        ephemeral |= _user_install_flags(call, interaction)
        interaction.original = _write(call, interaction, Draft(flags=MessageFlag.LOADING | ephemeral))
        return interaction.original
    # The body of the update is nested under `data`.
    if kind == _UPDATE and interaction.message is not None:
        message, before = interaction.message, interaction.message.draft
        inner = replace_payload(call, said)
        draft = recompose(inner, channel, _author(call, interaction), message, under=("data",))
        call.state.edit(channel, message, draft)
        record_pings(call.context, channel, message, before)
    if kind in {_UPDATE, _DEFER_UPDATE}:
        if interaction.message is None:
            raise _wrong_type("there is no message to update")
        # From now on @original is the message with the button.
        interaction.original = interaction.message
        return interaction.message
    if kind == _MODAL:
        if interaction.type in {InteractionType.MODAL, InteractionType.AUTOCOMPLETE}:
            raise _wrong_type("a modal cannot answer a modal or a half-typed option")
        check(MODAL, said, call.options, ("data",))
    if kind == _CHOICES:
        if interaction.type is not InteractionType.AUTOCOMPLETE:
            raise _wrong_type("only a half-typed option is answered with choices")
        check(CHOICES, said.get("choices") or [], call.options, ("data", "choices"))
    if isinstance(kind, bool) or kind not in {_PONG, _CHOICES, _MODAL}:
        raise invalid_form("type", "BASE_TYPE_CHOICES", "Value must be one of {4, 5, 6, 7, 8, 9}.")
    return None


def _wrong_type(said: str) -> ApiError:
    return invalid_form("type", "INTERACTION_APPLICATION_COMMAND_INVALID_CALLBACK_TYPE", said)


def replace_payload(call: Call, payload: Json) -> Call:
    """Return the same call, as if `payload` were its whole body."""
    form = replace(call.form, payload=payload)
    return replace(call, _form=form)


def _write(call: Call, interaction: Interaction, draft: Draft) -> Message:
    command = interaction.type is InteractionType.COMMAND
    menu = interaction.payload["data"].get("type") in _MENUS
    kind = MessageType.DEFAULT
    # Only the first answer to a command shows "used /name" above it.
    if command:
        kind = MessageType.CONTEXT_MENU_COMMAND if menu else MessageType.CHAT_INPUT_COMMAND
    return write(call, _channel(call, interaction), _author(call, interaction), draft, kind)


def _serialize_callback(call: Call, interaction: Interaction, message: Message | None, kind: object) -> Json:
    about: Json = {"id": str(interaction.id), "type": int(interaction.type)}
    if message is None:
        return {"interaction": about}
    about["response_message_id"] = str(message.id)
    about["response_message_loading"] = bool(message.draft.flags & MessageFlag.LOADING)
    about["response_message_ephemeral"] = message.is_ephemeral
    return {
        "interaction": about,
        "resource": {"type": kind, "message": serialize_message(call.state, message)},
    }


# Everything after it, at the address of a webhook


def _find_answered(call: Call) -> Interaction:
    interaction = call.state.interactions.get(call.ids["webhook_token"])
    if interaction is None or interaction.application_id != call.id("webhook_id", 10015):
        raise ApiError(50027)
    if call.state.now() - interaction.created_at > call.options.interaction_ttl_s:
        raise ApiError(50027)  # https://github.com/Rapptz/discord.py/issues/9856
    # Before the first answer the webhook of the interaction does not exist.
    if not interaction.responded:
        raise ApiError(10015)
    return interaction


def follow_up(call: Call) -> Reply:
    """POST /webhooks/{application_id}/{token} ; always waits, takes no name and no avatar."""
    interaction = _find_answered(call)
    channel, author = _channel(call, interaction), _author(call, interaction)
    cap = _followup_cap(call, interaction)
    if cap and interaction.followups >= cap:
        raise ApiError(40094)
    draft = _with_user_install_flags(call, interaction, compose(call, channel, author, call.payload))
    original = interaction.original
    waiting = None if original is None else channel.messages.get(original.id)
    if waiting is not None and waiting.draft.flags & MessageFlag.LOADING:
        # Documented: right after a deferral this edits the waiting message, and its own flags are ignored.
        kept = waiting.draft.flags & MessageFlag.EPHEMERAL
        draft = replace(draft, flags=(draft.flags & ~MessageFlag.EPHEMERAL) | kept)
        call.state.edit(channel, waiting, draft)
        call.record.message = waiting
        record_pings(call.context, channel, waiting, Draft())
        return Reply(serialize_message(call.state, waiting))
    interaction.followups += 1
    message = write(call, channel, author, draft)
    return Reply(serialize_message(call.state, message))


def _followup_cap(call: Call, interaction: Interaction) -> int:
    """Return how many follow-ups there may be: few where only a user let the application in."""
    return call.options.followup_cap or (0 if "0" in interaction.owners else _USER_INSTALL_FOLLOWUPS)


def _user_install_flags(call: Call, interaction: Interaction) -> MessageFlag:
    """Return EPHEMERAL where users may not use their own applications in public."""
    granted = call.state.permissions(interaction.user, _channel(call, interaction))
    is_hidden = "0" not in interaction.owners and not granted & Permission.USE_EXTERNAL_APPS
    return MessageFlag.EPHEMERAL if is_hidden else MessageFlag(0)


def _with_user_install_flags(call: Call, interaction: Interaction, draft: Draft) -> Draft:
    return replace(draft, flags=draft.flags | _user_install_flags(call, interaction))


def own_message(call: Call) -> tuple[Channel, Message, Author]:
    """Return the answer that `/messages/@original` or an id names."""
    interaction = _find_answered(call)
    channel = _channel(call, interaction)
    if call.ids["message_id"] == "@original":
        message = interaction.original
    else:
        message = channel.messages.get(call.id("message_id", 10008))
    if message is None or message.id not in channel.messages:
        raise ApiError(10008)
    # A token opens only the messages of its own interaction.
    if message.interaction is not interaction and message is not interaction.original:
        raise ApiError(10008)
    return channel, message, _author(call, interaction)


ROUTES = (
    Route(
        "interactions.callback",
        "POST",
        "/interactions/{interaction_id}/{token}/callback",
        respond,
        open=True,
        counted=False,
    ),
)

"""Webhooks: make, list, change, delete, and post through them.

An address `/webhooks/{id}/{token}` is also where interactions are answered, with the application's id.
https://docs.discord.com/developers/resources/webhook
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form
from ..images import read_data_uri
from ..rest.message_create import Author, compose, recompose, record_pings, write
from ..rest.request_body import read_webhook_name
from ..rest.routing import NO_CONTENT, Call, Reply, Route, is_true
from ..state.enums import ChannelType
from ..state.message_serializers import serialize_message
from ..state.models import User
from ..state.permissions import Permission
from ..state.serializers import serialize_webhook
from . import interactions
from .messages import need

if TYPE_CHECKING:
    from ..state.models import Channel, Message, Webhook

# AutoMod and the link filter.
_NOT_SAVED = frozenset({200000, 240000})
_THREAD_NAME_LIMIT = 100
_URL_LIMIT = 2048


def find_webhook(call: Call) -> Webhook:
    """Return the webhook of the path; a wrong token is 401/50027, which does not mean that the bot's is."""
    webhook_id = call.id("webhook_id", 10015)
    webhook = call.state.webhooks.get(webhook_id)
    if webhook is None:
        # Counted, because Cloudflare bans clients that keep calling deleted webhooks.
        dead = call.state.dead_webhooks
        dead[webhook_id] = dead.get(webhook_id, 0) + 1
        raise ApiError(10015)
    if "webhook_token" in call.ids and call.ids["webhook_token"] != webhook.token:
        raise ApiError(50027)
    return webhook


def _read_picture(call: Call, value: str | None) -> str | None:
    if not value:
        return None
    content = read_data_uri(str(value))
    if content is None:
        raise invalid_form("avatar", "BASE_TYPE_BAD_TYPE", "Invalid image data")
    digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
    call.state.pictures[digest] = content
    return digest


# Looking after them


def create(call: Call) -> Reply:
    """POST /channels/{channel_id}/webhooks ."""
    channel = call.channel()
    # 50024: threads use the webhooks of their parent, direct messages have none.
    if channel.is_thread or channel.type is ChannelType.DM:
        raise ApiError(50024)
    need(call, channel, Permission.MANAGE_WEBHOOKS)
    name = read_webhook_name(call.payload.get("name", ""), call.options)
    avatar = _read_picture(call, call.payload.get("avatar"))
    # The limit of a channel and the limit of its guild have different error codes.
    if len(call.state.webhooks_of(channel)) >= call.options.max_webhooks:
        raise ApiError(30007)
    in_guild = [one for one in call.state.webhooks.values() if one.guild_id == channel.guild_id]
    if len(in_guild) >= call.options.max_guild_webhooks:
        raise ApiError(30058)
    webhook = call.state.add_webhook(channel, name, call.bot.user)
    webhook.avatar = avatar
    return Reply(serialize_webhook(webhook))


def list_of_channel(call: Call) -> Reply:
    """GET /channels/{channel_id}/webhooks ."""
    channel = call.channel()
    if channel.is_thread or channel.type is ChannelType.DM:
        raise ApiError(50024)
    need(call, channel, Permission.MANAGE_WEBHOOKS)
    return Reply([_shown(call, webhook) for webhook in call.state.webhooks_of(channel)])


def list_of_guild(call: Call) -> Reply:
    """GET /guilds/{guild_id}/webhooks ."""
    guild_id = call.id("guild_id", 10004)
    if guild_id not in call.state.guilds:
        raise ApiError(10004)
    return Reply([_shown(call, one) for one in call.state.webhooks.values() if one.guild_id == guild_id])


def _shown(call: Call, webhook: Webhook) -> object:
    # Anyone with Manage Webhooks reads the tokens (discord-api-docs#2157), but not of other applications.
    foreign = webhook.application_id not in {None, call.bot.id}
    return serialize_webhook(webhook, with_token=not foreign)


def read(call: Call) -> Reply:
    """GET /webhooks/{webhook_id} , with or without its token."""
    webhook = find_webhook(call)
    if "webhook_token" not in call.ids:
        need(call, call.state.channels[webhook.channel_id], Permission.MANAGE_WEBHOOKS)
        return Reply(_shown(call, webhook))
    shape = serialize_webhook(webhook)
    # The token alone does not show who created the webhook.
    shape.pop("user")
    return Reply(shape)


def change(call: Call) -> Reply:
    """PATCH /webhooks/{webhook_id} , with or without its token; only the bot may move it."""
    webhook = find_webhook(call)
    payload = call.payload
    if "name" in payload:
        webhook.name = read_webhook_name(payload["name"], call.options)
    if "avatar" in payload:
        webhook.avatar = _read_picture(call, payload["avatar"])
    # With its token a webhook can be renamed, but not moved to another channel.
    if "webhook_token" not in call.ids:
        need(call, call.state.channels[webhook.channel_id], Permission.MANAGE_WEBHOOKS)
        target = call.state.channels.get(int(payload.get("channel_id") or webhook.channel_id))
        if target is None:
            raise ApiError(10003)
        call.state.move_webhook(webhook, target)
    return Reply(serialize_webhook(webhook))


def delete(call: Call) -> Reply:
    """DELETE /webhooks/{webhook_id} , with or without its token."""
    webhook = find_webhook(call)
    if "webhook_token" not in call.ids:
        need(call, call.state.channels[webhook.channel_id], Permission.MANAGE_WEBHOOKS)
    call.state.delete_webhook(webhook)
    return NO_CONTENT


# Posting


def execute(call: Call) -> Reply:
    """POST /webhooks/{webhook_id}/{webhook_token} ."""
    # Follow-ups of interactions are posted to the address of a webhook whose id is the application.
    if call.id("webhook_id", 10015) in call.state.applications:
        return interactions.follow_up(call)
    webhook = find_webhook(call)
    channel = _target(call, webhook)
    author = _author(call, webhook)
    payload = dict(call.payload)
    # Components of a webhook without an application are dropped unless the query asks for them.
    if webhook.application_id is None and not is_true(call.query.get("with_components")):
        payload.pop("components", None)
    try:
        draft = compose(call, channel, author, payload)
    except ApiError as error:
        # Documented: without `wait`, "a message that is not saved does not return an error".
        if error.code in _NOT_SAVED and not is_true(call.query.get("wait")):
            return NO_CONTENT
        raise
    draft = replace(draft, username=author.user.name, avatar_url=payload.get("avatar_url") or None)
    message = write(call, _in_thread(call, channel, author, payload), author, draft)
    return Reply(serialize_message(call.state, message)) if is_true(call.query.get("wait")) else NO_CONTENT


def _target(call: Call, webhook: Webhook) -> Channel:
    channel = call.state.channels[webhook.channel_id]
    thread_id, thread_name = call.query.get("thread_id"), call.payload.get("thread_name")
    # In a forum every message is in a post: either an existing one or a new one.
    if channel.is_forum and thread_id and thread_name:
        raise ApiError(220002)
    if channel.is_forum and not thread_id and not thread_name:
        raise ApiError(220001)
    if thread_name and not channel.is_forum:
        raise ApiError(220003)
    if not thread_id:
        return channel
    thread = call.state.channels.get(int(thread_id)) if thread_id.isdecimal() else None
    # A webhook posts to threads of its own channel only.
    if thread is None or thread.parent_id != channel.id:
        raise ApiError(10003)
    # A locked thread refuses webhooks too, an archived one is opened by the message.
    if thread.locked:
        raise ApiError(160005)
    return thread


def _author(call: Call, webhook: Webhook) -> Author:
    override, avatar_url = call.payload.get("username"), call.payload.get("avatar_url")
    name = read_webhook_name(override, call.options, "username") if override else webhook.name
    if avatar_url:
        _check_url(str(avatar_url))
    # The twin fetches no addresses; a hash makes different addresses different avatars.
    avatar = (
        hashlib.md5(str(avatar_url).encode(), usedforsecurity=False).hexdigest()
        if avatar_url
        else webhook.avatar
    )
    return Author(User(webhook.id, name, bot=True, avatar=avatar, discriminator="0000"), "webhook", webhook)


def _check_url(url: str) -> None:
    if len(url) > _URL_LIMIT:
        raise invalid_form("avatar_url", "BASE_TYPE_MAX_LENGTH", f"Must be {_URL_LIMIT} or fewer in length.")
    if not url.startswith(("http://", "https://")):
        message = 'Scheme must be one of ("http", "https").'
        raise invalid_form("avatar_url", "URL_TYPE_INVALID_SCHEME", message)


def _in_thread(call: Call, channel: Channel, author: Author, payload: dict[str, object]) -> Channel:
    name = payload.get("thread_name")
    if not name:
        return channel
    if len(str(name)) > _THREAD_NAME_LIMIT:
        raise invalid_form("thread_name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
    return call.state.add_thread(channel, str(name), author.user)


# Messages that were posted


def _own_message(call: Call) -> tuple[Channel, Message, Author]:
    if call.id("webhook_id", 10015) in call.state.applications:
        return interactions.own_message(call)
    webhook = find_webhook(call)
    # Messages in a thread are addressed by `thread_id`.
    place = int(call.query.get("thread_id") or webhook.channel_id)
    message = call.state.find_message(place, call.id("message_id", 10008))
    if message is None or message.webhook is None or message.webhook.id != webhook.id:
        raise ApiError(10008)
    return call.state.channels[place], message, Author(message.author, "webhook", webhook)


def read_message(call: Call) -> Reply:
    """GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id} ."""
    _, message, _ = _own_message(call)
    return Reply(serialize_message(call.state, message))


def edit_message(call: Call) -> Reply:
    """PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id} ."""
    channel, message, author = _own_message(call)
    # 50083: a message in an archived thread can be read and deleted, not edited.
    if channel.archived:
        raise ApiError(50083)
    before = message.draft
    draft = recompose(call, channel, author, message)
    call.state.edit(channel, message, interactions.loaded(draft))
    call.record.message = message
    record_pings(call.context, channel, message, before)
    return Reply(serialize_message(call.state, message))


def delete_message(call: Call) -> Reply:
    """DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id} ."""
    channel, message, _ = _own_message(call)
    call.state.delete(channel, message)
    return NO_CONTENT


_WEBHOOK = "/webhooks/{webhook_id}"
_WITH_TOKEN = _WEBHOOK + "/{webhook_token}"
_MESSAGE = _WITH_TOKEN + "/messages/{message_id}"

ROUTES = (
    Route("webhooks.create", "POST", "/channels/{channel_id}/webhooks", create),
    Route("webhooks.list", "GET", "/channels/{channel_id}/webhooks", list_of_channel),
    Route("webhooks.list_guild", "GET", "/guilds/{guild_id}/webhooks", list_of_guild),
    Route("webhooks.get", "GET", _WEBHOOK, read),
    Route("webhooks.get", "GET", _WITH_TOKEN, read, open=True),
    Route("webhooks.edit", "PATCH", _WEBHOOK, change),
    Route("webhooks.edit", "PATCH", _WITH_TOKEN, change, open=True),
    Route("webhooks.delete", "DELETE", _WEBHOOK, delete),
    Route("webhooks.delete", "DELETE", _WITH_TOKEN, delete, open=True),
    Route("webhooks.execute", "POST", _WITH_TOKEN, execute, open=True),
    Route("webhooks.message", "GET", _MESSAGE, read_message, open=True),
    Route("webhooks.message", "PATCH", _MESSAGE, edit_message, open=True),
    Route("webhooks.message", "DELETE", _MESSAGE, delete_message, open=True),
)

"""Apply the acts: faults that change the state of the twin before a request is handled.

They stand for other users and for Discord itself: a moderator deletes a message, an administrator moves a
webhook, the gateway closes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..faults import FaultKind
from ..state.models import Draft
from ..state.permissions import NONE, Permission

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..context import Context
    from ..faults import Fault
    from ..state.models import Application, Channel, User, Webhook


def apply_act(
    context: Context, fault: Fault, channel: Channel | None, application: Application | None
) -> None:
    """Apply a fault; one that needs a channel does nothing if there is none."""
    if fault.kind in _ON_CONTEXT:
        _ON_CONTEXT[fault.kind](context, fault)
    elif channel is not None and channel.id in context.state.channels:
        _ON_CHANNEL[fault.kind](
            context, fault, channel, application or next(iter(context.state.applications.values()))
        )


def _first_user(context: Context, channel: Channel) -> User:
    guild = context.state.guilds.get(channel.guild_id or 0)
    # The guild's owner is always a member, so there is a user who is no bot.
    users = [context.state.users[user_id] for user_id in guild.members] if guild else list(channel.recipients)
    return next(user for user in users if not user.bot)


def _webhooks(context: Context, channel: Channel) -> list[Webhook]:
    return context.state.webhooks_of(context.state.home_of(channel))


def _revoke(context: Context, fault: Fault, channel: Channel, application: Application) -> None:
    if channel.guild_id is not None:
        old = context.state.home_of(channel).overwrites.get(application.user.id)
        # Earlier denials stay: two faults may revoke two permissions.
        deny = Permission(fault.permission) | (old.deny if old else NONE)
        context.state.overwrite(channel, application.user, deny=deny)


def _delete_message(context: Context, _: Fault, channel: Channel, application: Application) -> None:
    # Messages through the bot's webhooks count as its own.
    own = [
        one
        for one in channel.messages.values()
        if one.by_machine and _is_own(one.author.id, application, context)
    ]
    if own:
        context.state.delete(channel, own[-1])


def _is_own(author_id: int, application: Application, context: Context) -> bool:
    webhook = context.state.webhooks.get(author_id)
    return author_id == application.user.id or (
        webhook is not None and webhook.application_id == application.id
    )


def _set_thread(context: Context, fault: Fault, channel: Channel, _: Application) -> None:
    if channel.is_thread:
        context.state.set_thread(channel, archived=True, locked=fault.kind is FaultKind.THREAD_LOCK)


def _foreign_message(context: Context, _: Fault, channel: Channel, __: Application) -> None:
    context.state.post(channel, _first_user(context, channel), Draft(content="(a user writes in between)"))


def _delete_channel(context: Context, _: Fault, channel: Channel, __: Application) -> None:
    context.state.delete_channel(channel)


def _delete_webhooks(context: Context, _: Fault, channel: Channel, __: Application) -> None:
    for webhook in _webhooks(context, channel):
        context.state.delete_webhook(webhook)


def _move_webhooks(context: Context, _: Fault, channel: Channel, __: Application) -> None:
    home = context.state.home_of(channel)
    if home.guild_id is not None:
        elsewhere = context.state.add_channel(context.state.guilds[home.guild_id], "elsewhere")
        for webhook in _webhooks(context, channel):
            context.state.move_webhook(webhook, elsewhere)


def _invalidate_tokens(context: Context, _: Fault, channel: Channel, __: Application) -> None:
    for webhook in _webhooks(context, channel):
        # The id stays valid: only the token answers 401 from now on.
        webhook.token = context.state.make_secret(context.state.make_id())


def _foreign_webhook(context: Context, _: Fault, channel: Channel, __: Application) -> None:
    home = context.state.home_of(channel)
    if home.guild_id is not None:
        known = _webhooks(context, channel)
        # Created by a user: the same name as ours, but the bot's application does not own it.
        context.state.add_webhook(home, known[0].name if known else "streamcord", _first_user(context, home))


def _fill_webhooks(context: Context, _: Fault, channel: Channel, __: Application) -> None:
    home = context.state.home_of(channel)
    if home.guild_id is None:
        return
    for index in range(len(_webhooks(context, channel)), context.options.max_webhooks):
        context.state.add_webhook(home, f"foreign {index}", _first_user(context, home))


_ON_CHANNEL: dict[FaultKind, Callable[[Context, Fault, Channel, Application], None]] = {
    FaultKind.PERM_REVOKE: _revoke,
    FaultKind.DELETE_CHANNEL: _delete_channel,
    FaultKind.DELETE_MESSAGE: _delete_message,
    FaultKind.THREAD_ARCHIVE: _set_thread,
    FaultKind.THREAD_LOCK: _set_thread,
    FaultKind.FOREIGN_MESSAGE: _foreign_message,
    FaultKind.WEBHOOK_DELETE: _delete_webhooks,
    FaultKind.WEBHOOK_MOVE: _move_webhooks,
    FaultKind.WEBHOOK_RETOKEN: _invalidate_tokens,
    FaultKind.FOREIGN_WEBHOOK: _foreign_webhook,
    FaultKind.FILL_WEBHOOKS: _fill_webhooks,
}

_ON_CONTEXT: dict[FaultKind, Callable[[Context, Fault], None]] = {
    FaultKind.NONCE_FORGET: lambda context, _: context.state.nonces.forget(),
    FaultKind.BUCKET_HASH_CHANGE: lambda context, _: context.limits.change_hashes(),
    FaultKind.GATEWAY_DROP: lambda context, fault: context.gateway.drop(fault.status),
    FaultKind.GATEWAY_ABORT: lambda context, _: context.gateway.abort(),
    FaultKind.GATEWAY_RECONNECT: lambda context, _: context.gateway.ask_reconnect(),
    FaultKind.GATEWAY_INVALID: lambda context, fault: context.gateway.invalidate(resumable=fault.resumable),
}

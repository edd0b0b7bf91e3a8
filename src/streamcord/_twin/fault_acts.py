"""What others do to the world in between: faults of the first kind, as changes of state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .faults import Fault, FaultKind
from .state.model import Draft
from .state.permissions import NONE, Permission

if TYPE_CHECKING:
    from collections.abc import Callable

    from .state.model import Application, Channel, User, Webhook
    from .world import World

__all__ = ["carry_out"]


def carry_out(world: World, fault: Fault, channel: Channel | None, application: Application | None) -> None:
    """Do what the fault says; one that needs a channel and finds none does nothing."""
    if fault.kind in _ON_WORLD:
        _ON_WORLD[fault.kind](world, fault)
    elif channel is not None and channel.id in world.state.channels:
        _ON_CHANNEL[fault.kind](
            world, fault, channel, application or next(iter(world.state.applications.values()))
        )


def _somebody(world: World, channel: Channel) -> User:
    guild = world.state.guilds.get(channel.guild_id or 0)
    people = [world.state.users[user_id] for user_id in guild.members] if guild else list(channel.recipients)
    return next(user for user in people if not user.bot)


def _webhooks(world: World, channel: Channel) -> list[Webhook]:
    return world.state.webhooks_of(world.state.home_of(channel))


def _revoke(world: World, fault: Fault, channel: Channel, application: Application) -> None:
    if channel.guild_id is not None:
        old = world.state.home_of(channel).overwrites.get(application.user.id)
        deny = Permission(fault.permission) | (old.deny if old else NONE)
        world.state.overwrite(channel, application.user, deny=deny)


def _delete_message(world: World, _: Fault, channel: Channel, application: Application) -> None:
    own = [
        one
        for one in channel.messages.values()
        if one.by_machine and _is_own(one.author.id, application, world)
    ]
    if own:
        world.state.delete(channel, own[-1])


def _is_own(author_id: int, application: Application, world: World) -> bool:
    webhook = world.state.webhooks.get(author_id)
    return author_id == application.user.id or (
        webhook is not None and webhook.application_id == application.id
    )


def _set_thread(world: World, fault: Fault, channel: Channel, _: Application) -> None:
    if channel.is_thread:
        world.state.set_thread(channel, archived=True, locked=fault.kind is FaultKind.THREAD_LOCK)


def _foreign_message(world: World, _: Fault, channel: Channel, __: Application) -> None:
    world.state.post(channel, _somebody(world, channel), Draft(content="(somebody writes in between)"))


def _delete_channel(world: World, _: Fault, channel: Channel, __: Application) -> None:
    world.state.delete_channel(channel)


def _delete_webhooks(world: World, _: Fault, channel: Channel, __: Application) -> None:
    for webhook in _webhooks(world, channel):
        world.state.delete_webhook(webhook)


def _move_webhooks(world: World, _: Fault, channel: Channel, __: Application) -> None:
    home = world.state.home_of(channel)
    if home.guild_id is not None:
        elsewhere = world.state.add_channel(world.state.guilds[home.guild_id], "elsewhere")
        for webhook in _webhooks(world, channel):
            world.state.move_webhook(webhook, elsewhere)


def _spoil_tokens(world: World, _: Fault, channel: Channel, __: Application) -> None:
    for webhook in _webhooks(world, channel):
        webhook.token = world.state.make_secret(world.state.make_id())


def _foreign_webhook(world: World, _: Fault, channel: Channel, __: Application) -> None:
    home = world.state.home_of(channel)
    if home.guild_id is not None:
        known = _webhooks(world, channel)
        world.state.add_webhook(home, known[0].name if known else "streamcord", _somebody(world, home))


def _fill_webhooks(world: World, _: Fault, channel: Channel, __: Application) -> None:
    home = world.state.home_of(channel)
    if home.guild_id is None:
        return
    for index in range(len(_webhooks(world, channel)), world.switches.max_webhooks):
        world.state.add_webhook(home, f"foreign {index}", _somebody(world, home))


_ON_CHANNEL: dict[FaultKind, Callable[[World, Fault, Channel, Application], None]] = {
    FaultKind.PERM_REVOKE: _revoke,
    FaultKind.DELETE_CHANNEL: _delete_channel,
    FaultKind.DELETE_MESSAGE: _delete_message,
    FaultKind.THREAD_ARCHIVE: _set_thread,
    FaultKind.THREAD_LOCK: _set_thread,
    FaultKind.FOREIGN_MESSAGE: _foreign_message,
    FaultKind.WEBHOOK_DELETE: _delete_webhooks,
    FaultKind.WEBHOOK_MOVE: _move_webhooks,
    FaultKind.WEBHOOK_RETOKEN: _spoil_tokens,
    FaultKind.FOREIGN_WEBHOOK: _foreign_webhook,
    FaultKind.FILL_WEBHOOKS: _fill_webhooks,
}

_ON_WORLD: dict[FaultKind, Callable[[World, Fault], None]] = {
    FaultKind.NONCE_FORGET: lambda world, _: world.state.nonces.forget(),
    FaultKind.BUCKET_HASH_CHANGE: lambda world, _: world.limits.change_hashes(),
    FaultKind.GATEWAY_DROP: lambda world, fault: world.gateway.drop(fault.status),
    FaultKind.GATEWAY_ABORT: lambda world, _: world.gateway.abort(),
    FaultKind.GATEWAY_RECONNECT: lambda world, _: world.gateway.ask_reconnect(),
    FaultKind.GATEWAY_INVALID: lambda world, fault: world.gateway.invalidate(resumable=fault.resumable),
}

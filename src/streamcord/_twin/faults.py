"""Faults on demand: each strikes once, at the n-th request that it waits for.

A schedule is a list of faults; `seeded` draws one from an integer, so that a red run is replayed by its seed.
Faults are of three kinds by the moment at which they strike: an *act* changes the world before a request is
looked at, a *block* answers instead of carrying it out, and a *loss* carries it out and spoils the answer.

What others do to the world in between is here, too: acts, as changes of state.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from .state.model import Draft
from .state.permissions import NONE, Permission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .state.model import Application, Channel, User, Webhook
    from .world import World

__all__ = ["ACTS", "BLOCKS", "CREATES", "LOSSES", "Fault", "FaultKind", "Faults", "carry_out", "seeded"]


class FaultKind(Enum):
    """What may happen."""

    # acts: the world changes
    PERM_REVOKE = "the bot loses a permission in the channel"
    DELETE_CHANNEL = "somebody deletes the channel"
    DELETE_MESSAGE = "a moderator deletes the bot's last message in the channel"
    THREAD_ARCHIVE = "the thread is archived"
    THREAD_LOCK = "the thread is archived and locked"
    FOREIGN_MESSAGE = "a person writes in between"
    WEBHOOK_DELETE = "an admin deletes the webhooks of the channel"
    WEBHOOK_MOVE = "an admin moves the webhooks to another channel"
    WEBHOOK_RETOKEN = "the webhook's token becomes invalid"
    FOREIGN_WEBHOOK = "a foreign webhook with the name of ours appears"
    FILL_WEBHOOKS = "the channel's webhook slots are all taken"
    NONCE_FORGET = "the nonce window passes"
    BUCKET_HASH_CHANGE = "all bucket hashes change"
    GATEWAY_DROP = "the gateway closes"
    GATEWAY_ABORT = "the gateway connection breaks without a close code"
    GATEWAY_RECONNECT = "the gateway asks for a reconnect (op 7)"
    GATEWAY_INVALID = "the gateway invalidates the session (op 9)"
    # blocks: nothing is carried out
    STATUS = "a server error, not carried out"
    HTML_STATUS = "a server error with a page instead of JSON, not carried out"
    CLOSE_BEFORE_COMMIT = "the connection closes, not carried out"
    ERROR_CODE = "a JSON error code"
    RATE_USER = "429 of the bucket"
    RATE_GLOBAL = "429 of the whole bot"
    RATE_SHARED = "429 of a hidden limit, while the bucket has requests left"
    CLOUDFLARE_429 = "429 of Cloudflare: a page, no Via header"
    GO_DARK = "all connections close and new ones are refused for a while"
    # losses: carried out
    COMMIT_THEN_DROP_ACK = "carried out, the connection closes"
    COMMIT_THEN_STATUS = "carried out, then a server error"
    ACK_DELAY = "carried out, the answer comes late"
    ACK_TRUNCATE = "carried out, the answer ends in the middle"
    ACK_GARBLED = "carried out, the answer is not the message"
    ACK_SLOW = "carried out, the answer drips byte by byte"
    OMIT_HEADERS = "carried out, the rate headers are missing"
    WRONG_HEADERS = "carried out, the rate headers are nonsense"


_KINDS = list(FaultKind)
ACTS = frozenset(_KINDS[: _KINDS.index(FaultKind.STATUS)])
BLOCKS = frozenset(_KINDS[_KINDS.index(FaultKind.STATUS) : _KINDS.index(FaultKind.COMMIT_THEN_DROP_ACK)])
LOSSES = frozenset(_KINDS[_KINDS.index(FaultKind.COMMIT_THEN_DROP_ACK) :])

CREATES = ("messages.create", "webhooks.execute", "interactions.followup")
SERVER_ERRORS = (500, 502, 503, 504, 524)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, and which request it waits for."""

    kind: FaultKind
    routes: tuple[str, ...] = CREATES
    """Route names that it waits for; empty is all."""
    after: int = 0
    """Requests of these routes that pass before it; for losses, those that were carried out."""
    channel_id: int | None = None
    """Only requests that concern this channel."""
    times: int = 1
    """How often it strikes."""
    status: int = 502
    """For the kinds that answer with a status; the close code for GATEWAY_DROP."""
    code: int = 130000
    """For ERROR_CODE."""
    field: str = ""
    """For ERROR_CODE 50035: the dotted path of the field at fault."""
    seconds: float = 1.0
    """For delays, the `retry_after` of 429s, and how long it is dark."""
    permission: int = 1 << 11
    """For PERM_REVOKE: bits of `Permission`, by default SEND_MESSAGES."""
    resumable: bool = True
    """For GATEWAY_INVALID: op 9's `d`."""

    def waits_for(self, route: str, channel_id: int | None) -> bool:
        """Whether a request is one of those that this fault counts."""
        if self.routes and route not in self.routes:
            return False
        return self.channel_id is None or self.channel_id == channel_id


@dataclass(slots=True)
class _Armed:
    fault: Fault
    seen: int = 0
    left: int = 1


class Faults:
    """The faults that still wait, and a count of those that struck."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self.fired: Counter[FaultKind] = Counter()
        self._armed: list[_Armed] = []
        for fault in faults:
            self.add(fault)

    @property
    def pending(self) -> list[Fault]:
        """What has not struck yet."""
        return [armed.fault for armed in self._armed]

    def add(self, fault: Fault) -> None:
        """Let a fault wait for its request."""
        self._armed.append(_Armed(fault, left=fault.times))

    def clear(self) -> None:
        """Forget what still waits."""
        self._armed.clear()

    def strike(self, route: str, channel_id: int | None, kinds: frozenset[FaultKind]) -> list[Fault]:
        """The faults of these kinds whose request has come; a block or a loss strikes alone."""
        struck: list[Fault] = []
        for armed in list(self._armed):
            if armed.fault.kind not in kinds or not armed.fault.waits_for(route, channel_id):
                continue
            armed.seen += 1
            # One answer cannot be spoilt twice; what finds its place taken waits for the next request.
            if armed.seen <= armed.fault.after or (struck and kinds is not ACTS):
                continue
            struck.append(self._spend(armed))
        return struck

    def _spend(self, armed: _Armed) -> Fault:
        armed.left -= 1
        if armed.left == 0:
            self._armed.remove(armed)
        self.fired[armed.fault.kind] += 1
        return armed.fault


def seeded(
    seed: int,
    kinds: Sequence[FaultKind],
    *,
    faults: int = 3,
    requests: int = 8,
    routes: tuple[str, ...] = CREATES,
    longest: float = 5.0,
) -> list[Fault]:
    """A schedule of `faults` faults over the first `requests` requests; the same seed gives the same list."""
    rng = random.Random(seed)
    return [
        Fault(
            kind=kind,
            routes=routes,
            after=rng.randrange(requests),
            status=4000 if kind is FaultKind.GATEWAY_DROP else rng.choice(SERVER_ERRORS),
            seconds=round(rng.uniform(0.05, longest), 3),
            resumable=rng.random() < 0.5,
        )
        for kind in rng.choices(kinds, k=faults)
    ]


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

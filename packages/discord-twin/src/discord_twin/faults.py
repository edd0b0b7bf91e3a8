"""Injected faults: each is triggered once, at the n-th request that matches it.

A schedule is a list of faults; `seeded` draws one from an integer, so that a red run is replayed by its seed.
There are three kinds: an *act* changes the state before the request is handled, a *block* answers instead of
handling it, and a *loss* handles it and corrupts or drops the response. Their effects are in `rest/act_faults.py`,
`rest/block_faults.py` and `rest/loss_faults.py`.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ACTS", "BLOCKS", "CREATES", "LOSSES", "Fault", "FaultKind", "Faults", "seeded"]


class FaultKind(Enum):
    """The kinds of faults; the value describes what happens.

    Example:
        twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK)

    """

    # Acts: the state changes before the request.
    PERM_REVOKE = "the bot loses a permission in the channel"
    DELETE_CHANNEL = "a moderator deletes the channel"
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
    # Blocks: the request is not handled.
    STATUS = "a server error, not carried out"
    HTML_STATUS = "a server error with a page instead of JSON, not carried out"
    FAKE_SUCCESS = "200 with a body that is not Discord's, not carried out"
    CLOSE_BEFORE_COMMIT = "the connection closes, not carried out"
    ERROR_CODE = "a JSON error code"
    RATE_USER = "429 of the bucket"
    RATE_GLOBAL = "429 of the whole bot"
    RATE_SHARED = "429 of a hidden limit, while the bucket has requests left"
    CLOUDFLARE_429 = "429 of Cloudflare: a page, no Via header"
    GO_OFFLINE = "all connections close and new ones are refused for a while"
    # Losses: the request is handled, the response is faulty.
    COMMIT_THEN_DROP_ACK = "carried out, the connection closes"
    COMMIT_THEN_STATUS = "carried out, then a server error"
    ACK_DELAY = "carried out, the answer comes late"
    ACK_TRUNCATE = "carried out, the answer ends in the middle"
    ACK_GARBLED = "carried out, the answer is not the message"
    ACK_SLOW = "carried out, the answer drips byte by byte"
    OMIT_HEADERS = "carried out, the rate headers are missing"
    WRONG_HEADERS = "carried out, the rate headers are nonsense"


# The order of the members of `FaultKind` defines the three groups.
_KINDS = list(FaultKind)
# An act can happen together with another fault; a request has at most one block or loss.
ACTS = frozenset(_KINDS[: _KINDS.index(FaultKind.STATUS)])
BLOCKS = frozenset(_KINDS[_KINDS.index(FaultKind.STATUS) : _KINDS.index(FaultKind.COMMIT_THEN_DROP_ACK)])
LOSSES = frozenset(_KINDS[_KINDS.index(FaultKind.COMMIT_THEN_DROP_ACK) :])

CREATES = ("messages.create", "webhooks.execute", "interactions.followup")
SERVER_ERRORS = (500, 502, 503, 504, 524)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, and the request that triggers it.

    Example:
        # The third message of the bot gets a 503.
        twin = Twin(faults=[Fault(FaultKind.STATUS, after=2, status=503)])

    """

    kind: FaultKind
    routes: tuple[str, ...] = CREATES
    """Route names that match; empty means all routes."""
    after: int = 0
    """Requests of these routes that pass before it; for losses, those that were handled."""
    channel_id: int | None = None
    """Only requests that concern this channel."""
    times: int = 1
    """Number of requests that it is triggered by."""
    status: int = 502
    """For the kinds that answer with a status; the close code for GATEWAY_DROP."""
    code: int = 130000
    """For ERROR_CODE."""
    field: str = ""
    """For ERROR_CODE 50035: the dotted path of the field at fault."""
    seconds: float = 1.0
    """For delays, the `retry_after` of 429s, and the duration of an outage."""
    body: str = ""
    """For FAKE_SUCCESS and ACK_GARBLED: the body of the response; HTML unless it begins with `{` or `[`."""
    permission: int = 1 << 11
    """For PERM_REVOKE: bits of `Permission`, by default SEND_MESSAGES."""
    resumable: bool = True
    """For GATEWAY_INVALID: op 9's `d`."""

    def waits_for(self, route: str, channel_id: int | None) -> bool:
        """Return whether a request is one of those that this fault counts."""
        if self.routes and route not in self.routes:
            return False
        return self.channel_id is None or self.channel_id == channel_id


@dataclass(slots=True)
class _Armed:
    fault: Fault
    # Matching requests so far, and triggers that are left.
    seen: int = 0
    left: int = 1


class Faults:
    """The pending faults of a twin, and a count of those that were triggered.

    Args:
        faults: Faults to begin with.

    Example:
        twin.faults.add(Fault(FaultKind.STATUS))
        await run_the_bot(twin)
        assert twin.faults.fired[FaultKind.STATUS] == 1

    """

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        # How often each kind was triggered, for assertions.
        self.fired: Counter[FaultKind] = Counter()
        self._armed: list[_Armed] = []
        for fault in faults:
            self.add(fault)

    @property
    def pending(self) -> list[Fault]:
        """The faults that were not triggered yet."""
        return [armed.fault for armed in self._armed]

    def add(self, fault: Fault) -> None:
        """Add a pending fault."""
        self._armed.append(_Armed(fault, left=fault.times))

    def clear(self) -> None:
        """Remove all pending faults."""
        self._armed.clear()

    def trigger(self, route: str, channel_id: int | None, kinds: frozenset[FaultKind]) -> list[Fault]:
        """Return the faults of these kinds that this request triggers; at most one block or loss."""
        triggered: list[Fault] = []
        for armed in list(self._armed):
            if armed.fault.kind not in kinds or not armed.fault.waits_for(route, channel_id):
                continue
            armed.seen += 1
            # A response can carry one fault only; a second one waits for the next request.
            if armed.seen <= armed.fault.after or (triggered and kinds is not ACTS):
                continue
            triggered.append(self._spend(armed))
        return triggered

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
    """Return a random schedule of faults; a seed always gives the same list.

    Args:
        seed: The seed; print it when a test fails.
        kinds: The kinds to choose from.
        faults: How many faults there are.
        requests: All of them happen within this many requests.
        routes: Names of the routes that trigger them; by default those that create messages.
        longest: The longest delay or outage in seconds.

    Returns:
        The faults.

    Example:
        twin = Twin(faults=seeded(7, [FaultKind.STATUS, FaultKind.ACK_DELAY]))

    """
    rng = random.Random(seed)
    return [
        Fault(
            kind=kind,
            routes=routes,
            after=rng.randrange(requests),
            # For a gateway fault the status is a close code.
            status=4000 if kind is FaultKind.GATEWAY_DROP else rng.choice(SERVER_ERRORS),
            seconds=round(rng.uniform(0.05, longest), 3),
            resumable=rng.random() < 0.5,
        )
        for kind in rng.choices(kinds, k=faults)
    ]

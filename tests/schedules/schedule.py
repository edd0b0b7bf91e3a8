"""What one seed means: where the answer goes, in whose voice, and what goes wrong on the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from discord_twin import Fault, FaultKind, Limit, Permission
from streamcord import AnswerContext, Degree, Persona, Settings, StopMode

__all__ = ["SWITCHES", "Schedule", "as_live", "draw"]

_PLACES = {"bot": ("channel", "channel", "thread", "dm"), "webhook": ("channel", "channel", "thread")}
_WORDS = "amber birch cedar dune ember fjord grove heron iris juniper kelp lark moss".split()  # noqa: SIM905
_PINGS = ("@everyone", "@here", "<@{person}>", "<@!{person}>", "<@&{role}>")
_CREATES = ("messages.create", "webhooks.execute")
_EDITS = ("messages.edit", "webhooks.message")

HARMLESS = (
    FaultKind.DELETE_MESSAGE, FaultKind.FOREIGN_MESSAGE, FaultKind.BUCKET_HASH_CHANGE, FaultKind.GATEWAY_DROP,
    FaultKind.GATEWAY_ABORT, FaultKind.GATEWAY_RECONNECT, FaultKind.GATEWAY_INVALID, FaultKind.STATUS,
    FaultKind.HTML_STATUS, FaultKind.CLOSE_BEFORE_COMMIT, FaultKind.RATE_USER, FaultKind.RATE_GLOBAL,
    FaultKind.RATE_SHARED, FaultKind.CLOUDFLARE_429, FaultKind.GO_OFFLINE, FaultKind.COMMIT_THEN_DROP_ACK,
    FaultKind.COMMIT_THEN_STATUS, FaultKind.ACK_DELAY, FaultKind.ACK_TRUNCATE, FaultKind.ACK_GARBLED,
    FaultKind.ACK_SLOW, FaultKind.OMIT_HEADERS, FaultKind.WRONG_HEADERS, FaultKind.NONCE_FORGET,
    FaultKind.ERROR_CODE, FaultKind.FAKE_SUCCESS,
)  # fmt: skip
"""What may cost time, but no word."""
OF_THREADS = (FaultKind.THREAD_ARCHIVE, FaultKind.THREAD_LOCK)
OF_WEBHOOKS = (
    FaultKind.WEBHOOK_DELETE, FaultKind.WEBHOOK_MOVE, FaultKind.WEBHOOK_RETOKEN, FaultKind.FOREIGN_WEBHOOK,
    FaultKind.FILL_WEBHOOKS,
)  # fmt: skip
FINAL = (FaultKind.PERM_REVOKE, FaultKind.DELETE_CHANNEL, FaultKind.THREAD_LOCK)
"""What ends the answer: the rest must be reported."""
_BUSY = (20028, 40062, 110000, 130000)
_PERMISSIONS = (Permission.SEND_MESSAGES, Permission.SEND_MESSAGES_IN_THREADS, Permission.MANAGE_WEBHOOKS)

SWITCHES: dict[str, dict[str, Any]] = {
    "content_limit": {"content_limit": 60},
    "count": {"count": "utf16", "content_limit": 60},
    "leaky": {"leaky": False},
    "bucket": {"buckets": {"messages.create": Limit(2, 7.0), "webhooks.execute": Limit(2, 7.0)}},
    "bucket_hash_change_at": {},
    "hidden_webhook_channel_limit": {"hidden_webhook_channel_limit": Limit(1, 30.0)},
    "sub_limit": {"sub_limit": Limit(1, 20.0)},
    "hidden_scope": {"hidden_scope": "user", "sub_limit": Limit(1, 9.0)},
    "global_rps": {"global_rps": 3},
    "omit_rl_headers": {"omit_rl_headers": True},
    "webhook_404_penalty": {"webhook_404_penalty": 2},
    "automod": {"automod": ("birch",)},
    "harmful_link": {"harmful_link": ("cedar",)},
    "commit_then_drop_ack_chance": {"commit_then_drop_ack_chance": 0.6},
    "commit_then_status_chance": {"commit_then_status_chance": 0.6},
    "ack_delay": {"ack_delay": 2.0},
    "nonce_window_s": {"nonce_window_s": 60.0},
    "nonce_deleted_404": {"nonce_deleted_404": False},
    "trim_whitespace": {"trim_whitespace": False},
    "file_limit": {"file_limit": 8},
    "typing_200_body": {"typing_200_body": True},
    "gateway_dup_events_chance": {"gateway_dup_events_chance": 0.5},
    "escaped_mention_pings": {"escaped_mention_pings": False, "code_mention_pings": True},
    "allowed_mentions_semantics": {"allowed_mentions_semantics": "lenient"},
    "webhook_content": {"webhook_content_visible_without_intent": True},
}
"""Every doubtful fact that a schedule may turn, by the name under which it is counted."""
_ROADS = {
    **dict.fromkeys(("hidden_webhook_channel_limit", "webhook_404_penalty", "webhook_content"), "webhook"),
    **dict.fromkeys(("sub_limit", "hidden_scope", "nonce_window_s", "nonce_deleted_404"), "bot"),
}
"""Switches that say nothing on the other road."""
_SHORT = frozenset({"content_limit", "count"})
"""Where the words that stand for a table would be cut."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """One run."""

    seed: int
    road: str
    place: str
    lines: tuple[str, ...]
    faults: tuple[Fault, ...]
    settings: Settings
    context: AnswerContext
    switch: str | None = None
    reply: bool = False
    table: str = ""
    """A table that is written behind the second line, and sent as a picture or as words."""
    slices: tuple[int, ...] = field(default=(), repr=False)
    stop: tuple[float, StopMode] | None = None
    """After how many seconds somebody stops it, and how."""

    @property
    def text(self) -> str:
        """What the model writes."""
        lines = [*self.lines[:2], f"\n{self.table}\n", *self.lines[2:]] if self.table else self.lines
        return "\n".join(lines)

    def __str__(self) -> str:
        faults = "\n".join(f"    {_describe(fault)}" for fault in self.faults)
        stop = f", {self.stop[1]} after {self.stop[0]} s" if self.stop else ""
        head = f"seed {self.seed}: {self.road}, {self.place}, switch {self.switch}{stop}"
        return f"{head}\n{faults}\n    {self.lines!r}"


def _describe(fault: Fault) -> str:
    more = {
        FaultKind.PERM_REVOKE: str(Permission(fault.permission).name),
        FaultKind.ERROR_CODE: f"code {fault.code}",
        FaultKind.GATEWAY_INVALID: f"resumable {fault.resumable}",
        **dict.fromkeys(
            (FaultKind.STATUS, FaultKind.HTML_STATUS, FaultKind.COMMIT_THEN_STATUS), str(fault.status)
        ),
    }.get(fault.kind, f"{fault.seconds} s")
    return f"{fault.kind.name} after {fault.after}, {fault.times} times, {more}"


def draw(seed: int, *, person: int = 0, role: int = 0) -> Schedule:
    """The schedule of a seed."""
    rng = Random(seed)
    # Every switch has its turn; 29 has no factor in common with anything that is drawn in turn.
    switch = [*SWITCHES, *[None] * (29 - len(SWITCHES))][seed % 29]
    road = _ROADS.get(switch or "", "webhook" if seed % 5 >= 3 else "bot")
    place = rng.choice(_PLACES[road])
    lines = tuple(_line(rng, number, person, role) for number in range(rng.randint(3, 6)))
    persona = Persona("Luna", alter=True) if road == "webhook" else None
    settings = Settings(
        degree=Degree.LIGHT,
        typing=rng.choice(("auto", "on", "off")),
        seconds_per_character=0.001,
        tables="card" if seed % 22 == 0 else "picture",
        delivery_timeout=3000.0,
    )
    context = AnswerContext(persona=persona)
    kinds = [
        *HARMLESS,
        *(OF_THREADS if place == "thread" else ()),
        *(OF_WEBHOOKS if road == "webhook" else ()),
    ]
    faults = [_fault(rng, kind, len(lines)) for kind in rng.choices(kinds, k=rng.randint(3, 5))]
    if rng.random() < 0.2:
        faults.append(_fault(rng, rng.choice(FINAL), len(lines)))
    return Schedule(
        seed,
        road,
        place,
        lines,
        tuple(faults),
        settings,
        context,
        switch,
        reply=rng.random() < 0.3,
        table=_table(rng) if switch == "file_limit" or (seed % 11 == 0 and switch not in _SHORT) else "",
        slices=tuple(rng.randint(1, 12) for _ in range(40)),
    )


def as_live(schedule: Schedule) -> Schedule:
    """The same answer as one message that grows: every second fault strikes an edit.

    Some are so long that they become Components V2 or roll on, some are stopped. Every fourth has a table,
    half of these so tall that it is several pictures.
    """
    seed = schedule.seed
    faults = tuple(
        replace(fault, routes=_EDITS, after=fault.after % 4) if number % 2 else fault
        for number, fault in enumerate(schedule.faults)
    )
    limit = 4000 if seed % 3 else 2000
    live = replace(schedule.settings, delivery="live", live_limit=limit)
    schedule = replace(schedule, faults=faults, settings=live)
    if seed % 4 == 3 and schedule.switch not in _SHORT:
        schedule = replace(schedule, table=_table(Random(seed), 25 if seed % 8 == 3 else 1))
    if seed % 8 in {1, 3} and schedule.switch not in _SHORT:
        schedule = _lengthened(schedule)
    stop = (round(Random(seed).uniform(0.1, 16.0), 2), StopMode.FLUSH)
    return replace(schedule, stop=stop) if seed % 9 == 2 else schedule


def _lengthened(schedule: Schedule) -> Schedule:
    """Ten times as many words in each line, in pieces that are longer, too."""
    rng = Random(schedule.seed)
    more = (
        " ".join(f"{rng.choice(_WORDS)}{rng.randrange(10**6)}" for _ in range(70)) for _ in schedule.lines
    )
    lines = tuple(f"{line} {words}." for line, words in zip(schedule.lines, more, strict=True))
    return replace(schedule, lines=lines, slices=tuple(length * 12 for length in schedule.slices))


def _line(rng: Random, number: int, person: int, role: int) -> str:
    """No two lines are alike, so what is lost, doubled or swapped shows."""
    words = [f"{rng.choice(_WORDS)}{rng.randrange(1000)}" for _ in range(rng.randint(1, 8))]
    if rng.random() < 0.3:
        words.append(rng.choice(_PINGS).format(person=person, role=role))
    return f"Line {number} {' '.join(words)}."


def _table(rng: Random, rows: int = 1) -> str:
    cells = [f"{rng.choice(_WORDS)}{rng.randrange(1000)}" for _ in range(2 + 2 * rows)]
    head, *body = (f"| {cells[at]} | {cells[at + 1]} |" for at in range(0, len(cells), 2))
    return "\n".join([head, "|---|---|", *body])


def _fault(rng: Random, kind: FaultKind, lines: int) -> Fault:
    is_drop = kind is FaultKind.GATEWAY_DROP
    return Fault(
        kind,
        _CREATES,
        after=rng.randrange(lines),
        times=rng.choice((1, 1, 1, 2, 3)),
        status=rng.choice((4000, 4007, 4009)) if is_drop else rng.choice((500, 502, 503, 504, 524)),
        code=rng.choice(_BUSY),
        seconds=round(rng.uniform(0.05, 20.0), 2) if kind is not FaultKind.ACK_SLOW else 0.02,
        permission=int(rng.choice(_PERMISSIONS)),
        resumable=rng.random() < 0.5,
    )

"""The operator's file is a ceiling: what a server may set at all, and how high, each time a value is used.

A value that was stored once may be more than the file allows today, so nothing here trusts that it was
checked when it was set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from streamcord import Settings, SettingsError
from streamcord.settings import check_fields, convert, fields_of, setting, unknown_key

__all__ = [
    "GROUPS",
    "LIST_CAP",
    "ServersConfig",
    "check_names",
    "clamp",
    "find_maximum",
    "find_minimum",
    "may_change",
]

LIST_CAP = 50
"""Entries of a list that a server may set, like words that call the bot."""

_COSTS = frozenset({
    *("answer_cap", "message_cap", "send_message_limit"),
    *("idle_timeout", "silence_timeout", "closing_timeout", "delivery_timeout"),
    *("context.tokens", "context.messages", "context.images", "context.files"),
    *("context.file_length", "context.memory", "answer.max_bot_replies", "answer.empty_retries"),
})  # fmt: skip
"""What costs whoever runs the bot memory, time or money: never more than the file says."""

_ROOM: Mapping[str, float] = {
    **dict.fromkeys(
        ("unmatched_delimiter_limit", "list_split_length", "overflow_target", "overflow_before"), 4000
    ),
    "overflow_after": 1000,
    **dict.fromkeys(("spoiler_length",), 8000),
    **dict.fromkeys(("table_split_length", "code_overflow"), 16_000),
    "emoji_unique_lookback": 100,
    **dict.fromkeys(
        ("typing_delay_min", "typing_delay_max", "pause_min", "pause_max", "answer.gather"), 10.0
    ),
    "seconds_per_character": 0.5,
}
"""What a server may choose even if the file has less: enough for every taste, too little to hold others."""

_FLOOR: Mapping[str, int] = {"message_length": 200}
"""What a server may not go below unless the file does: a thousand tiny messages are work for everybody."""

_NO_LIMIT = frozenset({"answer_cap", "message_cap", "send_message_limit"})
"""Where 0 is the highest value."""

_RANKS: Mapping[str, tuple[str, ...]] = {
    "impersonation": ("off", "personas", "all"),
    "mentions": ("nobody", "resolved", "users", "users_and_roles"),
}
"""Values from the tamest to the boldest."""
_BOUND_BY_FILE = frozenset({
    *_COSTS, *_ROOM, "impersonation", "answer.direct_messages", "answer.mentions", "answer.replies",
})  # fmt: skip
_OWN_RIGHT = ("model", "mentions", "impersonation", "rules", "thought_log")
_LOOK = (
    *(
        "degree",
        "lists",
        "sentence_ends",
        "clause_trim",
        "headings",
        "auto_close",
        "code_fence_matching",
        "tables",
    ),
    *(
        "emoji_usage",
        "emoji_preserve_unresolved_shortcodes",
        "emoji_unique_lookback",
        "convert_markdown",
        "previews",
    ),
    *("uncensor_unicode_space", "strip_middle_dots", "prefill", "stop_strings", "starts_in_thought"),
    *("speaker_guard", "message_length", "join", "humanize"),
    *(
        "emoji_run_prefix_length",
        "comma_removal_chance",
        "comma_break",
        "exclamation_break",
        "typing",
        "merge",
    ),
    *(
        "seconds_per_character",
        "typing_delay_min",
        "typing_delay_max",
        "pause_chance",
        "pause_min",
        "pause_max",
    ),
    *(
        "unmatched_delimiter_limit",
        "spoiler_length",
        "list_split_length",
        "table_split_length",
        "code_overflow",
        "overflow_target",
    ),
    *("overflow_before", "overflow_after", "reply_ping", "on_filtered", "rest_as_file"),
    *("delivery", "notify"),
)
_ANSWER = ("mentions", "replies", "direct_messages", "channels", "words", "gather", "max_bot_replies")
_CONTEXT = ("source", "messages", "tokens", "images", "files", "file_length", "memory")

GROUPS: Mapping[str, frozenset[str]] = {
    "look": frozenset(_LOOK),
    "limits": frozenset(name for name in _COSTS if "." not in name),
    "answer": frozenset(f"answer.{name}" for name in (*_ANSWER, "empty_retries", "buttons", "progress")),
    "context": frozenset(f"context.{name}" for name in _CONTEXT),
}
"""What may be named together; a setting that stands in no group must be named itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServersConfig:
    """`[servers]`: what servers, and people in their direct messages, may change with commands."""

    may_change: tuple[str, ...] = setting(
        (*GROUPS, *_OWN_RIGHT),
        "What servers may change: names of settings, model, or the groups look, limits, answer and context.",
    )
    people_may_change: tuple[str, ...] = setting(
        ("look", "limits", "context", "answer.gather", "answer.buttons", "answer.words"),
        "The same for people in their direct messages.",
    )
    maximum: Mapping[str, Any] = setting(
        doc="How far they may go where it shall be another value than the file's own: message_cap = 80.",
        factory=dict,
    )

    def __post_init__(self) -> None:
        check_fields(self)


def may_change(config: ServersConfig, name: str, guild: int) -> bool:
    """Whether a place may change a setting; without a server it is somebody's direct messages."""
    listed = config.may_change if guild else config.people_may_change
    return name in listed or any(name in GROUPS.get(group, ()) for group in listed)


def find_maximum(config: ServersConfig, name: str, given: object) -> object:
    """The highest value that a place may set, or `None` if all are open; `given` is the file's own."""
    if name in config.maximum:
        return config.maximum[name]
    if name not in _BOUND_BY_FILE:
        return None
    if name in _ROOM and isinstance(given, int | float):
        return max(given, _ROOM[name])
    return given


def find_minimum(name: str, given: object) -> float | None:
    """The lowest value that a place may set, or `None` if all are open; `given` is the file's own."""
    floor = _FLOOR.get(name)
    return min(given, floor) if floor is not None and isinstance(given, int | float) else floor


def clamp(config: ServersConfig, name: str, value: Any, given: object) -> Any:  # noqa: ANN401
    """The value, or the highest or lowest that is allowed in its place."""
    if isinstance(value, list | tuple):
        return value[:LIST_CAP]
    minimum = find_minimum(name, given)
    if minimum is not None and isinstance(value, int | float) and value < minimum:
        return minimum
    maximum = find_maximum(config, name, given)
    if maximum is None or _size(name, value) <= _size(name, maximum):
        return value
    return maximum


def _size(name: str, value: object) -> float:
    """How far a value goes; what cannot be compared goes too far."""
    if isinstance(value, str) and value in _RANKS.get(name, ()):
        return _RANKS[name].index(value)
    if not isinstance(value, int | float):
        return float("inf")
    return float("inf") if name in _NO_LIMIT and not value else value


def _meant(name: str, names: Iterable[str]) -> str:
    """The name that may have been meant, as the end of a sentence."""
    near = get_close_matches(name, sorted(names), n=1, cutoff=0.8)
    return f" (did you mean {near[0]}?)" if near else ""


def check_names(config: ServersConfig, names: frozenset[str]) -> None:
    """Refuse names that are no settings, and values of `maximum` that no setting takes."""
    for key in ("may_change", "people_may_change"):
        for name in getattr(config, key):
            if name not in names and name not in GROUPS:
                words = "names of settings, or " + ", ".join(GROUPS)
                raise SettingsError(f"servers.{key}", words + _meant(name, {*GROUPS, *names}), name)
    specs = fields_of(Settings)
    for name, value in config.maximum.items():
        if name not in names:
            raise unknown_key("servers.maximum", name, sorted(names))
        if name in specs:
            convert(specs[name], f"servers.maximum.{name}", value)
        if not isinstance(value, bool | int | float) and value not in _RANKS.get(name, ()):
            raise SettingsError(f"servers.maximum.{name}", "a number, true, false or a value in order", value)

"""Limit which settings a server may change, and how far.

The limits apply each time a value is used, not only when it is set: a stored value may exceed what the operator's file
allows today.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from streamcord import Settings, SettingsError
from streamcord.settings import check_fields, convert, fields_of, setting, unknown_key

LIST_CAP = 50
"""Entries of a list that a server may set, such as trigger words."""

_COSTS = frozenset({
    *("answer_cap", "message_cap", "send_message_limit"),
    *("idle_timeout", "keepalive_timeout", "closing_timeout", "delivery_timeout"),
    *("context.tokens", "context.messages", "context.images", "context.files"),
    *("context.file_length", "context.memory", "answer.max_bot_replies", "answer.empty_retries"),
    "answer.max_personas",
})  # fmt: skip
"""Settings that cost the operator memory, time or money: never higher than in the file."""

_FREE_MAXIMUM: Mapping[str, float] = {
    **dict.fromkeys(
        ("unmatched_delimiter_limit", "list_split_length", "overflow_target", "overflow_before"), 4000
    ),
    "overflow_after": 1000,
    **dict.fromkeys(("spoiler_length",), 8000),
    **dict.fromkeys(("table_split_length", "code_overflow"), 16_000),
    "emoji_unique_lookback": 100,
    **dict.fromkeys(
        ("typing_delay_min", "typing_delay_max", "pause_min", "pause_max", "answer.debounce"), 10.0
    ),
    "seconds_per_character": 0.5,
    "max_typing_lag": 60.0,
}
"""Values that a server may choose even if the file has less: too small to delay other servers."""

_FLOOR: Mapping[str, int] = {"message_length": 200}
"""Values that a server may not go below unless the file does: thousands of tiny messages use up rate limits."""

_NO_LIMIT = frozenset({"answer_cap", "message_cap", "send_message_limit"})
"""Settings where 0 means no limit, so that it is the highest value."""

_RANKS: Mapping[str, tuple[str, ...]] = {
    "impersonation": ("off", "personas", "all"),
    "mentions": ("nobody", "resolved", "users", "users_and_roles"),
}
"""Values in order, the most restricted first."""
# Settings that a server may lower or leave, but not raise above the file.
_BOUND_BY_FILE = frozenset({
    *_COSTS, *_FREE_MAXIMUM, "impersonation", "answer.direct_messages", "answer.mentions", "answer.replies",
})  # fmt: skip
# Settings that also need a permission of the user (`policy.permissions`).
_NEED_PERMISSION = ("model", "mentions", "impersonation", "rules", "thought_log")
# How answers look and when they are sent: free for servers to choose.
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
        "diagrams",
        "formulas",
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
        "max_typing_lag",
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
_ANSWER = (
    "mentions",
    "replies",
    "direct_messages",
    "channels",
    "words",
    "debounce",
    "max_bot_replies",
    "stop",
    "drop_overlap",
    "personas",
    "max_personas",
    "follow_up_time",
    "follow_up_count",
    "follow_up",
    "steered_by",
    "acknowledge",
)
_CONTEXT = ("source", "messages", "tokens", "images", "files", "file_length", "memory")

GROUPS: Mapping[str, frozenset[str]] = {
    "look": frozenset(_LOOK),
    "limits": frozenset(name for name in _COSTS if "." not in name),
    "answer": frozenset(f"answer.{name}" for name in (*_ANSWER, "empty_retries", "buttons", "progress")),
    "context": frozenset(f"context.{name}" for name in _CONTEXT),
}
"""Groups that `may_change` can name; a setting outside of all groups must be named itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServersConfig:
    """`[servers]`: what servers, and people in their direct messages, may change with commands."""

    may_change: tuple[str, ...] = setting(
        (*GROUPS, *_NEED_PERMISSION),
        "What servers may change: names of settings, model, or the groups look, limits, answer and context.",
    )
    people_may_change: tuple[str, ...] = setting(
        ("look", "limits", "context", "answer.debounce", "answer.buttons", "answer.words"),
        "The same for people in their direct messages.",
    )
    maximum: Mapping[str, Any] = setting(
        doc="The highest values they may set, where it is not the file's own value: message_cap = 80.",
        factory=dict,
    )

    impersonation: tuple[int, ...] = setting(
        (),
        'Ids of servers that may set impersonation = "all": personas there may copy names and pictures of '
        "people.",
        minimum=1,
        is_id=True,
    )

    def __post_init__(self) -> None:
        check_fields(self)


def may_change(config: ServersConfig, name: str, guild: int) -> bool:
    """Return whether a place may change a setting; guild 0 is the direct messages of one user."""
    listed = config.may_change if guild else config.people_may_change
    return name in listed or any(name in GROUPS.get(group, ()) for group in listed)


def find_maximum(config: ServersConfig, name: str, given: object, guild: int = 0) -> object:
    """Return the highest value that a place may set, or `None` if there is no limit.

    Args:
        config: the limits of the file.
        name: the setting.
        given: the value of the setting in the file.
        guild: the server; 0 for direct messages.

    """
    if name == "impersonation" and guild in config.impersonation:
        return "all"
    # The operator's explicit maximum wins over the defaults below.
    if name in config.maximum:
        return config.maximum[name]
    if name not in _BOUND_BY_FILE:
        return None
    # The file may also allow more than the free maximum.
    if name in _FREE_MAXIMUM and isinstance(given, int | float):
        return max(given, _FREE_MAXIMUM[name])
    return given


def find_minimum(name: str, given: object) -> float | None:
    """Return the lowest value that a place may set, or `None`; `given` is the value in the file."""
    floor = _FLOOR.get(name)
    return min(given, floor) if floor is not None and isinstance(given, int | float) else floor


def clamp(config: ServersConfig, name: str, value: Any, given: object, guild: int = 0) -> Any:  # noqa: ANN401
    """Return the value, limited to what a place may set."""
    # Lists have no order; only their length is limited.
    if isinstance(value, list | tuple):
        return value[:LIST_CAP]
    minimum = find_minimum(name, given)
    if minimum is not None and isinstance(value, int | float) and value < minimum:
        return minimum
    maximum = find_maximum(config, name, given, guild)
    if maximum is None or _size(name, value) <= _size(name, maximum):
        return value
    return maximum


def _size(name: str, value: object) -> float:
    """Return a number to compare values by; infinity for a value that cannot be compared."""
    if isinstance(value, str) and value in _RANKS.get(name, ()):
        return _RANKS[name].index(value)
    if not isinstance(value, int | float):
        return float("inf")
    return float("inf") if name in _NO_LIMIT and not value else value


def _suggestion(name: str, names: Iterable[str]) -> str:
    """Return " (did you mean …?)" for a name that is close to a known one, else an empty text."""
    # Sorted, so that the suggestion is the same in every run.
    near = get_close_matches(name, sorted(names), n=1, cutoff=0.8)
    return f" (did you mean {near[0]}?)" if near else ""


def check_names(config: ServersConfig, names: frozenset[str]) -> None:
    """Check the names and values in `[servers]`.

    Raises:
        SettingsError: a name is no setting, or a value of `maximum` does not fit its setting.

    """
    for key in ("may_change", "people_may_change"):
        for name in getattr(config, key):
            if name not in names and name not in GROUPS:
                words = "names of settings, or " + ", ".join(GROUPS)
                raise SettingsError(f"servers.{key}", words + _suggestion(name, {*GROUPS, *names}), name)
    specs = fields_of(Settings)
    for name, value in config.maximum.items():
        if name not in names:
            raise unknown_key("servers.maximum", name, sorted(names))
        # Settings of the library have a type and bounds to check; those of tables are compared only.
        if name in specs:
            convert(specs[name], f"servers.maximum.{name}", value)
        if not isinstance(value, bool | int | float) and value not in _RANKS.get(name, ()):
            raise SettingsError(f"servers.maximum.{name}", "a number, true, false or a value in order", value)

"""Options of a twin: every uncertain or adjustable behaviour of Discord as a field of one frozen value.

A default follows the documentation or the best public report; "unsure" marks behaviour that cannot be known
outside Discord, and tests cover both values. Only the three fields named `*_chance` are random.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from .dated_changes import behaviour_before, parse_day

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AS_OF_VARIABLE", "DEFAULT_BUCKETS", "Limit", "TwinOptions"]

AS_OF_VARIABLE = "DISCORD_TWIN_AS_OF"
"""The environment variable that is the default of `as_of`; `discord-twin drift` sets it."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A rate limit: a number of requests per number of seconds.

    Args:
        count: How many requests are allowed.
        seconds: In which time.

    Example:
        TwinOptions(other_bucket=Limit(10, 1.0))

    """

    count: int
    seconds: float


DEFAULT_BUCKETS: Mapping[str, Limit] = MappingProxyType(
    {
        # https://github.com/alexemanuelol/rustplusplus/issues/475
        "messages.create": Limit(5, 5.0),
        "messages.edit": Limit(5, 5.0),
        "messages.delete": Limit(5, 1.0),
        # https://github.com/discord/discord-api-docs/issues/1454
        "webhooks.execute": Limit(5, 2.0),
        "webhooks.message": Limit(5, 2.0),
        "interactions.followup": Limit(5, 2.0),
        "interactions.message": Limit(5, 2.0),
        "channels.typing": Limit(5, 5.0),
        "webhooks.create": Limit(10, 10.0),
    }
)
"""Bucket per route name; routes that are not named have `TwinOptions.other_bucket`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinOptions:
    """The behaviour of a twin; `Twin.configure(field=value)` changes it while it runs.

    Every field has a default that follows Discord; see the fields for what each of them changes.

    Example:
        twin = Twin(TwinOptions(content_limit=1500, max_webhooks=2))

    """

    as_of: str = field(default_factory=lambda: os.environ.get(AS_OF_VARIABLE, ""))
    """The day whose Discord this is, as 2026-11-15; empty is today.

    Options that have their default get the value that they had on that day, see `dated_changes.CHANGES`.
    """

    # Each group below is one area of Discord. "unsure" means: tests cover both values.
    # Routes
    strict: bool = True
    """Answer 501 where the twin has no such route; off: 404, as Discord does where it has none itself."""

    # Text
    count: Literal["codepoints", "utf16"] = "codepoints"
    """How lengths are counted (staff: code points, discord-api-docs#1315)."""
    content_limit: int = 2000
    """Maximum number of characters of a message."""
    v2_text_bytes: int = 10_170
    """UTF-8 bytes of all texts of a Components V2 message, each with 12 more; above, Discord answers 500.

    Undocumented (discord-api-docs#8554); 0 means no such limit.
    """
    trim_whitespace: bool = True
    """Whether white space at both ends of a message is removed."""
    strip_invalid_unicode: bool = True
    """Whether lone surrogates and NUL are removed."""
    automod: tuple[str, ...] = ()
    """Words that AutoMod blocks with 200000."""
    harmful_link: tuple[str, ...] = ()
    """Addresses that the link filter blocks with 240000."""

    # Nonces
    nonce_enforce: bool = True
    """Whether `enforce_nonce` is obeyed."""
    nonce_window_s: float = 180.0
    """How long a nonce is remembered; Discord says "the past few minutes" only."""
    nonce_deleted_404: bool = True
    """Whether a nonce whose message was deleted answers 404/10008 (discord-api-docs#6647)."""

    # Random faults (single faults: `faults.py`)
    commit_then_drop_ack_chance: float = 0.0
    """Probability that a message is created but the connection closes before the response."""
    commit_then_status_chance: float = 0.0
    """Probability that a message is created but the response is `commit_then_status`."""
    commit_then_status: int = 500
    """The status for `commit_then_status_chance`."""
    ack_delay: float = 0.0
    """Seconds that every answer waits after its commit."""

    # Rate limits
    buckets: Mapping[str, Limit] = field(default_factory=lambda: DEFAULT_BUCKETS)
    """Visible limits per route name."""
    other_bucket: Limit = Limit(50, 1.0)
    """The visible limit of all other routes."""
    leaky: bool = True
    """Buckets drain steadily (hikari: since 2022-11-02), not all at once at the end of a window; unsure."""
    bucket_hash_change_at: int | None = None
    """Number of requests after which all bucket hashes change."""
    hidden_webhook_channel_limit: Limit | None = Limit(30, 60.0)
    """The limit per channel that no header shows (staff, discord-api-docs#367)."""
    edits_share_create_bucket: bool = False
    """Whether creates and edits of a channel count in one bucket (discord-api-docs#2761); unsure."""
    rename_limit: Limit | None = Limit(2, 600.0)
    """How often the name or topic of one channel or thread may change (discord.js#6651)."""
    avatar_limit: Limit | None = Limit(2, 600.0)
    """Changes of a bot's avatar in one guild before AVATAR_RATE_LIMIT; the figure is unsure."""
    sub_limit: Limit | None = None
    """A limit per channel on creates that shows up as 429 with `Remaining` above 0."""
    hidden_scope: Literal["user", "shared"] = "shared"
    """The scope that hidden limits name; unsure."""
    global_rps: int = 50
    """Requests per second and bot over all routes; 0 is unlimited."""
    omit_rl_headers: bool = False
    """Leave the X-RateLimit headers out of successful answers."""
    cloudflare_429_html: bool = False
    """Answer everything with Cloudflare's page, as after a ban."""
    invalid_request_ban: Limit = Limit(10_000, 600.0)
    """Number of 401, 403 and 429 responses after which Cloudflare bans the address."""
    webhook_404_penalty: int = 0
    """Calls to a dead webhook before Cloudflare's page; 0 is never."""
    user_agent_required: bool = False
    """Refuse bots whose User-Agent is not `DiscordBot (...)`; unsure, as discord.py's webhook calls pass."""

    # Webhooks
    max_webhooks: int = 15
    """Maximum number of webhooks of a channel (30007)."""
    max_guild_webhooks: int = 1000
    """Maximum number of webhooks of a guild (30058)."""
    forbidden_names: tuple[str, ...] = ("clyde", "discord")
    """Parts that a webhook's name may not have, in any case."""
    forbidden_exact_names: tuple[str, ...] = ("everyone", "here")
    """Names that are refused as a whole; seen by PluralKit, unsure."""
    single_letter_names: bool = False
    """Whether names of one character are accepted; PluralKit pads them, unsure."""

    # Files and replies
    file_limit: int = 10 * 1024 * 1024
    """Maximum size of one file in bytes."""
    request_limit: int = 25 * 1024 * 1024
    """Maximum size of a request in bytes."""
    reply_fail_if_not_exists: bool = True
    """What `fail_if_not_exists` is when it is not given."""
    old_edit_cap: int = 0
    """Edits of one message older than an hour before 30046; 0 is unlimited."""
    old_edit_limit: Limit | None = Limit(3, 6.0)
    """Edits of messages older than an hour in one channel before 30046 (discord-userdoccers); unsure."""
    edit_keeps_v2: bool = True
    """Whether an edit that names no flags is read as V2 where the message is; unsure."""

    # Mentions
    allowed_mentions_semantics: Literal["explicit", "lenient"] = "explicit"
    """explicit: an object turns off what it does not name (discord-api-docs#4270); lenient: `parse` stays."""
    escaped_mention_pings: bool = True
    """Whether `\\<@id>` still pings; unsure."""
    code_mention_pings: bool = False
    """Whether a mention inside code pings; unsure."""

    # Typing and interactions
    typing_200_body: bool = False
    """Answer typing with 200 and a body, as the OpenAPI file allows, instead of 204."""
    interaction_deadline_s: float = 3.0
    """Time for the first answer to an interaction."""
    interaction_ttl_s: float = 900.0
    """Time for all further answers."""
    user_install: bool = True
    """Whether users may install the bot for themselves; off, such commands are refused (eliza#16067)."""
    followup_cap: int = 0
    """Follow-ups before 40094; 0 means 5 for user-installed apps and unlimited otherwise."""

    # Notifications
    push_for: Literal["all", "mentions"] = "all"
    """Whether users get a push for every message of a channel, or only where they are mentioned."""

    # Gateway
    gateway_dup_events_chance: float = 0.0
    """Chance that an event is sent twice."""
    heartbeat_interval_s: float = 41.25
    """The interval that HELLO requests."""
    heartbeat_ack_s: float = 0.03
    """Real seconds until a heartbeat is acknowledged; some clients misread an immediate acknowledgement."""
    heartbeat_acks: bool = True
    """Whether heartbeats are acknowledged; off, clients see a zombie connection."""
    identify_budget: int = 1000
    """Identifies per day."""
    identify_per_5s: int = 0
    """`max_concurrency`, enforced; 0 is not enforced."""
    message_content_intent: bool = True
    """Whether the application may have the privileged intent."""
    webhook_content_visible_without_intent: bool = False
    """Whether the text of a webhook that the bot owns counts as its own; unsure."""

    # Permissions and commands
    pin_permission: Literal["pin_messages", "manage_messages"] = "pin_messages"
    """Which permission pinning needs."""
    forward_needs_content: bool = True
    """Whether a bot must be allowed to read what it forwards (160014)."""
    max_pins: int = 250
    """Maximum number of pinned messages of a channel (30003)."""
    max_menu_commands: int = 15
    """Commands in the menu of a message, and as many in the menu of a user."""

    # Channels that a bot may not view
    obfuscate_channels: bool = True
    """Send them without name, topic and last message, and leave them out of lists; for all since 2026-11-16."""

    # Appearance
    group_window_s: float = 420.0
    """Time after which the client shows a new heading."""

    def __post_init__(self) -> None:
        if not self.as_of:
            return
        defaults = {one.name: one.default for one in fields(self)}
        for name, value in behaviour_before(parse_day(self.as_of)).items():
            # A value of the caller's own wins over the day.
            if getattr(self, name) == defaults[name]:
                object.__setattr__(self, name, value)

    @classmethod
    def without_limits(cls, **changes: Any) -> TwinOptions:  # noqa: ANN401 - fields of this class
        """Discord's behaviour without its rate limits, so that no test waits for them."""
        # Only limits are removed; every other rule of Discord stays.
        free = {
            "buckets": MappingProxyType({}),
            "other_bucket": Limit(1_000_000, 1.0),
            "global_rps": 0,
            "hidden_webhook_channel_limit": None,
            "old_edit_limit": None,
            "rename_limit": None,
            "avatar_limit": None,
        }
        return cls(**{**free, **changes})

"""Find out whether the bot may write in a channel before a model is asked for an answer that no one would see.

Discord counts refused requests (401, 403, 429): after 10 000 in ten minutes it blocks the bot's address,
https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans .
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import discord

from streamcord.utils import BoundedCache

REFUSAL_MEMORY_S = 900.0
"""After a refusal by Discord, a channel is left alone for this long, unless the bot's permissions change."""
CHANGE_GRACE_S = 5.0
"""A refusal that arrives this soon after a change of permissions may belong to a request from before it."""
MAX_CHANNELS = 10_000

_log = logging.getLogger(__name__)


class WriteAccess:
    """Knows the channels in which the bot may not write: by its permissions, and by what Discord refused."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        # Time of the last refusal and the permissions at that moment, by channel.
        self._refusals: BoundedCache[int, tuple[float, int]] = BoundedCache(MAX_CHANNELS)
        # When permissions last changed, by server.
        self._changed_at: BoundedCache[int, float] = BoundedCache(MAX_CHANNELS)
        # The same, until a refusal after the change was overlooked.
        self._changes: BoundedCache[int, float] = BoundedCache(MAX_CHANNELS)
        # When the operator was told of a channel.
        self._logged: BoundedCache[int, float] = BoundedCache(MAX_CHANNELS)

    def is_open(self, channel: Any, *, by_webhook: bool = True) -> bool:  # noqa: ANN401 - of any kind
        """Return whether an answer may be written; if not, log it once in a while.

        Args:
            channel: where the answer is for.
            by_webhook: whether the answer may come from a webhook, which needs another permission.

        """
        obstacle = self.find_obstacle(channel, by_webhook=by_webhook)
        if not obstacle:
            self._logged.drop(channel.id)
            return True
        logged = self._logged.peek(channel.id)
        if logged is None or self._now() - logged >= REFUSAL_MEMORY_S:
            self._logged.keep(channel.id, self._now())
            _log.warning("channel %s: not answering, and asking no model: %s", channel.id, obstacle)
        return False

    def record_refusal(self, channel: Any) -> None:  # noqa: ANN401 - of any kind
        """Remember that Discord refused a message of the bot in a channel."""
        permissions = _own_permissions(channel)
        self._refusals.keep(channel.id, (self._now(), permissions.value if permissions else 0))

    def record_change(self, server: int) -> None:
        """Forget the refusals of a server: its permissions, threads or members have changed."""
        now = self._now()
        self._changed_at.keep(server, now)
        self._changes.keep(server, now)

    def now(self) -> float:
        """Return the time by the clock that it was given."""
        return self._now()

    def has_changed(self, channel: Any, since: float) -> bool:  # noqa: ANN401 - of any kind
        """Return whether permissions of the channel's server have changed since this time."""
        changed_at = self._changed_at.peek(_server_of(channel))
        return changed_at is not None and changed_at >= since

    def find_obstacle(self, channel: Any, *, by_webhook: bool = False) -> str:  # noqa: ANN401 - of any kind
        """Return why the bot may not write in a channel; empty if it may."""
        permissions = _own_permissions(channel)
        if permissions is not None and (
            missing := _find_missing_permission(channel, permissions, by_webhook=by_webhook)
        ):
            return missing
        refused_at, before = self._refusals.peek(channel.id) or (None, 0)
        if refused_at is None:
            return ""
        if (
            self._now() - refused_at >= REFUSAL_MEMORY_S
            or before != (permissions.value if permissions else 0)
            or self._was_changed(channel, refused_at)
        ):
            self._refusals.drop(channel.id)
            return ""
        return f"Discord refused a message of the bot there less than {REFUSAL_MEMORY_S / 60:.0f} minutes ago"

    def _was_changed(self, channel: Any, refused_at: float) -> bool:  # noqa: ANN401 - of any kind
        """Return whether a refusal belongs to the time before a change of permissions."""
        server = _server_of(channel)
        changed_at = self._changes.peek(server)
        if changed_at is None or refused_at > changed_at + CHANGE_GRACE_S:
            return False
        if refused_at > changed_at:
            # Only one was on its way: a channel that refuses for another reason is not asked again and again.
            self._changes.drop(server)
        return True


def _server_of(channel: object) -> int:
    return int(getattr(getattr(channel, "guild", None), "id", 0))


def _find_missing_permission(channel: Any, permissions: discord.Permissions, *, by_webhook: bool) -> str:  # noqa: ANN401
    """Return which permission the bot lacks to write in a channel of a server; empty if none."""
    me = channel.guild.me
    # A timeout takes nearly all permissions away, those of roles and of the channel too.
    if me.is_timed_out() and not permissions.administrator:
        return f"a moderator has timed the bot out until {me.timed_out_until:%Y-%m-%d %H:%M} UTC"
    if not permissions.view_channel:
        return "the bot lacks the permission View Channel"
    if isinstance(channel, discord.Thread):
        if channel.locked and not permissions.manage_threads:
            return "the thread is locked, and the bot lacks the permission Manage Threads"
        if not permissions.send_messages_in_threads:
            return "the bot lacks the permission Send Messages in Threads"
    elif not permissions.send_messages and not (by_webhook and permissions.manage_webhooks):
        return "the bot lacks the permission Send Messages"
    return ""


def _own_permissions(channel: Any) -> discord.Permissions | None:  # noqa: ANN401 - of any kind
    """Return the bot's permissions in a channel; `None` if they are unknown, as in direct messages."""
    me = getattr(getattr(channel, "guild", None), "me", None)
    ask = getattr(channel, "permissions_for", None)
    if me is None or ask is None:
        return None
    try:
        permissions: discord.Permissions = ask(me)
    except discord.ClientException:
        # The parent of a thread is not known.
        return None
    return permissions

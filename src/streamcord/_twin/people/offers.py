"""What a client offers and what it does not: the checks before a person's act is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state.permissions import Permission

if TYPE_CHECKING:
    from ..state.model import Channel, User
    from ..state.state import State

__all__ = ["NotOffered", "need_right", "need_to_write"]


class NotOffered(LookupError):
    """A client would not let a person do this: the button is grey, a field is empty, the door is shut."""


def need_right(state: State, user: User, channel: Channel, permission: Permission, what: str) -> None:
    """Refuse what the person may not do in this channel."""
    granted = state.permissions(user, channel)
    if not granted & Permission.VIEW_CHANNEL:
        raise NotOffered(f"{user.name} does not see #{channel.name or channel.id}")
    if not granted & permission:
        raise NotOffered(f"{user.name} may not {what} in #{channel.name or channel.id}")


def need_to_write(state: State, user: User, channel: Channel) -> None:
    """Refuse a message where there is no field to write it into."""
    if channel.is_forum:
        raise NotOffered("a forum holds posts only: start one, then write into it")
    right = Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    need_right(state, user, channel, right, "write")
    if channel.locked:
        need_right(state, user, channel, Permission.MANAGE_THREADS, "write into a locked thread")

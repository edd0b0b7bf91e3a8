"""Which messages of a channel the model reads, so that providers can cache the front of the prompt.

A cache hits only if a prompt begins with exactly what the one before began with. A window that always holds
the newest messages moves with every one of them. So its first message stays until the window is half again
too large; then it is cut back to its size at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from streamcord.utils import BoundedCache

if TYPE_CHECKING:
    from ..config.sections import ContextConfig
    from ..messages.chat_message import ChatMessage

__all__ = ["MAX_WINDOW_FACTOR", "RAW_CAP", "WindowStarts", "count_turns", "span_of"]

MAX_WINDOW_FACTOR = 1.5
"""How far a window grows before it is cut back to its size."""
RAW_CAP = 72
"""Messages, each bubble counted, of a window that was cut back; at most a hundred can be read at once."""
CHANNEL_CAP = 10_000

Cost = Callable[["ChatMessage"], int]


def span_of(budget: ContextConfig) -> int:
    """How many messages must be read so that the window can grow; an answer is often several bubbles."""
    return 3 * budget.messages


def count_turns(messages: Sequence[ChatMessage]) -> int:
    """How many messages they are, where the bubbles of one answer are one."""
    pairs = zip([None, *messages], messages, strict=False)
    return sum(not (message.own and before is not None and before.own) for before, message in pairs)


class WindowStarts:
    """The first message of every channel's window."""

    def __init__(self) -> None:
        self._first: BoundedCache[int, int] = BoundedCache(CHANNEL_CAP)

    def choose(
        self,
        channel: int,
        ordered: Sequence[ChatMessage],
        asked: Collection[int],
        budget: ContextConfig,
        cost: Cost,
    ) -> list[ChatMessage]:
        """The messages from the window's first one on; the question is kept wherever it stands."""
        first = self._first.find(channel) or 0
        known = any(message.id == first for message in ordered)
        if not known or not _fits(_since(ordered, first), budget, cost, MAX_WINDOW_FACTOR):
            first = _cut_back(ordered, budget, cost)
            self._first.keep(channel, first)
        return [message for message in ordered if message.id >= first or message.id in asked]


def _since(ordered: Sequence[ChatMessage], first: int) -> list[ChatMessage]:
    return [message for message in ordered if message.id >= first]


def _fits(messages: Sequence[ChatMessage], budget: ContextConfig, cost: Cost, factor: float) -> bool:
    tokens = sum(map(cost, messages))
    return tokens <= factor * budget.tokens and count_turns(messages) <= factor * budget.messages


def _cut_back(ordered: Sequence[ChatMessage], budget: ContextConfig, cost: Cost) -> int:
    """The first of the newest messages that fit the budget."""
    start, tokens, turns = len(ordered), 0, 0
    while start and len(ordered) - start < RAW_CAP:
        message = ordered[start - 1]
        behind = ordered[start] if start < len(ordered) else None
        tokens += cost(message)
        turns += not (message.own and behind is not None and behind.own)
        if tokens > budget.tokens or turns > budget.messages:
            break
        start -= 1
    return ordered[start].id if start < len(ordered) else 0

"""Choose the messages of a channel that the model reads, so that providers can cache the start of the prompt.

A provider's cache hits only if a prompt begins exactly like the previous one. A window of the newest messages
changes its beginning with every message. So the first message of a window stays until the window has grown to
`MAX_WINDOW_FACTOR` times its size; then the window is cut back to its size in one step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from streamcord.utils import BoundedCache

if TYPE_CHECKING:
    from ..config import ContextConfig
    from ..messages.chat_message import ChatMessage

MAX_WINDOW_FACTOR = 1.5
"""A window that grows beyond this factor is cut back to its size."""
MAX_RAW_MESSAGES = 72
"""Single messages in a window after it was cut back; Discord returns at most 100 per request."""
MAX_CHANNELS = 10_000

Cost = Callable[["ChatMessage"], int]


def span_of(budget: ContextConfig) -> int:
    """Return how many messages to read so that the window can grow; an answer often has several messages."""
    return 3 * budget.messages


def count_turns(messages: Sequence[ChatMessage]) -> int:
    """Count messages, with the consecutive messages of an answer as one."""
    pairs = zip([None, *messages], messages, strict=False)
    return sum(not (message.own and before is not None and before.own) for before, message in pairs)


class WindowStarts:
    """Remembers the first message of each channel's window."""

    def __init__(self) -> None:
        self._first: BoundedCache[int, int] = BoundedCache(MAX_CHANNELS)

    def choose(
        self,
        channel: int,
        ordered: Sequence[ChatMessage],
        asked: Collection[int],
        budget: ContextConfig,
        cost: Cost,
    ) -> list[ChatMessage]:
        """Return the messages of the window; those of the question are always included."""
        first = self._first.find(channel) or 0
        known = any(message.id == first for message in ordered)
        # The first message was deleted, or the window has grown too far: choose a new first message.
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
    """Return the id of the first of the newest messages that fit the budget."""
    start, tokens, turns = len(ordered), 0, 0
    # Walk back from the newest message until the budget is used up.
    while start and len(ordered) - start < MAX_RAW_MESSAGES:
        message = ordered[start - 1]
        after = ordered[start] if start < len(ordered) else None
        tokens += cost(message)
        # Going backwards: consecutive messages of ours count as one turn.
        turns += not (message.own and after is not None and after.own)
        if tokens > budget.tokens or turns > budget.messages:
            break
        start -= 1
    return ordered[start].id if start < len(ordered) else 0

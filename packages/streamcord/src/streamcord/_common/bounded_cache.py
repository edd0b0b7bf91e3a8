"""A cache with a maximum size that evicts the least recently used entry."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps the `cap` most recently used entries.

    `in_use` says which values must not be forgotten yet: while the oldest is one of them, the cache may hold
    more than its cap. With `size`, the cap is on the sizes of all values together; the newest is always kept.
    A value counts as at least one, so that the number of empty values is bounded, too.

    Args:
        cap: The number of entries, or the sum of their sizes.
        in_use: Returns whether a value must be kept.
        size: Returns the size of a value.

    Example:
        names: BoundedCache[int, str] = BoundedCache(1000)
        name = names.find_or_make(user.id, lambda: user.display_name)

    """

    def __init__(
        self, cap: int, *, in_use: Callable[[V], bool] | None = None, size: Callable[[V], int] | None = None
    ) -> None:
        self._cap = cap
        self._in_use = in_use
        self._size = size
        self._entries: OrderedDict[K, V] = OrderedDict()
        # Sizes of all values together, and of each. A value may change its size later, so each is remembered.
        self._total = 0
        self._sizes: dict[K, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def find(self, key: K) -> V | None:
        """Return the value of a key, or `None`; this counts as use."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key]

    def find_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; create and keep it if it is missing."""
        if key in self._entries:
            self._entries.move_to_end(key)
            return self._entries[key]
        return self.keep(key, make())

    def keep(self, key: K, value: V) -> V:
        """Keep a value and return it; evict the oldest entry if the cache is full."""
        self._forget_size(key)
        self._entries[key] = value
        self._entries.move_to_end(key)
        if self._size is not None:
            self._sizes[key] = max(1, self._size(value))
            self._total += self._sizes[key]
        while self._is_full():
            oldest = next(iter(self._entries))
            if self._in_use is not None and self._in_use(self._entries[oldest]):
                break
            del self._entries[oldest]
            self._forget_size(oldest)
        return value

    def _is_full(self) -> bool:
        if self._size is None:
            return len(self._entries) > self._cap
        return len(self._entries) > 1 and self._total > self._cap

    def _forget_size(self, key: K) -> None:
        self._total -= self._sizes.pop(key, 0)

    def peek(self, key: K) -> V | None:
        """Return the value of a key, or `None`; this does not count as use."""
        return self._entries.get(key)

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
        self._sizes.clear()
        self._total = 0

    def drop(self, key: K) -> V | None:
        """Remove a key and return its value, or `None` if there was none."""
        self._forget_size(key)
        return self._entries.pop(key, None)

    def items(self) -> Iterator[tuple[K, V]]:
        """Return all keys and values, oldest first; the cache may change during the iteration."""
        return iter([*self._entries.items()])

    def values(self) -> Iterator[V]:
        """Return all values, oldest first; the cache may change during the iteration."""
        return iter([*self._entries.values()])

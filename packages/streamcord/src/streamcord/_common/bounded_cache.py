"""A cache with a cap: what was not used for longest is forgotten first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

__all__ = ["BoundedCache"]

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps the `cap` entries that were used last.

    `in_use` says which values must not be forgotten yet: while the oldest is one of them, the cache may hold
    more than its cap. With `size`, the cap is on the sizes of all values together; the newest is always kept.
    """

    def __init__(
        self, cap: int, *, in_use: Callable[[V], bool] | None = None, size: Callable[[V], int] | None = None
    ) -> None:
        self._cap = cap
        self._in_use = in_use
        self._size = size
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def find(self, key: K) -> V | None:
        """The value of a key, or `None`; asking for it counts as use."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key]

    def find_or_make(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key; where there is none, a new one is made and kept."""
        if key in self._entries:
            self._entries.move_to_end(key)
            return self._entries[key]
        return self.keep(key, make())

    def keep(self, key: K, value: V) -> V:
        """Keep a value, which is returned; if there is no room, the oldest entry goes."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        while self._is_full():
            oldest = next(iter(self._entries))
            if self._in_use is not None and self._in_use(self._entries[oldest]):
                break
            del self._entries[oldest]
        return value

    def _is_full(self) -> bool:
        if self._size is None:
            return len(self._entries) > self._cap
        return len(self._entries) > 1 and sum(map(self._size, self._entries.values())) > self._cap

    def peek(self, key: K) -> V | None:
        """The value of a key, or `None`; looking at it does not count as use."""
        return self._entries.get(key)

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def drop(self, key: K) -> V | None:
        """Forget a key; its value, or `None` if there was none."""
        return self._entries.pop(key, None)

    def items(self) -> Iterator[tuple[K, V]]:
        """All keys and values, oldest first; the cache may change meanwhile."""
        return iter([*self._entries.items()])

    def values(self) -> Iterator[V]:
        """All values, oldest first; the cache may change meanwhile."""
        return iter([*self._entries.values()])

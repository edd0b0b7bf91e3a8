"""A memory with a cap: what was not used for longest is forgotten first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

__all__ = ["Recent"]

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Keeps the newest `cap` entries."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def find(self, key: K) -> V | None:
        """What is known under a key; asking keeps it fresh."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key]

    def keep(self, key: K, value: V) -> V:
        """Remember, and forget the oldest if there is no room."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._cap:
            self._entries.popitem(last=False)
        return value

    def drop(self, key: K) -> None:
        """Forget, if it is known."""
        self._entries.pop(key, None)

    def items(self) -> Iterator[tuple[K, V]]:
        """All that is known, by key, oldest first."""
        return iter([*self._entries.items()])

    def values(self) -> Iterator[V]:
        """All that is known, oldest first."""
        return iter([*self._entries.values()])

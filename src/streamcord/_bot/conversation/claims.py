"""Each message is answered once: the gateway repeats itself after a resume, and sometimes without one."""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["Claims"]


class Claims:
    """Ids that were taken, the last `cap` of them."""

    def __init__(self, cap: int = 10_000) -> None:
        self._cap = cap
        self._taken: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._taken)

    def claim(self, id_: int) -> bool:
        """Take an id; false if it was taken before."""
        if id_ in self._taken:
            return False
        self._taken[id_] = None
        if len(self._taken) > self._cap:
            self._taken.popitem(last=False)
        return True

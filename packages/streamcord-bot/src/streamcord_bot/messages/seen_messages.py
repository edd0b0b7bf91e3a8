"""Remember which messages were handled, so that each is handled once."""

from __future__ import annotations

from streamcord.utils import BoundedCache


class SeenMessages:
    """The ids of the last `cap` messages, so that each is answered once.

    The gateway repeats events after a resume, and sometimes without one.
    """

    def __init__(self, cap: int = 10_000) -> None:
        self._seen: BoundedCache[int, None] = BoundedCache(cap)

    def __len__(self) -> int:
        return len(self._seen)

    def claim(self, id_: int) -> bool:
        """Claim an id; false if it was claimed before."""
        if id_ in self._seen:
            return False
        self._seen.keep(id_, None)
        return True

    def release(self, id_: int) -> None:
        """Release an id, so that it can be claimed again."""
        self._seen.drop(id_)

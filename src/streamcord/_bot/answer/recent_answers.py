"""The last answers, by every message that they consist of: for `/why`, and for the buttons below them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from streamcord import Ending, Receipt, Settings, TurnResult

__all__ = ["Answered", "Archive"]


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer and what it was made with."""

    turn: str
    channel: int
    owner: int
    asked: tuple[int, ...]
    """The messages of the question; the last one was replied to."""
    model: str
    settings: Settings
    result: TurnResult

    @property
    def ids(self) -> tuple[int, ...]:
        """The messages of the answer."""
        return tuple(receipt.id for receipt in self.result.receipts)

    @property
    def can_go_on(self) -> bool:
        """Whether there may be more where this came from."""
        return self.result.ending not in {Ending.EMPTY_RESPONSE, Ending.SPEAKER_GUARD}

    def receipt(self, id_: int) -> Receipt | None:
        """How one message of it was made."""
        return next((receipt for receipt in self.result.receipts if receipt.id == id_), None)


class Archive:
    """The last `cap` messages; older ones are forgotten."""

    def __init__(self, cap: int = 2000) -> None:
        self._cap = cap
        self._by_message: OrderedDict[int, Answered] = OrderedDict()

    def __len__(self) -> int:
        return len(self._by_message)

    def keep(self, answered: Answered) -> None:
        """Keep an answer."""
        for id_ in answered.ids:
            self._by_message[id_] = answered
        while len(self._by_message) > self._cap:
            self._by_message.popitem(last=False)

    def find(self, id_: int) -> Answered | None:
        """The answer that a message belongs to."""
        return self._by_message.get(id_)

    def last_in(self, channel: int) -> int:
        """Our newest message in a channel, or 0."""
        return next((id_ for id_, one in reversed(self._by_message.items()) if one.channel == channel), 0)

    def forget_owner(self, person: int) -> None:
        """Somebody wants to be forgotten."""
        for id_ in [id_ for id_, one in self._by_message.items() if one.owner == person]:
            del self._by_message[id_]

    def forget(self, id_: int) -> None:
        """A message that was deleted never happened."""
        self._by_message.pop(id_, None)

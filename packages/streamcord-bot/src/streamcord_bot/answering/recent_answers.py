"""Remember the last answers by their messages."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord import Attachment, Ending, Receipt, Settings, TextDelta, TurnResult
from streamcord.utils import BoundedCache

from ..messages.chat_message import ChatMessage


@dataclass(frozen=True, slots=True)
class RecentAnswer:
    """One answer, with the settings and the model that made it."""

    turn: str
    channel: int
    owner: int
    asked: tuple[int, ...]
    """The messages of the question; the last one was replied to."""
    model: str
    settings: Settings
    result: TurnResult
    private: bool = False
    """Whether only the owner saw it."""
    persona: str = ""
    """The persona that was asked; empty is the one of the channel."""
    steered: tuple[ChatMessage, ...] = ()
    """The follow-ups that it has taken over."""

    def is_visible_to(self, person: int) -> bool:
        """Return whether a person may learn anything of this answer."""
        return not self.private or person == self.owner

    def answers(self, message: int) -> bool:
        """Return whether a message is a part of the question, or a follow-up of it."""
        return message in self.asked or any(one.id == message for one in self.steered)

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the answer's messages."""
        return tuple(receipt.id for receipt in self.result.receipts)

    @property
    def can_continue(self) -> bool:
        """Whether the answer could be continued."""
        return self.result.ending not in {Ending.EMPTY_RESPONSE, Ending.SPEAKER_GUARD}

    def receipt(self, id_: int) -> Receipt | None:
        """Return the receipt of one of its messages."""
        return next((receipt for receipt in self.result.receipts if receipt.id == id_), None)


class RecentAnswers:
    """The last `cap` messages; older ones are forgotten."""

    def __init__(self, cap: int = 2000) -> None:
        self._by_message: BoundedCache[int, RecentAnswer] = BoundedCache(cap)
        # The newest answer of each channel, if it sent no message.
        self._without_message: BoundedCache[int, RecentAnswer] = BoundedCache(cap)
        # What models wrote in each turn; only kept after `keep_sources`.
        self._sources: BoundedCache[str, list[str]] | None = None

    def __len__(self) -> int:
        return len(self._by_message)

    def keep(self, answered: RecentAnswer) -> None:
        """Remember an answer."""
        for id_ in answered.ids:
            self._by_message.keep(id_, answered)
        if answered.ids:
            self._without_message.drop(answered.channel)
        else:
            self._without_message.keep(answered.channel, answered)

    def keep_sources(self, cap: int = 100) -> None:
        """From now on, also keep the unchanged model output of the last `cap` turns."""
        self._sources = BoundedCache(cap)

    def record_event(self, turn: str, event: object) -> None:
        """Record model output of a turn."""
        if self._sources is None or not isinstance(event, TextDelta):
            return
        self._sources.find_or_make(turn, list).append(event.text)

    def source(self, answered: RecentAnswer) -> str:
        """Return the model output of a turn, if it was kept; of several attempts the last one."""
        chunks = self._sources.peek(answered.turn) if self._sources is not None else None
        count = answered.result.counts.received
        # Several attempts append to the same list; the last one is at the end.
        return "".join(chunks or ())[-count:] if count else ""

    def find(self, id_: int, reader: int) -> RecentAnswer | None:
        """Return the answer that a message belongs to, if the person `reader` may see it."""
        answered = self._by_message.peek(id_)
        return answered if answered is not None and answered.is_visible_to(reader) else None

    def find_by_question(self, message: int) -> RecentAnswer | None:
        """Return the last answer to a question that this message is a part of."""
        newest_first = reversed([*self._by_message.items()])
        return next((one for _, one in newest_first if one.ids and one.answers(message)), None)

    def last_in(self, channel: int, reader: int) -> int:
        """Return the id of our newest message in a channel that this person may see, or 0."""
        newest_first = reversed([*self._by_message.items()])
        return next(
            (id_ for id_, one in newest_first if one.channel == channel and one.is_visible_to(reader)), 0
        )

    def find_without_message(self, channel: int, reader: int) -> RecentAnswer | None:
        """Return the newest answer of a channel if it sent no message and this person may see it."""
        answered = self._without_message.peek(channel)
        return answered if answered is not None and answered.is_visible_to(reader) else None

    def forget_owner(self, person: int) -> None:
        """Forget all answers to a person."""
        for channel in [id_ for id_, one in self._without_message.items() if one.owner == person]:
            self._without_message.drop(channel)
        for id_ in [id_ for id_, one in self._by_message.items() if one.owner == person]:
            self._by_message.drop(id_)

    def forget(self, id_: int) -> None:
        """Forget a message that was deleted."""
        self._by_message.drop(id_)


def table_source(answered: RecentAnswer, id_: int) -> str:
    """Return the Markdown of the tables and drawings that a message shows as pictures."""
    receipt = answered.receipt(id_)
    files = receipt.message.files if receipt else ()
    return "\n\n".join(file.source for file in files if not isinstance(file, Attachment))

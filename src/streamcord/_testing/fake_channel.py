"""A channel that keeps what it is sent, on a clock that nobody waits for."""

from __future__ import annotations

from .._events import Message, Receipt

__all__ = ["FakeChannel"]


class FakeChannel:
    """A transport that remembers: messages, typing, and every wait without waiting."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.typing_calls = 0
        # Seconds that were asked for, in order; `now` is their sum.
        self.waits: list[float] = []
        self._unseen_wait = 0.0

    @property
    def texts(self) -> list[str]:
        """What people would read."""
        return [message.content for message in self.messages]

    @property
    def now(self) -> float:
        """How late it is on the channel's own clock."""
        return sum(self.waits)

    async def send(self, message: Message) -> Receipt:
        """Keep the message; ids count from 1."""
        self.messages.append(message)
        waited, self._unseen_wait = self._unseen_wait, 0.0
        number = len(self.messages)
        return Receipt(message, number, f"https://discord.com/channels/0/0/{number}", waited)

    async def typing(self) -> None:
        """Count the call."""
        self.typing_calls += 1

    async def sleep(self, seconds: float) -> None:
        """Note the wait and return at once."""
        self.waits.append(seconds)
        self._unseen_wait += seconds

from __future__ import annotations

from streamcord import Message, Receipt
from streamcord._delivery.transport import Clocked, Transport
from streamcord.testing import FakeChannel


class Printer:
    """The least that a transport must be."""

    async def send(self, message: Message) -> Receipt:
        return Receipt(message, 1)

    async def typing(self) -> None:
        pass


def test_two_methods_make_a_transport() -> None:
    transport: Transport = Printer()

    assert not isinstance(transport, Clocked)


def test_a_transport_with_a_sleep_has_a_clock_of_its_own() -> None:
    transport: Transport = FakeChannel()

    assert isinstance(transport, Clocked)

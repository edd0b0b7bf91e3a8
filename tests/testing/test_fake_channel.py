from __future__ import annotations

from streamcord import Message, Transport
from streamcord.testing import FakeChannel


def accepts_transport(transport: Transport) -> Transport:
    """For mypy: the fake has the shape that `say` wants."""
    return transport


async def test_it_keeps_what_it_is_sent_in_order() -> None:
    channel = FakeChannel()
    transport = accepts_transport(channel)

    await transport.send(Message("one"))
    await transport.send(Message("two", delay=1.0))

    assert channel.texts == ["one", "two"]
    assert channel.messages == [Message("one"), Message("two", delay=1.0)]


async def test_receipts_count_from_one_and_link_to_their_message() -> None:
    channel = FakeChannel()

    first = await channel.send(Message("one"))
    second = await channel.send(Message("two"))

    assert (first.id, second.id) == (1, 2)
    assert first.message == Message("one")
    assert first.url.endswith("/1")
    assert first.url != second.url


async def test_waits_are_noted_and_not_waited_for() -> None:
    channel = FakeChannel()

    await channel.sleep(3600.0)
    await channel.sleep(0.5)
    receipt = await channel.send(Message("late"))
    again = await channel.send(Message("at once"))

    assert channel.waits == [3600.0, 0.5]
    assert channel.now == 3600.5
    assert (receipt.waited, again.waited) == (3600.5, 0.0)


async def test_typing_is_counted() -> None:
    channel = FakeChannel()

    await channel.typing()
    await channel.typing()

    assert channel.typing_calls == 2

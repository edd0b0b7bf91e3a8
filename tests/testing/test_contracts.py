"""The contract holds for our own transports, and finds what is wrong with others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import discord
import pytest

from streamcord import Message, Receipt
from streamcord._testing.contracts import TransportContract
from streamcord.discord import DiscordChannel
from streamcord.testing import FakeChannel
from streamcord.twin import Twin


class Fake(TransportContract):
    def read(self, transport: FakeChannel) -> Sequence[str]:
        return transport.texts


class TestFakeChannel(Fake):
    @pytest.fixture
    def transport(self) -> FakeChannel:
        return FakeChannel()


class TestDiscordChannel(TransportContract):
    @pytest.fixture
    async def transport(self, twin: Twin, twin_client: discord.Client) -> DiscordChannel:
        self.twin = twin
        return DiscordChannel(twin_client.get_partial_messageable(twin.channel.id))

    def read(self, transport: DiscordChannel) -> Sequence[str]:
        return self.twin.channel.texts

    def break_off(self, transport: DiscordChannel) -> None:
        self.twin.state.delete_channel(self.twin.channel)


class Twice(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        await super().send(message)
        return await super().send(message)


class Backwards(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        receipt = await super().send(message)
        self.messages.insert(0, self.messages.pop())
        return receipt


class OneId(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        await super().send(message)
        return Receipt(message, 1)


class Chatty(FakeChannel):
    async def typing(self) -> None:
        await self.send(Message("..."))


class Short(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        return await super().send(Message(message.content[:1900], files=message.files))


class Wordy(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        return await super().send(Message(message.content or "a file", files=message.files))


class Broken(FakeChannel):
    async def send(self, message: Message) -> Receipt:
        raise OSError("the line is cut")


class Breaks(Fake):
    def break_off(self, transport: FakeChannel) -> None:
        pass


ALL = Breaks()


@pytest.mark.parametrize(
    ("bad", "test"),
    [
        (Twice, ALL.test_a_message_arrives_once),
        (Backwards, ALL.test_messages_arrive_in_the_order_in_which_they_were_sent),
        (OneId, ALL.test_equal_messages_are_two_messages),
        (Chatty, ALL.test_typing_is_no_message),
        (Short, ALL.test_any_text_of_a_legal_length_arrives_as_it_is),
        (Wordy, ALL.test_a_file_needs_no_words),
        (Twice, ALL.test_a_whole_answer_passes_through_it),
    ],
)
async def test_a_transport_that_breaks_the_contract_is_found(
    bad: type[FakeChannel], test: Callable[[FakeChannel], Awaitable[None]]
) -> None:
    with pytest.raises(AssertionError):
        await test(bad())


async def test_an_error_of_another_kind_is_found() -> None:
    with pytest.raises(OSError, match="cut"):
        await ALL.test_it_fails_with_a_delivery_error_and_nothing_else(Broken())


async def test_what_is_not_filled_in_says_so() -> None:
    with pytest.raises(NotImplementedError, match="read"):
        TransportContract().read(None)

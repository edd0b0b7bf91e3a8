"""What every transport and every store must do, as tests that anybody can run on their own.

    class TestMyTransport(TransportContract):
        @pytest.fixture
        async def transport(self) -> MyTransport:
            return MyTransport()

        def read(self, transport: MyTransport) -> list[str]:
            return transport.texts

`read` says what people see, oldest first. A transport that can be made to fail overrides `break_off` too.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def opener(self, tmp_path: Path) -> StoreOpener:
            return lambda clock: MyStore.open(tmp_path / "mine", clock=clock)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from streamcord import Attachment, DeliveryError, Message, say

from .fakes import ScriptedProvider
from .store_checks import STORE_CHECKS, StoreCheck, StoreOpener

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamcord import Transport

__all__ = ["StoreContract", "TransportContract"]

_LONGEST = 2000
_HOSTILE = "@everyone <@1> **bold** `code` ||spoiler|| \\* 👨‍👩‍👧‍👦 \u05d0\u0301"


class TransportContract:
    """Derive from it, give it a fixture `transport`, and say how to `read` what arrived."""

    @pytest.fixture
    def transport(self) -> Any:  # noqa: ANN401 - yours
        """The transport under test, new for every test."""
        raise NotImplementedError("give your class a fixture `transport`")

    def read(self, transport: Any) -> Sequence[str]:  # noqa: ANN401 - yours
        """What people see now, oldest first."""
        raise NotImplementedError("say how to read what the transport has sent")

    def break_off(self, transport: Any) -> None:  # noqa: ANN401, ARG002 - yours
        """Make the next `send` fail for good; skipped unless it is overridden."""
        pytest.skip("break_off is not overridden")

    async def test_a_message_arrives_once(self, transport: Transport) -> None:
        """The receipt speaks of the message that was sent, and people see it once."""
        message = Message("Hello there.")
        receipt = await transport.send(message)

        assert receipt.message == message
        assert isinstance(receipt.id, int)
        assert list(self.read(transport)) == ["Hello there."]

    async def test_messages_arrive_in_the_order_in_which_they_were_sent(self, transport: Transport) -> None:
        """When `send` returns, the message is there: the next one comes after it."""
        texts = [f"number {number}" for number in range(5)]
        for text in texts:
            await transport.send(Message(text))

        assert list(self.read(transport)) == texts

    async def test_equal_messages_are_two_messages(self, transport: Transport) -> None:
        """What is said twice is seen twice, under two ids."""
        first = await transport.send(Message("again"))
        second = await transport.send(Message("again"))

        assert first.id != second.id
        assert list(self.read(transport)) == ["again", "again"]

    async def test_typing_is_no_message(self, transport: Transport) -> None:
        """Typing may be shown at any time, also twice, and leaves nothing."""
        await transport.typing()
        await transport.typing()
        await transport.send(Message("done"))

        assert list(self.read(transport)) == ["done"]

    async def test_any_text_of_a_legal_length_arrives_as_it_is(self, transport: Transport) -> None:
        """Neither markup nor length changes a message."""
        texts = [_HOSTILE, "x" * _LONGEST, "👍" * _LONGEST]
        for text in texts:
            await transport.send(Message(text))

        assert list(self.read(transport)) == texts

    async def test_a_file_needs_no_words(self, transport: Transport) -> None:
        """A message may be a file alone."""
        file = Attachment("notes.txt", b"some notes", "notes")
        receipt = await transport.send(Message("", files=(file,)))

        assert receipt.message.files == (file,)
        assert list(self.read(transport)) == [""]

    async def test_a_whole_answer_passes_through_it(self, transport: Transport) -> None:
        """`say` is content with it."""
        words = ["One here.\n", "Two ", "here.\n", "Three here."]
        result = await say(transport, ScriptedProvider(words), sleep=_no_time)

        assert list(self.read(transport)) == ["One here.", "Two here.", "Three here."]
        assert len(result.receipts) == 3

    async def test_it_fails_with_a_delivery_error_and_nothing_else(self, transport: Transport) -> None:
        """Whatever goes wrong inside, the caller sees a `DeliveryError`."""
        self.break_off(transport)

        with pytest.raises(DeliveryError):
            await transport.send(Message("nobody will see this"))


class StoreContract:
    """Derive from it and give it a fixture `opener`, which opens the same store each time it is called."""

    @pytest.fixture
    def opener(self) -> StoreOpener:
        """Opens the store under test, empty at first, with the clock that it is given."""
        raise NotImplementedError("give your class a fixture `opener`")

    @pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
    async def test(self, check: StoreCheck, opener: StoreOpener) -> None:
        """What the check's name says."""
        await check(opener)


async def _no_time(_: float) -> None:
    pass

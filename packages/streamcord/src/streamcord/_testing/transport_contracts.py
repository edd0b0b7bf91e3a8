"""Contract tests for transports: derive from `TransportContract` and add a fixture.

    class TestMyTransport(TransportContract):
        @pytest.fixture
        async def transport(self) -> MyTransport:
            return MyTransport()

        def read(self, transport: MyTransport) -> list[str]:
            return transport.texts

`read` says what people see, oldest first. A transport that can be made to fail overrides `make_send_fail` too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from .. import Attachment, DeliveryError, Message, Transport, say
from .fakes import ScriptedProvider

# --- Messages -----------------------------------------------------------------------------------


# --- Many at once, and the end ------------------------------------------------------------------


_LONGEST = 2000
_HOSTILE = "@everyone <@1> **bold** `code` ||spoiler|| \\* 👨‍👩‍👧‍👦 \u05d0\u0301"


class TransportContract:
    """Contract tests of a transport. Derive from it, add a fixture `transport` and override `read`.

    Example:
        class TestMyTransport(TransportContract):
            @pytest.fixture
            def transport(self) -> MyTransport:
                return MyTransport()

            def read(self, transport: MyTransport) -> list[str]:
                return transport.texts

    """

    @pytest.fixture
    def transport(self) -> Any:  # noqa: ANN401 - yours
        """Return a new transport."""
        raise NotImplementedError("give your class a fixture `transport`")

    def read(self, transport: Any) -> Sequence[str]:  # noqa: ANN401 - yours
        """Return the text of all visible messages, oldest first."""
        raise NotImplementedError("say how to read what the transport has sent")

    def make_send_fail(self, transport: Any) -> None:  # noqa: ANN401, ARG002 - yours
        """Make the next `send` fail permanently; the test is skipped unless this is overridden."""
        pytest.skip("make_send_fail is not overridden")

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
        result = await say(transport, ScriptedProvider(words), sleep=_skip_sleep)

        assert list(self.read(transport)) == ["One here.", "Two here.", "Three here."]
        assert len(result.receipts) == 3

    async def test_it_fails_with_a_delivery_error_and_nothing_else(self, transport: Transport) -> None:
        """Whatever goes wrong inside, the caller sees a `DeliveryError`."""
        self.make_send_fail(transport)

        with pytest.raises(DeliveryError):
            await transport.send(Message("nobody will see this"))


async def _skip_sleep(_: float) -> None:
    pass

"""Protocols of transports.

A transport is anything that can show a message to people: a Discord channel, a webhook, a terminal, a test
double. It raises `DeliveryError` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from .._events import Message, Receipt
from .outgoing import OutgoingMessage


class Transport(Protocol):
    """Protocol: somewhere that messages can be sent to.

    Two methods are enough. Attributes say what else it can do:

    - `takes_files = True`: messages may have files, for example tables as pictures. Without it a table is a code block.
    - `message_limit = 4096`: no message is longer, whatever `Settings.message_length` says.

    More methods give more: see `EditableTransport`, `LiveTransport`, `ReliableTransport` and `ReadableTransport` of
    `streamcord.transports`. `streamcord.testing.TransportContract` has the tests that an implementation must pass.

    Example:
        class Irc:
            async def send(self, message: Message) -> Receipt:
                number = await self.connection.say(message.content)
                return Receipt(message, number)

            async def typing(self) -> None:
                pass

        await say(Irc(), source)

    """

    async def send(self, message: Message) -> Receipt:
        """Send one message and return once it is acknowledged.

        Args:
            message: The message; `delay` has passed already.

        Returns:
            The receipt, with the id of the sent message.

        Raises:
            DeliveryError: It could not be sent; the class says whether it is tried again.

        """

    async def typing(self) -> None:
        """Show people for about ten seconds that a message is being written."""


@runtime_checkable
class Clocked(Protocol):
    """A transport with a clock of its own, so that tests need not wait.

    Example:
        async def sleep(self, seconds: float) -> None:
            self.waited += seconds

    """

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds` on its own clock."""


@runtime_checkable
class ReliableTransport(Protocol):
    """A transport that can repeat a message without duplicating it, and knows its own rate limit.

    The sender uses `deliver` if a transport has it; `send` is for other callers.

    Example:
        async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
            sent = await self.api.post(outgoing.message.content, idempotency_key=outgoing.key)
            return Receipt(outgoing.message, sent.id)

    """

    async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
        """Send the message once, however often it is given; raise `DeliveryUncertain` if that cannot be known."""

    async def find(self, outgoing: OutgoingMessage) -> Receipt | None:
        """Look whether the message arrived: its receipt or `None`; raise `DeliveryUncertain` if that is unknown."""

    def pause(self, message: Message) -> float:
        """Seconds until the rate limit allows this message; 0 means now."""

    def lock(self) -> AbstractAsyncContextManager[object]:
        """A lock that is held while one message is sent, so that no other overtakes it."""


@dataclass(frozen=True, slots=True)
class FetchedMessage:
    """A message of ours as it was read back from the channel.

    Example:
        async def read_back(self, after: int) -> list[FetchedMessage]:
            return [FetchedMessage(one.id, one.text) for one in await self.api.history(after)]

    """

    id: int
    content: str
    # Number of attachments; their bytes are not read.
    files: int = 0
    # Whether we said it besides the answer.
    notice: bool = False
    url: str = ""
    # The component id by which it is recognized with certainty; 0 is none.
    message_tag: int = 0
    # The id of the question whose buttons it has; empty once it was answered.
    ask: str = ""
    # The text of its first embed: a question of the program itself has no other text.
    embed: str = ""
    # Whether it uses Components V2. A message cannot leave that mode:
    # https://docs.discord.com/developers/components/reference#legacy-message-component-behavior
    rich: bool = False


@runtime_checkable
class ReadableTransport(Protocol):
    """A transport whose messages can be read back, so that another process can resume a turn.

    Example:
        async def read_back(self, after: int) -> list[FetchedMessage]:
            return [FetchedMessage(one.id, one.text) for one in await self.api.history(after)]

    """

    last_known_id: int
    """The newest message that is known in the channel."""

    async def read_back(self, after: int) -> list[FetchedMessage]:
        """Return our own messages after this one, oldest first.

        Raises:
            DeliveryError: the channel cannot be read.

        """


@runtime_checkable
class EditableTransport(Protocol):
    """Protocol: a transport that can change the text of a message it has sent, for `delivery="live"`.

    Example:
        class Terminal:
            async def send(self, message: Message) -> Receipt: ...

            async def typing(self) -> None: ...

            async def edit_content(self, receipt: Receipt, content: str) -> Receipt:
                await self.rewrite(receipt.id, content)
                return receipt

    """

    async def edit_content(self, receipt: Receipt, content: str) -> Receipt:
        """Change the text of a message and return its receipt once that is acknowledged.

        Raises:
            DeliveryError: It could not be changed; the rest is then sent as a new message.

        """


@runtime_checkable
class LiveTransport(Protocol):
    """A transport for live messages: it knows its limits and its rate limit for edits.

    The sender uses `edit_message` instead of `edit_content` if a transport has all five methods.

    Example:
        async def edit_message(self, receipt: Receipt, outgoing: OutgoingMessage) -> Receipt:
            await self.api.edit(receipt.id, outgoing.message.content)
            return receipt

    """

    async def edit_message(self, receipt: Receipt, outgoing: OutgoingMessage) -> Receipt:
        """Set the text of the message; repeating it is harmless. Raises what Discord refuses."""

    async def fetch_live(self, receipt: Receipt) -> FetchedMessage | None:
        """Fetch the message; return `None` if it cannot be read."""

    def edit_pause(self, receipt: Receipt) -> float:
        """Seconds until the rate limit allows an edit and still a message besides; 0 means now."""

    def track_live(self) -> AbstractContextManager[Callable[[], int]]:
        """Count one more live message here; the context provides a function that returns the number."""

    def live_length_limit(self, message: Message) -> int:
        """Return how many characters a live message of this kind may have."""


@runtime_checkable
class PrivateTransport(Protocol):
    """A transport whose messages only one person may see.

    Example:
        async def reply_is_private(self) -> bool:
            return True

    """

    async def reply_is_private(self) -> bool:
        """Return whether the messages are private; what is unknown counts as private."""


@runtime_checkable
class PlaceholderTransport(Protocol):
    """A transport that shows a placeholder, such as "is thinking…", until the first message replaces it.

    Example:
        async def withdraw_placeholder(self) -> None:
            await self.api.delete(self.placeholder)

    """

    async def withdraw_placeholder(self) -> None:
        """Remove the placeholder: the answer has ended without a message. Called once, at the end."""


@runtime_checkable
class AttachingTransport(Protocol):
    """A transport for live messages whose `edit_message` can attach files; they replace the earlier ones.

    Example:
        def may_attach(self, message: Message) -> bool:
            return self.permissions.attach_files

    """

    def may_attach(self, message: Message) -> bool:
        """Whether an edit of a message like this may attach files, as far as is known."""

"""Your own transport, checked against the contract."""

import pytest

from streamcord import Message, Receipt
from streamcord.testing import TransportContract


class Diary:
    def __init__(self) -> None:
        self.lines: list[str] = []

    async def send(self, message: Message) -> Receipt:
        self.lines.append(message.content)
        return Receipt(message, id=len(self.lines))

    async def typing(self) -> None:
        pass


class TestDiary(TransportContract):
    @pytest.fixture
    def transport(self) -> Diary:
        return Diary()

    def read(self, transport: Diary) -> list[str]:
        return transport.lines

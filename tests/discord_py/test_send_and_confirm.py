"""A message that was sent is known by the answer to its request or by the gateway, whichever comes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from streamcord._discord.send_and_confirm import send_and_confirm


def place_of(client: discord.Client) -> object:
    return SimpleNamespace(_state=SimpleNamespace(_get_client=lambda: client, http=client.http))


async def test_without_a_gateway_the_answer_counts() -> None:
    sent: Any = SimpleNamespace(nonce="7")

    async def answered() -> discord.Message:
        return sent  # type: ignore[no-any-return]

    assert await send_and_confirm(answered(), object(), "7") is sent


async def test_a_message_that_the_gateway_shows_was_sent_even_if_its_request_fails() -> None:
    shown: Any = SimpleNamespace(nonce="7")
    async with discord.Client(intents=discord.Intents.none()) as client:

        async def broken() -> discord.Message:
            client.dispatch("message", shown)
            raise ConnectionResetError

        assert await send_and_confirm(broken(), place_of(client), "7") is shown


async def test_the_message_of_somebody_else_confirms_nothing() -> None:
    async with discord.Client(intents=discord.Intents.none()) as client:

        async def broken() -> discord.Message:
            client.dispatch("message", SimpleNamespace(nonce="8"))
            raise ConnectionResetError

        with pytest.raises(ConnectionResetError):
            await send_and_confirm(broken(), place_of(client), "7")

"""A second opinion: the same delivery on simcord, a Discord in memory that someone else wrote.

It has no rate limits and no sockets, and it does not see what our webhooks send (they keep a connection of
their own, so that nothing is sent twice): here it judges what the bot itself sends.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import discord
import pytest

from streamcord import Degree, NotAllowed, Settings, say
from streamcord._testing.transport_contracts import TransportContract
from streamcord.discord import DiscordChannel
from streamcord.testing import ScriptedProvider
from virtual_time import covers, result_of

simcord = pytest.importorskip("simcord")

LINES = Settings(degree=Degree.LIGHT)
TEXT = "@everyone and <@1>.\nTwo.\nThree."


class Room:
    """A channel of simcord, and the same channel as our client sees it."""

    def __init__(self, env: Any, client: discord.Client) -> None:
        self.env = env
        self.handle = env.create_guild().create_text_channel("general")
        found = client.get_channel(self.handle.id)
        assert isinstance(found, discord.TextChannel)
        self.channel = found

    @property
    def texts(self) -> list[str]:
        return [message.content for message in self.handle.history()]

    @property
    def creates(self) -> list[Any]:
        """The bodies of all requests to make a message here."""
        path = f"/channels/{self.handle.id}/messages"
        return [one.json for one in self.env.http_requests if (one.method, one.path) == ("POST", path)]

    def fail(self, **fault: Any) -> None:
        self.env.inject_error("POST", "/channels/*/messages", **fault)


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    intents = discord.Intents.default()
    intents.message_content = True
    client = discord.Client(intents=intents)
    env = simcord.Env(client)
    await env.start()
    try:
        yield Room(env, client)
    finally:
        await env.shutdown()


class TestDiscordChannel(TransportContract):
    @pytest.fixture
    async def transport(self, room: Room) -> DiscordChannel:
        self.room = room
        return DiscordChannel(room.channel)

    def read(self, transport: DiscordChannel) -> Sequence[str]:
        return self.room.texts

    def make_send_fail(self, transport: DiscordChannel) -> None:
        self.room.fail(status=403, code=50013, times=None)


async def test_an_answer_arrives_whole_and_says_whom_it_may_ping(room: Room) -> None:
    result = await say(DiscordChannel(room.channel), ScriptedProvider([TEXT]), settings=LINES)

    assert "\n".join(room.texts) == TEXT
    assert covers(result, len(TEXT))
    assert [body["allowed_mentions"]["parse"] for body in room.creates] == [[], [], []]
    assert all(message.mention_everyone is False for message in room.handle.history())
    assert len({body["nonce"] for body in room.creates}) == 3


async def test_the_first_message_replies_and_pings_nobody(room: Room) -> None:
    alice = room.env.guild.add_member(room.env.create_user("alice"))
    await alice.send(room.handle, "hello")
    asked = room.handle.last_message
    await say(DiscordChannel(room.channel, reply_to=asked), ScriptedProvider([TEXT]), settings=LINES)

    _, first, second, _ = room.handle.history()
    assert first.reference is not None
    assert first.reference.message_id == asked.id
    assert second.reference is None
    assert first.mentions == []


async def test_a_server_error_is_tried_again_with_the_same_nonce(room: Room) -> None:
    room.fail(status=500, times=2)
    result = await say(DiscordChannel(room.channel), ScriptedProvider(["Once."]), settings=LINES)

    assert room.texts == ["Once."]
    assert covers(result, len("Once."))
    assert len(room.creates) == 3
    assert len({body["nonce"] for body in room.creates}) == 1


async def test_without_the_permission_the_text_is_kept_and_reported(room: Room) -> None:
    room.fail(status=403, code=50013, times=None)
    with pytest.raises(NotAllowed) as raised:
        await say(DiscordChannel(room.channel), ScriptedProvider([TEXT]), settings=LINES)

    assert room.texts == []
    assert covers(result_of(raised.value), len(TEXT))
    assert len(room.creates) <= 2

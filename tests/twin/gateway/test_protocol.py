from __future__ import annotations

import aiohttp
import pytest

from discord_twin import Twin
from twin.api import Api
from twin.wire import Wire, open_wire


async def connected(wire: Wire) -> str:
    session: str = (await wire.identify())["session_id"]
    await wire.event("GUILD_CREATE")
    return session


async def test_members_are_sent_on_request(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        await connected(wire)
        await wire.send(8, {"guild_id": str(twin.guild.id), "query": "", "limit": 0, "nonce": "n"})
        chunk = await wire.event("GUILD_MEMBERS_CHUNK")
        assert {one["user"]["username"] for one in chunk["members"]} == {"alice", "streamcord"}
        assert chunk["nonce"] == "n"
        await wire.send(8, {"guild_id": str(twin.guild.id), "user_ids": str(twin.user.id)})
        chunk = await wire.event("GUILD_MEMBERS_CHUNK")
        assert [one["user"]["username"] for one in chunk["members"]] == ["alice"]


async def test_heartbeats_are_counted(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.send(1)
        await wire.op(11)
        (connection,) = twin.gateway.connections

        assert connection.heartbeats == 1


async def test_a_bot_receives_only_its_own_interactions(twin: Twin, api: Api) -> None:
    other = twin.state.add_application("other", twin.user)
    twin.state.add_member(twin.guild, other.user)
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    async with open_wire(api) as mine, open_wire(api) as theirs:
        await connected(mine)
        await theirs.identify(token=other.token)
        await theirs.event("GUILD_CREATE")
        twin.slash("ask")
        twin.say(twin.channel, twin.user, "after")

        assert (await mine.event("INTERACTION_CREATE"))["data"]["name"] == "ask"
        assert (await theirs.receive())["t"] == "MESSAGE_CREATE"


async def test_an_ephemeral_answer_is_no_event(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    async with open_wire(api) as wire:
        await connected(wire)
        asked = twin.slash("ask")
        body = {"type": 4, "data": {"content": "x", "flags": 64}}
        await api.post(f"/interactions/{asked.id}/{asked.token}/callback", body)
        twin.say(twin.channel, twin.user, "after")
        await wire.event("INTERACTION_CREATE")

        assert (await wire.receive())["d"]["content"] == "after"


async def test_a_wrong_token_cannot_resume(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        session = await connected(wire)
    async with open_wire(api) as wire:
        await wire.send(6, {"token": "wrong", "session_id": session, "seq": 1})

        assert await wire.op(9) is False


async def test_tokens_may_bear_the_word_bot(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        assert await wire.identify(token=f"Bot {twin.token}")


async def test_the_gateway_route_returns_its_address(twin: Twin, api: Api) -> None:
    assert (await api.get("/gateway")).json == {"url": twin.gateway_url}
    assert (await api.get("/gateway/bot")).json["url"] == twin.gateway_url


@pytest.mark.parametrize("garbage", ["[]", "{}", '{"op": "x"}', "null", "[" * 100_000])
async def test_garbage_closes_the_connection_and_nothing_else(twin: Twin, api: Api, garbage: str) -> None:
    async with open_wire(api) as good, open_wire(api) as bad:
        await connected(good)
        await bad.socket.send_str(garbage)
        assert await bad.close_code() == 4002
        twin.say(twin.channel, twin.user, "still here")

        assert (await good.event("MESSAGE_CREATE"))["content"] == "still here"


async def test_a_payload_of_the_wrong_shape_closes_the_connection(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.send(2, "not an object")

        assert await wire.close_code() == 4002


async def test_a_gateway_that_is_down_refuses_and_comes_back(twin: Twin, api: Api) -> None:
    twin.gateway.is_down = True
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await api.session.ws_connect(twin.gateway_url)
    assert refused.value.status == 503
    twin.gateway.is_down = False
    async with open_wire(api) as wire:
        await wire.identify()


async def test_a_new_channel_is_dispatched(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        await connected(wire)
        twin.add_channel("news")

        assert (await wire.event("CHANNEL_CREATE"))["name"] == "news"


async def test_a_session_that_has_lost_events_must_identify_again(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        session = await connected(wire)
        seen = wire.sequence
        twin.gateway.abort()
        await wire.close_code()
    for _ in range(5_001):  # one more than are kept
        twin.say(twin.channel, twin.user, "unheard")
    async with open_wire(api) as wire:
        await wire.resume(session, seen)

        assert await wire.op(9) is False


async def test_members_of_an_unknown_guild_are_not_sent(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        await connected(wire)
        await wire.send(8, {"guild_id": "1", "query": "", "limit": 0})
        await wire.send(1)

        assert (await wire.receive())["op"] == 11

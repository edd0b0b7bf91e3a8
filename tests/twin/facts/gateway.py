"""Facts about the gateway (§1.10) and intents (§1.12)."""

from __future__ import annotations

import asyncio

from discord_twin import ChannelType, Permission
from twin.api import Api
from twin.facts.table import fact
from twin.wire import ALL_INTENTS, Wire, open_wire

DOC = "DD:events/gateway.mdx"
CONTENT = 1 << 15


async def silent(wire: Wire) -> bool:
    """Whether nothing but the answer to our own heartbeat comes."""
    await wire.send(1)
    return bool((await wire.receive())["op"] == 11)


@fact(
    "G-01",
    "the first frame is HELLO with the heartbeat interval",
    DOC + ":146",
    switch="heartbeat_interval_s",
)
async def hello(api: Api) -> None:
    for seconds in (41.25, 10.0):
        api.twin.configure(heartbeat_interval_s=seconds)
        async with api.session.ws_connect(api.twin.gateway_url) as socket:
            frame = await socket.receive_json()
            assert (frame["op"], frame["d"]["heartbeat_interval"]) == (10, int(seconds * 1000))


@fact("G-02", "READY names the session, the resume address and the guilds, which follow", DOC + ":246")
async def ready(api: Api) -> None:
    async with open_wire(api) as wire:
        payload = await wire.identify()
        assert payload["resume_gateway_url"] == api.twin.gateway_url
        assert payload["guilds"] == [{"id": str(api.twin.guild.id), "unavailable": True}]
        guild = await wire.event("GUILD_CREATE")
        assert [channel["name"] for channel in guild["channels"]] == ["general"]


@fact("G-03", "a heartbeat is acknowledged", DOC + ":171", switch="heartbeat_acks")
async def heartbeat(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.send(1)
        assert (await wire.receive())["op"] == 11
        api.twin.configure(heartbeat_acks=False)
        await wire.send(1)
        await wire.identify()


@fact("G-04", "a resume gets what was missed, in order, then RESUMED", DOC + ":246")
async def resume(api: Api) -> None:
    async with open_wire(api) as wire:
        session = (await wire.identify())["session_id"]
        await wire.event("GUILD_CREATE")
        seen = wire.sequence
        api.twin.gateway.drop(4000)
        assert await wire.close_code() == 4000
    for text in ("one", "two"):
        api.twin.say(api.twin.channel, api.twin.user, text)
    async with open_wire(api) as again:
        await again.resume(session, seen)
        assert (await again.event("MESSAGE_CREATE"))["content"] == "one"
        assert (await again.event("MESSAGE_CREATE"))["content"] == "two"
        assert (await again.receive())["t"] == "RESUMED"


@fact("G-05", "a resume with an older number gets events twice", "chenhg5/cc-connect#122")
async def replay(api: Api) -> None:
    async with open_wire(api) as wire:
        session = (await wire.identify())["session_id"]
        await wire.event("GUILD_CREATE")
        seen = wire.sequence
        api.twin.say(api.twin.channel, api.twin.user, "one")
        first = await wire.event("MESSAGE_CREATE")
        api.twin.gateway.abort()
        await wire.close_code()
    async with open_wire(api) as again:
        await again.resume(session, seen)
        assert (await again.event("MESSAGE_CREATE"))["id"] == first["id"]


@fact("G-06", "an unknown session is invalid: op 9, d false", DOC + ":271")
async def unknown_session(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.resume("nothing", 1)
        assert await wire.op(9) is False


@fact("G-07", "a number from the future closes with 4007", DOC + " close codes")
async def bad_sequence(api: Api) -> None:
    async with open_wire(api) as wire:
        session = (await wire.identify())["session_id"]
        api.twin.gateway.drop(4000)
        await wire.close_code()
    async with open_wire(api) as again:
        await again.resume(session, 10_000)
        assert await again.close_code() == 4007


@fact("G-08", "a client that closes with 1000 ends its session", DOC + ":171")
async def clean_close(api: Api) -> None:
    async with open_wire(api) as wire:
        session = (await wire.identify())["session_id"]
        await wire.socket.close(code=1000)
    await api.twin.until(lambda: not api.twin.gateway.connections)
    async with open_wire(api) as again:
        await again.resume(session, 1)
        assert await again.op(9) is False


@fact("G-09", "op 9 says whether a resume makes sense", DOC + ":248")
async def invalid_session(api: Api) -> None:
    async with open_wire(api) as wire:
        session = (await wire.identify())["session_id"]
        await wire.event("GUILD_CREATE")
        api.twin.gateway.invalidate(resumable=True)
        assert await wire.op(9) is True
        assert session in api.twin.gateway.sessions
        api.twin.gateway.invalidate(resumable=False)
        assert await wire.op(9) is False
        assert session not in api.twin.gateway.sessions


@fact("G-10", "op 7 asks for a reconnect", DOC + ":248")
async def reconnect(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
        api.twin.gateway.ask_reconnect()
        await wire.op(7)


@fact("G-11", "a wrong token closes with 4004", DOC + " close codes")
async def wrong_token(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.send(2, {"token": "wrong", "intents": 0, "properties": {}})
        assert await wire.close_code() == 4004


@fact(
    "G-12",
    "an intent that the application does not have closes with 4014",
    DOC + " close codes",
    switch="message_content_intent",
)
async def disallowed(api: Api) -> None:
    async with open_wire(api) as wire:
        assert await wire.identify(CONTENT)
    api.twin.configure(message_content_intent=False)
    async with open_wire(api) as again:
        await again.send(2, {"token": api.twin.token, "intents": CONTENT, "properties": {}})
        assert await again.close_code() == 4014


@fact(
    "G-13",
    "sending before identify closes with 4003, twice with 4005, an unknown op with 4001",
    DOC + " close codes",
)
async def protocol_errors(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.send(3, {})
        assert await wire.close_code() == 4003
    async with open_wire(api) as wire:
        await wire.identify()
        await wire.send(99)
        assert await wire.close_code() == 4001
    async with open_wire(api) as wire:
        await wire.identify()
        await wire.send(2, {"token": api.twin.token, "intents": 0, "properties": {}})
        assert await wire.close_code() == 4005
    async with open_wire(api) as wire:
        await wire.socket.send_str("{")
        assert await wire.close_code() == 4002


@fact("G-14", "120 sends in 60 s, then 4008", DOC + ":188")
async def send_limit(api: Api) -> None:
    async with open_wire(api) as wire:
        for _ in range(121):
            await wire.send(1)
        assert await wire.close_code() == 4008


@fact(
    "G-15", "1000 identifies a day; who spends them loses the token", DOC + ":188", switch="identify_budget"
)
async def identify_budget(api: Api) -> None:
    limit = (await api.get("/gateway/bot")).json["session_start_limit"]
    assert (limit["total"], limit["remaining"]) == (1000, 1000)
    api.twin.configure(identify_budget=1)
    async with open_wire(api) as wire:
        await wire.identify()
    async with open_wire(api) as again:
        await again.send(2, {"token": api.twin.token, "intents": 0, "properties": {}})
        assert await again.close_code() == 4004


@fact("G-16", "max_concurrency identifies per 5 s, more are invalid", DOC + ":779", switch="identify_per_5s")
async def identify_pace(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
    api.twin.configure(identify_per_5s=1)
    async with open_wire(api) as wire:
        await wire.send(2, {"token": api.twin.token, "intents": 0, "properties": {}})
        assert await wire.op(9) is False


@fact("G-17", "zlib-stream: one stream, each frame ends with the sync marker", DOC + " transport compression")
async def zlib_stream(api: Api) -> None:
    async with open_wire(api, "?v=10&encoding=json&compress=zlib-stream") as wire:
        await wire.identify()
        await wire.event("GUILD_CREATE")
        api.twin.say(api.twin.channel, api.twin.user, "packed")
        assert (await wire.event("MESSAGE_CREATE"))["content"] == "packed"


@fact("G-18", "the nonce comes back in MESSAGE_CREATE", "DD:resources/message.mdx:1081")
async def nonce_event(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
        await api.send("x", nonce="n1")
        assert (await wire.event("MESSAGE_CREATE"))["nonce"] == "n1"


@fact("G-19", "an event may come twice", "openclaw/openclaw#37897", switch="gateway_dup_events_chance")
async def duplicates(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
        await wire.event("GUILD_CREATE")
        api.twin.say(api.twin.channel, api.twin.user, "once")
        await wire.event("MESSAGE_CREATE")
        assert await silent(wire)
        api.twin.configure(gateway_dup_events_chance=1.0)
        api.twin.say(api.twin.channel, api.twin.user, "twice")
        first, second = await wire.receive(), await wire.receive()
        assert first == second


@fact(
    "G-20",
    "without the content intent text is empty, except own, direct and mentioning messages",
    DOC + ":485",
)
async def no_content(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify(ALL_INTENTS & ~CONTENT)
        twin = api.twin
        twin.say(twin.channel, twin.user, "secret")
        twin.say(twin.channel, twin.user, f"<@{twin.bot.user.id}> for you")
        twin.say(twin.dm(), twin.user, "direct")
        await api.send("own")
        texts = [(await wire.event("MESSAGE_CREATE"))["content"] for _ in range(4)]
        assert texts == ["", f"<@{twin.bot.user.id}> for you", "direct", "own"]


@fact(
    "G-21",
    "text of the bot's own webhook without the intent",
    "believed, not confirmed",
    switch="webhook_content_visible_without_intent",
)
async def own_webhook_content(api: Api) -> None:
    hook, path = await api.hook(), f"/channels/{api.twin.channel.id}/messages"
    api.twin.configure(message_content_intent=False)
    await api.post(hook, {"content": "persona"})
    assert (await api.get(path)).json[0]["content"] == ""
    api.twin.configure(webhook_content_visible_without_intent=True)
    assert (await api.get(path)).json[0]["content"] == "persona"


@fact("G-22", "events need their intent", DOC + " list of intents")
async def intents(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify(1)
        await wire.event("GUILD_CREATE")
        api.twin.say(api.twin.channel, api.twin.user, "unseen")
        await api.hook()
        assert await silent(wire)


@fact("G-23", "WEBHOOKS_UPDATE says where, not what", DOC + "; GUILD_WEBHOOKS 1<<5")
async def webhooks_update(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify((1 << 5) | 1)
        await api.hook()
        payload = await wire.event("WEBHOOKS_UPDATE")
        assert payload == {"guild_id": str(api.twin.guild.id), "channel_id": str(api.twin.channel.id)}


@fact("G-24", "a bot gets no events of channels that it cannot see", "DD:topics/permissions.mdx")
async def hidden_channel(api: Api) -> None:
    hidden = api.twin.add_channel("hidden")
    api.twin.state.overwrite(hidden, api.twin.bot.user, deny=Permission.VIEW_CHANNEL)
    async with open_wire(api) as wire:
        await wire.identify()
        await wire.event("GUILD_CREATE")
        api.twin.say(hidden, api.twin.user, "unseen")
        assert await silent(wire)


@fact("G-25", "a connection may break without a close code", DOC + ":248")
async def broken(api: Api) -> None:
    async with open_wire(api) as wire:
        session = (await wire.identify())["session_id"]
        api.twin.gateway.abort()
        assert await wire.close_code() not in {1000, 4000}
    assert session in api.twin.gateway.sessions


@fact("G-26", "the bot's own messages come as events too", "DD:events/gateway.mdx MESSAGE_CREATE")
async def own_events(api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
        await asyncio.gather(api.send("own"), wire.event("MESSAGE_CREATE"))


@fact(
    "G-27",
    "a channel that a bot may not view comes without its data, and in no list",
    "DD:resources/channel.mdx, Obfuscated Channels",
    switch="obfuscate_channels",
)
async def hidden_channels(api: Api) -> None:
    twin = api.twin
    secret = twin.add_channel("secret-mods")
    secret.topic = "who is next"
    category = twin.state.add_channel(twin.guild, "staff", ChannelType.CATEGORY)
    below = twin.add_channel("below")
    below.parent_id = category.id
    for one in (secret, category):
        twin.state.overwrite(one, twin.bot.user, deny=Permission.VIEW_CHANNEL)
    async with open_wire(api) as wire:
        await wire.identify()
        guild = await wire.event("GUILD_CREATE")
        channels = {int(one["id"]): one for one in guild["channels"]}
        shown = channels[secret.id]
        assert (shown["name"], shown["flags"], shown["topic"]) == ("___hidden___", 1 << 17, None)
        assert shown["last_message_id"] is None
        assert len(shown["permission_overwrites"]) == 1
        # A category is seen if a channel in it is.
        assert channels[category.id]["name"] == "staff"
        twin.state.overwrite(twin.channel, twin.bot.user, deny=Permission.VIEW_CHANNEL)
        assert (await wire.event("CHANNEL_UPDATE"))["name"] == "___hidden___"
        twin.state.overwrite(twin.channel, twin.bot.user)
        assert (await wire.event("CHANNEL_UPDATE"))["name"] == twin.channel.name

    listed = (await api.get(f"/guilds/{twin.guild.id}/channels")).json
    assert secret.id not in {int(one["id"]) for one in listed}
    assert category.id in {int(one["id"]) for one in listed}
    twin.configure(obfuscate_channels=False)
    assert "secret-mods" in {one["name"] for one in (await api.get(f"/guilds/{twin.guild.id}/channels")).json}

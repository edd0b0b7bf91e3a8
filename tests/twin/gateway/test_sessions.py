from __future__ import annotations

import json

from streamcord._twin.gateway.intents import Intent
from streamcord._twin.gateway.sessions import Session, frame
from streamcord.twin import Twin
from twin.api import Api
from twin.wire import open_wire


def make_session(kept: int = 100) -> Session:
    return Session("s", Twin().bot, Intent.GUILDS, kept)


def test_a_frame_has_all_four_keys() -> None:
    assert json.loads(frame(11)) == {"t": None, "s": None, "op": 11, "d": None}


def test_events_are_numbered_and_kept_while_nobody_listens() -> None:
    session = make_session()
    session.dispatch("A", "{}")
    session.dispatch("B", '{"x":1}')

    assert session.sequence == 2
    assert session.can_resume(0)
    assert session.can_resume(2)
    assert not session.can_resume(3)


def test_what_is_no_longer_kept_cannot_be_resumed() -> None:
    session = make_session(kept=2)
    for _ in range(4):
        session.dispatch("A", "{}")

    assert [session.can_resume(number) for number in range(5)] == [False, False, True, True, True]


async def test_what_was_to_be_sent_leaves_before_the_close(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        await wire.identify()
        await wire.event("GUILD_CREATE")
        twin.say(twin.channel, twin.user, "last words")
        twin.gateway.drop(4000)

        assert (await wire.event("MESSAGE_CREATE"))["content"] == "last words"
        assert await wire.close_code() == 4000


async def test_resumed_is_numbered_but_never_sent_again(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        session = (await wire.identify())["session_id"]
        twin.gateway.abort()
        await wire.close_code()
    for _ in range(2):
        async with open_wire(api) as wire:
            await wire.resume(session, 1)
            names = [(await wire.receive())["t"] for _ in range(2)]
            assert names == ["GUILD_CREATE", "RESUMED"]
            twin.gateway.abort()
            await wire.close_code()


def test_a_shard_hears_of_its_servers_and_the_first_of_direct_messages() -> None:
    session = make_session()
    assert session.hears(5 << 22)
    assert session.hears(None)
    session.shard = (1, 2)

    assert session.hears(5 << 22)
    assert not session.hears(4 << 22)
    assert not session.hears(None)

from __future__ import annotations

import json

import pytest

from discord_twin import Twin, TwinOptions
from discord_twin.gateway.sessions import Intent, Session, frame, needed_intent
from discord_twin.message_content_intent import can_read_content, hide_content, serialize_visible_message
from twin.api import Api
from twin.wire import open_wire


def make_session(kept: int = 100) -> Session:
    return Session("s", Twin().bot, Intent.GUILDS, kept)


def test_a_frame_has_all_four_keys() -> None:
    assert json.loads(frame(11)) == {"t": None, "s": None, "op": 11, "d": None}


def test_events_are_numbered_and_kept_without_a_connection() -> None:
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


def test_a_shard_receives_its_guilds_and_shard_0_direct_messages() -> None:
    session = make_session()
    assert session.receives(5 << 22)
    assert session.receives(None)
    session.shard = (1, 2)

    assert session.receives(5 << 22)
    assert not session.receives(4 << 22)
    assert not session.receives(None)


# --- Intents ---


@pytest.mark.parametrize(
    ("event", "in_guild", "intent"),
    [
        ("MESSAGE_CREATE", True, Intent.GUILD_MESSAGES),
        ("MESSAGE_CREATE", False, Intent.DIRECT_MESSAGES),
        ("TYPING_START", True, Intent.GUILD_MESSAGE_TYPING),
        ("TYPING_START", False, Intent.DIRECT_MESSAGE_TYPING),
        ("MESSAGE_REACTION_ADD", False, Intent.DIRECT_MESSAGE_REACTIONS),
        ("WEBHOOKS_UPDATE", True, Intent.GUILD_WEBHOOKS),
        ("THREAD_CREATE", True, Intent.GUILDS),
        ("GUILD_MEMBER_ADD", True, Intent.GUILD_MEMBERS),
        ("INTERACTION_CREATE", True, Intent(0)),
        ("INTERACTION_CREATE", False, Intent(0)),
    ],
)
def test_an_event_needs_its_intent(event: str, in_guild: bool, intent: Intent) -> None:
    assert needed_intent(event, in_guild=in_guild) == intent


def test_the_bits_are_discords() -> None:
    assert (Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES, Intent.MESSAGE_CONTENT) == (
        1 << 9,
        1 << 12,
        1 << 15,
    )


# --- Visibility ---

CLOSED = TwinOptions(message_content_intent=False)


async def test_without_the_intent_only_some_messages_are_open() -> None:
    twin = Twin(CLOSED)
    closed = twin.say(twin.channel, twin.user, "secret")
    mentioning = twin.say(twin.channel, twin.user, f"<@{twin.bot.user.id}>")
    direct = twin.say(twin.dm(), twin.user, "direct")
    own = twin.say(twin.channel, twin.bot.user, "own")
    texts = [
        serialize_visible_message(twin.context, twin.bot, twin.state.channels[one.channel_id], one)["content"]
        for one in (closed, mentioning, direct, own)
    ]

    assert texts == ["", f"<@{twin.bot.user.id}>", "direct", "own"]


async def test_with_the_intent_all_are_open() -> None:
    twin = Twin()
    message = twin.say(twin.channel, twin.user, "secret")

    assert serialize_visible_message(twin.context, twin.bot, twin.channel, message)["content"] == "secret"
    assert not can_read_content(twin.context, twin.bot, twin.channel, message)


@pytest.mark.parametrize("field", ["content", "embeds", "attachments", "components"])
def test_what_is_hidden_is_empty_not_absent(field: str) -> None:
    shape = hide_content({"id": "1", "content": "x", "embeds": [1], "attachments": [1], "components": [1]})

    assert not shape[field]
    assert shape["id"] == "1"

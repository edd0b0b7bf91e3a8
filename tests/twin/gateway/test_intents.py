from __future__ import annotations

import pytest

from streamcord._twin.gateway.intents import Intent, hide_content, is_open_to, needed_intent, seen_by
from streamcord.twin import Switches, Twin

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

CLOSED = Switches(message_content_intent=False)


async def test_without_the_intent_only_some_messages_are_open() -> None:
    twin = Twin(CLOSED)
    closed = twin.say(twin.channel, twin.user, "secret")
    mentioning = twin.say(twin.channel, twin.user, f"<@{twin.bot.user.id}>")
    direct = twin.say(twin.dm(), twin.user, "direct")
    own = twin.say(twin.channel, twin.bot.user, "own")
    texts = [
        seen_by(twin.world, twin.bot, twin.state.channels[one.channel_id], one)["content"]
        for one in (closed, mentioning, direct, own)
    ]

    assert texts == ["", f"<@{twin.bot.user.id}>", "direct", "own"]


async def test_with_the_intent_all_are_open() -> None:
    twin = Twin()
    message = twin.say(twin.channel, twin.user, "secret")

    assert seen_by(twin.world, twin.bot, twin.channel, message)["content"] == "secret"
    assert not is_open_to(twin.world, twin.bot, twin.channel, message)


@pytest.mark.parametrize("field", ["content", "embeds", "attachments", "components"])
def test_what_is_hidden_is_empty_not_absent(field: str) -> None:
    shape = hide_content({"id": "1", "content": "x", "embeds": [1], "attachments": [1], "components": [1]})

    assert not shape[field]
    assert shape["id"] == "1"

from __future__ import annotations

import pytest

from streamcord._twin.gateway.visibility import hide_content, is_open_to, seen_by
from streamcord.twin import Switches, Twin

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

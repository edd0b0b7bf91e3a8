from __future__ import annotations

import pytest

from streamcord._twin.gateway.intents import Intent, needed_intent


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

"""A typed command is read against what the bot has registered, as Discord's client does."""

from __future__ import annotations

import pytest

from streamcord._demo.slash import list_commands, read_slash
from streamcord.twin import Twin

COMMANDS = [
    {"name": "stop", "type": 1, "description": "Stop", "options": []},
    {
        "name": "persona",
        "type": 1,
        "description": "Personas",
        "options": [
            {
                "name": "switch",
                "type": 1,
                "description": "Who speaks",
                "options": [
                    {"name": "name", "type": 3, "required": True},
                    {"name": "where", "type": 3, "choices": [{"name": "This channel", "value": "channel"}]},
                ],
            },
            {
                "name": "sprite",
                "type": 2,
                "description": "Looks",
                "options": [{"name": "remove", "type": 1, "options": [{"name": "look", "type": 3}]}],
            },
        ],
    },
    {
        "name": "set",
        "type": 1,
        "description": "Set",
        "options": [
            {"name": "count", "type": 4},
            {"name": "ratio", "type": 10},
            {"name": "on", "type": 5},
            {"name": "channel", "type": 7},
            {"name": "user", "type": 6},
        ],
    },
    {"name": "Menu", "type": 3, "description": ""},
]


@pytest.fixture
def twin() -> Twin:
    twin = Twin()
    for number, command in enumerate(COMMANDS):
        twin.bot.commands[number] = command
    return twin


@pytest.mark.parametrize(
    ("line", "name", "options"),
    [
        ("/stop", "stop", {}),
        ("/persona switch Orbit", "persona switch", {"name": "Orbit"}),
        (
            '/persona switch "Big Cat" where:channel',
            "persona switch",
            {"name": "Big Cat", "where": "channel"},
        ),
        ("/persona switch name:Orbit This channel", "persona switch", {"name": "Orbit", "where": "channel"}),
        ("/persona sprite remove mad", "persona sprite remove", {"look": "mad"}),
        ("/persona switch Luna's", "persona switch", {"name": "Luna's"}),
        ("/set 3 0.5 yes", "set", {"count": 3, "ratio": 0.5, "on": True}),
    ],
)
def test_options_go_by_name_or_by_order(twin: Twin, line: str, name: str, options: dict[str, object]) -> None:
    assert read_slash(line, twin, twin.channel) == (name, options)


def test_channels_and_people_are_found_by_name(twin: Twin) -> None:
    _, options = read_slash("/set channel:#general user:@alice", twin, twin.channel)

    assert options == {"channel": twin.channel, "user": twin.user}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/", "after / one of: persona set stop"),
        ("/dance", "after / one of: persona set stop"),
        ("/persona", "after /persona one of: sprite switch"),
        ("/persona switch", "it also needs name"),
        ("/set x", "count is a number"),
        ("/set channel:nowhere", "there is no nowhere"),
    ],
)
def test_what_cannot_be_read_says_what_can(twin: Twin, line: str, told: str) -> None:
    with pytest.raises(LookupError) as caught:
        read_slash(line, twin, twin.channel)
    assert caught.value.args[0] == told


def test_a_bot_without_commands_is_told_so() -> None:
    with pytest.raises(LookupError, match="no commands yet"):
        read_slash("/stop", (twin := Twin()), twin.channel)


def test_all_commands_are_listed_with_what_they_take(twin: Twin) -> None:
    usages = [usage for usage, _ in list_commands(twin, twin.channel)]

    assert usages == [
        "/persona sprite remove [look]",
        "/persona switch name [where]",
        "/set [count] [ratio] [on] [channel] [user]",
        "/stop",
    ]

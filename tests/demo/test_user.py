"""A person sees what Discord shows, and can do what Discord lets people do."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.sitting import sitting
from discord_twin import Twin
from streamcord_bot.demo.user import list_commands, read_slash


async def test_a_message_is_answered_and_shown_with_who_said_it() -> None:
    async with sitting() as here:
        printed = await here.follow("#general", "show me some code")

    assert "# general" in printed
    assert "you\n  show me some code" in printed
    assert "Luna  APP" in printed
    assert 'print(f"Hello, {name}!")' in printed
    assert "[ Again ]" in printed


async def test_another_channel_is_another_degree_and_keeps_what_was_said_there() -> None:
    async with sitting() as here:
        await here.follow("#whole", "tell me a long story", "#sentences", "tell me a long story")
        whole = here.demo.guild.channels["whole"].messages.values()
        sentences = here.demo.guild.channels["sentences"].messages.values()
        again = await here.follow("#whole")

    assert [one.by_machine for one in whole] == [False, True]
    assert len(sentences) > 15
    assert "She needed no winding." in again


async def test_stop_by_command_ends_the_answer_early() -> None:
    async with sitting() as here:
        printed = await here.follow("#general", "count to thirty", ":after 2 /stop")

    assert "Stopped." in printed
    assert printed.count("That makes") < 30


async def test_ctrl_c_stops_a_running_answer_once() -> None:
    async with sitting() as here:
        here.session.type("count to thirty")
        await here.person.wait_for(2, 0)
        stopped = [here.person.interrupt(), here.person.interrupt()]
        await here.session.wait_for_answer()
        stopped.append(here.person.interrupt())

    assert stopped == [True, False, False]
    assert "you used /stop" in here.out.getvalue()
    assert here.out.getvalue().count("That makes") < 30


async def test_commands_and_channels_are_completed() -> None:
    async with sitting() as here:
        found = {line: here.person.complete(line) for line in ("/persona s", ":t", "#wh", "hello", "/sto")}

    assert found == {
        "/persona s": [
            "/persona set ",
            "/persona sprite add ",
            "/persona sprite remove ",
            "/persona switch ",
        ],
        ":t": [":tour "],
        "#wh": ["#whole"],
        "hello": [],
        "/sto": ["/stop "],
    }


async def test_mentions_are_shown_by_name() -> None:
    async with sitting() as here:
        printed = await here.follow("/settings degree 3", "/changes")

    assert "@you #general: /settings degree (degree: 3)" in printed


async def test_long_command_lines_continue_below_their_own_column() -> None:
    async with sitting() as here:
        here.person.screen._console.width = 80
        printed = await here.follow(":commands")

    assert [line for line in printed.splitlines() if len(line) > 80 or line[36:38].strip()] == []
    assert "/persona sprite add" in printed


async def test_stop_by_button_ends_the_answer_early() -> None:
    async with sitting() as here:
        printed = await here.follow("#general", "count to thirty", ":after 2 :press stop")

    assert 2 <= printed.count("That makes") < 30


async def test_again_replaces_the_answer() -> None:
    async with sitting() as here:
        await here.follow("#general", "roll two dice")
        messages = len(here.person.channel.messages)
        printed = await here.follow(":press again")

    # Both rolls may be equal, so the text of the answer says nothing.
    assert len(here.person.channel.messages) == messages
    assert "[ 2/2 ]" in printed


async def test_what_was_said_last_is_edited_replied_to_and_deleted() -> None:
    async with sitting() as here:
        await here.follow("#general", "hello")
        edited = await here.follow(":edit hello again")
        replied = await here.follow(":reply roll two dice")
        deleted = await here.follow(":delete")

    assert "hello again\n  (edited)" in edited
    assert "┌ Luna: Hi! I am Luna" in replied or "┌ Luna" in replied
    assert "The dice say" in replied
    assert "✗ deleted: roll two dice" in deleted


async def test_a_file_is_sent(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("the secret word is moon")
    async with sitting() as here:
        printed = await here.follow("#general", f":file {tmp_path / 'notes.txt'} show me your emoji")

    assert "▣ notes.txt 23 bytes" in printed


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("#nowhere", "there are: #general #whole #paragraphs #sentences #live #thoughts"),
        (":press launch", "there is no button 'launch' to press"),
        (":edit x", "there is no such message yet"),
        (":file /no/such/file", "No such file"),
        (":dance", ":dance is not known; :help"),
        (":leave", "There is no tour to leave."),
        (":channels", "#general  #whole"),
        (":help", "press a button: stop, again, continue"),
        (":commands", "/stop"),
        (":page", "http://127.0.0.1:"),
        ("/dance", "the bot has no /dance; it has /ask "),
    ],
)
async def test_what_cannot_be_done_is_said_and_what_is_asked_is_shown(line: str, told: str) -> None:
    async with sitting() as here:
        assert told in await here.follow(line)


# --- Commands as they are typed -------------------------------------------------------------------------


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
                "description": "NameAlternator",
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
        ("/", "the bot has /persona /set /stop (:quit ends the demo)"),
        ("/quit", "the bot has no /quit; it has /persona /set /stop (:quit ends the demo)"),
        ("/persona", "/persona needs one of: sprite switch"),
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

"""Tools of MCP servers in the bot: real processes, approvals, questions, allow-lists, `/tools` and `check`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.commands.using import CommandUser
from bot.stage import make_config, on_stage
from bot.test_choices import card_of, labels, press, texts
from discord_twin import Twin
from streamcord import SettingsError, ToolCall, Usage
from streamcord.providers import tool
from streamcord.store import AskState
from streamcord.testing import ScriptedProvider
from streamcord_bot.config import BotConfig, ConfigError, read_config
from streamcord_bot.ops.check import run_checks
from twin.conftest import FREE

ROGUE = [sys.executable, str(Path(__file__).parents[1] / "mcp_servers" / "rogue_server.py")]


def config(server: dict[str, Any] | None = None, **tables: Any) -> BotConfig:
    box = {"command": ROGUE, "approve": "never", "timeout": 20.0, **(server or {})}
    return make_config(tools={"mcp": {"box": box}}, **tables)


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall("7", name, arguments)


def offered(model: ScriptedProvider, number: int = 0) -> set[str]:
    return {one.name for one in model.prompts[number].tools}


async def test_tool_of_a_server_is_called_and_its_pictures_are_posted() -> None:
    model = ScriptedProvider([call("box_picture")], ["Look."])
    async with on_stage(model, config=config()) as stage:
        stage.ask("show me")
        await stage.twin.until(lambda: "Look." in texts(stage) or None)
        assert {"box_echo", "roll_dice", "offer_choices"} <= offered(model)
        files = [file.filename for one in stage.said() for file in one.draft.attachments]
        assert files == ["picture.png", "passwd"]


async def test_call_waits_for_an_approval_which_the_server_of_the_tool_sets() -> None:
    model = ScriptedProvider([call("box_echo", text="hi @everyone")], ["Done."])
    async with Twin(FREE) as twin:
        rules = {"approve": "first", "approvers": [twin.add_user("boss").id]}
        async with on_stage(model, config=config(rules), twin=twin) as stage:
            stage.ask("echo")
            card = await card_of(stage)
            assert "Allow `box_echo`?" in card.draft.embeds[0]["description"]
            assert labels(card) == ["Once", "For this conversation", "No", "No, because…"]
            refused = await press(stage, card, 0)
            assert refused.callback["data"]["content"] == "This question is for others."
            assert len(model.prompts) == 1


async def test_question_of_a_server_is_asked_with_buttons_and_its_state_is_kept() -> None:
    model = ScriptedProvider([call("box_ask")], ["Fine."])
    async with on_stage(model, config=config()) as stage:
        stage.ask("which?")
        card = await card_of(stage)
        assert labels(card) == ["main", "next", "✕"]
        [row] = await stage.store.asks(stage.twin.bot.id, AskState.OPEN)
        assert json.loads(row.ask.state)["state"] == "first-leg"
        await press(stage, card, 1)
        await stage.twin.until(lambda: "Fine." in texts(stage) or None)
        assert '\\"branch\\": \\"next\\"' in str(model.prompts[1]) or '"branch": "next"' in str(
            model.prompts[1]
        )
        assert "effects 1" in str(model.prompts[1])


async def test_price_on_the_card_does_not_ask_twice() -> None:
    done: list[int] = []

    @tool
    async def deploy() -> str:
        done.append(1)
        return "out"

    model = ScriptedProvider([Usage(1000, 1000), call("deploy")], ["Done."])
    tables = {
        "tools": {"approve": {"dep*": "always"}},
        "models": {"main": {"provider": "openai", "model": "x", "price": {"input": 5, "output": 5}}},
    }
    async with on_stage(model, config=make_config(**tables), tools=[deploy]) as stage:
        stage.ask("deploy")
        card = await card_of(stage)
        assert "2,000" in card.draft.embeds[0]["description"].rpartition("\n-# ")[2]
        await press(stage, card, 0)
        assert (done, texts(stage)[-1]) == ([1], "Done.")


@pytest.mark.parametrize(
    ("server", "persona", "is_offered"),
    [
        ({}, {}, True),
        ({"allow": ["read*"]}, {}, False),
        ({"personas": ["luna"]}, {}, True),
        ({"personas": ["Ren"]}, {}, False),
        ({"access": {"servers": [5]}}, {}, False),
        ({}, {"tools": ["box_e*"]}, True),
        ({}, {"tools": ["roll_dice"]}, False),
    ],
)
async def test_allow_lists_of_servers_and_personas(server: Any, persona: Any, is_offered: bool) -> None:
    model = ScriptedProvider(["Hello."])
    personas = {"Luna": {"prompt": "You are Luna.", **persona}}
    async with on_stage(model, config=config(server, personas=personas)) as stage:
        stage.ask("hello")
        await stage.twin.until(lambda: "Hello." in texts(stage) or None)
        assert ("box_echo" in offered(model)) is is_offered
        assert ("`box_echo`" in await CommandUser(stage, stage.twin.user).says("tools")) is is_offered


async def test_server_that_cannot_start_costs_the_tools_and_not_the_answer() -> None:
    model = ScriptedProvider(["Hello."])
    async with on_stage(model, config=config({"command": ["/does/not/exist"]})) as stage:
        stage.ask("hello")
        await stage.twin.until(lambda: "Hello." in texts(stage) or None)
        assert "roll_dice" in offered(model)
        shown = await CommandUser(stage, stage.twin.user).says("tools")
        assert "box: is not available right now" in shown
        assert "exist" not in shown


async def test_server_cannot_take_the_name_of_a_tool_of_the_bot() -> None:
    model = ScriptedProvider(["Hello."])

    @tool
    async def box_echo(text: str) -> str:
        """Ours."""
        return text

    async with on_stage(model, config=config(), tools=[box_echo]) as stage:
        stage.ask("hello")
        await stage.twin.until(lambda: "Hello." in texts(stage) or None)
        [one] = [one for one in model.prompts[0].tools if one.name == "box_echo"]
        assert one.description == "Ours."


async def test_check_says_what_a_server_offers_and_what_is_wrong() -> None:
    found = [one async for one in run_checks(config(), online=True) if one.subject == "mcp box"]
    assert found[0].words.startswith("20 tools: box_echo, box_read_file")
    assert "recursive is left out: its schema refers to itself" in found[0].advice
    for server, words in (
        ({"command": ["/does/not/exist"]}, "there is no program"),
        ({"variables": ["GITHUB_TOKEN"]}, "GITHUB_TOKEN is not set"),
        ({"command": [sys.executable, "-c", "raise SystemExit(3)"]}, "it cannot be reached"),
    ):
        [result] = [one async for one in run_checks(config(server)) if one.subject == "mcp box"]
        assert not result.ok
        assert words in result.words


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ({"command": ["x"], "url": "https://a.example"}, "given, or url instead"),
        ({}, "given, or url instead"),
        ({"url": "http://a.example/mcp"}, "https"),
        ({"url": "https://me:secret@a.example/mcp"}, "without a password"),
        ({"command": ["x"], "approve": "sometimes"}, "one of always, first, never"),
        ({"command": ["x"], "key": "abc"}, "belongs into the environment"),
        ({"command": ["x"], "variables": ["sk-abc"]}, "environment variable"),
        ({"comand": ["x"]}, "command"),
        ("x", "a table"),
    ],
)
def test_wrong_table_is_told_without_quoting_secrets(server: Any, words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read_config({"tools": {"mcp": {"box": server}}}, {})
    assert words in str(raised.value)
    assert "me:secret" not in str(raised.value)


def test_keys_of_servers_come_from_the_environment_and_are_redacted() -> None:
    box = {"url": "https://a.example/mcp", "key_name": "WIKI_KEY"}
    files = {"command": ["x"], "variables": ["GITHUB_TOKEN", "FOLDER"]}
    environment = {"WIKI_KEY": "k-123", "GITHUB_TOKEN": "t-456", "FOLDER": "/data", "OTHER": "x"}
    read = read_config({"tools": {"mcp": {"wiki": box, "files": files}}}, environment)
    assert read.secrets[-2:] == ("k-123", "t-456")
    assert read.tools.mcp["files"].environment == {"GITHUB_TOKEN": "t-456", "FOLDER": "/data"}
    assert read.tools.mcp["wiki"].headers == {"Authorization": "Bearer k-123"}
    assert "123" not in repr(read) + repr(read.tools)
    with pytest.raises(SettingsError):
        read_config({"tools": {"mcp": {"Bad_Name": files}}}, environment)

"""The examples for users of the library, run as they stand: on the local Discord, against local servers."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from discord_twin import Twin
from discord_twin.discord_py import connect_discord_py
from providers.loopback import DONE, chat, serving, streaming
from streamcord import Ending, ToolCall
from streamcord.store import AskState, open_store
from streamcord.testing import FakeChannel, ScriptedProvider
from test_readme import EXAMPLES, load

FIXTURES = Path(__file__).parent / "providers" / "fixtures"
SMALL = ["openai_stream", "slash_with_stop", "persona_with_sprites", "own_rule", "terminal"]
HELLO = streaming(chat("Hel"), chat("lo.\nBye."), chat("", "stop"), DONE)


def fixture(name: str) -> bytes:
    lines = (FIXTURES / f"{name}.sse").read_bytes().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(b":"))


@pytest.mark.parametrize("name", SMALL)
def test_a_small_program_is_small(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) < 30


async def test_openai_in_a_channel() -> None:
    module = load("openai_stream")
    async with serving(HELLO) as server, Twin() as twin, module.client as client:
        module.openai = openai.AsyncOpenAI(api_key="k", base_url=server.url)
        with connect_discord_py(twin):
            running = asyncio.create_task(client.start(twin.token))
            await twin.ready()
            asked = twin.say(twin.channel, twin.user, "Who is there?")
            said = [await twin.next_message() for _ in range(2)]
            await client.close()
            await running
        await module.openai.close()

    assert [message.content for message in said] == ["Hello.", "Bye."]
    assert said[0].draft.reply_ids == (twin.channel.id, asked.id)
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "Who is there?"}]


async def test_a_slash_command_with_a_stop_button() -> None:
    module = load("slash_with_stop")
    async with Twin() as twin, module.client as client:
        with connect_discord_py(twin):
            running = asyncio.create_task(client.start(twin.token))
            await twin.ready()
            await module.tree.sync()
            twin.slash("count")
            go = await twin.next_message()
            first = await twin.next_message()
            button = go.draft.components[0]["components"][0]["custom_id"]
            pressed = twin.press(go, button)
            await twin.until(lambda: pressed.callback)
            await client.close()
            await running

    assert (go.content, first.content) == ("Go!", "Line 1.")
    assert len(twin.channel.messages) < 20


async def test_a_persona_with_sprites() -> None:
    module = load("persona_with_sprites")
    async with Twin() as twin, module.client as client:
        with connect_discord_py(twin):
            running = asyncio.create_task(client.start(twin.token))
            await twin.ready()
            twin.say(twin.channel, twin.user, "I am back.")
            said = [await twin.next_message() for _ in range(4)]
            await client.close()
            await running

    assert [
        (message.shown_name, str(message.draft.avatar_url).rpartition("/")[2], message.content)
        for message in said
    ] == [
        ("Luna", "happy.png", "You came back!"),
        ("Luna (mad)", "mad.png", "You are late."),
        ("Luna (mad)", "mad.png", "Very late."),
        ("Luna", "luna.png", "Come in."),
    ]


async def test_a_deploy_bot_acts_once_on_a_decision_of_the_right_person_also_after_a_restart(
    tmp_path: Path,
) -> None:
    lines = (EXAMPLES / "deploy_bot.py").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line]) <= 60
    module = load("deploy_bot")
    model = ScriptedProvider([ToolCall("1", "deploy", {"version": "1.2"})], ["I have asked."])
    async with Twin() as twin, await open_store(tmp_path / "deploy.db") as store:
        module.APPROVERS = (twin.user.id,)
        with connect_discord_py(twin):
            async with module.DeployBot(store, model) as client:
                client._connection.guild_ready_timeout = 0.05
                running = asyncio.create_task(client.start(twin.token))
                await twin.ready()
                twin.say(twin.channel, twin.user, "deploy 1.2")
                card = await twin.next_message()
                assert (await twin.next_message()).content == "I have asked."
                yes = card.draft.components[0]["components"][0]["custom_id"]
                twin.press(card, yes, twin.add_user("mallory"))
                assert (await twin.next_message()).content == "This question is for others."
                await client.wait_until_ready()
                # The process ends after the decision and before it is acted on.
                [row] = await store.asks(twin.bot.id, AskState.OPEN)
                assert await store.decide_ask(row.id, row.ask.choose([0], user=twin.user.id, at=1.0))
                await client.close()
                await running
            async with module.DeployBot(store, model) as client:
                running = asyncio.create_task(client.start(twin.token))
                assert (await twin.next_message()).content == "1.2 is out."
                again = twin.press(card, yes)
                await twin.until(lambda: again.callback)
                await client.close()
                await running

    assert [one.content for one in twin.channel.messages.values()].count("1.2 is out.") == 1


async def test_files_of_an_mcp_server_with_an_allow_list() -> None:
    module = load("mcp_files")
    server = Path(__file__).parent / "mcp_servers" / "rogue_server.py"
    module.COMMAND, module.ALLOW = [sys.executable, str(server)], ["read_*", "echo"]
    model = ScriptedProvider([ToolCall("1", "files_echo", {"text": "a.txt"})], ["There is a.txt."])
    channel = FakeChannel()
    await module.answer(channel, model, "Which files?", "/")

    assert channel.texts == ["There is a.txt."]
    assert {one.name for one in model.prompts[0].tools} == {"files_echo", "files_read_file"}
    assert "a.txt" in str(model.prompts[1].messages[-1])


async def test_anthropic() -> None:
    channel = FakeChannel()
    async with serving(streaming(fixture("anthropic/text"))) as server:
        address = server.url.removesuffix("/v1")
        async with anthropic.AsyncAnthropic(api_key="k", base_url=address) as claude:
            result = await load("anthropic_stream").answer(channel, "Hi", claude)

    assert result.ending is Ending.COMPLETED
    assert channel.texts


@pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")
async def test_google() -> None:
    channel = FakeChannel()
    async with serving(streaming(fixture("google/text"))) as server:
        options = types.HttpOptions(base_url=server.url.removesuffix("/v1"), api_version="v1")
        client = genai.Client(api_key="k", http_options=options)
        result = await load("google_stream").answer(channel, "Hi", client)
        await client.aio.aclose()

    assert result.ending is Ending.COMPLETED
    assert channel.texts


# --- Libraries that are not installed for development: `pip install NAME` and run these again ---------------


async def test_litellm() -> None:
    pytest.importorskip("litellm", reason="pip install litellm")
    channel = FakeChannel()
    async with serving(HELLO) as server:
        await load("litellm_stream").answer(channel, "Hi", api_base=server.url, api_key="k")

    assert channel.texts == ["Hello.", "Bye."]


async def test_langchain() -> None:
    models: Any = pytest.importorskip("langchain_core.language_models", reason="pip install langchain-core")
    channel = FakeChannel()
    await load("langchain_stream").answer(channel, "Hi", models.FakeListChatModel(responses=["Hello.\nBye."]))

    assert channel.texts == ["Hello.", "Bye."]


async def test_pydantic_ai() -> None:
    pydantic_ai: Any = pytest.importorskip("pydantic_ai", reason="pip install pydantic-ai-slim")
    test_model: Any = pytest.importorskip("pydantic_ai.models.test")
    channel = FakeChannel()
    agent = pydantic_ai.Agent(test_model.TestModel(custom_output_text="Hello.\nBye."))
    await load("pydantic_ai_stream").answer(channel, "Hi", agent)

    assert channel.texts == ["Hello.", "Bye."]

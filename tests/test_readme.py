"""The README and the architecture page show what happens and name what exists; examples run."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import discord
import pytest

import discord_twin
import streamcord
import streamcord_bot
from discord_twin import Twin
from discord_twin.discord_py import connect_discord_py
from streamcord.testing import ScriptedProvider

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
PYTHON = [text for language, text in BLOCKS if language == "python"]
CONSOLE = [text for language, text in BLOCKS if language == "console"]

PRINTS = {
    "my_provider.py": "['Is there anybody out there?'] completed\n",
    "my_tools.py": ("['Let me see.', '-# the die rolls ...', 'A good one!'] ['roll'] (Text(text='19'),)\n"),
    "own_rule.py": (
        "['Here it is!', 'I am sure. Sure! `a!!`'] "
        "[('no opening phrase', 'Sure! '), ('one exclamation mark', '!!!')]\n"
    ),
    "pipeline.py": "'Sure! Here it is:'\n'```python\\nprint(1)\\n```'\n'Bye.'\n",
    "renderer.py": "['What people drink:', ''] ['bars.png']\n",
    "replay.py": (
        "NONE ['First, boil water. Then wait.\\nDone!']\n"
        "LIGHT ['First, boil water. Then wait.', 'Done!']\n"
        "HEAVY ['first, boil water', 'then wait', 'done!']\n"
    ),
    "terminal.py": "Let me see.\nA six!\ncompleted 2\n",
}


IN_A_BOT = {"answer.py", "my_bot.py"}
# Run by test_examples.py.
ELSEWHERE = {
    "deploy_bot.py",
    "mcp_files.py",
    "durable.py",  # killed and started again: tests/crashes
    "openai_stream.py",
    "slash_with_stop.py",
    "persona_with_sprites.py",
    *(f"{sdk}_stream.py" for sdk in ("anthropic", "google", "litellm", "langchain", "pydantic_ai")),
}


def run(*command: str) -> str:
    source = str(Path(streamcord.__file__).parent.parent)
    environment = {
        **os.environ,
        "PYTHONPATH": source,
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }
    environment.pop("FORCE_COLOR", None)
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        encoding="utf-8",
        check=True,
        cwd=ROOT,
        env=environment,
    )
    return done.stdout


def stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def test_there_are_blocks_and_no_other_kinds_of_them() -> None:
    assert len(PYTHON) == 1
    assert len(CONSOLE) == 1
    assert {language for language, _ in BLOCKS} == {"python", "console", "sh"}
    assert README.count("```\n") >= len(BLOCKS)


@pytest.mark.parametrize("picture", re.findall(r'<img src="([^"]+)"', README))
def test_every_picture_is_there_and_has_words(picture: str) -> None:
    assert (ROOT / picture).stat().st_size < 600_000
    assert re.search(rf'<img src="{picture}"[^>]* alt="[^"]{{20,}}"', README)


@pytest.mark.parametrize("block", PYTHON)
def test_every_python_block_is_an_example_file(block: str) -> None:
    files = {path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}

    assert block in files


@pytest.mark.parametrize("block", CONSOLE)
def test_every_command_prints_what_is_shown(block: str) -> None:
    command, _, output = block.partition("\n")
    dollar, program, *arguments = shlex.split(command)

    assert (dollar, program) == ("$", "streamcord")
    assert stripped(run("-m", program, *arguments)) == stripped(output)


@pytest.mark.parametrize("name", sorted(PRINTS))
def test_every_example_runs(name: str) -> None:
    assert run(f"examples/{name}") == PRINTS[name]


def load(name: str) -> Any:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def heard_from(client: discord.Client, question: str, count: int) -> list[str]:
    """What a bot says on the twin."""
    async with Twin() as twin, client:
        with connect_discord_py(twin):
            running = asyncio.create_task(client.start(twin.token))
            await twin.ready()
            twin.say(twin.channel, twin.user, question)
            said = [(await twin.next_message()).content for _ in range(count)]
            await client.close()
            await running
    return said


async def test_the_lines_of_the_readme_answer_in_a_bot() -> None:
    answer = load("answer").answer

    class Bot(discord.Client):
        async def on_message(self, message: discord.Message) -> None:
            if not message.author.bot:
                await answer(message, ScriptedProvider(["One.\nT", "wo."]))

    bot = Bot(intents=discord.Intents.default())

    assert await heard_from(bot, "hello", 2) == ["One.", "Two."]


async def test_the_example_of_a_bot_answers() -> None:
    assert await heard_from(load("my_bot").client, "why?", 2) == ["Let me see.", "You asked: why?"]


async def test_the_example_of_a_test_passes() -> None:
    module = load("test_my_bot")

    await module.test_words_before_a_tool_call_are_not_lost()


def test_no_example_goes_untested() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        *PRINTS,
        *IN_A_BOT,
        *ELSEWHERE,
        *(path.name for path in EXAMPLES.glob("test_*.py")),  # the page about testing runs them
    }


def test_every_module_that_the_architecture_page_names_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    modules = (streamcord, streamcord_bot, discord_twin)
    sources = [ROOT, *(Path(module.__file__ or "").parent for module in modules)]
    named = set(re.findall(r"`(_?[a-z_]+(?:/[a-z_]+)*(?:\.py|/)?)`", page))
    named = {name for name in named if "/" in name or name.startswith("_")}

    assert len(named) > 5
    paths = {name: [source / name for source in sources] for name in sorted(named)}
    # A row about a package names modules from that package on.
    inner = [f"{path.as_posix()}/" for path in ROOT.glob("packages/*/src/**/*") if path.name != "__pycache__"]
    exist = {
        name
        for name, places in paths.items()
        if any(p.exists() or p.with_suffix(".py").exists() for p in places)
        or any(path.endswith(f"/{name.rstrip('/')}/") for path in inner)
    }
    assert set(paths) - exist == set()

"""Every code block of the guides runs or is checked, and their prose keeps the rules of `tools/check_prose.py`."""

from __future__ import annotations

import argparse
import ast
import asyncio
import inspect
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from random import Random
from typing import Annotated, Any, NamedTuple

import discord
import pytest

import discord_twin.cli as twin_cli
import streamcord
import streamcord.discord
import streamcord.providers
from case_pages import draw, parse_page, play
from discord_twin import Twin, drift
from discord_twin.discord_py import connect_discord_py
from providers.loopback import DONE, chat, serving, streaming
from streamcord import _cli as streamcord_cli
from streamcord.store import open_store
from streamcord.testing import FakeChannel, ScriptedProvider
from streamcord_bot import app
from streamcord_bot import cli as bot_cli
from streamcord_bot.app import build_bot
from streamcord_bot.config import read_config
from streamcord_bot.ops import metrics

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

from check_prose import check_text, count_words, guides, read_prose  # noqa: E402

GUIDES = guides()
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
EXAMPLES = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")]
HELLO = streaming(chat("Hel"), chat("lo."), chat("", "stop"), DONE)
COMMANDS = {
    "streamcord": {command.name: command for command in streamcord_cli.COMMANDS},
    "streamcord-bot": {command.name: command for command in bot_cli.COMMANDS},
}
SYSTEM_COMMANDS = {"cp", "curl", "docker", "export", "git", "npm", "sudo", ".", "node", "pytest"}
PYPI = {"streamcord", "streamcord-bot", "discord-twin", "pytest", "pytest-asyncio"}


class Block(NamedTuple):
    page: str
    number: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}-{self.number}"


def read_blocks(path: Path) -> list[Block]:
    name = path.relative_to(ROOT).as_posix()
    found = FENCE.findall(path.read_text(encoding="utf-8"))
    return [Block(name, at, language, textwrap.dedent(text)) for at, (_, language, text) in enumerate(found)]


BLOCKS = [block for path in GUIDES for block in read_blocks(path)]


def blocks(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


def flatten(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def is_in_an_example(text: str) -> bool:
    """Whether a block is a part of an example; `await say(…)` at its end may differ."""
    part = flatten(re.split(r"\n(?:await say\(|channel = )", text, maxsplit=1)[0])
    return any(part in flatten(example) for example in EXAMPLES)


# --- Prose ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_guide_has_short_sentences_and_no_retired_word(path: Path) -> None:
    assert check_text(path.read_text(encoding="utf-8")) == []


def test_readme_fits_on_150_lines() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("word " * 41 + "end.", "42 words"),
        ("| a | " + "word " * 41 + "|\n|---|---|", "41 words"),
        ("A message stands there.", "retired word 'stands'"),
        ("Whoever\nasks.", "retired word 'Whoever'"),
        ("```\ncode\n```", "names no language"),
        (
            "One two three four five six seven eight nine ten eleven twelve a b c d e f g.",
            "the average sentence",
        ),
    ],
)
def test_a_fault_of_prose_is_found(text: str, fault: str) -> None:
    assert fault in " ".join(check_text(text))


def test_code_links_and_pictures_are_no_prose() -> None:
    text = "![behind](x.png) See [this](https://behind.example) and `nobody`.\n\n```py\nstands = 1\n```\n"

    assert check_text(text) == []
    assert [count_words(sentence) for sentence in read_prose(text).sentences] == [4]


def test_a_list_item_is_a_sentence_and_a_colon_is_no_end() -> None:
    assert read_prose("- One: two\n  three\n- Four").sentences == ["One: two three", "Four"]


# --- Python -----------------------------------------------------------------------------------------


class Question(FakeChannel):
    """A message to reply to."""

    content = "Hello?"
    channel = FakeChannel()

    async def reply(self, text: str) -> None:
        raise AssertionError(text)


def namespace(**more: Any) -> dict[str, Any]:
    """Names that the guides use without an import."""
    names: dict[str, Any] = {"Annotated": Annotated, "discord": discord}
    for module in (streamcord, streamcord.discord, streamcord.providers):
        names |= {name: getattr(module, name) for name in module.__all__}
    names |= {
        "channel": FakeChannel(),
        "channel_id": 1,
        "chance": Random(1),
        "message": Question(),
        "model": ScriptedProvider(["Hello."]),
        "my_model": lambda: ScriptedProvider(["Hello."]),
        "my_tools": (),
        "people": (),
        "stream": ScriptedProvider(["Hello."]),
        "user_id": 2,
    }
    return names | more


async def execute(text: str, names: dict[str, Any]) -> None:
    """Run a block that may await at its top level."""
    code = compile(text, "guide", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(code, names)
    if inspect.isawaitable(result):
        await result


def run_python(*arguments: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=folder, timeout=60
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", blocks("python"), ids=str)
async def test_a_python_block_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_in_an_example(block.text):
        return  # run by test_readme.py, test_examples.py and test_testing_page.py
    if "def test_" in block.text:
        (tmp_path / "test_block.py").write_text(block.text, encoding="utf-8")
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        options = ["-p", "pytest_asyncio.plugin", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "-q"]
        run_python("-m", "pytest", *options, "test_block.py", folder=tmp_path)
    elif "asyncio.run(" in block.text:
        (tmp_path / "program.py").write_text(block.text, encoding="utf-8")
        run_python("program.py", folder=tmp_path)
    elif "bot.start(" in block.text:
        await start_bot(block.text)
    else:
        monkeypatch.chdir(tmp_path)
        async with serving(HELLO) as server:
            await execute(block.text, namespace(base_url=server.url))


async def start_bot(text: str) -> None:
    """Run a block that starts the bot until it is ready."""

    @streamcord.providers.tool
    async def my_tool() -> str:
        """Do nothing."""
        return ""

    async with Twin() as twin, await open_store(":memory:") as store:
        config = read_config({"personas": {"Luna": {"prompt": "x"}}}, {"DISCORD_TOKEN": twin.token})
        names = {
            "config": config,
            "provider": ScriptedProvider(["Hello."]),
            "store": store,
            "my_tool": my_tool,
        }
        with connect_discord_py(twin):
            running = asyncio.create_task(execute(text, names))
            await twin.ready()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


# --- Files and command lines --------------------------------------------------------------------------


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_a_toml_block_is_a_valid_configuration(block: Block) -> None:
    read_config(tomllib.loads(block.text), {})


@pytest.mark.parametrize("block", blocks("sh"), ids=str)
def test_a_shell_block_uses_commands_and_files_that_exist(block: Block) -> None:
    checked = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr

    for line in join_lines(block.text):
        for command in line.split("&&"):
            if words := shlex.split(command, comments=True):
                check_command([word for word in words if not re.fullmatch(r"[A-Z_]+=\S*", word)])


def join_lines(text: str) -> list[str]:
    """Lines of a shell script, each with those that a backslash or an open quote adds to it."""
    lines = [""]
    for line in text.replace("\\\n", " ").splitlines():
        lines[-1] += line
        if lines[-1].count('"') % 2 == 0:
            lines.append("")
        else:
            lines[-1] += "\n"
    return lines


def check_command(words: list[str]) -> None:
    program, *arguments = words
    name = Path(program).name or program
    if name in COMMANDS:
        command = COMMANDS[name][arguments[0]]
        parser = argparse.ArgumentParser(exit_on_error=False)
        command.add_arguments(parser)
        parser.parse_args(arguments[1:])
    elif name == "discord-twin":
        parser = argparse.ArgumentParser(exit_on_error=False)
        is_drift = arguments[:1] == ["drift"]
        (drift if is_drift else twin_cli).add_arguments(parser)
        parser.parse_args(arguments[1:] if is_drift else arguments)
    elif name == "make":
        targets = set(
            re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        )
        assert set(arguments) <= targets
    elif name == "pip":
        check_installed(arguments[1:])
    elif name in {"python", "python3"}:
        files = [word for word in arguments if re.search(r"^(tests|tools|bench)/", word)]
        assert [file for file in files if not (ROOT / file).exists()] == []
        if "-k" in arguments:
            word = arguments[arguments.index("-k") + 1]
            cases = [path.stem for path in (ROOT / "tests" / "cases").glob("*.case")]
            assert any(
                word in text for text in [*cases, *((ROOT / file).read_text("utf-8") for file in files)]
            )
    else:
        assert name in SYSTEM_COMMANDS, name


def check_installed(items: list[str]) -> None:
    for item in items:
        folder, _, extras = item.rstrip("]").partition("[")
        if folder in PYPI and not folder.startswith("packages/"):
            folder = f"packages/{folder}" if (ROOT / "packages" / folder).is_dir() else ""
        if not folder:
            continue
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert set(filter(None, extras.split(","))) <= set(project.get("optional-dependencies", {}))


def test_every_kind_of_block_is_checked() -> None:
    assert {block.language for block in BLOCKS} <= {"python", "toml", "sh", "console", "text", "js"}
    assert len(blocks("python")) > 20


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_that_a_guide_names_exists(path: Path) -> None:
    text = re.sub(r"^( *)```.*?^\1```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    named = re.findall(r"`((?:bench|deploy|docs|examples|packages|tests|tools)/[\w./-]+)`", text)

    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_example_of_a_guide_is_listed_once() -> None:
    listed = re.findall(r"^\| (.*?) \|", (ROOT / "examples" / "README.md").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"`(\w+\.py)`", " ".join(listed))

    assert sorted(named) == sorted(path.name for path in (ROOT / "examples").glob("*.py"))


def test_the_case_page_of_the_contributing_guide_passes() -> None:
    (text,) = [block.text for block in blocks("text") if block.page == "CONTRIBUTING.md"]
    page = parse_page(text)

    assert page.expected["channel"] == ("One.", "Two.")
    assert draw(page, play(page, list)) == page.expected


async def registered_commands() -> tuple[set[str], set[str]]:
    """Slash commands and menu entries that the bot registers."""
    async with Twin() as twin, await open_store(":memory:") as store:
        config = read_config({"personas": {"Luna": {"prompt": "x"}}}, {})
        with connect_discord_py(twin):
            async with build_bot(config, ScriptedProvider(["Hello."]), store).bot as bot:
                await bot.login(twin.token)
                tree = bot.tree
                slash = {
                    command.qualified_name
                    for command in tree.walk_commands()
                    if isinstance(command, discord.app_commands.Command)
                }
                menus = {command.name for command in tree.get_commands(type=discord.AppCommandType.message)}
    return slash, menus


async def test_the_page_of_commands_names_every_command_and_no_other() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([`*][^|]+)\|", page.partition("## Permissions")[0], re.MULTILINE)
    slash: set[str] = set()
    for row in rows:
        first, *others = re.findall(r"`/?([^`]+)`", row) or [""]
        names = [first, *(f"{first.partition(' ')[0]} {other}" for other in others)]
        slash |= {re.sub(r" (?:\[.*|question.*|name:.*)", "", name) for name in names if name}
    menus = {name for row in rows for name in re.findall(r"\*([^*]+)\*", row)}
    slash.add("persona sprite remove")  # written as `/persona sprite add`, `remove`

    assert (slash, menus) == await registered_commands()


def test_the_metrics_of_the_operating_page_exist() -> None:
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    named = {
        name.removesuffix("_total").removesuffix("_info") for name in re.findall(r"`streamcord_(\w+)", page)
    }
    named -= {"bot"}  # `streamcord_bot.recovery`, a logger
    source = "".join(Path(str(one.__file__)).read_text(encoding="utf-8") for one in (metrics, app))
    known = {name.removeprefix("streamcord_") for name in re.findall(r'"((?:streamcord_)?[a-z_]+)"', source)}

    assert len(named) > 5
    assert named - known == set()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
@pytest.mark.parametrize("block", blocks("js"), ids=str)
def test_a_javascript_block_has_no_syntax_error(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "bot.mjs"
    file.write_text(block.text, encoding="utf-8")

    assert subprocess.run(["node", "--check", str(file)], check=False).returncode == 0


def test_every_guarantee_names_a_test_that_exists() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = page.partition("## What is guaranteed")[2].partition("\n## ")[0].splitlines()
    guarantees = [row for row in rows if row.startswith("| **")]
    assert len(guarantees) > 15
    for row in guarantees:
        named = re.findall(r"`(\w[\w/]*\.py)::(test_\w+)`", row)
        assert named, row
        for file, name in named:
            code = (ROOT / "tests" / file).read_text(encoding="utf-8")
            assert re.search(rf"^(?:async )?def {name}\(", code, re.MULTILINE), row

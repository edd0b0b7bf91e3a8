"""Many answers at once under Discord's rate limits: when do people read the first words?

    python bench/crowd.py 200 1000
    python bench/crowd.py 1000 --other "FOLDER/src streamcord bot"

Every question has a channel and a person of its own, and all are asked at the same moment. The local Discord, with
its limits, and the model run in this process; the bot runs in a process of its own, in which every step of the event
loop is measured. `--other` measures another version in the same run: its import path, module and command.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import aiohttp
from aiohttp import web

from discord_twin import Channel, Twin, User

LINES = 4
CHANNELS_PER_SERVER = 25
# Nothing new for this long, after every answer is complete or the time is over: the bot is done.
QUIET_S = 5.0
CONFIG = """
store = "{folder}/store.db"
[discord]
server = "{server}"
[budget]
person_running = 0
server_running = 0
all_running = 0
person_requests = 0
person_tokens = 0
[log]
metrics_port = {port}
[models.main]
provider = "vllm"
model = "m"
base_url = "{model}"
[personas.Luna]
"""
# The bot itself, with every callback of its event loop measured; garbage collection is counted apart from it.
BOT = """
import asyncio, gc, json, runpy, sys, time
steps, paused, began = [], 0.0, 0.0

def collecting(phase, _):
    global paused, began
    if phase == "start":
        began = time.thread_time()
    else:
        paused += time.thread_time() - began

def timed(handle, run=asyncio.Handle._run):
    callback, before, start = handle._callback, paused, time.thread_time()
    run(handle)
    took = time.thread_time() - start
    if took > 0.005:
        task = getattr(callback, "__self__", None)
        code = getattr(getattr(task, "get_coro", lambda: None)(), "__qualname__", "")
        steps.append((took - (paused - before), took, code or repr(callback)[:200]))

gc.callbacks.append(collecting)
asyncio.Handle._run = timed
file, module, *sys.argv = sys.argv[1:]
sys.argv.insert(0, module)
try:
    runpy.run_module(module, run_name="__main__", alter_sys=True)
finally:
    steps.sort(reverse=True)
    said = {"steps": steps[:20], "cpu": time.process_time(), "gc": paused}
    open(file, "w").write(json.dumps(said))
"""


@dataclass
class Measured:
    """What one run showed."""

    answers: int
    complete: int
    first_s: list[float]
    last_s: list[float]
    refused: list[tuple[float, str, str]]
    """Seconds since the questions, scope and route of every 429."""
    requests: Mapping[str, int]
    steps: list[tuple[float, float, str]]
    cpu_s: float
    metrics: str

    @property
    def first_p50(self) -> float:
        """The median time to the first words."""
        return quantiles(self.first_s, n=2)[0]

    def __str__(self) -> str:
        def show(times: list[float]) -> str:
            cuts = quantiles(times, n=20)
            return f"p50 {cuts[9]:.2f} s, p95 {cuts[18]:.2f} s"

        step = self.steps[0] if self.steps else (0.0, 0.0, "")
        sent = ", ".join(f"{count} {route}" for route, count in sorted(self.requests.items()) if count)
        refused = "".join(f"\n  429 ({scope}) after {at:.2f} s: {route}" for at, scope, route in self.refused)
        return (
            f"{self.answers} answers, {self.complete} complete, {len(self.refused)} x 429{refused}\n"
            f"  first words {show(self.first_s)}; last words {show(self.last_s)}\n"
            f"  longest step {step[0] * 1000:.0f} ms ({step[1] * 1000:.0f} with garbage collection, {step[2]})\n"
            f"  {self.cpu_s / self.answers * 1000:.0f} ms of processor time per answer; {sent}"
        )


async def answer(request: web.Request) -> web.StreamResponse:
    """Say four lines, each with the mark of the question."""
    words = json.dumps((await request.json())["messages"])
    mark = words.rpartition("mark ")[2].partition(" ")[0]
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    with suppress(ConnectionError):
        await response.prepare(request)
        for line in range(LINES):
            said = f"{mark} says in line {line} something that is worth reading.\n"
            choice = {"index": 0, "delta": {"content": said}, "finish_reason": None}
            await response.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
            await asyncio.sleep(0.25)
        choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
        await response.write(f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n".encode())
    return response


def open_channels(twin: Twin, count: int) -> list[tuple[Channel, User]]:
    """Return channels on as many servers as it takes, each with a person of its own."""
    places, server = [], twin.guild
    for number in range(count):
        if number and number % CHANNELS_PER_SERVER == 0:
            server = twin.state.add_guild(f"server-{number}", twin.user)
            twin.state.add_member(server, twin.bot.user)
        person = twin.state.add_user(f"person-{number}")
        twin.state.add_member(server, person)
        places.append((twin.state.add_channel(server, f"channel-{number}"), person))
    return places


async def measure(count: int, path: str, command: list[str]) -> Measured:
    """Ask so many questions at once and wait for all answers."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with Twin() as twin:
                return await _run(
                    twin, f"http://127.0.0.1:{runner.addresses[0][1]}/v1", Path(folder), count, path, command
                )
    finally:
        await runner.cleanup()


async def _run(twin: Twin, model: str, folder: Path, count: int, path: str, command: list[str]) -> Measured:
    places, port = open_channels(twin, count), _free_port()
    config = CONFIG.format(folder=folder, server=twin.base_url, model=model, port=port)
    (folder / "bot.toml").write_text(config, encoding="utf-8")
    shown = folder / "steps.json"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", BOT, str(shown), *command, "--config", str(folder / "bot.toml")),
        env={**os.environ, "DISCORD_TOKEN": twin.token, "PYTHONPATH": path},
        cwd=folder,
        stderr=(folder / "log").open("wb"),
    )
    log = folder / "log"
    while b"ready:" not in log.read_bytes():
        assert process.returncode is None, log.read_text()
        await asyncio.sleep(0.2)
    await asyncio.sleep(2.0)
    began, before, at = time.perf_counter(), len(twin.log.requests), twin.clock.now()
    for number, (place, person) in enumerate(places):
        twin.say(place, person, f"<@{twin.bot.id}> mark q{number} ")
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    deadline = began + 60 + count * 0.4
    while len(last) < count and time.perf_counter() < deadline:
        await asyncio.sleep(0.05)
        now = time.perf_counter() - began
        for number, (place, _) in enumerate(places):
            if number in last:
                continue
            said = "".join(one.content for one in place.messages.values() if one.by_machine)
            if said and number not in first:
                first[number] = now
            if all(f"q{number} says in line {line}" in said for line in range(LINES)):
                last[number] = now
    await asyncio.sleep(QUIET_S)
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/metrics") as got:
        metrics = await got.text()
    process.terminate()
    await process.wait()
    requests = [*twin.log.requests][before:]
    routes = {route: sum(one.route == route for one in requests) for route in {one.route for one in requests}}
    told = json.loads(shown.read_text())
    return Measured(
        count,
        len(last),
        [*first.values()],
        [*last.values()],
        [(one.at - at, one.scope, one.route) for one in requests if one.status == 429],
        routes,
        [tuple(one) for one in told["steps"]],
        told["cpu"],
        metrics,
    )


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def main() -> int:
    """Measure each number of answers, and compare with another version."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("counts", nargs="*", type=int, default=[200])
    parser.add_argument("--other", metavar="'PATH MODULE COMMAND'", help="another version to compare with")
    parser.add_argument("--verbose", action="store_true", help="print the longest steps and the metrics")
    given = parser.parse_args()
    versions = {"here": ("", ["streamcord_bot", "run"])}
    if given.other:
        path, *command = given.other.split()
        versions = {"other": (path, command), **versions}
    for count in given.counts:
        for name, (path, command) in versions.items():
            measured = asyncio.run(measure(count, path, command))
            print(f"{name}: {measured}", flush=True)
            if given.verbose:
                print(*measured.steps, sep="\n")
                print(*(line for line in measured.metrics.splitlines() if "request" in line), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The command line `discord-twin`: serve a local Discord, with a web page to look at it."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from . import __version__, drift
from .control.snapshot import SnapshotError, save_state
from .dated_changes import parse_day
from .openapi import DescriptionError

if TYPE_CHECKING:
    from . import Event, Message, Record, Twin
    from .state.models import Json

__all__ = ["EXAMPLES", "add_arguments", "describe_body", "describe_request", "main", "run"]

# Characters of a request body that `--record` writes.
_MAX_BODY_CHARS = 2000

EXAMPLES = """\
  discord-twin                               a local Discord, and its page at http://127.0.0.1:8765/
  discord-twin --port 0 --quiet              any free port; say nothing of what happens
  discord-twin --strict --record log.txt     501 where the twin has no route; write down what a client did
  discord-twin --as-of 2026-11-15            Discord as it was on that day
  discord-twin drift -- pytest tests         run a test suite on the Discord of two days; see drift --help
  discord-twin --check openapi.json          compare everything with Discord's own description of its API
  discord-twin --state save.json             begin with a saved state, and save the state at the end
"""

_WELCOME = """\
A local Discord, for this machine only. Ctrl-C ends it.

  page        {page}
  API         {api}
  gateway     {gateway}
  token       {token}
  control     {root}/control/openapi.json

Point a client at it:
  streamcord  server = "{root}" below [discord] in streamcord.toml; export DISCORD_TOKEN={token}
  discord.py  discord.http.Route.BASE = "{api}"
              discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL("{gateway}")
  hikari      hikari.GatewayBot(TOKEN, rest_url="{api}")
  discord.js  new Client({{ rest: {{ api: "{root}/api" }}, ... }})
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `twin` takes."""
    parser.add_argument(
        "--port", type=int, default=8765, metavar="N", help="where to listen (default 8765); 0 is any"
    )
    parser.add_argument("--quiet", action="store_true", help="do not print a line per request and message")
    parser.add_argument(
        "--strict", action="store_true", help="answer 501 where the twin has no such route, instead of 404"
    )
    parser.add_argument(
        "--as-of", type=_day, default="", metavar="DAY", help="the day whose Discord this is (default today)"
    )
    parser.add_argument(
        "--check",
        metavar="FILE",
        help="print what does not fit Discord's OpenAPI document (github.com/discord/discord-api-spec)",
    )
    parser.add_argument("--record", metavar="FILE", help="write what the client did into a file, with bodies")
    parser.add_argument(
        "--state",
        metavar="FILE",
        help="begin with the state in this file, if it exists, and save it at the end",
    )
    parser.add_argument(
        "--ready-file",
        metavar="FILE",
        help="append the addresses and the token, as VARIABLE=value, when it listens",
    )
    parser.add_argument(
        "--no-limits", action="store_true", help="no rate limits, so that tests do not wait for them"
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="the address to listen on (default 127.0.0.1); another one only inside a container",
    )
    parser.add_argument(
        "--name", default="127.0.0.1", metavar="NAME", help="the host name under which clients reach it"
    )


def _day(text: str) -> str:
    return str(parse_day(text)) if text else ""


def run(arguments: argparse.Namespace) -> int:
    """Serve until a user presses Ctrl-C, or a supervisor sends SIGTERM."""
    try:
        with _opened(arguments.record) as file:
            asyncio.run(_serve(arguments, file))
    except KeyboardInterrupt:
        print("\nThe twin is closed.")
    except (_CannotWrite, DescriptionError, SnapshotError) as error:
        return _fail(str(error), status=1)
    except (OSError, OverflowError) as error:
        # The message of an OSError contains the address again; its number gives the plain reason.
        number = getattr(error, "errno", None)
        reason = os.strerror(number) if number else str(error).rstrip(".")
        return _fail(
            f"cannot listen on {arguments.host}:{arguments.port}: {reason}; --port 0 takes any free port",
            status=1,
        )
    return 0


class _CannotWrite(Exception):
    """A file that the command line names cannot be written."""


def _opened(name: str | None) -> AbstractContextManager[TextIO | None]:
    if name is None:
        return nullcontext()
    try:
        # It holds bodies of messages, so only its owner may read it, also if the file exists already.
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        if Path(name).is_file():
            with suppress(OSError):
                Path(name).chmod(0o600)
        return os.fdopen(descriptor, "w", encoding="utf-8")
    except OSError as error:
        raise _CannotWrite(f"cannot write {name}: {error.strerror}") from error


async def _serve(arguments: argparse.Namespace, file: TextIO | None) -> None:
    # `--help` needs no aiohttp.
    from . import AdjustableClock, ApiDescription, ControlApi, Twin, TwinOptions, WebUI  # noqa: PLC0415

    make = TwinOptions.without_limits if arguments.no_limits else TwinOptions
    # Without `--as-of` the environment decides.
    day = {"as_of": arguments.as_of} if arguments.as_of else {}
    twin = Twin(make(strict=arguments.strict, **day), clock=AdjustableClock())
    twin.host_name = arguments.name
    ControlApi(twin, _read_state(arguments.state))
    if arguments.check:
        description = ApiDescription.read(arguments.check)
        twin.check_against(description, lambda found: _say(f"check {_mask_controls(str(found))}"))
    page = WebUI(twin)
    await twin.start(arguments.port, arguments.host)
    _write_ready_file(twin, arguments.ready_file)
    _welcome(twin)
    _follow(twin, quiet=arguments.quiet, file=file)
    ended = asyncio.Event()
    # Event loops have no signals on Windows.
    with suppress(NotImplementedError, AttributeError):
        for one in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(one, ended.set)
    try:
        await ended.wait()
    finally:
        page.close()
        await twin.stop()
        _write_state(twin, arguments.state)
        _report_unknown_routes(twin, file)


def _read_state(name: str | None) -> Json | None:
    if name is None or not Path(name).exists():
        return None
    try:
        document = json.loads(Path(name).read_bytes())
    except (OSError, ValueError) as error:
        raise SnapshotError(f"cannot read {name}: {error}") from error
    if not isinstance(document, dict):
        raise SnapshotError(f"{name} is no saved state")
    return document


def _write_state(twin: Twin, name: str | None) -> None:
    if name is None:
        return
    try:
        # First beside it, so that a full disk does not cost the old state.
        scratch = Path(f"{name}.new")
        scratch.write_text(json.dumps(save_state(twin), indent=1), encoding="utf-8")
        scratch.replace(name)
    except OSError as error:
        raise _CannotWrite(f"cannot write {name}: {error.strerror}") from error


def _write_ready_file(twin: Twin, name: str | None) -> None:
    """Append what a program needs to find the twin; GitHub reads variables of later steps from such a file."""
    if name is None:
        return
    lines = {
        "DISCORD_TWIN_URL": twin.base_url,
        "DISCORD_TWIN_API": twin.api_url,
        "DISCORD_TWIN_GATEWAY": twin.gateway_url,
        "DISCORD_TWIN_TOKEN": twin.token,
    }
    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write("".join(f"{key}={value}\n" for key, value in lines.items()))
    except OSError as error:
        raise _CannotWrite(f"cannot write {name}: {error.strerror}") from error


def _welcome(twin: Twin) -> None:
    text = _WELCOME.format(
        page=f"{twin.base_url}/",
        root=twin.base_url,
        api=twin.api_url,
        gateway=twin.gateway_url,
        token=twin.token,
    )
    print(text, flush=True)


def _follow(twin: Twin, *, quiet: bool, file: TextIO | None) -> None:
    """One line for each request that was answered and each thing that a user wrote; the file has more."""
    began = twin.clock.now()

    def write_line(line: str, *more: str) -> None:
        if not quiet:
            _say(line)
        if file is not None:
            stamp = f"{twin.clock.now() - began:9.3f} "
            inner = (f"{'':16}{_mask_controls(one)}\n" for one in more if one)
            file.write(f"{stamp}{line.rstrip()}\n{''.join(inner)}")
            file.flush()

    def on_event(event: Event) -> None:
        message = event.message
        # Messages of bots are shown as the requests that created them.
        if event.name == "MESSAGE_CREATE" and message is not None and not message.by_machine:
            write_line(f"      {'a person':24} {_place(twin, message.channel_id)}{_words(message)}")

    twin.context.on_answer = lambda record: write_line(
        describe_request(twin, record), f"why: {record.why}" if record.why else "", describe_body(record)
    )
    twin.state.observe(on_event)


def describe_body(record: Record) -> str:
    """Return the JSON that a client sent, in one line; nothing if it sent none."""
    try:
        body = json.dumps(record.json, ensure_ascii=False) if record.body else ""
    except ValueError:
        body = f"{len(record.body)} bytes that are no JSON object"
    return body if len(body) <= _MAX_BODY_CHARS else f"{body[: _MAX_BODY_CHARS - 1]}…"


def _report_unknown_routes(twin: Twin, file: TextIO | None) -> None:
    for route, count in twin.log.unknown.most_common():
        line = f"the twin has no {_mask_controls(route)}: asked {count} times"
        _say(line)
        if file is not None:
            file.write(line + "\n")


def describe_request(twin: Twin, record: Record) -> str:
    """Return a request in one line, without its address: that may hold a token."""
    # A fault may close the connection without a response.
    status = str(record.status or "cut")
    code = f" code {record.code}" if record.code else f" {record.scope}" if record.scope else ""
    faults = "".join(f" [{fault.value}]" for fault in record.faults)
    words = _words(record.message) if record.message is not None else ""
    route = record.route or record.method
    return f"{status:>5} {route:24} {_place(twin, record.channel_id)}{words}{code}{faults}"


def _place(twin: Twin, channel_id: int | None) -> str:
    channel = twin.state.channels.get(channel_id or 0)
    if channel is None:
        return ""
    return f"#{_mask_controls(channel.name)} " if channel.name else "direct message "


def _words(message: Message) -> str:
    line = f"{message.shown_name}: {message.content}".replace("\n", "⏎").replace("\t", " ")
    return _mask_controls(line if len(line) <= 80 else f"{line[:79]}…")


def _say(line: str) -> None:
    print(line.rstrip(), file=sys.stdout, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Serve a local Discord, or compare two days (`drift`); returns the exit status."""
    words = [*(sys.argv[1:] if argv is None else argv)]
    if words[:1] == ["drift"]:
        return drift.main(words[1:])
    parser = argparse.ArgumentParser(
        prog="discord-twin",
        description="Serve a local Discord, with a page to look at it.",
        epilog=f"examples:\n{EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"discord-twin {__version__}")
    add_arguments(parser)
    return run(parser.parse_args(words))


def _fail(message: str, *, status: int = 2) -> int:
    print(f"discord-twin: {message}", file=sys.stderr)
    return status


# Control characters would move the cursor or recolour the terminal.
_VISIBLE = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"},
    127: 0x2421,
    **dict.fromkeys(range(128, 160), 0x25A1),
    # Bidirectional overrides can make a line read differently from what it says.
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0x25A1),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}


def _mask_controls(text: str) -> str:
    """Replace control characters by visible symbols."""
    return text.translate(_VISIBLE)

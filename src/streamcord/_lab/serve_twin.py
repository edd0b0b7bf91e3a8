"""`streamcord twin`: a local Discord to point a client at, with a page to look at it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from .terminal import fail, mask_controls

if TYPE_CHECKING:
    from streamcord.twin import Event, Message, Record, Twin

__all__ = ["EXAMPLES", "add_arguments", "describe_request", "run"]

EXAMPLES = """\
examples:
  streamcord twin                               a local Discord, and its page at http://127.0.0.1:8765/
  streamcord twin --port 0 --quiet              any free port; say nothing of what happens
"""

_WELCOME = """\
A local Discord, for this machine only. Ctrl-C ends it.

  page        {page}
  API         {api}
  gateway     {gateway}
  token       {token}

Point a client at it:
  discord.py  from streamcord.discord import redirect_discord_py
              with redirect_discord_py("{api}", "{gateway}", "{cdn}"): client.run(TOKEN)
  hikari      hikari.GatewayBot(TOKEN, rest_url="{api}")
  discord.js  new Client({{ rest: {{ api: "{root}/api" }}, ... }})
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `twin` takes."""
    parser.add_argument(
        "--port", type=int, default=8765, metavar="N", help="where to listen (default 8765); 0 is any"
    )
    parser.add_argument("--quiet", action="store_true", help="do not print a line per request and message")


def run(arguments: argparse.Namespace) -> int:
    """Serve until somebody presses Ctrl-C."""
    try:
        import aiohttp  # noqa: F401, PLC0415 - to say what is missing
    except ImportError:
        return fail('the twin needs aiohttp: pip install "streamcord[discord]"')
    try:
        asyncio.run(_serve(arguments.port, quiet=arguments.quiet))
    except KeyboardInterrupt:
        print("\nThe twin is closed.")
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        return fail(f"cannot listen on 127.0.0.1:{arguments.port}: {reason}", status=1)
    return 0


async def _serve(port: int, *, quiet: bool) -> None:
    from streamcord.twin import Page, Twin  # noqa: PLC0415 - aiohttp is an extra

    twin = Twin()
    page = Page(twin)
    await twin.start(port)
    _welcome(twin)
    if not quiet:
        _follow(twin)
    try:
        await asyncio.Event().wait()
    finally:
        page.close()
        await twin.stop()


def _welcome(twin: Twin) -> None:
    text = _WELCOME.format(
        page=f"{twin.base_url}/",
        root=twin.base_url,
        api=twin.api_url,
        gateway=twin.gateway_url,
        cdn=twin.cdn_url,
        token=twin.token,
    )
    print(text, flush=True)


def _follow(twin: Twin) -> None:
    """One quiet line for each request that was answered and each thing that a person wrote."""
    twin.world.on_answer = lambda record: _say(describe_request(twin, record))

    def hear(event: Event) -> None:
        message = event.message
        if event.name == "MESSAGE_CREATE" and message is not None and not message.by_machine:
            _say(f"      {'a person':24} {_place(twin, message.channel_id)}{_words(message)}")

    twin.state.observe(hear)


def describe_request(twin: Twin, record: Record) -> str:
    """A request in one line, without its address: that may hold a token."""
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
    return f"#{mask_controls(channel.name)} " if channel.name else "direct message "


def _words(message: Message) -> str:
    line = f"{message.shown_name}: {message.content}".replace("\n", "⏎").replace("\t", " ")
    return mask_controls(line if len(line) <= 80 else f"{line[:79]}…")


def _say(line: str) -> None:
    print(line.rstrip(), file=sys.stdout, flush=True)

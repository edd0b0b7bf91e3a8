"""`streamcord-bot demo`: a local Discord, the bot and a terminal to talk to it, with a real small model.

Here is what the command line needs; everything heavy is imported when it runs.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec

from streamcord.utils import install_line

EXAMPLES = """\
  streamcord-bot demo                               talk to a persona on a local Discord, with a small real model
  streamcord-bot demo --scripted                    without a model: a script shows every feature
  streamcord-bot demo --provider ollama --model qwen3
  printf 'hello!\\n:tour\\n' | streamcord-bot demo    input from a pipe is run line by line
"""

_NEEDED = {
    "rich": "rich",
    "discord": "discord.py",
    "aiohttp": "aiohttp",
    "prometheus_client": "prometheus-client",
}
"""Modules, and what people call their packages."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `demo` takes."""
    parser.add_argument("--provider", metavar="NAME", help="ask this provider instead of the small model")
    parser.add_argument("--model", metavar="NAME", help="its model")
    parser.add_argument("--base-url", metavar="URL", help="where its API lives, if elsewhere")
    parser.add_argument("--scripted", action="store_true", help="no model at all: a script answers")
    parser.add_argument("--no-install", action="store_true", help="do not install the small model")
    parser.add_argument(
        "--script", metavar="FILE", help="do these lines instead of asking for them; - is stdin"
    )
    parser.add_argument("--fast", action="store_true", help="no typing pauses and no rate limits")


def run(arguments: argparse.Namespace) -> int:
    """Run the demo, if all its parts are there."""
    missing = [name for module, name in _NEEDED.items() if find_spec(module) is None]
    if missing:
        return _run_without(missing, arguments)
    from .runner import run as start  # noqa: PLC0415  (discord.py and rich are extras)

    return start(arguments)


def _run_without(missing: list[str], arguments: argparse.Namespace) -> int:
    """Print the missing packages; the scripted answers work without them."""
    needs = f"the demo needs {', '.join(missing)}: {install_line('demo', of='streamcord-bot')}"
    if not arguments.scripted:
        print(f"streamcord: {needs}\n  Without them: streamcord-bot demo --scripted", file=sys.stderr)
        return 2
    print(f"No local Discord and no bot ({needs}).\nHere is the library alone, with scripted answers:")
    from .library_only import play  # noqa: PLC0415  (not needed where everything is there)

    return play(sys.stdout, fast=arguments.fast)

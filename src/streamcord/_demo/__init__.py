"""`streamcord demo`: a local Discord, the bot and a terminal to talk to it, with a real small model.

Here is what the command line needs; everything heavy is imported when it runs.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  streamcord demo                               talk to a persona on a local Discord, with a small real model
  streamcord demo --scripted                    without a model: a script shows every feature
  streamcord demo --provider ollama --model qwen3
  printf 'hello!\\n:tour\\n' | streamcord demo    what is not typed is done line by line
"""

_NEEDED = {"rich": "preview", "discord": "discord", "aiohttp": "providers"}


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
    parser.add_argument("--hurry", action="store_true", help="no typing pauses and no rate limits")


def run(arguments: argparse.Namespace) -> int:
    """Run the demo, if all its parts are there."""
    missing = sorted(extra for module, extra in _NEEDED.items() if find_spec(module) is None)
    if missing:
        print(
            f'streamcord: the demo needs more: pip install "streamcord[{",".join(missing)}]"', file=sys.stderr
        )
        return 2
    from .run_demo import run as start  # noqa: PLC0415  (discord.py and rich are extras)

    return start(arguments)

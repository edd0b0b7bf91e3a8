"""What `ask` and `replay` share: a turn that runs in the terminal, and its arguments."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace
from random import Random
from typing import Any

from streamcord import ProviderError, Settings, Source, TurnResult, say

from .terminal import Terminal

__all__ = ["add_live_arguments", "fail", "run_live", "setting_values"]

FOREVER = 86_400.0


def add_live_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how the messages are made and printed."""
    parser.add_argument("--degree", metavar="N", help="0 to 3, or none, light, medium, heavy (default 2)")
    parser.add_argument(
        "--limit", type=int, metavar="N", help="longest message, in characters (default 1950)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for pauses and dice (default 0)")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per message, then the result"
    )


def setting_values(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the command line names, under their field names."""
    values: dict[str, Any] = {}
    if arguments.degree is not None:
        values["degree"] = int(arguments.degree) if arguments.degree.isdecimal() else arguments.degree
    if arguments.limit is not None:
        values["message_length"] = arguments.limit
    return values


async def run_live(
    source: Source, settings: Settings, arguments: argparse.Namespace, *, speed: float | None = None
) -> int:
    """Let the source speak in the terminal; `speed` is how fast its time passes, 0 is at once."""
    loop_time = asyncio.get_running_loop().time
    waited = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal waited
        waited += seconds
        await asyncio.sleep(seconds / speed if speed else 0)

    def clock() -> float:
        return loop_time() * speed if speed else waited

    scaled = speed is not None
    terminal = Terminal(
        sys.stdout,
        sys.stderr,
        settings.persona.name if settings.persona else "streamcord",
        clock if scaled else loop_time,
        as_json=arguments.json,
    )
    if scaled:
        # Time that passes slower or faster is no silence.
        settings = replace(settings, idle_timeout=FOREVER, silence_timeout=FOREVER)
    turn = say(
        terminal,
        source,
        settings=settings,
        random=Random(arguments.seed),
        sleep=sleep if scaled else None,
        clock=clock if scaled else None,
    )
    try:
        terminal.close(await turn)
    except ProviderError as error:
        result: TurnResult = error.result  # type: ignore[attr-defined]
        terminal.close(result)
        return fail(error.user_message, status=1)
    return 0


def fail(message: str, *, status: int = 2) -> int:
    """Say what is wrong and return the exit status."""
    print(f"streamcord: {message}", file=sys.stderr)
    return status

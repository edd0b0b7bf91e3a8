"""What `ask` and `replay` share: a turn that runs in the terminal, and its arguments."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from streamcord import ProviderError, Settings, SettingsError, Source, TurnResult, say

from .plain import mask_controls
from .terminal import Terminal

__all__ = ["add_live_arguments", "fail", "run_live", "setting_values"]

FOREVER = 86_400.0


def add_live_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how the messages are made and printed."""
    parser.add_argument("--settings", metavar="FILE", help="a TOML file with the fields of Settings")
    parser.add_argument("--degree", metavar="N", help="0 to 3, or none, light, medium, heavy (default 2)")
    parser.add_argument(
        "--limit", type=int, metavar="N", help="longest message, in characters (default 1950)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for pauses and dice (default 0)")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per message, then the result"
    )


def setting_values(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of the file and, over them, those of the command line, under their field names."""
    values: dict[str, Any] = {}
    if arguments.settings is not None:
        try:
            values = tomllib.loads(Path(arguments.settings).read_text("utf-8"))
        except ValueError as error:
            raise SettingsError(arguments.settings, f"TOML ({error})", "something else") from error
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

    # A terminal limits no rates, and what looks late in scaled time is not: as planned, whatever happens.
    settings = replace(settings, merge="off")
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
        if result.receipts or arguments.json:
            terminal.close(result)
        return fail(_advice(error), status=1)
    finally:
        # Also when somebody interrupts it, the typing line does not stay.
        terminal.clear()
    return 0


def _advice(error: ProviderError) -> str:
    """What to do, and what the server said; keys are masked in both already."""
    said = mask_controls(" ".join(str(error).split()))
    pause = f" It asks for a pause of {error.retry_after:g} s." if error.retry_after else ""
    return f"{error.user_message}{pause}" + (f"\n{'':12}{said}" if said != error.user_message else "")


def fail(message: str, *, status: int = 2) -> int:
    """Say what is wrong and return the exit status."""
    print(f"streamcord: {message}", file=sys.stderr)
    return status

"""`streamcord replay`: shows a recorded answer again, as it was or with other settings."""

from __future__ import annotations

import argparse
import asyncio

from streamcord import Settings, SettingsError

from .recording import RecordingError, read_recording, replay
from .terminal import add_live_arguments, fail, run_live, setting_values

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  streamcord replay answer.rec                  as it was, in its own time
  streamcord replay answer.rec --speed 0        all at once
  streamcord replay answer.rec --degree heavy   the same words with other settings
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `replay` takes."""
    parser.add_argument("file", metavar="FILE", help="a recording, as `streamcord ask --record` writes it")
    parser.add_argument(
        "--speed", type=_speed, default=1.0, metavar="X", help="times as fast (default 1); 0 is at once"
    )
    add_live_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Replay one recording and return the exit status."""
    try:
        settings = Settings.from_mapping(setting_values(arguments))
        entries = read_recording(arguments.file)
    except SettingsError as error:
        return fail(str(error))
    except RecordingError as error:
        return fail(f"{arguments.file} is not a recording: {error}")
    except OSError as error:
        return fail(f"cannot read {error.filename}: {error.strerror}")
    except UnicodeDecodeError:
        return fail(f"{arguments.file} is not a recording: it is not UTF-8")
    speed: float = arguments.speed
    source = replay(entries, speed=speed)
    return asyncio.run(run_live(source, settings, arguments, speed=speed))


def _speed(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of 0 or more, not {text!r}")
    return number

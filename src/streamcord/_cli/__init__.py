"""The command line: `streamcord COMMAND`, also `python -m streamcord COMMAND`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import __version__
from .. import _demo as demo
from .._lab import live_commands as live
from .._lab import preview
from .._lab import serve_twin as serving
from . import operator as operation

__all__ = ["COMMANDS", "Command", "main"]


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `run` returns the exit status and imports heavy modules itself."""

    name: str
    summary: str
    examples: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


COMMANDS = (
    Command(
        "demo",
        "talk to a persona on a local Discord: no token, no key, no account",
        demo.EXAMPLES,
        demo.add_arguments,
        demo.run,
    ),
    Command(
        "init",
        "ask a few questions and write the bot's configuration",
        operation.INIT_EXAMPLES,
        operation.add_init_arguments,
        operation.run_init,
    ),
    Command(
        "check",
        "say what is missing or wrong before the bot can run",
        operation.CHECK_EXAMPLES,
        operation.add_check_arguments,
        operation.run_check,
    ),
    Command(
        "bot",
        "run the bot",
        operation.BOT_EXAMPLES,
        operation.add_bot_arguments,
        operation.run_bot,
    ),
    Command(
        "backup",
        "copy the database, whole, while the bot goes on",
        operation.BACKUP_EXAMPLES,
        operation.add_backup_arguments,
        operation.run_backup,
    ),
    Command(
        "health",
        "ask the bot that runs here whether it is well",
        operation.HEALTH_EXAMPLES,
        operation.add_health_arguments,
        operation.run_health,
    ),
    Command(
        "privacy",
        "write down what the bot stores, for how long, and how people have it deleted",
        operation.PRIVACY_EXAMPLES,
        operation.add_privacy_arguments,
        operation.run_privacy,
    ),
    Command(
        "status",
        "show the processes of a cluster: who listens where, and how late they are",
        operation.STATUS_EXAMPLES,
        operation.add_status_arguments,
        operation.run_status,
    ),
    Command(
        "preview",
        "draw the messages that an answer would become",
        preview.EXAMPLES,
        preview.add_arguments,
        preview.run,
    ),
    Command(
        "ask",
        "ask a model and show live what a channel would see",
        live.ASK_EXAMPLES,
        live.add_ask_arguments,
        live.run_ask,
    ),
    Command(
        "replay",
        "show a recorded answer again, as it was or with other settings",
        live.REPLAY_EXAMPLES,
        live.add_replay_arguments,
        live.run_replay,
    ),
    Command(
        "twin",
        "serve a local Discord, with a page to look at it",
        serving.EXAMPLES,
        serving.add_arguments,
        serving.run,
    ),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _use_utf8()
    if sys.stdin is None:  # it was closed (`<&-`)
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  (for as long as we run)
    parser = _build_parser(COMMANDS)
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help()
        return 0
    command = next(command for command in COMMANDS if command.name == arguments.command)
    try:
        status = command.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (`| head`) has enough; Python would complain again when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def _build_parser(commands: Sequence[Command]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="streamcord",
        description="Brings a language model's stream into Discord.",
        epilog="\n".join(["examples:", *(command.examples.splitlines()[0] for command in commands)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"streamcord {__version__}")
    chosen = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for command in commands:
        command.add_arguments(
            chosen.add_parser(
                command.name,
                help=command.summary,
                description=f"{command.summary[0].upper()}{command.summary[1:]}.",
                epilog=f"examples:\n{command.examples}",
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
        )
    return parser


def _use_utf8() -> None:
    """Print UTF-8 whatever the locale is."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")

"""A command line with subcommands: parsing, UTF-8 output, broken pipes and Ctrl-C."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand; `run` returns the exit status and imports heavy modules itself.

    Example:
        Command("hello", "Say hello.", "mybot hello", lambda parser: None, lambda arguments: 0)

    """

    name: str
    summary: str
    examples: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


@dataclass(frozen=True, slots=True)
class Program:
    """A command line program made of subcommands.

    Example:
        raise SystemExit(Program("mybot", "My bot.", "1.0", [hello]).main())

    """

    name: str
    description: str
    version: str
    commands: Sequence[Command]

    def main(self, argv: Sequence[str] | None = None) -> int:
        """Run one subcommand and return its exit status."""
        _use_utf8()
        if sys.stdin is None:  # it was closed (`<&-`)
            sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - open until the process ends
        parser = self._build_parser()
        arguments = parser.parse_args(argv)
        if arguments.command is None:
            parser.print_help()
            return 0
        command = next(command for command in self.commands if command.name == arguments.command)
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

    def _build_parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(
            prog=self.name,
            description=self.description,
            epilog="\n".join(["examples:", *(command.examples.splitlines()[0] for command in self.commands)]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("--version", action="version", version=f"{self.name} {self.version}")
        chosen = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
        for command in self.commands:
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

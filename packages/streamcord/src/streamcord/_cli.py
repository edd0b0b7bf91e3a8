"""The command line: `streamcord COMMAND`, also `python -m streamcord COMMAND`."""

from __future__ import annotations

from collections.abc import Sequence

from . import __version__
from ._common.command_line import Command, Program
from ._preview import ask_and_replay as live
from ._preview import preview

__all__ = ["COMMANDS", "main"]

COMMANDS = (
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
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return Program("streamcord", "Stream LLM output into Discord.", __version__, COMMANDS).main(argv)

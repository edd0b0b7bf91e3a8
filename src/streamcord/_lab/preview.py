"""`streamcord preview`: the exact messages that an answer would become, drawn in the terminal."""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from streamcord import Attachment, Settings, SettingsError, draw_files

from .batch import Defaults, run_batch
from .explain import explain
from .outcome import PlannedAnswer, as_slices, describe_message, plan
from .plain import draw_plain

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
examples:
  streamcord preview answer.md                  draw it as Discord would show it
  streamcord preview answer.md --degree heavy   one message per sentence
  echo 'Hi!' | streamcord preview - --json      one JSON object per message
  streamcord preview --batch answers.jsonl      one JSON line in, one JSON line out
  streamcord preview answer.md --explain        why each message looks as it does
  streamcord preview answer.md --settings luna.toml   with personas, emoji and people
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `preview` takes."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="the model's answer; - reads standard input")
    parser.add_argument("--degree", metavar="N", help="0 to 3, or none, light, medium, heavy (default 2)")
    parser.add_argument(
        "--limit", type=int, metavar="N", help="longest message, in characters (default 1950)"
    )
    parser.add_argument("--slice", type=_natural, default=0, metavar="N", help="feed N characters at a time")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for pauses and dice (default 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object per message")
    parser.add_argument("--settings", metavar="FILE", help="a TOML file with the fields of Settings")
    parser.add_argument("--explain", action="store_true", help="say why each message looks as it does")
    parser.add_argument("--out", metavar="DIR", help="write the pictures of tables there")
    parser.add_argument("--batch", metavar="FILE", help="read JSON lines, print one JSON line each")


def run(arguments: argparse.Namespace) -> int:
    """Preview one answer or a batch, and return the exit status."""
    if (arguments.file is None) == (arguments.batch is None):
        return _fail("preview needs FILE, - for standard input, or --batch FILE")
    try:
        values = _setting_values(arguments)
        settings = Settings.from_mapping(values)
        source = _open(arguments.batch or arguments.file)
    except SettingsError as error:
        return _fail(str(error))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return _fail(f"{arguments.settings} is not TOML: {error}")
    except OSError as error:
        return _fail(f"cannot read {error.filename}: {error.strerror}")
    with source as stream:
        if arguments.batch:
            defaults = Defaults(values, arguments.slice, arguments.seed)
            return run_batch(stream, sys.stdout, sys.stderr, defaults)
        text = stream.read().decode("utf-8-sig", errors="replace")
    return _preview(text, settings, arguments)


def _preview(text: str, settings: Settings, arguments: argparse.Namespace) -> int:
    """Show one answer, as the command line wants it."""
    outcome = plan(as_slices(text, arguments.slice), settings, arguments.seed)
    if arguments.out and (fault := _write_pictures(outcome, Path(arguments.out))):
        return _fail(fault)
    if arguments.explain:
        print("\n".join(explain(text, outcome, settings, arguments.seed)))
        return 0
    show = _print_json if arguments.json else _draw
    show(outcome, settings)
    return 0


def _setting_values(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of the file and, over them, those of the command line, under their field names."""
    values: dict[str, Any] = {}
    if arguments.settings is not None:
        with Path(arguments.settings).open("rb") as file:
            values = tomllib.load(file)
    if arguments.degree is not None:
        values["degree"] = int(arguments.degree) if arguments.degree.isdecimal() else arguments.degree
    if arguments.limit is not None:
        values["message_length"] = arguments.limit
    return values


def _open(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb")


def _write_pictures(outcome: PlannedAnswer, folder: Path) -> str:
    """Write what would be attached, numbered by message; what went wrong, if something did."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, message in enumerate(outcome.messages, 1):
            for file in draw_files(message).files:
                if isinstance(file, Attachment):
                    (folder / f"{number:02}-{file.name}").write_bytes(file.content)
    except OSError as error:
        return f"cannot write {error.filename}: {error.strerror}"
    return ""


def _print_json(outcome: PlannedAnswer, _: Settings) -> None:
    for message in outcome.messages:
        print(json.dumps(describe_message(message)))


def _draw(outcome: PlannedAnswer, settings: Settings) -> None:
    name = settings.persona.name if settings.persona else "streamcord"
    # Looked for, not tried: an import that fails inside rich is a fault to show, not to hide.
    if find_spec("rich") is None:
        print("\n".join(draw_plain(outcome, name)))
        print('For colours and code: pip install "streamcord[preview]"', file=sys.stderr)
        return
    from rich.console import Console  # noqa: PLC0415  (an extra, and slow to import)

    from .drawing import draw  # noqa: PLC0415

    draw(outcome, name, Console())


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number


def _fail(message: str) -> int:
    print(f"streamcord: {message}", file=sys.stderr)
    return 2

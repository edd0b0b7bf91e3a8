"""Shows messages in a terminal without rich: live as they arrive, or a whole preview."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any, TextIO

from .. import (
    AnswerContext,
    Ending,
    Message,
    ProviderError,
    Receipt,
    Settings,
    SettingsError,
    Source,
    TurnResult,
    say,
)
from .planned_answer import PlannedAnswer, describe_message

_ERASE = "\r\x1b[K"


class Terminal:
    """A transport that prints messages as plain lines, or as JSON objects.

    Args:
        out: Where the messages are printed.
        status: Where the typing line is drawn, if it is a terminal.
        name: The name that is shown as typing.
        clock: Returns the time that is shown on the left, in seconds.
        as_json: Whether to print one JSON object per message.

    Example:
        terminal = Terminal(sys.stdout, sys.stderr, "Luna", time.monotonic)
        await say(terminal, source)

    """

    def __init__(
        self, out: TextIO, status: TextIO, name: str, clock: Callable[[], float], *, as_json: bool = False
    ) -> None:
        self._out = out
        # The typing line is drawn over, which only a terminal can.
        self._status = status if status.isatty() and not as_json else None
        self._name = mask_controls(name)
        self._clock = clock
        self._began = clock()
        self._json = as_json
        self._count = 0
        self._typing = False

    async def send(self, message: Message) -> Receipt:
        """Print one message."""
        self.clear()
        self._count += 1
        at = round(self._clock() - self._began, 3)
        if self._json:
            self._print({"type": "message", "at": at, **describe_message(message)})
        else:
            for index, line in enumerate(_lines(message)):
                stamp = f"{at:.1f} s" if index == 0 else ""
                print(f"{stamp:>9} | {line}", file=self._out, flush=True)
        return Receipt(message, self._count)

    async def typing(self) -> None:
        """Show the typing line until the next message."""
        if self._status and not self._typing:
            self._typing = True
            self._status.write(f"{_ERASE}{'':9}   {self._name} is typing ...")
            self._status.flush()

    def clear(self) -> None:
        """Take the typing line away."""
        if self._status and self._typing:
            self._typing = False
            self._status.write(_ERASE)
            self._status.flush()

    def close(self, result: TurnResult) -> None:
        """Print how it ended."""
        self.clear()
        if self._json:
            self._print({"type": "result", **_describe(result)})
            return
        parts = [f"{self._count} message{'' if self._count == 1 else 's'}"]
        if result.usage:
            parts.append(f"{result.usage.output_tokens} tokens")
        if thought := len(result.thoughts.raw) + len(result.thoughts.summary):
            parts.append(f"{thought} characters of thought")
        ending = result.ending.value
        if result.is_cut and result.ending in {Ending.COMPLETED, Ending.REFUSED}:
            ending += f", cut short by the provider ({result.finish_reason})"
        print(f"\n{'':9}   {ending}: {', '.join(parts)}", file=self._out, flush=True)

    def _print(self, values: dict[str, Any]) -> None:
        print(json.dumps(values), file=self._out, flush=True)


def _lines(message: Message) -> list[str]:
    """The lines of a message: its text, then its files with their descriptions."""
    lines = mask_controls(message.content).split("\n") if message.content else []
    for file in message.files:
        lines += [f"[{file.name}]", *(f"  {line}" for line in mask_controls(file.alt).split("\n") if line)]
    return lines


def _describe(result: TurnResult) -> dict[str, Any]:
    """How a turn ended, as JSON values."""
    return {
        "ending": result.ending.value,
        "text": result.text,
        "thoughts": {"summary": result.thoughts.summary, "raw": result.thoughts.raw},
        "tool_calls": [{"name": call.name, "arguments": dict(call.arguments)} for call in result.tool_calls],
        "dropped": [{"text": piece.text, "reason": piece.reason} for piece in result.dropped],
        "usage": asdict(result.usage) if result.usage else None,
        "counts": asdict(result.counts),
    }


# Control characters would move the cursor or recolour the terminal; C0 and DEL have pictures, C1 a box.
_CONTROL_SYMBOLS = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"},
    127: 0x2421,
    **dict.fromkeys(range(128, 160), 0x25A1),
    # Bidirectional overrides can make a line read differently from what it says.
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0x25A1),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}


def draw_plain(outcome: PlannedAnswer, name: str) -> Iterator[str]:
    """The preview as plain lines."""
    speaker = ""
    for message in outcome.messages:
        current = message.speaker.name if message.speaker else name
        if current != speaker:
            yield from (*([""] if speaker else []), f"{'':9}   {mask_controls(current)}")
            speaker = current
        yield from _draw_message(message)
    for kind, text in list_hidden_text(outcome):
        yield from ("", f"{'':9}   {kind}", *(f"{'':9}     {line}" for line in text.split("\n")))
    yield from ("", f"{'':9}   {summary_line(outcome)}")


def _draw_message(message: Message) -> Iterator[str]:
    lines = mask_controls(message.content).split("\n")
    lines += [f"[{file.name}]" for file in message.files]
    yield f"{label_delay(message.delay):>9} | {lines[0]}"
    for line in lines[1:]:
        yield f"{'':9} | {line}"


def label_delay(delay: float) -> str:
    """The wait before a message as a short label."""
    return f"+{delay:.1f} s" if delay else "at once"


def list_hidden_text(outcome: PlannedAnswer) -> Iterator[tuple[str, str]]:
    """What is not in the messages (thoughts, dropped text, a halt), each with a heading."""
    for kind, heading in (("think", "thought"), ("details", "details")):
        for text in outcome.captured(kind):
            yield heading, mask_controls(text.strip())
    for dropped in outcome.dropped:
        if not dropped.text.strip():
            continue  # white space that changes nothing
        yield f"dropped ({dropped.reason})", mask_controls(dropped.text.strip())
    if outcome.halt:
        yield "halted", outcome.halt.reason


def summary_line(outcome: PlannedAnswer) -> str:
    """How many messages there are, and how long they take."""
    count = len(outcome.messages)
    seconds = sum(message.delay for message in outcome.messages)
    return f"{count} message{'' if count == 1 else 's'} in {seconds:.1f} s"


def mask_controls(text: str) -> str:
    """Return the text with visible symbols in the place of control characters.

    Args:
        text: Text of a model or a user, which may hold escape sequences of a terminal.

    Example:
        print(mask_controls(answer))

    """
    return text.translate(_CONTROL_SYMBOLS)


NO_TIMEOUT_S = 86_400.0


def add_setting_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how the messages are made."""
    parser.add_argument("--settings", metavar="FILE", help="a TOML file with settings (docs/settings.md)")
    parser.add_argument(
        "--degree",
        metavar="N",
        help="from 0 (one text) to 3 (a message per sentence), or none, light, medium, heavy (default 2)",
    )
    parser.add_argument(
        "--limit", type=int, metavar="N", help="longest message, in characters (default 1950)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for pauses and dice (default 0)")


def add_live_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how the messages are made and printed."""
    add_setting_arguments(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per message, then the result"
    )


def setting_values(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of `--settings`, overridden by those of the command line."""
    values: dict[str, Any] = {}
    if arguments.settings is not None:
        try:
            values = tomllib.loads(Path(arguments.settings).read_text("utf-8"))
        except ValueError as error:
            raise SettingsError(arguments.settings, f"TOML ({error})") from error
    if arguments.degree is not None:
        values["degree"] = int(arguments.degree) if arguments.degree.isdecimal() else arguments.degree
    if arguments.limit is not None:
        values["message_length"] = arguments.limit
    return values


async def run_live(
    source: Source,
    settings: Settings,
    context: AnswerContext,
    arguments: argparse.Namespace,
    *,
    speed: float | None = None,
) -> int:
    """Deliver a source into the terminal; `speed` is how fast its time passes, 0 is at once."""
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
        context.persona.name if context.persona else "streamcord",
        clock if scaled else loop_time,
        as_json=arguments.json,
    )
    if scaled:
        # Time that passes slower or faster is no silence.
        settings = replace(settings, idle_timeout=NO_TIMEOUT_S, keepalive_timeout=NO_TIMEOUT_S)
    turn = say(
        terminal,
        source,
        settings=settings,
        context=context,
        random=Random(arguments.seed),
        sleep=sleep if scaled else None,
        clock=clock if scaled else None,
    )
    try:
        terminal.close(await turn)
    except ProviderError as error:
        result = error.result
        if result and (result.receipts or arguments.json):
            terminal.close(result)
        return fail(_advice(error), status=1)
    finally:
        # Also when it is interrupted, the typing line does not stay.
        terminal.clear()
    return 0


def _advice(error: ProviderError) -> str:
    """What to do about an error, and what the server said (keys are masked in both already)."""
    said = mask_controls(" ".join(str(error).split()))
    pause = f" It asks for a pause of {error.retry_after:g} s." if error.retry_after else ""
    return f"{error.user_message}{pause}" + (f"\n{'':12}{said}" if said != error.user_message else "")


def fail(message: str, *, status: int = 2) -> int:
    """Print an error and return the exit status.

    Args:
        message: What went wrong, in one sentence.
        status: The exit status of the process.

    Example:
        return fail(f"{path} cannot be read")

    """
    print(f"streamcord: {message}", file=sys.stderr)
    return status

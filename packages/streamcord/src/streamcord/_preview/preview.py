"""The command `streamcord preview`: show or explain the messages that an answer would become."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import BinaryIO

from .. import AnswerContext, Attachment, Degree, Drawing, Message, Pipeline, Settings, SettingsError, Table
from .._common.optional_dependencies import find_missing_letters, install_line
from .._text.layout.typing_delay import typed_seconds
from .._text.markdown.scanner import Scanner
from .._turn.rendering import choose_drawings
from ..records import Align, Words
from ..settings import read_settings
from ..utils import draw_files
from .live_frames import Frame, preview_frames
from .plain_output import (
    add_setting_arguments,
    draw_plain,
    fail,
    list_hidden_text,
    mask_controls,
    setting_values,
)
from .planned_answer import Defaults, PlannedAnswer, as_chunks, describe_message, plan, run_batch

EXAMPLES = """\
  streamcord preview answer.md                  draw it as Discord would show it
  streamcord preview answer.md --degree heavy   one message per sentence
  echo 'Hi!' | streamcord preview - --json      one JSON object per message
  streamcord preview --batch answers.jsonl      one JSON line in, one JSON line out
  streamcord preview answer.md --live           one live message: each frame and its time
  streamcord preview answer.md --explain        why each message looks as it does
  streamcord preview answer.md --settings luna.toml   with personas, emoji and people
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `preview`."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="the model's answer; - reads standard input")
    add_setting_arguments(parser)
    parser.add_argument("--slice", type=_natural, default=0, metavar="N", help="feed N characters at a time")
    parser.add_argument("--json", action="store_true", help="print one JSON object per message")
    parser.add_argument("--explain", action="store_true", help="say why each message looks as it does")
    parser.add_argument("--live", action="store_true", help="show the frames of one live message")
    parser.add_argument(
        "--speed", type=_speed, default=600.0, metavar="N", help="with --live: characters in a second (600)"
    )
    parser.add_argument("--out", metavar="DIR", help="write the pictures of tables there")
    parser.add_argument("--batch", metavar="FILE", help="read JSON lines, print one JSON line each")


def run(arguments: argparse.Namespace) -> int:
    """Preview one answer or a batch, and return the exit status."""
    if (arguments.file is None) == (arguments.batch is None):
        return fail("preview needs FILE, - for standard input, or --batch FILE")
    try:
        values = setting_values(arguments)
        settings, context = read_settings(values)
        # As `say` shows it on this machine.
        settings = choose_drawings(settings)
        source = _open(arguments.batch or arguments.file)
    except SettingsError as error:
        return fail(str(error))
    except OSError as error:
        return fail(f"cannot read {error.filename}: {error.strerror}")
    with source as stream:
        if arguments.batch:
            defaults = Defaults(values, arguments.slice, arguments.seed)
            return run_batch(stream, sys.stdout, sys.stderr, defaults)
        text = stream.read().decode("utf-8-sig", errors="replace")
    return _preview(text, settings, context, arguments)


def _preview(text: str, settings: Settings, context: AnswerContext, arguments: argparse.Namespace) -> int:
    """Show one answer as the arguments say."""
    if arguments.live:
        frames = preview_frames(text, settings, arguments.seed, arguments.speed, context=context)
        show_frames(frames, as_json=arguments.json)
        return 0
    outcome = plan(as_chunks(text, arguments.slice), settings, arguments.seed, context)
    if arguments.out and (fault := _write_pictures(outcome, Path(arguments.out))):
        return fail(fault)
    if arguments.explain:
        print("\n".join(explain(text, outcome, settings, arguments.seed, context)))
        return 0
    show = _print_json if arguments.json else _draw
    show(outcome, context)
    for line in _undrawn(outcome):
        print(line, file=sys.stderr)
    return 0


def _open(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb")


def _write_pictures(outcome: PlannedAnswer, folder: Path) -> str:
    """Write the images into a folder, numbered by message, and return the error, or ""."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, message in enumerate(outcome.messages, 1):
            for file in draw_files(message).files:
                if isinstance(file, Attachment):
                    (folder / f"{number:02}-{file.name}").write_bytes(file.content)
    except OSError as error:
        return f"cannot write {error.filename}: {error.strerror}"
    return ""


def _undrawn(outcome: PlannedAnswer) -> Iterator[str]:
    """Yield why tables cannot be rendered as images on this machine."""
    tables = [file for message in outcome.messages for file in message.files if isinstance(file, Table)]
    lost = [table for table in tables if not _can_draw(table)]
    if not lost:
        return
    yield f"Tables that cannot be drawn here, and would be code blocks: {len(lost)} of {len(tables)}."
    if find_spec("PIL") is None:
        yield f"For pictures: {install_line('tables')}"
        return
    text = "".join(table.source for table in lost)
    for letters in find_missing_letters(_can_draw_text, text):
        yield f"Letters of {letters.words} are missing: {install_line(letters.extra)}"


def _can_draw(table: Table) -> bool:
    return bool(draw_files(Message("", files=(table,), fallback="-")).files)


def _can_draw_text(text: str) -> bool:
    cell = (Words(text),)
    return _can_draw(Table((cell,), ((cell,),), (Align.LEFT,), text))


def _print_json(outcome: PlannedAnswer, _: AnswerContext) -> None:
    for message in outcome.messages:
        print(json.dumps(describe_message(message)))


def show_frames(frames: Sequence[Frame], *, as_json: bool) -> None:
    """Print every frame with its time: a new message, or what an edit adds to one."""
    said: dict[int, str] = {}
    for frame in frames:
        before = said.get(frame.message, "")
        said[frame.message] = frame.content
        if as_json:
            record = {"at": frame.at, "message": frame.message, "new": frame.is_new, "content": frame.content}
            print(json.dumps(record | ({"files": frame.files} if frame.files else {})))
            continue
        kind = "new" if frame.is_new else f"+{len(frame.content) - len(before)}"
        rich = " V2" if frame.is_rich else ""
        added = [_quote(words)] if (words := frame.content.removeprefix(before).strip()) else []
        shown = " ".join([*added, *(f"[{name}]" for name in frame.files)]) or _quote("")
        print(f"{frame.at:7.2f} s  message {frame.message} {kind:>6}{rich}  {shown}")


def _draw(outcome: PlannedAnswer, context: AnswerContext) -> None:
    name = context.persona.name if context.persona else "streamcord"
    # Not `try: import`: an import error inside of rich must be shown, not hidden.
    if find_spec("rich") is None:
        print("\n".join(draw_plain(outcome, name)))
        print(f"For colours and code: {install_line('preview')}", file=sys.stderr)
        return
    from rich.console import Console  # noqa: PLC0415  (an extra, and slow to import)

    from .rich_output import draw  # noqa: PLC0415

    draw(outcome, name, Console())


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number


def _speed(text: str) -> float:
    number = float(text)
    if not 0 < number <= 1_000_000:
        raise argparse.ArgumentTypeError("must be more than 0")
    return number


HELD_CHARS = 80
"""A message that is sent more than this many characters after its own end counts as held back."""


@dataclass(frozen=True, slots=True)
class _SentMessage:
    """A message, the source characters read when it was sent, and how many of those follow its end."""

    message: Message
    left_at: int
    late: int


def explain(
    text: str,
    outcome: PlannedAnswer,
    settings: Settings,
    seed: int,
    context: AnswerContext | None = None,
) -> Iterator[str]:
    """Yield lines that explain why each message looks as it does."""
    seen = _record_messages(text, settings, seed, context)
    for number, one in enumerate(seen, 1):
        yield from _explain_message(number, one, settings, len(text))
        yield ""
    for heading, remains in list_hidden_text(outcome):
        yield f"{heading}: {_quote(remains)}"
    yield "When it looks odd"
    yield f"  1. cut or split?      {_splits(seen)}"
    yield f"  2. repeated emoji?    {_repeats(outcome)}"
    yield f"  3. which degree?      {_degree(seen, settings)}"
    yield f"  4. held for a marker? {_held(seen, _find_holds(text, settings))}"


def _record_messages(
    text: str, settings: Settings, seed: int, context: AnswerContext | None
) -> list[_SentMessage]:
    pipeline = Pipeline(settings, Random(seed), context=context)
    seen: list[_SentMessage] = []
    for at in range(len(text) + 1):
        events = pipeline.feed(text[at]) if at < len(text) else pipeline.flush()
        for event in events:
            if isinstance(event, Message):
                read = min(at + 1, len(text))
                seen.append(_SentMessage(event, read, read - _end(event, read)))
    return seen


def _end(message: Message, otherwise: int) -> int:
    ends = [span[1] for span in message.spans]
    ends += [span[1] for edit in message.edits for span in edit.spans]
    return max(ends, default=otherwise)


def _explain_message(number: int, seen: _SentMessage, settings: Settings, length: int) -> Iterator[str]:
    message = seen.message
    piece, pieces = message.piece
    who = f" as {message.speaker.name}" if message.speaker else ""
    shown = [_quote(message.content)] if message.content or not message.files else []
    shown += [f"a table of {len(file.rows)} rows" for file in message.files if isinstance(file, Table)]
    shown += [f"a {file.kind} as a picture" for file in message.files if isinstance(file, Drawing)]
    yield f"message {number}{mask_controls(who)}: {' and '.join(shown)}"
    split = f", then split: piece {piece} of {pieces}" if pieces > 1 else ""
    yield f"  cut    at {message.boundary}{split}"
    for edit in message.edits:
        yield f"  rule   {edit.rule}: {_quote(edit.before)} -> {_quote(edit.after)}"
    for added in message.added:
        yield f"  added  {added.why}, {added.where}: {_quote(added.text)}"
    yield f"  waits  {_wait(message, settings)}"
    yield f"  sent   after {seen.left_at} of {length} characters, {seen.late} more than it needs"


def _wait(message: Message, settings: Settings) -> str:
    """Return how long a message waits, and why."""
    if message.reply:
        return "not at all: the first message goes at once"
    if not message.delay:
        return "not at all: typing is not simulated"
    typed = len(message.content) * settings.seconds_per_character
    record = typed_seconds(message.content, settings)
    why = f"{len(message.content)} characters at {settings.seconds_per_character:g} s"
    if record > typed:
        why += f", at least {settings.typing_delay_min:g} s"
    elif record < typed:
        why += f", at most {settings.typing_delay_max:g} s"
    pause = message.delay - record
    return f"{message.delay:.2f} s: {why}" + (f", and {pause:.2f} s of thought" if pause > 0.005 else "")


def _splits(seen: Sequence[_SentMessage]) -> str:
    split = [str(number) for number, one in enumerate(seen, 1) if one.message.piece[1] > 1]
    if not split:
        return "every message is a whole segment, cut where its boundary says"
    return f"split once more: message {', '.join(split)}; the others are whole segments"


def _repeats(outcome: PlannedAnswer) -> str:
    found = [edit for edit in outcome.replaced if edit.rule == "emoji repeat"]
    if not found:
        return "none was removed"
    return "removed " + ", ".join(_quote(edit.before.strip()) for edit in found)


def _degree(seen: Sequence[_SentMessage], settings: Settings) -> str:
    name = f"{settings.degree:d} {Degree(settings.degree).name}"
    if settings.degree is not Degree.HEAVY:
        return f"{name}: no cuts at sentence ends, no humanizer"
    changed = sum(edit.rule == "humanizer" for one in seen for edit in one.message.edits)
    verb = "made" if settings.humanize else "is off:"
    return f"{name}: sentences are cut, the humanizer {verb} {changed} edits"


def _find_holds(text: str, settings: Settings) -> list[tuple[int, str, int]]:
    """Return every newline at which a marker was open: its position, the marker and the marker's position."""
    scanner = Scanner(settings)
    holds = []
    for at, char in enumerate(text):
        scanner.push(char)
        scanner.read()
        if char == "\n" and scanner.delimiters.stack:
            first = scanner.delimiters.stack[0]
            holds.append((at, first.mark, first.at))
    return holds


def _held(seen: Sequence[_SentMessage], holds: Sequence[tuple[int, str, int]]) -> str:
    held = []
    for number, one in enumerate(seen, 1):
        # The newline is inside the message, so the marker that was open there kept its lines together.
        marks = {
            mark
            for at, mark, opened in holds
            for start, end in one.message.spans
            if start <= opened and at < end - 1
        }
        if marks:
            held.append(f"lines of message {number} by {' '.join(map(_quote, sorted(marks)))}")
        elif one.late > HELD_CHARS:
            held.append(
                f"message {number} was sent {one.late} characters after its end"
                " (something was open, or degree 0 waits for its phase)"
            )
    return "; ".join(held) or "no"


def _quote(text: str) -> str:
    short = text if len(text) <= 60 else f"{text[:40]} … {text[-15:]}"
    return repr(mask_controls(short))

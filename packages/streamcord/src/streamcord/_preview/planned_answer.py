"""Plan the messages of an answer without sending them: one answer, or a batch as JSON lines.

A line of a batch is `{"id", "text" | "chunks", "settings": {…}, "seed"}`; `settings` has the field names of
`Settings` and `AnswerContext`. Each line of input is answered by one line of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, TextIO

from .. import (
    AnswerContext,
    Attachment,
    Captured,
    Drawing,
    Halt,
    Message,
    Pipeline,
    Settings,
    SettingsError,
    Table,
)
from .._turn.accounting import join_captured
from ..records import Dropped, Figure, Replaced, Spans
from ..settings import read_settings


@dataclass(slots=True)
class PlannedAnswer:
    """The planned messages of an answer, and the captured, replaced and dropped text."""

    messages: list[Message] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    halt: Halt | None = None
    _captured: list[Captured] = field(default_factory=list)

    def captured(self, kind: str) -> list[str]:
        """Return the captured blocks of one kind: `think` or `details`."""
        return join_captured(self._captured, kind)

    def record(self, event: object) -> None:
        """Record one event of the pipeline."""
        match event:
            case Message():
                self.messages.append(event)
                self.replaced += event.edits
            case Captured():
                self._captured.append(event)
            case Dropped():
                self.dropped.append(event)
            case Replaced():
                self.replaced.append(event)
            case Halt():
                self.halt = self.halt or event
            case _:
                pass


def plan(
    chunks: Iterable[str], settings: Settings, seed: int, context: AnswerContext | None = None
) -> PlannedAnswer:
    """Run an answer that arrives in these chunks through the pipeline."""
    pipeline = Pipeline(settings, Random(seed), context=context)
    outcome = PlannedAnswer()
    for events in (*(pipeline.feed(chunk) for chunk in chunks), pipeline.flush()):
        for event in events:
            outcome.record(event)
    return outcome


def as_chunks(text: str, length: int) -> Iterable[str]:
    """Split the text into chunks of `length` characters; 0 for one chunk."""
    return (text[at : at + length] for at in range(0, len(text), length)) if length else (text,)


def describe(outcome: PlannedAnswer) -> dict[str, Any]:
    """Return the planned answer as a JSON object."""
    return {
        "messages": [describe_message(message) for message in outcome.messages],
        "captured": {kind: outcome.captured(kind) for kind in ("think", "details")},
        "replaced": [
            {"rule": edit.rule, "before": edit.before, "after": edit.after, "spans": _pairs(edit.spans)}
            for edit in outcome.replaced
        ],
        "added": [
            {"message": index, "text": added.text, "why": added.why, "where": added.where}
            for index, message in enumerate(outcome.messages)
            for added in message.added
        ],
        "dropped": [
            {"text": dropped.text, "reason": dropped.reason, "spans": _pairs(dropped.spans)}
            for dropped in outcome.dropped
        ],
        "halt": outcome.halt.reason if outcome.halt else None,
    }


def describe_message(message: Message) -> dict[str, Any]:
    """Return a planned message as a JSON object."""
    speaker = message.speaker
    return {
        "content": message.content,
        "delay": message.delay,
        "speaker": speaker and {"name": speaker.name, "avatar": speaker.avatar, "label": speaker.label},
        "reply": message.reply,
        "files": [_describe_file(file) for file in message.files],
        "spans": _pairs(message.spans),
    }


def _describe_file(file: Attachment | Figure) -> dict[str, Any]:
    if isinstance(file, Table):
        return {"table": file.texts, "source": file.source, "alt": file.alt}
    if isinstance(file, Drawing):
        return {"drawing": file.kind, "source": file.source, "alt": file.alt}
    return {"name": file.name, "size": len(file.content), "alt": file.alt}


def _pairs(spans: Spans) -> list[list[int]]:
    return [list(span) for span in spans]


_LINE_KEYS = {"id", "text", "chunks", "settings", "seed"}


class LineError(ValueError):
    """A line of a batch that cannot be used; its text says why."""


@dataclass(frozen=True, slots=True)
class _BatchLine:
    """One line of a batch: an answer and its settings."""

    id: object
    chunks: Iterable[str]
    settings: Settings
    context: AnswerContext
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values for lines of a batch that do not set them."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    slice: int = 0
    seed: int = 0


def run_batch(lines: Iterable[bytes], out: TextIO, err: TextIO, defaults: Defaults) -> int:
    """Print a planned answer for every valid line, an error for every other one, and return the exit status."""
    status = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            batch_line = _read_batch_line(line, defaults)
        except LineError as error:
            print(f"streamcord: line {number}: {error}", file=err)
            status = 2
        else:
            outcome = {
                "id": batch_line.id,
                **describe(plan(batch_line.chunks, batch_line.settings, batch_line.seed, batch_line.context)),
            }
            # ASCII, so that no reader takes U+2028 or U+0085 in a text for the end of a line.
            print(json.dumps(outcome), file=out, flush=True)
    return status


def _read_batch_line(line: bytes, defaults: Defaults) -> _BatchLine:
    values = _read_object(line)
    if unknown := sorted(values.keys() - _LINE_KEYS):
        raise LineError(f"unknown key {unknown[0]!r}; a line has id, text or chunks, settings, seed")
    seed = values.get("seed", defaults.seed)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise LineError(f"seed must be a whole number, not {seed!r}")
    settings = values.get("settings", {})
    if not isinstance(settings, dict):
        raise LineError(f"settings must be an object, not {settings!r}")
    try:
        built, context = read_settings({**defaults.settings, **settings})
    except SettingsError as error:
        raise LineError(f"settings: {error}") from error
    return _BatchLine(values.get("id"), _chunks(values, defaults.slice), built, context, seed)


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise LineError(f"not UTF-8 ({error.reason} at byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        raise LineError(f"not JSON ({error})") from error
    if not isinstance(values, dict):
        raise LineError("not a JSON object")
    return values


def _chunks(values: Mapping[str, Any], slice_length: int) -> Iterable[str]:
    if ("text" in values) == ("chunks" in values):
        raise LineError("needs either text or chunks")
    if "text" in values:
        if not isinstance(values["text"], str):
            raise LineError("text must be a string")
        return as_chunks(values["text"], slice_length)
    chunks = values["chunks"]
    if not isinstance(chunks, list) or not all(isinstance(chunk, str) for chunk in chunks):
        raise LineError("chunks must be a list of strings")
    return chunks

"""Encode the values of a turn as JSON and decode them: settings, messages, source events.

Only values that differ from their default are written. That keeps rows small, and a row of an earlier version
simply lacks later settings.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .._events import (
    Ask,
    Attachment,
    Boundary,
    Citation,
    Flush,
    Message,
    Speaker,
    StreamPosition,
    TextDelta,
    ToolCall,
)
from .._settings import NO_CONTEXT, AnswerContext, Settings
from .protocol import DAMAGED, JournalRow

# `say` without a journal must not import the database modules.
if TYPE_CHECKING:
    from .._store.database import Row

MAX_FILE_BYTES = 8 * 1024 * 1024
"""Largest file that is written; of a larger one only the name is kept."""
POSITION = "position"
"""The kind of an event that is a place in the provider's stream."""
END = "end"
"""The last event of a source that ended by itself."""


@dataclass(frozen=True, slots=True)
class FinalizedDraft:
    """A live message was finalized with this number of pieces."""

    pieces: int


RecordedEvent: TypeAlias = str | ToolCall | Citation | Flush | Message | FinalizedDraft
"""The source events that are needed to plan the same messages again."""

UNWRITTEN = {"secrets"}
"""Settings that are never written; the process that resumes passes its own."""
_SETTINGS = tuple(one.name for one in fields(Settings) if one.name not in UNWRITTEN)
_CONTEXT = tuple(one.name for one in fields(AnswerContext))
_DEFAULTS = Settings()


def encode_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings that differ from the defaults."""
    return _encode_changed(settings, _DEFAULTS, _SETTINGS)


def encode_context(context: AnswerContext) -> dict[str, Any]:
    """Return the fields of a context that are not empty."""
    return _encode_changed(context, NO_CONTEXT, _CONTEXT)


def _encode_changed(values: object, defaults: object, names: Sequence[str]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for name in names:
        value, default = getattr(values, name), getattr(defaults, name)
        if value != default:
            changed[name] = _plain(value)
    return changed


def decode_settings(values: Mapping[str, Any]) -> Settings:
    """Return the same settings; ignore names that this version does not know."""
    return Settings.from_mapping({name: value for name, value in values.items() if name in _SETTINGS})


def decode_context(values: Mapping[str, Any]) -> AnswerContext:
    """Return the same context; ignore names that this version does not know."""
    return AnswerContext.from_mapping({name: value for name, value in values.items() if name in _CONTEXT})


def _plain(value: Any) -> Any:  # noqa: ANN401 - of many kinds
    """Convert tuples and dataclasses to lists and dictionaries."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    names = _names_of(value.__class__)
    return {name: _plain(getattr(value, name)) for name in names} if names else value


@cache
def _names_of(kind: type) -> tuple[str, ...]:
    """Return the field names of a dataclass; cached, because a context can list thousands of people."""
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()


# --- Messages -------------------------------------------------------------------------------------------


def encode_message(message: Message, *, files: bool = False) -> dict[str, Any]:
    """Encode a message; `files` also writes the contents of its files.

    Files of planned messages are not written, because planning again creates them again.
    """
    body: dict[str, Any] = {"content": message.content}
    if message.speaker is not None:
        body["speaker"] = _plain(message.speaker)
    if message.spans:
        body["spans"] = [list(span) for span in message.spans]
    if message.files:
        names = [file.name for file in message.files]
        body["files"] = [_encode_file(one) for one in message.files] if files else names
    if message.reply:
        body["reply"] = True
    if message.notice:
        body["notice"] = True
    if message.ask is not None:
        body["ask"] = message.ask.to_dict()
    if message.fallback:
        body["fallback"] = message.fallback
    if message.boundary is not Boundary.FINAL:
        body["boundary"] = message.boundary.value
    return body


def decode_message(body: Mapping[str, Any]) -> Message:
    """Decode a message; names of files that were not written become its fallback text."""
    speaker = body.get("speaker")
    files = body.get("files", ())
    names = "" if _has_contents(files) else "-# " + ", ".join(map(str, files))
    return Message(
        body["content"],
        speaker=Speaker(**speaker) if speaker else None,
        reply=bool(body.get("reply")),
        files=tuple(map(_decode_file, files)) if _has_contents(files) else (),
        spans=tuple((int(start), int(end)) for start, end in body.get("spans", ())),
        boundary=Boundary(body.get("boundary", Boundary.FINAL)),
        fallback=body.get("fallback") or names or None,
        notice=bool(body.get("notice")),
        ask=Ask.from_dict(body["ask"]) if body.get("ask") else None,
    )


def _has_contents(files: Sequence[object]) -> bool:
    return all(isinstance(file, Mapping) for file in files)


def _encode_file(file: object) -> dict[str, Any] | str:
    if not isinstance(file, Attachment) or len(file.content) > MAX_FILE_BYTES:
        return str(getattr(file, "name", "file"))
    content = base64.b64encode(file.content).decode()
    return {"name": file.name, "content": content, "alt": file.alt, "spoiler": file.spoiler}


def _decode_file(body: Mapping[str, Any]) -> Attachment:
    return Attachment(body["name"], base64.b64decode(body["content"]), body["alt"], spoiler=body["spoiler"])


# --- Source events --------------------------------------------------------------------------------------


def encode_event(event: object) -> list[Any] | None:  # noqa: PLR0911 - one line per kind
    """Encode a source event; return `None` if no message depends on it."""
    match event:
        case (str() as text) | TextDelta(text):
            return ["text", text] if text else None
        case ToolCall():
            return ["tool", event.id, event.name]
        case Flush():
            return ["flush"]
        case Citation(url, title, quote, is_placed):
            return ["citation", url, title, quote, is_placed]
        case FinalizedDraft(pieces):
            return ["finalized", pieces]
        case StreamPosition(response, after, owner, has_deltas, is_counted):
            return [POSITION, response, after, owner, has_deltas, is_counted]
        case Message():
            return ["message", encode_message(event, files=True)]
        case _:
            return None


def decode_position(rows: Iterable[Sequence[Any]]) -> StreamPosition | None:
    """Return the last place from which the model's stream can be taken up again, if its answer has not ended.

    After a call of a tool there is none, because the call must not come a second time.
    """
    position: StreamPosition | None = None
    for kind, *rest in rows:
        if kind == POSITION:
            response, after, owner = map(str, rest[:3])
            position = StreamPosition(
                response, after, owner, has_deltas=bool(rest[3]), is_counted=bool(rest[4])
            )
        elif kind == "text" and position is not None:
            position = replace(position, since=position.since + str(rest[0]))
        elif kind in {"tool", "message", END}:
            position = None
    return position


def decode_events(rows: Iterable[Sequence[Any]]) -> tuple[tuple[RecordedEvent, ...], bool]:
    """Decode the events of a turn, with adjacent text joined; also return whether the source had ended."""
    events: list[RecordedEvent] = []
    ended = False
    for kind, *rest in rows:
        match kind:
            case "text" if events and isinstance(events[-1], str):
                events[-1] += str(rest[0])
            case "text":
                events.append(str(rest[0]))
            case "tool":
                events.append(ToolCall(str(rest[0]), str(rest[1])))
            case "flush":
                events.append(Flush())
            case "citation":
                events.append(Citation(str(rest[0]), str(rest[1]), str(rest[2]), is_placed=bool(rest[3])))
            case "finalized":
                events.append(FinalizedDraft(int(rest[0])))
            case "message":
                events.append(decode_message(rest[0]))
            case _:
                ended = ended or kind == END
    return tuple(events), ended


# --- Rows of the table ----------------------------------------------------------------------------------

encode_json = json.JSONEncoder(separators=(",", ":")).encode


def as_row(entry: Row) -> Row:
    """Convert a journal row to a table row, whose body is JSON text."""
    turn, number, kind, body, at = entry
    return turn, number, kind, body if isinstance(body, str) else encode_json(body), at


def parse_row(row: Row) -> JournalRow:
    """Convert a table row to a journal row; a row that cannot be decoded is marked as damaged.

    Args:
        row: The columns `turn`, `number`, `kind`, `body` and `written_at` of the table `journal`.

    Returns:
        The row; its kind is `DAMAGED` if it cannot be decoded.

    Example:
        rows = await database.read("SELECT turn, number, kind, body, written_at FROM journal")
        entries = [parse_row(row) for row in rows]

    """
    turn, number, kind, body, at = row
    when = at if isinstance(at, int | float) else 0.0
    try:
        decoded = json.loads(body)
    except (ValueError, TypeError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict) or not isinstance(turn, str) or when is not at:
        # The rows before it are still valid.
        return JournalRow(turn, number, DAMAGED, {}, when)
    return JournalRow(turn, number, kind, decoded, when)

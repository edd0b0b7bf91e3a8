"""Record the events of a source with their times, and replay them.

A recording is JSON lines: a head, then one event each. `at` is seconds since the first look. What a source
raised is an event too. A secret may be cut anywhere by the stream, so words are written only once the white
space after them has come; masks are as long as what they hide, so every event keeps its length.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import streamcord

from .. import (
    Attachment,
    Citation,
    Finish,
    FinishReason,
    Flush,
    GeneratedImage,
    KeepAlive,
    Message,
    ProviderError,
    ProviderEvent,
    Settings,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .._common.file_modes import open_private
from ..records import Seam, StreamPosition
from .recording_redaction import RecordingRedactor

SourceItem: TypeAlias = str | ProviderEvent | Message
FORMAT_VERSION = 1
MAX_BUFFERED_CHARS = 64 * 1024

_log = logging.getLogger(__name__)

_KINDS: dict[str, type[ProviderEvent]] = {
    "text": TextDelta,
    "thought": ThoughtDelta,
    "tool_call": ToolCall,
    "image": GeneratedImage,
    "citation": Citation,
    "usage": Usage,
    "finish": Finish,
    "keep_alive": KeepAlive,
    "seam": Seam,
    "position": StreamPosition,
    "flush": Flush,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class RecordingError(ValueError):
    """A file is not a recording; the message says why."""


@dataclass(frozen=True, slots=True)
class RecordingEntry:
    """An item that a source yielded or raised, with its time in seconds; `None` is the end of the source.

    Example:
        for entry in read_recording("answer.jsonl"):
            print(entry.at, entry.item)

    """

    at: float
    item: SourceItem | Exception | None


async def record(
    source: AsyncIterable[SourceItem],
    file: str | Path,
    *,
    secrets: Iterable[str] = (),
    mask_text: bool = False,
    settings: Settings | None = None,
) -> AsyncGenerator[SourceItem, None]:
    """Pass a source through and write everything that it yields to `file`.

    Secrets are masked in the file: those given, and everything that looks like one.

    Args:
        source: Text or provider events.
        file: The path of the recording; an existing file is replaced.
        secrets: Known secrets to mask.
        mask_text: Whether to mask all words, too.
        settings: The settings of the answer; a recording of a live answer is replayed as one.

    Yields:
        The items of the source, unchanged.

    Raises:
        OSError: The file cannot be created. If writing fails later, a warning is logged and the answer continues.

    Example:
        await say(channel, record(source, "answer.rec"))

    """
    clock = asyncio.get_running_loop().time
    events = aiter(source)
    limit = settings.live_limit if settings is not None and settings.delivery == "live" else 0
    with _Writer(Path(file), RecordingRedactor(secrets, everything=mask_text), limit) as writer:
        began = clock()
        try:
            async for event in events:
                writer.write(RecordingEntry(clock() - began, event))
                yield event
            writer.write(RecordingEntry(clock() - began, None))
        except Exception as error:
            writer.write(RecordingEntry(clock() - began, error))
            raise
        finally:
            if close := getattr(events, "aclose", None):
                await close()


def read_recording(file: str | Path) -> list[RecordingEntry]:
    """Read the entries of a recording.

    Args:
        file: The path of the file that `record` wrote.

    Returns:
        Its entries in order, for `replay`.

    Raises:
        RecordingError: The file is not a recording; the message names the line.
        OSError: The file cannot be read.

    Example:
        await say(channel, replay(read_recording("answer.rec"), speed=0))

    """
    entries = []
    with Path(file).open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                values = json.loads(line)
                if number > 1:
                    entries.append(_read(values))
                elif values["streamcord_recording"] != FORMAT_VERSION:
                    raise RecordingError(
                        f"line 1: version {values['streamcord_recording']!r} is not {FORMAT_VERSION}"
                    )
            except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
                if isinstance(error, RecordingError):
                    raise
                raise RecordingError(f"line {number}: not a line of a recording") from error
    return entries


def read_live_limit(file: str | Path) -> int:
    """The longest live message of a recorded answer, in characters; 0 if it was not live."""
    with Path(file).open(encoding="utf-8") as lines:
        limit = json.loads(lines.readline()).get("live", 0)
    return limit if isinstance(limit, int) else 0


async def replay(
    entries: Iterable[RecordingEntry],
    *,
    speed: float = 1.0,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[SourceItem]:
    """Replay a recording.

    Args:
        entries: The entries, from `read_recording`.
        speed: How many times as fast as recorded; 0 for no waits.
        sleep: Replaces `asyncio.sleep`.

    Yields:
        The recorded items.

    Raises:
        Exception: The recorded error of the source, in its place.

    Example:
        await say(channel, replay(read_recording("answer.rec"), speed=0))

    """
    at = 0.0
    for entry in entries:
        if speed and entry.at > at:
            await sleep((entry.at - at) / speed)
        at = entry.at
        if isinstance(entry.item, Exception):
            raise entry.item
        if entry.item is not None:
            yield entry.item


class _Writer:
    """Writes entries; a word is held back until it is complete, so that secrets can be masked."""

    def __init__(self, path: Path, redactor: RecordingRedactor, live_limit: int = 0) -> None:
        self._redactor = redactor
        self._buffered: list[RecordingEntry] = []
        self._length = 0
        self._path = path
        self._broken = False
        self._file: TextIO = open_private(path)
        try:
            self._line(
                {"streamcord_recording": FORMAT_VERSION} | ({"live": live_limit} if live_limit else {})
            )
            self._file.flush()
        except OSError as error:
            self._close()
            raise OSError(error.errno, error.strerror, str(path)) from None

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._try_to_write(everything=True)
        self._close()

    def write(self, entry: RecordingEntry) -> None:
        """Write one entry, as soon as its words are complete."""
        self._buffered.append(entry)
        text = _text_of(entry.item)
        self._length += len(text)
        if not text or any(letter.isspace() for letter in text) or self._length > MAX_BUFFERED_CHARS:
            self._try_to_write(everything=self._length > MAX_BUFFERED_CHARS)

    def _try_to_write(self, *, everything: bool) -> None:
        """Write what is ready; a full disk ends the recording, but not the answer."""
        if self._broken:
            self._buffered = []
            return
        try:
            self._write_complete(everything=everything)
        except OSError as error:
            self._broken = True
            _log.warning("recording %s is incomplete, writing failed: %s", self._path, error.strerror)

    def _close(self) -> None:
        with suppress(OSError):
            self._file.close()

    def _write_complete(self, *, everything: bool) -> None:
        """Write all entries before the first word that may still grow."""
        ready = len(self._buffered)
        for stream in ("words", "thought"):
            ready = min(ready, self._mask(stream, everything=everything))
        for entry in self._buffered[:ready]:
            self._line(self._values(entry))
        self._file.flush()
        self._buffered = self._buffered[ready:]
        self._length = sum(len(_text_of(entry.item)) for entry in self._buffered)

    def _mask(self, stream: str, *, everything: bool) -> int:
        """Mask the complete words of a stream; returns the index of the first entry that is not complete."""
        places = [index for index, entry in enumerate(self._buffered) if _stream(entry.item) == stream]
        text = "".join(_text_of(self._buffered[index].item) for index in places)
        whole = len(text) if everything else _end_of_last_space(text)
        redacted = self._redactor.mask(text[:whole]) + text[whole:]
        at, open_from = 0, len(self._buffered)
        for index in places:
            entry = self._buffered[index]
            end = at + len(_text_of(entry.item))
            self._buffered[index] = replace(entry, item=_with_text(entry.item, redacted[at:end]))
            if end > whole:
                open_from = min(open_from, index)
            at = end
        return open_from

    def _values(self, entry: RecordingEntry) -> dict[str, Any]:
        values: dict[str, Any] = {"at": entry.at, **_describe(entry.item)}
        for name, value in values.items():
            if name in _WORDS:
                values[name] = self._redactor.mask_value(value)
            elif name not in _MASKED_BEFORE:
                values[name] = self._redactor.mask_value(value, words=False)
        return values

    def _line(self, values: dict[str, Any]) -> None:
        # ASCII, so that half a surrogate pair and U+2028 come back as they were.
        self._file.write(json.dumps(values) + "\n")


_WORDS = frozenset({"alt", "arguments", "content", "message", "quote", "title", "url", "user_message"})
"""Fields that hold words of people and models."""
_MASKED_BEFORE = frozenset({"text"})
"""The words of the answer: a secret may begin in one event and end in another."""


# --- Events and lines ----------------------------------------------------------------------------------


def _end_of_last_space(text: str) -> int:
    """The index after the last white space."""
    return next((at for at in range(len(text), 0, -1) if text[at - 1].isspace()), 0)


def _stream(item: SourceItem | Exception | None) -> str:
    """Which stream of words an entry belongs to; empty if it has no words."""
    if isinstance(item, str | TextDelta):
        return "words"
    return "thought" if isinstance(item, ThoughtDelta) else ""


def _text_of(item: SourceItem | Exception | None) -> str:
    if isinstance(item, str):
        return item
    return item.text if isinstance(item, TextDelta | ThoughtDelta) else ""


def _with_text(item: SourceItem | Exception | None, words: str) -> SourceItem | Exception | None:
    if isinstance(item, str):
        return words
    return replace(item, text=words) if isinstance(item, TextDelta | ThoughtDelta) else item


def _describe(item: SourceItem | Exception | None) -> dict[str, Any]:
    if item is None:
        return {"type": "end"}
    if isinstance(item, str):
        return {"type": "plain", "text": item}
    if isinstance(item, Message):
        files = [
            {
                "name": file.name,
                "content": file.content,
                "alt": file.alt,
                "spoiler": file.spoiler,
            }
            for file in item.files
            if isinstance(file, Attachment)
        ]
        return {"type": "message", "content": item.content, "files": files}
    if isinstance(item, Exception):
        return {
            "type": "error",
            "name": type(item).__name__,
            "message": str(item),
            "user_message": getattr(item, "user_message", None),
            "retryable": getattr(item, "retryable", None),
            "retry_after": getattr(item, "retry_after", None),
        }
    return {"type": _NAMES[type(item)], **asdict(item)}


def _read(values: dict[str, Any]) -> RecordingEntry:
    at = float(values.pop("at"))
    match values.pop("type"):
        case "end":
            return RecordingEntry(at, None)
        case "plain":
            return RecordingEntry(at, _text(values["text"]))
        case "message":
            files = tuple(
                Attachment(
                    file["name"],
                    base64.b64decode(file["content"]),
                    file["alt"],
                    spoiler=file.get("spoiler", False) is True,
                )
                for file in values["files"]
            )
            return RecordingEntry(at, Message(values["content"], files=files))
        case "error":
            return RecordingEntry(at, _error(values))
        case "finish":
            return RecordingEntry(at, _finish(values))
        case kind:
            cls = _KINDS[kind]
            if cls is GeneratedImage:
                values["content"] = base64.b64decode(values["content"])
            known = {spec.name for spec in fields(cls)}
            return RecordingEntry(at, cls(**{name: value for name, value in values.items() if name in known}))


def _finish(values: dict[str, Any]) -> Finish:
    # Recordings of the first versions have no stop sequence.
    stop_sequence = _text(values.get("stop_sequence", ""))
    return Finish(FinishReason(values["reason"]), values["served_by"], stop_sequence)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _error(values: dict[str, Any]) -> Exception:
    """The exception that a source raised; one that is not ours comes back as a `ProviderError`."""
    found = getattr(streamcord, values["name"], None)
    cls = found if isinstance(found, type) and issubclass(found, ProviderError) else ProviderError
    kept = {name: values[name] for name in ("user_message", "retryable", "retry_after")}
    return cls(values["message"], **kept)

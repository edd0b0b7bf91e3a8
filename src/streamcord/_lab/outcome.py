"""One answer through the pipeline, and its outcome as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from streamcord import (
    Attachment,
    Captured,
    Dropped,
    Halt,
    Message,
    Pipeline,
    Replaced,
    Settings,
    Spans,
    Table,
)

__all__ = ["PlannedAnswer", "as_slices", "describe", "describe_message", "plan"]


@dataclass(slots=True)
class PlannedAnswer:
    """What an answer becomes: its messages, and what is not in them."""

    messages: list[Message] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    halt: Halt | None = None
    _captured: list[Captured] = field(default_factory=list)

    def captured(self, kind: str) -> list[str]:
        """Whole blocks of one kind (`think` or `details`); a long block arrives in pieces."""
        blocks: list[str] = []
        goes_on = False
        for piece in (piece for piece in self._captured if piece.kind == kind):
            if goes_on:
                blocks[-1] += piece.text
            else:
                blocks.append(piece.text)
            goes_on = piece.more
        return blocks

    def note(self, event: object) -> None:
        """Sort one event of the pipeline."""
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


def plan(chunks: Iterable[str], settings: Settings, seed: int) -> PlannedAnswer:
    """Run an answer that arrives in these chunks through the pipeline."""
    pipeline = Pipeline(settings, Random(seed))
    outcome = PlannedAnswer()
    for events in (*(pipeline.feed(chunk) for chunk in chunks), pipeline.flush()):
        for event in events:
            outcome.note(event)
    return outcome


def as_slices(text: str, length: int) -> Iterable[str]:
    """The text in pieces of that length; 0 is all of it at once."""
    return (text[at : at + length] for at in range(0, len(text), length)) if length else (text,)


def describe(outcome: PlannedAnswer) -> dict[str, Any]:
    """The outcome as one JSON object."""
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
    """A planned message as one JSON object."""
    speaker = message.speaker
    return {
        "content": message.content,
        "delay": message.delay,
        "speaker": speaker and {"name": speaker.name, "avatar": speaker.avatar, "label": speaker.label},
        "reply": message.reply,
        "files": [_describe_file(file) for file in message.files],
        "spans": _pairs(message.spans),
    }


def _describe_file(file: Attachment | Table) -> dict[str, Any]:
    if isinstance(file, Table):
        return {"table": file.texts, "source": file.source, "alt": file.alt}
    return {"name": file.name, "size": len(file.content), "alt": file.alt}


def _pairs(spans: Spans) -> list[list[int]]:
    return [list(span) for span in spans]

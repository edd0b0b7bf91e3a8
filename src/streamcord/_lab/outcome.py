"""One answer through the pipeline, and its outcome as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from streamcord import Attachment, Message, Pipeline, Receipt, Settings, Spans, Table
from streamcord._turn.ledger import Shown, join_captured

__all__ = ["as_slices", "describe", "describe_message", "plan"]


def plan(chunks: Iterable[str], settings: Settings, seed: int) -> Shown:
    """Everything that would become of an answer that arrives in these chunks."""
    pipeline = Pipeline(settings, Random(seed))
    shown = Shown()
    for events in (*(pipeline.feed(chunk) for chunk in chunks), pipeline.flush()):
        for event in events:
            if isinstance(event, Message):
                shown.note_sent(Receipt(event, len(shown.receipts)), 0.0)
            else:
                shown.note(event)
    return shown


def as_slices(text: str, length: int) -> Iterable[str]:
    """The text in pieces of that length; 0 is all of it at once."""
    return (text[at : at + length] for at in range(0, len(text), length)) if length else (text,)


def describe(shown: Shown) -> dict[str, Any]:
    """The outcome as one JSON object."""
    messages = [receipt.message for receipt in shown.receipts]
    return {
        "messages": [describe_message(message) for message in messages],
        "captured": {kind: join_captured(shown.captured, kind) for kind in ("think", "details")},
        "replaced": [
            {"rule": edit.rule, "before": edit.before, "after": edit.after, "spans": _pairs(edit.spans)}
            for edit in shown.replaced
        ],
        "added": [
            {"message": index, "text": added.text, "why": added.why, "where": added.where}
            for index, message in enumerate(messages)
            for added in message.added
        ],
        "dropped": [
            {"text": dropped.text, "reason": dropped.reason, "spans": _pairs(dropped.spans)}
            for dropped in shown.dropped
        ],
        "halt": shown.halt.reason if shown.halt else None,
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

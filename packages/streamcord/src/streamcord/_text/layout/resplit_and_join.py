"""Split or join messages that are already planned, and keep the record of their sources.

The sender needs this when Discord accepts less than was planned: shorter messages, or fewer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..._events import Added, Boundary, Message, Replaced
from ..markdown.line_kinds import Line, read_line
from ..markdown.scanner import scan
from ..parsed_text import ParsedText
from ..spoilers.isolation import isolate, shows_hidden
from ..spoilers.keep_hidden import keep_hidden
from ..traced_text import Run, TracedText
from .cut_to_limit import cut_to_limit
from .planner import find_additions
from .splitter import trim

if TYPE_CHECKING:
    from ..._events import Spans
    from ..._settings import Settings


def resplit(message: Message, limit: int, settings: Settings) -> list[Message]:
    """Split a message into several of at most `limit` characters; the first replies, the last has the files."""
    traced = _trace(message)
    whole = traced or TracedText.from_spans(message.content, ((0, len(message.content)),))
    packed = [piece for part in cut_to_limit(whole, limit, settings) for piece in isolate(part, settings)]
    parts = [part for part in packed if trim(part.text)]
    return [
        replace(
            _part(message, part) if traced else _share(message, trim(part.text), first=number == 1),
            reply=message.reply and number == 1,
            delay=message.delay if number == 1 else 0.0,
            files=message.files if number == len(parts) else (),
            piece=(number, len(parts)),
            fallback=message.fallback if number == len(parts) else None,
            ask=message.ask if number == len(parts) else None,
        )
        for number, part in enumerate(parts, 1)
    ]


def join(first: Message, second: Message, limit: int, settings: Settings) -> Message | None:
    """Join two messages, or return None.

    They can be joined if the same speaker sends them, they fit in one message, and each looks as it did alone.
    """
    if first.speaker != second.speaker or second.reply:
        return None
    if first.files or second.files or first.fallback or second.fallback or first.ask or second.ask:
        return None
    # Attachments and fallbacks belong to exactly one message.
    gap = _gap(first, second)
    content = first.content + gap + second.content
    if len(content) > limit or not _is_free(first.content, gap, second.content, settings):
        return None
    return replace(
        first,
        content=content,
        spans=_merge((*first.spans, *second.spans)),
        boundary=second.boundary,
        edits=(*first.edits, *second.edits),
        added=(*first.added, *second.added),
        piece=(1, 1),
    )


def _part(message: Message, part: TracedText) -> Message:
    """Return a part with the source ranges that it shows."""
    content = trim(part.text)
    return replace(
        message, content=content, spans=part.spans, edits=part.edits, added=find_additions(part, content)
    )


def _share(message: Message, content: str, *, first: bool) -> Message:
    """Return a part of a text whose sources are unknown: the first part is recorded as the source of all."""
    return replace(message, content=content) if first else Message(content, speaker=message.speaker)


def _trace(message: Message) -> TracedText | None:
    """Return the content with the source of each character, or None if the records are incomplete."""
    if any(not edit.spans for edit in message.edits):
        return None
    before = [added for added in message.added if added.where == "before"]
    after = [added for added in message.added if added.where == "after"]
    # Order spans and edits by their position in the source.
    runs_by_source: list[tuple[int, Run]] = [
        (start, (end - start, start, None)) for start, end in message.spans
    ]
    runs_by_source += [(edit.spans[0][0], (len(edit.after), None, edit)) for edit in message.edits]
    runs = [_added(added) for added in before]
    runs += [run for _, run in sorted(runs_by_source, key=lambda one: one[0])]
    runs += [_added(added) for added in after]
    left = sum(length for length, _, _ in runs) - len(message.content)
    # White space at the end of the message is in its spans and not in its content.
    known = left == 0 or (left > 0 and not after and bool(runs) and runs[-1][1] is not None)
    return TracedText(message.content + " " * left, tuple(runs)) if known and _fits(runs, message) else None


def _fits(runs: list[Run], message: Message) -> bool:
    """Return whether inserted text is where the records say."""
    at = 0
    for length, source, record in runs:
        text = message.content[at : at + length]
        wanted = record.after if isinstance(record, Replaced) else getattr(record, "text", text)
        if source is None and text != wanted:
            return False
        at += length
    return True


def _added(added: Added) -> Run:
    return len(added.text), None, added


def _gap(first: Message, second: Message) -> str:
    """Return the text between two messages: a line break, or what a cut within a line removed."""
    in_line = first.boundary is Boundary.OVERFLOW or first.piece[0] < first.piece[1]
    last = first.content.rfind("\n") + 1
    kind, _ = read_line(first.content, last, final=True) or (Line.PROSE, last)
    if not in_line or any(added.where == "before" for added in second.added) or first.added:
        return "\n"
    if kind is not Line.PROSE:
        # Without a line break the second message would become part of the quote or item.
        return "\n"
    shown = sum(end - start for start, end in first.spans)
    return "" if not first.edits and shown == len(first.content) else " "


def _is_free(first: str, gap: str, second: str, settings: Settings) -> bool:
    """Return whether no marker of one message affects the other."""
    # `>>>` would quote the second message too.
    if any(line.lstrip().startswith(">>>") for line in first.split("\n")):
        return False
    whole = first + gap + second
    # A star before a spoiler could pair with one inside it and reveal the spoiler.
    if "||" in second and (keep_hidden(ParsedText(whole, settings)) or shows_hidden(whole, settings)):
        return False
    at = len(first) + len(gap)
    # The spans of the joined text must be those of both messages.
    alone = [(span.mark, span.start, span.end) for span in scan(first, settings)]
    alone += [(span.mark, span.start + at, span.end + at) for span in scan(second, settings)]
    together = [(span.mark, span.start, span.end) for span in scan(whole, settings)]
    return sorted(alone, key=lambda one: one[1:]) == sorted(together, key=lambda one: one[1:])


def _merge(spans: Spans) -> Spans:
    """Return the source ranges, with adjacent ones joined."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(found)

"""Rebuilds an answer from its events: every source character counted once, every content explained."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from streamcord._common.redaction import STAR, hide_secrets, mask_secrets
from streamcord._events import Captured, Dropped, Halt, Message, Replaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamcord._events import Spans, TurnEvent

EDITED, ADDED = -1, -2
CONTROLS = frozenset(map(chr, (*range(9), 11, 12, *range(14, 27), *range(28, 32), 127)))  # repaired away


@dataclass(frozen=True, slots=True)
class Shown:
    """A message, and for each character of its content the source character it is, `EDITED` or `ADDED`."""

    message: Message
    origins: tuple[int, ...]


@dataclass(slots=True)
class Account:
    """What became of a source: the messages explained, the ranges no one sees, and what does not add up."""

    source: str
    shown: list[Shown] = field(default_factory=list)
    hidden: list[tuple[int, int]] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def visible(self) -> tuple[str, list[int]]:
        """The source without its hidden ranges and controls, and where each of its characters was."""
        places: list[int] = []
        last = 0
        for start, end in sorted(self.hidden):
            places += range(last, start)
            last = max(last, end)
        places += range(last, len(self.source))
        places = [place for place in places if self.source[place] not in CONTROLS]
        return "".join(self._character(place) for place in places), places

    def _character(self, place: int) -> str:
        """A carriage return alone ends a line, as the core repairs it."""
        alone = self.source[place] == "\r" and self.source[place + 1 : place + 2] != "\n"
        return "\n" if alone else self.source[place]


def conserve(source: str, events: Iterable[TurnEvent]) -> Account:
    """Explains every character of a source and of what was made of it."""
    account = Account(source)
    ranges: list[tuple[int, int, str]] = []
    for event in events:
        match event:
            case Message():
                ranges += [(*span, "shown") for span in event.spans]
                ranges += [(*span, f"edit {edit.rule}") for edit in event.edits for span in edit.spans]
                account.shown.append(_explain(account, event))
            case Captured():
                ranges += [(*span, event.kind) for span in event.spans]
                account.hidden += event.spans
                _check_captured(account, event)
            case Dropped():
                ranges += [(*span, f"dropped {event.reason}") for span in event.spans]
                account.hidden += event.spans
                _check_text(account, f"dropped ({event.reason})", event.text, event.spans)
            case Replaced():
                ranges += [(*span, f"replaced {event.rule}") for span in event.spans]
                account.hidden += event.spans
                _check_text(account, f"replaced ({event.rule})", event.before, event.spans)
            case Halt():
                pass
    account.violations += _tile(source, ranges)
    return account


def repair(text: str) -> str:
    """A text that can be sent: line ends as newlines, halves of characters joined or replaced."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _tile(source: str, ranges: list[tuple[int, int, str]]) -> list[str]:
    """Whether the ranges cover the source exactly once."""
    faults = [f"bad range {r}" for r in ranges if not 0 <= r[0] < r[1] <= len(source)]
    edges = [(0, 0, "start"), *sorted(ranges), (len(source), len(source), "end")]
    for (_, end, left), (start, _, right) in pairwise(edges):
        if end < start:
            faults.append(f"lost [{end}, {start}) {source[end:start]!r} between {left} and {right}")
        elif end > start:
            faults.append(f"twice [{start}, {end}) {source[start:end]!r} in {left} and {right}")
    return faults


def _check_text(account: Account, what: str, text: str, spans: Spans) -> None:
    # Each range for itself: a CR and an LF with something between them are two line ends.
    written = "".join(repair(account.source[start:end]) for start, end in spans)
    # A record says of a secret only how long it was.
    stars = STAR * len(written) if what.endswith("(secret)") else mask_secrets(written)
    if repair(text) not in {written, stars}:
        account.violations.append(f"{what}: says {text!r}, source has {written!r}")


def _check_captured(account: Account, event: Captured) -> None:
    """A captured text is its spans without tags, summary and space at the ends, so a subsequence of them."""
    written = iter(hide_secrets(repair("".join(account.source[start:end] for start, end in event.spans))))
    if not all(character in written for character in repair(event.text)):
        account.violations.append(f"captured {event.text!r} is not in its spans {event.spans}")


def _explain(account: Account, message: Message) -> Shown:
    """Content = added before + what is shown, edits applied, up to white space at its ends + added after."""
    pieces: list[tuple[int, str, Sequence[int]]] = [
        (start, account.source[start:end], range(start, end)) for start, end in message.spans
    ]
    for edit in message.edits:
        _check_text(account, f"edit ({edit.rule})", edit.before, edit.spans)
        place = edit.spans[0][0] if edit.spans else -1
        if place < 0:
            account.violations.append(f"edit ({edit.rule}) {edit.before!r} has no span")
        # The bars that close and reopen a spoiler on each of its lines are ours.
        ours = {"|"} if edit.rule == "spoiler" else set()
        pieces.append((place, edit.after, [ADDED if one in ours else EDITED for one in edit.after]))
    pieces.sort(key=lambda piece: piece[0])
    text = "".join(piece for _, piece, _ in pieces)
    origins = [origin for _, _, places in pieces for origin in places]
    before = "".join(added.text for added in message.added if added.where == "before")
    after = "".join(added.text for added in message.added if added.where == "after")
    middle = message.content[len(before) : len(message.content) - len(after)]
    start = (len(text) - len(text.lstrip())) - (len(middle) - len(middle.lstrip()))
    end = start + len(middle)
    fits = message.content.startswith(before) and message.content.endswith(after)
    blank_ends = not text[: max(start, 0)].strip() and not text[end:].strip()
    if not fits or start < 0 or text[start:end] != middle or not blank_ends:
        account.violations.append(
            f"content {message.content!r} is not {before!r} + {text!r} (up to space at its ends) + {after!r}"
        )
        return Shown(message, (EDITED,) * len(message.content))
    return Shown(message, (ADDED,) * len(before) + tuple(origins[start:end]) + (ADDED,) * len(after))

"""`preview --explain`: why each message looks as it does, and the four questions to ask when one looks odd.

The answer is read once more, character by character, to see after how much of it each message could leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from streamcord import Degree, Message, Pipeline, Settings

from .outcome import PlannedAnswer
from .plain import list_remains, mask_controls

__all__ = ["explain"]

PATIENCE = 80
"""A message that leaves so many characters behind its end has been held."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A message and when it could leave: after so many characters of the answer, so many behind its end."""

    message: Message
    left_at: int
    late: int


def explain(text: str, outcome: PlannedAnswer, settings: Settings, seed: int) -> Iterator[str]:
    """The lines of the explanation."""
    seen = _watch(text, settings, seed)
    for number, one in enumerate(seen, 1):
        yield from _explain_message(number, one, settings, len(text))
        yield ""
    for heading, remains in list_remains(outcome):
        yield f"{heading}: {_quote(remains)}"
    yield "When it looks odd"
    yield f"  1. cut or split?      {_splits(seen)}"
    yield f"  2. repeated emoji?    {_repeats(outcome)}"
    yield f"  3. which degree?      {_degree(seen, settings)}"
    yield f"  4. held for a marker? {_holds(seen)}"


def _watch(text: str, settings: Settings, seed: int) -> list[_Seen]:
    pipeline = Pipeline(settings, Random(seed))
    seen: list[_Seen] = []
    for at in range(len(text) + 1):
        events = pipeline.feed(text[at]) if at < len(text) else pipeline.flush()
        for event in events:
            if isinstance(event, Message):
                read = min(at + 1, len(text))
                seen.append(_Seen(event, read, read - _end(event, read)))
    return seen


def _end(message: Message, otherwise: int) -> int:
    ends = [span[1] for span in message.spans]
    ends += [span[1] for edit in message.edits for span in edit.spans]
    return max(ends, default=otherwise)


def _explain_message(number: int, seen: _Seen, settings: Settings, length: int) -> Iterator[str]:
    message = seen.message
    piece, pieces = message.piece
    who = f" as {message.speaker.name}" if message.speaker else ""
    yield f"message {number}{mask_controls(who)}: {_quote(message.content)}"
    split = f", then split: piece {piece} of {pieces}" if pieces > 1 else ""
    yield f"  cut    at {message.boundary}{split}"
    for edit in message.edits:
        yield f"  rule   {edit.rule}: {_quote(edit.before)} -> {_quote(edit.after)}"
    for added in message.added:
        yield f"  added  {added.why}, {added.where}: {_quote(added.text)}"
    yield f"  waits  {_wait(message, settings)}"
    yield f"  left   after {seen.left_at} of {length} characters, {seen.late} behind its end"


def _wait(message: Message, settings: Settings) -> str:
    """How long, and what the time is made of."""
    if message.reply:
        return "not at all: the first message goes at once"
    if not message.delay:
        return "not at all: typing is not simulated"
    typed = len(message.content) * settings.seconds_per_character
    told = min(max(typed, settings.typing_floor), settings.typing_cap)
    why = f"{len(message.content)} characters at {settings.seconds_per_character:g} s"
    if told > typed:
        why += f", at least {settings.typing_floor:g} s"
    elif told < typed:
        why += f", at most {settings.typing_cap:g} s"
    pause = message.delay - told
    return f"{message.delay:.2f} s: {why}" + (f", and {pause:.2f} s of thought" if pause > 0.005 else "")


def _splits(seen: Sequence[_Seen]) -> str:
    split = [str(number) for number, one in enumerate(seen, 1) if one.message.piece[1] > 1]
    if not split:
        return "every message is a whole segment, cut where its boundary says"
    return f"split after stage 5: message {', '.join(split)}; the others are whole segments"


def _repeats(outcome: PlannedAnswer) -> str:
    found = [edit for edit in outcome.replaced if edit.rule == "emoji repeat"]
    if not found:
        return "none was removed"
    return "removed " + ", ".join(_quote(edit.before.strip()) for edit in found)


def _degree(seen: Sequence[_Seen], settings: Settings) -> str:
    name = f"{settings.degree:d} {settings.degree.name}"
    if settings.degree is not Degree.HEAVY:
        return f"{name}: no cuts at sentence ends, no humanizer"
    changed = sum(edit.rule == "humanizer" for one in seen for edit in one.message.edits)
    verb = "made" if settings.humanize else "is off:"
    return f"{name}: sentences are cut, the humanizer {verb} {changed} edits"


def _holds(seen: Sequence[_Seen]) -> str:
    held = [
        f"message {number} left {one.late} characters behind its end"
        for number, one in enumerate(seen, 1)
        if one.late > PATIENCE
    ]
    return "; ".join(held) + " (something was open, or degree 0 waits for its phase)" if held else "no"


def _quote(text: str) -> str:
    short = text if len(text) <= 60 else f"{text[:40]} … {text[-15:]}"
    return repr(mask_controls(short))

"""The invariants of the text core as plain functions: each takes a trial and returns what it saw broken.

None of them knows how the core works. They see what a user sees: text in, events out.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from conservation import Account, conserve, repair
from documents import random_slices
from intents import Author, misread
from live_invariants import misgrown, mixed_line
from markdown_oracle import read
from spoiler_invariant import ends_in_spaced_pipes, holds_secret, leaks, salt, tempting_limit, torn
from streamcord._events import (
    Attachment,
    Boundary,
    Captured,
    Degree,
    Dropped,
    Halt,
    Message,
    Replaced,
    Table,
)
from streamcord._settings import AnswerContext, Settings
from streamcord._text.layout.resplit_and_join import join, resplit
from streamcord._text.markdown.line_groups import MAX_VERSE_CHARS, STANZA_LINES
from streamcord._text.pipeline import Pipeline
from streamcord._turn.accounting import OutputLog
from streamcord._turn.event_router import rest_as_file
from wholeness import check_wholeness

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamcord._events import TurnEvent

# Neither counted nor the end of a letter, which waits for who signs it.
_PLAIN_LINE = re.compile(
    r"(?!\d+[.)]|[A-Za-z]\. |(?i:[a-zöüß ]*gr[üu](?:ß|ss)))[^\W_](?:[^\W_]|[ ,.!?])*[^\W_][.!?]?"
)
_NEVER_SEEN = 1 << 60
_REPAIRS = frozenset({"repair", "fence"})  # the rules that may change code


def run(
    settings: Settings,
    slices: Sequence[str],
    boundary: Boundary = Boundary.FINAL,
    context: AnswerContext | None = None,
) -> list[TurnEvent]:
    """All events of one answer that arrives in these slices."""
    return [event for step in run_steps(settings, slices, boundary, context) for event in step]


def run_steps(
    settings: Settings,
    slices: Sequence[str],
    boundary: Boundary = Boundary.FINAL,
    context: AnswerContext | None = None,
) -> list[list[TurnEvent]]:
    """The events of each slice, and those of the flush."""
    pipeline = Pipeline(settings, Random(0), context=context)
    return [[*pipeline.feed(piece)] for piece in slices] + [[*pipeline.flush(boundary)]]


def contents(events: Sequence[TurnEvent]) -> list[str]:
    return [event.content for event in events if isinstance(event, Message)]


class Trial:
    """One text under one setting, with the runs that several invariants share."""

    def __init__(
        self, settings: Settings, text: str, seed: int = 0, context: AnswerContext | None = None
    ) -> None:
        # Bars that we add around details are not in the source; tests/text/rules/test_details.py is about them.
        self.settings = replace(settings, details="memory")
        self.text, self.random = text, Random(seed)
        self.context = context or AnswerContext()

    def run(
        self, settings: Settings, slices: Sequence[str], boundary: Boundary = Boundary.FINAL
    ) -> list[TurnEvent]:
        """All events under other settings, in the same context."""
        return run(settings, slices, boundary, self.context)

    @cached_property
    def whole(self) -> list[TurnEvent]:
        return [event for step in self.at_once for event in step]

    @cached_property
    def at_once(self) -> list[list[TurnEvent]]:
        return run_steps(self.settings, [self.text], context=self.context)

    @cached_property
    def steps(self) -> list[list[TurnEvent]]:
        return run_steps(self.settings, list(self.text), context=self.context)

    @cached_property
    def beginnings(self) -> dict[int, list[TurnEvent]]:
        """What was said after a part of the text, for some parts, by their length."""
        places = [self.random.randint(0, len(self.text)) for _ in range(4)]
        return {
            place: list(Pipeline(self.settings, Random(0), context=self.context).feed(self.text[:place]))
            for place in places
        }

    @cached_property
    def account(self) -> Account:
        return conserve(self.text, self.whole)

    @cached_property
    def messages(self) -> list[Message]:
        return [event for event in self.whole if isinstance(event, Message)]


# --- About streams ------------------------------------------------------------------------------------


def slicing(trial: Trial) -> list[str]:
    """Whole, per character and in random slices: the same events."""
    faults: list[str] = []
    single = [event for step in trial.steps for event in step]
    faults += _difference("per character", trial.whole, single)
    for largest in (5, 60):
        slices = random_slices(trial.text, trial.random, largest)
        faults += _difference(f"in slices up to {largest}", trial.whole, trial.run(trial.settings, slices))
    return faults


def prefix_stability(trial: Trial) -> list[str]:
    """What was said after a part of the text is the beginning of what is said after more of it."""
    faults: list[str] = []
    fed = trial.at_once[0]
    for place, early in trial.beginnings.items():
        faults += _difference(f"after {place} characters", fed[: len(early)], early)
    return faults


def promptness(trial: Trial) -> list[str]:
    """What a prefix says does not depend on its slices; a plain line leaves when the next one begins."""
    faults: list[str] = []
    for place, early in trial.beginnings.items():
        single = [event for step in trial.steps[:place] for event in step]
        faults += _difference(f"at character {place}, whole against single", early, single)
    if trial.settings.degree is not Degree.NONE:
        faults += _held_lines(trial)
    return faults


def _held_lines(trial: Trial) -> list[str]:
    """Plain prose lines that were still held when the next line had begun."""
    text, faults = trial.text, []
    known = seen_at(trial.steps, len(text))
    for start, end in _plain_lines(trial):
        following = re.compile(r"\s*(\w)").match(text, end)
        if following is None or not text[following.start(1)].isalnum():
            continue
        due = following.start(1)
        if trial.settings.degree in (Degree.LIGHT, Degree.MEDIUM):
            due = max(due, _stanza_end(text, start))
        late = max(known[start:end])
        if late > due:
            when = "flush" if late >= len(text) else f"character {late}"
            faults.append(f"{text[start:end]!r} was certain at character {due} and left at {when}")
    return faults


def _stanza_end(text: str, start: int) -> int:
    """Where it is certain whether a short line and the ones below it are a stanza: at the end of the fourth."""
    end = start
    for line in text[start:].split("\n")[:STANZA_LINES]:
        if not line.strip() or len(line) > MAX_VERSE_CHARS:
            end += min(len(line), MAX_VERSE_CHARS + 1)
            break
        end += len(line) + 1
    # The end of a line is known when the next character comes.
    return end + len(text[end:]) - len(text[end:].lstrip())


def _plain_lines(trial: Trial) -> list[tuple[int, int]]:
    """Lines of nothing but words, in paragraphs of nothing but words, where no spoiler can be open."""
    text = trial.text
    reading = read(text)
    code = {place for fence in reading.fences for place in range(fence.start, fence.end)}
    hidden = {place for start, end in trial.account.hidden for place in range(start, end)}
    lines: list[tuple[int, int]] = []
    place, fresh = 0, True
    for line in text[: reading.horizon].split("\n"):
        end = place + len(line)
        if not line.strip():
            fresh = True
        elif not _PLAIN_LINE.fullmatch(line):
            fresh = False
        elif fresh and end < len(text) and place not in code and not hidden & {*range(place, end)}:
            lines.append((place, end))
        if place not in code and any(mark in line for mark in (">>>", "||", "<")):
            break
        place = end + 1
    return lines


def seen_at(steps: Sequence[Sequence[TurnEvent]], length: int) -> list[int]:
    """For each source character, the number of the step in which its fate was told."""
    known = [_NEVER_SEEN] * length
    for number, step in enumerate(steps):
        for event in step:
            for start, end in spans_of(event):
                known[start:end] = [number] * (end - start)
    return known


def spans_of(event: TurnEvent) -> list[tuple[int, int]]:
    """Every source range that an event speaks of."""
    match event:
        case Message():
            return [*event.spans, *(span for edit in event.edits for span in edit.spans)]
        case Captured() | Dropped() | Replaced():
            return [*event.spans]
        case Halt():
            return []


def _difference(how: str, expected: Sequence[TurnEvent], got: Sequence[TurnEvent]) -> list[str]:
    if list(expected) == list(got):
        return []
    pairs = zip([*expected, None], [*got, None], strict=False)
    left, right = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
    return [f"{how}: expected {left!r}, got {right!r}"]


# --- About what is shown ------------------------------------------------------------------------------


def conservation(trial: Trial) -> list[str]:
    """Every character is shown, replaced, captured or dropped, once; without rules it is shown as written."""
    faults = [*trial.account.violations, *_check_code(trial)]
    if not trial.settings.rules:
        faults += _check_edits(trial)
        faults += [
            f"dropped {event.text!r} for {event.reason!r} with all rules off"
            for event in trial.whole
            if isinstance(event, Dropped) and event.text.strip() and "tag" not in event.reason
        ]
    return faults


def _check_edits(trial: Trial) -> list[str]:
    """With rules off an edit may repair, escape, hide; the humanizer may lower, drop commas and a period."""
    human = trial.settings.humanize and trial.settings.degree is Degree.HEAVY
    faults: list[str] = []
    for edit in (edit for message in trial.messages for edit in message.edits):
        # What is hidden is so on each of its lines, whatever the rules: bars may be added.
        bars = "||" if edit.rule == "spoiler" else ""
        if edit.rule == "fence" and (_is_language_line(edit) or _is_closing_fence(edit)):
            continue
        before, after = edit.before.replace(bars, ""), edit.after.replace(bars, "")
        if _essence(before, human=human) != _essence(after, human=human):
            faults.append(f"edit {edit.rule}: {edit.before!r} became {edit.after!r}")
    return faults


def _is_language_line(edit: Replaced) -> bool:
    """Whether an edit leaves only the language of a block, or nothing of an empty block."""
    if not edit.after:
        return _EMPTY_BLOCK.fullmatch(edit.before) is not None
    return edit.before.split()[:1] == [edit.after]


def _is_closing_fence(edit: Replaced) -> bool:
    """Whether an edit only closes a block, instead of the white space at its end."""
    return not edit.before.strip() and edit.after.strip() == "```"


def _check_code(trial: Trial) -> list[str]:
    """In code a tag is text, and nothing changes but what Discord cannot take."""
    hidden = [event for event in trial.whole if isinstance(event, Captured) or _is_stray(event)]
    first = min((start for event in hidden for start, _ in spans_of(event)), default=len(trial.text))
    reading = read(trial.text)
    # After the first tag that was taken out, the text may read otherwise than it was written.
    bodies = [fence.body for fence in reading.fences if fence.start < min(first, reading.horizon)]
    faults = [f"taken out of code at {first}" for start, end in bodies if start <= first < end]
    # The same after a fence that begins a block with prose alone and was taken out.
    fences = [event for event in trial.whole if isinstance(event, Replaced) and _is_fence_removed(event)]
    first = min((start for event in fences for start, _ in spans_of(event)), default=first)
    bodies = [body for body in bodies if body[0] <= first]
    for edit in (edit for message in trial.messages for edit in message.edits if edit.rule not in _REPAIRS):
        places = [place for place, _ in edit.spans if place < first]
        if any(start <= place < end for place in places for start, end in bodies):
            faults.append(f"edit {edit.rule} in code: {edit.before!r} became {edit.after!r}")
    return faults


def _is_fence_removed(event: Replaced) -> bool:
    return event.rule == "fence" and not event.after


def _is_stray(event: TurnEvent) -> bool:
    return isinstance(event, Dropped) and "tag" in event.reason


def _essence(text: str, *, human: bool) -> str:
    """What an edit must not change: all but space, escapes, control characters, fences, half characters."""
    text = re.sub("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]", "", repair(text))
    text = re.sub(r"`+", "`", re.sub(r"[\s\u200b\\]", "", text))
    # A Turkish capital has a small letter of its own.
    small = text.lower().replace("i\u0307", "i").replace("ı", "i")
    return re.sub("[,;；、，.。．｡]", "", small) if human else text


def limits(trial: Trial) -> list[str]:
    """Every message is one that Discord takes."""
    limit, faults = trial.settings.message_length, []
    for message in trial.messages:
        if not (1 - bool(message.files)) <= len(message.content) <= limit:
            faults.append(f"{len(message.content)} characters in {message.content[:80]!r}")
        if not message.content.strip() and not message.files:
            faults.append(f"blank message {message.content!r}")
        if any("\ud800" <= character <= "\udfff" for character in message.content):
            faults.append(f"lone surrogate in {message.content!r}")
        if "\r" in message.content:
            faults.append(f"carriage return in {message.content!r}")
    return faults


def wholeness(trial: Trial) -> list[str]:
    """What fits one message is not cut; what is cut renders as before."""
    return check_wholeness(trial.account, trial.settings.message_length)


def order(trial: Trial) -> list[str]:
    """What was written first is sent first."""
    ranges = [spans_of(message) for message in trial.messages]
    hulls = [(min(spans)[0], max(end for _, end in spans)) for spans in ranges if spans]
    return [
        f"a message up to {end} comes before one from {start}"
        for (_, end), (start, _) in pairwise(hulls)
        if start < end
    ]


def intent(trial: Trial) -> list[str]:
    """Code is sent as code and prose as prose, as their author meant it, on a page of the invariant's own."""
    if trial.settings.code_fence_matching == "first":
        return []
    tildes = trial.settings.rules and trial.settings.convert_markdown
    page = Author(Random(trial.random.random()), tildes=tildes).write()
    slices = random_slices(page.text, trial.random)
    return misread(page, conserve(page.text, trial.run(trial.settings, slices)))


# --- About endings ------------------------------------------------------------------------------------


def silence(trial: Trial) -> list[str]:
    """A capped answer is the beginning of the uncapped one, then a halt, then only an account of the rest."""
    faults: list[str] = []
    full = contents(trial.whole)
    for name in ("message_cap", "send_message_limit"):
        cap = trial.random.randint(1, max(1, len(full)))
        if name == "message_cap" and trial.settings.degree in (Degree.LIGHT, Degree.MEDIUM):
            faults += _merging(trial, full, cap)
            continue
        capped = (
            replace(trial.settings, message_cap=cap)
            if name == "message_cap"
            else replace(trial.settings, send_message_limit=cap)
        )
        events = trial.run(capped, random_slices(trial.text, trial.random))
        halts = [n for n, event in enumerate(events) if isinstance(event, Halt) and event.reason == name]
        if contents(events) != full[:cap]:
            faults.append(f"{name}={cap}: {contents(events)!r} is not the beginning of {full!r}")
        if len(halts) != (len(full) > cap):
            faults.append(f"{name}={cap}: {len(halts)} halts, {len(full)} messages without it")
        if halts and any(isinstance(event, Message) for event in events[halts[0] :]):
            faults.append(f"{name}={cap}: a message after the halt")
        faults += [f"{name}={cap}: {fault}" for fault in conserve(trial.text, events).violations]
    return faults


def _merging(trial: Trial, full: list[str], cap: int) -> list[str]:
    """What a cap below degree 3 does: nothing if all messages fit, else the last ones are merged."""
    events = trial.run(replace(trial.settings, message_cap=cap), random_slices(trial.text, trial.random))
    shown = contents(events)
    faults = [f"message_cap={cap}: {fault}" for fault in conserve(trial.text, events).violations]
    if len(shown) > cap:
        faults.append(f"message_cap={cap}: {len(shown)} messages")
    # Before a table, what waits is merged in any case.
    if len(full) <= cap and shown != full and not any(one.files for one in trial.messages):
        faults.append(f"message_cap={cap}: {shown!r} is not {full!r}")
    return faults


def rest(trial: Trial) -> list[str]:
    """A second flush says nothing, and the next phase is as a first one would be."""
    place = trial.random.randint(0, len(trial.text))
    first, second = trial.text[:place], trial.text[place:]
    faults: list[str] = []
    # Dice would be further on; a prefill is shown once in a turn, a guard knows that something was said, and
    # a sprite is worn over phases.
    persona = trial.context.persona
    context = replace(trial.context, prefill="", persona=replace(persona, sprites=()) if persona else None)
    chosen = replace(trial.settings, humanize=False, speaker_guard="off")
    anew = [text.strip() for text in contents(run(chosen, [second], context=context))]
    for boundary in (Boundary.FINAL, Boundary.TOOL_CALL):
        pipeline = Pipeline(chosen, Random(0), context=context)
        early = [*pipeline.feed(first), *pipeline.flush(boundary)]
        if again := list(pipeline.flush(boundary)):
            faults.append(f"second flush after {first!r} says {again!r}")
        late = [*pipeline.feed(second), *pipeline.flush()]
        said = [text.strip() for text in contents(late)]
        if "</" not in second and said != anew:
            faults.append(f"after {first!r} flushed: {said!r}, fresh: {anew!r}")
        faults += [f"over a flush at {place}: {f}" for f in conserve(trial.text, [*early, *late]).violations]
    return faults


def calm(trial: Trial) -> list[str]:
    """Any text raises nothing, in any slices, with any flush."""
    try:
        trial.whole  # noqa: B018
        trial.steps  # noqa: B018
        trial.run(trial.settings, random_slices(trial.text, trial.random), Boundary.TOOL_CALL)
    except Exception as error:
        return [f"raised {error!r} in {traceback.extract_tb(error.__traceback__)[-1]}"]
    return []


# --- About secrets ------------------------------------------------------------------------------------

# A fence that the end of the answer leaves without code goes with the white space after it.
_EMPTY_BLOCK = re.compile(r"\s*(?:(?:`{3,}|~{3,})[^\n`]*\s*(?:`{3,}|~{3,})|`{3,}\s*|[ \t]+)")
_PLAIN_PARAGRAPH = re.compile(r"[^|`<\\$~>\r]{1,300}")


def hidden(trial: Trial) -> list[str]:
    """Spoilers beside the text of a trial cannot be read: whole, sliced, ended early, resplit, joined."""
    paragraphs = [part for part in trial.text.split("\n\n") if _PLAIN_PARAGRAPH.fullmatch(part)]
    text = salt(trial.random.sample(paragraphs, min(3, len(paragraphs))), trial.random)
    settings = replace(trial.settings, message_cap=0, send_message_limit=0, starts_in_thought=False)
    whole = trial.run(settings, [text])
    faults = _find_leaks("whole", text, whole)
    shown = [event.spans for event in whole if isinstance(event, Message)]
    faults += [f"{pair!r} of {text!r} is torn" for pair in torn(text, shown, settings.message_length)]
    if limit := tempting_limit(text):
        cut = trial.run(replace(settings, degree=Degree.NONE, message_length=limit), [text])
        shown = [event.spans for event in cut if isinstance(event, Message)]
        faults += _find_leaks(f"cut at {limit}", text, cut)
        faults += [f"{pair!r} of {text!r} is torn at {limit}" for pair in torn(text, shown, limit)]
    faults += _find_leaks("in slices", text, trial.run(settings, random_slices(text, trial.random, 40)))
    place = trial.random.randint(0, len(text))
    if not ends_in_spaced_pipes(text[:place]):
        early = trial.run(settings, [text[:place]], trial.random.choice([Boundary.FINAL, Boundary.TOOL_CALL]))
        faults += _find_leaks(f"ended at {place}", text, early)
    faults += _find_uncovered(
        text, trial.run(replace(settings, message_cap=trial.random.randint(1, 3)), [text])
    )
    messages = [event for event in whole if isinstance(event, Message) and not leaks(event.content)]
    for message in messages:
        faults += _find_leaks("resplit", text, resplit(message, trial.random.choice([40, 90]), settings))
    for first, second in pairwise(messages):
        joined = join(first, second, 2000, settings)
        faults += _find_leaks("joined", text, [joined] if joined else [])
    return faults


def _find_uncovered(text: str, events: Sequence[TurnEvent]) -> list[str]:
    """What the cap held back is a file of its own: one with a secret in it must be covered as a whole."""
    shown = OutputLog()
    for event in events:
        if isinstance(event, Captured | Dropped | Halt | Replaced):
            shown.record(event)
    rest = rest_as_file(shown)
    files = [file for file in rest.files if isinstance(file, Attachment)] if rest else []
    open_files = [file for file in files if not file.spoiler and holds_secret(file.content.decode("utf-8"))]
    return [f"the rest of {text!r} is a file that anybody can read" for _ in open_files]


def _find_leaks(how: str, text: str, events: Sequence[TurnEvent]) -> list[str]:
    faults: list[str] = []
    for message in [event for event in events if isinstance(event, Message)]:
        tables = [file for file in message.files if isinstance(file, Table)]
        shown = [message.content, message.fallback or ""]
        shown += [table.plain for table in tables if not table.spoiler]
        found = [secret for content in shown for secret in leaks(content)]
        if found:
            faults.append(f"{how}, {found[0]!r} of {text!r} can be read in {message.content!r}")
    return faults


# --- About answers that grow --------------------------------------------------------------------------


def growth(trial: Trial) -> list[str]:
    """Shown as one message that grows, no frame is taken back, half, open, or shows what is hidden."""
    settings = replace(trial.settings, delivery="live", message_cap=0, send_message_limit=0)
    faults = misgrown(trial.text, settings, random_slices(trial.text, trial.random), trial.context)
    line = mixed_line(trial.random)
    return faults + misgrown(line, settings, random_slices(line, trial.random), trial.context)


INVARIANTS: dict[str, Callable[[Trial], list[str]]] = {
    "slicing": slicing,
    "prefix stability": prefix_stability,
    "promptness": promptness,
    "conservation": conservation,
    "limits": limits,
    "wholeness": wholeness,
    "order": order,
    "intent": intent,
    "silence": silence,
    "rest": rest,
    "calm": calm,
    "hidden": hidden,
    "growth": growth,
}

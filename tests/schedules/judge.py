"""What may not happen, whatever goes wrong; judged by the twin's word against the plan, not by our own books.

Characters are compared without white space, so that a part that was cut again or joined with the next one is
the same text. Every line is unique: a piece that is found out of its place was doubled or moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from discord_twin import FaultKind, Message
from streamcord import TurnResult

from .schedule import FINAL
from .stage import Run, picture

__all__ = ["judge"]

_LONGEST = 3600.0
_MOST_REQUESTS = 80
_PREFIX = "**Luna:**"
_FILTERS = frozenset({"automod", "harmful_link"})


@dataclass(frozen=True, slots=True)
class _Told:
    """How the messages that were made lie on the plan."""

    missing: tuple[str, ...]
    doubled: tuple[Message, ...]
    foreign: tuple[Message, ...]
    moved: tuple[Message, ...]


def judge(run: Run) -> list[str]:
    """All that is wrong with a run; nothing, if it is right."""
    return [*_text(run), *_books(run), *_manners(run)]


def _bare(text: str) -> str:
    return "".join(text.split())


def _signed(run: Run, text: str) -> str:
    """The text without white space, and a sign for the table, whatever it has become."""
    bare = _bare(text)
    for words, sign in run.tokens.items():
        bare = bare.replace(_bare(words), _bare(sign))
    return bare


def _words(run: Run, message: Message) -> str:
    """What a message says of the answer: a name in front is ours, not the model's."""
    pictures = "".join(picture(file.description or "") for file in message.attachments)
    told = _told_of_deleted(run, message)
    text = _signed(run, _content(message) if told is None else told) + _bare(pictures)
    if run.schedule.road == "webhook" and message.webhook is None:
        text = text.removeprefix(_PREFIX)
    return text


def _told_of_deleted(run: Run, message: Message) -> str | None:
    """What the books say of a message that grew until someone deleted it.

    If its last edit was in doubt then, no one can tell what it said; what stands nowhere is said again.
    """
    receipts = run.result.receipts if run.result else ()
    found = (one for one in receipts if one.id == message.id and "deleted" in one.changes and one.frames)
    return next((one.message.content for one in found), None)


def _content(message: Message) -> str:
    """What is plain, or the texts of Components V2 that stand in no frame."""
    text = message.content or "".join(one.get("content", "") for one in message.draft.components)
    # A webhook cannot reply: above its words stands whom it answers.
    return text.partition("\n")[2] if text.startswith("-# ↩ [") else text


def _text(run: Run) -> Iterator[str]:
    told = _lay(run)
    for message in told.doubled:
        if not _is_forgotten(run, message):
            yield f"doubled: {message.content!r}"
    for message in told.moved:
        yield f"out of order: {message.content!r}"
    for message in told.foreign:
        if not _is_notice(run, message):
            yield f"nobody wrote this: {message.content!r}"
    yield from _holes(run, told.missing)


def _holes(run: Run, missing: tuple[str, ...]) -> Iterator[str]:
    """What was not sent is told, and there is a reason for it."""
    reported = _signed(run, "".join(_reported(run.result)))
    uncertain = _signed(run, "".join(_reported(run.result, "uncertain")))
    end = _bare("".join(run.plan))
    for text in missing:
        if text not in reported:
            yield f"lost without a word: {text!r}"
        elif run.schedule.road == "webhook" and text in uncertain:
            continue  # a webhook has no nonce: what can be neither found nor ruled out is not sent again
        elif run.schedule.switch in _FILTERS:
            continue
        elif not run.struck & {*FINAL} and run.schedule.stop is None:
            yield f"given up for no good reason: {text!r}"
        elif not end.endswith(text):
            yield f"a hole: {text!r}"


def _is_notice(run: Run, message: Message) -> bool:
    """Where a filter holds words back, small print says so."""
    return run.schedule.switch in _FILTERS and message.content.startswith("-# ")


def _lay(run: Run) -> _Told:
    """Put every message on the plan, in the order in which they were made."""
    plan = _bare("".join(run.plan))
    covered = [False] * len(plan)
    at = 0
    doubled, foreign, moved = [], [], []
    for message in run.made:
        words = _words(run, message)
        if not words:
            continue
        start = plan.find(words, at)
        if start >= 0:
            covered[start : start + len(words)] = [True] * len(words)
            at = start + len(words)
        elif (start := plan.find(words)) < 0:
            foreign.append(message)
        elif any(covered[start : start + len(words)]):
            doubled.append(message)
        else:
            moved.append(message)
    return _Told(tuple(_gaps(plan, covered)), tuple(doubled), tuple(foreign), tuple(moved))


def _gaps(plan: str, covered: list[bool]) -> Iterator[str]:
    gap = ""
    for character, is_covered in zip(plan, covered, strict=True):
        if not is_covered:
            gap += character
        elif gap:
            yield gap
            gap = ""
    if gap:
        yield gap


def _reported(result: TurnResult | None, reason: str = "") -> list[str]:
    dropped = result.dropped if result else ()
    return [piece.text for piece in dropped if piece.reason == reason or not reason]


def _is_forgotten(run: Run, message: Message) -> bool:
    """Whether Discord forgot the nonce in between: its promise, and so ours, ends there."""
    # The one of the two that Discord told of may have grown since.
    said = _words(run, message)
    same = [one for one in run.made if _words(run, one).startswith(said) or one is message]
    if run.schedule.road != "bot" or len(same) < 2:
        return False
    seen = False
    for record in run.records:
        if record.message is same[0] and record.created:
            seen = True
        elif seen and FaultKind.NONCE_FORGET in record.faults:
            return True
    return False


def _books(run: Run) -> Iterator[str]:
    """What the result says is what happened."""
    if run.result is None:
        yield "no result"
        return
    made = {message.id: message for message in run.made}
    for receipt in run.result.receipts:
        # Of a message that was deleted, or whose answer was spoilt, Discord may never tell the id.
        if receipt.id not in made and not (receipt.id == 0 and {"deleted", "unseen"} & {*receipt.changes}):
            yield f"a receipt for nothing: {receipt.message.content!r}"
    ids = [receipt.id for receipt in run.result.receipts if receipt.id]
    if len(ids) != len(set(ids)):
        yield "two receipts for one message"


def _manners(run: Run) -> Iterator[str]:
    if run.pinged:
        yield f"pinged: {run.pinged}"
    reported = _signed(run, "".join(_reported(run.result)))
    for message in run.elsewhere:
        # Moved, and its answer unreadable: then no one can tell where it went, and that is reported.
        if _words(run, message) not in reported:
            yield f"in another channel: {message}"
    if run.late_typing:
        yield f"typing after the end: {run.late_typing} times"
    if len(run.records) > _MOST_REQUESTS or run.seconds > _LONGEST:
        yield f"no end: {len(run.records)} requests in {run.seconds:.0f} s"
    forbidden = sum(record.status == 403 and record.route == "messages.create" for record in run.records)
    if forbidden > 2:
        yield f"forbidden {forbidden} times"

"""Read from the journal which answers were interrupted, which question they answer, and which goes first. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from streamcord import StopMode
from streamcord.store import TurnJournal

from ..answering.answer_journal import ids_in, steered_ids


def answered_by(turn: TurnJournal) -> list[int]:
    """Return the messages that a turn answers: its question and the follow-ups that it has taken over."""
    return [*ids_in(turn.about.get("asked")), *steered_ids(turn)]


def questions_in(turn: TurnJournal) -> set[tuple[str, int]]:
    """Return the messages that a turn answers, each with the persona: one message may call several."""
    return {(str(turn.about.get("persona")), id_) for id_ in answered_by(turn)}


def place_in_line(turn: TurnJournal) -> tuple[bool, int]:
    """Sort what an answer has begun first, then by the age of the question.

    Messages of other answers would be taken for a part of one that has begun. And the row of a question may be newer
    than the question, because another message has joined it.
    """
    return bool(turn.about.get("waits")), min(answered_by(turn), default=0)


def find_interrupted(turns: Sequence[TurnJournal]) -> Iterator[TurnJournal]:
    """Yield the answers that were stopped because their question changed; `turns` are in the order of their rows.

    The row of the changed question is written before the one of the stop.
    """
    for number, turn in enumerate(turns):
        ids = questions_in(turn)
        is_stopped = turn.saved is not None and turn.saved.stopped == StopMode.INTERRUPT
        if turn.about.get("waits") or not ids:
            continue
        if is_stopped or any(
            one.about.get("waits") and ids.issubset(questions_in(one)) for one in turns[number + 1 :]
        ):
            yield turn


def is_superseded(turn: TurnJournal, turns: Sequence[TurnJournal]) -> bool:
    """Return whether a turn is a question that waits, and others of the `turns` answer it.

    They are in the order of their rows. A process may die after an answer has taken over a question, or after another
    message has joined it, and before the row is deleted in which it waited.
    """
    about = turn.about
    if not about.get("waits") or not about.get("asked") or about.get("command"):
        return False
    newer = turns[turns.index(turn) + 1 :]
    others = [one for one in turns if not one.about.get("waits") or one in newer]
    return questions_in(turn).issubset(asked for one in others for asked in questions_in(one))


def has_begun(turn: TurnJournal) -> bool:
    """Return whether anything of an answer may be in the channel."""
    saved = turn.saved
    return saved is not None and bool(
        saved.delivered or saved.live or saved.done or saved.uncertain or saved.marks
    )

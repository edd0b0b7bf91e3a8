"""Answers read aloud: what a model writes, and what degree 3 makes of it with the seeds 1 and 2.

    === model                       what the model writes
    === 1, === 2                    the messages of a seed, one a line; `⏎` is a newline inside of a message
    === read                        the judgement of the one who read them, one line

What stands before the first block says what changed because of the reading. `python tests/aloud_pages.py`
writes the pages again from the models' words and the judgements, so that changes show as differences to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from streamcord._events import Boundary, Degree, Message
from streamcord._settings import AnswerContext, Emoji, Settings
from streamcord._text.pipeline import Pipeline

PAGES = Path(__file__).parent / "sentences" / "aloud"
SEEDS = (1, 2)
SETTINGS = Settings(degree=Degree.HEAVY)
CONTEXT = AnswerContext(emoji=(Emoji("catjam", 11), Emoji("blobwave", 22), Emoji("pepecry", 33)))
_BLOCK = re.compile(r"^=== (\w+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, the messages of each seed, and what its reader says."""

    model: str
    messages: tuple[tuple[str, ...], ...]
    read: str


def speak(pieces: Sequence[str], seed: int) -> tuple[str, ...]:
    """The messages of an answer that arrives in pieces, as lines."""
    pipeline = Pipeline(SETTINGS, Random(seed), context=CONTEXT)
    events = [event for piece in pieces for event in pipeline.feed(piece)]
    events += pipeline.flush(Boundary.FINAL)
    return tuple(event.content.replace("\n", "⏎") for event in events if isinstance(event, Message))


def parse_answers(page: str) -> tuple[str, list[Answer]]:
    """What stands above the answers of a page, and the answers."""
    head, *parts = _BLOCK.split(page)
    blocks = [(name, body.removesuffix("\n")) for name, body in zip(parts[::2], parts[1::2], strict=True)]
    answers: list[Answer] = []
    for name, body in blocks:
        if name == "model":
            answers.append(Answer(body, (), ""))
            continue
        last = answers.pop()
        if name == "read":
            answers.append(Answer(last.model, last.messages, body))
        else:
            answers.append(Answer(last.model, (*last.messages, tuple(body.split("\n"))), last.read))
    return head, answers


def print_answers(head: str, answers: Sequence[Answer]) -> str:
    """The page, with the messages that the code of today makes."""
    lines = [head.rstrip("\n"), ""]
    for answer in answers:
        lines += ["=== model", answer.model]
        for seed in SEEDS:
            lines += [f"=== {seed}", *speak([answer.model], seed)]
        lines += ["=== read", answer.read]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path in sorted(PAGES.glob("*.page")):
        path.write_text(print_answers(*parse_answers(path.read_text("utf-8"))), "utf-8")

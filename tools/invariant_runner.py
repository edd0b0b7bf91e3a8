"""Tries the invariants on whatever `streamcord` the path leads to, over seeded texts, and prints what it saw.

    python tools/invariant_runner.py SOURCE [INVARIANT]

`planted_bugs.py` runs this with the path set to a copy of the source. With an invariant, it stops at the first text
that breaks it; without one, it goes through everything. The answer is one JSON object on standard output.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import streamcord
import test_invariants
from documents import PIECES, document
from invariants import INVARIANTS, Trial
from streamcord._events import Degree
from streamcord._settings import Settings

__all__ = ["trial", "try_invariants"]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXTS = 1000
"""Seeded texts after which a bug counts as missed."""
MANY = 250
"""Seeded texts after which the tests of time, holds and memory are tried as well."""
TRIAL_TIMEOUT_S = 5
"""Seconds of computing that one invariant may take with one text; more is a hang."""
MEMORY = 1 << 30

LENGTHS = (32, 33, 40, 60, 100, 200, 500, 1950, 2000, 1950)
TAGS = (
    "<think>", "</think>", "<THINK>", "<ns:think>", "<think x='1'>", "<details>", "</details>", "<summary>",
    "</summary>", "<think", "</", "<thinker>", "`", "```", "\n```\n", "```py\n", " ", "\n", "a", "b c.",
    "word ",
)  # fmt: skip
ODD = (
    "\ud83d", "\ude00", "\ud83d\ude00", "\ud800", "\x00", "\x1b[0m", "\x7f", "\u200d", "\u2028", "\r", "\r\n",
    "\r\r\n", "\u0301", "\u0e33", "\ufe0f", "\U0001f1e6", "\u1100\u1161\u11a8", "é", "👨‍👩‍👧", "क्ष", "x", " ",
    "\n", ". ",
)  # fmt: skip
STRETCHES = tuple(
    unit * (size // len(unit))
    for unit in ("plain words ", "x", "One two three. ", "line of text\n", "- item\n", "文字。")
    for size in (300, 700, 1300, 2100)
)
_LINES = "".join(f"def step_{n}(x):\n    y = x + {n}\n\n\n    return y\n\n" for n in range(60))
_PROSE = "The river was wide and the town lay still behind it. "
SPECIAL = (
    f"Look:\n```python\n{_LINES * 7}```\nThat is all.",
    f"A secret: ||{_PROSE * 20}\n\n{_PROSE * 20}|| and no more.\n\nNext line here.\nAnd one more.",
    f"**{_PROSE * 8}**\n\n*{_PROSE * 9}*\n\n~~{_PROSE * 45}~~\nPlain words.",
    f"A `delimiter that stays open {_PROSE * 40}` and then\na line\nanother line\n\nlast",
    "A (stray bracket\nand a line\nand one more\n" + "plain words go on " * 60,
    f"> {_PROSE * 25}\n> more\n\n" + "".join(f"{n}. {_PROSE}\n" for n in range(1, 30)),
    "| a | b |\n|---|---|\n" + "| cell one | cell two |\n" * 100 + "\nDone.",
    f"See https://example.com/{'path/' * 40}end and [a link](https://example.com/{'x' * 90}). "
    + "long words " * 130,
    f"````md\n```py\n{_LINES[:900]}```\n````\nBehind it.\n<think>{_PROSE * 9}</think>\nSaid.",
    "And so the whole story begins. " + "It was so. 12. Then it was not. " * 150,
    _PROSE * 2 + "a" + "\u0301" * 250 + " and more words",
    f"He said (and so {_PROSE * 8}\nand on) at last.\n`{'code words ' * 150}` and so on.",
    "long words " * 85 + f"**{'bold words go on ' * 12}and end** " + "long words " * 60,
    "so many words " * 30 + f"https://example.com/{'path-' * 40}end " + "so many words " * 60,
    _PROSE * 20 + "👨‍👩‍👧🇩🇪e\u0301" * 200,
    f"<https://example.com/{'path-' * 210}end>" + "川は海へ流れていく" * 100,
    ("川は海へ流れていく" * 16 + "https://example.com/the/river/and/the/sea ") * 4,
    "Well\n...\nand so\n?!?!\nit goes\n.\non <:smile:12345678901> !\n\nHi <:a1:123><:a2:456>\nthere\n, you",
    "First\n```html\n<p>\n<think>no thought</think>\n</p>\n\n\n\n\n<b>\n```\nlast <think>but this</think> words",
)


def _text(number: int, random: Random) -> str:
    """The text with this number: every kind in turn."""
    kind = number % 10
    if kind == 0:
        return document(number)
    if kind == 1:
        return SPECIAL[number // 10 % len(SPECIAL)]
    if kind == 9:
        return "".join(random.choices(PIECES[::4] + STRETCHES * 2, k=random.choice((3, 5, 8))))
    pool = {2: TAGS, 3: ODD + PIECES[::3]}.get(kind, PIECES)
    return "".join(random.choices(pool, k=random.choice((3, 6, 12, 24, 40))))


def trial(number: int) -> Trial:
    """A text under settings under which every invariant holds."""
    random = Random(f"planted {number}")
    text = _text(number, random)
    chosen = Settings(
        degree=Degree(number // 10 % 4 if number % 10 < 2 else random.randrange(4)),
        message_length=random.choice(LENGTHS if number % 10 != 1 else LENGTHS[3::3]),
        rules=random.random() < 0.5,
        humanize=random.random() < 0.5,
        lists=random.choice(("together", "together", "lines")),
        auto_close=random.choice(("markdown", "markdown", "all", "off")),
        sentence_ends=random.choice(("all", "all", "period")),
        message_cap=0,
        clause_trim=random.random() < 0.3,
    )
    return Trial(chosen, text, seed=number)


# --- What the invariants say of time, holds and memory is in tests of their own -------------------------------

_TESTS: dict[str, tuple[Callable[..., None], ...]] = {
    "promptness": (
        test_invariants.test_a_stray_delimiter_holds_up_to_600_characters,
        test_invariants.test_a_stray_spoiler_holds_up_to_4000_characters,
        test_invariants.test_a_stray_delimiter_ends_with_its_paragraph,
    ),
    "calm": (
        test_invariants.test_an_endless_stream_is_held_in_bounded_memory,
        test_invariants.test_cost_grows_linearly_in_a_flood,
    ),
}


def _arguments(test: Callable[..., None]) -> Iterator[tuple[Any, ...]]:
    """All that pytest would call a test with."""
    marks = [mark.args[1] for mark in vars(test)["pytestmark"] if mark.name == "parametrize"]
    for values in product(*reversed(marks)):
        yield tuple(v for value in values for v in (value if isinstance(value, tuple) else (value,)))


def _names(test: Callable[..., None]) -> list[str]:
    marks = [mark.args[0] for mark in vars(test)["pytestmark"] if mark.name == "parametrize"]
    return [n for name in reversed(marks) for n in ((name,) if isinstance(name, str) else name)]


def _fails(test: Callable[..., None]) -> str:
    for values in _arguments(test):
        chosen = dict(zip(_names(test), values, strict=True))
        for again in (False, True):  # a busy machine may spoil a measurement once
            try:
                with _time_limit():
                    test(**chosen)
                break
            except Exception as error:
                if again:
                    return f"{test.__name__} {chosen}: {type(error).__name__}"
    return ""


@contextmanager
def _time_limit() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TimeoutError("hangs")

    signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, TRIAL_TIMEOUT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def try_invariants(trial: Trial) -> dict[str, str]:
    """The first fault under each invariant; whatever is raised breaks the invariant of calm."""
    faults: dict[str, str] = {}
    for name, invariant in INVARIANTS.items():
        try:
            with _time_limit():
                found = invariant(trial)
        except TimeoutError:
            return {**faults, "calm": f"hangs under {name}"}
        except Exception as error:
            faults.setdefault("calm", f"raised {error!r} under {name}")
            continue
        if found:
            faults[name] = found[0]
    return faults


def _witness(wanted: str | None) -> tuple[int, dict[str, str]]:
    """How many texts were tried, and the first fault under each invariant."""
    faults: dict[str, str] = {}
    for number in range(TEXTS):
        if number == MANY:  # what has not shown by now may need the slow tests
            faults = {**_try_tests(wanted), **faults}
        if wanted in faults:
            return number, faults
        faults = {**try_invariants(trial(number)), **faults}
    return TEXTS, faults


def _try_tests(wanted: str | None) -> dict[str, str]:
    tests = [
        (invariant, test)
        for invariant in ([wanted] if wanted else _TESTS)
        for test in _TESTS.get(invariant, ())
    ]
    return {invariant: fault for invariant, test in tests if (fault := _fails(test))}


def main() -> None:
    source, wanted = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    assert streamcord.__file__
    assert Path(streamcord.__file__).resolve().is_relative_to(Path(source).resolve()), (
        "the path leads to another streamcord"
    )
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # a bug may also eat
    count, faults = _witness(wanted)
    print(json.dumps({"texts": count, "faults": faults}))


if __name__ == "__main__":
    main()

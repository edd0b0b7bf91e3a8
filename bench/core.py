"""Speed, scaling and memory of the text core against their bars; README.md says what and how.

python bench/core.py                  everything (some minutes)
python bench/core.py speed            one part: speed, rich, rules, scaling, floods, memory
python bench/core.py scaling --degree 3
"""

from __future__ import annotations

import argparse
import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from time import perf_counter, process_time

from prose import read_answers
from shapes import FLOODS, NAMES, RULE_FLOODS, shape

from streamcord import Emoji, Person, Persona, Pipeline, Settings, Sprite
from streamcord._text.markdown.scanner import Scanner
from streamcord.settings import read_settings

TOKEN = 4
SMALL, LARGE = 64 * 1024, 2 * 1024 * 1024
RUNS = 5


class Bare:
    """The least that any such class must do: keep the text, find the newlines, hand out the lines."""

    def __init__(self) -> None:
        self.buffer = ""
        self.searched = 0
        self.lines: list[str] = []

    def feed(self, token: str) -> None:
        self.buffer += token
        while (at := self.buffer.find("\n", self.searched)) >= 0:
            self.lines.append(self.buffer[: at + 1])
            self.buffer = self.buffer[at + 1 :]
            self.searched = 0
        self.searched = len(self.buffer)

    def flush(self) -> None:
        self.lines.append(self.buffer)


class Board:
    """The table of bars; remembers whether one was missed."""

    def __init__(self) -> None:
        self.missed = 0

    def head(self, title: str) -> None:
        print(f"\n{title}")

    def row(self, name: str, figure: str, bar: str, passed: bool | None) -> None:
        word = {True: "PASS", False: "FAIL", None: ""}[passed]
        self.missed += passed is False
        print(f"  {name:<28} {figure:<34} {bar:<18} {word}", flush=True)


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def tokens(text: str) -> list[str]:
    return [text[at : at + TOKEN] for at in range(0, len(text), TOKEN)]


def make(degree: int) -> Pipeline:
    # Without the caps, which would end the run before it has shown anything.
    return Pipeline(Settings(degree=degree, answer_cap=0, message_cap=0), Random(0))


def seconds(machine: Callable[[], Bare | Pipeline], texts: Iterable[list[str]]) -> float:
    """Processor time of feeding each text to a machine of its own."""
    gc.collect()
    total = 0.0
    for pieces in texts:
        fresh = machine()
        feed = fresh.feed
        began = process_time()
        for piece in pieces:
            feed(piece)
        fresh.flush()
        total += process_time() - began
    return total


def speed(board: Board, degrees: list[int]) -> None:
    answers, origin = read_answers()
    # One long list of tokens would be kinder to the cache than answers are.
    texts = [tokens(text) for text in answers]
    count = sum(map(len, texts))
    board.head(
        f"Speed: {count} tokens of {TOKEN} characters, {len(texts)} answers ({origin}), best of {RUNS}"
    )
    best: dict[object, float] = {}
    for run in range(RUNS):
        # Interleaved, so that a noisy moment of the machine hits all of them.
        for degree in (None, *degrees):
            progress(f"speed: run {run + 1} of {RUNS}, {'bare' if degree is None else f'degree {degree}'}")
            time = seconds(Bare if degree is None else partial(make, degree), texts)
            best[degree] = min(time, best.get(degree, time))
    progress("")
    bare = best[None] / count * 1e6
    board.row("bare class", f"{bare:.3f} µs per token", "", None)
    for degree in degrees:
        each = best[degree] / count * 1e6
        bar = 18 if degree == 3 else 12
        board.row(
            f"degree {degree}",
            f"{each:.2f} µs per token, {each / bare:.1f}x",
            f"<= {bar}x",
            each / bare <= bar,
        )
        board.row("", f"{each:.2f} µs per token", "<= 4 µs", each <= 4)


RICH = (
    "Then @user{0} said that **the river** was wide, see [the map](https://example.com/map/{0}) or run "
    "`river --wide {0}` now :emoji_{0}: and go on to the town.\n"
)
PLAIN = (
    "Then a man said that the old river was very wide, so look at the big map there or walk with the "
    "others right now and just go on to the town by noon.\n"
)


def rich(board: Board, degrees: list[int]) -> None:
    """Lines with bold, a link, code, a mention and an emoji against lines of words."""
    text = "".join(RICH.format(number % 9 + 1) for number in range(60))
    work = {"plain": [tokens(PLAIN * 60)] * 5, "rich": [tokens(text)] * 5}
    board.head("Rich text: bold, link, code, mention and emoji in every line, against words")
    for degree in degrees:
        settings, context = read_settings(
            {
                "people": [Person(n, f"user{n}") for n in range(1, 51)],
                "emoji": [Emoji(f"emoji_{n}", 1000 + n) for n in range(250)],
                "answer_cap": 0,
                "message_cap": 0,
                "degree": degree,
            }
        )
        best = {name: float("inf") for name in work}
        for _ in range(RUNS):
            for name, texts in work.items():
                best[name] = min(best[name], seconds(partial(Pipeline, settings, context=context), texts))
        each = {name: best[name] / sum(map(len, texts)) for name, texts in work.items()}
        ratio = each["rich"] / each["plain"]
        reads = characters_read(partial(Pipeline, settings, context=context), text) / len(text)
        barred = degree < 3
        board.row(f"degree {degree}", f"{ratio:.1f}x words", "<= 2x" * barred, ratio <= 2 if barred else None)
        board.row("", f"{reads:.2f} reads per character", "<= 2.5", reads <= 2.5)


def characters_read(make: Callable[[], Pipeline], text: str) -> int:
    """How many characters all scanners of an answer read together."""
    total = 0
    read = Scanner.read

    def counted(self: Scanner, *, final: bool = False) -> None:
        nonlocal total
        before = self.at
        read(self, final=final)
        total += self.at - before

    Scanner.read = counted  # type: ignore[method-assign]
    try:
        seconds(make, [tokens(text)])
    finally:
        Scanner.read = read  # type: ignore[method-assign]
    return total


def cast(people: int, emoji: int, **more: object) -> Callable[[], Pipeline]:
    """Pipelines with every rule at work."""
    settings, context = read_settings(
        {
            "persona": Persona("Luna", ("Moon",), None, (Sprite("mad"),)),
            "people": [Person(n, f"user{n}", (f"User Name {n}",)) for n in range(1, people + 1)],
            "emoji": [Emoji(f"emoji_{n}", 1000 + n) for n in range(emoji)],
            "recent_messages": ["a :emoji_1: b"],
            "speaker_guard": "known",
            "uncensor_unicode_space": True,
            "strip_middle_dots": True,
            "prefill": "Sure",
            "answer_cap": 0,
            "message_cap": 0,
            **more,
        }
    )
    return partial(Pipeline, settings, context=context)


def rules(board: Board, degrees: list[int]) -> None:
    """All rules on answers, and on segments full of shortcodes and handles, of few and of many."""
    answers, _ = read_answers()
    texts = [tokens(text) for text in answers]
    words = ["word"] * 170
    words[::8] = [f":emoji_{number % 5}:" for number in range(22)]
    words[3::17] = [f"@user{number % 5 + 1}" for number in range(10)]
    segments = [tokens((" ".join(words)[:999] + "\n") * 20)]
    board.head("Rules: everything on, 250 emoji and 50 people; then 500 and 1 000 against 5 and 5")
    for degree in degrees:
        whole, few, many = (cast(*size, degree=degree) for size in ((50, 250), (5, 5), (1000, 500)))
        best: dict[str, float] = {}
        for _ in range(RUNS):
            for name, machine, work in (
                ("bare", Bare, texts),
                ("all", whole, texts),
                ("few", few, segments),
                ("many", many, segments),
            ):
                time = seconds(machine, work)
                best[name] = min(time, best.get(name, time))
        ratio, scaling = best["all"] / best["bare"], best["many"] / best["few"]
        board.row(f"degree {degree}, all rules", f"{ratio:.1f}x the bare class", "<= 20x", ratio <= 20)
        board.row(f"degree {degree}, many to few", f"{scaling:.2f}", "<= 2", scaling <= 2)


def scaling(board: Board, degrees: list[int]) -> None:
    bar = LARGE / SMALL * 1.3
    for degree in degrees:
        board.head(f"Scaling at degree {degree}: t(2 MiB) / t(64 KiB), best of {RUNS}; floods also per token")
        for name in NAMES:
            small, large = tokens(shape(name, SMALL)), tokens(shape(name, LARGE))
            best_small = best_large = float("inf")
            for run in range(RUNS):
                progress(f"scaling: {name}, run {run + 1} of {RUNS}")
                # Several small runs for each large one: a short time is measured less exactly.
                for _ in range(4):
                    best_small = min(best_small, seconds(partial(make, degree), [small]))
                best_large = min(best_large, seconds(partial(make, degree), [large]))
            progress("")
            ratio = best_large / best_small
            each = best_large / len(large) * 1e6
            board.row(name, f"{ratio:.1f} ({each:.2f} µs per token)", f"<= {bar:.1f}", ratio <= bar)
            if name in FLOODS:
                board.row("", f"{each:.2f} µs per token", "<= 60 µs", each <= 60)


def floods(board: Board, degrees: list[int]) -> None:
    """The same with every rule at work, on text that triggers the rules; lines (a message each) are fewer."""
    for degree in degrees:
        make = cast(50, 250, degree=degree)
        board.head(f"Floods at degree {degree} with all rules on: t(large) / t({SMALL // 1024} KiB)")
        for name, unit in RULE_FLOODS.items():
            size = LARGE // 8 if "\n" in unit and unit != "\n" else LARGE
            small, large = (tokens(unit * (length // len(unit))) for length in (SMALL, size))
            best_small = best_large = float("inf")
            for run in range(3):
                progress(f"floods: {name}, run {run + 1} of 3")
                for _ in range(2):
                    best_small = min(best_small, seconds(make, [small]))
                best_large = min(best_large, seconds(make, [large]))
            progress("")
            ratio, bar = best_large / best_small, size / SMALL * 1.3
            each = best_large / len(large) * 1e6
            board.row(name, f"{ratio:.1f} ({size // 1024} KiB)", f"<= {bar:.1f}", ratio <= bar)
            board.row("", f"{each:.2f} µs per token", "<= 60 µs", each <= 60)


def memory(board: Board, degrees: list[int]) -> None:
    board.head("Memory (tracemalloc): what a stream holds, KiB")
    idle = held_idle()
    board.row("idle stream", f"{idle:.1f}", "<= 32", idle <= 32)
    for degree in degrees:
        for name in NAMES:
            progress(f"memory: degree {degree}, {name}")
            most = held_endless(degree, tokens(shape(name, LARGE // 4)))
            # Degree 0 keeps what it has not sent yet; its bound is the queue, not this bar.
            barred = degree > 0
            board.row(
                f"degree {degree}, {name}", f"{most:.1f}", "<= 256" * barred, most <= 256 if barred else None
            )
    progress("")


def held_idle(count: int = 200) -> float:
    """A stream that has begun and waits for its next token."""
    make(2).feed("Warm.")
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    streams = [make(2) for _ in range(count)]
    for number, stream in enumerate(streams):
        stream.feed(f"Hello, this is stream {number}")
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return held / count / 1024


def held_endless(degree: int, pieces: list[str]) -> float:
    """The most that a stream ever holds; what it hands out is let go at once."""
    # Compiled patterns and other things that a process has once are not the stream's.
    warm = make(degree)
    for piece in pieces[: SMALL // TOKEN]:
        warm.feed(piece)
    stream = make(degree)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    most = 0
    for number, piece in enumerate(pieces):
        stream.feed(piece)
        if number % 256 == 0:
            most = max(most, tracemalloc.get_traced_memory()[0] - before)
    tracemalloc.stop()
    return most / 1024


PARTS = {
    "speed": (speed, [0, 1, 2, 3]),
    "rich": (rich, [0, 1, 2, 3]),
    "rules": (rules, [2]),
    "scaling": (scaling, [2]),
    "floods": (floods, [2]),
    "memory": (memory, [0, 1, 2, 3]),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed, scaling and memory of the text core.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--degree", type=int, action="append", choices=range(4), help="only this degree")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no part named {', '.join(sorted(unknown))}")
    began = perf_counter()
    board = Board()
    for name in arguments.parts or PARTS:
        part, degrees = PARTS[name]
        part(board, arguments.degree or degrees)
    print(f"\n{board.missed} bars missed, {perf_counter() - began:.0f} s on Python {sys.version.split()[0]}")
    return bool(board.missed)


if __name__ == "__main__":
    sys.exit(main())

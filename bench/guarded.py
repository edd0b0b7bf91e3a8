"""Measure every guarded number of the design and write the table to `bench/reports/bench.md`.

python bench/guarded.py               everything (`make bench`)
python bench/guarded.py --no-report linear steps    some parts, printed only
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import core
import http_streams
import turns
import whole_bot
from board import Board
from prose import read_answers

REPORT = Path(__file__).parent / "reports" / "bench.md"
PARTS = core.PARTS | turns.PARTS | http_streams.PARTS | whole_bot.PARTS
HEAD = """\
# Guarded numbers

Made by `make bench` (`bench/guarded.py`; `bench/README.md` says how each number is measured).

| | |
|---|---|
| date | {date} |
| machine | {cores} cores, {system}, Python {python} |
| load | {load_before} before, {load_after} after (1 minute average) |
| took | {minutes:.0f} minutes |
| answers | {answers} |
| result | {result} |

"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure every guarded number of the design.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--no-report", action="store_true", help=f"do not write {REPORT.name}")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no part named {', '.join(sorted(unknown))}")
    board = Board()
    began, load_before = perf_counter(), os.getloadavg()[0]
    for name in arguments.parts or PARTS:
        PARTS[name](board)
    result = f"{board.missed} limits missed" if board.missed else "all limits kept"
    print(f"\n{result}")
    if not arguments.no_report:
        texts, origin = read_answers()
        head = HEAD.format(
            date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            cores=os.cpu_count(),
            system=platform.system(),
            python=platform.python_version(),
            load_before=f"{load_before:.1f}",
            load_after=f"{os.getloadavg()[0]:.1f}",
            minutes=(perf_counter() - began) / 60,
            answers=f"{len(texts)} ({origin})",
            result=result,
        )
        REPORT.write_text(head + board.as_markdown(), encoding="utf-8")
    return int(board.missed > 0)


if __name__ == "__main__":
    sys.exit(main())

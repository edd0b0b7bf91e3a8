"""Run the parts of a benchmark that the command line names."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import perf_counter

from board import Board

Part = Callable[[Board], None]


def run_parts(parts: dict[str, Part]) -> int:
    """Run the named parts, by default all, print their table, and return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(parts)} (default: all)")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(parts):
        parser.error(f"no part named {', '.join(sorted(unknown))}")
    board = Board()
    began = perf_counter()
    for name in arguments.parts or parts:
        parts[name](board)
    print(
        f"\n{board.missed} limits missed, {perf_counter() - began:.0f} s on Python {sys.version.split()[0]}"
    )
    return int(board.missed > 0)

"""The worker process that draws diagrams or formulas: hostile text, so limited memory and time, no files, no secrets.

Usage: `python -m streamcord._render.drawing_worker diagram [REGULAR BOLD]`, with fonts, or `formula`. A job on standard
input is the length of a text in four bytes and the text in UTF-8; the answer on standard output is the length of a PNG
and the PNG, or a length of 0 for a text that cannot be drawn. A text that needs more than its limits ends the process.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable
from importlib import import_module
from typing import BinaryIO

from .._common.process_limits import close_files, limit_memory, limit_time

MEMORY_CAP = 256 * 1024 * 1024
"""Bytes of the whole process."""
CPU_LIMIT_S = 1.8
"""Seconds of processor time for one picture: less than two, also where the clock is coarse."""
NICENESS = 10
"""The niceness of the worker, so that answers have priority."""
SAMPLES = {"diagram": "graph LR\nA --> B", "formula": r"\frac{a}{b}"}
"""What is drawn first, so that everything is loaded before files are closed."""


def serve(jobs: BinaryIO, answers: BinaryIO, draw: Callable[[str], bytes]) -> None:
    """Draw until there are no more jobs."""
    while len(head := jobs.read(4)) == 4:
        text = jobs.read(struct.unpack(">I", head)[0]).decode("utf-8", "replace")
        limit_time(CPU_LIMIT_S)
        picture = _try(draw, text)
        limit_time(0)
        answers.writelines([struct.pack(">I", len(picture)), picture])
        answers.flush()


def _try(draw: Callable[[str], bytes], text: str) -> bytes:
    try:
        return draw(text)
    except MemoryError:
        raise
    except Exception:
        # A mistake in the text raises almost anything; the caller shows the text.
        return b""


def main() -> None:
    """Serve until standard input ends."""
    limit_memory(MEMORY_CAP)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    kind, *fonts = sys.argv[1:]
    drawing = import_module(f"{__package__}.{kind}_image")
    drawing.use_fonts(fonts)
    draw: Callable[[str], bytes] = drawing.draw
    draw(SAMPLES[kind])
    close_files()
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, draw)
    except (MemoryError, RecursionError):
        os._exit(1)


if __name__ == "__main__":
    main()

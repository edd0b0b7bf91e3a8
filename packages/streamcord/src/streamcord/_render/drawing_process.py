"""Draw diagrams and formulas in a worker process of their own, which is started on demand and ends when idle.

A model's text can make a drawing library busy for minutes, or fill the memory. A thread could not be stopped, and
would hold the interpreter's lock meanwhile. See `drawing_worker` for the limits.
"""

from __future__ import annotations

import logging
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

SECONDS = 10.0
"""Seconds that one picture may take on the clock, with the start of the process; its processor time is limited too."""
IDLE_TIMEOUT_S = 60.0
"""Seconds after which a process that has nothing to do ends."""
MAX_WAITING = 4
"""Pictures that may wait or be drawn; a further one is refused, so that the threads of the program stay free."""
MAX_PICTURE_BYTES = 8 * 1024 * 1024

_MODULE = "streamcord._render.drawing_worker"
_SOURCES = str(Path(__file__).parents[2])
_NEEDED = frozenset({"LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT"})

_log = logging.getLogger(__name__)


class DrawingProcess:
    """Draws one picture at a time. Its methods block, so call them in a thread."""

    def __init__(
        self, kind: str, fonts: Sequence[str] = (), *, seconds: float = SECONDS, idle: float = IDLE_TIMEOUT_S
    ) -> None:
        self._kind = kind
        # Files of a regular and a bold font, if not the usual ones.
        self._fonts = fonts
        self._seconds = seconds
        self._idle = idle
        # Held while a picture is drawn.
        self._lock = threading.Lock()
        # Counts the callers that wait for the lock or hold it.
        self._slots = threading.BoundedSemaphore(MAX_WAITING)
        # The worker; None before the first picture and after it ended.
        self._process: subprocess.Popen[bytes] | None = None
        # Ends the worker after `idle` seconds.
        self._timer: threading.Timer | None = None

    def draw(self, code: str) -> bytes:
        """Return the picture as PNG; empty if it cannot be drawn within the limits."""
        if not self._slots.acquire(blocking=False):
            _log.warning("too many %ss wait to be drawn; showing this one as code", self._kind)
            return b""
        try:
            with self._lock:
                return self._draw(code.encode("utf-8", "replace"))
        finally:
            self._slots.release()

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._end()

    def _draw(self, text: bytes) -> bytes:
        if self._timer is not None:
            self._timer.cancel()
        process = self._process = self._process or self._start()
        # Reading from a pipe cannot be interrupted, but the end of the process ends it.
        alarm = threading.Timer(self._seconds, process.kill)
        alarm.daemon = True
        alarm.start()
        try:
            assert process.stdin is not None
            process.stdin.write(struct.pack(">I", len(text)) + text)
            process.stdin.flush()
            picture = _read_picture(process)
        except (OSError, EOFError):
            _log.info("a %s took more time or memory than allowed; showing it as code", self._kind)
            self._end()
            return b""
        finally:
            alarm.cancel()
        self._timer = threading.Timer(self._idle, self.close)
        self._timer.daemon = True
        self._timer.start()
        return picture

    def _start(self) -> subprocess.Popen[bytes]:
        known = {name: value for name, value in os.environ.items() if name.upper() in _NEEDED}
        return subprocess.Popen(  # noqa: S603 - our own module
            # No bytecode is written, and nothing is imported from the folder where the program happens to run.
            [sys.executable, "-B", "-P", "-m", _MODULE, self._kind, *self._fonts],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            # One arena: each reserves 64 MB of addresses, which count as memory.
            env={**known, "PYTHONPATH": _SOURCES, "MALLOC_ARENA_MAX": "1"},
        )

    def _end(self) -> None:
        process, self._process = self._process, None
        if self._timer is not None:
            self._timer.cancel()
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                # What was not written is lost with the process.
                with suppress(OSError):
                    pipe.close()
        process.wait()


def _read_picture(process: subprocess.Popen[bytes]) -> bytes:
    """Read one answer; raises `EOFError` if the process has ended."""
    assert process.stdout is not None
    head = process.stdout.read(4)
    if len(head) < 4:
        raise EOFError
    (length,) = struct.unpack(">I", head)
    if length > MAX_PICTURE_BYTES:
        raise EOFError
    picture = process.stdout.read(length)
    if len(picture) < length:
        raise EOFError
    return picture

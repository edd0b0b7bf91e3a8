"""The input line at the bottom of the terminal, with the typing indicator above it.

Needs prompt_toolkit; without it the demo reads whole lines from standard input.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle

if sys.platform != "win32":
    import termios

# The typing indicator appears and expires without a key press.
REFRESH_INTERVAL_S = 0.5


class PromptLine:
    """Reads lines with editing keys and history; draws `status` above `prompt`."""

    def __init__(self) -> None:
        # Both are called for every redraw: the channel changes, and typing starts and ends.
        self.prompt: Callable[[], str] = lambda: "> "
        self.status: Callable[[], str] = lambda: ""
        # What may follow the typed text, for the Tab key.
        self.complete: Callable[[str], Iterable[str]] = lambda _: ()
        # Called for Ctrl-C; the demo ends if it returns false.
        self.interrupt: Callable[[], bool] = lambda: False
        self._session: PromptSession[str] = PromptSession(
            self._message,
            refresh_interval=REFRESH_INTERVAL_S,
            # The line comes back as a message of the channel, so the typed copy is removed.
            erase_when_done=True,
            completer=_LineCompleter(self),
            complete_while_typing=False,
            # The menus of prompt_toolkit keep eight empty lines below the prompt.
            complete_style=CompleteStyle.READLINE_LIKE,
            key_bindings=self._key_bindings(),
        )

    def _key_bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        @bindings.add("c-c")
        def _(event: KeyPressEvent) -> None:
            # Ctrl-C ends the demo as a signal does: by cancelling the task that waits for this line.
            if not self.interrupt():
                event.app.exit(exception=asyncio.CancelledError())

        return bindings

    def _message(self) -> StyleAndTextTuples:
        status = self.status()
        indicator: StyleAndTextTuples = [("ansibrightblack", f"{status}\n")] if status else []
        return [*indicator, ("", self.prompt())]

    async def read_lines(self, receive: Callable[[str], None]) -> None:
        """Pass each typed line to `receive`, until Ctrl-D on an empty line."""
        while True:
            try:
                typed = await self._session.prompt_async()
            except EOFError:
                return
            # Pasted text may have several lines. Each is run as if it were typed.
            for line in typed.splitlines() or [""]:
                receive(line)


class _LineCompleter(Completer):
    """Completes the whole line."""

    def __init__(self, line: PromptLine) -> None:
        self._line = line

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:  # noqa: ARG002
        typed = document.text_before_cursor
        return (Completion(one, -len(typed)) for one in self._line.complete(typed))


@contextmanager
def open_prompt_line() -> Iterator[PromptLine]:
    """Create an input line that stays below everything that is printed inside the block."""
    # `raw` keeps the escape sequences that rich writes.
    with pass_ctrl_d_through(), patch_stdout(raw=True):
        yield PromptLine()


@contextmanager
def pass_ctrl_d_through() -> Iterator[None]:
    """Deliver Ctrl-D as a key also while the terminal is in line mode.

    prompt_toolkit leaves raw mode for every line that is printed above the prompt, and between two prompts. A Ctrl-D
    that is pressed at that time is an end of file to the terminal driver, and a NUL as soon as raw mode is back, so the
    key would be lost.
    """
    # On Windows no terminal driver interprets the key.
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    changed = termios.tcgetattr(terminal)
    changed[6][termios.VEOF] = bytes([os.fpathconf(terminal, "PC_VDISABLE") & 0xFF])
    termios.tcsetattr(terminal, termios.TCSANOW, changed)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)

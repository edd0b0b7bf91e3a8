"""Runs the lines that are typed, read from a file or part of the tour, each at the right time."""

from __future__ import annotations

import asyncio
import codecs
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

from .tour import Tour
from .user import DemoUser, until

BUTTON_TIMEOUT_S = 3.0


class DemoSession:
    """Runs lines; a line waits for the answer to the one before it, unless it is typed."""

    def __init__(self, person: DemoUser, page: str = "") -> None:
        self.person = person
        self.over = asyncio.Event()
        # The address of the web UI, for `:page`.
        self._page = page
        # Messages of bots before the last line was run; more than that means an answer.
        self._before = 0
        # Whether the last line expects an answer.
        self._waits = False
        # The tour that a user walks through with Enter.
        self._tour: Tour | None = None
        # The step of the tour that runs; the user may type while it does.
        self._step: asyncio.Task[None] | None = None

    async def play(self, lines: AsyncIterator[str]) -> int:
        """Run a whole script; returns how many lines failed."""
        failures = 0
        async for line in lines:
            # Comments of a script; `#name` without a space opens a channel.
            if line.strip() and not line.startswith(("# ", ";")):
                failures += not await self.follow(line.rstrip("\r\n"))
            if self.over.is_set():
                break
        await self.wait_for_answer()
        return failures

    async def follow(self, line: str) -> bool:
        """Run a line when the last answer is complete; `:after N LINE` when it has N messages."""
        word, _, rest = line.partition(" ")
        if word == ":after":
            count, _, line = rest.partition(" ")
            wanted = int(count) if count.isascii() and count.isdecimal() else 1
            await self.person.wait_for(self._before + wanted, self._before)
        else:
            await self.wait_for_answer()
        if line.strip() == ":tour":
            return await self._walk()
        if line.startswith(":press "):
            await self._await_button(line.removeprefix(":press ").strip())
        return self.take(line)

    async def wait_for_answer(self) -> None:
        """Wait until the last line is answered."""
        if self._waits:
            await self.person.wait(self._before)
            self._waits = False

    async def _await_button(self, label: str) -> None:
        """Wait for a button: it comes a moment after its message."""
        await until(lambda: self.person.find_button(label) or self.person.is_answered, BUTTON_TIMEOUT_S)

    async def _walk(self) -> bool:
        """Run the whole tour; returns whether all of its lines worked."""
        results: list[bool] = []

        async def do(line: str) -> None:
            results.append(await self.follow(line))

        tour = Tour(self.person, do)
        while not tour.is_over:
            tour.announce(hint="")
            await tour.step()
            await self.wait_for_answer()
        return all(results)

    async def _do(self, line: str) -> None:
        await self.follow(line)

    # --- Typed lines ------------------------------------------------------------------------------

    def type(self, line: str) -> None:
        """Run a typed line at once; it may interrupt the bot."""
        line = line.strip()
        if self._tour is not None and line in {"", ":leave"}:
            self._continue_tour(leave=line == ":leave")
        elif line == ":tour":
            self._tour = Tour(self.person, self._do)
            self._tour.announce()
        elif line:
            self.take(line)

    def _continue_tour(self, *, leave: bool) -> None:
        assert self._tour is not None
        if leave:
            self._tour = None
            self.person.screen.print_quiet("  The tour is over; :tour starts it again.")
        elif self._step is None or self._step.done():
            self._step = asyncio.create_task(self._take_step(self._tour))

    async def _take_step(self, tour: Tour) -> None:
        await tour.step()
        await self.wait_for_answer()
        # The user has left the tour while this step ran.
        if tour is not self._tour:
            return
        if tour.is_over:
            self._tour = None
        else:
            tour.announce()

    def take(self, line: str) -> bool:
        """Run a line; an error is printed."""
        self._before, self._waits = self.person.bot_messages, not line.startswith((":", "#"))
        try:
            left = self.person.do(line)
        except (LookupError, OSError) as error:
            self.person.screen.print_quiet(f"  {_reason(error)}")
            self._waits = False
            return False
        # Of the commands of this window only these make the bot answer.
        if line.startswith((":reply", ":file", ":press")):
            self._waits = True
        return self._take_own(left)

    def _take_own(self, word: str) -> bool:
        if word in {":quit", ":q"}:
            self.over.set()
        elif word == ":page":
            self.person.screen.print_quiet(f"  {self._page}")
        elif word == ":leave":
            self.person.screen.print_quiet("  There is no tour to leave.")
        elif word:
            self.person.screen.print_quiet(f"  {word} is not known; :help")
            return False
        return True

    async def close(self) -> None:
        """End what still runs."""
        if self._step is not None:
            self._step.cancel()
            await asyncio.gather(self._step, return_exceptions=True)


def _reason(error: LookupError | OSError) -> str:
    """Why a line could not be done."""
    if isinstance(error, OSError):
        return f"cannot read {error.filename}: {error.strerror}"
    return str(error.args[0])


async def read_lines(path: str) -> AsyncIterator[str]:
    """The lines of a file, or of standard input as they come."""
    if path != "-":
        for line in await asyncio.to_thread(_read, path):
            yield line
        return
    lines: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    # A daemon thread: input may stay open for ever, and Ctrl-C must end the demo all the same.
    threading.Thread(target=_pass_on, args=(sys.stdin.fileno(), lines, loop), daemon=True).start()
    while line := await lines.get():
        yield line


def _pass_on(descriptor: int, lines: asyncio.Queue[str], loop: asyncio.AbstractEventLoop) -> None:
    """Put each line of standard input into the queue, then an empty text.

    It is read without `sys.stdin`, which would be locked when the program ends.
    """
    decoder, half = codecs.getincrementaldecoder("utf-8")("replace"), ""
    with suppress(RuntimeError):  # the demo is over
        while content := os.read(descriptor, 65536):
            *whole, half = (half + decoder.decode(content)).split("\n")
            for line in whole:
                loop.call_soon_threadsafe(lines.put_nowait, f"{line}\n")
        for line in (half + decoder.decode(b"", final=True), ""):
            loop.call_soon_threadsafe(lines.put_nowait, line)


def _read(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  (may be a pipe)
        return file.readlines()

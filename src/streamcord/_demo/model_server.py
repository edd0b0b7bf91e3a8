"""Runs the model in a process of its own, for as long as a block lasts."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from .weights import Weights

__all__ = ["ModelFailed", "ModelServer"]

PATIENCE = 60.0
"""Seconds that loading may take; on an idle machine it is one."""


class ModelFailed(Exception):
    """The model did not start; says why, if it said so itself."""


class ModelServer:
    """An OpenAI-compatible server on loopback; `base_url` is where its API lives.

    The child reads its standard input and ends with it, so nothing is left over however we end.
    """

    def __init__(self, weights: Weights, threads: int = 0) -> None:
        self._weights = weights
        # One thread per two cores is the fastest that still leaves room for everybody else.
        self._threads = threads or max(1, (os.cpu_count() or 2) // 2)
        self._process: asyncio.subprocess.Process | None = None
        self.base_url = ""

    @property
    def pid(self) -> int:
        """The process, while it runs."""
        return self._process.pid if self._process else 0

    async def __aenter__(self) -> Self:
        script = Path(__file__).with_name("serve_model.py")
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(script),
            str(self._weights.file),
            str(self._threads),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # Ctrl-C in the terminal is for us; we end the model when all is said.
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(self._weights.folder)},
        )
        try:
            await self._hear_address(self._process)
        except BaseException:
            await self._end()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._end()

    async def _hear_address(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            async with asyncio.timeout(PATIENCE):
                while not self.base_url:
                    line = (await process.stdout.readline()).decode(errors="replace").strip()
                    if line.startswith("http://127.0.0.1:"):
                        self.base_url = f"{line}/v1"
                    elif not line and process.stdout.at_eof():
                        raise ModelFailed(f"its process ended with {await process.wait()}")
        except TimeoutError:
            raise ModelFailed(f"it was not loaded in {PATIENCE:.0f} seconds") from None

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except (TimeoutError, asyncio.CancelledError):
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

"""A channel in the terminal: messages as they arrive, and a line that says who is typing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TextIO

from streamcord import Message, Receipt, TurnResult

from .outcome import describe_message
from .plain import mask_controls

__all__ = ["Terminal"]

_ERASE = "\r\x1b[K"


class Terminal:
    """A transport that prints; `clock` is the time shown on the left."""

    def __init__(
        self, out: TextIO, status: TextIO, name: str, clock: Callable[[], float], *, as_json: bool = False
    ) -> None:
        self._out = out
        # The typing line is drawn over, which only a terminal can.
        self._status = status if status.isatty() and not as_json else None
        self._name = mask_controls(name)
        self._clock = clock
        self._began = clock()
        self._json = as_json
        self._count = 0
        self._typing = False

    async def send(self, message: Message) -> Receipt:
        """Print one message."""
        self.clear()
        self._count += 1
        at = round(self._clock() - self._began, 3)
        if self._json:
            self._print({"type": "message", "at": at, **describe_message(message)})
        else:
            for index, line in enumerate(_lines(message)):
                stamp = f"{at:.1f} s" if index == 0 else ""
                print(f"{stamp:>9} | {line}", file=self._out, flush=True)
        return Receipt(message, self._count)

    async def typing(self) -> None:
        """Show the typing line until the next message."""
        if self._status and not self._typing:
            self._typing = True
            self._status.write(f"{_ERASE}{'':9}   {self._name} is typing ...")
            self._status.flush()

    def clear(self) -> None:
        """Take the typing line away."""
        if self._status and self._typing:
            self._typing = False
            self._status.write(_ERASE)
            self._status.flush()

    def close(self, result: TurnResult) -> None:
        """Print how it ended."""
        self.clear()
        if self._json:
            self._print({"type": "result", **_describe(result)})
            return
        parts = [f"{self._count} message{'' if self._count == 1 else 's'}"]
        if result.usage:
            parts.append(f"{result.usage.output_tokens} tokens")
        if thought := len(result.thoughts.raw) + len(result.thoughts.summary):
            parts.append(f"{thought} characters of thought")
        print(f"\n{'':9}   {result.ending.value}: {', '.join(parts)}", file=self._out, flush=True)

    def _print(self, values: dict[str, Any]) -> None:
        print(json.dumps(values), file=self._out, flush=True)


def _lines(message: Message) -> list[str]:
    """A message as lines: its words, then its files with what they would be read out as."""
    lines = mask_controls(message.content).split("\n") if message.content else []
    for file in message.files:
        lines += [f"[{file.name}]", *(f"  {line}" for line in mask_controls(file.alt).split("\n") if line)]
    return lines


def _describe(result: TurnResult) -> dict[str, Any]:
    """How a turn ended, as JSON values."""
    return {
        "ending": result.ending.value,
        "text": result.text,
        "thoughts": {"summary": result.thoughts.summary, "raw": result.thoughts.raw},
        "tool_calls": [{"name": call.name, "arguments": dict(call.arguments)} for call in result.tool_calls],
        "dropped": [{"text": piece.text, "reason": piece.reason} for piece in result.dropped],
        "usage": asdict(result.usage) if result.usage else None,
        "counts": asdict(result.counts),
    }

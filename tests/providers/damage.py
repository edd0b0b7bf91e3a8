"""Streams that are damaged by seed: a thousand a second, so that a hundred thousand take minutes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["COUNT", "FIRST", "damaged", "streams_of"]

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
COUNT = 100_000 if LONG else 400
FIRST = Random().randrange(1 << 40) if LONG else 0
"""The first seed: a short run repeats itself, a long one never does."""

FIXTURES = Path(__file__).parent / "fixtures"

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**70, 1e308, "", "x", "stop", "error", "\ud83d", "\0", [], [[]], {},
    {"": []}, [None], {"text": 1}, "[DONE]", "data: x", [{"index": None}], {"type": "error"}, {"error": {}},
)  # fmt: skip
_PIECES = (
    b"\n", b"\r", b"\r\n\r\n", b"\n\n", b":", b"data:", b"event: error\n", b"\xef\xbb\xbf", b"\xff",
    b"\xe2\x80", b"\0", b"{", b"}", b'"', b"[DONE]", b"null", b"\\u", b"\\ud83d", b"data: {}\n\n",
    b"data: [DONE]\n\n", b" " * 50,
)  # fmt: skip
_VALUE = re.compile(rb'"[^"\\]{0,40}"|-?\d+|true|false|null|\[\]|\{\}')


def streams_of(dialect: str) -> list[bytes]:
    """All fixtures of a dialect."""
    return [path.read_bytes() for path in sorted((FIXTURES / dialect).glob("*.sse"))]


def damaged(stream: bytes, others: list[bytes], dice: Random) -> bytes:
    """The stream with one to four faults in it."""
    for _ in range(dice.randint(1, 4)):
        stream = dice.choice(_FAULTS)(stream, others, dice)
    return stream


def _replace_value(stream: bytes, _: list[bytes], dice: Random) -> bytes:
    """Some JSON value becomes another."""
    start = dice.randrange(len(stream) or 1)
    found = _VALUE.search(stream, start) or _VALUE.search(stream)
    if found is None:
        return stream
    return stream[: found.start()] + json.dumps(dice.choice(_VALUES)).encode() + stream[found.end() :]


def _put_in(stream: bytes, _: list[bytes], dice: Random) -> bytes:
    at = dice.randrange(len(stream) + 1)
    return stream[:at] + dice.choice(_PIECES) + stream[at:]


def _cut_out(stream: bytes, _: list[bytes], dice: Random) -> bytes:
    at = dice.randrange(len(stream) + 1)
    return stream[:at] + stream[at + dice.randint(1, 60) :]


def _cut_off(stream: bytes, _: list[bytes], dice: Random) -> bytes:
    return stream[: dice.randrange(len(stream) + 1)]


def _flip(stream: bytes, _: list[bytes], dice: Random) -> bytes:
    at = dice.randrange(len(stream) or 1)
    return stream[:at] + bytes([dice.randrange(256)]) + stream[at + 1 :]


def _shuffle(stream: bytes, _: list[bytes], dice: Random) -> bytes:
    """Events in another order, some of them twice."""
    events = stream.split(b"\n\n")
    return b"\n\n".join(dice.choices(events, k=len(events)))


def _join(stream: bytes, others: list[bytes], dice: Random) -> bytes:
    """The beginning of one stream and the end of another."""
    other = dice.choice(others)
    return stream[: dice.randrange(len(stream) + 1)] + other[dice.randrange(len(other) + 1) :]


_FAULTS: tuple[Callable[[bytes, list[bytes], Random], bytes], ...] = (
    _replace_value,
    _replace_value,
    _replace_value,
    _put_in,
    _cut_out,
    _cut_off,
    _flip,
    _shuffle,
    _join,
)

"""A plain picture to serve as an avatar, where nobody has given one."""

from __future__ import annotations

import struct
import zlib

from streamcord._shared.image_kinds import PNG_SIGNATURE

__all__ = ["plain_png"]


def plain_png(seed: int, side: int = 32) -> bytes:
    """A square of one colour that follows from `seed`."""
    colour = bytes(64 + (seed >> shift) % 160 for shift in (0, 8, 16))
    rows = (b"\x00" + colour * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        PNG_SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

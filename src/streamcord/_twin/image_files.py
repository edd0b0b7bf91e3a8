"""Just enough about image files: their size, and a plain picture to serve as an avatar."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib

__all__ = ["image_size", "plain_png", "read_data_uri"]

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = frozenset({0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF})


def image_size(content: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF or JPEG."""
    if content.startswith(_PNG) and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        return width, height
    if content[:6] in {b"GIF87a", b"GIF89a"} and len(content) >= 10:
        width, height = struct.unpack("<HH", content[6:10])
        return width, height
    return _jpeg_size(content) if content.startswith(b"\xff\xd8") else None


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker, length = content[at + 1], struct.unpack(">H", content[at + 2 : at + 4])[0]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + max(2, length)
    return None


def read_data_uri(uri: str) -> bytes | None:
    """The bytes of `data:image/png;base64,…`, or nothing if it is no such thing."""
    head, _, encoded = uri.partition(",")
    if not (head.startswith("data:image/") and head.endswith(";base64")):
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return None


def plain_png(seed: int, side: int = 32) -> bytes:
    """A square of one colour that follows from `seed`."""
    colour = bytes(64 + (seed >> shift) % 160 for shift in (0, 8, 16))
    rows = (b"\x00" + colour * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return _PNG + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

"""Files that strangers might send to hurt the bot: pictures that are larger than they say, part by part."""

from __future__ import annotations

import io
import struct
import zlib
from functools import cache

from PIL import Image

__all__ = [
    "PNG",
    "animated_png",
    "draw",
    "gif",
    "gif_frame",
    "jpeg",
    "jpeg_frame",
    "png",
    "png_chunk",
    "webp",
    "webp_part",
]

PNG = b"\x89PNG\r\n\x1a\n"


def draw(kind: str, width: int = 20, height: int = 10, **options: object) -> bytes:
    """An honest picture."""
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), (10, 200, 30)).save(buffer, kind, **options)
    return buffer.getvalue()


# --- PNG ------------------------------------------------------------------------------------------------


def png_chunk(kind: bytes, content: bytes) -> bytes:
    """One chunk with its check sum."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png_header(width: int, height: int) -> bytes:
    return png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))


def png(*sizes: tuple[int, int], between: bytes = b"") -> bytes:
    """A grey PNG with a header for each size; its pixels are the first rows of the last one."""
    width, height = sizes[-1]
    packed = _rows(width, min(height, 8))
    headers = b"".join(png_header(*size) for size in sizes)
    return PNG + headers + between + png_chunk(b"IDAT", packed) + png_chunk(b"IEND", b"")


@cache
def _rows(width: int, height: int) -> bytes:
    return zlib.compress(bytes(width + 1) * height, 9)


def animated_png(width: int, height: int, left: int = 0, top: int = 0) -> bytes:
    """A PNG of one pixel whose animation has one frame of this size, there."""
    control = struct.pack(">IIIIIHHBB", 0, width, height, left, top, 1, 10, 0, 0)
    return png((1, 1), between=png_chunk(b"acTL", struct.pack(">II", 1, 0)) + png_chunk(b"fcTL", control))


# --- GIF ------------------------------------------------------------------------------------------------


def gif_frame(width: int, height: int, left: int = 0, top: int = 0) -> bytes:
    """One frame with next to no pixels."""
    return b"\x2c" + struct.pack("<HHHHB", left, top, width, height, 0) + b"\x02\x02\x4c\x01\x00"


def gif(screen: tuple[int, int], *parts: bytes) -> bytes:
    """A GIF with this screen, a palette of two colours, and these parts."""
    head = b"GIF89a" + struct.pack("<HHBBB", *screen, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    return head + b"".join(parts) + b"\x3b"


# --- JPEG -----------------------------------------------------------------------------------------------


def jpeg_frame(width: int, height: int, marker: int = 0xC0) -> bytes:
    """The header of a frame in three colours."""
    content = struct.pack(">BHHB", 8, height, width, 3) + b"\x01\x11\0\x02\x11\0\x03\x11\0"
    return bytes((0xFF, marker)) + struct.pack(">H", len(content) + 2) + content


@cache
def _honest_jpeg() -> bytes:
    return draw("JPEG")


def jpeg(*parts: bytes) -> bytes:
    """An honest JPEG with these bytes before its pixels."""
    honest = _honest_jpeg()
    scan = honest.index(b"\xff\xda")
    return honest[:scan] + b"".join(parts) + honest[scan:]


# --- WebP -----------------------------------------------------------------------------------------------


def webp_part(kind: bytes, content: bytes) -> bytes:
    """One part, with an even length."""
    return kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def webp(*parts: bytes) -> bytes:
    """A WebP of these parts."""
    content = b"WEBP" + b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(content)) + content


def webp_canvas(width: int, height: int) -> bytes:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp_part(b"VP8X", b"\x02\0\0\0" + sides)


def webp_frame(width: int, height: int, picture: bytes, left: int = 0, top: int = 0) -> bytes:
    numbers = (left // 2, top // 2, width - 1, height - 1, 100)
    return webp_part(b"ANMF", b"".join(one.to_bytes(3, "little") for one in numbers) + b"\0" + picture)


def webp_lossless(width: int, height: int) -> bytes:
    return webp_part(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + bytes(8))


def webp_lossy(width: int, height: int) -> bytes:
    return webp_part(b"VP8 ", b"\x10\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(8))

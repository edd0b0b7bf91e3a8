"""Pictures that strangers bring: what they are by their own bytes, and whether they are safe to pass on.

Nothing here decodes a pixel. A bomb is a small file that says it is a huge picture, so the size that the file
itself names is held against a cap before anybody decodes it.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

__all__ = ["PICTURE_CAP", "SIDE_CAP", "PictureError", "Seen", "look_at"]

PICTURE_CAP = 8 * 1024 * 1024
"""Bytes of one picture."""
SIDE_CAP = 4096
"""Pixels of its width or height."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD8)})


class PictureError(ValueError):
    """A file cannot be used as a picture; the message is for the person who brought it."""


class Seen(NamedTuple):
    """What a file is."""

    kind: str
    width: int
    height: int


def look_at(content: bytes) -> Seen:
    """The kind and size of a picture that may be kept and shown."""
    if len(content) > PICTURE_CAP:
        raise PictureError(f"The picture is larger than {PICTURE_CAP // 2**20} MB: send a smaller one.")
    seen = _find_kind(content)
    if seen is None or not (seen.width and seen.height):
        raise PictureError("That is not a picture: send a PNG, JPEG, GIF or WebP.")
    if max(seen.width, seen.height) > SIDE_CAP:
        raise PictureError(
            f"The picture is {seen.width} × {seen.height} pixels: at most {SIDE_CAP} × {SIDE_CAP} are taken."
        )
    return seen


def _find_kind(content: bytes) -> Seen | None:
    try:
        if content.startswith(_PNG) and content[12:16] == b"IHDR":
            return Seen("image/png", *struct.unpack_from(">II", content, 16))
        if content[:6] in {b"GIF87a", b"GIF89a"}:
            return Seen("image/gif", *struct.unpack_from("<HH", content, 6))
        if content.startswith(b"\xff\xd8\xff"):
            return _jpeg(content)
        if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
            return _webp(content)
    except (struct.error, IndexError):
        pass
    return None


def _jpeg(content: bytes) -> Seen | None:
    """Segment by segment to the frame, which has the size (ITU T.81, B.2.2)."""
    at = 2
    while content[at] == 0xFF:
        marker = content[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", content, at + 5)
            return Seen("image/jpeg", width, height)
        if marker == 0xFF or marker in _JPEG_BARE:
            at += 1 if marker == 0xFF else 2
        else:
            at += 2 + max(2, struct.unpack_from(">H", content, at + 2)[0])
    return None


def _webp(content: bytes) -> Seen | None:
    """One of three layouts (https://developers.google.com/speed/webp/docs/riff_container)."""
    match content[12:16]:
        case b"VP8X":
            width, height = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
            return Seen("image/webp", width, height) if len(content) >= 30 else None
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", content, 21)
            return Seen("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", content, 26)
            return Seen("image/webp", width & 0x3FFF, height & 0x3FFF)
    return None

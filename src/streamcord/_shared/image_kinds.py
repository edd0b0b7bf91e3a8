"""Image files by their own bytes: which kind one is and how large its picture, without decoding a pixel.

The four kinds are those that Discord takes as avatars, emoji and pictures: PNG, JPEG, GIF and WebP.
"""

from __future__ import annotations

import base64
import binascii
import struct
from typing import NamedTuple

__all__ = ["PNG_SIGNATURE", "ImageSize", "as_data_uri", "image_kind", "image_size", "read_data_uri"]

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"

_SIGNATURES = {
    "png": (PNG_SIGNATURE,),
    "jpeg": (b"\xff\xd8\xff",),
    "gif": (b"GIF87a", b"GIF89a"),
    "webp": (b"RIFF",),
}
# Every C4, C8 and CC is a table; the other markers of this range open a frame, which has the size.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Markers without a length behind them.
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD8)})


class ImageSize(NamedTuple):
    """The width and height of a picture in pixels, as its file says."""

    width: int
    height: int


def image_kind(content: bytes) -> str | None:
    """`png`, `jpeg`, `gif` or `webp` by the first twelve bytes of a file, or `None` for anything else."""
    for kind, signatures in _SIGNATURES.items():
        if content.startswith(signatures):
            # RIFF is a container for many formats; which one it is stands behind its length.
            return kind if kind != "webp" or content[8:12] == b"WEBP" else None
    return None


def image_size(content: bytes) -> ImageSize | None:
    """The size that the file itself names, or `None` where it names none or is cut off before it."""
    try:
        match image_kind(content):
            case "png" if content[12:16] == b"IHDR":
                return ImageSize(*struct.unpack_from(">II", content, 16))
            case "gif":
                return ImageSize(*struct.unpack_from("<HH", content, 6))
            case "jpeg":
                return _jpeg_size(content)
            case "webp":
                return _webp_size(content)
    except (struct.error, IndexError):
        pass
    return None


def as_data_uri(content: bytes) -> str:
    """A `data:image/…;base64,…` address that holds the whole picture; `ValueError` for another file."""
    kind = image_kind(content)
    if kind is None:
        raise ValueError("not a PNG, JPEG, GIF or WebP picture")
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def read_data_uri(uri: str) -> bytes | None:
    """The bytes of a `data:image/…;base64,…` address, or `None` if it is no such address."""
    head, _, encoded = uri.partition(",")
    if not (head.startswith("data:image/") and head.endswith(";base64")):
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return None


def _jpeg_size(content: bytes) -> ImageSize | None:
    """Walk from segment to segment up to the frame, which has the size (ITU T.81, B.2.2)."""
    at = 2
    while content[at] == 0xFF:
        marker = content[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", content, at + 5)
            return ImageSize(width, height)
        if marker == 0xFF or marker in _JPEG_BARE:
            at += 1 if marker == 0xFF else 2
        else:
            at += 2 + max(2, struct.unpack_from(">H", content, at + 2)[0])
    return None


def _webp_size(content: bytes) -> ImageSize | None:
    """Read one of three layouts (https://developers.google.com/speed/webp/docs/riff_container)."""
    match content[12:16]:
        case b"VP8X":
            width, height = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
            return ImageSize(width, height) if len(content) >= 30 else None
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", content, 21)
            return ImageSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", content, 26)
            return ImageSize(width & 0x3FFF, height & 0x3FFF)
    return None

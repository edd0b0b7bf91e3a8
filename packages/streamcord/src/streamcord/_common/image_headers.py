"""Read the format and the size of an image from its header, without decoding pixels.

The four kinds are those that Discord takes as avatars, emoji and pictures: PNG, JPEG, GIF and WebP.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"

_SIGNATURES = {
    "png": (PNG_SIGNATURE,),
    "jpeg": (b"\xff\xd8\xff",),
    "gif": (b"GIF87a", b"GIF89a"),
    "webp": (b"RIFF",),
}
# Every C4, C8 and CC is a table; the other markers of this range open a frame, which has the size.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Markers that no length follows.
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
# The scan, which are the pixels, and the end.
_JPEG_END = frozenset({0xDA, 0xD9})
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xff]")

PART_CAP = 200_000
"""Maximum number of segments, blocks or chunks in one file."""
_PARTS = "it has too many parts"
_TWICE = "it names its size twice"


class ImageSize(NamedTuple):
    """The width and height of an image in pixels, as its header states.

    Example:
        size = image_size(content)
        print(size.width if size else "unknown")

    """

    width: int
    height: int


def image_kind(content: bytes) -> str | None:
    """Return `png`, `jpeg`, `gif` or `webp` by the first twelve bytes of a file, or `None`.

    Args:
        content: The file, or its beginning.

    Example:
        if image_kind(upload) is None:
            raise ValueError("this is not an image")

    """
    for kind, signatures in _SIGNATURES.items():
        if content.startswith(signatures):
            # RIFF is a container for many formats; the name of the format follows the length.
            return kind if kind != "webp" or content[8:12] == b"WEBP" else None
    return None


def image_size(content: bytes) -> ImageSize | None:
    """Return the size in the header, or `None` if it is missing or the file is cut off before it.

    Args:
        content: The file.

    Example:
        size = image_size(upload)
        is_too_wide = size is not None and size[0] > 4096

    """
    try:
        return next(frame_sizes(content), None)
    except ValueError:
        return None


def frame_sizes(content: bytes) -> Iterator[ImageSize]:
    """Yield every size that a decoder may use: the image's first, then each frame's.

    A file may say that it is tiny and hold a huge frame, or say its size twice: programs then disagree about
    it. So all of it is read, up to where no decoder reads on.

    Args:
        content: The file.

    Yields:
        Width and height in pixels.

    Raises:
        ValueError: The file contains twice what must occur once.

    Example:
        pixels = max(width * height for width, height in frame_sizes(upload))

    """
    match image_kind(content):
        case "png":
            sizes = _png_sizes(content)
        case "gif":
            sizes = _gif_sizes(content)
        case "jpeg":
            sizes = _jpeg_sizes(content)
        case "webp":
            sizes = _webp_sizes(content)
        case _:
            return
    with suppress(struct.error, IndexError):
        yield from sizes


def as_data_uri(content: bytes) -> str:
    """Return a `data:image/…;base64,…` URL with the whole image.

    Args:
        content: The file.

    Raises:
        ValueError: The image has another format than PNG, JPEG, GIF and WebP.

    Example:
        avatar = as_data_uri(Path("luna.png").read_bytes())

    """
    kind = image_kind(content)
    if kind is None:
        raise ValueError("not a PNG, JPEG, GIF or WebP picture")
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def read_data_uri(uri: str) -> bytes | None:
    """Return the bytes of a `data:image/…;base64,…` URL, or `None` if it is no such URL.

    Args:
        uri: The URL.

    Example:
        content = read_data_uri(persona.avatar or "")

    """
    head, _, encoded = uri.partition(",")
    if not (head.startswith("data:image/") and head.endswith(";base64")):
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return None


def _png_sizes(content: bytes) -> Iterator[ImageSize]:
    """Yield the size in the header and the extent of each animation frame (https://www.w3.org/TR/png-3/)."""
    at = len(PNG_SIGNATURE)
    for part in range(PART_CAP):
        length, kind = struct.unpack_from(">I4s", content, at)
        if part == 0 and kind != b"IHDR":
            return
        if kind == b"IHDR":
            if part:
                raise ValueError(_TWICE)
            yield ImageSize(*struct.unpack_from(">II", content, at + 8))
        elif kind == b"fcTL":
            yield _reach(*struct.unpack_from(">IIII", content, at + 12))
        elif kind == b"IEND":
            return
        at += 12 + length
    raise ValueError(_PARTS)


def _gif_sizes(content: bytes) -> Iterator[ImageSize]:
    """Yield the size of the logical screen and the extent of each frame, which may be far larger.

    (https://www.w3.org/Graphics/GIF/spec-gif89a.txt)
    """
    yield ImageSize(*struct.unpack_from("<HH", content, 6))
    at = 13 + _palette(content[10])
    for _ in range(PART_CAP):
        match content[at]:
            case 0x2C:
                left, top, width, height, flags = struct.unpack_from("<HHHHB", content, at + 1)
                yield _reach(width, height, left, top)
                at = _end_of_blocks(content, at + 11 + _palette(flags))
            case 0x21:
                at = _end_of_blocks(content, at + 2)
            case 0x00:
                at += 1  # some programs end a block twice
            case 0x3B:
                return
            case _:
                raise ValueError("it is damaged")
    raise ValueError(_PARTS)


def _palette(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _end_of_blocks(content: bytes, at: int) -> int:
    while size := content[at]:
        at += size + 1
    return at + 1


def _jpeg_sizes(content: bytes) -> Iterator[ImageSize]:
    """Walk from segment to segment up to the pixels; a frame has the size (ITU T.81, B.2.2).

    Bytes between two segments are skipped, as decoders do.
    """
    at, frames = 2, 0
    for _ in range(PART_CAP):
        found = _JPEG_MARKER.search(content, at)
        if found is None or found[0][1] in _JPEG_END:
            return
        marker, at = found[0][1], found.end()
        if marker in _JPEG_BARE:
            continue
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", content, at + 3)
            if frames:
                raise ValueError(_TWICE)
            frames += 1
            yield ImageSize(width, height)
        at += max(2, struct.unpack_from(">H", content, at)[0])
    raise ValueError(_PARTS)


def _webp_sizes(content: bytes) -> Iterator[ImageSize]:
    """Yield the sizes of the canvas, of each animation frame, and of the bitstreams.

    (https://developers.google.com/speed/webp/docs/riff_container)
    """
    at = 12
    for _ in range(PART_CAP):
        kind, length = struct.unpack_from("<4sI", content, at)
        at += 8
        match kind:
            case b"VP8X":
                yield ImageSize(_three_bytes(content, at + 4) + 1, _three_bytes(content, at + 7) + 1)
            case b"ANMF":
                left, top, width, height = (_three_bytes(content, at + 3 * place) for place in range(4))
                yield _reach(width + 1, height + 1, 2 * left, 2 * top)
                length = 16  # its picture follows as a part of its own
            case b"VP8L":
                (bits,) = struct.unpack_from("<I", content, at + 1)
                yield ImageSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
            case b"VP8 ":
                width, height = struct.unpack_from("<HH", content, at + 6)
                yield ImageSize(width & 0x3FFF, height & 0x3FFF)
        at += length + length % 2
    raise ValueError(_PARTS)


def _three_bytes(content: bytes, at: int) -> int:
    low, high = struct.unpack_from("<HB", content, at)
    return int(low | high << 16)


def _reach(width: int, height: int, left: int, top: int) -> ImageSize:
    return ImageSize(left + width, top + height)

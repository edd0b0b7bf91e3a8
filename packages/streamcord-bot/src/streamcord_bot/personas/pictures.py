"""Check untrusted pictures by their bytes, and read and write the text chunks of PNG files.

This module decodes no pixels. A decompression bomb is a small file with a huge picture, so the size of each frame is
checked against a limit before anything decodes it. Text chunks of a PNG may be compressed too, and a few bytes can
unpack to gigabytes, so unpacking stops at a limit.
(https://www.w3.org/TR/png-3/#11textinfo)
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from streamcord.utils import PNG_SIGNATURE, frame_sizes, image_kind, image_size

PICTURE_CAP = 8 * 1024 * 1024
"""Bytes of one picture."""
SIDE_CAP = 4096
"""Pixels of its width or height."""


class PictureError(ValueError):
    """A file cannot be used as a picture; the message is for the person who sent it."""


class CheckedPicture(NamedTuple):
    """The media type and size of a picture."""

    kind: str
    width: int
    height: int


def check_picture(content: bytes) -> CheckedPicture:
    """Check a picture; raises `PictureError` if it must not be stored, shown or decoded."""
    if len(content) > PICTURE_CAP:
        raise PictureError(f"The picture is larger than {PICTURE_CAP // 2**20} MB: send a smaller one.")
    size = image_size(content)
    if size is None or not (size.width and size.height):
        raise PictureError("That is not a picture: send a PNG, JPEG, GIF or WebP.")
    try:
        # Frames of a GIF or APNG may be larger than the size in the header.
        width, height = map(max, zip(*frame_sizes(content), strict=True))
    except ValueError as error:
        raise PictureError(f"The picture cannot be used: {error}. Save it again.") from None
    if max(width, height) > SIDE_CAP:
        raise PictureError(
            f"The picture is {width} × {height} pixels: at most {SIDE_CAP} × {SIDE_CAP} are taken."
        )
    return CheckedPicture(f"image/{image_kind(content)}", *size)


TEXT_CAP = 8 * 1024 * 1024
"""Bytes of all texts of a file together, unpacked."""
CHUNK_CAP = 20_000

# Plain, compressed and international text.
_TEXTS = frozenset({b"tEXt", b"zTXt", b"iTXt"})
_DAMAGED = "The PNG file is damaged or cut off: save or download it again."
_TOO_MUCH = f"The PNG file holds more than {TEXT_CAP // 2**20} MB of text: that is no character card."


class _Chunk(NamedTuple):
    kind: bytes
    content: bytes
    whole: bytes


def read_texts(png: bytes) -> dict[str, bytes]:
    """All texts by their keyword in lower case, unpacked; of two with one keyword the first counts."""
    found: dict[str, bytes] = {}
    limit = TEXT_CAP
    for chunk in _chunks(png):
        if chunk.kind in _TEXTS:
            keyword, text = _read_text(chunk, limit)
            limit -= len(text)
            found.setdefault(keyword, text)
    return found


def write_texts(png: bytes, texts: Mapping[str, bytes]) -> bytes:
    """The file with these texts, in the place of any with the same keywords; they must be Latin-1."""
    replaced = {keyword.lower() for keyword in texts}
    parts = [PNG_SIGNATURE]
    for chunk in _chunks(png):
        if chunk.kind in _TEXTS and _keyword(chunk.content)[0] in replaced:
            continue
        # Text chunks must precede the end chunk.
        if chunk.kind == b"IEND":
            parts += (_pack(b"tEXt", key.encode("latin-1") + b"\0" + text) for key, text in texts.items())
        parts.append(chunk.whole)
    return b"".join(parts)


def strip_texts(png: bytes) -> bytes:
    """The picture alone."""
    return PNG_SIGNATURE + b"".join(chunk.whole for chunk in _chunks(png) if chunk.kind not in _TEXTS)


def plain_png(side: int, colour: tuple[int, int, int]) -> bytes:
    """A square of one colour, for a card whose persona has no picture."""
    rows = (b"\0" + bytes(colour) * side) * side
    # Width, height, 8 bits per channel, RGB, and the standard methods.
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return PNG_SIGNATURE + b"".join(_pack(kind, content) for kind, content in chunks)


def _chunks(png: bytes) -> Iterator[_Chunk]:
    """All chunks up to the end mark; what follows it is ignored."""
    if not png.startswith(PNG_SIGNATURE):
        raise PictureError("That is not a PNG file.")
    at = len(PNG_SIGNATURE)
    for _ in range(CHUNK_CAP):
        # A chunk is at least its length, its type and its checksum, four bytes each.
        if at + 12 > len(png):
            raise PictureError(_DAMAGED)
        (length,) = struct.unpack_from(">I", png, at)
        end = at + 12 + length
        if end > len(png):
            raise PictureError(_DAMAGED)
        chunk = _Chunk(png[at + 4 : at + 8], png[at + 8 : end - 4], png[at:end])
        if struct.unpack_from(">I", png, end - 4)[0] != zlib.crc32(chunk.whole[4:-4]):
            raise PictureError(_DAMAGED)
        yield chunk
        if chunk.kind == b"IEND":
            return
        at = end
    raise PictureError("The PNG file has too many parts: save it again with another program.")


def _read_text(chunk: _Chunk, limit: int) -> tuple[str, bytes]:
    keyword, rest = _keyword(chunk.content)
    if chunk.kind == b"tEXt":
        packed = False
    elif chunk.kind == b"zTXt":
        # One byte names the compression method; there is only zlib.
        packed, rest = True, rest[1:]
    else:
        # Compression flag and method, then a language tag and a translated keyword.
        packed, rest = rest[:1] == b"\1", rest[2:].split(b"\0", 2)[-1]
    if packed:
        return keyword, _unpack(rest, limit)
    if len(rest) > limit:
        raise PictureError(_TOO_MUCH)
    return keyword, rest


def _keyword(content: bytes) -> tuple[str, bytes]:
    keyword, _, rest = content.partition(b"\0")
    return keyword[:79].decode("latin-1").lower(), rest


def _unpack(packed: bytes, limit: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        # One byte more than allowed shows that the text is too long, without unpacking the rest.
        text = stream.decompress(packed, limit + 1)
    except zlib.error:
        raise PictureError(_DAMAGED) from None
    if len(text) > limit:
        raise PictureError(_TOO_MUCH)
    return text


def _pack(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

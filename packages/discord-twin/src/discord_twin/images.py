"""Recognize uploaded pictures and read their size without decoding them.

Discord accepts PNG, JPEG, GIF and WebP as avatars, emoji and previews.
"""

from __future__ import annotations

import base64
import binascii
import io

import imagesize

__all__ = ["PNG_SIGNATURE", "image_kind", "image_size", "read_data_uri"]

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"

_SIGNATURES = {
    "png": (PNG_SIGNATURE,),
    "jpeg": (b"\xff\xd8\xff",),
    "gif": (b"GIF87a", b"GIF89a"),
    "webp": (b"RIFF",),
}


def image_kind(content: bytes) -> str | None:
    """Return `png`, `jpeg`, `gif` or `webp` by the first bytes of a file, or `None` for any other file."""
    for kind, signatures in _SIGNATURES.items():
        if content.startswith(signatures):
            # RIFF is a container of many formats; the format follows after its length.
            return kind if kind != "webp" or content[8:12] == b"WEBP" else None
    return None


def image_size(content: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels, or `None` if the file is no picture or damaged."""
    # imagesize also reads formats that Discord shows no preview of, such as SVG.
    if image_kind(content) is None:
        return None
    width, height = imagesize.get(io.BytesIO(content), exif_rotation=False)
    return (width, height) if width >= 0 else None


def read_data_uri(uri: str) -> bytes | None:
    """Return the bytes of a `data:image/…;base64,…` URI, or `None` if it is none."""
    head, _, encoded = uri.partition(",")
    if not (head.startswith("data:image/") and head.endswith(";base64")):
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return None

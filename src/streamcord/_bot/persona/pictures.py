"""Pictures that strangers bring: what they are by their own bytes, and whether they are safe to pass on.

Nothing here decodes a pixel. A bomb is a small file that says it is a huge picture, so the size that the file
itself names is held against a cap before anybody decodes it.
"""

from __future__ import annotations

from typing import NamedTuple

from streamcord._image_kinds import image_kind, image_size

__all__ = ["PICTURE_CAP", "SIDE_CAP", "PictureError", "Seen", "look_at"]

PICTURE_CAP = 8 * 1024 * 1024
"""Bytes of one picture."""
SIDE_CAP = 4096
"""Pixels of its width or height."""


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
    size = image_size(content)
    if size is None or not (size.width and size.height):
        raise PictureError("That is not a picture: send a PNG, JPEG, GIF or WebP.")
    if max(size) > SIDE_CAP:
        raise PictureError(
            f"The picture is {size.width} × {size.height} pixels: at most {SIDE_CAP} × {SIDE_CAP} are taken."
        )
    return Seen(f"image/{image_kind(content)}", *size)

"""The CDN: files of messages and avatars.

An avatar given by address (`avatar_url`) is not fetched: the twin never leaves loopback, and serves a plain
picture in its place.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from aiohttp import web

from .images import PNG_SIGNATURE

if TYPE_CHECKING:
    from .context import Context
    from .state.models import Attachment

__all__ = ["Cdn", "plain_png"]


def plain_png(seed: int, side: int = 32) -> bytes:
    """Return a square of one colour that follows from `seed`."""
    colour = bytes(64 + (seed >> shift) % 160 for shift in (0, 8, 16))
    # Each row of a PNG begins with its filter type; 0 is none.
    rows = (b"\x00" + colour * side) * side
    # Width, height, 8 bits per channel, RGB, default compression, filter and no interlace.
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        PNG_SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


_HARMLESS = {"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff"}


class Cdn:
    """Answers requests below `/cdn`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def answer(self, path: str) -> web.Response:
        """Serve one file; `path` is what comes after `/cdn/`."""
        kind, _, rest = path.partition("/")
        if kind == "attachments":
            attachment = self._find_attachment(rest.split("/"))
            if attachment is not None:
                # Any user may have sent it: opened on its own, a page among the files has no rights here.
                headers = {"Content-Type": attachment.content_type, **_HARMLESS}
                return web.Response(body=attachment.content, headers=headers)
        if kind in {"avatars", "embed", "emojis"}:
            return web.Response(body=self._avatar(rest), headers={"Content-Type": "image/png"})
        return web.Response(status=404, body=b"", headers={"Content-Type": "text/plain"})

    def _find_attachment(self, parts: list[str]) -> Attachment | None:
        if len(parts) != 3 or not parts[0].isdecimal():
            return None
        channel = self._context.state.channels.get(int(parts[0]))
        messages = channel.messages.values() if channel else ()
        files = (one for message in messages for one in message.attachments)
        # Files of a slash command belong to no message; their addresses have channel 0.
        uploads = self._context.state.uploads.values() if parts[0] == "0" else ()
        return next((one for one in (*files, *uploads) if str(one.id) == parts[1]), None)

    def _avatar(self, rest: str) -> bytes:
        digest = rest.rpartition("/")[2].partition(".")[0]
        # An avatar that was set by address only has no content here.
        known = self._context.state.pictures.get(digest)
        return known or plain_png(int.from_bytes(digest.encode()[-6:], "big"))

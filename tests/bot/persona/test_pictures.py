"""What a file says it is, without decoding it."""

from __future__ import annotations

import io
import struct
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from streamcord._bot.persona.pictures import PICTURE_CAP, PictureError, Seen, look_at
from streamcord._bot.persona.png import plain_png


def picture(kind: str, width: int = 31, height: int = 17, **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), (10, 200, 30)).save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (picture("PNG"), "image/png"),
        (picture("GIF"), "image/gif"),
        (picture("JPEG"), "image/jpeg"),
        (picture("JPEG", progressive=True), "image/jpeg"),
        (picture("JPEG", exif=b"Exif\0\0" + b"x" * 4000), "image/jpeg"),
        (picture("WEBP"), "image/webp"),
        (picture("WEBP", lossless=True), "image/webp"),
        (picture("WEBP", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0"), "image/webp"),
    ],
)
def test_pictures_of_four_kinds_are_known_with_their_size(content: bytes, kind: str) -> None:
    assert look_at(content) == Seen(kind, 31, 17)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GIF89a",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"RIFF\0\0\0\0WEBPVP8X",
        b"<svg/>",
        b"BM" + b"x" * 60,
        *(picture("PNG")[:20], picture("JPEG")[:30], picture("WEBP")[:20], b"MZ" * 100),
    ],
)
def test_what_is_no_whole_picture_is_refused(content: bytes) -> None:
    with pytest.raises(PictureError, match="not a picture: send a PNG, JPEG, GIF or WebP"):
        look_at(content)


def bomb(width: int, height: int) -> bytes:
    """A small file that says it is a huge picture."""
    png = plain_png(1, (0, 0, 0))
    return png[:16] + struct.pack(">II", width, height) + png[24:]


@pytest.mark.parametrize("size", [(4097, 1), (1, 100_000), (2**31 - 1, 2**31 - 1)])
def test_a_bomb_is_known_by_the_size_that_it_names(size: tuple[int, int]) -> None:
    with pytest.raises(PictureError, match=rf"{size[0]} × {size[1]} pixels: at most 4096"):
        look_at(bomb(*size))


def test_a_picture_without_an_extent_is_none() -> None:
    with pytest.raises(PictureError, match="not a picture"):
        look_at(bomb(0, 5))


def test_a_large_file_is_refused_before_it_is_looked_at() -> None:
    with pytest.raises(PictureError, match="larger than 8 MB"):
        look_at(plain_png(1, (0, 0, 0)) + bytes(PICTURE_CAP))


@settings(max_examples=500)
@given(st.sampled_from([picture(kind) for kind in ("PNG", "GIF", "JPEG", "WEBP")]), st.data())
def test_any_bytes_are_a_picture_or_an_error_for_people(content: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, min(len(content), 64)))
    broken = content[:at] + data.draw(st.binary(max_size=40)) + content[at + data.draw(st.integers(0, 8)) :]
    with suppress(PictureError):
        seen = look_at(broken)
        assert 0 < max(seen.width, seen.height) <= 4096

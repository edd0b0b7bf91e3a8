from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from streamcord_bot.personas.pictures import (
    PICTURE_CAP,
    TEXT_CAP,
    CheckedPicture,
    PictureError,
    check_picture,
    plain_png,
    read_texts,
    strip_texts,
    write_texts,
)


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
    assert check_picture(content) == CheckedPicture(kind, 31, 17)


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
        check_picture(content)


def bomb(width: int, height: int) -> bytes:
    """A small file that says it is a huge picture."""
    png = plain_png(1, (0, 0, 0))
    return png[:16] + struct.pack(">II", width, height) + png[24:]


@pytest.mark.parametrize("size", [(4097, 1), (1, 100_000), (2**31 - 1, 2**31 - 1)])
def test_a_bomb_is_known_by_the_size_that_it_names(size: tuple[int, int]) -> None:
    with pytest.raises(PictureError, match=rf"{size[0]} × {size[1]} pixels: at most 4096"):
        check_picture(bomb(*size))


def test_a_picture_without_an_extent_is_none() -> None:
    with pytest.raises(PictureError, match="not a picture"):
        check_picture(bomb(0, 5))


def test_a_large_file_is_refused_before_it_is_looked_at() -> None:
    with pytest.raises(PictureError, match="larger than 8 MB"):
        check_picture(plain_png(1, (0, 0, 0)) + bytes(PICTURE_CAP))


@settings(max_examples=500)
@given(st.sampled_from([picture(kind) for kind in ("PNG", "GIF", "JPEG", "WEBP")]), st.data())
def test_any_bytes_are_a_picture_or_an_error_for_people(content: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, min(len(content), 64)))
    broken = content[:at] + data.draw(st.binary(max_size=40)) + content[at + data.draw(st.integers(0, 8)) :]
    with suppress(PictureError):
        seen = check_picture(broken)
        assert 0 < max(seen.width, seen.height) <= 4096


PLAIN = plain_png(4, (1, 2, 3))


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def with_chunks(*chunks: bytes) -> bytes:
    return PLAIN[:-12] + b"".join(chunks) + PLAIN[-12:]


def test_texts_written_by_another_program_are_read() -> None:
    texts = PngImagePlugin.PngInfo()
    texts.add_text("chara", "plain")
    texts.add_text("Packed", "packed " * 100, zip=True)
    texts.add_itxt("ccv3", "größer", "de", "x")
    texts.add_itxt("both", "ünï " * 100, zip=True)
    buffer = io.BytesIO()
    Image.new("RGB", (3, 3)).save(buffer, "PNG", pnginfo=texts)

    assert read_texts(buffer.getvalue()) == {
        "chara": b"plain",
        "packed": b"packed " * 100,
        "ccv3": "größer".encode(),
        "both": ("ünï " * 100).encode(),
    }


def test_texts_that_we_write_are_read_by_another_program() -> None:
    image = Image.open(io.BytesIO(write_texts(PLAIN, {"chara": b"QUJD", "ccv3": b"REVG"})))
    image.load()

    assert isinstance(image, PngImagePlugin.PngImageFile)
    assert image.text == {"chara": "QUJD", "ccv3": "REVG"}
    assert image.convert("RGB").getpixel((2, 2)) == (1, 2, 3)


def test_a_text_takes_the_place_of_one_with_its_keyword_in_any_case() -> None:
    png = with_chunks(
        chunk(b"tEXt", b"Chara\0old"), chunk(b"iTXt", b"chara\0\0\0\0\0old"), chunk(b"tEXt", b"x\0y")
    )

    assert read_texts(write_texts(png, {"chara": b"new"})) == {"x": b"y", "chara": b"new"}
    assert strip_texts(png) == PLAIN


def test_of_two_texts_the_first_counts() -> None:
    assert read_texts(with_chunks(chunk(b"tEXt", b"a\x001"), chunk(b"tEXt", b"A\x002"))) == {"a": b"1"}


@pytest.mark.parametrize(("kind", "head"), [(b"zTXt", b"chara\0\0"), (b"iTXt", b"chara\0\1\0\0\0")])
def test_a_bomb_is_not_unpacked(kind: bytes, head: bytes) -> None:
    # Made here: what is in a list of cases is made by every process that collects tests.
    png = with_chunks(chunk(kind, head + zlib.compress(bytes(300 * 2**20), 9)))
    assert len(png) < 400_000
    tracemalloc.start()
    try:
        with pytest.raises(PictureError, match="more than 8 MB of text"):
            read_texts(png)
        assert tracemalloc.get_traced_memory()[1] < 5 * TEXT_CAP
    finally:
        tracemalloc.stop()


def test_many_small_bombs_share_one_cap() -> None:
    one = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(3 * 2**20), 9))

    with pytest.raises(PictureError, match="more than 8 MB of text"):
        read_texts(with_chunks(one, one, one))


def test_a_file_of_countless_parts_is_refused() -> None:
    with pytest.raises(PictureError, match="too many parts"):
        read_texts(with_chunks(chunk(b"tEXt", b"a\0") * 20_000))


@pytest.mark.parametrize(
    "png",
    [
        PLAIN[:-1],
        PLAIN[:-12],
        PLAIN[:40] + b"\x00" + PLAIN[41:],
        PLAIN[:8] + b"\xff\xff\xff\xff" + PLAIN[12:],
        with_chunks(chunk(b"zTXt", b"a\0\0not packed")),
    ],
)
def test_a_damaged_file_is_an_error_for_people(png: bytes) -> None:
    with pytest.raises(PictureError, match="damaged or cut off"):
        read_texts(png)


def test_what_follows_the_end_mark_is_ignored() -> None:
    assert read_texts(PLAIN + chunk(b"tEXt", b"a\0b")) == {}


def test_another_file_is_no_png() -> None:
    with pytest.raises(PictureError, match="not a PNG"):
        read_texts(b"GIF89a")


@settings(max_examples=500)
@given(st.integers(0, 200), st.binary(max_size=30), st.integers(0, 30))
def test_any_bytes_are_texts_or_an_error_for_people(at: int, other: bytes, gap: int) -> None:
    png = with_chunks(chunk(b"tEXt", b"chara\0abc"), chunk(b"zTXt", b"b\0\0" + zlib.compress(b"abc")))
    with suppress(PictureError):
        assert set(read_texts(png[:at] + other + png[at + gap :])) <= {"chara", "b"}

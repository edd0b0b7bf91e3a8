from __future__ import annotations

import base64
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from streamcord._common.image_headers import (
    PNG_SIGNATURE,
    as_data_uri,
    frame_sizes,
    image_kind,
    image_size,
    read_data_uri,
)

JPEG = b"\xff\xd8\xff\xe0\x00\x04xx\xff\xc0\x00\x0b\x08\x00\x10\x00\x20\x03"


def picture(kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (31, 17), (10, 200, 30)).save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (picture("PNG"), "png"),
        (picture("GIF"), "gif"),
        (picture("JPEG"), "jpeg"),
        (picture("JPEG", progressive=True), "jpeg"),
        (picture("JPEG", exif=b"Exif\0\0" + b"x" * 4000), "jpeg"),
        (picture("WEBP"), "webp"),
        (picture("WEBP", lossless=True), "webp"),
        (picture("WEBP", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0"), "webp"),
    ],
)
def test_a_real_file_is_known_with_its_size(content: bytes, kind: str) -> None:
    assert image_kind(content) == image_kind(content[:12]) == kind
    assert image_size(content) == (31, 17)
    assert as_data_uri(content).startswith(f"data:image/{kind};base64,")


@pytest.mark.parametrize(
    "content",
    [b"", b"text", b"<svg/>", b"BM" + b"x" * 60, b"RIFF\0\0\0\0WAVEfmt ", PNG_SIGNATURE[:-1], b"GIF88a"],
)
def test_another_file_has_no_kind_and_no_size(content: bytes) -> None:
    assert image_kind(content) is None
    assert image_size(content) is None
    with pytest.raises(ValueError, match="not a PNG, JPEG, GIF or WebP"):
        as_data_uri(content)


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (b"GIF89a\x03\x00\x05\x00", (3, 5)),
        (b"GIF87a\x03\x00\x05\x00", (3, 5)),
        (JPEG, (32, 16)),
        (JPEG[:2] + b"\xff\xff\xd0" + JPEG[2:], (32, 16)),
        (JPEG[:8], None),
        (b"\xff\xd8\xff\xe0\x00\x00" + b"\xff\xe0\x00\x00" * 10, None),
        (JPEG[:3] + b"\xe0\x00\x02not a marker", None),
        (PNG_SIGNATURE, None),
        (PNG_SIGNATURE + b"\0\0\0\rIDAT" + bytes(8), None),
        (b"GIF89a", None),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(13), None),
        (b"RIFF\0\0\0\0WEBPJUNK" + bytes(20), None),
    ],
)
def test_a_size_is_what_the_file_names_or_nothing(content: bytes, size: tuple[int, int] | None) -> None:
    assert image_size(content) == size


@settings(max_examples=300)
@given(st.sampled_from([picture(kind) for kind in ("PNG", "GIF", "JPEG", "WEBP")]), st.data())
def test_damage_raises_nothing(content: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, min(len(content), 64)))
    broken = content[:at] + data.draw(st.binary(max_size=40)) + content[at + data.draw(st.integers(0, 8)) :]
    size = image_size(broken)
    assert size is None or image_kind(broken) is not None


def test_every_frame_of_an_animation_is_known_with_how_far_it_reaches() -> None:
    more = {"save_all": True, "append_images": [Image.new("RGB", (31, 17), "red")], "duration": 100}
    for kind in ("PNG", "GIF", "WEBP"):
        sizes = [*frame_sizes(picture(kind, **more))]
        assert len(sizes) >= 3
        assert sizes[0] == (max(size.width for size in sizes), max(size.height for size in sizes)) == (31, 17)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_size_that_is_named_twice_is_no_size_to_rely_on(kind: str) -> None:
    content = picture(kind)
    again = (
        content[8:33] if kind == "PNG" else content[content.index(b"\xff\xc0") : content.index(b"\xff\xda")]
    )
    at = 33 if kind == "PNG" else content.index(b"\xff\xda")

    with pytest.raises(ValueError, match="names its size twice"):
        list(frame_sizes(content[:at] + again + content[at:]))
    assert image_size(content[:at] + again + content[at:]) == (31, 17)


def test_a_data_uri_is_read_back() -> None:
    assert read_data_uri(as_data_uri(JPEG)) == JPEG
    assert read_data_uri("data:image/png;base64," + base64.b64encode(b"x").decode()) == b"x"


@pytest.mark.parametrize("uri", ["", "https://a", "data:text/plain;base64,eA==", "data:image/png;base64,?"])
def test_another_address_holds_no_picture(uri: str) -> None:
    assert read_data_uri(uri) is None

from __future__ import annotations

import base64

import pytest

from streamcord._twin.image_files import image_size, plain_png, read_data_uri

JPEG = b"\xff\xd8\xff\xe0\x00\x04xx\xff\xc0\x00\x0b\x08\x00\x10\x00\x20\x03"


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (plain_png(1, side=7), (7, 7)),
        (b"GIF89a\x03\x00\x05\x00", (3, 5)),
        (JPEG, (32, 16)),
        (JPEG[:8], None),
        (b"\xff\xd8\xff\xe0\x00\x00" + b"\xff\xe0\x00\x00" * 10, None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"GIF89a", None),
        (b"text", None),
        (b"", None),
    ],
)
def test_the_size_of_a_picture_is_read(content: bytes, size: tuple[int, int] | None) -> None:
    assert image_size(content) == size


def test_colours_differ_by_seed() -> None:
    assert plain_png(1) == plain_png(1) != plain_png(77)


def test_a_data_uri_is_read() -> None:
    assert read_data_uri("data:image/png;base64," + base64.b64encode(b"x").decode()) == b"x"


@pytest.mark.parametrize("uri", ["", "https://a", "data:text/plain;base64,eA==", "data:image/png;base64,?"])
def test_what_is_no_picture_is_nothing(uri: str) -> None:
    assert read_data_uri(uri) is None

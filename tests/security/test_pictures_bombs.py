"""A small file that makes a program draw a huge picture is refused before anything is decoded."""

from __future__ import annotations

import io
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from PIL import Image

from security.hostile_files import (
    animated_png,
    draw,
    gif,
    gif_frame,
    jpeg,
    jpeg_frame,
    png,
    png_chunk,
    webp,
    webp_canvas,
    webp_frame,
    webp_lossless,
    webp_lossy,
    webp_part,
)
from streamcord._common.image_headers import frame_sizes, image_size
from streamcord_bot.personas.pictures import PICTURE_CAP, PictureError, check_picture

HUGE = 13_000

BOMBS: dict[str, Callable[[], bytes]] = {
    "gif frame": lambda: gif((1, 1), gif_frame(HUGE, HUGE)),
    "gif second frame": lambda: gif((1, 1), gif_frame(1, 1), gif_frame(HUGE, HUGE)),
    "gif frame far away": lambda: gif((1, 1), gif_frame(1, 1, HUGE, HUGE)),
    "gif frame behind a comment": lambda: gif((1, 1), b"\x21\xfe\x02hi\0", gif_frame(HUGE, HUGE)),
    "gif frame behind a zero": lambda: gif((1, 1), b"\0\0", gif_frame(HUGE, HUGE)),
    "gif screen": lambda: gif((HUGE, HUGE), gif_frame(1, 1)),
    "png second header": lambda: png((1, 1), (HUGE, HUGE)),
    "png second header behind a text": lambda: png(
        (1, 1), (1, 1), between=png_chunk(b"tEXt", b"a\0b") + png((HUGE, HUGE))[8:33]
    ),
    "png header": lambda: png((HUGE, HUGE)),
    "apng frame": lambda: animated_png(HUGE, HUGE),
    "apng frame far away": lambda: animated_png(1, 1, HUGE, HUGE),
    "jpeg second frame": lambda: jpeg(jpeg_frame(HUGE, HUGE)),
    "jpeg second frame of another kind": lambda: jpeg(jpeg_frame(HUGE, HUGE, 0xC2)),
    "jpeg second frame behind rubbish": lambda: jpeg(b"rubbish \xff\x00\xff\xff", jpeg_frame(HUGE, HUGE)),
    "jpeg frame": lambda: b"\xff\xd8" + jpeg_frame(HUGE, HUGE),
    "webp canvas": lambda: webp(webp_canvas(HUGE, HUGE), webp_lossless(1, 1)),
    "webp picture": lambda: webp(webp_canvas(1, 1), webp_lossless(HUGE, HUGE)),
    "webp lossy picture": lambda: webp(webp_canvas(1, 1), webp_lossy(HUGE, HUGE)),
    "webp picture behind a profile": lambda: webp(
        webp_canvas(1, 1), webp_part(b"ICCP", b"odd"), webp_lossless(HUGE, HUGE)
    ),
    "webp frame": lambda: webp(webp_canvas(1, 1), webp_frame(HUGE, HUGE, webp_lossless(1, 1))),
    "webp frame far away": lambda: webp(webp_canvas(1, 1), webp_frame(1, 1, webp_lossless(1, 1), HUGE, HUGE)),
    "webp picture in a frame": lambda: webp(
        webp_canvas(1, 1), webp_frame(1, 1, webp_part(b"ALPH", b"x") + webp_lossy(HUGE, HUGE))
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_plain_words(name: str) -> None:
    content = BOMBS[name]()
    assert len(content) < 600_000

    with pytest.raises(PictureError, match=r"at most 4096 × 4096 are taken|it names its size twice"):
        check_picture(content)


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_opens_larger_than_we_know(name: str) -> None:
    """Whatever size another program reads from the file is among those that were held against the cap."""
    content = BOMBS[name]()
    try:
        known = [*frame_sizes(content)]
    except ValueError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            opened = Image.open(io.BytesIO(content)).size
        except (OSError, SyntaxError, Image.DecompressionBombError, ValueError):
            return
    assert opened[0] <= max(size.width for size in known)
    assert opened[1] <= max(size.height for size in known)


ANIMATION: dict[str, Any] = {
    "save_all": True,
    "append_images": [Image.new("RGB", (20, 10), "red")],
    "duration": 100,
}


@pytest.mark.parametrize(
    "content",
    [
        *(draw(kind) for kind in ("PNG", "JPEG", "GIF", "WEBP")),
        *(draw(kind, 4096, 4096) for kind in ("PNG", "JPEG")),
        *(draw(kind, **ANIMATION) for kind in ("PNG", "GIF", "WEBP")),
        draw("JPEG", progressive=True),
        draw("WEBP", lossless=True, **ANIMATION),
        draw("GIF", comment=b"x" * 2000, **ANIMATION),
        gif((20, 10), gif_frame(20, 10))[:-1],
    ],
)
def test_an_honest_picture_is_taken(content: bytes) -> None:
    seen = check_picture(content)

    assert (seen.width, seen.height) == image_size(content) == Image.open(io.BytesIO(content)).size


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xd8" + b"\xff\xd0" * (PICTURE_CAP // 2 - 1),
        b"\xff\xd8" + b"\xff" * (PICTURE_CAP - 2),
        b"\xff\xd8" + b"\xff\xe0\0\2" * (PICTURE_CAP // 4 - 1),
        gif((1, 1), gif_frame(1, 1) * (PICTURE_CAP // 16)),
        gif((1, 1), b"\x21\xfe" + b"\1x" * (PICTURE_CAP // 2 - 40)),
        gif((1, 1), b"\0" * (PICTURE_CAP - 40)),
        png((1, 1), between=png_chunk(b"teSt", b"") * (PICTURE_CAP // 13)),
        webp(webp_part(b"JUNK", b"") * (PICTURE_CAP // 9)),
        webp(webp_frame(1, 1, b"") * (PICTURE_CAP // 25)),
    ],
    ids=lambda content: content[:6].hex(),
)
def test_a_file_of_countless_parts_costs_little(content: bytes) -> None:
    assert len(content) <= PICTURE_CAP
    start = time.process_time()

    with suppress(PictureError):
        check_picture(content)

    assert time.process_time() - start < 2

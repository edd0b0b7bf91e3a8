from __future__ import annotations

from streamcord._shared.image_kinds import image_kind, image_size
from streamcord._twin.image_files import plain_png


def test_a_plain_picture_is_a_png_of_the_size_that_was_asked_for() -> None:
    assert image_kind(plain_png(1)) == "png"
    assert image_size(plain_png(1, side=7)) == (7, 7)


def test_colours_differ_by_seed() -> None:
    assert plain_png(1) == plain_png(1) != plain_png(77)

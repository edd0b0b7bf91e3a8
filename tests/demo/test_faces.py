"""Every face is a picture, and every mood another one."""

from __future__ import annotations

from streamcord._demo.faces import FACES, SIDE, can_draw, draw_face
from streamcord._image_kinds import image_size


def test_every_face_is_a_square_png_that_discord_takes() -> None:
    assert can_draw()
    for face in FACES.values():
        picture = draw_face(face)
        assert picture.startswith(b"\x89PNG")
        assert image_size(picture) == (SIDE, SIDE)
        assert len(picture) < 256 * 1024


def test_no_two_faces_are_the_same_picture() -> None:
    assert len({draw_face(face) for face in FACES.values()}) == len(FACES)

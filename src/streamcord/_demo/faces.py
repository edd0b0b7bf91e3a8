"""The faces of the demo, drawn by code: a round head, eyes and a mouth are enough for a mood.

Everything is drawn four times too large and then made smaller, which is all the smoothing that is needed.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import cos, pi, sin
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

__all__ = ["FACES", "Face", "can_draw", "draw_face"]

SIDE = 128
_LARGE = SIDE * 4

Eyes = Literal["open", "closed", "narrow", "wide"]
Mouth = Literal["smile", "flat", "frown", "round"]


@dataclass(frozen=True, slots=True)
class Face:
    """What a face looks like: colours, and the mood in its eyes and mouth."""

    kind: Literal["cat", "robot", "star", "heart"]
    skin: str
    ground: str
    eyes: Eyes = "open"
    mouth: Mouth = "smile"
    blush: bool = False


_LUNA = Face("cat", "#ded6f5", "#3b3468")
_ORBIT = Face("robot", "#9fd8d2", "#17424a", mouth="flat")

FACES: dict[str, Face] = {
    "luna": _LUNA,
    "luna-happy": replace(_LUNA, eyes="closed", blush=True),
    "luna-mad": replace(_LUNA, eyes="narrow", mouth="frown"),
    "luna-sleepy": replace(_LUNA, eyes="closed", mouth="flat"),
    "orbit": _ORBIT,
    "orbit-thinking": replace(_ORBIT, eyes="narrow"),
    "orbit-surprised": replace(_ORBIT, eyes="wide", mouth="round"),
    "luna_wave": replace(_LUNA, ground="#5865f2", eyes="closed"),
    "luna_heart": Face("heart", "#f0628a", "#313338", eyes="closed"),
    "star": Face("star", "#f7d354", "#313338"),
}
"""By name: personas, their sprites, and the emoji of the demo's server."""


def can_draw() -> bool:
    """Whether Pillow is there."""
    return find_spec("PIL") is not None


def draw_face(face: Face) -> bytes:
    """The picture, as a PNG."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  (an extra)

    image = Image.new("RGB", (_LARGE, _LARGE), face.ground)
    draw = ImageDraw.Draw(image)
    {"cat": _draw_cat, "robot": _draw_robot, "star": _draw_star, "heart": _draw_heart}[face.kind](draw, face)
    _draw_eyes(draw, face)
    _draw_mouth(draw, face)
    file = io.BytesIO()
    image.resize((SIDE, SIDE), Image.Resampling.LANCZOS).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_cat(draw: ImageDraw, face: Face) -> None:
    for ear in ([(110, 210), (120, 60), (240, 130)], [(402, 210), (392, 60), (272, 130)]):
        draw.polygon(ear, fill=face.skin)
    draw.ellipse((86, 110, 426, 450), fill=face.skin)
    draw.polygon([(244, 310), (268, 310), (256, 326)], fill="#b46a8a")
    for side, row in ((-1, 300), (-1, 330), (1, 300), (1, 330)):
        start = 256 + side * 90
        draw.line((start, row + 10, start + side * 110, row), fill="#8d82b8", width=5)


def _draw_robot(draw: ImageDraw, face: Face) -> None:
    draw.line((256, 120, 256, 60), fill=face.skin, width=14)
    draw.ellipse((230, 34, 282, 86), fill="#f7d354")
    draw.rounded_rectangle((96, 120, 416, 420), radius=70, fill=face.skin)
    draw.rounded_rectangle((136, 170, 376, 380), radius=44, fill="#e9fbf8")


def _draw_star(draw: ImageDraw, face: Face) -> None:
    corners = [(230 if turn % 2 == 0 else 110, turn * pi / 5 - pi / 2) for turn in range(10)]
    draw.polygon([(256 + far * cos(angle), 270 + far * sin(angle)) for far, angle in corners], fill=face.skin)


def _draw_heart(draw: ImageDraw, face: Face) -> None:
    draw.ellipse((70, 100, 276, 306), fill=face.skin)
    draw.ellipse((236, 100, 442, 306), fill=face.skin)
    draw.polygon([(86, 256), (426, 256), (256, 462)], fill=face.skin)


def _draw_eyes(draw: ImageDraw, face: Face) -> None:
    for side in (-1, 1):
        x, y = 256 + side * 70, 250
        match face.eyes:
            case "closed":
                draw.arc((x - 32, y - 24, x + 32, y + 30), 180, 360, fill="#2b2540", width=12)
            case "narrow":
                draw.line((x - side * 30, y + 14, x + side * 34, y - 16), fill="#2b2540", width=14)
                draw.ellipse((x - 16, y, x + 16, y + 32), fill="#2b2540")
            case _:
                size = 34 if face.eyes == "wide" else 24
                draw.ellipse((x - size, y - size, x + size, y + size), fill="#2b2540")
                draw.ellipse((x - size // 3, y - size // 2, x + size // 4, y), fill="#ffffff")
        if face.blush:
            draw.ellipse((x - 40 + side * 30, y + 40, x + 24 + side * 30, y + 74), fill="#f2b6c6")


def _draw_mouth(draw: ImageDraw, face: Face) -> None:
    match face.mouth:
        case "smile":
            draw.arc((206, 300, 306, 370), 20, 160, fill="#2b2540", width=12)
        case "frown":
            draw.arc((206, 344, 306, 414), 200, 340, fill="#2b2540", width=12)
        case "round":
            draw.ellipse((232, 320, 280, 368), fill="#2b2540")
        case _:
            draw.line((216, 348, 296, 348), fill="#2b2540", width=12)

"""Draws the pictures of the documentation into docs/pictures: degrees, a message that grows, some tables."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from random import Random

import draw_demo
from draw_demo import PANEL, QUIET, SCALE, Sheet, draw_blocks
from draw_gallery import BOX, TABLES, read_tables
from PIL import Image

from streamcord import Degree, Message, Pipeline, Settings
from streamcord._preview.live_frames import preview_frames
from streamcord._render.table_image import TableRenderer

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
ANSWER = """\
Sure, tea is easy! You need three things, and all of them are cheap.

- fresh water
- good leaves
- a little time

Boil the water first. Then wait a minute, because boiling water burns green tea. Pour it, and stop the clock:

```python
minutes = 2 if green else 3
```

Enjoy it :)
"""
TITLES = {
    Degree.NONE: ("0", "one text"),
    Degree.LIGHT: ("1", "paragraphs"),
    Degree.MEDIUM: ("2", "as people write"),
    Degree.HEAVY: ("3", "as people chat"),
}
COLUMN, EDGE = 290, 16
SHOWN = ("Europe", "right to left", "East Asia", "India and Thailand", "code", "emoji")


def draw_degrees() -> Image.Image:
    """The same answer at every degree, with the pause before each message."""
    draw_demo.WIDTH = COLUMN * len(TITLES) + EDGE
    sheet, bottoms = Sheet(1200), []
    for number, degree in enumerate(Degree):
        left = number * COLUMN + EDGE
        sheet.y = 14.0
        digit, words = TITLES[degree]
        at = sheet.text(left, sheet.y, f"degree {digit}", 15, ink="#f2f3f5", bold=True)
        sheet.text(at + 8, sheet.y + 2, words, 12, ink=QUIET)
        sheet.y += 30
        for message in plan(degree):
            draw_bubble(sheet, message, left, left + COLUMN - EDGE)
        bottoms.append(sheet.y)
    height = max(bottoms) + 6
    return sheet.image.crop((0, 0, draw_demo.WIDTH * SCALE, round(height * SCALE)))


def plan(degree: Degree) -> list[Message]:
    pipeline = Pipeline(Settings(degree=degree), Random(4))
    return [one for one in (*pipeline.feed(ANSWER), *pipeline.flush()) if isinstance(one, Message)]


def draw_bubble(sheet: Sheet, message: Message, left: float, right: float) -> None:
    draw_box(sheet, message.content, left, right)
    pause = f"after {message.delay:.1f} s" if message.delay else "at once"
    sheet.text(left + 10, sheet.y, pause, 10, ink=QUIET)
    sheet.y += 24


def draw_box(sheet: Sheet, content: str, left: float, right: float) -> None:
    top = sheet.y
    draw_blocks(sheet, content, left + 10, right - 8)
    bottom = sheet.y + 6
    # Twice: the first time to see how tall it is.
    sheet.box(left, top - 6, right, bottom, PANEL, 8)
    sheet.y = top
    draw_blocks(sheet, content, left + 10, right - 8)
    sheet.y = bottom + 2


def draw_live() -> Image.Image:
    """One message at three moments, while a model writes it."""
    frames = preview_frames(ANSWER, Settings(), speed=90.0)
    shown = [frames[0], frames[len(frames) // 2], frames[-1]]
    draw_demo.WIDTH = COLUMN * len(shown) + EDGE
    sheet, bottoms = Sheet(900), []
    for number, frame in enumerate(shown):
        left = number * COLUMN + EDGE
        sheet.y = 14.0
        at = sheet.text(left, sheet.y, f"{frame.at:.1f} s", 15, ink="#f2f3f5", bold=True)
        words = "a new message" if frame.is_new else f"the same one, edit {frames.index(frame)}"
        sheet.text(at + 8, sheet.y + 2, words, 12, ink=QUIET)
        sheet.y += 30
        draw_box(sheet, frame.content, left, left + COLUMN - EDGE)
        bottoms.append(sheet.y)
    height = max(bottoms) + 12
    return sheet.image.crop((0, 0, draw_demo.WIDTH * SCALE, round(height * SCALE)))


def draw_tables() -> Image.Image:
    """Some tables of the gallery, as large as Discord shows them."""
    pictures = []
    for title in SHOWN:
        drawn = TableRenderer().draw(read_tables(TABLES[title])[0])
        assert drawn is not None
        picture = Image.open(BytesIO(drawn.content)).convert("RGB")
        picture.thumbnail((BOX[0], BOX[1]), Image.Resampling.LANCZOS)
        pictures.append(picture)
    rows = [pictures[at : at + 2] for at in range(0, len(pictures), 2)]
    heights = [max(one.height for one in row) + EDGE for row in rows]
    sheet = Image.new("RGB", (2 * (BOX[0] + EDGE) + EDGE, sum(heights) + EDGE), draw_demo.PAGE)
    y = EDGE
    for row, height in zip(rows, heights, strict=True):
        for number, one in enumerate(row):
            sheet.paste(one, (EDGE + number * (BOX[0] + EDGE), y))
        y += height
    return sheet


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name, picture in (("degrees", draw_degrees()), ("live", draw_live()), ("tables", draw_tables())):
        file = FOLDER / f"{name}.png"
        picture.quantize(128, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1024} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

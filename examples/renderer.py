"""Another kind of picture: a small bar chart, drawn by a renderer of one's own."""

from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageDraw

from streamcord import Attachment


@dataclass(frozen=True)
class Bars:
    values: dict[str, int]


class BarRenderer:
    def draw(self, value: object) -> Attachment | None:
        if not isinstance(value, Bars) or not 0 < len(value.values) <= 20:
            return None
        image = Image.new("RGB", (400, 30 * len(value.values) + 10), "#313338")
        canvas = ImageDraw.Draw(image)
        most = max(*value.values.values(), 1)
        for number, (name, count) in enumerate(value.values.items()):
            top = 30 * number + 10
            canvas.rectangle((100, top, 100 + 280 * count // most, top + 20), fill="#5865f2")
            canvas.text((10, top + 4), name[:12], fill="#dbdee1")
        stream = BytesIO()
        image.save(stream, "PNG")
        alt = ", ".join(f"{name}: {count}" for name, count in value.values.items())
        return Attachment("bars.png", stream.getvalue(), alt)


picture = BarRenderer().draw(Bars({"tea": 3, "coffee": 5}))
if picture:
    print(picture.name, picture.alt)

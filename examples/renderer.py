"""Your own renderer: a code block of the language `bars` becomes a chart."""

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO

from PIL import Image, ImageDraw

from streamcord import Attachment, FencedCode, say
from streamcord.testing import FakeChannel


class BarRenderer:
    def draw(self, value: object) -> Attachment | None:
        if not isinstance(value, FencedCode) or value.language != "bars":
            return None
        rows = [line.rsplit(" ", 1) for line in value.code.splitlines()]
        image = Image.new("RGB", (400, 30 * len(rows) + 10), "#313338")
        canvas = ImageDraw.Draw(image)
        for number, (name, count) in enumerate(rows):
            canvas.text((10, 30 * number + 14), name[:12], fill="#dbdee1")
            bar = (100, 30 * number + 10, 100 + 20 * int(count), 30 * number + 30)
            canvas.rectangle(bar, fill="#5865f2")
        stream = BytesIO()
        image.save(stream, "PNG")
        return Attachment("bars.png", stream.getvalue(), value.code)


async def my_model() -> AsyncIterator[str]:
    yield "What people drink:\n```bars\ntea 3\ncoffee 5\n```"


async def main() -> None:
    channel = FakeChannel()
    await say(channel, my_model(), renderers=[BarRenderer()])
    print(channel.texts, [file.name for message in channel.messages for file in message.files])


asyncio.run(main())

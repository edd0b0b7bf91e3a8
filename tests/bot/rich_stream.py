"""An answer of OpenAI's Responses API with everything: words, two pictures, five sources, code with its output."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from typing import Any

from PIL import Image, ImageDraw

__all__ = ["CITED", "rich_stream"]

CITED = (
    ("https://en.wikipedia.org/wiki/Tabby_cat", "Tabby cat - Wikipedia"),
    ("https://www.nature.com/articles/s41586-025-1", "A deletion makes cats orange"),
    ("https://example.com/cats?utm_source=chat", "Why are orange cats male?"),
    ("https://discord.com.evil.example/nitro", "discord.com - claim your gift"),
    ("https://example.com/x", "[free](https://evil.example) @everyone **now**"),
)
"""The last two pretend to be another page."""
_CODE = "share = 0.8\nprint(f'{share:.0%} of orange cats are male')"


def rich_stream() -> list[bytes]:
    """Return the events, each as it is sent."""
    events = [{**event, "sequence_number": number} for number, event in enumerate(_events())]
    return [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events]


def _events() -> Iterator[dict[str, Any]]:
    response: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "status": "in_progress",
        "output": [],
        "usage": None,
    }
    yield {"type": "response.created", "response": response}
    yield _item("added", 0, {"id": "ws_1", "type": "web_search_call", "status": "in_progress"})
    yield {"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws_1"}
    yield _item("done", 0, {"id": "ws_1", "type": "web_search_call", "status": "completed"})
    yield from _say(1, "Most orange cats are **male**, because the gene sits on the X chromosome.", CITED[:3])
    yield _item("done", 2, _picture("#e8833a", "cat"))
    yield from _say(3, "A tortoiseshell cat is nearly always female:", CITED[3:])
    yield _item("done", 4, _picture("#5b4636", "cat"))
    code = {"logs": "80% of orange cats are male\n", "type": "logs"}
    yield _item("done", 5, {"id": "ci_1", "type": "code_interpreter_call", "code": _CODE, "outputs": [code]})
    yield from _say(6, "So four of five are toms.", ())
    usage = {"input_tokens": 40, "output_tokens": 90, "total_tokens": 130}
    yield {"type": "response.completed", "response": {**response, "status": "completed", "usage": usage}}


def _item(phase: str, index: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"response.output_item.{phase}", "output_index": index, "item": item}


def _say(index: int, text: str, cited: tuple[tuple[str, str], ...]) -> Iterator[dict[str, Any]]:
    place = {"item_id": f"msg_{index}", "output_index": index, "content_index": 0}
    for at in range(0, len(text), 12):
        yield {"type": "response.output_text.delta", **place, "delta": text[at : at + 12]}
    for url, title in cited:
        source = {
            "type": "url_citation",
            "url": url,
            "title": title,
            "start_index": 0,
            "end_index": len(text),
        }
        yield {"type": "response.output_text.annotation.added", **place, "annotation": source}
    yield {"type": "response.output_text.delta", **place, "delta": "\n\n"}


def _picture(colour: str, what: str) -> dict[str, Any]:
    image = Image.new("RGB", (320, 200), "#cfe3ee")
    pen = ImageDraw.Draw(image)
    pen.ellipse((90, 60, 230, 180), fill=colour)
    pen.polygon(((105, 85), (120, 25), (155, 65)), fill=colour)
    pen.polygon(((215, 85), (200, 25), (165, 65)), fill=colour)
    for left in (130, 175):
        pen.ellipse((left, 100, left + 16, 120), fill="#1b1b1b")
    written = io.BytesIO()
    image.save(written, "PNG")
    result = base64.b64encode(written.getvalue()).decode()
    return {"id": f"ig_{colour}", "type": "image_generation_call", "status": "completed", "result": result}

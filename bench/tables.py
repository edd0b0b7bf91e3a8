"""How long it takes to read and to draw a table of 5 × 5 cells; processor time, best of many, warm.

python bench/tables.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time

from streamcord import Pipeline, Settings, Table
from streamcord._render.table_image import TableRenderer
from streamcord._render.table_style import DARK, LIGHT, PHONE

TEXT = """| Feature | **Status** | 説明 | Notes | Cost |
|:--|:-:|:--|:--|--:|
| **Bold** and *italic* | ✅ | 日本語のテキスト | ~~old~~ new | $3.50 |
| `inline|code` | ❌ | 한국어 텍스트 | a [link](https://x.y) here | 12 |
| Family 👨‍👩‍👧‍👦 | 🇯🇵 👍🏽 | 中文字符 | A longer note that has to wrap | 1,000 |
| Emoji 1️⃣ ❤️ | 🏳️‍🌈 | ***both*** | __under__ and over | 7 |
"""
BAR = 60
BOMBS = {
    "a million cells": "| a |\n|---|\n" + ("| x " * 1000 + "|\n") * 1000,
    "a hundred thousand rows": "| a " * 10 + "|\n" + "|---" * 10 + "|\n" + ("| x " * 10 + "|\n") * 100_000,
    "a cell of a megabyte": "| a | b |\n|---|---|\n| " + "x" * 1_000_000 + " | y |",
    "ten thousand columns": "| x " * 10_000 + "|\n" + "|---" * 10_000 + "|\n" + "| y " * 10_000 + "|",
}


def best(work: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        began = process_time()
        work()
        times.append(process_time() - began)
    return min(times) * 1000


def read(text: str, tables: str = "picture") -> Table | None:
    pipeline = Pipeline(Settings.from_mapping({"tables": tables, "answer_cap": 0, "message_cap": 0}))
    events = [*pipeline.feed(text), *pipeline.flush()]
    files = [file for event in events for file in getattr(event, "files", ())]
    return files[0] if files else None


def main() -> int:
    missed = 0
    table = read(TEXT)
    print(f"{'read':24} {best(lambda: read(TEXT), 20):6.1f} ms")
    for name, look in (("dark", DARK), ("light", LIGHT), ("phone", PHONE)):
        renderer = TableRenderer(look)
        renderer.draw(table)
        time = best(lambda renderer=renderer: renderer.draw(table), 10)
        missed += time > BAR
        print(f"{'draw ' + name:24} {time:6.1f} ms   <= {BAR} ms  {'PASS' if time <= BAR else 'FAIL'}")
    for name, text in BOMBS.items():
        extra = best(lambda text=text: read(text), 3) - best(lambda text=text: read(text, "off"), 3)
        missed += extra > 100
        print(f"{name:24} {extra:+6.1f} ms   <= 100 ms  {'PASS' if extra <= 100 else 'FAIL'}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())

"""Pictures of tables: the same every time, of the right size, or none at all."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from io import BytesIO

import pytest
from PIL import Image

from streamcord import Message, Pipeline, Settings, Table
from streamcord._render.fonts import FontSet
from streamcord._render.table_image import TableRenderer
from streamcord._render.table_style import DARK, LIGHT, PHONE, TableStyle

RICH = """| Feature | **Status** | 説明 | Notes | Cost |
|:--|:-:|:--|:--|--:|
| **Bold** and *italic* | ✅ | 日本語のテキスト | ~~old~~ new | $3.50 |
| `inline|code` | ❌ | 한국어 | a [link](https://x.y) here | 12 |
| Family 👨‍👩‍👧‍👦 | 🇯🇵 👍🏽 | 中文字符 | A much longer note that has to wrap over some lines<br>or so | 1 |
| Emoji 1️⃣ ❤️ ☀ | 🏳️‍🌈 | ***both*** | __under__ https://example.com/a/very/long/address | 7 |
"""
LATIN_ONLY = "| Name | Age |\n|---|--:|\n| Ann *Lee* | **31** |\n| Bob | `x` |\n"


def table(text: str) -> Table:
    pipeline = Pipeline(Settings())
    (message,) = [*pipeline.feed(text), *pipeline.flush()]
    assert isinstance(message, Message)
    (found,) = message.files
    assert isinstance(found, Table)
    return found


def size(content: bytes) -> tuple[int, int]:
    with Image.open(BytesIO(content)) as picture:
        return picture.size


@pytest.mark.parametrize("style", [DARK, LIGHT, PHONE])
def test_the_same_table_gives_the_same_bytes(style: TableStyle) -> None:
    first, second = (TableRenderer(style).draw(table(RICH)) for _ in range(2))

    assert first
    assert second
    assert sha256(first.content).digest() == sha256(second.content).digest()
    assert first.name == "table.png"
    assert first.alt == table(RICH).alt


def test_looks_differ() -> None:
    pictures = {style: TableRenderer(style).draw(table(RICH)) for style in (DARK, LIGHT, PHONE)}
    contents = {picture.content for picture in pictures.values() if picture}

    assert len(contents) == 3


@pytest.mark.parametrize(("style", "max_width"), [(DARK, 1300), (PHONE, 900)])
def test_a_table_fits_its_width(style: TableStyle, max_width: int) -> None:
    picture = TableRenderer(style).draw(table(RICH))

    assert picture
    assert size(picture.content)[0] <= max_width


def test_pillow_alone_draws_latin_letters() -> None:
    assert TableRenderer(DARK, FontSet()).draw(table(LATIN_ONLY))


@pytest.mark.parametrize("letters", ["日本語", "👍", "กขค"])
def test_what_no_face_has_is_not_drawn(letters: str) -> None:
    assert TableRenderer(DARK, FontSet()).draw(table(f"| a |\n|---|\n| {letters} |")) is None


@pytest.mark.parametrize("value", ["text", 1, None, Table((), (), (), "")])
def test_other_values_are_not_drawn(value: object) -> None:
    assert TableRenderer().draw(value) is None


def test_a_picture_of_too_many_pixels_is_drawn_smaller_or_not_at_all() -> None:
    large = TableRenderer(DARK).draw(table(RICH))
    small = TableRenderer(replace(DARK, max_pixels=500_000)).draw(table(RICH))

    assert large
    assert small
    assert size(small.content)[0] < size(large.content)[0]
    assert TableRenderer(replace(DARK, max_pixels=1000)).draw(table(RICH)) is None
    assert TableRenderer(replace(DARK, max_height=40)).draw(table(RICH)) is None


def test_a_table_that_is_too_wide_for_its_columns_is_not_drawn() -> None:
    wide = "| word " * 20 + "|\n" + "|---" * 20 + "|\n" + "| word " * 20 + "|\n"

    assert TableRenderer(replace(DARK, width=100, max_width=200)).draw(table(wide)) is None


def test_bombs_are_refused_before_they_are_measured() -> None:
    small = table(LATIN_ONLY)
    many = replace(small, rows=small.rows * 2000)
    long = replace(small, rows=((small.header[0], (replace(small.header[0][0], text="x" * 200_000),)),))

    assert TableRenderer().draw(many) is None
    assert TableRenderer().draw(long) is None


def test_a_long_word_is_broken_and_joined_people_without_a_picture_are_drawn_alone() -> None:
    odd = "| a |\n|---|\n| " + "x" * 500 + " 👍‍👍 👍‍✔ |\n"

    assert TableRenderer(PHONE).draw(table(odd))

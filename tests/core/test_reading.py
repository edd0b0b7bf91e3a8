"""What a reading knows of a text."""

from __future__ import annotations

from streamcord._core.reading import Reading
from streamcord._settings import Settings

TEXT = "a `b` https://c.d <kbd> <:e:1> [f](https://g.h) (i)"
READING = Reading(TEXT, Settings())


def test_code_urls_targets_and_tags_are_opaque() -> None:
    free = "".join(character for at, character in enumerate(TEXT) if READING.free(at))
    assert free.replace(" ", "") == "a<:e:1>[f](i)"


def test_only_code_is_code() -> None:
    assert not READING.code.free(TEXT.index("b"))
    assert READING.code.free(TEXT.index("c.d"))


def test_everything_that_must_stay_whole_is_known() -> None:
    assert not READING.whole.free(TEXT.index("i)"))
    assert READING.whole.free(1)

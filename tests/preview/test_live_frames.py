"""The frames of an answer that grows, as a terminal shows them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from streamcord import Settings
from streamcord._preview.live_frames import preview_frames

LINES = "".join(f"Line {number} of this answer.\n" for number in range(60))


def test_frames_have_their_times_and_each_goes_on_where_the_last_ended() -> None:
    frames = preview_frames(LINES, Settings(), speed=400.0)

    assert [frame.is_new for frame in frames] == [True] + [False] * (len(frames) - 1)
    assert frames[0].at < 0.4
    assert frames[-1].at == pytest.approx(len(LINES) / 400, abs=0.3)
    assert frames[-1].content == LINES.strip()
    pauses = [after.at - before.at for before, after in pairwise(frames[:-1])]
    assert pauses[0] == pytest.approx(1.25, abs=0.1)
    # No one has read all this yet, so the edits become fewer.
    assert pauses == sorted(pauses)
    assert pauses[-1] > 1.5
    for before, after in pairwise(frames):
        assert after.content.startswith(before.content)


def test_an_answer_that_is_full_goes_on_in_another_message_or_becomes_a_larger_one() -> None:
    text = LINES * 2
    small, large = (preview_frames(text, Settings(live_limit=limit)) for limit in (2000, 4000))

    assert {frame.message for frame in small} == {1, 2}
    assert {frame.message for frame in large} == {1}
    assert [frame.is_rich for frame in small] == [False] * len(small)
    assert large[-1].is_rich


def test_what_is_held_back_is_in_no_frame() -> None:
    text = "Before it.\n\nSee ||who did it|| there.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nBehind it."
    frames = preview_frames(text, Settings(tables="code"), speed=20.0)

    assert all(frame.content.count("||") % 2 == 0 for frame in frames)
    assert all(frame.content.count("```") % 2 == 0 for frame in frames)
    assert frames == preview_frames(text, Settings(tables="code"), speed=20.0)


def test_a_picture_is_there_as_soon_as_its_table_is_certain() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    frames = preview_frames(f"{LINES[:120]}\n{table}\n{LINES}", Settings(), speed=100.0)

    picture = next(frame for frame in frames if frame.files)
    assert (picture.message, picture.files, picture.is_rich) == (1, ("table.png",), False)
    assert 1.4 < picture.at < 2.5

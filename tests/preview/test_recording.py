from __future__ import annotations

import json
import resource
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from streamcord import (
    Attachment,
    Citation,
    Degree,
    Finish,
    FinishReason,
    GeneratedImage,
    KeepAlive,
    Message,
    Overloaded,
    ProviderError,
    RateLimited,
    Settings,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Truncated,
    Usage,
    say,
)
from streamcord._preview.recording import (
    RecordingEntry,
    RecordingError,
    SourceItem,
    read_recording,
    record,
    replay,
)
from streamcord.testing import FakeChannel
from virtual_time import Model, now, timeless

KEY = "sk-" + "a1B2" * 8


async def recorded(path: Path, *cues: Any, **options: Any) -> list[RecordingEntry]:
    """What is on file after a source has spoken."""
    async for _ in record(Model(*cues), path, **options):
        pass
    return read_recording(path)


async def said_again(entries: list[RecordingEntry], speed: float = 1.0) -> list[tuple[float, SourceItem]]:
    began = now()
    return [(now() - began, event) async for event in replay(entries, speed=speed)]


EVERYTHING: list[Any] = [
    "plain \ud83d \u2028 text",
    TextDelta("typed"),
    ThoughtDelta("hm", "summary", "signed"),
    ToolCall("1", "roll", {"sides": [6, {"a": None}]}, "signed"),
    Usage(1, 2, 3, 4),
    KeepAlive(),
    GeneratedImage(b"\x89PNG", "a cat"),
    Citation("https://example.com", "Title", "words", is_placed=True),
    Message("posted", files=(Attachment("a.bin", b"\x00\xff", "alt"),)),
    Finish(FinishReason.LENGTH, "here"),
]


def test_every_event_comes_back_as_it_was_and_when_it_was(tmp_path: Path) -> None:
    @timeless
    async def run() -> None:
        cues = [cue for event in EVERYTHING for cue in (0.125, event)]
        entries = await recorded(tmp_path / "a.rec", *cues, 7.0)

        assert await said_again(entries) == [
            (0.125 * number, event) for number, event in enumerate(EVERYTHING, 1)
        ]
        assert entries[-1] == RecordingEntry(8.25, None)

    run()


def test_a_replay_is_faster_or_at_once_if_asked(tmp_path: Path) -> None:
    @timeless
    async def run() -> None:
        entries = await recorded(tmp_path / "a.rec", 4.0, "a ", 4.0, "b ")

        assert [at for at, _ in await said_again(entries, 2.0)] == [2.0, 4.0]
        assert [at for at, _ in await said_again(entries, 0)] == [0.0, 0.0]

    run()


@pytest.mark.parametrize("degree", list(Degree))
def test_a_replayed_turn_is_the_same_turn(tmp_path: Path, degree: Degree) -> None:
    @timeless
    async def run() -> None:
        settings = Settings(degree=degree)
        text = "One, two; three! <think>hm</think>Four?\n```py\nx = 1\n```\nFive **six**.\n" * 5
        cues = [piece for at in range(0, len(text), 7) for piece in (0.01, TextDelta(text[at : at + 7]))]
        first, again = FakeChannel(), FakeChannel()

        source = record(Model(*cues, Finish()), tmp_path / "a.rec")
        one = await say(first, source, settings=settings, random=Random(3))
        entries = read_recording(tmp_path / "a.rec")
        other = await say(again, replay(entries), settings=settings, random=Random(3))

        assert again.messages == first.messages
        assert (one.text, one.thoughts.raw, one.dropped) == (other.text, other.thoughts.raw, other.dropped)

    run()


@pytest.mark.parametrize(
    ("error", "back"),
    [
        (Overloaded("busy", user_message="wait"), Overloaded),
        (RateLimited("slow", retry_after=3.0), RateLimited),
        (Truncated("cut"), Truncated),
        (OSError("socket"), ProviderError),
    ],
)
def test_what_a_source_raised_is_raised_again(
    tmp_path: Path, error: Exception, back: type[Exception]
) -> None:
    @timeless
    async def run() -> None:
        with pytest.raises(type(error)):
            await recorded(tmp_path / "a.rec", "Words ", 1.0, error)
        entries = read_recording(tmp_path / "a.rec")

        with pytest.raises(back, match=str(error)) as caught:
            await said_again(entries)
        assert type(caught.value) is back
        assert now() == 2.0
        for name in ("user_message", "retry_after"):
            if hasattr(error, name):
                assert getattr(caught.value, name) == getattr(error, name)

    run()


@pytest.mark.parametrize("step", [1, 2, 5, 100])
def test_a_secret_is_hidden_however_the_stream_cut_it(tmp_path: Path, step: int) -> None:
    @timeless
    async def run() -> None:
        text = f"The key is {KEY} or hunter2!"
        pieces: list[Any] = []
        for at in range(0, len(text), step):
            pieces += [TextDelta(text[at : at + step]), ThoughtDelta(text[at : at + step])]

        entries = await recorded(tmp_path / "a.rec", *pieces, secrets=["hunter2"])

        written = (tmp_path / "a.rec").read_text()
        words = "".join(entry.item.text for entry in entries if isinstance(entry.item, TextDelta))
        assert words == f"The key is {'*' * len(KEY)} or *******!"
        assert words == "".join(entry.item.text for entry in entries if isinstance(entry.item, ThoughtDelta))
        assert [len(entry.item.text) for entry in entries if isinstance(entry.item, TextDelta)] == [
            len(piece.text) for piece in pieces[::2]
        ]
        assert "hunter2" not in written
        assert KEY not in written

    run()


def test_secrets_in_arguments_and_errors_are_hidden(tmp_path: Path) -> None:
    @timeless
    async def run() -> None:
        with pytest.raises(Overloaded):
            await recorded(
                tmp_path / "a.rec",
                ToolCall("1", "call", {"key": KEY}),
                Message(f"posted {KEY}"),
                Overloaded(f"refused {KEY}"),
            )

        assert KEY not in (tmp_path / "a.rec").read_text()

    run()


def test_all_words_are_hidden_if_asked(tmp_path: Path) -> None:
    @timeless
    async def run() -> None:
        entries = await recorded(tmp_path / "a.rec", "<thi", "nk>Secret</think>", "Plan B", mask_text=True)

        assert [entry.item for entry in entries] == ["<thi", "nk>Xxxxxx</think>", "Xxxx X", None]

    run()


def test_a_source_that_is_left_is_closed_and_what_it_said_is_on_file(tmp_path: Path) -> None:
    @timeless
    async def run() -> None:
        model = Model("One ", "two ", 600.0)
        source = record(model, tmp_path / "a.rec")
        assert await anext(source) == "One "
        await source.aclose()

        assert model.closed_at == 0.0
        assert [entry.item for entry in read_recording(tmp_path / "a.rec")] == ["One "]

    run()


def test_endless_text_without_white_space_is_not_held_for_ever(tmp_path: Path) -> None:
    @timeless
    async def run() -> None:
        source = record(Model(*["x" * 1000] * 200), tmp_path / "a.rec")
        for _ in range(200):
            await anext(source)
        assert (tmp_path / "a.rec").stat().st_size > 100_000
        await source.aclose()

    run()


HEAD = '{"streamcord_recording": 1}\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hello\n", "line 1"),
        ("[]\n", "line 1"),
        ('{"streamcord_recording": 2}\n', "version 2"),
        (HEAD + "{}\n", "line 2"),
        (HEAD + '{"at": 0, "type": "dance"}\n', "line 2"),
        (HEAD + '{"at": 0, "type": "plain", "text": 5}\n', "line 2"),
        (HEAD + '{"at": 0, "type": "end"}\n{"at": "x', "line 3"),
    ],
)
def test_what_is_no_recording_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "a.rec").write_text(text)

    with pytest.raises(RecordingError, match=complaint):
        read_recording(tmp_path / "a.rec")


def test_a_recording_is_lines_of_ascii_json(tmp_path: Path) -> None:
    @timeless
    async def run() -> None:
        await recorded(tmp_path / "a.rec", *EVERYTHING)

        lines = (tmp_path / "a.rec").read_bytes().split(b"\n")
        assert len(lines) == len(EVERYTHING) + 3
        assert all(json.loads(line)["at"] >= 0 for line in lines[1:-1])
        assert all(line.isascii() for line in lines)

    run()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
async def test_a_disk_that_is_full_at_the_start_is_said_before_anything_is_asked() -> None:
    async def source() -> AsyncIterator[str]:
        yield "never"

    with pytest.raises(OSError, match="/dev/full"):
        await anext(record(source(), "/dev/full"))


async def test_a_disk_that_fills_up_ends_the_recording_and_not_the_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.rec"

    async def source() -> AsyncIterator[str]:
        for number in range(200):
            yield f"word {number} "

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, hard))
    try:
        said = [piece async for piece in record(source(), path)]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert len(said) == 200
    assert [line.message for line in caplog.records] == [
        f"recording {path} is incomplete, writing failed: File too large"
    ]
